"""Columns too small for their squares: told from columns that are constant.

The length of a column is the root of a sum of squares, and the squares of what is smaller than
1e-162 are zero, or below 1e-150 have few digits. Such a column must not pass for a constant one.
Lengths are at hand; only where one is that small the column itself is looked at, after one reading
of X that tells which are zero throughout: their products with positive numbers are.
"""

from __future__ import annotations

import numpy as np

from holdfast.rows.sums import Array, Block, Rows, State, Totals, ranges

SMALLEST = 1e-150
"""Squares of what is smaller, or larger than its inverse, are not numbers of full precision."""

_CONSTANT = 64 * np.finfo(float).eps
"""A column with a smaller range, beside its size, is constant up to rounding."""


def check_lengths(rows: Rows, lengths: Array, *, fit_intercept: bool) -> None:
    """Refuse a column that varies but whose length is lost.

    Parameters
    ----------
    rows : Rows
        The data.
    lengths : array of shape (n,)
        Lengths of the columns, weighted, centred where there is an intercept, not scaled.
    fit_intercept : bool
        Whether constant columns have no length.
    """
    if not (lengths < SMALLEST).any():
        return
    totals, _ = rows.sweep(_weighted_sums, None, None)
    doubtful = np.flatnonzero((lengths < SMALLEST) & (totals["sum"] != 0))
    for some in ranges(len(doubtful), rows.fetch_width):
        columns = doubtful[some]
        totals, _ = rows.sweep(_extents, None, columns)
        high, low = totals["high"], -totals["negative"]
        size = np.maximum(np.abs(high), np.abs(low))
        varies = high - low > _CONSTANT * size if fit_intercept else size > 0
        if varies.any():
            first = int(varies.argmax())
            raise ValueError(
                f"column {columns[first]} of X has values up to {size[first]:g} in size, whose "
                "squares (times the weights) float64 cannot hold in full precision; expected sizes "
                f"above {SMALLEST:g}: multiply the column by a constant."
            )


def _weighted_sums(block: Block, state: State, shared: None) -> tuple[Totals, State]:
    """Products with positive numbers that have nothing to do with the data."""
    positive = np.random.default_rng(0).uniform(0.5, 1.5, len(block.weights))
    return Totals({"sum": block.cross((positive * (block.weights > 0))[None])[0]}), state


def _extents(block: Block, state: State, columns: Array) -> tuple[Totals, State]:
    """Largest and, negative, smallest values of rows that count."""
    values = block.columns(columns)[:, block.weights > 0]
    ends = {
        "high": values.max(axis=1, initial=-np.inf),
        "negative": (-values).max(axis=1, initial=-np.inf),
    }
    return Totals({}, ends), state
