"""Kernel columns with the columns of a basis swept out: pivoted Cholesky, a pivot at a time.

With ``K_B.`` the kernel lines of a basis of k rows and ``R R' = K_BB``, the lines ``F = R^-1 K_B.``
(k, m) reproduce the kernel on the span of the basis, ``F'F = K_.B K_BB^-1 K_B.``. What a further
row i adds to them is

    z_i = (k_i - F'F_i) / sqrt(K_ii - F_i'F_i)

its *swept* column: ridge with the penalty ``a'K_BB a`` on the kernel columns of B and i is plain
ridge on the lines F and z_i. A row whose pivot ``K_ii - F_i'F_i`` is below 1e-12 K_ii lies in the
span to rounding: it adds nothing, and its swept column is zero.

Cost O(m k) for a candidate, memory m numbers for every pivot.

References
----------
.. [1] A. J. Smola, P. Bartlett, "Sparse greedy Gaussian process regression", NIPS 13 (2001).
"""

from __future__ import annotations

import numpy as np

from holdfast.rows.sums import Array

_IN_SPAN = 1e-12


class SweptColumns:
    """Lines F of a growing basis.

    Parameters
    ----------
    n_rows : int
        Length of a line.
    room : int
        Largest size of the basis.
    """

    def __init__(self, n_rows: int, room: int) -> None:
        self._lines = np.empty((room, n_rows))
        self._size = 0

    @property
    def lines(self) -> Array:
        """F, (k, m)."""
        return self._lines[: self._size]

    def swept(self, columns: Array, places: Array) -> Array:
        """Swept columns, (count, m), of kernel columns (count, m); zero for those in the span.

        ``places`` (count,) says which entry of its line belongs to the row itself.
        """
        count = np.arange(len(places))
        own = columns[count, places].copy()
        lines = columns - self.lines[:, places].T @ self.lines
        pivots = lines[count, places]
        fresh = pivots > _IN_SPAN * np.abs(own)
        lines *= np.where(fresh, 1 / np.sqrt(np.where(fresh, pivots, 1.0)), 0.0)[:, None]
        return lines

    def add(self, line: Array) -> None:
        """Let a swept column (m,) into the basis."""
        self._lines[self._size] = line
        self._size += 1
