"""`sklearn.linear_model.RidgeCV` with a splitter: one fit per fold and alpha.

Its score is the mean over the folds of their mean squared errors, which is the pooled error where
all folds hold out equally many rows, as in the problems here.
"""

from __future__ import annotations

import numpy as np

from benchmarks.fold_problems import FoldProblem
from benchmarks.fold_referee import FoldAnswer
from benchmarks.peers.peer import FoldPeer
from benchmarks.timing import Extrapolated, side_by_side

PART = 2


def choose_alpha(problem: FoldProblem) -> FoldAnswer:
    """Choose the penalty."""
    from sklearn.linear_model import RidgeCV

    model = RidgeCV(alphas=problem.alphas, cv=problem.cv, scoring="neg_mean_squared_error")
    model.fit(problem.X, problem.y)
    return FoldAnswer([], [float(model.alpha_)], [-float(model.best_score_)])


def scaled(problem: FoldProblem) -> Extrapolated:
    """Time the whole class on a few alphas of the grid, all folds; scale by the number of fits."""
    few = np.linspace(0, len(problem.alphas) - 1, min(PART, len(problem.alphas))).astype(int)
    piece = problem.with_alphas(problem.alphas[few])
    work = {"part": lambda: choose_alpha(piece)}
    part = side_by_side(work, rounds=1, warm_up=False)["part"].median
    # The last fit, on all rows, is done once whatever the number of alphas.
    fits, of = problem.splits * len(piece.alphas) + 1, problem.splits * len(problem.alphas) + 1
    stated = f"{len(piece.alphas)} of {len(problem.alphas)} alphas, x {of / fits:.3g}"
    return Extrapolated(part * of / fits, part, stated)


PENALTY = FoldPeer(
    name="scikit-learn RidgeCV(cv=KFold)",
    package="sklearn",
    optimises="mean over folds of the squared error, one fit per fold and alpha",
    solve=choose_alpha,
    same_criterion=True,
    scaled=scaled,
)
