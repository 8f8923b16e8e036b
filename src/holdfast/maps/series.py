"""Several series in one table: rows of one after rows of the other, and where each begins.

A table of m rows holds series of ``lengths`` l_1, l_2, ... that add up to m. ``lengths`` travel
beside the table (as routed metadata in a pipeline), or the series are given as a list of tables
and stacked. Maps of series keep every row, so that targets, weights and groups stay aligned: the
rows at the beginning of a series, whose features know less than the others, are given no weight
instead of being dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from scipy import sparse

from holdfast.parameters import is_whole
from holdfast.rows.sums import Array


def series_groups(lengths: Any) -> Array:
    """The number of its series for every row, as ``groups`` of leave-one-series-out.

    Parameters
    ----------
    lengths : sequence of int
        Rows of every series, in their order.

    Returns
    -------
    int array of shape (m,)

    Examples
    --------
    >>> from holdfast import series_groups
    >>> series_groups([2, 3])
    array([0, 0, 1, 1, 1])
    """
    checked = _checked(lengths)
    return np.repeat(np.arange(len(checked)), checked)


def series_weight(lengths: Any, n_warm_up: int, sample_weight: Any = None) -> Array:
    """Weights that are zero at the first rows of every series.

    Parameters
    ----------
    lengths : sequence of int
        Rows of every series, in their order.
    n_warm_up : int
        How many rows: the ``washout`` of a reservoir, the largest lag of windows, or their sum
        where one follows the other.
    sample_weight : array of shape (m,), optional
        Weights of the other rows; 1 without it.

    Returns
    -------
    array of shape (m,)

    Examples
    --------
    >>> from holdfast import series_weight
    >>> series_weight([2, 3], 1)
    array([0., 1., 0., 1., 1.])
    """
    checked = _checked(lengths)
    if not (is_whole(n_warm_up) and n_warm_up >= 0):
        raise ValueError(
            f"n_warm_up={n_warm_up!r} is not a number of rows; expected an integer of at least 0: "
            "the washout, or the largest lag."
        )
    n_rows = int(checked.sum())
    weight = np.ones(n_rows)
    if sample_weight is not None:
        given = np.asarray(sample_weight, dtype=np.float64)
        if given.shape != (n_rows,):
            raise ValueError(
                f"sample_weight has shape {given.shape}, but the series have {n_rows} rows in all; "
                "expected one weight a row: pass those of the stacked series."
            )
        weight *= given
    within = np.arange(n_rows) - np.repeat(np.cumsum(checked) - checked, checked)
    weight[within < n_warm_up] = 0.0
    return weight


def stacked(X: Any, lengths: Any) -> tuple[Any, Any]:
    """One table and its lengths, of a table and lengths or of a list of tables.

    A list is one of tables if every entry has two dimensions; any other is a table of lists.
    """
    if not isinstance(X, (list, tuple)) or not X:
        return X, lengths
    if not all(len(getattr(part, "shape", ())) == 2 for part in X):
        return X, lengths
    if lengths is not None:
        raise ValueError(
            f"X is a list of {len(X)} series and lengths were given too; expected one of the two: "
            "leave lengths out, a list says how long its series are."
        )
    widths = sorted({part.shape[1] for part in X})
    if len(widths) > 1:
        raise ValueError(
            f"X is a list of series of {widths} columns; expected the same columns in all of them: "
            "give every series all columns."
        )
    names = {tuple(part.columns) for part in X if hasattr(part, "columns")}
    if len(names) > 1:
        raise ValueError(
            "X is a list of series whose columns have different names; expected the same in the "
            "same order: rename or reorder them."
        )
    return _one_table(X), [part.shape[0] for part in X]


def _one_table(parts: Sequence[Any]) -> Any:
    if any(sparse.issparse(part) for part in parts):
        return sparse.vstack(parts, format="csr")
    if all(hasattr(part, "columns") for part in parts):
        library = import_module(type(parts[0]).__module__.split(".")[0])
        return library.concat(parts)  # pandas and polars call it the same
    return np.concatenate([np.asarray(part) for part in parts])


def bounds_of(lengths: Any, n_rows: int) -> Array:
    """Where every series begins, and the end of the last; None is one series."""
    if lengths is None:
        return np.array([0, n_rows])
    checked = _checked(lengths)
    if checked.sum() != n_rows:
        raise ValueError(
            f"lengths add up to {checked.sum()}, but X has {n_rows} rows; expected the number of "
            "rows of every series, in their order: pass the lengths of the rows in X (after a "
            "split into training and test rows they are others)."
        )
    return np.concatenate([[0], np.cumsum(checked)])


def _checked(lengths: Any) -> Array:
    known = np.asarray(lengths)
    if known.ndim != 1 or known.size == 0 or known.dtype.kind not in "iu":
        raise ValueError(
            f"lengths={lengths!r} are not lengths of series; expected a sequence of integers, the "
            "rows of every series: pass for instance [100, 80]."
        )
    if known.min() < 1:
        raise ValueError(
            f"lengths hold {known.min()}; expected at least 1 row in every series: leave empty "
            "series out."
        )
    return known.astype(np.intp)
