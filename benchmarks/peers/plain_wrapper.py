"""The paper's Algorithm 1: every candidate, every left-out row, one refit. A definition, not fast.

References
----------
Pahikkala, Airola, Salakoski: Speeding up greedy forward selection for regularized least-squares,
Algorithm 1.
"""

from __future__ import annotations

import numpy as np

from benchmarks.peers.peer import Peer
from benchmarks.referee import Answer


def select(X: np.ndarray, y: np.ndarray, n_features: int, alpha: float) -> Answer:
    """Select columns by refitting from scratch for every candidate and every row."""
    chosen: list[int] = []
    error = np.inf
    for _ in range(n_features):
        left = [column for column in range(X.shape[1]) if column not in chosen]
        errors = [_leave_one_out(X[:, [*chosen, column]], y, alpha) for column in left]
        best = int(np.argmin(errors))
        chosen, error = [*chosen, left[best]], errors[best]
    return Answer(chosen, error)


def _leave_one_out(X: np.ndarray, y: np.ndarray, alpha: float) -> float:
    return float(np.mean([_refit_without(X, y, alpha, row) ** 2 for row in range(len(y))]))


def _refit_without(X: np.ndarray, y: np.ndarray, alpha: float, row: int) -> float:
    kept = np.arange(len(y)) != row
    mean, target_mean = X[kept].mean(axis=0), y[kept].mean()
    centred = X[kept] - mean
    gram = centred.T @ centred + alpha * np.eye(X.shape[1])
    weights = np.linalg.solve(gram, centred.T @ (y[kept] - target_mean))
    return float(y[row] - target_mean - (X[row] - mean) @ weights)


PEER = Peer(
    name="Algorithm 1, plain wrapper",
    package="numpy",
    optimises="leave-one-out error of ridge regression, greedily (every refit done)",
    select=select,
    same_criterion=True,
    part=2,
)
