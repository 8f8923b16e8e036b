"""``holdfast fit``: from a table to a model, its honest error, a file and a report."""

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdfast.cli.options import (
    METHOD_NAMES,
    Alphas,
    Cv,
    Debug,
    Drop,
    Impute,
    Json,
    Keep,
    MaxFeatures,
    Quiet,
    Rare,
    Seed,
    Select,
    Table,
    Target,
    Task,
    Weight,
    checked_choice,
    methods_told,
    penalties,
    size,
)
from holdfast.cli.outputs import check_output

if TYPE_CHECKING:
    from holdfast.table_models.preparing import Asked

_INTERRUPTED = "it was interrupted"

MethodOption = Annotated[
    str, typer.Option("--method", "-m", help=f"auto, or one of these. {methods_told()}.")
]


def fit(
    table: Table,
    target: Target = None,
    method: MethodOption = "auto",
    task: Task = "auto",
    cv: Cv = "loo",
    max_features: MaxFeatures = None,
    select: Select = "best",
    weight: Weight = None,
    drop: Drop = None,
    keep: Keep = None,
    impute: Impute = "none",
    rare: Rare = 5,
    alphas: Alphas = None,
    seed: Seed = 0,
    nested: Annotated[
        bool,
        typer.Option(
            "--nested/--no-nested",
            help="Whether to repeat the whole fit in outer folds for the honest error.",
        ),
    ] = True,
    model: Annotated[
        Path | None, typer.Option(help="Where the model goes, a file that ends in .json.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Where a report goes, a file that ends in .html.")
    ] = None,
    quiet: Quiet = False,
    json_output: Json = False,
    debug: Debug = False,  # read by holdfast.cli.main, before anything is parsed
) -> None:
    """Fit a model to a table: which few columns predict the target, and how well.

    Prints every model that was visited, the chosen one, and the honest error, for which everything
    - medians, levels, scales, search and choices - is repeated on parts of the rows to predict the
    others. Texts become columns of zeros and ones, one for every level, which enter and leave
    together (with pruned and lars-* one by one).
    """
    from holdfast.table_models.preparing import Asked

    checked_choice(method, "--method", METHOD_NAMES)
    checked_choice(task, "--task", ("auto", "regression", "classification"))
    checked_choice(impute, "--impute", ("none", "median"))
    wishes = {
        "penalties": penalties(alphas),
        "max_features": max_features,
        "n_features_to_select": size(select),
    }
    check_output(model, (".json",))
    check_output(report, (".html",))
    asked = Asked(
        table, target, task, cv, weight, tuple(drop or ()), tuple(keep or ()), impute, rare, seed
    )
    found = _fitted(asked, method, wishes, nested=nested, silent=quiet or json_output)
    if model is not None:
        from holdfast import save_model

        save_model(found, model)
    if report is not None:
        from holdfast.report import write_report

        write_report(found.findings, report, provenance=found.provenance)
    if json_output:
        sys.stdout.write(json.dumps(found.findings, allow_nan=False) + "\n")
    elif not quiet:
        _show(found, model, report)
    if found.findings["nested_reason"] == _INTERRUPTED:
        raise KeyboardInterrupt


def _fitted(
    asked: "Asked", name: str, wishes: dict[str, Any], *, nested: bool, silent: bool
) -> Any:
    """The model of a table, fitted with a bar on standard error."""
    from holdfast.cli.progress import FitProgress, progress_display
    from holdfast.table_models.findings import findings_of
    from holdfast.table_models.fitting import fit, honest, ready
    from holdfast.table_models.methods import automatic, unusable
    from holdfast.table_models.preparing import prepare
    from holdfast.table_models.provenance import provenance_of
    from holdfast.table_models.table_model import TableModel

    start = time.perf_counter()
    prepared = prepare(asked)
    method = (
        _checked_method(name, prepared)
        if name != "auto"
        else automatic(prepared.shape[1], sparse=prepared.is_sparse, task=prepared.task)
    )
    useless = unusable(method, wishes)
    if useless:
        raise ValueError(
            f"{useless[0]} was given, but --method {method.name} has no use for it; expected an "
            "option of the method: leave it out, or choose a method that has one."
        )
    case = ready(prepared, method, wishes)
    with progress_display(disable=silent) as display:
        case.estimator.set_callbacks(FitProgress(display, f"Fitting {method.name}", fits=1))
        fitted = fit(case)
        honesty: Any = "it was not asked for (--no-nested)"
        if nested:
            watch = FitProgress(display, "Honest error", fits=prepared.n_outer)
            case.whole[0].set_callbacks(watch)
            try:
                honesty = honest(case)
            except KeyboardInterrupt:
                honesty = _INTERRUPTED
        for watched in (case.estimator, case.whole[0], fitted.estimator):
            watched.set_callbacks()
    findings = findings_of(prepared, method, fitted, honesty, time.perf_counter() - start)
    return TableModel(
        fitted.estimator,
        fitted.encoding,
        prepared.target,
        prepared.task,
        findings,
        provenance_of(asked.table, len(prepared.y)),
    )


def _checked_method(name: str, prepared: Any) -> Any:
    """The method, if it can do the task on such rows."""
    from holdfast.table_models.methods import applicable, method_named

    method = method_named(name)
    able = applicable(prepared.task, sparse=prepared.is_sparse, stored=prepared.is_stored)
    if method not in able:
        rows = "sparse rows" if prepared.is_sparse else "rows read in chunks"
        where = f" on {rows}" if prepared.is_sparse or prepared.is_stored else ""
        raise ValueError(
            f"--method {name} does no {prepared.task}{where}, which {prepared.target!r} asks for; "
            f"expected one of {', '.join(one.name for one in able)}."
        )
    return method


def _show(found: Any, model: Path | None, report: Path | None) -> None:
    """Everything on the screen."""
    from rich.console import Console

    from holdfast.cli.words import conclusion, doubts, heading, path_of

    console, findings = Console(highlight=False), found.findings
    console.print(heading(findings))
    for line in doubts(findings):
        console.print(line)
    table = path_of(findings)
    if table is not None:
        console.print(table)
    for line in conclusion(findings):
        console.print(line)
    if model is not None:
        console.print(f"Model: {model}", markup=False, soft_wrap=True)
    if report is not None:
        console.print(f"Report: {report}", markup=False, soft_wrap=True)
    if model is None:
        console.print(
            "The model was not kept; to keep it, add --model model.json (and --report report.html "
            "for a page of pictures).",
            style="dim",
        )
