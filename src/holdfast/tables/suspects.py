"""Columns that should make one think twice: identifiers, and those that give the target away.

Both are warnings, never decisions. A column of which every row has its own value names the rows; a
column that all but determines the target was often made from it, or is known only afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.stats import rankdata

_FEWEST_ROWS = 10
_ALL_BUT = 0.999
"""Share of the ranks, or of the squares, of the target that a column may explain unsuspected."""


def identifiers(frame: pl.DataFrame, columns: Sequence[str]) -> list[str]:
    """Warnings of columns that name rows instead of describing them, or tell nothing at all."""
    found = []
    for name in columns:
        values = frame[name]
        if values.drop_nulls().n_unique() == 1 and not values.null_count():
            found.append(f"column {name!r} has the same value in every row, which tells nothing")
        if len(values) < _FEWEST_ROWS or values.n_unique() < len(values):
            continue
        if values.dtype == pl.String or values.dtype in (pl.Categorical, pl.Enum):
            found.append(
                f"column {name!r} has a different text in every row, which tells nothing of new "
                f"rows; leave it out: --drop {_quoted(name)}"
            )
        elif values.dtype.is_integer() and _is_counting(values):
            found.append(
                f"column {name!r} counts the rows; if it is a row number, leave it out: "
                f"--drop {_quoted(name)}"
            )
    return found


def leaks(frame: pl.DataFrame, columns: Sequence[str], y: NDArray[Any]) -> list[str]:
    """Warnings of columns that nearly determine the target alone.

    Parameters
    ----------
    frame : polars.DataFrame
        The table.
    columns : sequence of str
        To look at: numbers by the ranks of their values, texts by their levels.
    y : array of shape (rows,)
        Numbers, or positions of classes.
    """
    if len(y) < _FEWEST_ROWS:
        return []
    ranks = rankdata(y)
    found = []
    for name in columns:
        values = frame[name]
        if values.dtype.is_numeric():
            known = values.is_not_null().to_numpy()
            share = _shared_ranks(values.to_numpy()[known].astype(float), ranks[known])
        else:
            share = _explained(values.cast(pl.String), ranks)
        if share > _ALL_BUT:
            found.append(
                f"column {name!r} all but determines the target by itself; if it would not be "
                f"known when predicting, leave it out: --drop {_quoted(name)}"
            )
    return found


def _is_counting(values: pl.Series) -> bool:
    steps = np.diff(values.drop_nulls().to_numpy())
    return bool(len(steps) and (steps == steps[0]).all() and abs(int(steps[0])) == 1)


def _shared_ranks(values: NDArray[Any], ranks: NDArray[Any]) -> float:
    """Squared correlation of ranks; of two classes, what remains of ties being no fault."""
    if len(values) < _FEWEST_ROWS or np.ptp(values) == 0 or np.ptp(ranks) == 0:
        return 0.0
    if len(np.unique(ranks)) == 2:
        first = ranks == ranks.min()
        apart = (
            values[first].max() < values[~first].min() or values[first].min() > values[~first].max()
        )
        return float(apart)
    return float(np.corrcoef(rankdata(values), ranks)[0, 1] ** 2)


def _explained(levels: pl.Series, ranks: NDArray[Any]) -> float:
    """Share of the variance of the ranks between levels, few rows per level not counting."""
    if levels.n_unique() * 5 > len(levels):
        return 0.0
    table = pl.DataFrame({"level": levels, "rank": ranks})
    means = table.select(pl.col("rank").mean().over("level"))["rank"].to_numpy()
    total = float(np.var(ranks))
    return float(np.var(means)) / total if total > 0 else 0.0


def _quoted(name: str) -> str:
    """A name as a shell takes it."""
    return name if name.isidentifier() else f'"{name}"'
