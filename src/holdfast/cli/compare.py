"""``holdfast compare``: every method on one table, by honest errors."""

import json
import sys
import time
from typing import Any

from holdfast.cli.options import (
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
    Table,
    Target,
    Task,
    Weight,
    checked_choice,
)


def compare(
    table: Table,
    target: Target = None,
    task: Task = "auto",
    cv: Cv = "loo",
    max_features: MaxFeatures = None,
    weight: Weight = None,
    drop: Drop = None,
    keep: Keep = None,
    impute: Impute = "none",
    rare: Rare = 5,
    seed: Seed = 0,
    quiet: Quiet = False,
    json_output: Json = False,
    debug: Debug = False,  # read by holdfast.cli.main, before anything is parsed
) -> None:
    """Compare all methods on a table by their honest errors.

    Every method that can do the task repeats all it does, choices included, in the same outer
    folds; ridge on all columns is the measure for what choosing columns is worth. Errors within a
    standard error of each other are no difference. The slowest methods come last; an interruption
    (Ctrl-C) keeps what has finished.
    """
    from holdfast.table_models.preparing import Asked, prepare

    checked_choice(task, "--task", ("auto", "regression", "classification"))
    checked_choice(impute, "--impute", ("none", "median"))
    prepared = prepare(
        Asked(
            table,
            target,
            task,
            cv,
            weight,
            tuple(drop or ()),
            tuple(keep or ()),
            impute,
            rare,
            seed,
        )
    )
    if prepared.is_stored:
        raise ValueError(
            f"{table} is too large for memory, and comparing would read it many times; expected a "
            "table that fits: compare on a sample of its rows."
        )
    found: list[dict[str, Any]] = []
    try:
        _race(prepared, {"max_features": max_features}, found, silent=quiet or json_output)
    finally:
        if json_output and found:
            told = {
                "target": prepared.target,
                "task": prepared.task,
                "splits": prepared.plan.outer_words,
                "methods": found,
            }
            sys.stdout.write(json.dumps(told, allow_nan=False) + "\n")
    if all("failed" in one for one in found):
        raise ValueError(f"no method could be fitted; the first says: {found[0]['failed']}")


def _race(
    prepared: Any, wishes: dict[str, Any], found: list[dict[str, Any]], *, silent: bool
) -> None:
    """Run every method and show the board whenever one has finished; best first."""
    from rich.console import Console, Group
    from rich.live import Live

    from holdfast.cli.board import board, judged_by
    from holdfast.cli.progress import bars
    from holdfast.table_models.methods import applicable

    methods = applicable(prepared.task, sparse=prepared.is_sparse)
    waiting = [method.name for method in methods]
    console = Console(highlight=False, quiet=silent)
    for text in prepared.warnings:
        console.print(f"Note: {text}", markup=False)
    progress = bars(console)
    # Without a terminal only the last board is printed.
    shown = console if console.is_terminal else Console(quiet=True)
    try:
        with Live(console=shown, transient=True) as live:
            for method in methods:
                live.update(Group(board(prepared, found, waiting), progress))
                found.append(_judged(prepared, method, wishes, progress))
                waiting.remove(method.name)
                found.sort(key=lambda one: judged_by(one, prepared.task))
    finally:
        console.print(board(prepared, found, waiting))


def _judged(prepared: Any, method: Any, wishes: dict[str, Any], progress: Any) -> dict[str, Any]:
    """One method: its honest error, what it chose on all rows, and the time of both."""
    from holdfast.cli.progress import FitProgress
    from holdfast.table_models.fitting import fit, honest, ready

    start = time.perf_counter()
    try:
        case = ready(prepared, method, wishes)
        watch = FitProgress(progress, method.name, fits=prepared.n_outer)
        fitted = fit(case)
        case.whole[0].set_callbacks(watch)
        nested = honest(case)
    except (ValueError, MemoryError) as error:
        return {"method": method.name, "failed": " ".join(str(error).split())}
    model = fitted.estimator
    # Columns of the table, of which a method may take some levels and leave others.
    sizes = nested.sizes if nested.supports is None else nested.supports.sum(axis=1)
    return {
        "method": method.name,
        "error": float(nested.error),
        "std_error": float(nested.std_error),
        "wrong": nested.wrong,
        "own_error": -float(model.best_score_) if hasattr(model, "best_score_") else None,
        "features": _features(fitted),
        "of": len({*fitted.owners}),
        "smallest": int(sizes.min()) if method.by_size else None,
        "largest": int(sizes.max()) if method.by_size else None,
        "loss": "squared hinge" if method.hinge else "squared",
        "seconds": time.perf_counter() - start,
    }


def _features(fitted: Any) -> int:
    """Columns of the table that the model uses."""
    from holdfast.table_models.encoded import used_columns

    owners = fitted.owners
    return len({owners[column] for column in used_columns(fitted.estimator)})
