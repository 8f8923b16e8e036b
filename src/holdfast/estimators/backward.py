"""Backward selection: regression and classification."""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.criteria.fold_removals import FoldRemovals
from holdfast.criteria.removals import Removals
from holdfast.estimators.checks import check_alphas
from holdfast.estimators.faces import ClassifierFace, RegressorFace
from holdfast.estimators.openings import bytes_of_all_moments
from holdfast.estimators.selection import (
    FoldCount,
    MomentsSelector,
    MoveTasks,
    Problem,
    RidgeSelector,
)
from holdfast.rows.memory import available_bytes
from holdfast.searches.alphas import N_AUTOMATIC
from holdfast.searches.backward import backward
from holdfast.searches.path import Visit


class BackwardRidge(RegressorFace, MomentsSelector):
    """Ridge regression on what is left after greedy removals by exact cross-validation.

    From all features, every move removes the one - and takes the penalty - that leaves the
    smallest exact hold-out error: what refitting without each row (``cv=None``), or without each
    fold, would give.

    Parameters
    ----------
    alphas : float, sequence of float or "auto", default=1.0
        Penalty, or a grid of which every move takes the best; ``"auto"`` makes a grid from
        the mean squared length of the columns. Never rescaled by the number of rows.
    fit_intercept : bool, default=True
        Whether to fit an unpenalised intercept.
    cv : None, int, splitter or iterable of (train, test), default=None
        None or ``LeaveOneOut()`` is exact leave-one-out. Anything else, as scikit-learn's
        ``check_cv``, is exact hold-out: the error of refitting on every training set.
    n_features_to_select : int, float, "best" or "1se", default="best"
        A number of features (the search goes there), a fraction of them, the smallest error
        (ties to the smaller model), or the smallest model whose error is at most the best
        plus its standard error. A group counts as one.
    max_features : int or None, default=None
        Bounds the choice of size: larger models are visited, not chosen.
    patience : int or None, default=20
        For ``"best"`` and ``"1se"``: moves without a new choice after which the search ends.
        None: never.
    standardize : bool, default=False
        Whether to divide columns by their weighted standard deviation: with folds that of
        every training set; under leave-one-out taken once from all rows, so that left-out
        rows take part, an effect of order 1/m on the error. ``coef_`` is for the columns as
        given.
    feature_groups : list of lists of columns, or None, default=None
        Columns that leave together, for instance one-hot blocks; indices or names. Every
        other column stands alone.
    include, exclude : list of columns or None, default=None
        Always in the model, never in the model; indices or names. A column names its group.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_`` and ``held_out_predictions_``.
    warm_start : bool, default=False
        Whether to go on from the path of the last fit, to the same data, instead of starting anew:
        after an interruption, which leaves the path so far, or to select more.

    Attributes
    ----------
    coef_ : array of shape (n,) or (targets, n)
        Coefficients over all columns, zero off the support.
    intercept_ : float or array of shape (targets,)
        Intercept.
    support_ : bool array of shape (n,)
        Selected columns.
    n_features_ : int
        Size of the chosen model; a group counts as one.
    selection_order_ : int array
        Columns in the order removed in the whole search, beyond the chosen size too.
    alpha_ : float
        Penalty of the chosen model.
    best_score_ : float
        Minus the error of the chosen model.
    alphas_, alpha_errors_ : arrays of shape (alphas,)
        The grid, and the chosen model's error at each of its penalties.
    path_sizes_, path_errors_, path_std_errors_, path_alphas_ : arrays of shape (entries,)
        Size, error, standard error and best penalty of every visited model, the starting
        model first.
    path_fold_errors_ : array of shape (entries, splits)
        Error of every split; with folds only. Its rounding is relative to the squares of the
        held-out targets (Notes): of a few rows that are predicted well, fewer digits are left.
    path_moves_ : list of (sign, columns)
        What was added (+1) or removed (-1), one fewer than entries.
    cv_results_ : array of shape (m, alphas) or (m, targets, alphas)
        With ``store_cv_results=True``: weighted squared held-out errors of every row under every
        penalty, of the chosen columns; mean over the splits that hold it out, NaN where none does.
    held_out_predictions_ : array of shape (m,) or (m, targets)
        Predictions by models trained without their row.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The objective is ``||y - Xw - b||^2 + alpha ||w||^2``. Exact: errors equal refitting
    every training set from scratch, up to rounding (ties within 1e-10: lowest column, then first
    penalty). The errors of a selected path
    are optimistic, the same rows having chosen the features: :func:`nested_score` has the
    honest error of the whole procedure.

    Weights count in training and in the error, ``sum w e^2 / sum w``. Columns that are
    constant (without an intercept: zero) cannot change the model: they are not in the starting
    model.

    Time per removal: O(m s + s^2) per penalty at s features; O(m n^2 + n^3) once, and at the
    rare refreshes that keep the digits. Memory: m x n products and an n x n inverse for every
    penalty, up to three times over; `fit` says what it would take and stops, before any work,
    where that does not fit. X itself is not copied; columns of ``exclude`` do not count.

    With K splits, time per removal: O(K R s^2); O(m n^2 + K n^3) once, and O(K s^3) at the rare
    refreshes. Memory: n^2 numbers for every split and part, a few times, and R n for every split
    and removal since the last refresh.
    By leave-one-out the error of a row of leverage h, until the columns span all rows, has a
    relative rounding of 1e-15 / (1 - h): a row s times the others keeps 5e-16 s^2. Below 8 digits
    there is a ConvergenceWarning.

    Products of columns in 16 digits leave an error of a split about 1e-16 of the held-out
    targets' squares, and where columns are nearly dependent, as with no more rows than columns,
    1e-15 trace(X'X) / alpha of them (about zero, without an intercept); a ConvergenceWarning
    says where no digit is left, and rounding decides.

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, T. Salakoski, "Speeding up greedy forward selection for
       regularized least-squares", ICMLA 2010, doi:10.1109/ICMLA.2010.55, section III.
    .. [2] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized
       parameter search for large datasets of the regularization parameter and feature selection
       for ridge regression", Neural Processing Letters 38 (2013), section 3.1 (folds).

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import BackwardRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 8))
    >>> y = 3 * X[:, 4] - 2 * X[:, 7] + 0.1 * rng.standard_normal(100)
    >>> model = BackwardRidge(n_features_to_select=2).fit(X, y)
    >>> model.get_support(indices=True).tolist()
    [4, 7]
    """

    def __init__(
        self,
        *,
        alphas: Any = 1.0,
        fit_intercept: bool = True,
        cv: Any = None,
        n_features_to_select: int | float | str = "best",
        max_features: int | None = None,
        patience: int | None = 20,
        standardize: bool = False,
        feature_groups: Any = None,
        include: Any = None,
        exclude: Any = None,
        store_cv_results: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.n_features_to_select = n_features_to_select
        self.max_features = max_features
        self.patience = patience
        self.standardize = standardize
        self.feature_groups = feature_groups
        self.include = include
        self.exclude = exclude
        self.store_cv_results = store_cv_results
        self.warm_start = warm_start

    _asks_for_all_columns = True

    def _check_memory(self, shape: tuple[int, int], n_views: int, folds: FoldCount | None) -> None:
        check_products_fit(self, shape, n_views, folds)

    def _search(self, problem: Problem) -> list[Visit]:
        return search_backward(self, problem)


class BackwardRidgeClassifier(ClassifierFace, MomentsSelector):
    """Ridge classifier on what is left after greedy removals by exact cross-validation.

    From all features, every move removes the one - and takes the penalty - that leaves the
    smallest exact hold-out error: what refitting without each row (``cv=None``), or without each
    fold, would give.

    Parameters
    ----------
    alphas : float, sequence of float or "auto", default=1.0
        Penalty, or a grid of which every move takes the best; ``"auto"`` makes a grid from
        the mean squared length of the columns. Never rescaled by the number of rows.
    fit_intercept : bool, default=True
        Whether to fit an unpenalised intercept.
    cv : None, int, splitter or iterable of (train, test), default=None
        None or ``LeaveOneOut()`` is exact leave-one-out. Anything else, as scikit-learn's
        ``check_cv``, is exact hold-out: the error of refitting on every training set.
    n_features_to_select : int, float, "best" or "1se", default="best"
        A number of features (the search goes there), a fraction of them, the smallest error
        (ties to the smaller model), or the smallest model whose error is at most the best
        plus its standard error. A group counts as one.
    max_features : int or None, default=None
        Bounds the choice of size: larger models are visited, not chosen.
    patience : int or None, default=20
        For ``"best"`` and ``"1se"``: moves without a new choice after which the search ends.
        None: never.
    standardize : bool, default=False
        Whether to divide columns by their weighted standard deviation: with folds that of
        every training set; under leave-one-out taken once from all rows, so that left-out
        rows take part, an effect of order 1/m on the error. ``coef_`` is for the columns as
        given.
    feature_groups : list of lists of columns, or None, default=None
        Columns that leave together, for instance one-hot blocks; indices or names. Every
        other column stands alone.
    include, exclude : list of columns or None, default=None
        Always in the model, never in the model; indices or names. A column names its group.
    error : {"squared", "zero_one"}, default="squared"
        What is minimised: the squared error of the -1 / +1 coded targets, or the weighted
        share of rows the classifier itself gets wrong (held out). The latter has no bound:
        every candidate is scored at every step from its held-out predictions, for every penalty
        O(m s) with s features left, with folds O(m s^2).
    class_weight : None, dict or "balanced", default=None
        Weights of the classes, by label; ``"balanced"`` weighs a class by rows / (classes *
        rows of the class), recomputed in every training set: exact, by one
        ledger (folds: moments) for every class.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_`` and ``held_out_predictions_``.
    warm_start : bool, default=False
        Whether to go on from the path of the last fit, to the same data, instead of starting anew:
        after an interruption, which leaves the path so far, or to select more.

    Attributes
    ----------
    coef_ : array of shape (1, n) or (classes, n)
        Coefficients over all columns, zero off the support.
    intercept_ : array of shape (1,) or (classes,)
        Intercept.
    classes_ : array
        Labels.
    support_ : bool array of shape (n,)
        Selected columns.
    n_features_ : int
        Size of the chosen model; a group counts as one.
    selection_order_ : int array
        Columns in the order removed in the whole search, beyond the chosen size too.
    alpha_ : float
        Penalty of the chosen model.
    best_score_ : float
        Minus the error of the chosen model.
    alphas_, alpha_errors_ : arrays of shape (alphas,)
        The grid, and the chosen model's error at each of its penalties.
    path_sizes_, path_errors_, path_std_errors_, path_alphas_ : arrays of shape (entries,)
        Size, error, standard error and best penalty of every visited model, the starting
        model first.
    path_fold_errors_ : array of shape (entries, splits)
        Error of every split; with folds only. Its rounding is relative to the squares of the
        held-out targets (Notes): of a few rows that are predicted well, fewer digits are left.
    path_moves_ : list of (sign, columns)
        What was added (+1) or removed (-1), one fewer than entries.
    cv_results_ : array of shape (m, 1 or classes, alphas)
        With ``store_cv_results=True``: weighted squared held-out errors of every row under every
        penalty, of the chosen columns; mean over the splits that hold it out, NaN where none does.
    held_out_predictions_ : array of shape (m,) or (m, targets)
        Decision values by models trained without their row.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The objective is ``||y - Xw - b||^2 + alpha ||w||^2``, targets coded -1 / +1, one
    column per class beyond two. Exact: errors equal refitting
    every training set from scratch, up to rounding (ties within 1e-10: lowest column, then first
    penalty). The errors of a selected path
    are optimistic, the same rows having chosen the features: :func:`nested_score` has the
    honest error of the whole procedure.

    Weights (``sample_weight`` times class weight) count in training and in the error,
    ``sum w e^2 / sum w``; there the class weights are those of all rows. Columns that are
    constant (without an intercept: zero) cannot change the model: they are not in the starting
    model.

    Time per removal: O(m s) per penalty at s features; O(m n min(m, n)) once, and at the rare
    refreshes that keep the digits. Memory: m x n products for every penalty (and class, when
    balanced); `fit` says what it would take and stops, before any work, where that does not
    fit. X itself is not copied.

    With K splits, time per removal: O(K R s^2); O(m n^2 + K n^3) once, and O(K s^3) at the rare
    refreshes. Memory: n^2 numbers for every split and part, a few times, and R n for every split
    and removal since the last refresh.
    By leave-one-out the error of a row of leverage h, until the columns span all rows, has a
    relative rounding of 1e-15 / (1 - h): a row s times the others keeps 5e-16 s^2. Below 8 digits
    there is a ConvergenceWarning.

    Products of columns in 16 digits leave an error of a split about 1e-16 of the held-out
    targets' squares, and where columns are nearly dependent, as with no more rows than columns,
    1e-15 trace(X'X) / alpha of them (about zero, without an intercept); a ConvergenceWarning
    says where no digit is left, and rounding decides.

    References
    ----------
    .. [1] T. Pahikkala, A. Airola, T. Salakoski, "Speeding up greedy forward selection for
       regularized least-squares", ICMLA 2010, doi:10.1109/ICMLA.2010.55, section III.
    .. [2] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized
       parameter search for large datasets of the regularization parameter and feature selection
       for ridge regression", Neural Processing Letters 38 (2013), section 3.1 (folds).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from holdfast import BackwardRidgeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = BackwardRidgeClassifier(standardize=True, n_features_to_select=4).fit(X, y)
    >>> model.get_support(indices=True).tolist()
    [7, 20, 21, 23]
    """

    def __init__(
        self,
        *,
        alphas: Any = 1.0,
        fit_intercept: bool = True,
        cv: Any = None,
        n_features_to_select: int | float | str = "best",
        max_features: int | None = None,
        patience: int | None = 20,
        standardize: bool = False,
        feature_groups: Any = None,
        include: Any = None,
        exclude: Any = None,
        error: str = "squared",
        class_weight: Any = None,
        store_cv_results: bool = False,
        warm_start: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.n_features_to_select = n_features_to_select
        self.max_features = max_features
        self.patience = patience
        self.standardize = standardize
        self.feature_groups = feature_groups
        self.include = include
        self.exclude = exclude
        self.error = error
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results
        self.warm_start = warm_start

    _asks_for_all_columns = True

    def _check_memory(self, shape: tuple[int, int], n_views: int, folds: FoldCount | None) -> None:
        check_products_fit(self, shape, n_views, folds)

    def _search(self, problem: Problem) -> list[Visit]:
        return search_backward(self, problem)


def search_backward(estimator: RidgeSelector, problem: Problem) -> list[Visit]:
    """Run the search of a backward estimator."""
    rule = problem.rule
    start = np.union1d(problem.included, problem.candidates)
    limit = max(rule.size if rule.kind == "size" else 0, len(problem.included))
    watch = MoveTasks(estimator, problem, max(len(start) - limit, 0) or None)
    ledger, visited = estimator._resumed(problem, start)
    path = backward(
        ledger,
        problem.included,
        rule=rule,
        limit=limit,
        patience=estimator.patience,
        watch=watch,
        visited=visited,
    )
    watch.close(path)
    return path


def check_products_fit(
    estimator: RidgeSelector, shape: tuple[int, int], n_views: int, folds: FoldCount | None
) -> None:
    """Stop before any work when what a backward search keeps does not fit into memory."""
    grid, available = check_alphas(estimator.alphas), available_bytes()
    n_alphas = N_AUTOMATIC if grid is None else len(grid)
    n_rows, n_columns = shape
    if folds is None:
        needed = Removals.memory(n_rows, n_columns, n_alphas, n_views)
        what = (
            f"{n_rows} x {n_columns} products and {n_columns} x {n_columns} inverses for each of "
            f"{n_alphas} penalties"
        )
        what += f" and {n_views} class views" if n_views > 1 else ""
        fewer = "exclude columns"
    else:
        needed = bytes_of_all_moments(n_columns, folds.parts, folds.splits)
        needed += FoldRemovals.memory(folds.splits, n_columns, n_alphas)
        what = f"{n_columns} x {n_columns} moments of each of {folds.splits} splits"
        fewer = "leave columns out of X"
    if available is not None and needed > available:
        raise MemoryError(
            f"backward selection keeps {what}: about {needed / 1e9:.1f} GB, but "
            f"{available / 1e9:.1f} GB of memory are free; use fewer alphas, {fewer}, or "
            "select forward."
        )
