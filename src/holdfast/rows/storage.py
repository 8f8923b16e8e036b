"""The only place that asks where the numbers live."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from holdfast.rows.dense import dense_rows
from holdfast.rows.sparse import sparse_rows
from holdfast.rows.sums import Array, Rows


def as_rows(X: Any, y: Array, sample_weight: Array | None = None) -> Rows:
    """Rows over ``X`` with targets and weights, X being read in place.

    Parameters
    ----------
    X : array, sparse matrix or stored table of shape (m, n)
        Dense in any memory order and any real type, CSR / CSC, or what
        :func:`holdfast.rows.row_blocks.opened` has opened.
    y : array of shape (m,) or (m, targets)
        Targets.
    sample_weight : array of shape (m,), optional
        Non-negative weights; all one when left out.

    Returns
    -------
    Rows
        See :mod:`holdfast.rows.sums`.
    """
    targets = np.ascontiguousarray(np.reshape(y, (len(y), -1)).T, dtype=np.float64)
    weights = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    if hasattr(X, "rows"):
        rows: Rows = X.rows(targets, weights)
        return rows
    build = sparse_rows if sparse.issparse(X) else dense_rows
    return build(X, targets, weights)
