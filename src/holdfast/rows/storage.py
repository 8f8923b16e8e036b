"""The only place that asks where the numbers live."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from holdfast.rows.dense import dense_rows
from holdfast.rows.memory import available_bytes
from holdfast.rows.sparse import sparse_rows
from holdfast.rows.sums import Array, Block, Rows, State, Totals

_SHARE_OF_MEMORY = 0.5
_ROWS_TOGETHER = 1024


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


def columns_of(X: Any, columns: Array) -> Any:
    """Some columns of ``X`` in memory: ``X[:, columns]``, of a stored table read in one sweep."""
    if not hasattr(X, "rows"):
        return X[:, columns]
    if len(columns) == 0:
        return np.empty((X.shape[0], 0))
    rows = as_rows(X, np.zeros(X.shape[0]))
    _, states = rows.sweep(_columns, None, columns)
    return rows.gather(states, "columns").T


def rows_of(X: Any, rows: Any) -> Any:
    """Some rows of ``X`` in memory: ``X[rows]``, of a stored table those fetched by number."""
    return X.fetch(rows) if hasattr(X, "rows") else X[rows]


def rows_together(X: Any) -> int:
    """Rows worth fetching together: few where that costs nothing, else as fit into memory."""
    return int(X.fetch_rows) if hasattr(X, "rows") else _ROWS_TOGETHER


def spare_bytes(X: Any) -> float:
    """Memory that numbers made of all rows may take: half of what is free, or what it was given."""
    if hasattr(X, "rows"):
        return float(X.memory)
    available = available_bytes()
    return np.inf if available is None else _SHARE_OF_MEMORY * available


def only_rows(X: Any, rows: Array) -> Any:
    """``X`` without its other rows; it must be in memory."""
    if hasattr(X, "rows"):
        raise ValueError(
            f"{X.shape[0] - len(rows)} rows have a sample_weight of zero, and X is not in memory; "
            "expected positive weights of all rows: leave these rows out of the data."
        )
    return X[rows]


class Near(NamedTuple):
    """Columns in memory, and where each column of X stands among them."""

    table: Any
    places: Array


def near(X: Any, columns: Callable[[], Array]) -> Near:
    """``X`` itself, or a copy of the columns of a stored table that ``columns`` names."""
    every = np.arange(X.shape[1])
    if not hasattr(X, "rows"):
        return Near(X, every)
    named = columns()
    return Near(columns_of(X, named), np.searchsorted(named, every))


def _columns(block: Block, state: State, columns: Array) -> tuple[Totals, State]:
    return Totals(), {"columns": block.columns(columns)}
