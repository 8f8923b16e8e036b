"""Kernel columns with the columns of a basis swept out: pivoted Cholesky, a pivot at a time.

With ``K_B.`` the kernel lines of a basis of k rows and ``R R' = K_BB``, the lines ``F = R^-1 K_B.``
(k, m) reproduce the kernel on the span of the basis, ``F'F = K_.B K_BB^-1 K_B.``. What a further
row i adds to them is

    z_i = (k_i - F'F_i) / sqrt(K_ii - F_i'F_i)

its *swept* column: ridge with the penalty ``a'K_BB a`` on the kernel columns of B and i is plain
ridge on the lines F and z_i. A row whose pivot ``K_ii - F_i'F_i`` is below 1e-12 K_ii lies in the
span to rounding: it adds nothing, and its swept column is zero.

Cost O(m k) for a candidate, memory m numbers for every pivot. A piece of the m rows is enough to
sweep that piece, given F_i and K_ii.

References
----------
.. [1] A. J. Smola, P. Bartlett, "Sparse greedy Gaussian process regression", NIPS 13 (2001).
"""

from __future__ import annotations

import numpy as np

from holdfast.rows.sums import Array

_IN_SPAN = 1e-12


def swept(columns: Array, lines: Array, inside: Array, own: Array) -> Array:
    """Swept columns, (count, rows), zero for those in the span.

    Parameters
    ----------
    columns : array of shape (count, rows)
        Kernel columns of the candidates, at some of the rows.
    lines : array of shape (k, rows)
        F at these rows.
    inside : array of shape (k, count)
        F_i of the candidates.
    own : array of shape (count,)
        K_ii of the candidates.
    """
    pivots = own - np.sum(inside**2, axis=0)
    fresh = pivots > _IN_SPAN * np.abs(own)
    result = columns - inside.T @ lines
    result *= np.where(fresh, 1 / np.sqrt(np.where(fresh, pivots, 1.0)), 0.0)[:, None]
    return result
