"""The leaderboard of ``holdfast compare``."""

from typing import Any

from rich import box
from rich.markup import escape
from rich.table import Table

from holdfast.cli.words import number, percent

_CAPTION = (
    "Ridge uses all columns: beat it, or match it with fewer. Errors within a standard error are "
    "no difference, and that of the best of several is a little lucky."
)


def judged_by(one: dict[str, Any], task: str) -> tuple[bool, float, float]:
    """What the order of the board goes by: classes by wrong labels, numbers by squared errors."""
    if "failed" in one:
        return (True, 0.0, 0.0)
    first = one["wrong"] if task == "classification" else one["error"]
    return (False, float(first), float(one["error"]))


def board(prepared: Any, found: list[dict[str, Any]], waiting: list[str]) -> Table:
    """Methods that have finished, the best first, and those that are still to come."""
    classes = prepared.task == "classification"
    table = Table(
        title=escape(f"Honest errors of {prepared.target!r} ({prepared.plan.outer_words})"),
        title_justify="left",
        title_style="bold",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        caption=_CAPTION if not waiting else None,
        caption_justify="left",
    )
    table.add_column("method")
    headings = ["wrong labels", "error", "std. err"] if classes else ["error", "std. err", "RMSE"]
    for heading in [*headings, "columns", "in folds", "seconds"]:
        table.add_column(heading, justify="right", no_wrap=True)
    failed = []
    for place, one in enumerate(found):
        if "failed" in one:
            failed.append(one)
            continue
        spread = [number(one["error"]), number(one["std_error"])]
        errors = (
            [percent(one["wrong"]), *spread] if classes else [*spread, number(one["error"] ** 0.5)]
        )
        chosen = "all" if one["smallest"] is None else f"{one['smallest']}-{one['largest']}"
        table.add_row(
            one["method"],
            *errors,
            f"{one['features']} of {one['of']}",
            chosen,
            f"{one['seconds']:.2f}",
            style="bold green" if place == 0 else None,
        )
    for one in failed:
        table.add_row(one["method"], escape(f"failed: {one['failed']}"), style="red")
    for name in waiting:
        table.add_row(name, "...", style="dim")
    return table
