"""How far a path of the squared hinge can go before a row that is not followed reaches its margin.

At a level lambda_0, with the gaps ``g_i = t_i e_i``, their change ``t_i rate_i`` as the level falls
and the lengths ``rho_i`` of the rows (with an intercept, of the rows with a one), by Cauchy and
Schwarz

    |g_i - (g0_i - tau t_i rate0_i)| <= rho_i D,      D = ||lines - lines0 - tau direction0||

with ``tau = lambda_0 - lambda``. Chosen then: ``until``, by which a few rows are expected to reach
their margins, and as rows to be followed those that the bound would let come there soonest. None of
the others can while ``tau <= until`` and ``D <= reach``; D is known at any time, in O(k).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast.rows.sums import Array
from holdfast.searches.lars_model import LarsModel, without


class Chosen(NamedTuple):
    """Rows to be followed, by ascending place, and for how long that is enough."""

    rows: Array
    until: float
    reach: float


def choose_rows(
    gaps: Array, rates: Array, lengths: Array, few: int, many: int, level: float
) -> Chosen:
    """The rows that come to their margin soonest: ``few`` are expected to, ``many`` followed."""
    until = level
    if few < len(gaps):
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(gaps * rates > 0, gaps / rates, np.inf)
        until = min(level, float(np.partition(times, few)[few]))
    if many >= len(gaps):
        return Chosen(np.arange(len(gaps)), level, np.inf)
    slacks = slack(gaps, rates, lengths, until)
    order = np.argpartition(slacks, many)
    reach = float(slacks[order[many]])
    if not reach > 0:
        return choose_rows(gaps, rates, lengths, few, 2 * many, level)
    return Chosen(np.sort(order[:many]), until, reach)


def slack(gaps: Array, rates: Array, lengths: Array, until: float) -> Array:
    """How large D may be before a row can come to its margin within ``until``."""
    after = np.where(gaps < 0, -1.0, 1.0) * (gaps - until * rates)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(lengths > 0, np.minimum(np.abs(gaps), after) / lengths, np.inf)


class Horizon:
    """Where the lines of the model stood, and how long the others need not be looked at.

    Parameters
    ----------
    model : LarsModel
        Here and now.
    until : float
        The level may fall by that much.
    reach : float
        And D be so large.
    """

    def __init__(self, model: LarsModel, until: float, reach: float) -> None:
        self._model = model
        self._until, self._reach, self._tau = until, reach, 0.0
        self._lines, self._direction = model.lines, model.direction
        self._gone: list[tuple[float, float]] = []

    def advance(self, step: float) -> None:
        """The level falls by ``step``."""
        self._tau += step

    def left(self, line: int) -> None:
        """A line has left the model, the last in its place; it counts on its own."""
        if line < len(self._lines):
            self._gone.append((float(self._lines[line]), float(self._direction[line])))
        if line == len(self._lines) - 1 or len(self._model.lines) < len(self._lines):
            self._lines = without(self._lines, line)
            self._direction = without(self._direction, line)
        elif line < len(self._lines):
            # The line that takes its place has come since: it stood at zero.
            self._lines, self._direction = self._lines.copy(), self._direction.copy()
            self._lines[line] = self._direction[line] = 0.0

    def safe(self) -> float:
        """The step after which another row may come to its margin."""
        if self._reach == np.inf:
            return np.inf
        left = max(self._until - self._tau, 0.0)
        reach = self._reach - self._lost()
        since, turn = self._model.lines.copy(), self._model.direction.copy()
        since[: len(self._lines)] -= self._lines + self._tau * self._direction
        turn[: len(self._lines)] -= self._direction
        room = reach**2 - float(since @ since)
        if not (reach > 0 and room > 0):
            return 0.0
        square, across = float(turn @ turn), float(since @ turn)
        further = across + float(np.sqrt(across**2 + square * room))
        return min(left, room / further) if further > 0 else left

    def _lost(self) -> float:
        """What lines that have left add to D at most."""
        if not self._gone:
            return 0.0
        stood, moved = np.array(self._gone).T
        ends = [stood + tau * moved for tau in (self._tau, self._until)]
        return float(max(np.sqrt(end @ end) for end in ends))
