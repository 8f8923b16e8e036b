"""Kernel ridge models on few basis vectors: scikit-learn's faces."""

from __future__ import annotations

from typing import Any, Self

from sklearn.callback import with_callbacks
from sklearn.utils import column_or_1d

from holdfast.estimators.basis_models import BasisModel
from holdfast.estimators.faces import ClassifierFace, RegressorFace
from holdfast.estimators.scoring import HeldOutClassifier, HeldOutRegressor
from holdfast.rows.sums import Array


class SparseKernelRidge(RegressorFace, BasisModel):
    """Kernel ridge regression on few basis vectors, its penalty chosen by exact hold-out.

    Leave-one-out by default, K-fold, groups or any other splits, at about the cost of one fit:
    rows are held out with the basis vectors that they are.

    Parameters
    ----------
    alphas : array-like of shape (alphas,), float or "auto", default=1.0
        Penalties to choose from, or the one to use. Positive, under splits zero too. ``"auto"``
        makes a grid from the data. Never rescaled by the number of rows.
    kernel : str or callable, default="rbf"
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
    n_basis : int or float, default=100
        Number of basis vectors, at most all rows of positive weight, or a fraction of these.
    basis : "random", "entropy", "greedy" or int array-like, default="random"
        How basis vectors are chosen among the training rows, or their row numbers. ``"entropy"``
        spreads them (quadratic Renyi entropy, until no swap helps); ``"greedy"`` adds the best of
        60 random rows at a time, by training error at the geometric middle of ``alphas``: it looks
        at y, see Notes.
    fit_intercept : bool, default=False
        Whether to fit an unpenalised intercept.
    scoring : None, str or callable, default=None
        None is the pooled error ``sum w e^2 / sum w`` over all pairs of a split and a row it
        holds out, mean over targets. Otherwise any scorer of scikit-learn, computed from the exact
        held-out predictions, as in :class:`RidgeCV`.
    cv : None, int, splitter or iterable, default=None
        None or ``LeaveOneOut()`` is exact leave-one-out; otherwise exact hold-out for a number
        of folds, any splitter of scikit-learn or a list of (train, test) rows.
    held_out_basis : "drop", "keep" or "skip", default="drop"
        What becomes of basis vectors whose row is held out. ``"drop"``: a row that a model is not
        trained on is not in its basis. ``"keep"``: it stays in the basis and leaves the loss.
        ``"skip"``: rows of the basis are never held out (NaN, not counted); splits that would hold
        them out train on them.
    basis_per_split : bool, default=False
        Whether every split chooses a basis of its own among the rows it trains on. Then
        ``held_out_basis`` has no say in the error, and the cost is K times that of one model.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_`` and ``held_out_predictions_``, for any ``cv``.
    random_state : int, RandomState or None, default=None
        For the choice of the basis.

    Attributes
    ----------
    basis_indices_ : int array of shape (n_basis,)
        Rows of the training data; of a greedy choice in the order in which they were added.
    basis_vectors_ : array of shape (n_basis, columns)
        These rows; None for a precomputed kernel.
    dual_coef_ : array of shape (n_basis,) or (n_basis, targets)
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
    KernelRidgeCV : With all rows as basis.
    basis_folds : Folds that each hold a stated share of a basis.

    Notes
    -----
    The objective is ``||y - K a - b||^2 + alpha a'K_BB a`` over the n basis vectors B,
    K being m x n. Exact: every error and held-out prediction equals refitting without the rows, and
    without their basis vectors, on the same penalty matrix, up to rounding. That is K_BB; where its
    condition number (1-norm) is above 1e10, ``K_BB + 1e-13 trace(K_BB) I`` of the whole basis, so
    that duplicated rows and a basis that spans fewer than n dimensions give finite, stable answers.
    With no basis vector left the model is its intercept. Of a kernel that is no inner product the
    signs of negative eigenvalues of K_BB are turned in the penalty, and a warning says so.

    With ``held_out_basis="keep"`` and about as many basis vectors as rows a small penalty costs
    digits: an error keeps 16 + log10(1 - leverage) of them; with ``"drop"`` none is lost.

    The hold-out error is that of models with these basis vectors. Where y chose them (``"greedy"``)
    it is optimistic: judge by ``basis_per_split=True``, or by
    :func:`sklearn.model_selection.cross_val_score`. The same goes for the smallest error of a grid,
    slightly.

    Weights (``sample_weight``) count in training and in the error; a row of weight
    zero is absent, and in a given basis a point like any other.

    Cost: O(m n^2 + n^3) to train, for any number of penalties; leave-one-out O(m n) for each of
    them; splits by the cheapest of two routes, O(min(f^2 n, f n^2)) for each penalty and split of f
    rows, or one n x n decomposition for a split and all penalties. Kernel values are made in
    blocks, and kept, m n numbers, if half of the free memory holds them, else made anew when read:
    O(n^2) numbers and a block. Never m x m. Rows that are not in memory are read twice, or once
    where the memory given to :class:`RowBlocks` holds all kernel values; ``"entropy"`` fetches them
    all again for every pass over the candidates, ``"greedy"`` reads them once for every basis
    vector and keeps 2 n + 240 numbers for every row with it.

    References
    ----------
    .. [1] T. Pahikkala, H. Suominen, J. Boberg, "Efficient cross-validation for kernelized
       least-squares regression with sparse basis expansions", Machine Learning 87 (2012).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from holdfast import SparseKernelRidge
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = SparseKernelRidge(
    ...     alphas=[0.01, 0.1, 1.0], gamma=[1.0, 10.0], fit_intercept=True, random_state=0
    ... ).fit(X, y)
    >>> model.alpha_, model.gamma_
    (1.0, 10.0)
    >>> model.holdout_predict([0, 1, 2]).shape
    (3,)
    """

    def __init__(
        self,
        *,
        alphas: Any = 1.0,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        n_basis: Any = 100,
        basis: Any = "random",
        fit_intercept: bool = False,
        scoring: Any = None,
        cv: Any = None,
        held_out_basis: str = "drop",
        basis_per_split: bool = False,
        store_cv_results: bool = False,
        random_state: Any = None,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_basis = n_basis
        self.basis = basis
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.held_out_basis = held_out_basis
        self.basis_per_split = basis_per_split
        self.store_cv_results = store_cv_results
        self.random_state = random_state

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, **params: Any
    ) -> Self:
        """Choose a basis, the width and the penalty and fit the model.

        Parameters
        ----------
        X : array, DataFrame, CSR matrix, path, Dask collection or RowBlocks, of shape (m, columns)
            Read a block of rows at a time; a square kernel matrix with ``kernel="precomputed"``.
        y : array of shape (m,) or (m, targets)
            Targets; several share basis, width and penalty.
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

    def _scored_model(self) -> HeldOutRegressor:
        return HeldOutRegressor()


class SparseKernelRidgeClassifier(ClassifierFace, BasisModel):
    """Kernel ridge classifier on few basis vectors, its penalty chosen by exact hold-out.

    Leave-one-out by default, K-fold, groups or any other splits, at about the cost of one fit:
    rows are held out with the basis vectors that they are. Targets coded -1 / +1, one column per
    class beyond two, all in one decomposition.

    Parameters
    ----------
    alphas : array-like of shape (alphas,), float or "auto", default=1.0
        Penalties to choose from, or the one to use. Positive, under splits zero too. ``"auto"``
        makes a grid from the data. Never rescaled by the number of rows.
    kernel : str or callable, default="rbf"
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
    n_basis : int or float, default=100
        Number of basis vectors, at most all rows of positive weight, or a fraction of these.
    basis : "random", "entropy", "greedy" or int array-like, default="random"
        How basis vectors are chosen among the training rows, or their row numbers. ``"entropy"``
        spreads them (quadratic Renyi entropy, until no swap helps); ``"greedy"`` adds the best of
        60 random rows at a time, by training error at the geometric middle of ``alphas``: it looks
        at y, see Notes.
    fit_intercept : bool, default=False
        Whether to fit an unpenalised intercept.
    scoring : None, str or callable, default=None
        None is the pooled error ``sum w e^2 / sum w`` over all pairs of a split and a row it
        holds out, mean over
        coded targets. Otherwise any scorer of scikit-learn, computed from the exact
        held-out predictions, as in :class:`RidgeCV`.
    cv : None, int, splitter or iterable, default=None
        None or ``LeaveOneOut()`` is exact leave-one-out; otherwise exact hold-out for a number
        of folds, any splitter of scikit-learn or a list of (train, test) rows.
    held_out_basis : "drop", "keep" or "skip", default="drop"
        What becomes of basis vectors whose row is held out. ``"drop"``: a row that a model is not
        trained on is not in its basis. ``"keep"``: it stays in the basis and leaves the loss.
        ``"skip"``: rows of the basis are never held out (NaN, not counted); splits that would hold
        them out train on them.
    basis_per_split : bool, default=False
        Whether every split chooses a basis of its own among the rows it trains on. Then
        ``held_out_basis`` has no say in the error, and the cost is K times that of one model.
    class_weight : None, dict or "balanced", default=None
        Weights of the classes, by label; ``"balanced"`` weighs a class by rows / (classes *
        rows of the class), recomputed in every training set, under leave-one-out too: exact.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_`` and ``held_out_predictions_``, for any ``cv``.
    random_state : int, RandomState or None, default=None
        For the choice of the basis.

    Attributes
    ----------
    basis_indices_ : int array of shape (n_basis,)
        Rows of the training data; of a greedy choice in the order in which they were added.
    basis_vectors_ : array of shape (n_basis, columns)
        These rows; None for a precomputed kernel.
    dual_coef_ : array of shape (n_basis,) or (n_basis, classes)
        Coefficients of the kernel values.
    intercept_ : float or array of shape (classes,)
        Intercept, 0 without one.
    classes_ : array
        Labels.
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
    cv_results_ : array of shape (m, 1 or classes, alphas)
        With ``store_cv_results=True``: weighted squared held-out errors of every row, or with
        a ``scoring`` its held-out predictions; mean over the splits that hold it out.
    held_out_predictions_ : array of shape (m,) or (m, classes)
        Decision values at the chosen penalty by models trained without the row, mean over the
        splits that hold it out, NaN where none does.
    n_splits_ : int or None
        Number of splits; None for leave-one-out.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    SparseKernelRidge : The same for numbers.
    basis_folds : Folds that each hold a stated share of a basis.

    Notes
    -----
    The objective is ``||y - K a - b||^2 + alpha a'K_BB a`` over the n basis vectors B,
    K being m x n. Exact: every error and held-out prediction equals refitting without the rows, and
    without their basis vectors, on the same penalty matrix, up to rounding. That is K_BB; where its
    condition number (1-norm) is above 1e10, ``K_BB + 1e-13 trace(K_BB) I`` of the whole basis, so
    that duplicated rows and a basis that spans fewer than n dimensions give finite, stable answers.
    With no basis vector left the model is its intercept. Of a kernel that is no inner product the
    signs of negative eigenvalues of K_BB are turned in the penalty, and a warning says so.

    With ``held_out_basis="keep"`` and about as many basis vectors as rows a small penalty costs
    digits: an error keeps 16 + log10(1 - leverage) of them; with ``"drop"`` none is lost.

    The hold-out error is that of models with these basis vectors. Where y chose them (``"greedy"``)
    it is optimistic: judge by ``basis_per_split=True``, or by
    :func:`sklearn.model_selection.cross_val_score`. The same goes for the smallest error of a grid,
    slightly.

    Weights (``sample_weight`` times class weight) count in training and in the error; a row of
    weight zero is absent, and in a given basis a point like any other.

    Cost: O(m n^2 + n^3) to train, for any number of penalties; leave-one-out O(m n) for each of
    them; splits by the cheapest of two routes, O(min(f^2 n, f n^2)) for each penalty and split of f
    rows, or one n x n decomposition for a split and all penalties. Kernel values are made in
    blocks, and kept, m n numbers, if half of the free memory holds them, else made anew when read:
    O(n^2) numbers and a block. Never m x m. Rows that are not in memory are read twice, or once
    where the memory given to :class:`RowBlocks` holds all kernel values; ``"entropy"`` fetches them
    all again for every pass over the candidates, ``"greedy"`` reads them once for every basis
    vector and keeps 2 n + 240 numbers for every row with it.

    References
    ----------
    .. [1] T. Pahikkala, H. Suominen, J. Boberg, "Efficient cross-validation for kernelized
       least-squares regression with sparse basis expansions", Machine Learning 87 (2012).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from holdfast import SparseKernelRidgeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SparseKernelRidgeClassifier(n_basis=30, alphas=[0.01, 0.1, 1.0], random_state=0)
    >>> round(model.fit(X, y).score(X, y), 2)
    0.99
    """

    error = "squared"

    def __init__(
        self,
        *,
        alphas: Any = 1.0,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        n_basis: Any = 100,
        basis: Any = "random",
        fit_intercept: bool = False,
        scoring: Any = None,
        cv: Any = None,
        held_out_basis: str = "drop",
        basis_per_split: bool = False,
        class_weight: Any = None,
        store_cv_results: bool = False,
        random_state: Any = None,
    ) -> None:
        self.alphas = alphas
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_basis = n_basis
        self.basis = basis
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.held_out_basis = held_out_basis
        self.basis_per_split = basis_per_split
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results
        self.random_state = random_state

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, **params: Any
    ) -> Self:
        """Choose a basis, the width and the penalty and fit the model.

        Parameters
        ----------
        X : array, DataFrame, CSR matrix, path, Dask collection or RowBlocks, of shape (m, columns)
            Read a block of rows at a time; a square kernel matrix with ``kernel="precomputed"``.
        y : array of shape (m,)
            Labels of two or more classes.
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

    def _read_labels(self, y: Any) -> Array:
        return column_or_1d(y)

    def _scored_model(self) -> HeldOutClassifier:
        return HeldOutClassifier(self)
