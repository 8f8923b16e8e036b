"""The penalty by m x m kernel matrices, for more columns than rows.

``K = X X'``, columns about a point near the rows; what follows from a kernel matrix is in
:mod:`holdfast.criteria.penalty_dual`. The coefficients are ``X'a``, one more reading of X.

Time: O(m^2 n) for the matrix (for every split with ``standardize``), and one decomposition or one
for every split, O(m^3). X is read a few columns at a time.
"""

from __future__ import annotations

import numpy as np

from holdfast.criteria.penalty import Model, PenaltyProblem
from holdfast.criteria.penalty_dual import DualPenalties
from holdfast.criteria.span import frame_of
from holdfast.rows.sums import Array, Block, Rows, State, Totals, ranges

_PIECE_NUMBERS = 1 << 22
_CONSTANT = 64 * np.finfo(float).eps


class KernelPenalties:
    """Hold-out of ridge models of all columns by kernel matrices; see :class:`.penalty.Penalties`.

    Parameters
    ----------
    problem : PenaltyProblem
        Rows and splits.
    """

    def __init__(self, problem: PenaltyProblem) -> None:
        self._problem = problem
        frame = frame_of(
            problem.rows,
            problem.views,
            fit_intercept=problem.fit_intercept,
            standardize=problem.standardize,
        )
        self.squares = frame.squares[-1]
        self._centre, self._scale = frame.centre[-1], frame.scale
        self.resolution = problem.resolution
        point = problem.rows.origin if problem.fit_intercept else self._centre
        kernel = kernel_matrix(problem.rows, point, self._scale)
        self._dual = DualPenalties(problem, kernel, self._scaled if problem.standardize else None)
        self.held_mass = self._dual.held_mass
        self.losses = self._dual.losses
        self.held_out = self._dual.held_out
        self.below_floor = self._dual.below_floor

    def _scaled(self, weights: Array) -> Array:
        """The kernel matrix with the scales of a training set."""
        rows = self._problem.rows
        return kernel_matrix(rows, self._centre, scales(rows, weights, self._centre))

    def model(self, alphas: Array) -> Model:
        """The model on all rows, a penalty for every target; one reading of X."""
        rows = self._problem.rows
        dual = rows.scatter("dual", self._dual.dual(alphas))
        totals, _ = rows.sweep(_cross, dual, None)
        coef = (totals["cross"] - totals["mass"][:, None] * self._centre) / self._scale**2
        return Model(coef, self._dual.target_mean - coef @ self._centre)


def kernel_matrix(rows: Rows, centre: Array, scale: Array) -> Array:
    """Products of all rows with each other, columns centred and scaled, (m, m)."""
    total = np.zeros((rows.n_rows, rows.n_rows))
    length = max(rows.fetch_width, _PIECE_NUMBERS // rows.n_rows)
    for some in ranges(rows.n_columns, length):
        columns = np.arange(some.start, some.stop)
        _, states = rows.sweep(_lines, None, (columns, centre[columns], scale[columns]))
        lines = rows.gather(states, "lines")
        total += lines.T @ lines
    return total


def scales(rows: Rows, weights: Array, centre: Array) -> Array:
    """Standard deviations of the columns under some weights, one for constant columns."""
    states = rows.scatter("weights", weights)
    totals, _ = rows.sweep(_spread, states, centre)
    first = np.abs(centre)
    centre = centre + totals["first"] / totals["mass"]
    totals, _ = rows.sweep(_spread, states, centre)
    step = totals["first"] / totals["mass"]
    squares = totals["second"] / totals["mass"] - step**2
    # A mean is known to the rounding of what it was reckoned from: the first centre, and itself.
    constant = squares <= (_CONSTANT * np.maximum(first, np.abs(centre + step))) ** 2
    return np.where(constant, 1.0, np.sqrt(np.where(constant, 1.0, squares)))


def _lines(block: Block, state: State, shared: tuple[Array, Array, Array]) -> tuple[Totals, State]:
    columns, centre, scale = shared
    lines = block.columns(columns)
    lines -= centre[:, None]
    lines /= scale[:, None]
    return Totals(), {"lines": lines}


def _spread(block: Block, state: State, centre: Array) -> tuple[Totals, State]:
    first, second = block.spread(state["weights"][None], centre[None])
    sums = {"first": first[0], "second": second[0], "mass": state["weights"].sum()}
    return Totals(sums), state


def _cross(block: Block, state: State, shared: None) -> tuple[Totals, State]:
    sums = {"cross": block.cross(state["dual"]), "mass": state["dual"].sum(axis=1)}
    return Totals(sums), state
