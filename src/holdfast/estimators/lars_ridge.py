"""Generalised LARS with the squared loss, as an estimator."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.callback import with_callbacks
from sklearn.utils import column_or_1d

from holdfast.estimators.checks import check_magnitude
from holdfast.estimators.lars_selector import LarsSelector
from holdfast.estimators.scored import ScoredWhereStored
from holdfast.rows.sums import Array


class LarsRidge(ScoredWhereStored, RegressorMixin, LarsSelector):
    """Linear regression on the columns that generalised LARS lets in first.

    From the intercept, lambda_1 falls from where no column is worth its price to where all are;
    columns enter one by one, correlations with the residuals being equal on the support. The
    number of columns, that is the place on the path, is chosen by held-out squared error.

    Parameters
    ----------
    alpha : float or sequence of float, default=1.0
        L2 penalty, at least 0; of a sequence one path each is followed and the one with the
        smaller error kept. Never rescaled by the number of rows.
    fit_intercept : bool, default=True
        Whether to fit an unpenalised intercept.
    lasso : bool, default=False
        Whether columns leave whose coefficient would change sign: the exact path of the elastic net
        (``alpha=0``: of the lasso).
    refit : bool, default=False
        Whether to fit ridge regression on the selected columns (the LARS / OLS hybrid), instead of
        taking the coefficients of the path, which are shrunk.
    cv : None, int, splitter or iterable of (train, test), default=None
        None or ``LeaveOneOut()`` is the leave-one-out approximation described in the notes.
        Anything else, as scikit-learn's ``check_cv``, follows a path of its own on every training
        set.
    n_features_to_select : int, float, "best" or "1se", default="best"
        A number of columns, a fraction of them, the smallest error (ties to the smaller model), or
        the smallest model whose error is at most the best plus its standard error.
    max_features : int or None, default=None
        Bounds the choice of size and ends the paths. Advisable with ``cv`` for wide tables.
    patience : int or None, default=20
        For ``"best"`` and ``"1se"`` with leave-one-out: judged models without a new choice after
        which a path ends. None: never.
    sizes : list of int or None, default=None
        Sizes that are judged, and can be chosen, beside none and the last. None: every size up to
        64, and from there on sizes that grow by 2 percent.
    store_cv_results : bool, default=False
        Whether to keep ``held_out_predictions_`` and ``path_held_out_predictions_``.
    n_jobs : int or None, default=None
        Processes that follow paths (penalties times splits of ``cv``), as in joblib.

    Attributes
    ----------
    coef_ : array of shape (n,)
        Coefficients over all columns, zero off the support.
    intercept_ : float
        Intercept.
    support_ : bool array of shape (n,)
        Selected columns.
    n_features_ : int
        Columns of the chosen model.
    selection_order_ : int array
        Columns in the order they entered the path, beyond the chosen size too.
    alpha_, alphas_ : float and array
        The chosen L2 penalty, and all of them.
    alpha_errors_ : array of shape (alphas,)
        Error of the chosen size on every penalty's path.
    best_score_ : float
        Minus the error of the chosen model.
    path_sizes_, path_errors_, path_std_errors_, path_alphas_ : arrays of shape (entries,)
        Size, error, standard error and penalty of every judged model.
    path_fold_errors_ : array of shape (entries, splits)
        Error of every split; with ``cv`` only.
    paths_ : list of LarsPath
        The path, in a list of one.
    held_out_predictions_ : array of shape (m,)
        Predictions without their row (``store_cv_results=True``).
    path_held_out_predictions_ : array of shape (entries, ...)
        The same of every judged model.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    On the path ``1/2 ||y - Xw - b||^2 + alpha/2 ||w||^2 - lambda_1 s'w`` is minimal over the
    columns in the model, with signs s; ``lasso=True``: ``... + lambda_1 ||w||_1`` over all columns.
    A correlation lambda_1 is m times the ``alpha`` of :func:`sklearn.linear_model.lars_path`.

    *Exact*: the path, and ``refit``. *Exact given support and signs, else approximate*:
    leave-one-out; a new path without the row might select other columns, so it is somewhat
    optimistic, the more so the more columns there are. *Exact*, by new paths: ``cv``. In both cases
    the error of a selected size is optimistic once more: see :func:`nested_score`.

    Columns that are combinations of selected ones (duplicates, with ``alpha=0``) are skipped, with
    a warning; with ``lasso=True`` they come in where a column that leaves ends the dependence.
    Weights count in the model and in the error.

    Time per column: O(k^2), products of the column with a few hundred others, and two readings of X
    for every few dozen; judging a model of k columns O(m k^2). Memory beside X and the path:
    O(k^2), and a copy of the k columns and some hundreds more; X is never copied or densified
    (dense of any order, CSR, CSC).

    References
    ----------
    .. [1] S. S. Keerthi, "Generalized LARS as an effective feature selection tool for text
       classification with SVMs", ICML 2005, section 2, algorithm RLS-LARS.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import LarsRidge
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((100, 30))
    >>> y = 3 * X[:, 4] - 2 * X[:, 17] + 0.1 * rng.standard_normal(100)
    >>> model = LarsRidge(n_features_to_select=2, refit=True).fit(X, y)
    >>> model.selection_order_.tolist()
    [4, 17]
    >>> model.coef_[[4, 17]].round(1)
    array([ 3., -2.])
    """

    _hinge = False

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        fit_intercept: bool = True,
        lasso: bool = False,
        refit: bool = False,
        cv: Any = None,
        n_features_to_select: int | float | str = "best",
        max_features: int | None = None,
        patience: int | None = 20,
        sizes: Any = None,
        store_cv_results: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.lasso = lasso
        self.refit = refit
        self.cv = cv
        self.n_features_to_select = n_features_to_select
        self.max_features = max_features
        self.patience = patience
        self.sizes = sizes
        self.store_cv_results = store_cv_results
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Follow the paths and choose a model.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Dense arrays of any order and real type, CSR and CSC are read in place.
        y : array of shape (m,)
            Targets.
        sample_weight : array of shape (m,), optional
            Non-negative weights, in the model and in the error. Zero leaves a row out.
        groups : array of shape (m,), optional
            Groups of rows, for a ``cv`` that holds out groups.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups)

    def predict(self, X: Any) -> Array:
        """Predictions.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows to predict.

        Returns
        -------
        array of shape (m,)
        """
        return self._outputs(X)[:, 0]

    def _code(self, y: Any, sample_weight: Array) -> Array:
        values = column_or_1d(y, dtype=np.float64, warn=True)
        check_magnitude("y", values)
        return values[None]

    def _shape(self, coef: Array, intercept: Array) -> tuple[Array, Any]:
        return coef[0], float(intercept[0]) if self.fit_intercept else 0.0
