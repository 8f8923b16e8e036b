"""The evidence of a linear model by its definition, and the selection that tries every column.

Sun and Yao, "Efficient forward regression with marginal likelihood", ESANN 2006, section 2: targets
are ``y = X_S w + noise`` with ``w ~ N(0, I / weight_precision)`` and independent noise of variance
``noise_variance / sample weight``, so that

    y ~ N(0, C),    C = X_S X_S' / weight_precision + diag(noise_variance / sample_weight)

The evidence is the log of this density, constants included. With an intercept (a flat prior) it is
the density of the contrasts ``H'y``, H being an orthonormal basis of what is orthogonal to 1. Rows
of weight zero are absent. Several targets share the columns; their evidences are added.

Ties: gains within 1e-10 (relative) of the best count as equal, and the lowest column wins. Columns
that are constant (without an intercept: zero) are no candidates.
"""

import numpy as np

TIE = 1e-10


def normal_log_density(y, covariance):
    """Of one vector with mean zero."""
    sign, logarithm = np.linalg.slogdet(covariance)
    assert sign > 0
    exponent = y @ np.linalg.solve(covariance, y)
    return -0.5 * (exponent + logarithm + len(y) * np.log(2 * np.pi))


def contrasts(m):
    """Orthonormal columns (m, m - 1) that are orthogonal to the constant, after Helmert."""
    H = np.zeros((m, m - 1))
    for j in range(1, m):
        H[:j, j - 1] = 1.0
        H[j, j - 1] = -j
        H[:, j - 1] /= np.sqrt(j * (j + 1.0))
    return H


def counted(X, y, sample_weight):
    """Rows that are there, their targets (rows, targets) and weights."""
    X, Y = np.asarray(X, float), np.asarray(y, float)
    Y = Y.reshape(len(Y), -1)
    w = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
    return X[w > 0], Y[w > 0], w[w > 0]


def covariance(X, w, support, noise_variance, precisions):
    """Of the targets; ``precisions`` one number for all weights or one for each."""
    columns = X[:, list(support)]
    precisions = np.broadcast_to(precisions, len(support))
    return columns / precisions @ columns.T + np.diag(noise_variance / w)


def log_evidence(
    X, y, support, noise_variance, weight_precision, *, fit_intercept=False, sample_weight=None
):
    X, Y, w = counted(X, y, sample_weight)
    C = covariance(X, w, support, noise_variance, weight_precision)
    if fit_intercept:
        H = contrasts(len(X))
        Y, C = H.T @ Y, H.T @ C @ H
    return sum(normal_log_density(Y[:, t], C) for t in range(Y.shape[1]))


def posterior(
    X, y, support, noise_variance, weight_precision, *, fit_intercept=False, sample_weight=None
):
    """Means (columns [and intercept], targets) and covariance of the weights.

    The intercept is the limit of a constant column of precision zero, in the last place.
    """
    X, Y, w = counted(X, y, sample_weight)
    columns = X[:, list(support)]
    precision = np.full(len(support), float(weight_precision))
    if fit_intercept:
        columns = np.column_stack([columns, np.ones(len(X))])
        precision = np.append(precision, 0.0)
    inverse = np.linalg.inv(columns.T * (w / noise_variance) @ columns + np.diag(precision))
    return inverse @ (columns.T * (w / noise_variance)) @ Y, inverse


def predictive(
    X, y, support, noise_variance, weight_precision, new, *, fit_intercept=False, sample_weight=None
):
    """Means (rows, targets) and standard deviations (rows,) of new targets of weight one."""
    mean, spread = posterior(
        X,
        y,
        support,
        noise_variance,
        weight_precision,
        fit_intercept=fit_intercept,
        sample_weight=sample_weight,
    )
    columns = np.asarray(new, float)[:, list(support)]
    if fit_intercept:
        columns = np.column_stack([columns, np.ones(len(columns))])
    variance = noise_variance + np.sum(columns @ spread * columns, axis=1)
    return columns @ mean, np.sqrt(variance)


def forward_by_evidence(
    X,
    y,
    noise_variance,
    weight_precision,
    *,
    most,
    fit_intercept=False,
    sample_weight=None,
    least_gain=0.0,
    start=(),
):
    """Columns added in turn, the evidence of every model, and the gains of every step.

    Ends where no column raises the evidence by more than ``least_gain``.
    """

    def evidence(support):
        return log_evidence(
            X,
            y,
            support,
            noise_variance,
            weight_precision,
            fit_intercept=fit_intercept,
            sample_weight=sample_weight,
        )

    counted_X, _, _ = counted(X, y, sample_weight)
    useful = np.ptp(counted_X, axis=0) > 0 if fit_intercept else np.any(counted_X != 0, axis=0)
    support, gains_seen = list(start), []
    evidences = [evidence(support)]
    while len(support) < most:
        left = [i for i in np.flatnonzero(useful) if i not in support]
        if not left:
            break
        gains = np.array([evidence([*support, i]) - evidences[-1] for i in left])
        best = gains.max()
        if best <= least_gain:
            break
        support.append(int(left[int(np.argmax(gains >= best - TIE * abs(best)))]))
        gains_seen.append(dict(zip(left, gains, strict=True)))
        evidences.append(evidence(support))
    return support, evidences, gains_seen


def forward_paper(H, t, noise_variance, weight_precision, k):
    """Section 2, equations (5) to (10), line for line with the paper's letters.

    Equation (5) with the factor of its logarithm put right: 1 / 2 (the printed one carries a
    stray log sigma^2). No intercept, no weights, one target; always k columns.
    """
    lam = noise_variance * weight_precision
    A, B = H.T @ t, np.sum(H**2, axis=0)
    M, d, I_k, gains = np.empty((len(t), 0)), np.empty(0), [], []
    while len(I_k) < k:
        gain = A**2 / (2 * noise_variance * (lam + B)) + 0.5 * np.log(lam / (lam + B))  # (5)
        gain[I_k] = -np.inf
        i = int(np.argmax(gain))
        m_k = H[:, i] - M @ ((M.T @ H[:, i]) / d)  # (6)
        d_k = lam + H[:, i] @ m_k  # (7)
        e_k = t @ m_k  # (8)
        C = H.T @ m_k  # (10)
        A, B = A - C * e_k / d_k, B - C**2 / d_k  # (9)
        M, d, I_k = np.column_stack([M, m_k]), np.append(d, d_k), [*I_k, i]
        gains.append(gain[i])
    return I_k, gains
