"""The choice of a basis without looking at the target: at random, or of large entropy.

The quadratic Renyi entropy of a basis B of M rows, estimated with the kernel as density,

    - log (1 / M^2 sum_{i, j in B} k(x_i, x_j))

is large where the rows are far from each other. From a random start every other row is tried once,
in random order, in place of a random member: it stays if the entropy grows. With the row sums of
K_BB kept, a trial is O(M), and the kernel values of the rows that are tried are made a block at a
time.

References
----------
.. [1] J. A. K. Suykens, T. Van Gestel, J. De Brabanter, B. De Moor, J. Vandewalle, "Least squares
   support vector machines", World Scientific (2002), section 6.3 (fixed-size).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.basis.kernels import KernelTable
from holdfast.rows.sums import Array, ranges

_TRIALS_TOGETHER = 256
_GAIN = 1e-12
"""A sum of kernel values that falls by less than this, relatively, has not fallen."""


def random_basis(candidates: Array, n_basis: int, rng: Any) -> Array:
    """Rows drawn without replacement from ``candidates``, ascending."""
    return np.sort(rng.choice(candidates, n_basis, replace=False))


def entropy_basis(table: KernelTable, candidates: Array, n_basis: int, rng: Any) -> Array:
    """Rows of large quadratic Renyi entropy, ascending; O(rows * n_basis) and their kernel values.

    Parameters
    ----------
    table : KernelTable
        The kernel matrix of all rows.
    candidates : int array
        Rows that may be chosen, ascending.
    n_basis : int
        Size of the basis.
    rng : RandomState
        Draws the start as :func:`random_basis`, then ``permutation`` of the other candidates and
        ``randint(n_basis)`` for each, the member in whose place it is tried.
    """
    start = random_basis(candidates, n_basis, rng)
    tried = rng.permutation(np.setdiff1d(candidates, start))
    places = rng.randint(n_basis, size=len(tried))
    return np.sort(swap_for_entropy(table, start, places, tried))


def swap_for_entropy(table: KernelTable, start: Array, places: Array, tried: Array) -> Array:
    """The basis after trials: ``tried[t]`` in place of member ``places[t]`` if the entropy grows.

    The entropy grows as the sum of the kernel values falls.
    """
    basis = start.copy()
    inner = table.block(basis, basis)
    sums = inner.sum(axis=1)
    total = sums.sum()
    for some in ranges(len(tried), _TRIALS_TOGETHER):
        rows = tried[some]
        lines, own = table.block(rows, basis), table.diagonal(rows)
        for trial, place in enumerate(places[some]):
            line = lines[trial]
            rest = line.sum() - line[place]
            gain = 2 * sums[place] - inner[place, place] - 2 * rest - own[trial]
            if gain <= _GAIN * abs(total):
                continue
            basis[place], total = rows[trial], total - gain
            sums += line - inner[place]
            inner[place], inner[:, place] = line, line
            inner[place, place] = own[trial]
            sums[place] = rest + own[trial]
            if trial + 1 < len(rows):
                lines[trial + 1 :, place] = table.block(rows[trial + 1 :], basis[[place]])[:, 0]
    return basis
