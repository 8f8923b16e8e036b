"""The ten columns of the paper's tables on one task: answers by holdfast, times of all methods.

- *naive*: a refit from the rows (normal equations, the fastest way) for every fold and penalty. One
  is timed, times folds and penalties (~).
- *cov.*, *eig.*: the covariance and the eigen method as printed, in NumPy
  (`benchmarks/peers`). The penalty is run to the end. Of a search single steps are timed at up to
  four sizes along the path (the shortest of three times) - eig. all candidates and penalties of
  one fold, cov. one candidate, penalty and fold - and integrated over the path (~).
- *ours*: `RidgeCV`, `ForwardRidge`, `BackwardRidge`, to the end. The searches end as the paper's at
  the smallest error, looked for until 20 moves bring none.
- *LARS*: the lasso path of scikit-learn (`lars_path_gram`) on the moments of every training set,
  the penalty by held-out error; columns at unit length.
- *OP-LR*, *OP-RR*: `PrunedRidge`.

Errors of naive, cov. and eig. are those of ours: the criterion is the same. It is checked that cov.
and eig. choose the same penalty as ours, where no classes are reweighted (the baselines know no
weights), up to errors that are equal to 1e-6.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from benchmarks.peers import covariance_method, eigen_method
from benchmarks.peers.centred_moments import Moments, centred_moments
from sklearn.linear_model import lars_path_gram
from task import Task

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
    PrunedRidge,
    RidgeClassifierCV,
    RidgeCV,
)


@dataclass
class Outcome:
    """Everything about one task; seconds by column, and what the models of the columns are."""

    task: Task
    fixed: float = np.nan
    fixed_lars: float = np.nan
    seconds: dict[str, float] = field(default_factory=dict)
    scaled: set[str] = field(default_factory=set)
    removed: dict[str, float] = field(default_factory=dict)
    errors: dict[str, tuple[float, float]] = field(default_factory=dict)
    agree: bool = True


def compare(task: Task) -> Outcome:
    """Run every method."""
    found = Outcome(task)
    moments, found.fixed = _timed(lambda: centred_moments(task.problem))
    _ridge(found, moments)
    for name in ("FFS", "BFS"):
        _selection(found, name, moments)
    _lars(found)
    for name, regularized in (("OP-LR", False), ("OP-RR", True)):
        model = PrunedRidge(alphas=task.alphas, cv=task.cv, regularized=regularized)
        _, found.seconds[name] = _timed(lambda m=model: m.fit(task.X, task.y, task.weights))
        _keep(found, name, model.coef_, model.predict(task.X_test))
    return found


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    started = time.perf_counter()
    answer = work()
    return answer, time.perf_counter() - started


def _shortest(work: Callable[[], Any]) -> float:
    """Seconds of the shortest of three runs: what is scaled up must not be an interruption."""
    return min(_timed(work)[1] for _ in range(3))


def _keep(found: Outcome, name: str, coef: np.ndarray, outputs: np.ndarray) -> None:
    found.removed[name] = float(np.mean(np.ravel(coef) == 0))
    found.errors[name] = found.task.judge(outputs)


def _fitted(task: Task, regressor: Any, classifier: Any) -> tuple[Any, float, np.ndarray]:
    """The model of one kind, its seconds, its outputs on the test rows."""
    if task.labels is None:
        model = regressor(alphas=task.alphas, cv=task.cv)
        _, took = _timed(lambda: model.fit(task.X, task.y))
        return model, took, model.predict(task.X_test)
    model = classifier(alphas=task.alphas, cv=task.cv, class_weight="balanced")
    _, took = _timed(lambda: model.fit(task.X, task.labels))
    return model, took, model.decision_function(task.X_test)


# -- ridge regression on all columns -------------------------------------------------------


def _ridge(found: Outcome, moments: Moments) -> None:
    task = found.task
    model, found.seconds["RR ours"], outputs = _fitted(task, RidgeCV, RidgeClassifierCV)
    _keep(found, "RR", model.coef_, outputs)
    train, held = next(iter(task.cv.split(task.X)))
    _, once = _timed(lambda: _refit(task.X[train], task.y[train], task.X[held], task.alphas[0]))
    found.seconds["RR naive"] = once * task.splits * len(task.alphas)
    found.scaled.add("RR naive")
    by_covariance, found.seconds["RR cov."] = _timed(
        lambda: covariance_method.grid_errors(moments, task.alphas)
    )
    by_eigen, found.seconds["RR eig."] = _timed(
        lambda: eigen_method.grid_errors(moments, task.alphas)
    )
    if task.labels is None:
        own = model.alpha_errors_
        for errors in (by_covariance, by_eigen):
            found.agree &= bool(own[int(np.argmin(errors))] <= own.min() * (1 + 1e-6))


def _refit(X: np.ndarray, y: np.ndarray, X_held: np.ndarray, alpha: float) -> np.ndarray:
    mean, target_mean = X.mean(axis=0), y.mean()
    centred = X - mean
    gram = centred.T @ centred
    gram[np.diag_indices_from(gram)] += alpha
    weights = np.linalg.solve(gram, centred.T @ (y - target_mean))
    return target_mean + (X_held - mean) @ weights


# -- selection -----------------------------------------------------------------------------


def _selection(found: Outcome, name: str, moments: Moments) -> None:
    task, adding = found.task, name == "FFS"
    kinds = (ForwardRidge, ForwardRidgeClassifier) if adding else ()
    kinds = kinds or (BackwardRidge, BackwardRidgeClassifier)
    model, found.seconds[f"{name} ours"], outputs = _fitted(task, *kinds)
    _keep(found, name, model.coef_, outputs)
    order, n = [int(column) for column in model.selection_order_], task.X.shape[1]
    steps = np.unique(np.linspace(0, len(order) - 1, 4).astype(int))
    by_step: dict[str, list[float]] = {"cov.": [], "eig.": []}
    for step in steps.tolist():
        moved = order[:step]
        support = moved if adding else [c for c in range(n) if c not in moved]
        candidates = [c for c in range(n) if c not in moved] if adding else support
        took = _shortest(
            lambda s=support, c=candidates: eigen_method.one_fold(
                moments, s, c, task.alphas, adding=adding
            )
        )
        by_step["eig."].append(took * task.splits)
        size = max(len(support) + (1 if adding else -1), 1)
        took = _shortest(
            lambda s=size: covariance_method.error(moments, range(s), float(task.alphas[-1]))
        )
        by_step["cov."].append(took * len(candidates) * len(task.alphas))
    every = np.arange(len(order))
    for kind, seconds in by_step.items():
        column = f"{name} {kind}"
        found.seconds[column] = float(np.interp(every, steps, seconds).sum())
        found.scaled.add(column)


# -- the lasso -----------------------------------------------------------------------------


def _lars(found: Outcome) -> None:
    """Lasso paths on the weighted moments of every training set, judged on the held-out rows."""
    task = found.task
    (grams, crosses, means), found.fixed_lars = _timed(lambda: _training_moments(task))

    def choose() -> tuple[np.ndarray, float]:
        paths = [_path(gram, cross) for gram, cross in zip(grams, crosses, strict=True)]
        grid = paths[-1][0]
        errors = np.zeros(len(grid))
        splits = [held for _, held in task.cv.split(task.X)]
        for (knots, coefs), held, mean in zip(paths[:-1], splits, means[:-1], strict=True):
            on_grid = np.array([np.interp(grid[::-1], knots[::-1], c[::-1])[::-1] for c in coefs])
            outputs = (task.X[held] - mean[:-1]) @ on_grid + mean[-1]
            squares = (task.y[held][:, None] - outputs) ** 2
            errors += task.weights[held] @ squares
        best = int(np.argmin(errors))
        coef = paths[-1][1][:, best]
        return coef, float(means[-1][-1] - means[-1][:-1] @ coef)

    (coef, intercept), found.seconds["LARS"] = _timed(choose)
    _keep(found, "LARS", coef, task.X_test @ coef + intercept)


def _path(gram: np.ndarray, cross: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Knots, decreasing, and coefficients (columns, knots), of columns at unit length."""
    length = np.sqrt(np.maximum(np.diagonal(gram), 1e-300))
    knots, _, coefs = lars_path_gram(
        Xy=cross / length,
        Gram=gram / np.outer(length, length),
        n_samples=1,
        method="lasso",
        max_iter=8 * len(gram),
    )
    return knots, coefs / length[:, None]


def _training_moments(task: Task) -> tuple[list, list, list]:
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
