"""A kernel matrix of low rank, never formed: pivoted incomplete Cholesky, as rows.

``K ~ F'F`` with lines F (p, m): the kernel column of the row whose remaining diagonal
``K_ii - |F_i|^2`` is the largest is swept (:mod:`holdfast.basis.swept`) and becomes the next line,
p times. What is missing is positive semidefinite; its trace is the sum of the remaining diagonal,
known exactly, and zero at full rank. O(m p^2), memory m p, and p kernel columns.

**As rows.** The evidence knows the rows only through products of columns, with each other and with
the targets. They stay the same when all columns are rotated alike. The columns of K are
combinations ``F'F_i`` of p lines; with ``root (F' - mean) = Q'R`` (R p x p, by LAPACK's QR, the
targets beside F)

    column i = R F_i,      target = Qy,      and |y|^2 - |Qy|^2 that no column sees

is the same problem in p rows instead of m: a product with all columns costs O(m p), half of
``F(F'c)``, and the span of the selected columns k p numbers, not k m. Exact, given F.

References
----------
.. [1] S. Fine, K. Scheinberg, "Efficient SVM training using low-rank kernel representations",
   JMLR 2 (2001), figure 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from holdfast.basis.kernel_columns import kernel_diagonal, kernel_lines
from holdfast.basis.kernels import KernelTable
from holdfast.basis.swept import swept
from holdfast.criteria.nested_models import Centred, Sample, factored
from holdfast.rows import as_rows
from holdfast.rows.dense import dense_rows
from holdfast.rows.sums import Array, Rows, ranges

_EXHAUSTED = 1e-14
"""Share of the largest diagonal below which what remains of it is rounding."""

_NEGATIVE = 1e-10
"""A larger negative share is no rounding."""

_PIECE_NUMBERS = 1 << 18


@dataclass(frozen=True)
class LowRank:
    """An incomplete factor.

    Attributes
    ----------
    lines : array of shape (p, m)
        F.
    pivots : int array of shape (p,)
        Rows whose kernel columns were swept, in their order.
    missing : float
        trace(K - F'F).
    """

    lines: Array
    pivots: Array
    missing: float


class RotatedRows(NamedTuple):
    """The columns of a factored kernel matrix in few rows, and what these do not show."""

    rows: Rows
    sample: Sample


def incomplete_cholesky(table: KernelTable, rank: int) -> LowRank:
    """Pivoted incomplete Cholesky factor of at most ``rank`` lines.

    It has fewer where the remaining diagonal is rounding before.
    """
    n_rows = len(table)
    rows = as_rows(table.X, np.zeros(n_rows))
    remaining = kernel_diagonal(rows, table.kernel)
    largest = float(np.abs(remaining).max())
    least = _EXHAUSTED * largest
    lines = np.empty((min(rank, n_rows), n_rows))
    pivots: list[int] = []
    while len(pivots) < min(rank, n_rows):
        if remaining.min() < -_NEGATIVE * largest:
            raise ValueError(
                f"kernel={table.kernel.metric!r} is no inner product on these rows: its matrix "
                "has a negative eigenvalue. Expected one that is positive semidefinite: take "
                "another kernel, or low_rank=None."
            )
        pivot = int(remaining.argmax())
        if remaining[pivot] <= least:
            break
        number = np.array([pivot])
        points = table.points(number)
        kernel = kernel_lines(rows, table.kernel, table.as_centres(points, number))
        own, known = table.kernel.own(points, number), lines[: len(pivots)]
        line = swept(kernel, known, known[:, number], own)[0]
        lines[len(pivots)] = line
        pivots.append(pivot)
        remaining -= line**2
        # A pivot's own remainder is zero; rounding must not choose it again.
        remaining[pivots] = 0.0
    missing = float(np.maximum(remaining, 0.0).sum())
    return LowRank(lines[: len(pivots)], np.array(pivots, dtype=np.intp), missing)


def rotated_rows(factor: LowRank, centred: Centred) -> RotatedRows:
    """All columns of the factored kernel matrix in as many rows as it has rank.

    The lines of ``factor`` are overwritten: its memory becomes that of the rows.
    """
    lines = factor.lines
    triangle, target, beyond = factored(lines, centred, centred.centre_of(lines))
    depth = len(triangle)
    length = max(256, _PIECE_NUMBERS // max(1, len(lines)))
    for some in ranges(lines.shape[1], length):
        lines[:depth, some] = triangle @ lines[:, some]
    sample = replace(centred.sample, rest=beyond)
    return RotatedRows(dense_rows(lines[:depth], target, np.ones(depth)), sample)
