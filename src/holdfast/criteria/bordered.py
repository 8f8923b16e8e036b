r"""A symmetric matrix turned until it is diagonal but for three lines: cheaper than eigenvectors.

Eigenvectors cost more than the tridiagonal form they start from,

    A = P T P'

and most of what is more goes into the last steps, where the decompositions of two halves of T are
made into one of the whole. For ``(A + alpha)^-1`` they are not needed. With three lines of T taken
out, the *border*, the rest falls into four parts that do not touch, each decomposed by itself,
``T_i = W_i diag(s_i) W_i'``. In the coordinates ``V = P blockdiag(W_1, ..., W_4, I)``

    V'AV = [[ S   C ]      S = diag(s), the eigenvalues of all parts
            [ C'  t ]]     C (n - 3, 3): the lines that join the border to the parts, turned

and by the Cholesky factor of what the parts leave of the border,

    (V'AV + alpha)^-1 = F'F,    F = [[ (S + alpha)^-1/2         0    ]
                                     [ -L^-1 C'(S + alpha)^-1   L^-1 ]]
    LL' = t + alpha - C'(S + alpha)^-1 C

for every alpha: sums of squares, as with eigenvectors, and no difference but the last, which is
that of a Cholesky factorization. O(n) for every penalty.

**Singular matrices** need their eigenvectors: directions below the rounding of A are left out under
penalties that are as small (:mod:`holdfast.criteria.spectrum`). Whether T is positive definite with
that much taken off its diagonal, O(n), tells; if not, T is one part, and the border is empty. The
same for few columns, where calls cost more than flops.

==========  ==========  ================================================
here        above       shape
==========  ==========  ================================================
values      s           (n - border,)
links       C           (n - border, border)
ends        t           (border,); no two lines of it are neighbours in T
vectors     V           (n, n), orthogonal, the border last
==========  ==========  ================================================

Cost 4/3 n^3 for T, 2 n^3 for V, and 1/16 of a decomposition of T. By the interlacing of eigenvalues
all values lie between the least and the largest of A. Rounding: that of a backward stable
decomposition, 1e-16 of the largest eigenvalue.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.linalg import eigh_tridiagonal, lapack, solve_triangular

from holdfast.rows.sums import Array, ranges

_PARTS = 4
_FEW = 128
"""Columns below which all is done by one call."""

_SAFE = 16
"""Times the rounding of the eigenvalues: above it the least one is known to be there."""

_WORK = 64
"""Numbers that LAPACK works with, for every column: as many as its blocks are wide."""

_TOGETHER = 128
"""Reflections that are applied together, by products."""


class Bordered(NamedTuple):
    """A matrix, diagonal but for its last lines, in the coordinates ``vectors``."""

    values: Array
    links: Array
    ends: Array
    vectors: Array


def bordered(matrix: Array) -> Bordered:
    """Turn a symmetric matrix (n, n), positive semidefinite to rounding."""
    n = len(matrix)
    if n < _FEW:
        values, vectors = np.linalg.eigh(matrix)
        return Bordered(values, np.empty((n, 0)), np.empty(0), vectors)
    reflectors, diagonal, beside, scales, _ = lapack.dsytrd(matrix.T, lower=1, lwork=_WORK * n)
    parts = _PARTS if _is_regular(diagonal, beside) else 1
    # Parts are separated by one line each; the last part ends behind the last line.
    limits = np.linspace(0, n + 1, parts + 1).astype(int)
    lines = limits[1:-1] - 1
    count = n - len(lines)
    values, links, vectors = np.empty(count), np.zeros((count, len(lines))), np.zeros((n, n))
    firsts = np.empty(n, dtype=int)
    for number, (start, stop) in enumerate(pairwise(limits)):
        part, own = slice(start, stop - 1), slice(start - number, stop - 1 - number)
        values[own], turned = eigh_tridiagonal(
            diagonal[part], beside[start : stop - 2], check_finite=False
        )
        vectors[part, own], firsts[start:stop] = turned, own.start
        if number > 0:
            links[own, number - 1] = beside[start - 1] * turned[0]
        if number < len(lines):
            links[own, number] = beside[stop - 2] * turned[-1]
    vectors[lines, count + np.arange(len(lines))] = 1.0
    _reflect(reflectors, scales, vectors, firsts)
    return Bordered(values, links, diagonal[lines], vectors)


def _reflect(reflectors: Array, scales: Array, columns: Array, firsts: Array) -> None:
    """``P columns`` in their place, some reflections at a time: P = (I - UGU') (I - VHV') ...

    Those of lines from ``start`` on change only such lines, which are zero before the column
    ``firsts[start]``. By H^-1 = the upper triangle of V'V with 1 / scales on its diagonal.
    """
    n = len(columns)
    for some in reversed(list(ranges(n - 1, _TOGETHER))):
        V = np.tril(reflectors[some.start + 1 :, some])
        V[np.diag_indices(V.shape[1])] = 1.0
        # A scale of zero is no reflection.
        V[:, scales[some] == 0] = 0.0
        inner = np.triu(V.T @ V, 1)
        inner[np.diag_indices(V.shape[1])] = 1 / np.where(scales[some] == 0, 1.0, scales[some])
        below = columns[some.start + 1 :, firsts[some.start + 1] :]
        H = solve_triangular(inner, np.eye(len(inner)), check_finite=False)
        below -= (V @ H) @ (V.T @ below)


def _is_regular(diagonal: Array, beside: Array) -> bool:
    """Whether the least eigenvalue of a tridiagonal matrix is far above rounding."""
    largest = np.abs(diagonal).max() + 2 * np.abs(beside).max()
    rounding = len(diagonal) * np.finfo(float).eps * largest
    # Positive definite, that much being taken off?
    _, _, failed_at = lapack.dpttrf(diagonal - _SAFE * rounding, beside)
    return failed_at == 0
