"""The three methods of the paper, and the choice of their parameters by five-fold cross-validation.

As in the paper the noise variance of Forward is fixed at 1, and its penalty, kernel width and
number of functions are chosen by five-fold cross-validation on at most 1000 rows; for the
relevance vector machines, which find all else themselves, the width alone. The kernel is
``exp(-|x - z|^2 / r)``.

What the paper leaves open: inputs are standardised by the training rows, targets centred there
(an intercept), r runs over multiples of the number of inputs, and the relevance vector machines
estimate their noise.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold

from holdfast import EvidenceRegressor, RelevanceVectorRegressor

FORWARD, OLD, NEW = "Forward", "Old RVM", "New RVM"
METHODS = (FORWARD, OLD, NEW)
AUTO = "Forward, auto"
"""Beyond the paper: noise variance, penalty and number of functions by the evidence."""
ALGORITHMS = {OLD: "em", NEW: "fast"}
WIDTHS = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
PENALTIES = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
MOST_ITERATIONS = {OLD: 300, NEW: 3000}


@dataclass(frozen=True)
class Choice:
    """Parameters of one method: r / inputs, and for Forward penalty and number of functions."""

    width: float
    penalty: float = 0.0
    n_basis: int = 0

    def __str__(self) -> str:
        forward = f", penalty {self.penalty:g}, {self.n_basis} functions" if self.n_basis else ""
        return f"r = {self.width:g} d{forward}"


@dataclass(frozen=True)
class Result:
    """Test error, functions, processor seconds of the fit, whether it said it converged."""

    error: float
    n_basis: int
    seconds: float
    converged: bool


def scaled(X: np.ndarray, train: np.ndarray) -> np.ndarray:
    """Standardise columns by some rows."""
    spread = X[train].std(axis=0)
    return (X - X[train].mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def estimator(method: str, choice: Choice, n_inputs: int, low_rank: int | None = None):
    """Return the unfitted model of a choice."""
    gamma = 1.0 / (choice.width * n_inputs)
    if method == FORWARD:
        return EvidenceRegressor(
            gamma=gamma,
            noise_variance=1.0,
            weight_precision=choice.penalty,
            max_basis=choice.n_basis,
            tol=-np.inf,
            low_rank=low_rank,
            fit_intercept=True,
        )
    if method == AUTO:
        return EvidenceRegressor(gamma=gamma, fit_intercept=True)
    return RelevanceVectorRegressor(
        gamma=gamma,
        algorithm=ALGORITHMS[method],
        fit_intercept=True,
        max_iter=MOST_ITERATIONS[method],
    )


def fitted(method: str, choice: Choice, X: np.ndarray, y: np.ndarray, low_rank: int | None = None):
    """Fit; the model, processor seconds, whether it converged. Forward has its full size."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", ConvergenceWarning)
        started = time.process_time()
        model = estimator(method, choice, X.shape[1], low_rank).fit(X, y)
        seconds = time.process_time() - started
    if method == FORWARD:
        model = model.truncate(min(choice.n_basis, len(model.selection_order_)))
    return model, seconds, not told


def judged(
    method: str,
    choice: Choice,
    X: np.ndarray,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    low_rank: int | None = None,
) -> Result:
    """Fit on some rows, and take the error on others."""
    X = scaled(X, train)
    model, seconds, converged = fitted(method, choice, X[train], y[train], low_rank)
    error = float(np.mean((model.predict(X[test]) - y[test]) ** 2))
    return Result(error, model.n_basis_, seconds, converged)


def choose(method: str, X: np.ndarray, y: np.ndarray, sizes: tuple[int, ...], mode: str) -> Choice:
    """The choice of least squared error over five folds of the rows given."""
    widths = WIDTHS if mode != "quick" else WIDTHS[1::3]
    penalties = PENALTIES if mode != "quick" else PENALTIES[1::2]
    folds = list(KFold(5, shuffle=True, random_state=0).split(X))
    errors: dict[Choice, float] = {}
    for width in widths:
        for penalty in penalties if method == FORWARD else (0.0,):
            for train, test in folds:
                Z = scaled(X, train)
                most = Choice(width, penalty, max(sizes) if method == FORWARD else 0)
                model, _, _ = fitted(method, most, Z[train], y[train])
                for size in sizes if method == FORWARD else (0,):
                    shown = model
                    if method == FORWARD:
                        shown = model.truncate(min(size, len(model.selection_order_)))
                    choice = Choice(width, penalty, size)
                    error = float(np.sum((shown.predict(Z[test]) - y[test]) ** 2))
                    errors[choice] = errors.get(choice, 0.0) + error
    return min(errors, key=errors.__getitem__)
