"""Leave-one-out errors in decimal arithmetic of many digits, for data hard on float64.

The definition of ``ridge_refit``: Pahikkala, Airola, Salakoski (2010), section II, equation (3),
with weights and an unpenalised intercept. The normal equations are solved by Gaussian elimination.
Every float64 is a decimal number exactly, so what is computed belongs to exactly the given data.
With 60 digits a problem of condition number 1e25 still has 30 right ones.
"""

from decimal import Decimal, localcontext

import numpy as np

DIGITS = 60


def decimals(array):
    """The same numbers, exactly, as an object array of ``Decimal``."""
    return np.vectorize(lambda value: Decimal(float(value)), otypes=[object])(array)


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


def fit_ridge(X, Y, alpha, weights, fit_intercept):
    """Coefficients and, last, the intercept (zero if there is none) of one ridge model."""
    rows, columns = X.shape
    if fit_intercept:
        X = np.hstack([X, decimals(np.ones((rows, 1)))])
    penalty = decimals(np.zeros((X.shape[1], X.shape[1])))
    penalty[np.arange(columns), np.arange(columns)] = alpha
    weighted = weights[:, None] * X
    coef = solve(weighted.T @ X + penalty, weighted.T @ Y)
    return coef if fit_intercept else np.vstack([coef, decimals(np.zeros((1, Y.shape[1])))])


def leave_one_out_error(problem, columns, alpha):
    """Weighted mean of the squared leave-one-out errors, mean over targets, as a float."""
    with localcontext(prec=DIGITS):
        X, Y = decimals(problem.X[:, list(columns)]), decimals(problem.Y)
        total, total_weight = Decimal(0), Decimal(0)
        error_weights = decimals(problem.weights(problem.used))
        for j, weight in zip(problem.used, error_weights, strict=True):
            training_set = problem.used[problem.used != j]
            *coef, intercept = fit_ridge(
                X[training_set],
                Y[training_set],
                Decimal(float(alpha)),
                decimals(problem.weights(training_set)),
                problem.fit_intercept,
            )
            prediction = intercept + sum(x * c for x, c in zip(X[j], coef, strict=True))
            total += weight * sum((Y[j] - prediction) ** 2) / len(Y[j])
            total_weight += weight
        return float(total / total_weight)


def refit(problem, columns, alpha):
    """Coefficients over all columns (targets x columns) and intercepts, rounded to float64."""
    columns, rows = list(columns), problem.used
    with localcontext(prec=DIGITS):
        *part, intercept = fit_ridge(
            decimals(problem.X[np.ix_(rows, columns)]),
            decimals(problem.Y[rows]),
            Decimal(float(alpha)),
            decimals(problem.weights(rows)),
            problem.fit_intercept,
        )
    coef = np.zeros((problem.Y.shape[1], problem.X.shape[1]))
    for column, values in zip(columns, part, strict=True):
        coef[:, column] = values.astype(float)
    return coef, intercept.astype(float)
