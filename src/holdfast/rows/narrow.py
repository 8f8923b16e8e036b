"""Some columns of a block, copied about a centre: what an algorithm works on between readings of X.

Products with a few hundred of the columns, single rows and lines of their Gram matrix cost what
those columns weigh, not what X weighs. Sparse columns stay sparse: they are held by columns and,
once single rows are asked for, by rows too.
"""

from __future__ import annotations

from functools import cached_property
from typing import Protocol

import numpy as np
from scipy import sparse

from holdfast.rows.sums import Array

_MOST_OF = 0.5
"""From this share of the columns on, products are made with all of them."""


class Narrow(Protocol):
    """All rows of a block, some of its columns, float64, about a centre.

    ``places`` are positions among these columns.
    """

    def outputs(self, coef: Array, places: Array) -> Array:
        """Outputs of linear models on some of the columns, (count, places) -> (count, rows)."""
        ...

    def cross(self, vectors: Array, places: Array) -> Array:
        """Products with some of the columns, (count, rows) -> (count, places)."""
        ...

    def line(self, place: int, weights: Array, start: int) -> tuple[Array, float]:
        """Products of one column with those from ``start`` on, and its sum, rows weighted."""
        ...

    def between(self, first: Array, second: Array, weights: Array) -> Array:
        """Products of some columns with some others, (first, second), rows weighted."""
        ...

    def gram(self, places: Array, weights: Array) -> Array:
        """Products of some columns with each other, rows weighted."""
        ...

    def rows(self, chosen: Array) -> Array:
        """Single rows by number within the block, (count, columns)."""
        ...

    def entries(self, chosen: Array) -> tuple[Array, Array, Array]:
        """Single rows as what is not zero: its count in each, its columns, and the values."""
        ...

    def rows_times(self, chosen: Array, places: Array, matrix: Array) -> Array:
        """Single rows, on some of the columns, times a matrix: (count, columns of the matrix)."""
        ...

    def squares(self) -> Array:
        """Squared length of every row, (rows,)."""
        ...

    def scaled(self, scale: Array) -> Narrow:
        """The same columns divided by positive numbers (columns,); a copy."""
        ...


class DenseNarrow:
    """Columns as an array."""

    def __init__(self, columns: Array) -> None:
        self._columns = columns

    def outputs(self, coef: Array, places: Array) -> Array:
        """Outputs, the other columns counting nothing."""
        all_coef = np.zeros((len(coef), self._columns.shape[1]))
        all_coef[:, places] = coef
        outputs: Array = all_coef @ self._columns.T
        return outputs

    def cross(self, vectors: Array, places: Array) -> Array:
        """Products with all, or with a copy of the few."""
        if len(places) > _MOST_OF * self._columns.shape[1]:
            products: Array = (vectors @ self._columns)[:, places]
            return products
        few: Array = vectors @ self._columns[:, places]
        return few

    def line(self, place: int, weights: Array, start: int) -> tuple[Array, float]:
        """Part of a line of the weighted Gram matrix, and a sum."""
        weighted = weights * self._columns[:, place]
        return weighted @ self._columns[:, start:], float(weighted.sum())

    def between(self, first: Array, second: Array, weights: Array) -> Array:
        """Part of the weighted Gram matrix."""
        products: Array = (self._columns[:, first].T * weights) @ self._columns[:, second]
        return products

    def gram(self, places: Array, weights: Array) -> Array:
        """Part of the weighted Gram matrix."""
        chosen = self._columns[:, places]
        gram: Array = (chosen.T * weights) @ chosen
        return gram

    def rows(self, chosen: Array) -> Array:
        """Single rows."""
        rows: Array = self._columns[chosen]
        return rows

    def entries(self, chosen: Array) -> tuple[Array, Array, Array]:
        """Single rows, all of whose columns count."""
        count, width = len(chosen), self._columns.shape[1]
        places = np.tile(np.arange(width), count)
        return np.full(count, width), places, self._columns[chosen].ravel()

    def rows_times(self, chosen: Array, places: Array, matrix: Array) -> Array:
        """Single rows times a matrix."""
        product: Array = self._columns[np.ix_(chosen, places)] @ matrix
        return product

    def squares(self) -> Array:
        """Squared lengths of the rows."""
        return np.einsum("ij,ij->i", self._columns, self._columns)

    def scaled(self, scale: Array) -> DenseNarrow:
        """Divided columns."""
        return DenseNarrow(self._columns / scale)


class SparseNarrow:
    """Columns as a sparse matrix, by columns and, for single rows, by rows.

    Outputs are mostly of the first columns and a few more: the former are a view, and both are kept
    until outputs of others are asked for.
    """

    def __init__(self, by_columns: sparse.csc_array) -> None:
        self._by_columns = by_columns
        self._across = by_columns.T
        self._support: Array | None = None
        self._start, self._last = 0, by_columns

    @cached_property
    def _by_rows(self) -> sparse.csr_array:
        """The same by rows, made when single rows are first asked for."""
        return self._by_columns.tocsr()

    def outputs(self, coef: Array, places: Array) -> Array:
        """Outputs, one product after the other."""
        self._keep(places)
        first = self._n_first
        return np.stack([self._first @ line[:first] + self._more @ line[first:] for line in coef])

    def _keep(self, places: Array) -> None:
        """The columns of a support: a view of the first ones, a copy of the others."""
        if self._support is not None and np.array_equal(places, self._support):
            return
        columns, self._support = self._by_columns, places
        first = int(np.count_nonzero(np.logical_and.accumulate(places == np.arange(len(places)))))
        ends = columns.indptr[: first + 1]
        parts = (columns.data[: ends[-1]], columns.indices[: ends[-1]], ends)
        self._first = sparse.csc_array(parts, shape=(columns.shape[0], first))
        self._more = columns[:, places[first:]]
        self._n_first = first

    def cross(self, vectors: Array, places: Array) -> Array:
        """Products with all, or with a copy of the few, one after the other."""
        if len(places) > _MOST_OF * self._by_columns.shape[1]:
            return np.stack([(self._across @ vector)[places] for vector in vectors])
        across = self._by_columns[:, places].T
        return np.stack([across @ vector for vector in vectors])

    def line(self, place: int, weights: Array, start: int) -> tuple[Array, float]:
        """Part of a line of the weighted Gram matrix: of the columns from ``start`` on a view."""
        columns = self._by_columns
        entries = slice(columns.indptr[place], columns.indptr[place + 1])
        rows = columns.indices[entries]
        weighted = np.zeros(len(weights))
        weighted[rows] = columns.data[entries] * weights[rows]
        return self._from(start).T @ weighted, float(weighted.sum())

    def _from(self, start: int) -> sparse.csc_array:
        """The columns from one on, a view."""
        if self._start != start:
            columns, self._start = self._by_columns, start
            first = columns.indptr[start]
            parts = (columns.data[first:], columns.indices[first:], columns.indptr[start:] - first)
            shape = (columns.shape[0], columns.shape[1] - start)
            self._last = sparse.csc_array(parts, shape=shape)
        return self._last

    def between(self, first: Array, second: Array, weights: Array) -> Array:
        """Part of the weighted Gram matrix; the second ones are taken for the support."""
        self._keep(second)
        few = self._by_columns[:, first]
        few.data *= weights[few.indices]
        across = few.tocsr()
        products = np.empty((len(first), len(second)))
        products[:, : self._n_first] = (self._first.T @ across).toarray().T
        products[:, self._n_first :] = (self._more.T @ across).toarray().T
        return products

    def gram(self, places: Array, weights: Array) -> Array:
        """Part of the weighted Gram matrix."""
        chosen = self._by_columns[:, places]
        gram: Array = (chosen.T @ (sparse.diags_array(weights) @ chosen)).toarray()
        return gram

    def rows(self, chosen: Array) -> Array:
        """Single rows."""
        rows: Array = self._by_rows[chosen].toarray()
        return rows

    def entries(self, chosen: Array) -> tuple[Array, Array, Array]:
        """Single rows as they are stored."""
        rows = self._by_rows[chosen]
        return np.diff(rows.indptr), rows.indices, rows.data

    def rows_times(self, chosen: Array, places: Array, matrix: Array) -> Array:
        """Single rows times a matrix, one product with the entries of the rows."""
        spread = np.zeros((self._by_rows.shape[1], matrix.shape[1]))
        spread[places] = matrix
        product: Array = self._by_rows[chosen] @ spread
        return product

    def squares(self) -> Array:
        """Squared lengths of the rows."""
        columns = self._by_columns
        return np.bincount(columns.indices, columns.data**2, minlength=columns.shape[0])

    def scaled(self, scale: Array) -> SparseNarrow:
        """Divided columns."""
        columns = self._by_columns.copy()
        columns.data /= np.repeat(scale, np.diff(columns.indptr))
        return SparseNarrow(columns)
