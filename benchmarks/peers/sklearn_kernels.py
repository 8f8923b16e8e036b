"""scikit-learn's ways to a penalty for kernel models, by K folds."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.kernel_approximation import Nystroem
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold
from sklearn.pipeline import Pipeline

from benchmarks.kernel_problems import KernelProblem

SPLITS = 5


class Landmarks(Nystroem):
    """Nystroem on stated rows instead of rows drawn from every training set."""

    def __init__(self, rows: Any = None, gamma: float | None = None) -> None:
        super().__init__(kernel="rbf", gamma=gamma, n_components=len(rows), random_state=0)
        self.rows = rows

    def fit(self, X: Any, y: Any = None) -> Landmarks:
        """Fit to the stated rows."""
        return super().fit(self.rows)


def pipeline(problem: KernelProblem) -> np.ndarray:
    """Errors of a grid search over map and ridge together."""
    landmarks = Landmarks(problem.X[problem.basis], problem.gamma)
    steps = Pipeline([("map", landmarks), ("ridge", Ridge(fit_intercept=False))])
    return _searched(steps, {"ridge__alpha": problem.alphas}, problem.X, problem.y)


def mapped_once(problem: KernelProblem) -> np.ndarray:
    """Errors of a grid search over ridge alone, the map being made once."""
    landmarks = Landmarks(problem.X[problem.basis], problem.gamma)
    features = landmarks.fit(problem.X).transform(problem.X)
    return _searched(Ridge(fit_intercept=False), {"alpha": problem.alphas}, features, problem.y)


def kernel_ridge(problem: KernelProblem) -> np.ndarray:
    """Errors of a grid search over full kernel ridge."""
    model = KernelRidge(kernel="rbf", gamma=problem.gamma)
    return _searched(model, {"alpha": problem.alphas}, problem.X, problem.y)


def _searched(model: Any, grid: dict[str, Any], X: np.ndarray, y: np.ndarray) -> np.ndarray:
    folds = KFold(SPLITS)
    search = GridSearchCV(model, grid, cv=folds, scoring="neg_mean_squared_error", refit=False)
    return -search.fit(X, y).cv_results_["mean_test_score"]
