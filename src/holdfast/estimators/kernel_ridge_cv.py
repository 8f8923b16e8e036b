"""Kernel ridge regression with all rows as basis, its penalty chosen by exact hold-out."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.callback import with_callbacks

from holdfast.basis.kernels import PRECOMPUTED, Kernel, KernelTable
from holdfast.criteria.penalty import Penalties, PenaltyProblem
from holdfast.criteria.penalty_dual import DualPenalties
from holdfast.estimators.faces import RegressorFace
from holdfast.estimators.kernel_models import KernelModel, Opened
from holdfast.estimators.penalty import FitData
from holdfast.estimators.scoring import HeldOutRegressor
from holdfast.rows import as_rows
from holdfast.rows.fetched import as_floats
from holdfast.rows.memory import available_bytes
from holdfast.rows.sums import Array
from holdfast.searches.alphas import PenaltyChoice

_MATRICES = 5


class KernelRidgeCV(RegressorFace, KernelModel):
    """Kernel ridge regression with its penalty chosen by exact hold-out, for any splits.

    :class:`sklearn.kernel_ridge.KernelRidge` for a grid of penalties, and of widths, from one
    eigendecomposition of the kernel matrix: leave-one-out by default, K-fold, groups, any splits.

    Parameters
    ----------
    alphas : array-like of shape (alphas,), float or "auto", default=(0.1, 1.0, 10.0)
        Penalties to choose from, or the one to use. Positive, under splits zero too. ``"auto"``
        makes a grid from the data. Never rescaled by the number of rows.
    kernel : str or callable, default="linear"
        As in :class:`sklearn.kernel_ridge.KernelRidge`: a name of :mod:`sklearn.metrics.pairwise`
        (rbf, laplacian, polynomial, sigmoid, linear, cosine, ...), a callable of two rows, or
        ``"precomputed"``: X is the kernel matrix, m x m in ``fit`` and rows x m afterwards.
    gamma : float or array-like, optional
        Width of the rbf, laplacian, polynomial, sigmoid and chi2 kernels; 1 / columns without it
        (chi2: 1). Of a sequence the best is chosen, together with the penalty.
    degree, coef0 : float, default=3 and 1
        Of the polynomial kernel; ``coef0`` of the sigmoid kernel too.
    kernel_params : dict, optional
        What a callable kernel is told.
    fit_intercept : bool, default=False
        Whether to fit an unpenalised intercept.
    scoring : None, str or callable, default=None
        None is the pooled error ``sum w e^2 / sum w`` over all pairs of a split and a row it
        holds out, mean over targets. Otherwise any scorer of scikit-learn, computed from the exact
        held-out predictions, as in :class:`RidgeCV`.
    cv : None, int, splitter or iterable, default=None
        None or ``LeaveOneOut()`` is exact leave-one-out; otherwise exact hold-out for a number
        of folds, any splitter of scikit-learn or a list of (train, test) rows.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_`` and ``held_out_predictions_``, for any ``cv``.

    Attributes
    ----------
    X_fit_ : array of shape (m, columns)
        The training rows; of a precomputed kernel its matrix.
    dual_coef_ : array of shape (m,) or (m, targets)
        Coefficients of the kernel values.
    intercept_ : float or array of shape (targets,)
        Intercept, 0 without one.
    alpha_ : float
        The chosen penalty.
    gamma_ : float
        The chosen width, of kernels that have one.
    best_score_ : float
        Minus the error of them, or their score.
    alphas_ : array of shape (alphas,)
        The grid.
    alpha_errors_ : array of shape (alphas,)
        The error, or minus the score, of every penalty at the chosen width.
    gammas_, gamma_errors_ : arrays of shape (gammas,)
        Widths, and the least error over the penalties at each; of kernels that have one.
    cv_results_ : array of shape (m, alphas) or (m, targets, alphas)
        With ``store_cv_results=True``: weighted squared held-out errors of every row, or with
        a ``scoring`` its held-out predictions; mean over the splits that hold it out.
    held_out_predictions_ : array of shape (m,) or (m, targets)
        Predictions at the chosen penalty by models trained without the row, mean over the splits
        that hold it out, NaN where none does.
    n_splits_ : int or None
        Number of splits; None for leave-one-out.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    SparseKernelRidge : With few rows as basis: O(m n^2) for n of them.

    Notes
    -----
    The objective is ``||y - K a - b||^2 + alpha a'K a``, K being m x m. Exact: every error and
    held-out prediction equals refitting without the rows, up to rounding. Weights
    (``sample_weight``) count in training and in the error; a row of weight zero is absent.

    A kernel that is no inner product (sigmoid) is taken as
    :class:`~sklearn.kernel_ridge.KernelRidge` does, ``(K + alpha I) a = y``; penalties under which
    that is not positive definite are refused.

    One O(m^3) decomposition for every width; leave-one-out O(m^2) for each penalty, splits that
    train on all rows but those held out O(f^2 m) for each penalty and split of f rows, other splits
    a decomposition for each. Memory: about five m x m matrices.

    References
    ----------
    .. [1] T. Pahikkala, H. Suominen, J. Boberg, "Efficient cross-validation for kernelized
       least-squares regression with sparse basis expansions", Machine Learning 87 (2012).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from holdfast import KernelRidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = KernelRidgeCV([0.1, 1.0], kernel="rbf", gamma=[1.0, 10.0], fit_intercept=True)
    >>> model.fit(X, y).alpha_, model.gamma_
    (1.0, 10.0)
    """

    _needs_memory = ", since its kernel matrix has a number for every pair of them"
    _in_place_of_memory = ", or use SparseKernelRidge, which reads them in blocks"

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        kernel: Any = "linear",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        fit_intercept: bool = False,
        scoring: Any = None,
        cv: Any = None,
        store_cv_results: bool = False,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.store_cv_results = store_cv_results

    @with_callbacks
    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None, **params: Any
    ) -> Self:
        """Choose the width and the penalty and fit the model.

        Parameters
        ----------
        X : array, DataFrame or CSR matrix of shape (m, columns)
            Read a block of rows at a time; a square kernel matrix with ``kernel="precomputed"``.
        y : array of shape (m,) or (m, targets)
            Targets; several share width and penalty.
        sample_weight : float or array of shape (m,), optional
            Non-negative weights, in training and in the error. Zero leaves a row out.
        groups : array of shape (m,), optional
            Groups of rows, for a ``cv`` that holds out groups.
        **params : dict
            For the scorer, with metadata routing.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups, params)

    def _solve(
        self, data: FitData, grid: Array | None
    ) -> tuple[PenaltyProblem, Penalties, PenaltyChoice]:
        self._check_table(data.X)
        kernels = self._kernels()
        _check_memory(data.X.shape[0])
        opened = self._best_width(kernels, data, lambda kernel: self._open(kernel, data, grid))
        self.X_fit_ = data.X
        self._weights, self._target_shape = data.weights, data.targets.values.shape[1:]
        self._hold_out: Any = opened.penalties
        return opened.problem, opened.penalties, opened.choice

    def _open(self, kernel: Kernel, data: FitData, grid: Array | None) -> Opened:
        """Make the kernel matrix, decompose it, and choose a penalty."""
        matrix = KernelTable(kernel, data.X).square(slice(None))
        problem = PenaltyProblem(
            as_rows(matrix, data.targets.values, data.weights),
            data.splits,
            data.targets.classes,
            fit_intercept=bool(self.fit_intercept),
            standardize=False,
        )
        penalties = DualPenalties(problem, matrix)
        if grid is not None and penalties.lowest < 0 and grid.min() <= -penalties.lowest:
            raise ValueError(
                f"kernel={self.kernel!r} is no inner product on these rows: its matrix has the "
                f"eigenvalue {penalties.lowest:.3g}, so that alpha={grid.min():.3g} has no least "
                f"error. Expected penalties above {-penalties.lowest:.3g}: raise alphas, or change "
                "the kernel."
            )
        choice = self._choose(penalties, grid, self._scores(data, problem))
        return Opened(kernel, None, problem, penalties, choice)

    def _centres(self) -> Any:
        if self.kernel == PRECOMPUTED:
            return np.arange(self.n_features_in_)
        return as_floats(self.X_fit_)

    def holdout_predict(self, indices: Any, alpha: float | None = None) -> Array:
        """Predictions of training rows by the model trained without all of them.

        Parameters
        ----------
        indices : int array-like, or bool array of shape (m,)
            Rows of the training data, in any order.
        alpha : float, optional
            Any positive penalty; the chosen one without it.

        Returns
        -------
        array of shape (indices,) or (indices, targets)
            In the order of ``indices``.

        Notes
        -----
        Exact: equal to refitting, up to rounding. O(f^2 m) for f rows, from the
        decomposition that the fit has made. Pickles and copies leave it behind.
        """
        rows, places = self._held_out_rows(indices)
        alphas = np.array([self._held_out_alpha(alpha)])
        hold_out: DualPenalties = self._hold_out
        outputs = hold_out.without(rows, alphas)[0].T[places]
        return outputs[:, 0] if self.dual_coef_.ndim == 1 else outputs

    def _scored_model(self) -> HeldOutRegressor:
        return HeldOutRegressor()


def _check_memory(n_rows: int) -> None:
    """Refuse before any work what cannot fit."""
    available, needed = available_bytes(), 8 * _MATRICES * n_rows**2
    if available is not None and needed > available:
        raise MemoryError(
            f"{n_rows} rows need kernel matrices of {needed / 2**30:.1f} GiB, and "
            f"{available / 2**30:.1f} GiB are available; expected a basis of fewer rows: use "
            "SparseKernelRidge."
        )
