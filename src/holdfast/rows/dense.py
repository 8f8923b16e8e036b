"""Rows of a NumPy array, read where it lies.

Any memory order and any real type; the array is never copied as a whole. Products and sums
go through pieces that fit in the processor's cache, and a piece that is not float64 is
converted there: digits are kept, and no temporary is larger than a piece.

A product with up to three vectors is one matrix-vector product per vector and piece - the
piece is read from memory once and from the cache afterwards - because a thin matrix product
does not reach the memory's speed; with more vectors the matrix product is the faster.
"""

from __future__ import annotations

import numpy as np

from holdfast.rows.sums import Array, BlockRows, row_ranges

_BLOCK_ROWS = 8192
_PIECE_BYTES = 1 << 20
_THIN = 3


class DenseBlock:
    """Consecutive rows of an array with their targets and weights."""

    def __init__(self, X: Array, targets: Array, weights: Array) -> None:
        self._X = X
        self.targets = targets
        self.weights = weights

    def cross(self, vectors: Array) -> Array:
        """``vectors @ X`` in one reading of X; see :class:`holdfast.rows.sums.Block`."""
        product = np.zeros((len(vectors), self._X.shape[1]))
        for rows, piece in self._pieces():
            part = vectors[:, rows]
            if len(vectors) <= _THIN:
                for line, vector in zip(product, part, strict=True):
                    line += vector @ piece
            else:
                product += part @ piece
        return product

    def columns(self, indices: Array) -> Array:
        """Columns as float64 lines."""
        return np.ascontiguousarray(self._X[:, indices].T, dtype=np.float64)

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """Weighted first and second sums about a centre."""
        first, second = np.zeros_like(centre), np.zeros_like(centre)
        for rows, piece in self._pieces():
            for line in range(len(centre)):
                deviation = piece - centre[line]
                first[line] += weights[line, rows] @ deviation
                np.square(deviation, out=deviation)
                second[line] += weights[line, rows] @ deviation
        return first, second

    def _pieces(self):  # type: ignore[no-untyped-def]
        n_rows, n_columns = self._X.shape
        length = max(16, _PIECE_BYTES // (8 * max(1, n_columns)))
        for rows in row_ranges(n_rows, length):
            yield rows, self._X[rows].astype(np.float64, copy=False)


def dense_rows(X: Array, targets: Array, weights: Array) -> BlockRows:
    """Rows over views of ``X``; ``targets`` is (targets, rows)."""
    blocks = [
        DenseBlock(X[rows], targets[:, rows], weights[rows])
        for rows in row_ranges(len(X), _BLOCK_ROWS)
    ]
    return BlockRows(blocks, X.shape[1])
