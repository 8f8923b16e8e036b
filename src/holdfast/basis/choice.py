"""The choice of a basis without looking at the target: at random, or of large entropy.

The quadratic Renyi entropy of a basis B of M rows, estimated with the kernel as density,

    - log (1 / M^2 sum_{i, j in B} k(x_i, x_j))

is large where the rows are far from each other: where the sum s of K_BB is small. From a random
start every other row is tried once, in random order, in place of the member for which it does
most; it stays if the entropy grows. Passes are repeated until one brings no swap: then no exchange
of a row for a member makes the entropy larger.

**A trial is O(M).** With the row sums r of K_BB kept, row i in place of member p changes s by

    2 (l_i - k_ip) + k_ii - 2 r_p + k_pp        l_i = sum_{j in B} k_ij

so the best member is the one with the largest ``2 (r_p + k_ip) - k_pp``: all members are compared
by the numbers that one would be judged by. The kernel lines of many rows are made together, and
judged together up to the first that stays; a swap changes one column of the lines of the rows that
follow. Rows that are not in memory are fetched as many together as fit, in that order.

The published procedure tries a row against one member drawn at random; this one needs fewer passes
and ends at a larger entropy (decision 60).

References
----------
.. [1] J. A. K. Suykens, T. Van Gestel, J. De Brabanter, B. De Moor, J. Vandewalle, "Least squares
   support vector machines", World Scientific (2002), section 6.3 (fixed-size).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.basis.kernels import KernelTable
from holdfast.rows import rows_together
from holdfast.rows.fetched import in_order
from holdfast.rows.sums import Array, ranges

_TRIALS_TOGETHER = 256
_GAIN = 1e-12
"""A sum of kernel values that falls by less than this, relatively, has not fallen."""


def random_basis(candidates: Array, n_basis: int, rng: Any) -> Array:
    """Rows drawn without replacement from ``candidates``, ascending."""
    return np.sort(rng.choice(candidates, n_basis, replace=False))


def entropy_basis(table: KernelTable, candidates: Array, n_basis: int, rng: Any) -> Array:
    """Rows of large quadratic Renyi entropy, ascending; O(rows * n_basis) a pass.

    Parameters
    ----------
    table : KernelTable
        The kernel matrix of all rows.
    candidates : int array
        Rows that may be chosen, ascending.
    n_basis : int
        Size of the basis.
    rng : RandomState
        Draws the start as :func:`random_basis`, then for every pass ``permutation`` of the
        candidates that are not in the basis.
    """
    basis = random_basis(candidates, n_basis, rng)
    while True:
        tried = rng.permutation(np.setdiff1d(candidates, basis))
        before, basis = basis, swap_for_entropy(table, basis, tried)
        if np.array_equal(before, basis):
            return np.sort(basis)


def swap_for_entropy(table: KernelTable, start: Array, tried: Array) -> Array:
    """The basis after one pass: each of ``tried``, in place of its best member, if that helps."""
    points = table.points(start)
    members = _Members(table.as_centres(points, start))
    inner = table.between(points, members.centres)
    trials = _Trials(start.copy(), inner, inner.sum(axis=1), float(np.abs(inner).sum()))
    for batch in ranges(len(tried), max(_TRIALS_TOGETHER, rows_together(table.X))):
        fetched = table.points(tried[batch])
        for some in ranges(fetched.shape[0], _TRIALS_TOGETHER):
            rows, points = tried[batch][some], fetched[some]
            lines, own = table.between(points, members.centres), table.kernel.own(points, rows)
            while len(rows):
                first, place = trials.first_gain(lines, own)
                if place < 0:
                    break
                centre = table.as_centres(points[[first]], rows[[first]])
                members.swap(place, centre)
                trials.swap(place, rows[first], lines[first], own[first])
                after = slice(first + 1, None)
                rows, points, lines, own = rows[after], points[after], lines[after], own[after]
                if len(rows):
                    lines[:, place] = table.between(points, centre)[:, 0]
    return trials.basis


class _Members:
    """What rows are compared with, one member after the other."""

    def __init__(self, centres: Any) -> None:
        self.centres = centres
        self._each = [centres[[place]] for place in range(centres.shape[0])]

    def swap(self, place: int, centre: Any) -> None:
        """A row takes the place of a member."""
        self._each[place] = centre
        self.centres = in_order(self._each)


class _Trials:
    """A basis, K_BB, its row sums, and the size of its entries."""

    def __init__(self, basis: Array, inner: Array, sums: Array, size: float) -> None:
        self.basis, self._inner, self._sums, self._size = basis, inner, sums, size

    def first_gain(self, lines: Array, own: Array) -> tuple[int, int]:
        """The first of some rows that makes the sum smaller, and where; -1 if none does."""
        worth = lines * 2
        worth += 2 * self._sums - np.diagonal(self._inner)
        places = worth.argmax(axis=1)
        gains = worth[np.arange(len(places)), places] - 2 * lines.sum(axis=1) - own
        helps = gains > _GAIN * (self._size + np.abs(lines).sum(axis=1))
        first = int(helps.argmax())
        return first, int(places[first]) if helps[first] else -1

    def swap(self, place: int, row: int, line: Array, own: float) -> None:
        """A row takes the place of a member."""
        self._sums += line - self._inner[place]
        self._inner[place], self._inner[:, place] = line, line
        self._inner[place, place] = own
        self._sums[place] = self._inner[place].sum()
        self.basis[place] = row
