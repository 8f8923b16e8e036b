"""Some columns of a block, copied about a centre: what an algorithm works on between readings of X.

Products with a few hundred of the columns, single rows and lines of their Gram matrix cost what
those columns weigh, not what X weighs. Sparse columns stay sparse: they are held by rows, for
outputs and single rows, and by columns, for products with vectors over rows, and a line of the Gram
matrix reads only the rows in which its column has entries.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from scipy import sparse

from holdfast.rows.sums import Array


class Narrow(Protocol):
    """All rows of a block, some of its columns, float64, about a centre."""

    def outputs(self, coef: Array) -> Array:
        """Outputs of linear models, (count, columns) -> (count, rows)."""
        ...

    def cross(self, vectors: Array) -> Array:
        """Products with every column, (count, rows) -> (count, columns)."""
        ...

    def line(self, position: int, weights: Array) -> tuple[Array, float]:
        """Products of one column with all, (columns,), and its sum, rows weighted."""
        ...

    def gram(self, positions: Array, weights: Array) -> Array:
        """Products of some columns with each other, rows weighted."""
        ...

    def rows(self, chosen: Array) -> Array:
        """Single rows by number within the block, (count, columns)."""
        ...

    def squares(self) -> Array:
        """Squared length of every row, (rows,)."""
        ...


class DenseNarrow:
    """Columns as an array."""

    def __init__(self, columns: Array) -> None:
        self._columns = columns

    def outputs(self, coef: Array) -> Array:
        """``coef @ columns.T``."""
        outputs: Array = coef @ self._columns.T
        return outputs

    def cross(self, vectors: Array) -> Array:
        """``vectors @ columns``."""
        products: Array = vectors @ self._columns
        return products

    def line(self, position: int, weights: Array) -> tuple[Array, float]:
        """One line of the weighted Gram matrix, and a sum."""
        weighted = weights * self._columns[:, position]
        return weighted @ self._columns, float(weighted.sum())

    def gram(self, positions: Array, weights: Array) -> Array:
        """Part of the weighted Gram matrix."""
        chosen = self._columns[:, positions]
        gram: Array = (chosen.T * weights) @ chosen
        return gram

    def rows(self, chosen: Array) -> Array:
        """Single rows."""
        rows: Array = self._columns[chosen]
        return rows

    def squares(self) -> Array:
        """Squared lengths of the rows."""
        return np.einsum("ij,ij->i", self._columns, self._columns)


class SparseNarrow:
    """Columns as a sparse matrix, by rows and by columns."""

    def __init__(self, by_columns: sparse.csc_array) -> None:
        self._by_columns = by_columns
        self._by_rows = by_columns.tocsr()

    def outputs(self, coef: Array) -> Array:
        """``coef @ columns.T``, one product after the other."""
        return np.stack([self._by_rows @ line for line in coef])

    def cross(self, vectors: Array) -> Array:
        """``vectors @ columns``, one product after the other."""
        across = self._by_columns.T
        return np.stack([across @ vector for vector in vectors])

    def line(self, position: int, weights: Array) -> tuple[Array, float]:
        """One line of the weighted Gram matrix, from the rows that its column has entries in."""
        columns = self._by_columns
        entries = slice(columns.indptr[position], columns.indptr[position + 1])
        rows = columns.indices[entries]
        weighted = columns.data[entries] * weights[rows]
        return self._by_rows[rows].T @ weighted, float(weighted.sum())

    def gram(self, positions: Array, weights: Array) -> Array:
        """Part of the weighted Gram matrix."""
        chosen = self._by_columns[:, positions]
        gram: Array = (chosen.T @ (sparse.diags_array(weights) @ chosen)).toarray()
        return gram

    def rows(self, chosen: Array) -> Array:
        """Single rows."""
        rows: Array = self._by_rows[chosen].toarray()
        return rows

    def squares(self) -> Array:
        """Squared lengths of the rows."""
        squares = np.zeros(self._by_rows.shape[0])
        lengths = np.diff(self._by_rows.indptr)
        filled = np.flatnonzero(lengths)
        if len(filled):
            starts = self._by_rows.indptr[filled]
            squares[filled] = np.add.reduceat(self._by_rows.data**2, starts)
        return squares
