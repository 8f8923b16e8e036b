"""What a path of generalised LARS has to know of every column before it starts.

It depends on the rows and their weights, not on the target or the penalty, so that the paths of
many classes and penalties share it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.rows.sums import Array, Block, Rows, State, States, Totals
from holdfast.searches.lars_sweeps import rows_of

_SLACK = 1 + 1e-9
_INERT = 1e-20


@dataclass(frozen=True)
class Columns:
    """Lengths of the columns, for bounds, and their means.

    Attributes
    ----------
    lengths : array of shape (n,)
        Weighted, with an intercept of the centred columns; a trifle too long, never too short.
    means : array of shape (n,)
        About ``rows.origin``; zero without an intercept.
    inert : bool array of shape (n,)
        Columns that are constant (zero, without an intercept) and can never enter.
    mass : float
        Sum of the weights.
    """

    lengths: Array
    means: Array
    inert: Array
    mass: float


def measure_columns(rows: Rows, *, fit_intercept: bool, states: States | None = None) -> Columns:
    """Measure the columns, in one reading of X; of the rows that states keep."""
    centre = rows.origin
    totals, _ = rows.sweep(_spread, states, centre)
    first, second, mass = totals["first"], totals["second"], float(totals["mass"][0])
    about_zero = second + 2 * centre * first + mass * centre**2
    squares = second - first**2 / mass if fit_intercept else about_zero
    return Columns(
        np.sqrt(np.maximum(squares, 0)) * _SLACK,
        first / mass if fit_intercept else np.zeros_like(first),
        squares <= _INERT * about_zero,
        mass,
    )


def _spread(block: Block, state: State, centre: Array) -> tuple[Totals, State]:
    """Weighted sums and sums of squares of all columns about a centre."""
    block = rows_of(block, state)
    first, second = block.spread(block.weights[None], centre[None])
    mass = np.array([block.weights.sum()])
    return Totals({"first": first[0], "second": second[0], "mass": mass}), state
