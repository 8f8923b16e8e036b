"""How data enter an estimator: checked whole in memory, or opened where they are stored.

Arrays, DataFrames and sparse matrices go through scikit-learn's ``validate_data``. What is stored
elsewhere - paths, memory-mapped arrays, blocks - is opened and neither loaded nor copied: names
and shape are checked here, entries block by block when they are first read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_regressor
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.validation import (
    _check_sample_weight,
    assert_all_finite,
    check_consistent_length,
    validate_data,
)

from holdfast.estimators.checks import check_targets, with_remedies
from holdfast.rows import as_rows, columns_of
from holdfast.rows.row_blocks import Opened, Stored, Wanted, is_elsewhere, opened
from holdfast.rows.sums import Array, Block, Rows, State, Totals


class Entered(NamedTuple):
    """Validated data.

    ``X`` is an array, a sparse matrix or a stored table; ``rows`` stands for its rows where only
    their number is asked for, as by splitters.
    """

    X: Any
    y: Array
    weights: Array
    groups: Any
    rows: Any


def enter(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    groups: Any,
    *,
    multi_output: bool = True,
    numeric: bool | None = None,
    reset: bool = True,
    fewest: int = 2,
    sparse_formats: tuple[str, ...] = ("csr", "csc"),
    stored: bool = True,
) -> Entered:
    """Validate the data of a fit; names and number of columns are kept in the estimator.

    Parameters
    ----------
    estimator : estimator
        Being fitted.
    X, y, sample_weight, groups
        As they were given to ``fit``.
    multi_output : bool
        Whether y may have several columns.
    numeric : bool or None
        Whether y are numbers; None: of regressors.
    reset : bool
        Whether the columns are new to the estimator; otherwise they must be those it knows.
    fewest : int
        Rows there must be.
    sparse_formats : tuple of str
        Of sparse matrices.
    stored : bool
        Whether X may be stored elsewhere than in memory; if not, a memory-mapped array is taken as
        an array and everything else refused.
    """
    numeric = is_regressor(estimator) if numeric is None else numeric
    wanted = Wanted(y, sample_weight, groups)
    check_targets(y)
    with with_remedies():
        if stored:
            found = opened(X, wanted, None if reset else encoding_of(estimator))
        else:
            found = None
            _refuse_stored(estimator, X)
        if found is None:
            X, y = validate_data(
                estimator,
                X,
                y,
                reset=reset,
                accept_sparse=sparse_formats,
                multi_output=multi_output,
                y_numeric=numeric,
                ensure_min_samples=fewest,
            )
            rows = X
        else:
            X, sample_weight, groups = found.table, found.sample_weight, found.groups
            rows = stand_in(X)
            y = _checked_targets(estimator, found, multi_output, numeric, fewest)
            _check_columns(estimator, X, reset)
    with with_remedies("sample_weight"):
        weights = _check_sample_weight(
            sample_weight, rows, dtype=np.float64, ensure_non_negative=True
        )
    return Entered(X, y, weights, groups, rows)


def open_rows(X: Any, y: Any, sample_weight: Any, groups: Any) -> Opened:
    """A stored table, and what belongs to its rows, before an estimator is fitted to it."""
    found = opened(X, Wanted(y, sample_weight, groups))
    assert found is not None  # the caller knows that X is stored
    return found


def _refuse_stored(estimator: Any, X: Any) -> None:
    if is_elsewhere(X):
        why = getattr(estimator, "_needs_memory", "")
        remedy = getattr(estimator, "_in_place_of_memory", "")
        raise ValueError(
            f"{type(estimator).__name__} needs the rows in memory{why}, but X is a "
            f"{type(X).__name__}; expected an array, a DataFrame or a sparse matrix: "
            f"load the rows, or as many of them as fit{remedy}."
        )


def stored_columns(estimator: Any, X: Any, columns: Array) -> Array | None:
    """Some columns of a stored table to predict, (rows, columns); None for X in memory."""
    found = opened(X, Wanted(), encoding_of(estimator))
    if found is None:
        return None
    _check_columns(estimator, found.table, reset=False)
    read: Array = columns_of(found.table, columns)
    _check_finite(read)
    return read


def stored_rows(estimator: Any, X: Any) -> Rows | None:
    """Rows of a stored table to predict; None for X in memory."""
    found = opened(X, Wanted(), encoding_of(estimator))
    if found is None:
        return None
    _check_columns(estimator, found.table, reset=False)
    return as_rows(found.table, np.zeros(found.table.shape[0]))


def stored_outputs(
    estimator: Any,
    X: Any,
    coef: Array,
    intercept: Array,
    made: Callable[[Rows], Rows] | None = None,
) -> Array | None:
    """Outputs of a linear model of all columns on a stored table; None for X in memory.

    Parameters
    ----------
    estimator : estimator
        Fitted.
    X : path, memory-mapped array or RowBlocks
        Rows to predict.
    coef, intercept : arrays of shape (targets, n) and (targets,)
        The model.
    made : callable, optional
        From the rows to those whose columns the model is of, where these are not its own.

    Returns
    -------
    array of shape (rows, targets) or None
    """
    rows = stored_rows(estimator, X)
    if rows is None:
        return None
    rows = rows if made is None else made(rows)
    _, states = rows.sweep(_outputs, None, (coef, intercept, np.zeros(coef.shape[1])))
    return rows.gather(states, "outputs").T


def _outputs(block: Block, state: State, shared: tuple[Array, ...]) -> tuple[Totals, State]:
    coef, intercept, origin = shared
    outputs = block.outputs(coef, slice(0, len(block.weights)), origin)
    return Totals(), {"outputs": outputs + intercept[:, None]}


def _check_finite(columns: Array) -> None:
    if not np.isfinite(columns).all():
        raise ValueError(
            "Input X contains NaN or infinity; expected finite numbers: replace these entries or "
            "drop their rows."
        )


def encoding_of(estimator: Any) -> Any:
    """What a fitted estimator kept of the table it was fitted on."""
    return getattr(estimator, "_encoding", None)


def stand_in(table: Stored) -> Array:
    """As many rows as the table has, one number in memory."""
    return np.broadcast_to(np.zeros(1), (table.shape[0], 1))


def _checked_targets(
    estimator: Any, found: Opened, multi_output: bool, numeric: bool, fewest: int
) -> Array:
    """Targets as ``validate_data`` makes them."""
    n_rows, n_columns = found.table.shape
    if found.y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None; "
            "expected the targets of all rows: pass y, or blocks (X, y)."
        )
    if n_rows < fewest or n_columns < 1:
        raise ValueError(
            f"Found array with {n_rows} sample(s) and {n_columns} feature(s) while a minimum of "
            f"{fewest} and 1 is required by {type(estimator).__name__}; pass more."
        )
    y = np.asarray(found.y)
    if multi_output and y.ndim > 1:
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
    else:
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
    if numeric and y.dtype.kind == "O":
        y = y.astype(np.float64)
    check_consistent_length(stand_in(found.table), y)
    return y


def _check_columns(estimator: Any, table: Stored, reset: bool) -> None:
    """Keep the columns of a table in the estimator, or check that they are those it knows."""
    names = None if table.names is None else np.array(table.names, dtype=object)
    if reset:
        estimator.n_features_in_ = table.shape[1]
        estimator.__dict__.pop("feature_names_in_", None)
        estimator._encoding = table.encoding
        if names is not None:
            estimator.feature_names_in_ = names
        return
    if table.shape[1] != estimator.n_features_in_:
        raise ValueError(
            f"X has {table.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input; pass the columns it was fitted on."
        )
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and names is not None and not np.array_equal(known, names):
        other = int(np.flatnonzero(known != names)[0])
        raise ValueError(
            f"column {other} of X is named {names[other]!r}, but {known[other]!r} in the data of "
            "fit; expected the same columns in the same order: reorder or rename them."
        )
