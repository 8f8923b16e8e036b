"""``holdfast inspect``: what a model file holds."""

import json
import sys
from typing import Any

from holdfast.cli.models import any_model
from holdfast.cli.options import Debug, Json, Model


def inspect(
    model: Model,
    json_output: Json = False,
    debug: Debug = False,  # read by holdfast.cli.main, before anything is parsed
) -> None:
    """Say what a model file holds: the formula, the errors, where it comes from."""
    from holdfast.model_file import is_of_table

    loaded = any_model(model)
    of_table = is_of_table(loaded)
    if json_output:
        sys.stdout.write(json.dumps(_told(loaded, of_table=of_table), allow_nan=False) + "\n")
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    estimator = loaded.estimator if of_table else loaded
    console.print(f"[bold]{escape(str(model))}[/bold]: {type(estimator).__name__}")
    if of_table:
        _show_of_table(console, loaded)
        return
    console.print(escape(repr(estimator)))
    console.print(_coefficients(estimator, _names(estimator), None))


def _show_of_table(console: Any, model: Any) -> None:
    """What was found and where it comes from, as far as the file says."""
    from rich.markup import escape

    from holdfast.cli.words import conclusion, doubts, heading

    findings, origin = model.findings, model.provenance
    if findings:
        console.print(heading(findings))
        for line in [*doubts(findings), *conclusion(findings)]:
            console.print(line)
        names, effects = findings["features"], findings["effects"]
    else:
        console.print(escape(f"{model.task} of {model.target}; the file holds no findings."))
        encoding = model.encoding
        names = _names(model.estimator) if encoding is None else encoding.names
        effects = None
    console.print(_coefficients(model.estimator, names, effects))
    console.print(f"Needs the columns: {escape(', '.join(model.needed) or 'none')}.")
    if not origin:
        return
    console.print(
        escape(
            f"Fitted {origin['created']} with "
            + ", ".join(f"{name} {version}" for name, version in origin["versions"].items())
            + f" by: {' '.join(origin['command'])}"
        )
    )
    console.print(escape(f"Data: {origin['data']['source']}, {origin['data']['fingerprint']}"))


def _told(model: Any, *, of_table: bool) -> dict[str, Any]:
    """The same for machines."""
    if not of_table:
        return {"estimator": type(model).__name__}
    return {
        "estimator": type(model.estimator).__name__,
        "target": model.target,
        "task": model.task,
        "needed": model.needed,
        "findings": model.findings,
        "provenance": model.provenance,
    }


def _names(estimator: Any) -> list[str]:
    known = getattr(estimator, "feature_names_in_", None)
    count = int(estimator.n_features_in_)
    return [f"x{j}" for j in range(count)] if known is None else list(known)


def _coefficients(estimator: Any, names: list[str], effects: Any) -> Any:
    """A table of the coefficients that are not zero; a sentence for models of a basis."""
    import numpy as np
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    from holdfast.cli.words import number

    coef = getattr(estimator, "coef_", None)
    if coef is None:
        vectors = len(estimator.basis_indices_) if hasattr(estimator, "basis_indices_") else None
        return f"A kernel model{'' if vectors is None else f' of {vectors} basis vectors'}."
    lines = np.atleast_2d(coef)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("column", overflow="fold")
    headings = ["coefficient"] if len(lines) == 1 else [f"output {k}" for k in range(len(lines))]
    for text in [*headings, *(["standardised effect"] if effects and len(lines) == 1 else [])]:
        table.add_column(text, justify="right")
    table.add_row("(intercept)", *(number(value) for value in np.atleast_1d(estimator.intercept_)))
    used = np.flatnonzero(lines.any(axis=0))
    size = np.abs(np.asarray(effects) if effects else lines).max(axis=0)
    for column in used[np.argsort(-size[used], kind="stable")]:
        shown = [number(value) for value in lines[:, column]]
        if effects and len(lines) == 1:
            shown.append(number(effects[0][column]))
        table.add_row(escape(names[column]), *shown)
    return table
