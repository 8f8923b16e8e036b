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
    listed,
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
        Asked(table, target, task, cv, weight, listed(drop), listed(keep), impute, rare, seed)
    )
    if prepared.is_stored:
        raise ValueError(
            f"{table} is too large for memory, and comparing would read it many times; expected a "
            "table that fits: compare on a sample of its rows."
        )
    found = _raced(prepared, {"max_features": max_features}, silent=quiet or json_output)
    if json_output:
        told = {
            "target": prepared.target,
            "task": prepared.task,
            "splits": prepared.plan.outer_words,
            "methods": found,
        }
        sys.stdout.write(json.dumps(told, allow_nan=False) + "\n")


def _raced(prepared: Any, wishes: dict[str, Any], *, silent: bool) -> list[dict[str, Any]]:
    """Run every method and show the board whenever one has finished; best first."""
    from rich.console import Console
    from rich.live import Live

    from holdfast.cli.board import board, judged_by
    from holdfast.table_models.methods import applicable

    methods = applicable(prepared.task, sparse=prepared.is_sparse)
    waiting = [method.name for method in methods]
    found: list[dict[str, Any]] = []
    console = Console(highlight=False, quiet=silent)
    with Live(
        board(prepared, found, waiting), console=console, auto_refresh=False, transient=True
    ) as live:
        try:
            for method in methods:
                live.update(board(prepared, found, waiting), refresh=True)
                found.append(_judged(prepared, method, wishes))
                waiting.remove(method.name)
                found.sort(key=lambda one: judged_by(one, prepared.task))
        except KeyboardInterrupt:
            live.stop()
            console.print(board(prepared, found, waiting))
            raise
    for text in prepared.warnings:
        console.print(f"Note: {text}", markup=False)
    console.print(board(prepared, found, waiting))
    return found


def _judged(prepared: Any, method: Any, wishes: dict[str, Any]) -> dict[str, Any]:
    """One method: its honest error, what it chose on all rows, and the time of both."""
    from holdfast.table_models.fitting import fit, honest, ready

    start = time.perf_counter()
    try:
        case = ready(prepared, method, wishes)
        fitted, nested = fit(case), honest(case)
    except (ValueError, MemoryError) as error:
        return {"method": method.name, "failed": " ".join(str(error).split())}
    model = fitted.estimator
    return {
        "method": method.name,
        "error": float(nested.error),
        "std_error": float(nested.std_error),
        "wrong": nested.wrong,
        "own_error": -float(model.best_score_) if hasattr(model, "best_score_") else None,
        "features": _features(fitted),
        "of": len({*fitted.owners}),
        "smallest": int(nested.sizes.min()) if method.by_size else None,
        "largest": int(nested.sizes.max()) if method.by_size else None,
        "loss": "hinge" if method.classification == "LarsSVC" else "squared",
        "seconds": time.perf_counter() - start,
    }


def _features(fitted: Any) -> int:
    """Columns of the table that the model uses."""
    support = getattr(fitted.estimator, "support_", None)
    used = fitted.owners if support is None else [fitted.owners[j] for j in support.nonzero()[0]]
    return len({*used})
