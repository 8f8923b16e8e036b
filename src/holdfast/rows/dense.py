"""Rows of a NumPy array, read where it lies.

Any memory order and any real type; the array is never copied as a whole. Products and sums
go through the pieces of :mod:`holdfast.rows.products`.
"""

from __future__ import annotations

import numpy as np

from holdfast.rows.products import pieces, product
from holdfast.rows.sums import Array, BlockRows, ranges

_BLOCK_ROWS = 8192
_ORIGIN_ROWS = 64


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
        for rows, columns, piece in pieces(self._X):
            for line in range(len(centre)):
                weight = weights[line, rows]
                deviation = piece - centre[line, columns]
                first[line, columns] += weight @ deviation
                np.square(deviation, out=deviation)
                second[line, columns] += weight @ deviation
        return first, second


def dense_rows(X: Array, targets: Array, weights: Array) -> BlockRows:
    """Rows over views of ``X``; ``targets`` is (targets, rows)."""
    blocks = [
        DenseBlock(X[rows], targets[:, rows], weights[rows]) for rows in ranges(len(X), _BLOCK_ROWS)
    ]
    return BlockRows(
        blocks,
        X.shape[1],
        fetch_width=24,
        product_width=24,
        entries_per_column=len(X),
        origin=X[:_ORIGIN_ROWS].mean(axis=0, dtype=np.float64),
    )
