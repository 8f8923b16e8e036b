"""Sufficient statistics of folds: choose penalties and columns without the data."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import column_or_1d

from holdfast.criteria.training_sets import Factors, factors_of
from holdfast.criteria.weighting import ClassWeights, class_codes, plain_classes
from holdfast.estimators.checks import check_magnitude
from holdfast.estimators.classes import class_weights, coded_labels
from holdfast.estimators.entering import enter
from holdfast.estimators.moments_digits import (
    following,
    lost_by_forgetting,
    lost_in_training,
    warn_of_lost_sums,
)
from holdfast.estimators.moments_file import StoredMoments, read_moments, write_moments
from holdfast.rows import as_rows
from holdfast.rows.moments import FullMoments, divided, full_moments
from holdfast.rows.sums import Array

_LARGEST_LABEL = 2**62


class Taken(NamedTuple):
    """Moments of parts, and what every split and the model on all rows takes of them."""

    moments: FullMoments
    factors: Factors
    whole: Factors


class FoldMoments(BaseEstimator):
    """Sums of products of the columns and targets, fold by fold.

    All that ``RidgeCV``, ``ForwardRidge``, ``BackwardRidge`` and their classifiers need of the
    data to choose by exact hold-out: accumulate it batch by batch, add that of other machines,
    take batches back, store it, and call the estimators' ``fit_moments`` - as often as wanted,
    for any penalties, intercept, standardisation, class weights or constraints, without the data.

    Parameters
    ----------
    classes : sequence of labels or None, default=None
        For classifiers: all labels there will be. Targets are then labels, and moments are kept
        class by class, so that any ``class_weight`` can be given later. None: numeric targets.

    Attributes
    ----------
    folds_ : list of (repeat, label)
        Folds seen so far, in the order of the splits.
    n_rows_ : int
        Rows of positive weight.
    n_targets_ : int
        Targets, as coded.
    classes_ : array
        Labels, sorted.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    RidgeCV, ForwardRidge, BackwardRidge : Their ``fit_moments`` takes this.

    Notes
    -----
    A fold is held out by one split, which trains on all other rows of its repeat; rows labelled
    -1 are never held out and are in every training set.

    Cost of `update`: one reading of X, O(m n^2) for every repeat. Memory: n^2 numbers for every
    fold (and class), whatever the number of rows and penalties. Exact: sums are taken about a point
    near the rows, so that columns like years or timestamps keep their digits; of columns with zeros
    in sparse X about zero. The point follows the mean of a column that has moved away from it by
    ten standard deviations; rows that lie far from all others, together in one batch or fold, still
    cost digits: (distance / spread)^2 * 1e-16, relatively. `forget` subtracts, and leaves the
    rounding errors of what it takes away: 1e-16 of the sums before it. A ConvergenceWarning is
    given by `forget`, and by `fit_moments`, where 1e-8 of the sums of a column is not left. A fold
    whose last row is taken is a fold no more.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import FoldMoments, ForwardRidge
    >>> rng = np.random.default_rng(0)
    >>> moments = FoldMoments()
    >>> for batch in range(3):
    ...     X = rng.standard_normal((100, 8))
    ...     y = X[:, 2] - X[:, 5] + rng.standard_normal(100)
    ...     moments = moments.update(X, y, folds=np.arange(100) % 5)
    >>> ForwardRidge(n_features_to_select=2).fit_moments(moments).selection_order_.tolist()
    [2, 5]
    """

    def __init__(self, *, classes: Any = None) -> None:
        self.classes = classes

    # -- accumulating ----------------------------------------------------------------------

    def update(self, X: Any, y: Any, folds: Any, sample_weight: Any = None) -> Self:
        """Add rows.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n)
            Rows.
        y : array of shape (m,) or (m, targets)
            Targets; labels if ``classes`` were given.
        folds : int array of shape (m,) or (m, repeats)
            Fold of every row in every repeat; -1 for rows that are never held out.
        sample_weight : array of shape (m,), optional
            Non-negative weights, in training and in the error.

        Returns
        -------
        self
        """
        self._add(self._of_batch(X, y, folds, sample_weight), +1)
        return self

    def forget(self, X: Any, y: Any, folds: Any, sample_weight: Any = None) -> Self:
        """Take rows back that were added before: the inverse of `update`, same arguments.

        Parameters
        ----------
        X, y, folds, sample_weight
            As they were given to `update`.

        Returns
        -------
        self
        """
        stored = self._filled("forget rows of")
        batch = self._of_batch(X, y, folds, sample_weight)
        unknown = [key for key in batch.keys if key not in stored.keys]
        if unknown or _counts_after(stored, batch, self._n_classes).min() < 0:
            where = f"fold {unknown[0]} has none" if unknown else "a fold has fewer"
            raise ValueError(
                f"rows were to be forgotten that were never added: {where}; expected the arguments "
                "of an earlier update: pass the batch as it was added."
            )
        self._add(batch, -1)
        if hasattr(self, "_stored"):
            sums = [(one.moments, self._of_all_rows(one)) for one in (stored, self._stored)]
            warn_of_lost_sums(lost_by_forgetting(*sums), "what was forgotten")
        return self

    def merge(self, other: FoldMoments) -> Self:
        """Add the sums of another object, for instance of another machine.

        Folds with the same repeat and label are the same fold.

        Parameters
        ----------
        other : FoldMoments
            Left as it is.

        Returns
        -------
        self
        """
        if not hasattr(other, "_filled"):
            raise TypeError(
                f"merge takes FoldMoments, got {type(other).__name__}; make one from the rows with "
                "FoldMoments().update(X, y, folds)."
            )
        if not hasattr(other, "_stored"):
            return self
        if hasattr(self, "_stored"):
            self._check_same(self._stored, other._stored, "the other moments have")
        else:
            mine = None if self.classes is None else np.unique(self.classes).tolist()
            if mine != other._stored.classes:
                raise ValueError(
                    f"the other moments have classes {other._stored.classes}, these {mine}; "
                    "expected the same: make both with the same FoldMoments(classes=...)."
                )
            self._know(other._stored)
        self._add(other._stored, +1)
        return self

    def _of_batch(self, X: Any, y: Any, folds: Any, sample_weight: Any) -> StoredMoments:
        """Moments of a batch, and what its parts are called."""
        regression = self.classes is None
        X, y, weights, _, like_X = enter(
            self,
            X,
            y,
            sample_weight,
            None,
            multi_output=regression,
            numeric=regression,
            reset=not hasattr(self, "_stored"),
            fewest=1,
        )
        labels = check_folds(folds, len(weights))
        targets = self._coded(y)
        for name, values in (("X", like_X), ("y", targets), ("sample_weight", weights)):
            check_magnitude(name, values)
        rows = as_rows(X, targets, weights)
        pairs = {(r, int(v)) for r, column in enumerate(labels.T) for v in np.unique(column)}
        keys = sorted(pairs)
        number = {key: position for position, key in enumerate(keys)}
        codes = class_codes(targets.reshape(len(targets), -1).T, self._n_classes)
        parts = np.empty((labels.shape[1], len(labels)), dtype=np.intp)
        for repeat, column in enumerate(labels.T):
            values, inverse = np.unique(column, return_inverse=True)
            numbers = np.array([number[repeat, int(value)] for value in values])
            parts[repeat] = numbers[inverse] * self._n_classes + codes
        n_parts = len(keys) * self._n_classes
        batch = StoredMoments(
            full_moments(rows, divided(rows, parts), n_parts),
            keys,
            getattr(self, "feature_names_in_", np.empty(0, dtype=object)).tolist(),
            None if regression else self.classes_.tolist(),
            targets.ndim == 1,
        )
        if hasattr(self, "_stored"):
            self._check_same(self._stored, batch, "this batch has")
        return batch

    def _add(self, batch: StoredMoments, sign: int) -> None:
        if not hasattr(self, "_stored"):
            self._keep(batch)
            return
        stored = self._stored
        margins = stored.moments.margins
        moved = batch.moments.moved(margins.centre, margins.target_centre)
        union = sorted({*stored.keys, *batch.keys})
        n_parts = len(union) * self._n_classes
        mine = stored.moments.spread_over(_places(stored.keys, union, self._n_classes), n_parts)
        theirs = moved.spread_over(_places(batch.keys, union, self._n_classes), n_parts)
        both = stored._replace(moments=mine.plus(theirs, sign), keys=union)
        self._keep(both._replace(moments=following(both.moments, self._of_all_rows(both))))

    def _of_all_rows(self, stored: StoredMoments) -> Array:
        """One for the parts of the first repeat, which hold every row once."""
        first = [float(repeat == 0) for repeat, _ in stored.keys]
        return np.repeat(first, self._n_classes)

    def _keep(self, stored: StoredMoments) -> None:
        """Store the sums, but none of a fold without rows of positive weight: it is no fold."""
        rows = stored.moments.margins.counts.reshape(len(stored.keys), -1).sum(axis=1)
        filled = np.flatnonzero(rows)
        if len(filled) == 0:
            self.__dict__.pop("_stored", None)
            return
        if len(filled) < len(rows):
            keys = [stored.keys[place] for place in filled]
            places = _places(keys, stored.keys, self._n_classes)
            moments = stored.moments.added_up(places, np.arange(len(places)), len(places))
            stored = stored._replace(moments=moments, keys=keys)
        self._stored = stored

    def _check_same(self, stored: StoredMoments, batch: StoredMoments, has: str) -> None:
        for what, mine in stored.described.items():
            if batch.described[what] != mine:
                raise ValueError(
                    f"{has} {what} {batch.described[what]}, earlier ones {mine}; expected the same "
                    "in all: start another FoldMoments for other data."
                )

    def _coded(self, y: Any) -> Array:
        if self.classes is None:
            return np.asarray(y, dtype=np.float64)
        self.classes_ = np.unique(self.classes)
        if len(self.classes_) < 2:
            raise ValueError(
                f"classes={self.classes!r} names fewer than two labels; expected all labels there "
                "will be: FoldMoments(classes=[...])."
            )
        labels = column_or_1d(y)
        unknown = ~np.isin(labels, self.classes_)
        if unknown.any():
            raise ValueError(
                f"y holds the label {labels[unknown].tolist()[0]!r}, classes are "
                f"{self.classes_.tolist()}; expected labels among these: name all of them in "
                "FoldMoments(classes=...)."
            )
        return coded_labels(np.searchsorted(self.classes_, labels), len(self.classes_))

    @property
    def _n_classes(self) -> int:
        return 1 if self.classes is None else len(np.unique(self.classes))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    # -- what there is ---------------------------------------------------------------------

    @property
    def folds_(self) -> list[tuple[int, int]]:
        """Folds seen so far, (repeat, label), in the order of the splits."""
        return [key for key in self._filled("list the folds of").keys if key[1] >= 0]

    @property
    def n_rows_(self) -> int:
        """Rows of positive weight."""
        stored = self._filled("count the rows of")
        return int(self._of_classes(stored).sum())

    @property
    def n_targets_(self) -> int:
        """Number of targets, as coded."""
        return int(self._filled("count the targets of").moments.margins.squares.shape[1])

    def _of_classes(self, stored: StoredMoments) -> Array:
        """Rows of positive weight by class, (classes,)."""
        first = [repeat == 0 for repeat, _ in stored.keys]
        counts = stored.moments.margins.counts.reshape(len(stored.keys), -1)
        by_class: Array = counts[first].sum(axis=0)
        return by_class

    def _filled(self, what: str) -> StoredMoments:
        if not hasattr(self, "_stored"):
            raise ValueError(
                f"there are no rows yet to {what} these moments; expected at least one update: "
                "call update(X, y, folds) first."
            )
        return self._stored

    def _regrouped(self, folds: Array) -> FoldMoments:
        """Moments of other folds, which are sums of these: every fold gets a label.

        Parameters
        ----------
        folds : int array of shape (folds,)
            For every fold, in the order of `folds_`, the fold it becomes part of; -1 where it is
            never held out, -2 where its rows are left out.
        """
        stored = self._filled("regroup")
        kept = np.flatnonzero(folds > -2)
        labels = np.unique(folds[kept])
        places = (kept[:, None] * self._n_classes + np.arange(self._n_classes)).ravel()
        groups = _places(
            [(0, int(label)) for label in folds[kept]],
            [(0, int(label)) for label in labels],
            self._n_classes,
        )
        n_parts = len(labels) * self._n_classes
        regrouped = FoldMoments(classes=self.classes)
        regrouped._know(stored)
        regrouped._stored = stored._replace(
            moments=stored.moments.added_up(places, groups, n_parts),
            keys=[(0, int(label)) for label in labels],
        )
        return regrouped

    # -- for the estimators ----------------------------------------------------------------

    def _taken(self, class_weight: Any) -> Taken:
        """The moments, and what every split takes of them."""
        stored = self._filled("fit")
        repeats, values = np.array(stored.keys).T
        held_keys = np.flatnonzero(values >= 0)
        held = np.eye(len(stored.keys), dtype=bool)[held_keys]
        train = (repeats[held_keys][:, None] == repeats) & ~held
        counts = stored.moments.margins.counts
        self._check_splits(train, held, counts.reshape(len(stored.keys), -1).sum(axis=1))
        classes = self._class_weights(class_weight)
        return Taken(stored.moments, *factors_of(train, held, repeats == 0, classes, counts))

    def _class_weights(self, class_weight: Any) -> ClassWeights:
        """How classes count; moments are kept by class whether or not classes count alike."""
        counts = self._of_classes(self._filled("fit"))
        if self.classes is None or class_weight is None:
            return plain_classes(counts)
        return class_weights(class_weight, self.classes_, counts)

    def _check_splits(self, train: Array, held: Array, counts: Array) -> None:
        for what, parts in (("trains on", train), ("holds out", held)):
            rows = parts @ counts
            few = np.flatnonzero(rows == 0)
            if len(parts) == 0 or len(few):
                which = "there are no folds, all rows are labelled -1"
                if len(few):
                    which = f"fold {self.folds_[few[0]]} {what} 0 rows"
                raise ValueError(
                    f"{which}; expected folds that train on at least 1 row of positive weight and "
                    "hold out at least 1: add rows with other fold labels."
                )

    # -- files -----------------------------------------------------------------------------

    def save(self, path: Any) -> None:
        """Write the moments to a file, whole or not at all (NumPy's ``.npz``, no pickles).

        Parameters
        ----------
        path : str or path
            Where; a file that stands there is replaced.
        """
        write_moments(path, self._filled("save"))

    @classmethod
    def load(cls, path: Any) -> Self:
        """Moments from a file written by `save`; nothing in it is executed.

        Parameters
        ----------
        path : str or path
            The file.

        Returns
        -------
        FoldMoments
        """
        stored = read_moments(path)
        moments = cls(classes=stored.classes)
        moments._know(stored)
        moments._stored = stored
        return moments

    def _know(self, stored: StoredMoments) -> None:
        """What is known of the columns and labels."""
        self.n_features_in_ = len(stored.moments.margins.centre)
        if stored.names:
            self.feature_names_in_ = np.array(stored.names, dtype=object)
        if stored.classes is not None:
            self.classes_ = np.unique(stored.classes)


def open_moments(estimator: Any, moments: Any, wants_results: bool) -> Taken:
    """What an estimator takes of moments; what they know of columns and labels is kept in it.

    Parameters
    ----------
    estimator : estimator
        Being fitted; a classifier has ``classes_`` afterwards.
    moments : FoldMoments
        With rows.
    wants_results : bool
        Whether held-out predictions are asked for, which need the rows.
    """
    if not hasattr(moments, "_filled"):
        raise TypeError(
            f"fit_moments takes FoldMoments, got {type(moments).__name__}; make them with "
            "FoldMoments().update(X, y, folds), or use fit(X, y)."
        )
    if is_classifier(estimator) == (moments.classes is None):
        raise ValueError(
            f"{type(estimator).__name__} was given moments of "
            + ("numeric targets" if moments.classes is None else "labels")
            + "; expected moments of labels for classifiers and of numbers for regressors: make "
            "them with FoldMoments(classes=...), or without."
        )
    if wants_results:
        raise ValueError(
            "store_cv_results=True asks for held-out predictions, which need the rows; expected "
            "fit(X, y): use it instead of fit_moments, or set store_cv_results=False."
        )
    stored = moments._filled("fit")
    taken: Taken = moments._taken(getattr(estimator, "class_weight", None))
    if estimator.fit_intercept:
        warn_of_lost_sums(lost_in_training(taken.moments, taken.factors.train), "rows far away")
    estimator.n_features_in_ = moments.n_features_in_
    estimator.__dict__.pop("feature_names_in_", None)
    if stored.names:
        estimator.feature_names_in_ = moments.feature_names_in_
    if stored.classes is not None:
        estimator.classes_ = moments.classes_
    estimator._target_shape = () if stored.flat else (moments.n_targets_,)
    return taken


def check_folds(folds: Any, n_rows: int) -> Array:
    """Labels of folds as integers, (m, repeats)."""
    labels = np.asarray(folds)
    if labels.ndim == 1:
        labels = labels[:, None]
    if labels.ndim != 2 or len(labels) != n_rows or labels.shape[1] == 0:
        raise ValueError(
            f"folds has shape {np.shape(folds)}, X has {n_rows} rows; expected one label for every "
            "row, or one for every row and repeat: pass shape (m,) or (m, repeats)."
        )
    if labels.dtype.kind in "iuf":
        good = (labels >= -1) & (labels < _LARGEST_LABEL) & (labels == np.floor(labels))
    else:
        good = np.zeros(labels.shape, dtype=bool)
    if not good.all():
        raise ValueError(
            f"folds holds labels such as {labels[~good].tolist()[0]!r}; expected integers from 0 "
            "on, and -1 for rows that are never held out: number the folds."
        )
    return labels.astype(np.int64)


def _counts_after(stored: StoredMoments, batch: StoredMoments, n_classes: int) -> Array:
    """Rows of every part when those of the batch are gone."""
    counts = stored.moments.margins.counts.copy()
    counts[_places(batch.keys, stored.keys, n_classes)] -= batch.moments.margins.counts
    return counts


def _places(keys: list[tuple[int, int]], union: list[tuple[int, int]], n_classes: int) -> Array:
    """Where the parts of some folds, by class, stand among those of all."""
    number = {key: position for position, key in enumerate(union)}
    first = np.array([number[key] for key in keys], dtype=np.intp) * n_classes
    places: Array = (first[:, None] + np.arange(n_classes)).ravel()
    return places
