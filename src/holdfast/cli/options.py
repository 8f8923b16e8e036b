"""Options that several verbs have, and what they may be."""

from pathlib import Path
from typing import Annotated

import typer

from holdfast.table_models.methods import METHODS, NAMES

Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]
Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output, for machines.")
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print nothing but errors and what was asked for.")
]
Table = Annotated[
    Path,
    typer.Argument(
        help="CSV, TSV, Parquet (a file, folder or pattern), Arrow, Feather, JSON lines, or "
        "svmlight; also with .gz."
    ),
]
Model = Annotated[Path, typer.Argument(help="A model file that `holdfast fit` has written.")]
Target = Annotated[
    str | None,
    typer.Option("--target", "-t", help="The column to predict (svmlight files have none)."),
]
Task = Annotated[
    str,
    typer.Option(
        help="auto, regression or classification. auto: numbers with more than two different "
        "values are regression, all else are classes."
    ),
]
Cv = Annotated[
    str,
    typer.Option(
        help="Which rows are held out: loo (each in turn), a number of folds, group:COLUMN (equal "
        "values together) or series:COLUMN (each stretch from the rows before it, in the order of "
        "the column, dates or numbers)."
    ),
]
Weight = Annotated[str | None, typer.Option(help="A column that says how much every row counts.")]
Drop = Annotated[
    list[str] | None,
    typer.Option(help="Columns that are not used: several by commas or by several options."),
]
Keep = Annotated[
    list[str] | None, typer.Option(help="The only columns that are used, as in --drop.")
]
Impute = Annotated[
    str,
    typer.Option(
        help="none: empty cells are refused; median: numbers take the median of their column, "
        "texts are a level of their own."
    ),
]
Rare = Annotated[
    int,
    typer.Option(
        min=1,
        help="Levels of texts with fewer rows share one column, and so do levels that are new when "
        "predicting (from 2 on).",
    ),
]
Alphas = Annotated[
    str | None,
    typer.Option(help="Penalties to choose from, by commas (default: by method)."),
]
MaxFeatures = Annotated[
    int | None,
    typer.Option(
        min=1, help="Largest number of columns (levels of a column are one where they go together)."
    ),
]
Select = Annotated[
    str,
    typer.Option(
        help="best: the size with the smallest error; 1se: the smallest within one standard error "
        "of it; or a number of columns."
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="For folds and whatever else is drawn at random.")]


def checked_choice(value: str, option: str, choices: tuple[str, ...]) -> str:
    """One of a few words."""
    if value not in choices:
        from difflib import get_close_matches

        near = get_close_matches(value, choices, n=1)
        hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(choices)}."
        raise typer.BadParameter(f"{option} {value} is not known; {hint}")
    return value


def penalties(text: str | None) -> tuple[float, ...] | None:
    """A grid of penalties, written with commas."""
    if text is None:
        return None
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    if not values or not all(0 <= value < float("inf") for value in values):
        raise typer.BadParameter(
            f"--alphas {text} are no penalties; expected numbers of at least 0 with commas between "
            "them, such as 0.1,1,10"
        )
    return values


def size(text: str) -> int | str:
    """The rule or number of ``--select``."""
    if text in ("best", "1se"):
        return text
    if text.isdigit() and int(text) >= 1:
        return int(text)
    raise typer.BadParameter(
        f"--select {text} is not known; expected best, 1se or a number of columns"
    )


def methods_told() -> str:
    """The methods and what they do, for the help."""
    return "; ".join(f"{method.name}: {method.words}" for method in METHODS)


METHOD_NAMES = ("auto", *NAMES)
