"""Held-out predictions in decimal arithmetic of many digits, for data hard on float64.

The definition of ``ridge_refit``: Pahikkala, Airola, Salakoski (2010), section II, equation (3),
with weights and an unpenalised intercept. The normal equations are solved by Gaussian elimination.
Every float64 is a decimal number exactly, so what is computed belongs to exactly the given data;
"balanced" class weights are data in this sense: they are rounded to float64 first.

Why decimals: they are in Python's standard library and in C, 60 digits leave 30 right ones at a
condition number of 1e25 (that of the normal equations of a table of 3e12), and one fit of 25 rows
and 8 columns takes about a millisecond. Exact fractions grow at every elimination, and long double
brings three digits only. Predictions are rounded to long double, so that ``predictions`` fits
wherever ``ridge_refit.refitted_predictions`` does: the errors made of them are right to about 1e-19
of y over the size of an error (1e-16 on machines whose long double is a double).
"""

from decimal import Decimal, localcontext

import numpy as np

from .ridge_refit import hold_out, refitted_predictions

DIGITS = 60


def decimals(array):
    """The same numbers, exactly, as an object array of ``Decimal``."""
    return np.vectorize(lambda value: Decimal(float(value)), otypes=[object])(array)


def rounded(array):
    """Decimals as long doubles; by way of their digits, or they would be rounded to float64."""
    return np.vectorize(lambda value: np.longdouble(str(value)), otypes=[np.longdouble])(array)


def solve(A, B):
    """Solution of A Z = B by elimination with partial pivoting."""
    A, B = A.copy(), B.copy()
    n = len(A)
    for k in range(n):
        pivot = k + int(np.argmax(np.abs(A[k:, k])))
        A[[k, pivot]], B[[k, pivot]] = A[[pivot, k]], B[[pivot, k]]
        factor = A[k + 1 :, k] / A[k, k]
        A[k + 1 :] -= factor[:, None] * A[k]
        B[k + 1 :] -= factor[:, None] * B[k]
    Z = np.empty_like(B)
    for k in reversed(range(n)):
        Z[k] = (B[k] - A[k, k + 1 :] @ Z[k + 1 :]) / A[k, k]
    return Z


def scales(X, weights):
    """Weighted standard deviation (ddof 0) of every column, 1 for a constant one."""
    variance = weights @ (X - weights @ X / weights.sum()) ** 2 / weights.sum()
    constant = np.all(X[0] == X, axis=0)
    return np.array(
        [Decimal(1) if c else v.sqrt() for c, v in zip(constant, variance, strict=True)]
    )


def fit_ridge(problem, training_set, columns, alpha):
    """(coefficients, columns x targets; intercepts, zero if there are none) of one ridge model."""
    X = decimals(problem.X[np.ix_(training_set, columns)])
    Y = decimals(problem.Y[training_set])
    weights = decimals(problem.weights(training_set))
    scale = scales(X, weights) if problem.standardize else decimals(np.ones(len(columns)))
    X = X / scale
    penalty = [Decimal(float(alpha))] * len(columns)
    if problem.fit_intercept:
        X = np.hstack([X, decimals(np.ones((len(X), 1)))])
        penalty = [*penalty, Decimal(0)]
    weighted = weights[:, None] * X
    coef = solve(weighted.T @ X + np.diag(np.array(penalty, dtype=object)), weighted.T @ Y)
    intercept = coef[-1] if problem.fit_intercept else decimals(np.zeros(Y.shape[1]))
    return coef[: len(columns)] / scale[:, None], intercept


def fit_and_predict(problem, training_set, columns, alpha, rows):
    """What the model of a training set predicts for some rows, rows x targets."""
    columns = list(columns)
    with localcontext(prec=DIGITS):
        coef, intercept = fit_ridge(problem, training_set, columns, alpha)
        return rounded(intercept + decimals(problem.X[np.ix_(rows, columns)]) @ coef)


def predictions(problem, columns, alpha):
    """``ridge_refit.refitted_predictions``, by splits or by leave-one-out, in long double."""
    return refitted_predictions(problem, columns, alpha, fit_and_predict, np.longdouble)


def hold_out_error(problem, columns, alpha):
    """The error of ``ridge_refit.hold_out``, as a float."""
    return float(hold_out(problem, columns, alpha, predictions)[0])


def leave_one_out_error(problem, columns, alpha):
    """The same for a problem without splits."""
    assert problem.splits is None, "this problem is judged by its splits: hold_out_error"
    return hold_out_error(problem, columns, alpha)


def refit(problem, columns, alpha):
    """Coefficients over all columns (targets x columns) and intercepts, rounded to float64."""
    columns = list(columns)
    with localcontext(prec=DIGITS):
        part, intercept = fit_ridge(problem, problem.used, columns, alpha)
    coef = np.zeros((problem.Y.shape[1], problem.X.shape[1]))
    coef[:, columns] = part.T.astype(float)
    return coef, intercept.astype(float)
