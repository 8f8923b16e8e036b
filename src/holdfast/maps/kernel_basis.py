"""Nystrom features of a kernel: a kernel model in primal space, of fixed size.

The kernel matrix of a basis B of M rows is ``K_BB = C D C'``. The features of a point u,

    x_i(u) = D_ii^-1/2 sum_j C_ji k(u, U_j)

| paper | here | shape |
|---|---|---|
| K (of the basis) | ``inner`` | M x M |
| C | | M x features |
| D | ``eigenvalues_`` | features |
| C D^-1/2 | ``projection_`` | M x features |

have the inner products ``x(u)'x(v) = k_B(u)' K_BB^+ k_B(v)``, the Nystrom approximation of
k(u, v), which is exact wherever u or v is in B. So ridge regression on them is kernel ridge
regression on the basis: with weights w the model is ``sum_j a_j k(u, U_j)``, a = C D^-1/2 w, and
``w'w = a'K_BB a``.

The formula is printed with D_jj for D_ii^1/2, and a factor that changes the penalty only.
Eigenvalues below 1e-12 of the largest are rounding, their features are left out: a basis with
duplicates gives as many features as it spans dimensions.

Reference: Buteneers et al. (2013), section 5.3; Suykens et al., "Least squares support vector
machines" (2002), chapter 6.
"""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils import check_array, check_consistent_length
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast.basis.asked import BasisChoice
from holdfast.basis.kernel_checks import check_kernel
from holdfast.basis.kernels import PRECOMPUTED, WITH_GAMMA, Kernel, KernelTable
from holdfast.parameters import check_number
from holdfast.rows.sums import Array, ranges

_ROUNDING = 1e-12
_NEGATIVE = 1e-10
"""Eigenvalues below minus this share of the largest are negative, others are rounding."""
_BLOCK_NUMBERS = 1 << 20


class KernelBasis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Features of a kernel on a few basis rows: a kernel model as a linear one.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        As in :class:`SparseKernelRidge`: a name of :mod:`sklearn.metrics.pairwise`, a callable
        of two rows, or ``"precomputed"``: X is the kernel matrix, m x m in ``fit`` and rows x m
        afterwards.
    gamma : float, optional
        Width of the rbf, laplacian, polynomial, sigmoid and chi2 kernels; 1 / columns without it
        (chi2: 1).
    degree, coef0 : float, default=3 and 1
        Of the polynomial kernel; ``coef0`` of the sigmoid kernel too.
    kernel_params : dict, optional
        What a callable kernel is told.
    n_basis : int or float, default=100
        Number of basis rows, at most all, or a fraction of all.
    basis : "entropy", "random", "greedy" or int array-like, default="entropy"
        How they are chosen among the training rows, or their row numbers. ``"entropy"`` spreads
        them: rows are exchanged for members until no exchange makes the quadratic Renyi entropy
        larger. ``"greedy"`` adds the best of 60 random rows at a time, by the training error of
        ridge regression on y.
    alpha : float, default=1.0
        Penalty of the models of a greedy choice.
    random_state : int, RandomState or None, default=None
        For the choice.

    Attributes
    ----------
    basis_indices_ : int array of shape (n_basis,)
        Rows of the training data.
    basis_vectors_ : array of shape (n_basis, columns)
        These rows; None for a precomputed kernel.
    eigenvalues_ : array of shape (features,)
        Of the kernel matrix of the basis, decreasing.
    projection_ : array of shape (n_basis, features)
        What kernel values with the basis are multiplied by.
    gamma_ : float
        The width, of kernels that have one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    SparseKernelRidge : The model itself, with exact hold-out in which held-out basis rows leave.

    Notes
    -----
    Inner products of features equal the Nystrom kernel ``K_XB K_BB^+ K_BY``, up to rounding. Ridge
    regression on them is kernel ridge regression with the basis, and its columns can be selected:
    the first belong to the largest eigenvalues.

    The basis is chosen from all rows that ``fit`` sees, also those that a cross-validation of a
    later step holds out. A choice by entropy or at random does not look at y, and changes little;
    a greedy one does: judge it by :func:`nested_score` of the whole pipeline.

    A kernel that is no inner product has negative eigenvalues; their directions are left out, and
    a warning says so.

    Cost: the choice, O(m M) kernel values and sums for each of a few passes (``"entropy"``);
    O(M^3) once; O(m M (columns + M)) to transform, in blocks: memory beside the result a block.

    References
    ----------
    .. [1] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized
       parameter search for large datasets of the regularization parameter and feature selection
       for ridge regression", Neural Processing Letters 38 (2013), section 5.3.
    .. [2] J. A. K. Suykens, T. Van Gestel, J. De Brabanter, B. De Moor, J. Vandewalle, "Least
       squares support vector machines", World Scientific (2002), chapter 6.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from holdfast import KernelBasis, RidgeClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> basis = KernelBasis(n_basis=50, random_state=0)
    >>> model = make_pipeline(StandardScaler(), basis, RidgeClassifierCV(cv=10)).fit(X, y)
    >>> model[:-1].transform(X).shape
    (569, 50)
    """

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: Any = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        n_basis: Any = 100,
        basis: Any = "entropy",
        alpha: float = 1.0,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.n_basis = n_basis
        self.basis = basis
        self.alpha = alpha
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Choose the basis and decompose its kernel matrix.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, columns)
            Rows; a square kernel matrix with ``kernel="precomputed"``.
        y : array of shape (m,) or (m, targets), optional
            Targets or labels, for a greedy choice only: numbers are modelled as they are, texts one
            column for every class.

        Returns
        -------
        self
        """
        check_kernel(self.kernel, self.gamma, self.degree, self.coef0, self.kernel_params)
        if np.ndim(self.gamma):
            raise ValueError(
                f"gamma={self.gamma!r} is a grid; expected one width: a map does not know which is "
                "best, search over the pipeline or use SparseKernelRidge."
            )
        check_number(self.alpha, "alpha", 0, above=True)
        X = self._validated(X, reset=True)
        if self.kernel == PRECOMPUTED and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"X has shape {X.shape}, but kernel='precomputed' takes the kernel matrix of the "
                "training rows; expected as many columns as rows: pass kernel(X, X)."
            )
        weights = np.ones(X.shape[0])
        choice = BasisChoice.of(
            self.basis, self.n_basis, self.random_state, weights, 0, np.array([self.alpha]), True
        )
        targets = self._targets(y, X) if choice.how == "greedy" else np.empty((0, X.shape[0]))
        table = KernelTable(self._kernel(X.shape[1]), X)
        self.basis_indices_ = choice.choose(table, targets, weights, np.arange(X.shape[0]))
        self.basis_vectors_: Any = None if self.kernel == PRECOMPUTED else X[self.basis_indices_]
        self._decompose(table.block(self.basis_indices_, self.basis_indices_))
        return self

    def transform(self, X: Any) -> Array:
        """Features of rows.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, columns)
            Rows; with ``kernel="precomputed"`` their kernel values with all training rows.

        Returns
        -------
        array of shape (m, features)
        """
        check_is_fitted(self)
        X = self._validated(X, reset=False)
        kernel = self._kernel(X.shape[1])
        features = np.empty((X.shape[0], len(self.eigenvalues_)))
        for some in ranges(X.shape[0], max(256, _BLOCK_NUMBERS // len(self.projection_))):
            if self.kernel == PRECOMPUTED:
                values = X[some][:, self.basis_indices_]
            else:
                values = kernel(X[some], self.basis_vectors_)
            np.matmul(values, self.projection_, out=features[some])
        return features

    def _validated(self, X: Any, *, reset: bool) -> Any:
        sparse = False if self.kernel == PRECOMPUTED else "csr"
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse=sparse,
            accept_large_sparse=self.kernel != "laplacian",  # of scikit-learn: 32-bit indices
            dtype=np.float64,
        )

    def _kernel(self, n_columns: int) -> Kernel:
        if self.kernel in WITH_GAMMA:
            unset = 1.0 if self.kernel == "chi2" else 1.0 / n_columns
            self.gamma_ = unset if self.gamma is None else float(self.gamma)
        params = dict(self.kernel_params or {})
        gamma = getattr(self, "gamma_", None)
        return Kernel(self.kernel, gamma, self.degree, self.coef0, params)

    def _targets(self, y: Any, X: Any) -> Array:
        """Targets of a greedy choice, (targets, m)."""
        if y is None:
            raise ValueError(
                "basis='greedy' chooses by the error on y, and y is None; expected targets: pass "
                "y, or choose 'entropy' or 'random'."
            )
        check_consistent_length(X, y)
        if np.asarray(y).dtype.kind in "OUSb":
            columns = LabelBinarizer(neg_label=-1).fit_transform(y)
        else:
            columns = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        return np.ascontiguousarray(columns.reshape(X.shape[0], -1).T, dtype=np.float64)

    def _decompose(self, inner: Array) -> None:
        values, vectors = np.linalg.eigh((inner + inner.T) / 2)
        if values[0] < -_NEGATIVE * np.abs(values).max():
            warnings.warn(
                f"kernel={self.kernel!r} is no inner product on the basis: its matrix has negative "
                "eigenvalues, whose directions were left out. Expected a kernel that is positive "
                "semidefinite: change its parameters, or take another.",
                UserWarning,
                stacklevel=3,
            )
        kept = np.flatnonzero(values > _ROUNDING * np.abs(values).max())[::-1]
        if len(kept) == 0:
            raise ValueError(
                f"kernel={self.kernel!r} is zero between all {len(inner)} rows of the basis; "
                "expected values to make features of: scale X, or change the kernel."
            )
        self.eigenvalues_ = values[kept]
        self.projection_ = vectors[:, kept] / np.sqrt(values[kept])

    @property
    def _n_features_out(self) -> int:
        return len(self.eigenvalues_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == PRECOMPUTED
        tags.input_tags.sparse = self.kernel != PRECOMPUTED
        return tags
