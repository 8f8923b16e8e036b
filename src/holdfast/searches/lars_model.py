"""Where a path of generalised LARS stands: the support, its coefficients, and their direction."""

from __future__ import annotations

import numpy as np

from holdfast.rows.sums import Array
from holdfast.searches.pending_inverse import PendingInverse


class LarsModel:
    """Columns of the support, coefficients, and how they change as lambda_1 falls.

    An unpenalised intercept is a line of the system that is always there, the first, and whose
    target correlation is zero. Arrays over lines hold it too.

    Parameters
    ----------
    alpha : float
        L2 penalty.
    intercept : float or None
        Where the intercept starts, None for none.
    mass : float
        Sum of the weights: the intercept's entry of the matrix.
    limit : int
        Columns that there are at most.
    """

    def __init__(self, alpha: float, intercept: float | None, mass: float, limit: int) -> None:
        self.alpha = alpha
        self.border = 0 if intercept is None else 1
        self.columns: list[int] = []
        self.version = 0
        self.signs = np.zeros(self.border)
        self.lines = np.zeros(self.border) if intercept is None else np.array([intercept])
        self.direction = np.zeros(self.border)
        self.most = limit + self.border
        self.inverse = PendingInverse(self.most)
        if intercept is not None:
            self.inverse.grow(np.zeros(0), mass)

    @property
    def size(self) -> int:
        """Columns in the support."""
        return len(self.columns)

    @property
    def coef(self) -> Array:
        """Coefficients of the support, in the order of its columns."""
        return self.lines[self.border :]

    @property
    def slope(self) -> Array:
        """How they change as lambda_1 falls by one."""
        return self.direction[self.border :]

    @property
    def shift(self) -> Array:
        """The intercept, and how it changes; zeros where there is none."""
        if not self.border:
            return np.zeros(2)
        return np.array([self.lines[0], self.direction[0]])

    def advance(self, step: float) -> None:
        """Go on for ``step``."""
        self.lines = self.lines + step * self.direction

    def enter(self, column: int, sign: float, inner: Array, schur: float) -> float:
        """Take a column in; ``inner`` is P h and ``schur`` what it adds, see PendingInverse.

        The length of the change of v: ``[X_A, x] [inner, -1]`` has a square of at most ``schur``.
        """
        excess = (inner @ self.signs - sign) / schur
        self.direction = np.append(self.direction, 0.0) + excess * np.append(inner, -1.0)
        self.inverse.grow(inner, schur)
        self.columns.append(column)
        self.version += 1
        self.signs = np.append(self.signs, sign)
        self.lines = np.append(self.lines, 0.0)
        return float(abs(excess) * np.sqrt(schur))

    def drop(self, position: int) -> tuple[float, float]:
        """Leave a column out, the last taking its place.

        The length of the change of v, and what stood on the diagonal of the inverse.
        """
        line = position + self.border
        slope = float(self.direction[line])
        square = self.inverse.shrink(line)
        self.columns[position] = self.columns[-1]
        self.columns.pop()
        self.signs = without(self.signs, line)
        self.lines = without(self.lines, line)
        self.direction = self.inverse.times(self.signs)
        self.version += 1
        return abs(slope) / float(np.sqrt(square)), square

    def change(self, line: Array, factor: float, rate: float) -> None:
        """A row more or less: ``factor * line line'`` more inverse; ``rate`` is x'direction."""
        self.inverse.change(line, factor)
        self.direction = self.direction + (factor * rate) * line


def without(values: Array, position: int) -> Array:
    """All entries but one, the last in its place."""
    left = values[:-1].copy()
    if position < len(left):
        left[position] = values[-1]
    return left
