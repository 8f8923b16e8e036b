"""The paths of generalised LARS as functions."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_X_y
from sklearn.utils.validation import _check_sample_weight

from holdfast.estimators.checks import (
    check_flags,
    check_l2,
    check_magnitude,
    check_weights,
    is_whole,
    with_remedies,
)
from holdfast.estimators.classes import code_classes
from holdfast.rows import as_rows
from holdfast.searches.hinge_lars import hinge_lars
from holdfast.searches.lars import lars
from holdfast.searches.lars_path import LarsPath


def lars_ridge_path(
    X: Any,
    y: Any,
    *,
    alpha: float = 1.0,
    max_features: int | None = None,
    lasso: bool = False,
    fit_intercept: bool = False,
    sample_weight: Any = None,
) -> LarsPath:
    """The path of generalised LARS with squared loss and L2 penalty.

    Parameters
    ----------
    X : array or sparse matrix of shape (m, n)
        Dense arrays of any order and real type, CSR and CSC are read in place, never densified.
    y : array of shape (m,)
        Targets.
    alpha : float, default=1.0
        L2 penalty, at least 0; 0 is pure LARS.
    max_features : int or None, default=None
        Columns after which the path ends, where the next one would enter.
    lasso : bool, default=False
        Whether columns leave whose coefficient would change sign: the exact path of the lasso
        or the elastic net.
    fit_intercept : bool, default=False
        Whether there is an intercept, not penalised.
    sample_weight : array of shape (m,), optional
        Non-negative weights of the rows.

    Returns
    -------
    LarsPath
        ``knots``, ``order``, ``signs``, ``coefs``, and coefficients ``at`` any lambda_1.

    Notes
    -----
    Minimises ``1/2 ||y - Xw||^2 + alpha/2 ||w||^2 - lambda_1 s'w`` over the columns in the model,
    with signs s (``lasso=True``: ``+ lambda_1 ||w||_1`` over all). Without an intercept and with
    ``alpha=0``, ``knots`` are m times the alphas of :func:`sklearn.linear_model.lars_path`; with
    ``alpha > 0`` those for ``[X; sqrt(alpha) I]``. Exact. Without ``lasso`` scikit-learn's
    ``"lar"`` leaves the curve once a coefficient changes sign; this does not.

    References
    ----------
    .. [1] S. S. Keerthi, ICML 2005, section 2, algorithm RLS-LARS.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from holdfast import lars_ridge_path
    >>> X, y = load_diabetes(return_X_y=True)
    >>> path = lars_ridge_path(X, y - y.mean(), alpha=0.0, max_features=3)
    >>> path.order.tolist()
    [2, 8, 3]
    >>> path.knots.round(1)
    array([949.4, 889.3, 452.9, 316.1])
    """
    checked = _checked(X, y, alpha, max_features, lasso, fit_intercept, sample_weight, number=True)
    X, y, weights, limit = checked
    y = np.asarray(y, dtype=np.float64)
    check_magnitude("y", y)
    rows = as_rows(X, y, weights)
    return lars(rows, alpha=float(alpha), fit_intercept=fit_intercept, limit=limit, lasso=lasso)


def lars_svc_path(
    X: Any,
    y: Any,
    *,
    alpha: float = 1.0,
    max_features: int | None = None,
    lasso: bool = False,
    fit_intercept: bool = False,
    sample_weight: Any = None,
) -> LarsPath:
    """The path of generalised LARS with squared hinge loss and L2 penalty.

    Parameters
    ----------
    X : array or sparse matrix of shape (m, n)
        Dense arrays of any order and real type, CSR and CSC are read in place, never densified.
    y : array of shape (m,)
        Labels of two classes; the second in sorted order is +1.
    alpha : float, default=1.0
        L2 penalty, at least 0.
    max_features : int or None, default=None
        Columns after which the path ends, where the next one would enter.
    lasso : bool, default=False
        Whether columns leave whose coefficient would change sign: the exact path of the L1- (and
        L2-) penalised squared hinge.
    fit_intercept : bool, default=False
        Whether there is an intercept, not penalised.
    sample_weight : array of shape (m,), optional
        Non-negative weights of the rows.

    Returns
    -------
    LarsPath
        ``knots`` (one for every column that enters or leaves and for every example that crosses its
        margin), ``order``, ``signs``, ``coefs``, and coefficients ``at`` any lambda_1.

    Notes
    -----
    Minimises ``1/2 sum_i max(0, 1 - t_i x_i'w)^2 + alpha/2 ||w||^2 - lambda_1 s'w`` over the
    columns in the model, with signs s (``lasso=True``: ``+ lambda_1 ||w||_1`` over all, for
    ``alpha=0`` that of ``LinearSVC(penalty="l1", dual=False, fit_intercept=False, C=1 / (2 *
    lambda_1))``). Exact.

    References
    ----------
    .. [1] S. S. Keerthi, ICML 2005, section 2, algorithm SVM-LARS.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from holdfast import lars_svc_path
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> path = lars_svc_path(scale(X), y, max_features=5)
    >>> path.order.tolist()
    [27, 22, 20, 7, 21]
    >>> len(path.knots) > 5
    True
    """
    checked = _checked(X, y, alpha, max_features, lasso, fit_intercept, sample_weight, number=False)
    X, y, weights, limit = checked
    classes, targets, _ = code_classes(y, weights)
    if len(classes) != 2:
        raise ValueError(
            f"y has {len(classes)} classes; expected two: fit LarsSVC, which follows one path for "
            "every class, or code one class against the rest."
        )
    rows = as_rows(X, targets, weights)
    return hinge_lars(
        rows, alpha=float(alpha), fit_intercept=fit_intercept, limit=limit, lasso=lasso
    )


def _checked(
    X: Any,
    y: Any,
    alpha: Any,
    max_features: Any,
    lasso: Any,
    fit_intercept: Any,
    sample_weight: Any,
    *,
    number: bool,
) -> tuple[Any, Any, Any, int]:
    """Checked data, weights, and the number of columns to end at."""
    check_flags(lasso=lasso, fit_intercept=fit_intercept)
    if len(check_l2(alpha)) != 1:
        raise ValueError(
            f"alpha={alpha!r} is a sequence; expected one number of at least 0: follow one path "
            "each, or fit LarsRidge or LarsSVC, which choose."
        )
    if max_features is not None and not (is_whole(max_features) and max_features >= 1):
        raise ValueError(
            f"max_features={max_features!r} is not a size; expected None or an integer of at "
            "least 1."
        )
    with with_remedies():
        X, y = check_X_y(X, y, accept_sparse=("csr", "csc"), y_numeric=number, ensure_min_samples=2)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    check_weights(weights)
    return X, y, weights, min(X.shape[1], max_features or X.shape[1])
