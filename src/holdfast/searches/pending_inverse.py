"""The inverse of a symmetric matrix that grows by a line, or changes by a rank, at every event.

    P = H^-1 = P0 + sum_p kappa_p u_p u_p'

``P0`` stands in memory, the last few dozen changes wait beside it and are folded in by one product:
a change costs O(k) and a product with a vector that has few entries O(k (entries + waiting)), where
changing ``P0`` each time would read and write k^2 numbers.

    a line more    h = H[:, new], q = P h, schur = H[new, new] - h'q:   [q, -1][q, -1]' / schur
    a row more     H + w x x', u = P x, h = x'u:                        - w u u' / (1 + w h)
    a row less     H - w x x':                                          + w u u' / (1 - w h)
    a line less    u = P[:, gone]:                                      - u u' / u[gone]

A line that has gone is zero in the sum; the last line takes its place in O(k).

Reference: the block inverse, and Sherman and Morrison (1950).
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from holdfast.rows.sums import Array, ranges

_WAITING = 48
_ROOM = 1024
_TOGETHER = 64
_FEW = 12
"""A vector with fewer than one entry in so many is multiplied by its entries alone."""


class PendingInverse:
    """The inverse of a matrix of 0 lines, to begin with.

    Parameters
    ----------
    most : int
        Lines that there are at most.
    """

    def __init__(self, most: int) -> None:
        room = min(most, _ROOM)
        self._most = most
        self.size = 0
        self._matrix = np.zeros((room, room))
        self._lines = np.zeros((_WAITING, room))
        self._factors = np.zeros(_WAITING)
        self._waiting = 0

    def times(self, vector: Array) -> Array:
        """``P vector``."""
        size, waiting = self.size, self._waiting
        entries = np.flatnonzero(vector)
        if _FEW * len(entries) < size:
            product = vector[entries] @ self._matrix[entries, :size]
        else:
            product = self._matrix[:size, :size] @ vector
        lines = self._lines[:waiting, :size]
        product += (self._factors[:waiting] * (lines @ vector)) @ lines
        return product

    def grow(self, inner: Array, schur: float) -> None:
        """A line more: ``inner`` is q."""
        if self.size == len(self._matrix):
            self._make_room()
        self.size += 1
        self.change(np.append(inner, -1.0), 1 / schur)

    def change(self, line: Array, factor: float) -> None:
        """Add ``factor * line line'``."""
        if self._waiting == _WAITING:
            self.fold()
        self._lines[self._waiting, : self.size] = line
        self._lines[self._waiting, self.size :] = 0
        self._factors[self._waiting] = factor
        self._waiting += 1

    def shrink(self, position: int) -> float:
        """A line less, the last one taking its place; what stood on the diagonal.

        The change makes the line zero, so what stands there, in whatever term, may be written over.
        """
        unit = np.zeros(self.size)
        unit[position] = 1
        line = self.times(unit)
        square = float(line[position])
        self.change(line, -1 / square)
        last, matrix = self.size - 1, self._matrix
        if position != last:
            matrix[position, :last] = matrix[last, :last]
            matrix[:last, position] = matrix[:last, last]
            matrix[position, position] = matrix[last, last]
            self._lines[:, position] = self._lines[:, last]
        matrix[last, : last + 1] = 0
        matrix[: last + 1, last] = 0
        self._lines[:, last] = 0
        self.size = last
        return square

    def fold(self) -> None:
        """Put into the matrix what waits."""
        waiting, size = self._waiting, self.size
        lines = self._lines[:waiting, :size]
        weighted = lines * self._factors[:waiting, None]
        for some in ranges(size, _TOGETHER):
            self._matrix[some, :size] += weighted[:, some].T @ lines
        self._waiting = 0

    def whole(self) -> Array:
        """The inverse as it is, a copy."""
        self.fold()
        return self._matrix[: self.size, : self.size].copy()

    def replace(self, matrix: Array) -> bool:
        """Take the inverse of ``matrix`` afresh; False, and nothing done, if it has none."""
        scale = np.sqrt(np.diag(matrix))
        try:
            factor = cho_factor(matrix / np.outer(scale, scale), lower=True)
        except np.linalg.LinAlgError:
            return False
        inverse = cho_solve(factor, np.diag(1 / scale)) / scale[:, None]
        self._matrix[: self.size, : self.size] = (inverse + inverse.T) / 2
        self._waiting = 0
        return True

    def _make_room(self) -> None:
        room = min(2 * len(self._matrix), self._most)
        matrix, lines = np.zeros((room, room)), np.zeros((_WAITING, room))
        matrix[: self.size, : self.size] = self._matrix
        lines[:, : self.size] = self._lines
        self._matrix, self._lines = matrix, lines
