"""Rows of a SciPy sparse matrix or array, never densified as a whole.

CSR and CSC are read as they are; other formats are converted to CSR by the caller. Zeros stay
zeros: nothing here centres but columns that have none of them - a year among one-hot columns -
whose moments would lose their digits about zero. Pieces that are not float64, or are centred, are
made one at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy import sparse

from holdfast.rows.fetched import as_floats
from holdfast.rows.narrow import SparseNarrow
from holdfast.rows.sums import Array, BlockRows, Parts, few_rows, pieces_of, ranges

_PIECE_ENTRIES = 1 << 16
_AT_ONCE = 1 << 19
_FILLED = 1 << 16
_ONE_BY_ONE = 2
_PARTS_TOGETHER = 16


class SparseBlock:
    """All rows of a CSR or CSC matrix with their targets and weights."""

    def __init__(self, X: sparse.sparray, targets: Array, weights: Array) -> None:
        self._X = X
        self.targets = targets
        self.weights = weights

    def cross(self, vectors: Array) -> Array:
        """``vectors @ X`` in time proportional to the non-zeros."""
        if self._X.format == "csc" and len(vectors) <= _ONE_BY_ONE:
            return self._cross_one_by_one(vectors)
        return self._cross_about(vectors, None)

    def _cross_about(self, vectors: Array, centre: Array | None) -> Array:
        """``vectors @ (X - centre)``, the centre being zero where X has zeros."""
        across = np.ascontiguousarray(vectors.T)
        product = np.zeros((self._X.shape[1], len(vectors)))
        for lines, piece in self._pieces(whole=True, centre=centre):
            if self._X.format == "csr":
                product += piece.T @ across[lines]
            else:
                product[lines] = piece.T @ across
        return np.ascontiguousarray(product.T)

    def _cross_one_by_one(self, vectors: Array) -> Array:
        """Of CSC, two products with one vector take less time than one with two."""
        product = np.empty((len(vectors), self._X.shape[1]))
        for lines, piece in self._pieces(whole=True):
            for line, vector in enumerate(vectors):
                product[line, lines] = piece.T @ vector
        return product

    def columns(self, indices: Array) -> Array:
        """Columns as float64 lines, densified only these."""
        return np.ascontiguousarray(self._X[:, indices].toarray().T, dtype=np.float64)

    def outputs(self, coef: Array, chosen: Any, centre: Array) -> Array:
        """Outputs of linear models; the centre is taken out of the products."""
        everything = isinstance(chosen, slice) and chosen == slice(0, self._X.shape[0])
        X = self._X if everything else self._X[chosen]
        if len(coef) <= _ONE_BY_ONE:
            products = np.stack([X @ line for line in coef])
        else:
            products = (X @ coef.T).T
        outputs: Array = products - (coef @ centre)[:, None]
        return outputs

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """Weighted first and second sums about a centre, the zeros counted in one term."""
        first, second = np.zeros_like(centre), np.zeros_like(centre)
        present, stored = np.zeros_like(centre), np.zeros_like(centre)
        n_columns = self._X.shape[1]
        about_zero = not centre.any()
        for lines, piece in self._pieces(whole=False):
            coordinates = piece.tocoo()
            rows, columns = coordinates.coords
            if self._X.format == "csr":
                rows = rows + lines.start
            else:
                columns = columns + lines.start
            for line in range(len(centre)):
                weight = weights[line, rows]
                if about_zero:
                    moment = weight * coordinates.data
                    first[line] += np.bincount(columns, moment, minlength=n_columns)
                    moment *= coordinates.data
                    second[line] += np.bincount(columns, moment, minlength=n_columns)
                    continue
                deviation = coordinates.data - centre[line, columns]
                for total, entry in (
                    (present, weight),
                    (stored, weight > 0),
                    (first, weight * deviation),
                    (second, weight * deviation**2),
                ):
                    total[line] += np.bincount(columns, entry, minlength=n_columns)
        if about_zero:
            return first, second
        absent = weights.sum(axis=1, keepdims=True) - present
        # Where no zero counts there is nothing but the rounding of two sums.
        absent[stored == np.count_nonzero(weights > 0, axis=1)[:, None]] = 0
        return first - absent * centre, second + absent * centre**2

    def gram(self, parts: Parts, extra: Array, root: Array, centre: Array) -> Array:
        """Products of columns and extra lines by part; the centre is zero where X has zeros.

        The rows of a part are copied, sparse; of CSC the whole matrix is, once, as CSR.
        """
        n_columns = len(centre)
        by_rows = self._X.tocsr()
        total = np.zeros((parts.count, n_columns + len(extra), n_columns + len(extra)))
        for part, rows in parts.rows():
            columns = by_rows[rows].astype(np.float64)
            columns.data -= centre[columns.indices]
            columns = sparse.diags_array(root[rows]) @ columns
            lines = extra[:, rows] * root[rows]
            cross = (columns.T @ lines.T).T
            total[part, :n_columns, :n_columns] = (columns.T @ columns).toarray()
            total[part, n_columns:, :n_columns] = cross
            total[part, :n_columns, n_columns:] = cross.T
            total[part, n_columns:, n_columns:] = lines @ lines.T
        return total

    def cross_by_part(self, vectors: Array, parts: Parts, centre: Array) -> Array:
        """Products by part, each vector spread over as many vectors as there are parts."""
        total = np.zeros((parts.count, len(vectors), len(centre)))
        for numbers in ranges(parts.count, max(1, _PARTS_TOGETHER // len(vectors))):
            some = np.arange(numbers.start, numbers.stop)
            masked = np.where(parts.labels == some[:, None, None], vectors, 0.0)
            products = self._cross_about(masked.reshape(-1, vectors.shape[1]), centre)
            total[numbers] = products.reshape(len(some), len(vectors), -1)
        return total

    def points(self, chosen: Any, length: int) -> Iterator[sparse.sparray]:
        """Rows as float64 CSR, a piece at a time; of CSC the whole matrix is converted, once."""
        by_rows = self._X.tocsr()
        for rows in pieces_of(chosen, length):
            yield as_floats(by_rows[rows])

    def narrow(self, columns: Array, centre: Array) -> SparseNarrow:
        """Some columns, copied, sparse."""
        chosen = self._chosen(columns)
        if centre.any():
            chosen.data -= np.repeat(centre, np.diff(chosen.indptr))
        return SparseNarrow(chosen)

    def _chosen(self, columns: Array) -> sparse.csc_array:
        """Some columns as CSC; of CSR filled from pieces, so that there is one copy at a time."""
        X, n_rows = self._X, self._X.shape[0]
        if X.format == "csc" or len(X.data) <= _AT_ONCE:
            return sparse.csc_array(X[:, columns]).astype(np.float64, copy=False)
        length = max(1, n_rows * _FILLED // len(X.data))
        counts = np.bincount(X.indices, minlength=X.shape[1])[columns]
        ends = np.append(0, np.cumsum(counts)).astype(X.indices.dtype)
        data = np.empty(ends[-1])
        indices = np.empty(ends[-1], dtype=X.indices.dtype)
        filled = ends[:-1].copy()
        for rows in ranges(n_rows, length):
            piece = X[rows][:, columns].tocsc()
            here = np.diff(piece.indptr)
            places = np.repeat(filled - piece.indptr[:-1], here) + np.arange(len(piece.data))
            data[places], indices[places] = piece.data, piece.indices + rows.start
            filled += here
        return sparse.csc_array((data, indices, ends), shape=(n_rows, len(columns)))

    def some(self, chosen: Array) -> SparseBlock:
        """Some rows, copied, sparse."""
        rows = self._X[chosen].astype(np.float64, copy=False)
        return SparseBlock(rows, self.targets[:, chosen], self.weights[chosen])

    def squares(self, centre: Array) -> Array:
        """Squared lengths of the rows, a piece at a time; the centre is zero where X has zeros."""
        total = np.zeros(self._X.shape[0])
        for lines, piece in self._pieces(whole=False, centre=centre):
            if self._X.format == "csr":
                owners = np.repeat(np.arange(lines.start, lines.stop), np.diff(piece.indptr))
            else:
                owners = piece.indices
            total += np.bincount(owners, piece.data**2, minlength=len(total))
        return total

    def _pieces(
        self, whole: bool, centre: Array | None = None
    ) -> Iterator[tuple[slice, sparse.sparray]]:
        """Float64 slices along the compressed axis; the matrix itself where it can be."""
        pointer = self._X.indptr
        n_lines = len(pointer) - 1
        if centre is not None and not centre.any():
            centre = None
        if self._X.dtype == np.float64 and whole and centre is None:
            yield slice(0, n_lines), self._X
            return
        length = max(1, n_lines * _PIECE_ENTRIES // max(1, len(self._X.data)))
        other = self._X.shape[1] if self._X.format == "csr" else self._X.shape[0]
        for lines in ranges(n_lines, length):
            entries = slice(pointer[lines.start], pointer[lines.stop])
            data = self._X.data[entries].astype(np.float64, copy=False)
            if centre is not None and self._X.format == "csr":
                data = data - centre[self._X.indices[entries]]
            elif centre is not None:
                lengths = np.diff(pointer[lines.start : lines.stop + 1])
                data = data - np.repeat(centre[lines], lengths)
            parts = (data, self._X.indices[entries], pointer[lines.start : lines.stop + 1])
            parts = (parts[0], parts[1], parts[2] - parts[2][0])
            n = lines.stop - lines.start
            if self._X.format == "csr":
                yield lines, sparse.csr_array(parts, shape=(n, other))
            else:
                yield lines, sparse.csc_array(parts, shape=(other, n))


def sparse_rows(X: sparse.sparray, targets: Array, weights: Array) -> BlockRows:
    """Rows over a CSR or CSC matrix, one block; ``targets`` is (targets, rows).

    A matrix that stores an entry in several parts is copied and its parts are added: squares
    need the whole entry. Any other is read where it lies.
    """
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    # Of CSR a fetch looks at every entry, however few columns it is for.
    width = 64 if X.format == "csr" else 16
    block = SparseBlock(X, targets, weights)
    return BlockRows(
        [block],
        X.shape[1],
        fetch_width=width,
        product_width=8,
        entries_per_column=len(X.data) / X.shape[1],
        origin=_origin(X, weights),
    )


def _origin(X: sparse.sparray, weights: Array) -> Array:
    """A point near the rows in the columns without zeros, zero in the others."""
    by_rows = X.format == "csr"
    stored = np.bincount(X.indices, minlength=X.shape[1]) if by_rows else np.diff(X.indptr)
    full = np.flatnonzero(stored == X.shape[0])
    origin = np.zeros(X.shape[1])
    if len(full):
        some = few_rows(weights)
        columns = X[some][:, full] if by_rows else X[:, full][some]
        origin[full] = np.median(columns.toarray().astype(np.float64), axis=0)
    return origin
