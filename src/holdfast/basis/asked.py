"""Which rows are the basis: given, or chosen among rows, of all data or of a split."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from holdfast.basis.choice import entropy_basis, random_basis
from holdfast.basis.greedy import greedy_basis
from holdfast.basis.kernel_columns import kernel_diagonal
from holdfast.basis.kernels import KernelTable
from holdfast.parameters import check_choice, is_whole
from holdfast.rows import as_rows
from holdfast.rows.sums import Array
from holdfast.searches.alphas import automatic_grid

_CHOICES = ("random", "entropy", "greedy")
_SEEDS = np.iinfo(np.int32).max


@dataclass(frozen=True)
class BasisChoice:
    """How a basis is chosen.

    Attributes
    ----------
    how : str
        "random", "entropy", "greedy" or "given".
    given : int array or None
        Rows that were given.
    n_basis : int
        Size of the basis, where it is not given.
    seeds : int array of shape (1 + splits,)
        For the choice from all rows, and from the rows of every split.
    grid : array or None
        Penalties, None for those made from the data; a greedy choice takes their middle.
    fit_intercept : bool
        Of the models of a greedy choice.
    """

    how: str
    given: Array | None
    n_basis: int
    seeds: Array
    grid: Array | None
    fit_intercept: bool

    @classmethod
    def of(
        cls,
        basis: Any,
        n_basis: Any,
        random_state: Any,
        weights: Array,
        n_splits: int,
        grid: Array | None,
        fit_intercept: bool,
    ) -> BasisChoice:
        """From the parameters of an estimator."""
        seeds = check_random_state(random_state).randint(_SEEDS, size=1 + n_splits)
        if isinstance(basis, str):
            check_choice(basis, "basis", _CHOICES)
            size = basis_size(n_basis, int(np.count_nonzero(weights)))
            return cls(basis, None, size, seeds, grid, fit_intercept)
        given = _given_rows(basis, len(weights))
        return cls("given", given, len(given), seeds, grid, fit_intercept)

    def choose(
        self, table: KernelTable, targets: Array, weights: Array, rows: Array, place: int = 0
    ) -> Array:
        """A basis among some rows.

        Parameters
        ----------
        table : KernelTable
            The kernel matrix of all rows.
        targets, weights : arrays of shape (targets, m) and (m,)
            Of all rows.
        rows : int array
            Rows to choose from, ascending.
        place : int
            0 for all data, 1 + number of the split.
        """
        if self.given is not None:
            return self.given
        n_basis, rng = min(self.n_basis, len(rows)), check_random_state(int(self.seeds[place]))
        if self.how == "random":
            return random_basis(rows, n_basis, rng)
        if self.how == "entropy":
            return entropy_basis(table, rows, n_basis, rng)
        own = np.zeros(len(table))
        own[rows] = weights[rows]
        return greedy_basis(
            table,
            targets,
            own,
            n_basis,
            rng,
            alpha=self._middle(table, rows, own, n_basis),
            fit_intercept=self.fit_intercept,
        )

    def _middle(self, table: KernelTable, rows: Array, weights: Array, n_basis: int) -> float:
        """The geometric middle of the penalties."""
        grid = self.grid
        if grid is None:
            own = kernel_diagonal(as_rows(table.X, np.zeros(len(table))), table.kernel)
            level = own[rows] @ weights[rows] / n_basis
            grid = automatic_grid(np.array([level]))
        positive = grid[grid > 0]
        if len(positive) == 0:
            raise ValueError(
                "basis='greedy' with alphas=0 has no penalty to choose the basis with; expected a "
                "positive one in the grid: add one to alphas."
            )
        return float(np.exp(np.log(positive).mean()))


def basis_size(n_basis: Any, n_rows: int) -> int:
    """How many basis vectors a number or a fraction asks for, at most all rows that count."""
    if is_whole(n_basis) and n_basis >= 1:
        return min(int(n_basis), n_rows)
    if isinstance(n_basis, (float, np.floating)) and 0 < n_basis <= 1:
        return max(1, int(n_basis * n_rows))
    raise ValueError(
        f"n_basis={n_basis!r} is not a size; expected an integer of at least 1, or a fraction of "
        "the rows (above 0, at most 1.0): correct it."
    )


def _given_rows(basis: Any, n_rows: int) -> Array:
    """Rows that were given as the basis."""
    rows = np.asarray(basis)
    if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu":
        raise ValueError(
            f"basis={basis!r} is not known; expected 'random', 'entropy', 'greedy' or a list of "
            "row numbers: choose one of them."
        )
    if rows.min() < 0 or rows.max() >= n_rows:
        raise ValueError(
            f"basis has rows from {rows.min()} to {rows.max()}, but X has {n_rows} rows; expected "
            f"numbers from 0 to {n_rows - 1}: choose rows of this table."
        )
    if len(np.unique(rows)) < len(rows):
        raise ValueError(
            "basis has a row more than once; expected different rows: drop the repetitions."
        )
    return rows.astype(np.intp)
