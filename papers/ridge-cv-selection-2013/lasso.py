"""LARS: lasso paths on the weighted moments of every training set, judged on the held-out rows.

By scikit-learn (`lars_path_gram`), columns at unit length; the penalty with the smallest held-out
error. Of columns that depend on others its path drops some, and it ends before the smallest
penalties where rounding rules.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path_gram
from task import Task

CONSTANT = 1e-10
"""Columns with smaller squares, relative to the largest, are constant up to rounding."""


class Lasso(NamedTuple):
    """Models along the path of all rows, (columns, knots), and their held-out squared errors."""

    coefs: np.ndarray
    intercepts: np.ndarray
    errors: np.ndarray

    @property
    def best(self) -> int:
        """The chosen knot."""
        return int(np.argmin(self.errors))

    def outputs(self, X: np.ndarray, knot: int) -> np.ndarray:
        """Outputs of one model."""
        return X @ self.coefs[:, knot] + self.intercepts[knot]


Moments = tuple[list[np.ndarray], list[np.ndarray], list[np.ndarray]]


def choose(task: Task, moments: Moments) -> Lasso:
    """Paths of all training sets, and the errors of every knot of the path of all rows."""
    grams, crosses, means = moments
    paths = [_path(gram, cross) for gram, cross in zip(grams, crosses, strict=True)]
    grid, chosen = paths[-1]
    errors = np.zeros(len(grid))
    splits = [held for _, held in task.cv.split(task.X)]
    for (knots, coefs), held, mean in zip(paths[:-1], splits, means[:-1], strict=True):
        on_grid = np.array([np.interp(grid[::-1], knots[::-1], c[::-1])[::-1] for c in coefs])
        outputs = (task.X[held] - mean[:-1]) @ on_grid + mean[-1]
        errors += task.weights[held] @ (task.y[held][:, None] - outputs) ** 2
    intercepts = means[-1][-1] - means[-1][:-1] @ chosen
    return Lasso(chosen, intercepts, errors / task.weights.sum())


def _path(gram: np.ndarray, cross: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Knots, decreasing, and coefficients (columns, knots), of columns at unit length.

    A column that is constant in the training set, though not in what is held out, gets none.
    """
    squares = np.diagonal(gram)
    varied = squares > CONSTANT * squares.max()
    length = np.sqrt(squares[varied])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        knots, _, found = lars_path_gram(
            Xy=cross[varied] / length,
            Gram=gram[np.ix_(varied, varied)] / np.outer(length, length),
            n_samples=1,
            method="lasso",
            max_iter=8 * len(gram),
        )
    coefs = np.zeros((len(gram), len(knots)))
    coefs[varied] = found / length[:, None]
    return knots, coefs


def training_moments(task: Task) -> Moments:
    """Gram matrices, cross products and means (columns, then target) of training sets and all."""
    table = np.column_stack([task.X, task.y])
    origin = table[:1000].mean(axis=0)
    parts = []
    for _, held in task.cv.split(task.X):
        block, weights = table[held] - origin, task.weights[held]
        parts.append((block.T @ (block * weights[:, None]), weights @ block, weights.sum()))
    grams, crosses, means = [], [], []
    for left_out in [*range(len(parts)), None]:
        kept = [part for number, part in enumerate(parts) if number != left_out]
        square, first, mass = (sum(values) for values in zip(*kept, strict=True))
        centred = square - np.outer(first, first) / mass
        grams.append(centred[:-1, :-1])
        crosses.append(centred[:-1, -1])
        means.append(origin + first / mass)
    return grams, crosses, means
