"""``holdfast inspect``: what a model file holds."""

import json
import sys
from typing import Any

from holdfast.cli.options import Debug, Json, Model


def inspect(
    model: Model,
    json_output: Json = False,
    debug: Debug = False,  # read by holdfast.cli.main, before anything is parsed
) -> None:
    """Say what a model file holds: the formula, the errors, where it comes from."""
    from holdfast import load_model

    loaded = load_model(model)
    if json_output:
        sys.stdout.write(json.dumps(_told(loaded), allow_nan=False) + "\n")
        return
    from rich.console import Console
    from rich.markup import escape

    console = Console(highlight=False)
    estimator = getattr(loaded, "estimator", loaded)
    console.print(f"[bold]{escape(str(model))}[/bold]: {type(estimator).__name__}")
    if not hasattr(loaded, "findings"):
        console.print(escape(repr(estimator)))
        console.print(_coefficients(estimator, _names(estimator), None))
        return
    from holdfast.cli.words import conclusion, doubts, heading

    findings, origin = loaded.findings, loaded.provenance
    console.print(heading(findings))
    for line in [*doubts(findings), *conclusion(findings)]:
        console.print(line)
    console.print(_coefficients(estimator, findings["features"], findings["effects"]))
    console.print(f"Needs the columns: {escape(', '.join(loaded.needed) or 'none')}.")
    console.print(
        escape(
            f"Fitted {origin['created']} with "
            + ", ".join(f"{name} {version}" for name, version in origin["versions"].items())
            + f" by: {' '.join(origin['command'])}"
        )
    )
    console.print(escape(f"Data: {origin['data']['source']}, {origin['data']['fingerprint']}"))


def _told(loaded: Any) -> dict[str, Any]:
    """The same for machines."""
    estimator = getattr(loaded, "estimator", loaded)
    told: dict[str, Any] = {"estimator": type(estimator).__name__}
    if hasattr(loaded, "findings"):
        told |= {
            "target": loaded.target,
            "task": loaded.task,
            "needed": loaded.needed,
            "findings": loaded.findings,
            "provenance": loaded.provenance,
        }
    return told


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
