"""Forward selection: regression and classification."""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.estimators.faces import ClassifierFace, RegressorFace
from holdfast.estimators.selection import MomentsSelector, MoveTasks, Problem, RidgeSelector
from holdfast.rows.sums import Array
from holdfast.searches.forward import forward
from holdfast.searches.path import Visit


class ForwardRidge(RegressorFace, MomentsSelector):
    """Ridge regression on features added greedily by exact cross-validation.

    From the intercept (and ``include``), every move adds the feature - and takes the penalty -
    with the smallest exact hold-out error: what refitting without each row (``cv=None``), or
    without each fold, would give, for every candidate, at the cost of about one product with X
    per selected feature.

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
        Bounds the choice of size and ends the search.
    patience : int or None, default=20
        For ``"best"`` and ``"1se"``: moves without a new choice after which the search ends.
        None: never.
    floating : bool, default=False
        Whether to drop features after an addition whenever that gives a model better than
        the best seen of that size.
    standardize : bool, default=False
        Whether to divide columns by their weighted standard deviation: with folds that of
        every training set; under leave-one-out taken once from all rows, so that left-out
        rows take part, an effect of order 1/m on the error. ``coef_`` is for the columns as
        given.
    feature_groups : list of lists of columns, or None, default=None
        Columns that enter together, for instance one-hot blocks; indices or names. Every
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
        Columns in the order added in the whole search, beyond the chosen size too;
        with ``floating`` those of the chosen model, by last entry.
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
    every training set from scratch, up to rounding; the selection is that of exhaustive scoring
    (ties within 1e-10: lowest column, then first penalty). The errors of a selected path
    are optimistic, the same rows having chosen the features: :func:`nested_score` has the
    honest error of the whole procedure.

    Weights count in training and in the error, ``sum w e^2 / sum w``. Columns that are
    constant (without an intercept: zero) cannot change the model and are never candidates.

    Time per selected feature: at most one sweep of X with a few vectors, R l of them for R
    penalties and l targets; O(R n k), and O(m k) for each candidate whose bound does not rule
    it out: few while columns differ in what they tell, ever more, up to all, once only noise
    is left to be selected. That is over 5 times as fast as the paper's Algorithm 2, which scores
    all, where few candidates come close to the best (planted columns, 5000 x 1000, k = 50); where
    most columns are noise 1.3 times, and the time grows with k^2 and more beyond. See
    ``benchmarks/results/forward_leave_one_out.md``.

    Memory beside X, in numbers: m (k + h + 32 + 12 R l) + n (k + 64 + 10 s), and 8 MB for pieces
    of rows. k counts the columns of groups, s is the size of the largest. The h candidates at hand
    are a sixth of the columns, at most 16 MB; but 32, or one group, in any case. Below 25 % of X
    where rows are many and k is small beside n, not for narrow or small tables. X is never
    copied (dense of any order and real type, CSR, CSC).

    With K splits, time per selected feature: O(K R k (n + k)) at k features, beside one reading
    of X for all products of columns or, where columns are very many, one for every selected one.
    Memory beside X: O(K n (k + R)), and n^2 numbers for every part that the splits divide the
    rows into where all products are kept.
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
       for ridge regression", Neural Processing Letters 38 (2013), section 3.2 (folds).

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import ForwardRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 30))
    >>> y = 3 * X[:, 4] - 2 * X[:, 17] + 0.1 * rng.standard_normal(100)
    >>> model = ForwardRidge(n_features_to_select=2).fit(X, y)
    >>> model.selection_order_.tolist()
    [4, 17]
    >>> model.truncate(1).support_.sum()
    np.int64(1)
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
        floating: bool = False,
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
        self.floating = floating
        self.standardize = standardize
        self.feature_groups = feature_groups
        self.include = include
        self.exclude = exclude
        self.store_cv_results = store_cv_results
        self.warm_start = warm_start

    def _search(self, problem: Problem) -> list[Visit]:
        return search_forward(self, problem)

    def _order(self, entry: Visit) -> Array:
        return order_added(self, entry)


class ForwardRidgeClassifier(ClassifierFace, MomentsSelector):
    """Ridge classifier on features added greedily by exact cross-validation.

    From the intercept (and ``include``), every move adds the feature - and takes the penalty -
    with the smallest exact hold-out error: what refitting without each row (``cv=None``), or
    without each fold, would give, for every candidate, at the cost of about one product with X
    per selected feature.

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
        Bounds the choice of size and ends the search.
    patience : int or None, default=20
        For ``"best"`` and ``"1se"``: moves without a new choice after which the search ends.
        None: never.
    floating : bool, default=False
        Whether to drop features after an addition whenever that gives a model better than
        the best seen of that size.
    standardize : bool, default=False
        Whether to divide columns by their weighted standard deviation: with folds that of
        every training set; under leave-one-out taken once from all rows, so that left-out
        rows take part, an effect of order 1/m on the error. ``coef_`` is for the columns as
        given.
    feature_groups : list of lists of columns, or None, default=None
        Columns that enter together, for instance one-hot blocks; indices or names. Every
        other column stands alone.
    include, exclude : list of columns or None, default=None
        Always in the model, never in the model; indices or names. A column names its group.
    error : {"squared", "zero_one"}, default="squared"
        What is minimised: the squared error of the -1 / +1 coded targets, or the weighted
        share of rows the classifier itself gets wrong (held out). The latter has no bound:
        every candidate is scored at every step from its held-out predictions, O(m n k) under
        leave-one-out and with folds alike, for every penalty.
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
        Columns in the order added in the whole search, beyond the chosen size too;
        with ``floating`` those of the chosen model, by last entry.
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
    every training set from scratch, up to rounding; the selection is that of exhaustive scoring
    (ties within 1e-10: lowest column, then first penalty). The errors of a selected path
    are optimistic, the same rows having chosen the features: :func:`nested_score` has the
    honest error of the whole procedure.

    Weights (``sample_weight`` times class weight) count in training and in the error,
    ``sum w e^2 / sum w``; there the class weights are those of all rows. Columns that are
    constant (without an intercept: zero) cannot change the model and are never candidates.

    Time per selected feature: at most one sweep of X with a few vectors, R l of them for R
    penalties and l targets; O(R n k), and O(m k) for each candidate whose bound does not rule
    it out: few while columns differ in what they tell, ever more, up to all, once only noise
    is left to be selected; :class:`ForwardRidge` says how that compares with scoring all.

    Memory beside X, in numbers: m (k + h + 32 + 12 R l) + n (k + 64 + 10 s), and 8 MB for pieces
    of rows. k counts the columns of groups, s is the size of the largest. The h candidates at hand
    are a sixth of the columns, at most 16 MB; but 32, or one group, in any case. Below 25 % of X
    where rows are many and k is small beside n, not for narrow or small tables. With
    ``class_weight="balanced"`` m counts once per class and once more. X is never
    copied (dense of any order and real type, CSR, CSC).

    With K splits, time per selected feature: O(K R k (n + k)) at k features, beside one reading
    of X for all products of columns or, where columns are very many, one for every selected one.
    Memory beside X: O(K n (k + R)), and n^2 numbers for every part that the splits divide the
    rows into where all products are kept.
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
       for ridge regression", Neural Processing Letters 38 (2013), section 3.2 (folds).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from holdfast import ForwardRidgeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = ForwardRidgeClassifier(standardize=True, n_features_to_select=4).fit(X, y)
    >>> model.selection_order_.tolist()
    [27, 20, 21, 23]
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
        floating: bool = False,
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
        self.floating = floating
        self.standardize = standardize
        self.feature_groups = feature_groups
        self.include = include
        self.exclude = exclude
        self.error = error
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results
        self.warm_start = warm_start

    def _search(self, problem: Problem) -> list[Visit]:
        return search_forward(self, problem)

    def _order(self, entry: Visit) -> Array:
        return order_added(self, entry)


def search_forward(estimator: RidgeSelector, problem: Problem) -> list[Visit]:
    """Run the search of a forward estimator."""
    rule, floating = problem.rule, estimator.floating
    reachable = len(problem.included) + len(problem.candidates)
    wanted = rule.size if rule.kind == "size" else rule.limit
    limit = reachable if wanted is None else min(wanted, reachable)
    known = wanted is not None and not floating
    watch = MoveTasks(estimator, problem, limit - len(problem.included) if known else None)
    ledger, visited = estimator._resumed(problem, problem.included)
    path = forward(
        ledger,
        problem.candidates,
        rule=rule,
        limit=limit,
        patience=estimator.patience,
        floating=floating,
        watch=watch,
        fixed=problem.included.tolist(),
        visited=visited,
    )
    watch.close(path)
    return path


def order_added(estimator: RidgeSelector, entry: Visit) -> Array:
    """Columns in the order added; of a floating search those of the chosen model.

    The support of a visit lists features by their last entry, those of ``include`` first.
    """
    if not estimator.floating:
        return RidgeSelector._order(estimator, entry)
    start = set(estimator._path[0].support)
    entered = [feature for feature in entry.support if feature not in start]
    return np.asarray(estimator._features.columns(entered))
