"""How far a path can go before a column that is not near may enter.

All columns were looked at when X was last read, at a level lambda_0. By Cauchy and Schwarz

    |c_k - (c0_k - (lambda_0 - lambda) a0_k)| <= nu_k E,     E = ||s - s0 + (lambda_0 - lambda) v0||

with ``nu_k`` the length of the column (with an intercept ``1's = 0``, so of the centred column;
with weights, of ``W^1/2 x_k``, and E is in ``W^-1/2``). Chosen at the reading: a level ``floor``,
down to which a few columns are expected to enter, and as near columns those that the bound would
let in soonest. None of the others can enter before lambda < floor or E > reach.

E grows only by what the direction changes, and the length of every change of v is known in O(1):
since E and ``||v - v0||`` were measured, at lambda_1', with J the sum of those lengths and S that
of steps times J (with ' at lambda_1'),

    E <= E' + (lambda_1' - lambda) (||v' - v0|| - J') + S - S'
"""

from __future__ import annotations

import numpy as np

from holdfast.rows.sums import Array
from holdfast.searches.lars_near import entering_steps

_FEW = 12
"""Columns expected to enter until the next reading of X, to begin with."""

_FEWEST_NEAR, _MOST_NEAR = 192, 384
_NEAR_PRODUCTS = 1 << 17
"""Near columns: as many as have so many products with the support, within these bounds."""

_TOO_MUCH = 1e6
"""Times the rounding of one event: then direction and coefficients are corrected by a reading."""


class Reach:
    """The bound on all columns that are not near.

    Attributes
    ----------
    read_level : float
        Where X was last read.
    """

    def __init__(self) -> None:
        self.read_level = 0.0
        self._turned = self._swept = 0.0  # J and S
        self._floor, self._reach = 0.0, np.inf
        self._few, self._size = _FEW, 0
        self._amplified = 0.0

    def measured(self, level: float, far: float, turn: float) -> None:
        """E and ``||v - v0||`` have been measured."""
        self._far, self._turn = far, turn
        self._measured = (level, self._turned, self._swept)

    def read(self, level: float) -> None:
        """X has been read, here and now."""
        self.read_level = level
        self._amplified = 0.0
        self.measured(level, 0.0, 0.0)

    def turned(self, length: float) -> None:
        """V has changed by a vector of at most that length."""
        self._turned += length

    def advance(self, step: float) -> None:
        """The level falls by ``step``."""
        self._swept += step * self._turned

    def within(self, level: float, step: float) -> bool:
        """Whether no column but the near ones can enter within ``step``."""
        if self._reach == np.inf:
            return True
        at, turned, swept = self._measured
        until = level - step
        error = self._swept + step * self._turned - swept
        error += self._far + (at - until) * (self._turn - turned)
        return until >= self._floor and error <= self._reach

    def exhaust(self) -> None:
        """X has to be read before anything else happens."""
        self._reach = -1.0

    def doubt(self, amplified: float) -> None:
        """Rounding has grown by that factor in one event: where it adds up, X is read."""
        self._amplified += amplified
        if self._amplified > _TOO_MUCH:
            self.exhaust()

    def expect(self, size: int) -> None:
        """Expect about as many columns from the next reading as from the last."""
        entered = size - self._size
        self._few = int(np.clip(entered + entered // 2 + 4, 8, 128))
        self._size = size

    def choose(self, level: float, c: Array, a: Array, lengths: Array, lines: int) -> Array:
        """Which of the columns shall be near, by place; floor and reach for all others."""
        steps = entering_steps(level, c, a)[0]
        few = min(self._few, len(steps))
        later = float(np.partition(steps, few - 1)[few - 1]) if few else level
        self._floor = max(level - later, 0.0) if few < len(steps) else 0.0
        ahead = level - self._floor
        slack = np.minimum(level - np.abs(c), self._floor - np.abs(c - ahead * a)) / lengths
        # All that are expected to enter down to the floor are near, and more.
        many = min(max(_NEAR_PRODUCTS // max(lines, 1), _FEWEST_NEAR), _MOST_NEAR)
        many = max(many, int(np.count_nonzero(slack <= 0)))
        if many >= len(slack):
            self._reach, self._floor = np.inf, 0.0
            return np.arange(len(slack))
        order = np.argpartition(slack, many)
        self._reach = float(max(slack[order[many]], 0.0))
        near: Array = order[:many]
        return near
