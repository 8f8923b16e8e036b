"""Pruned ridge regression: columns ranked by least angle regression, their number by hold-out.

Two steps, neither of which refits. The order in which columns enter the LARS path of all rows ranks
them (:mod:`holdfast.searches.lars`, L1 only). The models of the first 0, 1, 2, ... of them are
walked through the ledger of exact leave-one-out or hold-out, at every penalty
(:mod:`holdfast.searches.in_order`); the size with the smallest error is the pruned model.

Without a penalty this is the read-out of optimally pruned extreme learning machines, OP-LR; with
one, chosen together with the size, the paper's OP-RR. Held-out errors are exact *given the order*:
the rows that are held out have taken part in the ranking. That is in the method as published, and
makes its errors optimistic.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d

from holdfast.criteria.penalty_kernel import scales
from holdfast.estimators.checks import check_flags
from holdfast.estimators.faces import RegressorFace
from holdfast.estimators.openings import Opening
from holdfast.estimators.selection import MoveTasks, Problem, RidgeSelector, Targets
from holdfast.rows import as_rows
from holdfast.rows.scaled import ScaledRows
from holdfast.rows.sums import Array
from holdfast.searches.in_order import in_order
from holdfast.searches.lars import lars
from holdfast.searches.path import Visit

_NO_PENALTY = 1e-10
"""The penalty of least squares, relative to the mean squared length of the columns."""


class PrunedRidge(RegressorFace, RidgeSelector):
    """Ridge regression on the columns that LARS lets in first, as many as exact hold-out asks for.

    The columns are ranked once, by least angle regression on all rows. Then the models of the first
    0, 1, 2, ... are judged by exact leave-one-out or hold-out, at every penalty, without refitting.

    Parameters
    ----------
    alphas : float, sequence of float or "auto", default=1.0
        Penalty, or a grid of which every size takes the best; ``"auto"`` makes a grid from
        the mean squared length of the columns. Never rescaled by the number of rows.
    regularized : bool, default=True
        True is OP-RR. False is OP-LR: least squares, ``alphas`` is not looked at.
    fit_intercept : bool, default=True
        Whether to fit an unpenalised intercept.
    cv : None, int, splitter or iterable of (train, test), default=None
        None or ``LeaveOneOut()`` is exact leave-one-out. Anything else, as scikit-learn's
        ``check_cv``, is exact hold-out.
    n_features_to_select : int, float, "best" or "1se", default="best"
        A number of columns, a fraction of them, the smallest error (ties to the smaller model), or
        the smallest model whose error is at most the best plus its standard error.
    max_features : int or None, default=None
        Bounds the choice of size and ends the path.
    patience : int or None, default=None
        For ``"best"`` and ``"1se"``: sizes without a new choice after which no more are judged.
        None: all are.
    standardize : bool, default=False
        Whether to divide columns by their weighted standard deviation: for the ranking that of all
        rows; for the errors with folds that of every training set, under leave-one-out that of all
        rows. ``coef_`` is for the columns as given.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_`` and ``held_out_predictions_``.

    Attributes
    ----------
    coef_ : array of shape (n,)
        Coefficients over all columns, zero off the support.
    intercept_ : float
        Intercept.
    support_ : bool array of shape (n,)
        Selected columns.
    n_features_ : int
        Size of the chosen model.
    selection_order_ : int array
        Columns in the order of their rank, as far as they were judged.
    alpha_ : float
        Penalty of the chosen model.
    best_score_ : float
        Minus the error of the chosen model.
    alphas_, alpha_errors_ : arrays of shape (alphas,)
        The grid, and the chosen model's error at each of its penalties.
    path_sizes_, path_errors_, path_std_errors_, path_alphas_ : arrays of shape (entries,)
        Size, error, standard error and best penalty of every judged model, the intercept first.
    path_fold_errors_ : array of shape (entries, splits)
        Error of every split; with folds only.
    path_moves_ : list of (sign, columns)
        What was added, one fewer than entries.
    cv_results_ : array of shape (m, alphas)
        Squared held-out errors of the chosen model (``store_cv_results=True``).
    held_out_predictions_ : array of shape (m,)
        Predictions by models trained without their row, the columns having been chosen with it.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    ForwardRidge : Takes at every step the column with the smallest hold-out error instead.
    LarsRidge : The path of least angle regression itself.

    Notes
    -----
    The objective is ``||y - Xw - b||^2 + alpha ||w||^2``. *Exact*: the ranking is the order of the
    LARS path (ties: lowest column), and errors equal refitting every training set on the first
    columns of this order, up to rounding. *Optimistic*, and more so than those of a forward
    search's final choice alone: the ranking has seen the rows that are held out.
    :func:`nested_score` ranks anew in every outer training set, and has the honest error.

    Ranks depend on the scale of the columns: standardise them, or set ``standardize=True``.
    Columns that are combinations of those ranked before (duplicates, more columns than rows) are
    not ranked and never selected. Least squares is the penalty 1e-10 times the mean squared length
    of the columns, which changes nothing but what rounding would decide.

    Weights count in the ranking, in training and in the error, ``sum w e^2 / sum w``. One target.

    Cost: the LARS path; for every size what one accepted move of :class:`ForwardRidge` costs,
    without the candidates: O(R (m + n) k) under leave-one-out, O(K R k^2) and products of columns
    with K splits. Memory as there; X is read in place, scaled or not.

    References
    ----------
    .. [1] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized
       parameter search for large datasets of the regularization parameter and feature selection
       for ridge regression", Neural Processing Letters 38 (2013), section 5 (OP-LR, OP-RR).
    .. [2] Y. Miche, A. Sorjamaa, P. Bas, O. Simula, C. Jutten, A. Lendasse, "OP-ELM: optimally
       pruned extreme learning machine", IEEE Transactions on Neural Networks 21 (2010).

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import PrunedRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 30))
    >>> y = 3 * X[:, 4] - 2 * X[:, 17] + 0.1 * rng.standard_normal(100)
    >>> model = PrunedRidge(alphas=[0.1, 1.0], n_features_to_select=2).fit(X, y)
    >>> model.selection_order_.tolist()
    [4, 17]
    """

    _takes_stored = True
    feature_groups = None
    include = None
    exclude = None

    def __init__(
        self,
        *,
        alphas: Any = 1.0,
        regularized: bool = True,
        fit_intercept: bool = True,
        cv: Any = None,
        n_features_to_select: int | float | str = "best",
        max_features: int | None = None,
        patience: int | None = None,
        standardize: bool = False,
        store_cv_results: bool = False,
    ) -> None:
        self.alphas = alphas
        self.regularized = regularized
        self.fit_intercept = fit_intercept
        self.cv = cv
        self.n_features_to_select = n_features_to_select
        self.max_features = max_features
        self.patience = patience
        self.standardize = standardize
        self.store_cv_results = store_cv_results

    def _checked(self) -> Array | None:
        check_flags(regularized=self.regularized)
        return super()._checked()

    def _code(self, y: Any, sample_weight: Array) -> Targets:
        return super()._code(column_or_1d(y, warn=True), sample_weight)

    def _asked(self, n_columns: int, blocks: list[list[int]] | None = None) -> Any:
        return super()._asked(n_columns)  # LARS ranks columns, of texts too

    def _problem(self, asked: Any, opening: Opening, grid: Array | None, *data: Any) -> Problem:
        if not self.regularized:
            lengths = opening.squares[opening.squares > 0]
            grid = np.array([_NO_PENALTY * lengths.mean() if len(lengths) else 1.0])
        return super()._problem(asked, opening, grid, *data)

    def _search(self, problem: Problem) -> list[Visit]:
        rule, reachable = problem.rule, len(problem.candidates)
        wanted = rule.size if rule.kind == "size" else rule.limit
        limit = reachable if wanted is None else min(wanted, reachable)
        order = self._ranked(problem, limit)
        watch = MoveTasks(self, problem, len(order))
        path = in_order(problem.ledger([]), order, rule=rule, patience=self.patience, watch=watch)
        watch.close(path)
        return path

    def _ranked(self, problem: Problem, limit: int) -> Array:
        """Columns in the order in which LARS lets them in."""
        if limit == 0:
            return np.empty(0, dtype=np.intp)
        X, weights = problem.data["X"], problem.data["metadata"]["sample_weight"]
        targets = problem.targets
        assert targets is not None  # there is no fit_moments
        rows = as_rows(X, targets, weights)
        if self.standardize:
            rows = ScaledRows(rows, scales(rows, weights, rows.origin))
        path = lars(
            rows, alpha=0.0, fit_intercept=bool(self.fit_intercept), limit=limit, lasso=False
        )
        return path.order

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags
