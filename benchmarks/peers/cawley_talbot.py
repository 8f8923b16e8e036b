"""Exact leave-one-out of sparse kernel ridge in O(m n^2) for every penalty, in NumPy and SciPy.

G. C. Cawley, N. L. C. Talbot, "Fast exact leave-one-out cross-validation of sparse least-squares
support vector machines", Neural Networks 17 (2004): with P = K_B K_B' + alpha K_BB, the leverage of
row j is ``h_j = k_j' P^-1 k_j`` and its leave-one-out prediction ``(f_j - h_j y_j) / (1 - h_j)``,
the basis being kept. The kernel matrix K_B is given. By the Cholesky factor of P, one triangular
solve for all rows, or by its inverse and one product; each from scratch for every penalty, as the
paper runs it, or with the product ``K_B K_B'`` shared.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.linalg import lapack, solve_triangular

LeaveOneOut = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def by_cholesky(P: np.ndarray, K: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Predictions and leverages of all rows, K being (m, n), by the factor of P."""
    factor = np.linalg.cholesky(P)
    lines = solve_triangular(factor, K.T, lower=True, check_finite=False)
    return (lines @ y) @ lines, np.einsum("ij,ij->j", lines, lines)


def by_inverse(P: np.ndarray, K: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same by the inverse of P, from its factor."""
    factor, _ = lapack.dpotrf(P, lower=1)
    inverse, _ = lapack.dpotri(factor, lower=1, overwrite_c=1)
    inverse += np.tril(inverse, -1).T
    lines = K @ inverse
    return lines @ (K.T @ y), np.einsum("ij,ij->i", lines, K)


def errors(
    K: np.ndarray,
    basis: np.ndarray,
    y: np.ndarray,
    alphas: np.ndarray,
    solve: LeaveOneOut,
    *,
    share: bool,
) -> np.ndarray:
    """Mean squared leave-one-out error of every penalty; ``share`` makes ``K_B K_B'`` once."""
    penalty = K[basis]
    gram = K.T @ K if share else None
    found = []
    for alpha in alphas:
        P = alpha * penalty
        P += K.T @ K if gram is None else gram
        f, h = solve(P, K, y)
        found.append(np.mean(((y - f) / (1 - h)) ** 2))
    return np.array(found)
