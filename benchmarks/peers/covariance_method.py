"""The paper's covariance method (section 2.1): one solve per model, fold and alpha. A definition.

For small problems: it is what the eigen method is checked against, and has none of its algebra.

References
----------
Buteneers, Caluwaerts, Dambre, Verstraeten, Schrauwen: Optimized parameter search for large datasets
of the regularization parameter and feature selection for ridge regression.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from benchmarks.fold_problems import FoldProblem
from benchmarks.fold_referee import FoldAnswer
from benchmarks.peers.centred_moments import Moments, centred_moments
from benchmarks.peers.peer import FoldPeer

Errors = Callable[[Sequence[int]], np.ndarray]


def choose_alpha(problem: FoldProblem) -> FoldAnswer:
    """Return the best penalty for all columns. O(m n^2 + R K n^3)."""
    return best_alpha(problem, _errors(problem))


def forward(problem: FoldProblem) -> FoldAnswer:
    """Add columns, scoring every candidate model from its covariance matrices."""
    return greedy(problem, _errors(problem), adding=True)


def backward(problem: FoldProblem) -> FoldAnswer:
    """Remove columns, scoring every candidate model from its covariance matrices."""
    return greedy(problem, _errors(problem), adding=False)


def best_alpha(problem: FoldProblem, errors_of: Errors) -> FoldAnswer:
    """Return the first alpha with the smallest error on all columns."""
    errors = errors_of(range(problem.X.shape[1]))
    best = int(np.argmin(errors))
    return FoldAnswer([], [problem.alphas[best]], [errors[best]], errors)


def greedy(problem: FoldProblem, errors_of: Errors, *, adding: bool) -> FoldAnswer:
    """Move one column after the other: smallest error, lowest column, first alpha."""
    every = set(range(problem.X.shape[1]))
    support: set[int] = set() if adding else every
    start = errors_of(sorted(support))
    moves: list[int] = []
    errors, alphas = [start.min()], [problem.alphas[int(np.argmin(start))]]
    while len(support) != problem.n_features:
        candidates = sorted(every - support if adding else support)
        losses = np.array([errors_of(sorted(support ^ {move})) for move in candidates])
        move, alpha = divmod(int(np.argmin(losses)), len(problem.alphas))
        moves.append(candidates[move])
        support = support ^ {moves[-1]}
        errors.append(losses[move, alpha])
        alphas.append(problem.alphas[alpha])
    return FoldAnswer(moves, alphas, errors)


def grid_errors(moments: Moments, alphas: np.ndarray) -> np.ndarray:
    """Return the error of every penalty for all columns, from the moments alone."""
    columns = range(moments.A_t.shape[1])
    return np.array([error(moments, columns, alpha) for alpha in alphas])


def _errors(problem: FoldProblem) -> Errors:
    moments = centred_moments(problem)
    return lambda columns: np.array([error(moments, columns, alpha) for alpha in problem.alphas])


def error(moments: Moments, columns: Sequence[int], alpha: float) -> float:
    """Return the error of one model: one solve per fold."""
    S = np.array(columns, dtype=int)
    A_t, A_v = moments.A_t[:, S[:, None], S], moments.A_v[:, S[:, None], S]
    B_t, B_v = moments.B_t[:, S, None], moments.B_v[:, S, None]
    W = np.linalg.solve(A_t + alpha * np.eye(len(S)), B_t)
    loss = (W * (A_v @ W - 2.0 * B_v)).sum(axis=(1, 2)) + moments.c_v
    return float(loss.sum() / moments.rows)


PENALTY = FoldPeer(
    name="covariance method of the paper",
    package="numpy",
    optimises="pooled K-fold error, one solve per fold and alpha",
    solve=choose_alpha,
    same_criterion=True,
)
