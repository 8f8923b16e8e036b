"""Rows of a NumPy array, read where it lies.

Any memory order and any real type; the array is never copied as a whole. Products and sums
go through pieces, along the axis that is contiguous in memory, and a piece that is not
float64 is converted there: digits are kept, and no temporary is larger than a piece.

A product with up to three vectors is one matrix-vector product per vector and piece - the
piece is read from memory once and from the cache afterwards - because a thin matrix product
does not reach the memory's speed; with more vectors the matrix product is the faster.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdfast.rows.sums import Array, BlockRows, ranges

_BLOCK_ROWS = 8192
_PIECE_BYTES = 1 << 19
_WIDE_PIECE_BYTES = 1 << 22
_PIECE_COLUMNS = 4096
_THIN = 3
_FETCH_WIDTH = 16


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

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """Weighted first and second sums about a centre."""
        first, second = np.zeros_like(centre), np.zeros_like(centre)
        for rows, columns, piece in _pieces(self._X, _PIECE_BYTES):
            for line in range(len(centre)):
                weight = weights[line, rows]
                deviation = piece - centre[line, columns]
                first[line, columns] += weight @ deviation
                np.square(deviation, out=deviation)
                second[line, columns] += weight @ deviation
        return first, second


def product(vectors: Array, X: Array) -> Array:
    """``vectors @ X`` for few vectors, X being read once."""
    total = np.zeros((len(vectors), X.shape[1]))
    thin = len(vectors) <= _THIN
    for rows, columns, piece in _pieces(X, _PIECE_BYTES if thin else _WIDE_PIECE_BYTES):
        part = vectors[:, rows]
        if thin:
            for line, vector in zip(total, part, strict=True):
                line[columns] += vector @ piece
        else:
            total[:, columns] += part @ piece
    return total


def _pieces(X: Array, size: int) -> Iterator[tuple[slice, slice, Array]]:
    """Rows, columns and float64 entries of pieces of about ``size`` bytes."""
    n_rows, n_columns = X.shape
    if X.strides[0] >= X.strides[1]:
        width = min(n_columns, _PIECE_COLUMNS)
        length = max(16, size // (8 * max(1, width)))
    else:
        length, width = n_rows, max(8, size // (8 * n_rows))
    for rows in ranges(n_rows, length):
        for columns in ranges(n_columns, width):
            yield rows, columns, X[rows, columns].astype(np.float64, copy=False)


def dense_rows(X: Array, targets: Array, weights: Array) -> BlockRows:
    """Rows over views of ``X``; ``targets`` is (targets, rows)."""
    blocks = [
        DenseBlock(X[rows], targets[:, rows], weights[rows])
        for rows in ranges(len(X), _BLOCK_ROWS)
    ]
    return BlockRows(blocks, X.shape[1], _FETCH_WIDTH)
