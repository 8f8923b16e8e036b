"""holdfast's `RidgeCV`, `ForwardRidge` and `BackwardRidge` with folds."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.fold_problems import FoldProblem
from benchmarks.fold_referee import FoldAnswer
from benchmarks.peers.peer import FoldPeer


def choose_alpha(problem: FoldProblem) -> FoldAnswer:
    """Choose the penalty through the public estimator."""
    from holdfast import RidgeCV

    model = RidgeCV(alphas=problem.alphas, cv=problem.cv).fit(problem.X, problem.y)
    return FoldAnswer([], [float(model.alpha_)], [-float(model.best_score_)], model.alpha_errors_)


def forward(problem: FoldProblem) -> FoldAnswer:
    """Add columns through the public estimator."""
    from holdfast import ForwardRidge

    return _path(ForwardRidge, problem)


def backward(problem: FoldProblem) -> FoldAnswer:
    """Remove columns through the public estimator."""
    from holdfast import BackwardRidge

    return _path(BackwardRidge, problem)


def moments(problem: FoldProblem) -> Any:
    """Return the sums of every fold: the one pass over the data."""
    from holdfast import FoldMoments

    labels = np.repeat(np.arange(problem.splits), [r.stop - r.start for r in problem.held_out])
    found = FoldMoments()
    found.update(problem.X, problem.y, labels)
    return found


def choose_alpha_from(found: Any, alphas: np.ndarray) -> Any:
    """Choose the penalty from the sums, without data."""
    from holdfast import RidgeCV

    return RidgeCV(alphas=alphas).fit_moments(found)


def _path(estimator: Any, problem: FoldProblem) -> FoldAnswer:
    model = estimator(
        alphas=problem.alphas, cv=problem.cv, n_features_to_select=problem.n_features
    ).fit(problem.X, problem.y)
    moves = [int(column) for column in model.selection_order_]
    return FoldAnswer(moves, model.path_alphas_, model.path_errors_)


PENALTY = FoldPeer(
    name="holdfast RidgeCV",
    package="holdfast",
    optimises="pooled K-fold error, one eigendecomposition per fold",
    solve=choose_alpha,
    same_criterion=True,
)
FORWARD = FoldPeer(
    name="holdfast ForwardRidge",
    package="holdfast",
    optimises="pooled K-fold error, greedily (O(s) per candidate, fold and alpha)",
    solve=forward,
    same_criterion=True,
)
BACKWARD = FoldPeer(
    name="holdfast BackwardRidge",
    package="holdfast",
    optimises="pooled K-fold error, greedily (O(s) per candidate, fold and alpha)",
    solve=backward,
    same_criterion=True,
)
