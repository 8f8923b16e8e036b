"""What every experiment of the paper is: columns, targets, splits, penalties, and a test error."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from benchmarks.fold_problems import FoldProblem
from sklearn.model_selection import KFold

Judge = Callable[[np.ndarray], tuple[float, float]]
"""From outputs on the test rows to the test error and its deviation.

The deviation is that between series, or else between ten parts of the test rows."""

N_PARTS = 10


@dataclass(frozen=True)
class Task:
    """One experiment.

    Rows are divided into ``splits`` contiguous folds of equal size. ``labels`` are those of
    classes that count alike (class-reweighted ridge), or None.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    splits: int
    n_alphas: int
    X_test: np.ndarray
    judge: Judge
    labels: np.ndarray | None = None

    @cached_property
    def weights(self) -> np.ndarray:
        """Weights of the rows: balanced between classes, or all one."""
        if self.labels is None:
            return np.ones(len(self.y))
        classes, codes, counts = np.unique(self.labels, return_inverse=True, return_counts=True)
        return (len(codes) / (len(classes) * counts))[codes]

    @property
    def spread(self) -> float:
        """Standard deviation of the targets, weighted."""
        mean = np.average(self.y, weights=self.weights)
        return float(np.sqrt(np.average((self.y - mean) ** 2, weights=self.weights)))

    @cached_property
    def eigenvalues(self) -> np.ndarray:
        """Of the weighted covariance matrix, times the rows, ascending."""
        root = np.sqrt(self.weights)[:, None]
        mean = np.average(self.X, axis=0, weights=self.weights)
        rows = (self.X - mean) * root
        return np.maximum(np.linalg.eigvalsh(rows.T @ rows), 0.0)

    @property
    def condition(self) -> float:
        """Condition number of the covariance matrix, the smallest eigenvalue at least rounding."""
        values = self.eigenvalues
        return float(values[-1] / max(values[0], 1e-20 * values[-1]))

    @cached_property
    def alphas(self) -> np.ndarray:
        """Penalties between 1e-10 and 10 times the mean eigenvalue."""
        return self.eigenvalues.mean() * np.logspace(-10.0, 1.0, self.n_alphas)

    @property
    def cv(self) -> KFold:
        """The folds."""
        return KFold(self.splits)

    @cached_property
    def problem(self) -> FoldProblem:
        """The same for the baselines, which know no weights."""
        return FoldProblem(self.name, self.X, self.y, self.splits, self.alphas, 1)


def nrmse(y_test: np.ndarray) -> Judge:
    """Root mean squared error over the deviation of the targets."""

    def judge(outputs: np.ndarray) -> tuple[float, float]:
        squares = (y_test - outputs) ** 2 / y_test.var()
        parts = [part.mean() for part in np.array_split(squares, N_PARTS)]
        return float(np.sqrt(squares.mean())), float(np.std(np.sqrt(parts), ddof=1))

    return judge


def misclassified(labels: np.ndarray) -> Judge:
    """Share of wrong signs."""

    def judge(outputs: np.ndarray) -> tuple[float, float]:
        wrong = (outputs > 0) != (labels > 0)
        parts = [part.mean() for part in np.array_split(wrong, N_PARTS)]
        return float(wrong.mean()), float(np.std(parts, ddof=1))

    return judge


def balanced_error_rate(labels: np.ndarray, series: np.ndarray) -> Judge:
    """Mean of the errors of both classes: over the series, and its deviation between them."""

    def judge(outputs: np.ndarray) -> tuple[float, float]:
        wrong = (outputs > 0) != (labels > 0)
        rates = [
            np.mean([wrong[(series == s) & (labels == c)].mean() for c in (-1, 1)])
            for s in np.unique(series)
        ]
        return float(np.mean(rates)), float(np.std(rates, ddof=1))

    return judge
