"""Columns that should make one think twice. All of these are warnings, never decisions.

*Identifiers* name the rows instead of describing them. *Leaks* all but determine the target: they
were often made from it, or are known only afterwards. *Nearly numbers* are columns of numbers in
which some cell is none, so that every number is taken for a level. Texts that are dates are the
exception: they are told apart here, and refused by who prepares a table.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata

from holdfast.tables.encoding import as_texts

Array = NDArray[Any]

_FEWEST_ROWS = 10
_NEARLY = 0.9
_ALL_BUT = 0.999
"""Share of the variance of the ranks of a number that a column may explain unsuspected."""
_WRONG = 0.01
"""Share of rows, relative to guessing, that a leak may get wrong."""
_ROWS_PER_BIN = 20
_MOST_BINS = 64
_NAMED_LIKE_KEYS = re.compile(
    r"(^|[^A-Za-z])(?i:id|ids|key|uuid|guid|index|no|nr|number)$|[a-z](Id|ID|Key|No|Nr)$"
)
_DATES = ("%m/%d/%Y", "%d/%m/%Y", "%Y/%m/%d", "%d.%m.%Y", "%d-%m-%Y", "%b %d %Y", "%d %b %Y")


def identifiers(frame: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """Warnings of columns that name rows, or tell nothing at all; rows in the order of the file."""
    found = []
    for name in columns:
        values, leave = frame[name], f"leave it out: --drop {_quoted(name)}"
        if values.drop_nulls().n_unique() == 1 and not values.null_count():
            found.append(f"column {name!r} has the same value in every row, which tells nothing")
        if len(values) < _FEWEST_ROWS or values.n_unique() < len(values):
            continue
        if is_text(values):
            found.append(
                f"column {name!r} has a different text in every row, which tells nothing of new "
                f"rows; {leave}"
            )
        elif values.dtype.is_integer() and _is_counting(values):
            found.append(f"column {name!r} counts the rows; if it is a row number, {leave}")
        elif values.dtype.is_integer() and _NAMED_LIKE_KEYS.search(name):
            found.append(
                f"column {name!r} has a different number in every row; if it is a key, {leave}"
            )
    return found


def nearly_numbers(frame: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """Warnings of columns of texts most of which are numbers."""
    found = []
    for name in columns:
        texts = frame[name].drop_nulls()
        if not is_text(texts) or not len(texts):
            continue
        texts = texts.cast(pl.String)
        plain = texts.cast(pl.Float64, strict=False)
        without = texts.str.replace_all(",", "").cast(pl.Float64, strict=False)
        if (1 - without.null_count() / len(texts)) < _NEARLY:
            continue
        odd = texts.filter(plain.is_null())
        if not len(odd):
            first = texts.filter(texts.str.contains("^-?0[0-9]"))
            found.append(
                f"column {name!r} is taken for texts, as some of its numbers begin with a zero, "
                f"such as {(first if len(first) else texts)[0]!r}; if numbers are meant, write "
                "them without"
            )
            continue
        found.append(
            f"column {name!r} is taken for texts, but {len(texts) - len(odd)} of its {len(texts)} "
            f"cells are numbers and {len(odd)} are not, such as {odd[0]!r}; if numbers are meant, "
            "correct these cells (no letters, no commas between thousands)"
        )
    return found


def date_format(values: pl.Series) -> str | None:
    """How the dates of a column of texts are written; None where they are no dates."""
    texts = values.drop_nulls()
    if not is_text(texts) or not len(texts):
        return None
    texts = texts.cast(pl.String)
    for form in _DATES:
        if texts.str.to_date(form, strict=False).null_count() <= (1 - _NEARLY) * len(texts):
            return form
    return None


def leaks(frame: pl.DataFrame, columns: Sequence[str], y: Array, *, classes: bool) -> list[str]:
    """Warnings of columns that nearly determine the target alone.

    Parameters
    ----------
    frame : polars.DataFrame
        The table.
    columns : sequence of str
        To look at: numbers by the order of their values, texts by their levels.
    y : array of shape (rows,)
        Numbers, or positions of classes.
    classes : bool
        Which of the two.
    """
    if len(y) < _FEWEST_ROWS:
        return []
    found = []
    for name in columns:
        told = _tells_class(frame[name], y) if classes else _tells_number(frame[name], y)
        if told:
            found.append(
                f"column {name!r} all but determines the target by itself; if it would not be "
                f"known when predicting, leave it out: --drop {_quoted(name)}"
            )
    return found


def is_text(values: pl.Series) -> bool:
    """Whether a column holds texts."""
    return values.dtype == pl.String or values.dtype in (pl.Categorical, pl.Enum)


def _is_counting(values: pl.Series) -> bool:
    steps = np.diff(values.drop_nulls().to_numpy())
    return bool(len(steps) and (steps == steps[0]).all() and abs(int(steps[0])) == 1)


def _tells_number(values: pl.Series, y: Array) -> bool:
    """Whether ranks of the target are those of the column, or the same within its levels."""
    ranks = rankdata(y)
    if not is_text(values):
        numbers = values.cast(pl.Float64)
        known = (numbers.is_not_null() & numbers.is_not_nan().fill_null(value=False)).to_numpy()
        some = numbers.to_numpy()[known]
        if len(some) < _FEWEST_ROWS or np.ptp(some) == 0 or np.ptp(ranks[known]) == 0:
            return False
        return float(np.corrcoef(rankdata(some), rankdata(y[known]))[0, 1] ** 2) > _ALL_BUT
    levels = as_texts(values)
    if levels.n_unique() * 5 > len(levels):
        return False
    table = pl.DataFrame({"level": levels, "rank": ranks})
    means = table.select(pl.col("rank").mean().over("level"))["rank"].to_numpy()
    return float(np.var(means)) > _ALL_BUT * float(np.var(ranks))


def _tells_class(values: pl.Series, y: Array) -> bool:
    """Whether naming the most frequent class of every level, or stretch of numbers, is right.

    Of two classes one threshold is tried too: it needs no rows for every stretch.
    """
    guessed_wrong = len(y) - np.bincount(y).max()
    allowed = _WRONG * guessed_wrong
    if not is_text(values):
        numbers = values.cast(pl.Float64).fill_nan(None)
        if numbers.null_count() == 0 and _threshold_errors(numbers.to_numpy(), y) <= allowed:
            return True
        if numbers.n_unique() > _MOST_BINS:
            bins = min(_MOST_BINS, len(y) // _ROWS_PER_BIN)
            if bins < 2:
                return False
            places = (numbers.rank("min") * bins / (len(y) + 1)).floor()
            levels = places.cast(pl.String)
        else:
            levels = numbers.cast(pl.String)
    else:
        levels = as_texts(values)
    if levels.n_unique() * 5 > len(levels):
        return False
    table = pl.DataFrame({"level": levels, "class": y})
    right = table.group_by("level", "class").len().group_by("level").agg(pl.col("len").max())
    return len(y) - int(right["len"].sum()) <= allowed


def _threshold_errors(numbers: Array, y: Array) -> float:
    """Rows that the best single threshold gets wrong; of more than two classes infinity."""
    if y.max() != 1:
        return float("inf")
    order = np.argsort(numbers, kind="stable")
    ends = np.flatnonzero(np.diff(numbers[order]))
    if not len(ends):
        return float("inf")
    firsts, seconds = np.cumsum(1 - y[order]), np.cumsum(y[order])
    # With the second class above a threshold, rows of it below are wrong, and the others above.
    wrong = seconds[ends] + firsts[-1] - firsts[ends]
    return float(min(wrong.min(), len(y) - wrong.max()))


def _quoted(name: str) -> str:
    """A name as a shell takes it."""
    return name if name.isidentifier() else f'"{name}"'
