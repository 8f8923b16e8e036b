"""The honest error of selection and fit together: an outer loop that the search never sees.

The errors of a path are exact, and optimistic all the same: the rows that judge a model have also
chosen it. Here every outer split repeats the whole of it - search, choice of size and penalty,
fit - on its training rows, and is judged on rows that had no part in any of that.

**Fold sums are made once where they can be.** An estimator with a ``cv`` divides every outer
training set into inner folds. Rows that fall into the same fold everywhere make a *part*; where
there are few parts (contiguous folds, groups, years) one reading makes the moments of all of them,
and every outer training set is a sum of parts: :class:`.FoldMoments`, handed to ``fit_moments``.
Otherwise (shuffled inner folds, leave-one-out, error="zero_one", a ``scoring``) the estimator is
fitted on the rows of every outer split.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from inspect import signature
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing, assert_all_finite, indexable
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import _check_sample_weight

from holdfast.estimators.checks import check_weights, with_remedies
from holdfast.estimators.entering import open_rows, stand_in
from holdfast.estimators.fold_moments import FoldMoments
from holdfast.estimators.folds import (
    check_pairs,
    is_leave_one_out,
    resolve_pairs,
    resolve_splits,
)
from holdfast.estimators.nested_choice import choice_of
from holdfast.estimators.nested_errors import judge_of
from holdfast.rows.memory import available_bytes
from holdfast.rows.row_blocks import is_elsewhere
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array

_SHARE_OF_MEMORY = 0.25


@dataclass(frozen=True)
class NestedScore:
    """Errors of a whole procedure on rows it has not seen.

    Attributes
    ----------
    error : float
        ``sum w e^2 / sum w`` over all pairs of an outer split and a row it holds out, mean over
        targets (of classifiers the -1 / +1 coded ones, with the squared hinge in place of the
        square for :class:`LarsSVC`; with ``error="zero_one"``, or without a decision function, the
        weighted share of wrong labels).
    std_error : float
        Spread (ddof 1) of the errors of the splits over the square root of how many there are.
    fold_errors : array of shape (K,)
        Error of every outer split; NaN where it holds out no weight.
    wrong : float or None
        Of classifiers: the weighted share of wrong labels, whatever the error is.
    held_out_predictions : array of shape (m,) or (m, targets)
        Predictions, of classifiers decision values (without a decision function numbers of the
        classes), by models that have not seen the row; mean over the splits that hold it out, NaN
        where none does.
    sizes : int array of shape (K,)
        Number of features chosen in every split; a group counts as one. Of a pipeline, or of a
        search for parameters, that of the model inside.
    supports : bool array of shape (K, n) or None
        Columns chosen in every split; None of a pipeline whose transformers make new columns.
    inner_errors : array of shape (K,)
        What the procedure itself believed its error to be in every split, minus the
        ``best_score_`` of the model inside; NaN where it does not say.
    estimators : list of estimators
        The models of the splits, in their order.
    shared_moments : bool
        Whether the splits were fitted from fold sums that were made once.
    """

    error: float
    std_error: float
    fold_errors: Array
    wrong: float | None
    held_out_predictions: Array
    sizes: Array
    supports: Array | None
    inner_errors: Array
    estimators: list[Any]
    shared_moments: bool

    @property
    def selection_share(self) -> Array | None:
        """Share of the splits that chose every column, (n,): how stable the choice is."""
        return None if self.supports is None else self.supports.mean(axis=0)

    @property
    def optimism(self) -> float:
        """The error less what the procedure believed it to be: positive where it flatters."""
        return self.error - float(np.mean(self.inner_errors))


def nested_score(
    estimator: Any,
    X: Any,
    y: Any = None,
    outer_cv: Any = 10,
    *,
    sample_weight: Any = None,
    groups: Any = None,
    n_jobs: int | None = None,
) -> NestedScore:
    """The honest error of an estimator: search, choices and fit repeated in every outer split.

    Parameters
    ----------
    estimator : estimator
        Any regressor or classifier; it is cloned, not changed.
    X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
        Rows.
    y : array of shape (m,) or (m, targets)
        Targets or labels; the name of a column where the rows have names, None where blocks bring
        them.
    outer_cv : int, splitter or iterable of (train, test), default=10
        The outer splits, as scikit-learn's ``check_cv``.
    sample_weight : array of shape (m,), optional
        Non-negative weights, in training and in the error.
    groups : array of shape (m,), optional
        Groups of rows, for the outer splits and for an estimator whose ``cv`` holds out groups.
    n_jobs : int or None, default=None
        Outer splits fitted side by side, as in scikit-learn; None for stored rows.

    Returns
    -------
    NestedScore
        Errors, held-out predictions, and what was chosen in every split.

    Notes
    -----
    Exact: equal to refitting on every outer training set. Cost: K fits, or, where outer and inner
    folds divide the rows into few parts, one reading of X and K searches from their moments.

    Rows that are not in memory stay where they are: a model is fitted on all of them, those that
    its split holds out having no weight, with the inner splits of its training rows; and they are
    read once or twice more for the predictions of every split.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from holdfast import ForwardRidge, nested_score
    >>> X, y = load_diabetes(return_X_y=True)
    >>> search = ForwardRidge(standardize=True, alphas=[0.1, 1, 10])
    >>> nested = nested_score(search, X, y, outer_cv=5)
    >>> nested.sizes.tolist()
    [6, 6, 7, 7, 6]
    """
    stored = is_elsewhere(X)
    if stored:
        _check_stored(estimator, n_jobs)
        X, y, sample_weight, groups = open_rows(X, y, sample_weight, groups)
    X = X if hasattr(X, "shape") else np.asarray(X)
    if len(X.shape) != 2:
        raise ValueError(
            f"X has shape {X.shape}; expected rows and columns: reshape one column by "
            "X.reshape(-1, 1)."
        )
    like_X = stand_in(X) if stored else X
    with with_remedies():
        like_X, y, groups = indexable(like_X, np.asarray(y), groups)
        assert_all_finite(y, input_name="y")
    X = X if stored else like_X
    weights = _check_sample_weight(
        sample_weight, like_X, dtype=np.float64, ensure_non_negative=True
    )
    check_weights(weights)
    splitter = check_cv(outer_cv, y, classifier=is_classifier(estimator))
    pairs = check_pairs(splitter.split(like_X, y, groups), weights, outer_cv)
    given = {
        "sample_weight": None if sample_weight is None else weights,
        "groups": groups if _takes_groups(estimator) else None,
    }
    told = {name: value for name, value in given.items() if value is not None}
    shared = _shared_moments(estimator, X, like_X, y, pairs, weights, groups)
    if shared is None and stored:
        rows = _Rows(X, like_X, y, weights, given["groups"])
        fits = (delayed(_fitted_in_place)(clone(estimator), rows, train) for train, _ in pairs)
    elif shared is None:
        fits = (delayed(_fitted)(clone(estimator), X, y, told, train) for train, _ in pairs)
    else:
        fits = (delayed(_from_moments)(clone(estimator), moments) for moments in shared)
    models = Parallel(n_jobs=n_jobs)(fits)
    shown = (_AllRows if stored else _SomeRows)(X)
    return _judged(models, shown, y, pairs, weights, shared is not None)


def _takes_groups(estimator: Any) -> bool:
    """Whether ``fit`` has a use for groups."""
    known = "groups" in signature(estimator.fit).parameters
    return known and not is_leave_one_out(getattr(estimator, "cv", None))


def _fitted(model: Any, X: Any, y: Array, told: dict[str, Array], train: Array) -> Any:
    of_rows = {name: _safe_indexing(value, train) for name, value in told.items()}
    return model.fit(_safe_indexing(X, train), y[train], **of_rows)


class _Rows(NamedTuple):
    """Stored rows, what stands for them where they are counted, and what belongs to them."""

    X: Any
    like_X: Array
    y: Array
    weights: Array
    groups: Any


def _fitted_in_place(model: Any, rows: _Rows, train: Array) -> Any:
    """The model of some of the rows: the others have no weight, and are in no inner split."""
    weights = np.zeros_like(rows.weights)
    weights[train] = rows.weights[train]
    cv = getattr(model, "cv", None)
    if is_leave_one_out(cv):
        return model.fit(rows.X, rows.y, sample_weight=weights)
    pairs = resolve_pairs(
        cv,
        rows.like_X[train],
        rows.y[train],
        None if rows.groups is None else _safe_indexing(rows.groups, train),
        weights[train],
        classifier=is_classifier(model),
    )
    model.set_params(cv=[(train[one], train[other]) for one, other in pairs or []])
    return model.fit(rows.X, rows.y, sample_weight=weights).set_params(cv=cv)


def _check_stored(estimator: Any, n_jobs: int | None) -> None:
    if not getattr(estimator, "_takes_stored", False):
        raise ValueError(
            f"{type(estimator).__name__} takes arrays, but X is not in memory; expected an "
            "estimator of this package that reads rows where they are, for instance RidgeCV: take "
            "one, or load the rows."
        )
    if n_jobs not in (None, 1):
        raise ValueError(
            f"n_jobs={n_jobs} was asked for, but X is not in memory, and is read by one fit after "
            "the other; expected None: leave it out."
        )


def _from_moments(model: Any, moments: FoldMoments) -> Any:
    return model.fit_moments(moments)


# -- fold sums that are made once ----------------------------------------------------------


def _shared_moments(
    estimator: Any,
    X: Any,
    like_X: Any,
    y: Array,
    pairs: Sequence[tuple[Array, Array]],
    weights: Array,
    groups: Any,
) -> list[FoldMoments] | None:
    """Moments of the inner folds of every outer training set, from one reading; None if not so.

    None where the estimator needs rows, where inner folds are not folds (overlapping, with rows in
    neither part), or where there are so many parts that adding them up costs more than reading.
    """
    if not _lives_on_moments(estimator) or type_of_target(y).startswith("multilabel"):
        return None
    places = np.full((len(pairs), len(y)), -2)
    for place, (train, _) in zip(places, pairs, strict=True):
        splits = resolve_splits(
            estimator.cv,
            _safe_indexing(like_X, train),
            y[train],
            None if groups is None else _safe_indexing(groups, train),
            weights[train],
            classifier=is_classifier(estimator),
        )
        labels = None if splits is None else _fold_labels(splits)
        if labels is None:
            return None
        place[train] = labels
    of_parts, parts = np.unique(places, axis=1, return_inverse=True)
    n_parts, n_columns = of_parts.shape[1], X.shape[1]
    available = available_bytes()
    largest = of_parts.max() + 1
    if n_parts * largest > len(y) / 2 or (
        available is not None and 8 * n_parts * n_columns**2 > _SHARE_OF_MEMORY * available
    ):
        return None
    classes = np.unique(y) if is_classifier(estimator) else None
    moments = FoldMoments(classes=classes).update(X, y, parts.ravel(), weights)
    return [moments._regrouped(of_split) for of_split in of_parts]


def _lives_on_moments(estimator: Any) -> bool:
    """Whether ``fit_moments`` does all that ``fit`` would do."""
    return (
        hasattr(estimator, "fit_moments")
        and not is_leave_one_out(estimator.cv)
        and getattr(estimator, "scoring", None) is None
        and getattr(estimator, "error", "squared") == "squared"
        and not estimator.store_cv_results
    )


def _fold_labels(splits: Splits) -> Array | None:
    """The fold that holds out every row, -1 for none; None if splits are not folds."""
    times, each = splits.held.sum(axis=0), splits.held.sum(axis=1)
    folds = len(splits.labels) == 1 and times.max() <= 1 and (each == 1).all()
    if not folds or not np.array_equal(splits.train, ~splits.held):
        return None
    return np.where(times > 0, splits.held.argmax(axis=0), -1)[splits.labels[0]]


# -- what was held out ---------------------------------------------------------------------


class _SomeRows:
    """Rows in memory, of which a model is shown those that it is asked about."""

    def __init__(self, X: Any) -> None:
        self._X, self.n_columns = X, X.shape[1]

    def to(self, model: Any, held: Array) -> tuple[Any, Any]:
        """A model, and held-out rows that it predicts."""
        return model, _safe_indexing(self._X, held)


class _AllRows:
    """Stored rows: a model is shown all of them, and what it says of some is used."""

    def __init__(self, X: Any) -> None:
        self._X, self.n_columns = X, X.shape[1]

    def to(self, model: Any, held: Array) -> tuple[Any, Any]:
        """What says of all rows what the model says of held-out ones."""
        return _Says(model, held), self._X


class _Says:
    """A model that is asked about all rows and answers for some."""

    def __init__(self, model: Any, rows: Array) -> None:
        self._model, self._rows = model, rows

    def predict(self, X: Any) -> Array:
        said: Array = self._model.predict(X)[self._rows]
        return said

    def decision_function(self, X: Any) -> Array:
        said: Array = self._model.decision_function(X)[self._rows]
        return said


def _judged(
    models: list[Any],
    shown: _SomeRows | _AllRows,
    y: Array,
    pairs: Sequence[tuple[Array, Array]],
    weights: Array,
    shared: bool,
) -> NestedScore:
    """Errors of the models on what they have not seen."""
    judge = judge_of(models, y, weights)
    losses, wrong, masses = (np.zeros(len(pairs)) for _ in range(3))
    predictions = np.zeros((len(y), *judge.shape))
    times = np.zeros((len(y),) + (1,) * len(judge.shape))
    for number, (model, (_, held)) in enumerate(zip(models, pairs, strict=True)):
        asked, rows = shown.to(model, held)
        outputs, named_wrong = judge.outputs(asked, rows), judge.wrong(asked, rows, held)
        mass = judge.weights[held]
        masses[number] = mass.sum()
        losses[number] = judge.errors(outputs, named_wrong, held) @ mass
        wrong[number] = named_wrong @ mass
        predictions[held] += outputs
        times[held] += 1
    counted = masses > 0
    fold_errors = np.full(len(pairs), np.nan)
    np.divide(losses, masses, out=fold_errors, where=counted)
    n_folds = int(counted.sum())
    spread = float(fold_errors[counted].std(ddof=1)) if n_folds > 1 else np.nan
    choices = [choice_of(model, shown.n_columns) for model in models]
    supports = [choice.support for choice in choices if choice.support is not None]
    return NestedScore(
        error=float(losses.sum() / masses.sum()),
        std_error=spread / n_folds**0.5,
        fold_errors=fold_errors,
        wrong=float(wrong.sum() / masses.sum()) if judge.labelled else None,
        held_out_predictions=predictions / np.where(times > 0, times, np.nan),
        sizes=np.array([choice.size for choice in choices], dtype=np.intp),
        supports=np.array(supports) if len(supports) == len(models) else None,
        inner_errors=np.array([choice.believed for choice in choices]),
        estimators=models,
        shared_moments=shared,
    )
