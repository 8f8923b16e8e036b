"""Leave-one-out at a knot of a LARS path, by solving once for every row; and other definitions.

What ``holdfast`` calls approximate is defined here: support, signs and active rows stay as they
are, the equations of the knot are solved again without the row, and coefficients whose sign changes
are set to zero (about the columns' means). With ``refit`` nothing is set to zero, and lambda_1 is.
"""

import numpy as np


def outputs_without_each_row(
    X, t, coef, b, signs, lam, alpha, *, hinge, intercept, refit, weights=None
):
    """Outputs (m,); ``X`` holds the columns of the support only."""
    m, k = X.shape
    w = np.ones(m) if weights is None else weights
    Z = np.column_stack([np.ones(m), X]) if intercept else X
    lines = np.append(b, coef) if intercept else coef
    right = np.append(0.0, signs) if intercept else signs
    penalty = np.diag(np.append(np.zeros(int(intercept)), np.full(k, alpha)))
    active = (t * (t - Z @ lines) > 1e-9) if hinge else np.ones(m, bool)
    means = w @ X / w.sum() if intercept else np.zeros(k)
    outputs = Z @ lines
    for i in np.flatnonzero(active & (w > 0)):
        rows = active.copy()
        rows[i] = False
        H = Z[rows].T @ (Z[rows] * w[rows, None]) + penalty
        new = np.linalg.solve(H, Z[rows].T @ (w[rows] * t[rows]) - (0 if refit else lam) * right)
        outputs[i] = Z[i] @ new
        if not refit:
            turned = new[int(intercept) :] * coef < 0
            outputs[i] -= (X[i] - means) @ (new[int(intercept) :] * turned)
    return outputs


def hinge_refit(X, t, alpha, *, intercept, weights=None):
    """Minimise 1/2 sum w max(0, 1 - t f)^2 + alpha/2 ||coef||^2, by many small steps of BFGS."""
    from scipy.optimize import minimize

    m, k = X.shape
    w = np.ones(m) if weights is None else weights
    Z = np.column_stack([np.ones(m), X]) if intercept else X
    penalised = np.append(np.zeros(int(intercept)), np.ones(k))

    def value(lines):
        gap = np.maximum(1 - t * (Z @ lines), 0)
        gradient = -Z.T @ (w * t * gap) + alpha * penalised * lines
        return w @ gap**2 / 2 + alpha / 2 * (penalised * lines) @ lines, gradient

    found = minimize(value, np.zeros(Z.shape[1]), jac=True, method="BFGS", options={"gtol": 1e-9})
    return (found.x[1:], found.x[0]) if intercept else (found.x, 0.0)


def information_gain(present, labels):
    """Entropy of the class less that given the presence of one column, both as defined."""

    def entropy(some):
        shares = [np.mean(some == c) for c in np.unique(some)]
        return -sum(p * np.log(p) for p in shares)

    given = sum(np.mean(present == p) * entropy(labels[present == p]) for p in np.unique(present))
    return entropy(labels) - given


def best_score(metric, targets, outputs, weights):
    """The largest score that any threshold on the outputs reaches, every one tried."""
    ends = [outputs.min() - 1, outputs.max() + 1]
    middles = (np.sort(outputs)[1:] + np.sort(outputs)[:-1]) / 2
    return max(
        metric(targets > 0, outputs > threshold, sample_weight=weights)
        for threshold in [*ends, *middles]
    )
