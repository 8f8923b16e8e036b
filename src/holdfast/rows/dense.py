"""Rows of a NumPy array, read where it lies.

Any memory order and any real type; the array is never copied as a whole. Products and sums
go through the pieces of :mod:`holdfast.rows.products`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from scipy.linalg import blas

from holdfast.rows.fetched import as_floats
from holdfast.rows.narrow import DenseNarrow
from holdfast.rows.products import pieces, product
from holdfast.rows.sums import Array, BlockRows, Parts, few_rows, pieces_of, ranges

_BLOCK_ROWS = 8192
_BLOCK_SHAPE = 128
"""Rows of a block for every column, at least: sums of size n^2 are small beside the block."""
_GRAM_BYTES = 1 << 20
_GRAM_ROWS = 256
_OUTPUT_BYTES = 1 << 24
_OUTPUT_ROWS = 1024


class DenseBlock:
    """Consecutive rows of an array with their targets and weights."""

    def __init__(self, X: Array, targets: Array, weights: Array) -> None:
        self._X = X
        self.targets = targets
        self.weights = weights

    def cross(self, vectors: Array) -> Array:
        """``vectors @ X`` in one reading of X; see :class:`holdfast.rows.sums.Block`."""
        return product(vectors, self._X)

    def columns(self, indices: Array) -> Array:
        """Columns as float64 lines."""
        return np.ascontiguousarray(self._X[:, indices].T, dtype=np.float64)

    def outputs(self, coef: Array, chosen: Any, centre: Array) -> Array:
        """Outputs of linear models; rows are centred a piece at a time."""
        length = max(64, min(_OUTPUT_ROWS, _OUTPUT_BYTES // (8 * len(centre))))
        about_zero = not centre.any()
        pieces = (self._X[rows] for rows in pieces_of(chosen, length))
        parts = [coef @ (piece if about_zero else piece - centre).T for piece in pieces]
        if len(parts) == 1:
            return parts[0]
        return np.concatenate(parts, axis=1) if parts else np.empty((len(coef), 0))

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """Weighted first and second sums about a centre."""
        first, second = np.zeros_like(centre), np.zeros_like(centre)
        for rows, columns, piece in pieces(self._X):
            for line in range(len(centre)):
                weight = weights[line, rows]
                deviation = piece - centre[line, columns]
                first[line, columns] += weight @ deviation
                np.square(deviation, out=deviation)
                second[line, columns] += weight @ deviation
        return first, second

    def gram(self, parts: Parts, extra: Array, root: Array, centre: Array) -> Array:
        """Products of centred columns and extra lines by part."""
        n_columns, n_lines = len(centre), len(centre) + len(extra)
        total = np.zeros((parts.count, n_lines, n_lines))
        length = max(_GRAM_ROWS, _GRAM_BYTES // (8 * n_lines))
        scratch = np.empty((min(length, len(self._X)), n_lines))
        weighted = bool((root != 1).any())
        for part, rows in parts.rows():
            for chosen in pieces_of(rows, length):
                lines = scratch[: len(root[chosen])]
                np.subtract(self._X[chosen], centre, out=lines[:, :n_columns])
                lines[:, n_columns:] = extra[:, chosen].T
                if weighted:
                    lines *= root[chosen, None]
                # In place, one triangle: the matrix may be larger than the piece.
                blas.dsyrk(1.0, lines.T, beta=1.0, c=total[part].T, lower=1, overwrite_c=True)
            total[part] += np.triu(total[part], 1).T
        return total

    def cross_by_part(self, vectors: Array, parts: Parts, centre: Array) -> Array:
        """Products with centred columns by part."""
        total = np.zeros((parts.count, len(vectors), len(centre)))
        length = max(16, _GRAM_BYTES // (8 * len(centre)))
        for part, rows in parts.rows():
            for chosen in pieces_of(rows, length):
                total[part] += vectors[:, chosen] @ (self._X[chosen] - centre)
        return total

    def points(self, chosen: Any, length: int) -> Iterator[Array]:
        """Rows as float64, a piece at a time."""
        for rows in pieces_of(chosen, length):
            yield as_floats(self._X[rows])

    def narrow(self, columns: Array, centre: Array) -> DenseNarrow:
        """Some columns, copied."""
        chosen = self._X[:, columns].astype(np.float64, copy=False)
        chosen -= centre
        return DenseNarrow(chosen)

    def some(self, chosen: Array) -> DenseBlock:
        """Some rows, copied."""
        return DenseBlock(self._X[chosen], self.targets[:, chosen], self.weights[chosen])

    def squares(self, centre: Array) -> Array:
        """Squared lengths of the rows, a piece at a time."""
        total = np.zeros(len(self._X))
        for rows, columns, piece in pieces(self._X):
            deviation = piece - centre[columns]
            total[rows] += np.einsum("ij,ij->i", deviation, deviation)
        return total


def dense_rows(X: Array, targets: Array, weights: Array, origin: Array | None = None) -> BlockRows:
    """Rows over views of ``X``; ``targets`` is (targets, rows), ``origin`` near the rows."""
    if origin is None:
        origin = np.median(X[few_rows(weights)].astype(np.float64), axis=0)
    blocks = dense_blocks(X, targets, weights)
    return BlockRows(
        blocks,
        X.shape[1],
        fetch_width=24,
        product_width=24,
        entries_per_column=len(X),
        origin=origin,
    )


def dense_blocks(X: Array, targets: Array, weights: Array) -> list[DenseBlock]:
    """Blocks over views of ``X``."""
    length = max(_BLOCK_ROWS, _BLOCK_SHAPE * X.shape[1])
    return [DenseBlock(X[rows], targets[:, rows], weights[rows]) for rows in ranges(len(X), length)]
