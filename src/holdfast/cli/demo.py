"""``holdfast demo``: which columns of a table of cars tell the price, and how well."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from holdfast.cli.options import Debug
from holdfast.cli.outputs import check_output
from holdfast.cli.path_table import PathRow, path_table
from holdfast.cli.progress import FitProgress, progress_display
from holdfast.whole_file import write_whole

if TYPE_CHECKING:
    from holdfast import ForwardRidge, NestedScore
    from holdfast.data import AutoPrice

PICTURES = (".png", ".pdf", ".svg")
ALPHAS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)
OUTER_FOLDS = 10


def demo(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", help="Where the picture goes (.png, .pdf, .svg)."),
    ] = Path("holdfast-demo.png"),
    max_features: Annotated[
        int, typer.Option(min=1, max=15, help="Largest number of columns to try.")
    ] = 15,
    debug: Debug = False,  # read by holdfast.cli.main, before anything is parsed
) -> None:
    """Choose columns of a bundled table by exact leave-one-out.

    The table has 159 cars of 1985 with 15 numeric columns (UCI Automobile, CC BY 4.0); the question
    is which few columns predict the price. Prints every step, says how far the errors can be
    trusted, and writes a picture.
    """
    check_output(output, PICTURES)
    import matplotlib as mpl  # noqa: F401  asked for before any work: the picture comes last
    from sklearn.model_selection import KFold

    from holdfast import ForwardRidge, nested_score
    from holdfast.data import load_auto_price

    cars = load_auto_price()
    thousands = cars.y / 1000
    search = ForwardRidge(alphas=ALPHAS, standardize=True, max_features=max_features)
    with progress_display() as display:
        search.set_callbacks(FitProgress(display, "Selecting columns", fits=1))
        search.fit(cars.X, thousands)
        search.set_callbacks(FitProgress(display, "Checking honestly", fits=OUTER_FOLDS))
        folds = KFold(OUTER_FOLDS, shuffle=True, random_state=0)
        honest = nested_score(search, cars.X, thousands, folds)
        search.set_callbacks()

    console = Console(highlight=False)
    console.print(
        path_table(
            _rows(search, cars.feature_names),
            search.n_features_,
            title="Leave-one-out (LOO) error of every model visited, price in 1000 dollars",
            error_name="LOO error",
        )
    )
    console.print(_conclusion(search, cars))
    console.print(_honest_words(honest))
    write_whole(output, lambda path: _draw(path, search, cars.feature_names, honest))
    console.print(f"Picture: {output}", markup=False, soft_wrap=True)


def _rows(search: "ForwardRidge", feature_names: Sequence[str]) -> list[PathRow]:
    """Every visited model; forward selection from nothing, so that steps are sizes."""
    moves = ["(none)", *(f"+ {feature_names[column]}" for column in search.selection_order_)]
    numbers = zip(search.path_errors_, search.path_std_errors_, search.path_alphas_, strict=True)
    return [
        PathRow(
            str(step), move, f"{error:.3f}", f"{spread:.3f}", _dollars(error**0.5), f"{alpha:g}"
        )
        for step, (move, (error, spread, alpha)) in enumerate(zip(moves, numbers, strict=True))
    ]


def _conclusion(search: "ForwardRidge", cars: "AutoPrice") -> str:
    names = [cars.feature_names[column] for column in search.selection_order_]
    errors, size = search.path_errors_, search.n_features_
    within = errors <= errors[size] + search.path_std_errors_[size]
    small = int(within.argmax())  # the first, that is the smallest
    return (
        f"Chosen: {size} of {len(cars.feature_names)} columns, {_listed(names[:size])}. "
        f"Leaving out one car at a time, the typical miss (RMSE) is "
        f"{_dollars(errors[size] ** 0.5)}; guessing the mean price misses by "
        f"{_dollars(errors[0] ** 0.5)}. The smallest model within one standard error: "
        f"{_listed(names[:small])}, {_dollars(errors[small] ** 0.5)}."
    )


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"[bold]{name}[/bold]" for name in names) or "no column at all"


def _honest_words(honest: "NestedScore") -> str:
    return (
        "[yellow]These errors are optimistic[/yellow]: the same cars chose the columns and judged "
        f"them. Repeating the whole selection in {OUTER_FOLDS} outer folds, to predict only cars "
        f"it has not seen, the error is {honest.error:.3f} (standard error "
        f"{honest.std_error:.3f}), "
        f"a typical miss of [bold]{_dollars(honest.error**0.5)}[/bold]. Expect that on new cars."
    )


def _dollars(thousands: float) -> str:
    return f"${1000 * thousands:,.0f}"


def _draw(
    path: Path, search: "ForwardRidge", feature_names: Sequence[str], honest: "NestedScore"
) -> None:
    import numpy as np
    from matplotlib.figure import Figure

    from holdfast import PathDisplay

    figure = Figure(figsize=(8, 5), layout="constrained")
    ax = PathDisplay.from_estimator(search, ax=figure.subplots()).ax_
    ax.axhline(honest.error, color="black", linestyle="--", label="on cars not seen (10 folds)")
    ax.legend(frameon=False, loc="lower left")
    # The empty model is far worse than all others: its error is a number in its label.
    names = [f"none ({search.path_errors_[0]:.1f})"]
    names += [feature_names[column] for column in search.selection_order_]
    ax.set_xticks(search.path_sizes_, names, rotation=40, ha="right", rotation_mode="anchor")
    ax.set_xlim(-0.5, len(names) - 0.5)
    ax.set_ylim(0, 1.3 * max(honest.error, *(search.path_errors_ + search.path_std_errors_)[1:]))
    ax.set_xlabel("column added")
    ax.set_ylabel("squared error, price in 1000 dollars")
    dollars = ax.secondary_yaxis(
        "right", functions=(lambda error: 1000 * np.sqrt(np.abs(error)), lambda miss: miss**2 / 1e6)
    )
    dollars.set_yticks(range(1000, int(1000 * ax.get_ylim()[1] ** 0.5), 500))
    dollars.set_ylabel("typical miss (RMSE) in dollars")
    figure.savefig(path, dpi=150)
