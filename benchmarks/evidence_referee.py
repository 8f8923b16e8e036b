"""The referee of evidences: the log density of the chosen functions, by another formula.

An answer is a model's chosen rows, variances and log evidence. The evidence is computed from the
functions alone, ``y'y - y'K (K'K + alpha I)^-1 K'y`` and the determinant of ``I + K'K / alpha``,
by a Cholesky factor: on a small problem that is compared with the m x m density itself first.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.metrics.pairwise import rbf_kernel

TOLERANCE = 1e-6


def log_evidence(
    X: np.ndarray, y: np.ndarray, chosen: np.ndarray, gamma: float, noise: float, precision: float
) -> float:
    """Return the log density of y under the functions on the chosen rows; no intercept."""
    K = rbf_kernel(X, X[chosen], gamma=gamma)
    alpha = noise * precision
    factor = cho_factor(K.T @ K / alpha + np.eye(len(chosen)), lower=True)
    along = K.T @ y / alpha
    misfit = y @ y - alpha * (along @ cho_solve(factor, along))
    determinant = 2 * np.log(np.diagonal(factor[0])).sum()
    return float(-(misfit / noise + determinant + len(y) * np.log(2 * np.pi * noise)) / 2)


def by_definition(
    X: np.ndarray, y: np.ndarray, chosen: np.ndarray, gamma: float, noise: float, precision: float
) -> float:
    """Return the log density from its m x m covariance."""
    K = rbf_kernel(X, X[chosen], gamma=gamma)
    covariance = K @ K.T / precision + noise * np.eye(len(y))
    _, determinant = np.linalg.slogdet(covariance)
    exponent = y @ np.linalg.solve(covariance, y)
    return float(-(exponent + determinant + len(y) * np.log(2 * np.pi)) / 2)


def judge(model, X: np.ndarray, y: np.ndarray) -> str:
    """Why a fitted `EvidenceRegressor` is rejected; nothing where it is accepted."""
    told, chosen = model.log_evidence_, model.basis_indices_
    pair = model.noise_variance_, model.weight_precision_
    compute = by_definition if len(y) <= 500 else log_evidence
    found = compute(X, y, chosen, model.gamma_, *pair)
    if abs(told - found) > TOLERANCE * abs(found):
        return f"log evidence {told:.8g} of its functions is {found:.8g}"
    return ""
