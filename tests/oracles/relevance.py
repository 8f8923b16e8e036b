"""The relevance vector machine, as printed: re-estimation (2001) and sequential (2003).

- ``re_estimation``: M. E. Tipping, "Sparse Bayesian learning and the relevance vector machine",
  JMLR 1 (2001), section 2.3: posterior (12), (13); re-estimates of the precisions (16) with (17)
  and of the noise (18). A function whose precision has passed ``prune`` is deleted.
- ``sequential``: M. E. Tipping, A. C. Faul, "Fast marginal likelihood maximisation for sparse
Bayesian
  models", AISTATS 2003, section 4: one function at a time is added, re-estimated or deleted, that
  which raises the evidence most.

``y`` is one target, PHI has a column for every function. No intercept, no weights.
"""

import numpy as np

from .evidence import normal_log_density


def evidence(PHI, y, used, precisions, noise_variance):
    """Log evidence of the functions ``used`` with a precision each."""
    columns = PHI[:, used]
    C = columns / precisions @ columns.T + noise_variance * np.eye(len(y))
    return normal_log_density(y, C)


def posterior(PHI, y, precisions, noise_variance):
    """(12), (13)."""
    Sigma = np.linalg.inv(PHI.T @ PHI / noise_variance + np.diag(precisions))
    return Sigma @ PHI.T @ y / noise_variance, Sigma


def re_estimation(PHI, y, *, noise_variance=None, steps=2000, tol=1e-10, prune=1e12, initial=None):
    """(used, precisions, weights, noise variance); the noise is estimated where it is None."""
    m, n = PHI.shape
    used = np.arange(n)
    alpha = np.full(n, 1.0 / n**2 if initial is None else initial)
    sigma2 = 0.1 * np.var(y) if noise_variance is None else noise_variance
    for _ in range(steps):
        mu, Sigma = posterior(PHI[:, used], y, alpha, sigma2)
        gamma = 1 - alpha * np.diag(Sigma)  # (17)
        new = gamma / mu**2  # (16)
        if noise_variance is None:
            residual = y - PHI[:, used] @ mu
            sigma2 = residual @ residual / (m - gamma.sum())  # (18)
        change = np.abs(np.log(new / alpha)).max()
        stays = new < prune
        used, alpha = used[stays], new[stays]
        if change < tol or len(used) == 0:
            break
    mu, _ = posterior(PHI[:, used], y, alpha, sigma2)
    return used, alpha, mu, sigma2


def statistics(PHI, y, used, alpha, sigma2):
    """Sparsity s and quality q of every function, from the definition with C_-i inverted."""
    s, q = np.empty(PHI.shape[1]), np.empty(PHI.shape[1])
    for i in range(PHI.shape[1]):
        others = [(u, a) for u, a in zip(used, alpha, strict=True) if u != i]
        C = sigma2 * np.eye(len(y))
        for u, a in others:
            C += np.outer(PHI[:, u], PHI[:, u]) / a
        inverse = np.linalg.inv(C)
        s[i] = PHI[:, i] @ inverse @ PHI[:, i]
        q[i] = PHI[:, i] @ inverse @ y
    return s, q


def sequential(PHI, y, *, noise_variance, steps=500, tol=1e-9):
    """(used, precisions) at a fixed noise variance: greedy steps 4 to 10 of section 4.

    Every step is the one that raises the evidence most, found by trying all.
    """
    used, alpha = [], []
    now = evidence(PHI, y, used, np.array(alpha), noise_variance)
    for _ in range(steps):
        s, q = statistics(PHI, y, used, alpha, noise_variance)
        best = (now, None)
        for i in range(PHI.shape[1]):
            relevant = q[i] ** 2 > s[i]
            other_used = [u for u in used if u != i]
            other_alpha = [a for u, a in zip(used, alpha, strict=True) if u != i]
            if relevant:
                other_used, other_alpha = (
                    [*other_used, i],
                    [*other_alpha, s[i] ** 2 / (q[i] ** 2 - s[i])],
                )
            elif i not in used:
                continue
            value = evidence(PHI, y, other_used, np.array(other_alpha), noise_variance)
            if value > best[0]:
                best = (value, (other_used, other_alpha))
        if best[1] is None or best[0] - now < tol:
            break
        now, (used, alpha) = best
    return np.array(used, dtype=int), np.array(alpha), now


def is_stationary(PHI, y, used, alpha, sigma2, *, rtol):
    """Whether no precision alone can be changed for the better, the noise being given.

    Every used function has q^2 > s and the precision s^2 / (q^2 - s); every other one q^2 <= s.
    """
    s, q = statistics(PHI, y, list(used), list(alpha), sigma2)
    outside = np.setdiff1d(np.arange(PHI.shape[1]), used)
    fits = np.allclose(alpha, s[used] ** 2 / (q[used] ** 2 - s[used]), rtol=rtol)
    return bool(fits and np.all(q[outside] ** 2 <= s[outside] * (1 + rtol)))
