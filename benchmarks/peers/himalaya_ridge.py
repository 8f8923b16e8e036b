"""`himalaya.ridge.RidgeCV`: one SVD of the training rows per fold, predictions for every alpha.

It is made for many targets at once (brain imaging): per fold and alpha it forms the matrix that
maps training targets to held-out predictions, m_v x m_t, which one target does not need.
"""

from __future__ import annotations

import warnings

import numpy as np

from benchmarks.fold_problems import FoldProblem
from benchmarks.fold_referee import FoldAnswer
from benchmarks.peers.peer import FoldPeer
from benchmarks.timing import Extrapolated, side_by_side

PART = (1, 3)


def choose_alpha(problem: FoldProblem) -> FoldAnswer:
    """Choose the penalty; one alpha at a time, more would not fit in memory."""
    from himalaya.ridge import RidgeCV

    model = RidgeCV(
        alphas=problem.alphas,
        fit_intercept=True,
        cv=problem.cv,
        solver_params={"n_alphas_batch": 1},
    ).fit(problem.X, problem.y)
    # The alpha comes back through exp(-log(1 / alpha)).
    nearest = int(np.argmin(np.abs(np.log(problem.alphas / model.best_alphas_[0]))))
    error = -float(np.ravel(model.cv_scores_)[0])
    return FoldAnswer([], [float(problem.alphas[nearest])], [error])


def scaled(problem: FoldProblem) -> Extrapolated:
    """Time the search of `RidgeCV` on one fold with few and more alphas: its two costs, scaled.

    The fit on all rows that follows the search is left out.
    """
    few, more = (min(size, len(problem.alphas)) for size in PART)
    laps = {size: _one_fold(problem, size) for size in (few, more)}
    per_alpha = max(0.0, (laps[more] - laps[few]) / max(1, more - few))
    decomposition = laps[few] - few * per_alpha
    total = problem.splits * (decomposition + len(problem.alphas) * per_alpha)
    stated = f"1 of {problem.splits} folds with {few} and {more} of {len(problem.alphas)} alphas"
    return Extrapolated(total, laps[few] + laps[more], stated)


def _one_fold(problem: FoldProblem, n_alphas: int) -> float:
    from himalaya.ridge import solve_group_ridge_random_search

    first = [next(iter(problem.cv.split(problem.X)))]

    def search() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            solve_group_ridge_random_search(
                [problem.X],
                problem.y[:, None],
                n_iter=np.ones((1, 1)),
                alphas=problem.alphas[:n_alphas],
                fit_intercept=True,
                cv=first,
                n_alphas_batch=1,
                progress_bar=False,
            )

    return side_by_side({"part": search}, rounds=1, warm_up=False)["part"].median


PENALTY = FoldPeer(
    name="himalaya RidgeCV",
    package="himalaya",
    optimises="mean over folds of the squared error, one SVD per fold",
    solve=choose_alpha,
    same_criterion=True,
    scaled=scaled,
)
