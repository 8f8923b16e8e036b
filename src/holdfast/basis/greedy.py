"""The basis by greedy forward selection: of a few rows drawn at random the best, again and again.

Algorithm 1 of the paper: every step draws 60 rows at random that are not in the basis - the best of
60 is with probability 0.95 among the best twentieth of all - and adds the one whose model has the
least error on the training rows.

No model is trained: on swept columns (:mod:`holdfast.basis.swept`) the penalty is the identity, and
the error of a candidate is that of the ledger of leave-one-out selection, with ``G`` the inverse of
``sum_B z z' + alpha I`` and ``a = G y``:

    c = G z,    h = z'a / (1 + z'c),    error = alpha^2 ||a - h c||^2

G is the history of the additions, ``G z = z / alpha - sum_s u_s (1 + q_s)(u_s'z)`` with
``u = c / (1 + q)``. Rows are times sqrt(w), an unpenalised intercept is projected out.

Cost O(m k) for a candidate at a basis of k, O(60 m n^2) in all, and 60 n kernel columns; memory two
m x n arrays. Exact: each error is that of refitting, up to rounding.

References
----------
.. [1] T. Pahikkala, H. Suominen, J. Boberg, "Efficient cross-validation for kernelized
   least-squares regression with sparse basis expansions", Machine Learning 87 (2012), algorithm 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.basis.kernels import KernelTable
from holdfast.basis.swept import SweptColumns
from holdfast.rows.ledger import TIE
from holdfast.rows.sums import Array

N_DRAWN = 60


def greedy_basis(
    table: KernelTable,
    targets: Array,
    weights: Array,
    n_basis: int,
    rng: Any,
    *,
    alpha: float,
    fit_intercept: bool,
    n_drawn: int = N_DRAWN,
) -> Array:
    """Rows of the basis in the order in which they were added.

    Parameters
    ----------
    table : KernelTable
        The kernel matrix of m rows.
    targets : array of shape (targets, m)
        What is modelled; their errors are added up.
    weights : array of shape (m,)
        Weights; rows of weight zero are neither drawn nor trained on.
    n_basis : int
        Size of the basis, at most the number of rows that count.
    rng : RandomState
        Draws ``choice(remaining, n_drawn, replace=False)`` at every step.
    alpha : float
        Penalty of the models.
    fit_intercept : bool
        Whether they have an unpenalised intercept.
    n_drawn : int
        Rows drawn at every step.
    """
    rows = np.flatnonzero(weights > 0)
    root = np.sqrt(weights[rows])
    ledger = _TrainingError(targets[:, rows], root, n_basis, alpha, fit_intercept)
    columns = SweptColumns(len(rows), n_basis)
    chosen: list[int] = []
    remaining = np.arange(len(rows))
    for _ in range(n_basis):
        drawn = rng.choice(remaining, min(n_drawn, len(remaining)), replace=False)
        lines = columns.swept(table.block(rows[drawn], rows), drawn)
        best = ledger.add_best(lines)
        columns.add(lines[best])
        chosen.append(int(rows[drawn[best]]))
        remaining = remaining[remaining != drawn[best]]
    return np.array(chosen)


class _TrainingError:
    """Error on the training rows, as columns are added."""

    def __init__(
        self, targets: Array, root: Array, room: int, alpha: float, fit_intercept: bool
    ) -> None:
        self._root, self._alpha = root, alpha
        self._unit = root / np.linalg.norm(root) if fit_intercept else None
        self._dual = self._weighted(targets) / alpha
        self._history = np.empty((room, len(root)))
        self._pivots = np.empty(room)
        self._size = 0

    def _weighted(self, lines: Array) -> Array:
        """Lines times root, clear of the intercept."""
        lines = lines * self._root
        if self._unit is not None:
            for _ in range(2):
                lines -= (lines @ self._unit)[:, None] * self._unit
        return lines

    def add_best(self, columns: Array) -> int:
        """Add the column (count, m) of least error, the first of equals; its number."""
        z, size = self._weighted(columns), self._size
        history, pivots = self._history[:size], self._pivots[:size]
        c = z / self._alpha - (z @ history.T * pivots) @ history
        pivot = 1 + np.sum(z * c, axis=1)
        h = (z @ self._dual.T) / pivot[:, None]
        errors = np.sum(self._dual**2) - 2 * np.sum(h * (c @ self._dual.T), axis=1)
        errors += np.sum(h**2, axis=1) * np.sum(c**2, axis=1)
        best = int(np.flatnonzero(errors <= errors.min() * (1 + TIE))[0])
        self._dual -= h[best][:, None] * c[best]
        self._history[size], self._pivots[size] = c[best] / pivot[best], pivot[best]
        self._size += 1
        return best
