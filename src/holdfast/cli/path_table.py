"""The path of a search as a readable table."""

from collections.abc import Sequence
from typing import NamedTuple

from rich import box
from rich.table import Table


class PathRow(NamedTuple):
    """One visited model, as it is printed.

    ``root`` is the square root of the error in the unit of the target; an empty one is not shown.
    """

    step: str
    move: str
    error: str
    std_error: str
    root: str
    alpha: str


def path_table(
    rows: Sequence[PathRow], chosen: int, *, title: str, error_name: str, shown: int | None = None
) -> Table:
    """One line per visited model, the chosen one marked.

    Parameters
    ----------
    rows : sequence of PathRow
        The models in the order of the path.
    chosen : int
        Position of the chosen one.
    title : str
        What the table shows.
    error_name : str
        Heading of the error column, with its unit.
    shown : int or None
        Lines at most; what is left out is far from the ends and from the chosen model.

    Returns
    -------
    rich.table.Table
        To be printed by a rich console.
    """
    table = Table(
        title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False
    )
    table.add_column("step", justify="right")
    table.add_column("column", overflow="fold")
    rooted = any(row.root for row in rows)
    for heading in (error_name, "std. err", *(["RMSE"] if rooted else []), "alpha"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")
    last = -1
    for place in _worth_showing(len(rows), chosen, shown):
        if place > last + 1:
            table.add_row("...", f"({place - last - 1} more)", style="dim")
        last, row = place, rows[place]
        table.add_row(
            row.step,
            row.move,
            row.error,
            row.std_error,
            *([row.root] if rooted else []),
            row.alpha,
            "<- chosen" if place == chosen else "",
            style="bold green" if place == chosen else None,
        )
    if last < len(rows) - 1:
        table.add_row("...", f"({len(rows) - 1 - last} more)", style="dim")
    return table


def _worth_showing(count: int, chosen: int, shown: int | None) -> list[int]:
    """Positions that are shown: the first, those before the chosen one, and some after it."""
    if shown is None or count <= shown:
        return list(range(count))
    after = shown // 4
    last = min(count, chosen + 1 + after)
    before = shown - (last - chosen)
    first = before // 2
    return sorted({*range(min(first, chosen)), *range(max(0, chosen - first), last)})
