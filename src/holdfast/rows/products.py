"""Products of few vectors with an array, read piece by piece.

Pieces lie along the axis that is contiguous in memory and fit in the processor's cache. One
that is not float64 is converted: digits are kept, and no temporary is larger than a piece.

A product with up to three vectors is one matrix-vector product per vector and piece - the
piece is read from memory once and from the cache afterwards - because a thin matrix product
does not reach the memory's speed; with more vectors the matrix product is the faster.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdfast.rows.sums import Array, ranges

_PIECE_BYTES = 1 << 19
_WIDE_PIECE_BYTES = 1 << 21
_PIECE_COLUMNS = 4096
_THIN = 3


def product(vectors: Array, X: Array, total: Array | None = None) -> Array:
    """``vectors @ X`` for few vectors, X being read once; added to ``total`` if there is one."""
    if total is None:
        total = np.zeros((len(vectors), X.shape[1]))
    thin = len(vectors) <= _THIN
    for rows, columns, piece in pieces(X, _PIECE_BYTES if thin else _WIDE_PIECE_BYTES):
        part = vectors[:, rows]
        if thin:
            for line, vector in zip(total, part, strict=True):
                line[columns] += vector @ piece
        else:
            total[:, columns] += part @ piece
    return total


def pieces(X: Array, size: int = _PIECE_BYTES) -> Iterator[tuple[slice, slice, Array]]:
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
