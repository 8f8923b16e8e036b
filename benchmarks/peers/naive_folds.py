"""The paper's naive implementation: one refit from the rows per fold and alpha. A definition."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchmarks.fold_problems import FoldProblem
from benchmarks.fold_referee import FoldAnswer
from benchmarks.peers.covariance_method import Errors, best_alpha, greedy
from benchmarks.peers.peer import FoldPeer


def choose_alpha(problem: FoldProblem) -> FoldAnswer:
    """Return the best penalty for all columns. O(R K m n^2)."""
    return best_alpha(problem, _errors(problem))


def forward(problem: FoldProblem) -> FoldAnswer:
    """Add columns, refitting for every candidate, fold and alpha."""
    return greedy(problem, _errors(problem), adding=True)


def backward(problem: FoldProblem) -> FoldAnswer:
    """Remove columns, refitting for every candidate, fold and alpha."""
    return greedy(problem, _errors(problem), adding=False)


def _errors(problem: FoldProblem) -> Errors:
    return lambda columns: np.array([_error(problem, columns, alpha) for alpha in problem.alphas])


def _error(problem: FoldProblem, columns: Sequence[int], alpha: float) -> float:
    X = problem.X[:, list(columns)]
    losses = [
        _refit(X[training], problem.y[training], X[held_out], problem.y[held_out], alpha)
        for training, held_out in problem.cv.split(X)
    ]
    return float(sum(losses) / len(problem.y))


def _refit(
    X: np.ndarray, y: np.ndarray, X_held_out: np.ndarray, y_held_out: np.ndarray, alpha: float
) -> float:
    mean, target_mean = X.mean(axis=0), y.mean()
    # Least squares on the rows with the penalty as further rows: no normal equations.
    rows = np.vstack([X - mean, np.sqrt(alpha) * np.eye(X.shape[1])])
    target = np.concatenate([y - target_mean, np.zeros(X.shape[1])])
    weights = np.linalg.lstsq(rows, target, rcond=None)[0]
    return float(np.sum((y_held_out - target_mean - (X_held_out - mean) @ weights) ** 2))


PENALTY = FoldPeer(
    name="naive method of the paper",
    package="numpy",
    optimises="pooled K-fold error, one refit per fold and alpha",
    solve=choose_alpha,
    same_criterion=True,
)
