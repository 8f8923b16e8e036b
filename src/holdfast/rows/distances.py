"""Squared distances of rows that keep their digits, from dense and sparse tables.

``||x||^2 - 2 x'y + ||y||^2`` loses the digits of near rows, (size / distance)^2 of them: duplicates
of rows get a distance of 1e-16 times their size, and a large mean makes all rows near. Dense rows
of few columns are subtracted before they are squared, exactly; of many columns that would cost more
than products, and they are taken about a point among the rows first. Sparse rows stay as they are.
"""

from __future__ import annotations

from typing import Any

from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import euclidean_distances

from holdfast.rows.sums import Array

_FEW_COLUMNS = 32


def squared_distances(X: Any, Y: Any) -> Array:
    """``||x - y||^2`` of all pairs of rows, (rows of X, rows of Y); float64 tables."""
    if sparse.issparse(X) or sparse.issparse(Y):
        return euclidean_distances(X, Y, squared=True)
    if X.shape[1] <= _FEW_COLUMNS:
        return cdist(X, Y, "sqeuclidean")
    point = Y.mean(axis=0)
    return euclidean_distances(X - point, Y - point, squared=True)
