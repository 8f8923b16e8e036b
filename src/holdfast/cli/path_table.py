"""The path of a search as a readable table."""

from collections.abc import Callable, Sequence
from typing import Any

from rich import box
from rich.table import Table


def path_table(
    search: Any,
    feature_names: Sequence[str],
    *,
    title: str,
    error_name: str,
    root_error: Callable[[float], str],
) -> Table:
    """One row per visited model, the chosen one marked.

    Parameters
    ----------
    search : fitted selector
        Its ``path_*`` attributes are shown.
    feature_names : sequence of str
        Names of the columns it was fitted on.
    title : str
        What the table shows.
    error_name : str
        Heading of the error column, with its unit.
    root_error : callable
        Writes the square root of an error in the unit of the target.

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
    for heading in (error_name, "std. err", "RMSE", "alpha"):
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("")

    moves = ["(none)", *(_move_text(move, feature_names) for move in search.path_moves_)]
    chosen = list(search.path_errors_).index(-search.best_score_)
    for step, (move, error, spread, alpha) in enumerate(
        zip(
            moves,
            search.path_errors_,
            search.path_std_errors_,
            search.path_alphas_,
            strict=True,
        )
    ):
        table.add_row(
            str(step),
            move,
            f"{error:.3f}",
            f"{spread:.3f}",
            root_error(error**0.5),
            f"{alpha:g}",
            "<- chosen" if step == chosen else "",
            style="bold green" if step == chosen else None,
        )
    return table


def _move_text(move: tuple[int, Sequence[int]], feature_names: Sequence[str]) -> str:
    sign, columns = move
    return f"{'+' if sign > 0 else '-'} " + ", ".join(feature_names[column] for column in columns)
