"""The columns of the paper's tables on one task: answers by holdfast, times of all methods.

- *naive*, *cov.*, *eig.*: the paper's; see `baselines`. The penalty by cov. and eig. is run to the
  end.
- *ours*: `RidgeCV`, `ForwardRidge`, `BackwardRidge`, to the end. As in the paper (section 1) a
  search ends with the first move that brings no improvement.
- *LARS*: see `lasso`.
- *OP-LR*, *OP-RR*: `PrunedRidge`.

Errors of naive, cov. and eig. are those of ours: the criterion is the same. It is checked that cov.
and eig. choose the same penalty as ours, where no classes are reweighted (the baselines know no
weights), up to errors that are equal to 1e-6.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import baselines
import lasso
import numpy as np
from baselines import timed
from benchmarks.peers import covariance_method, eigen_method
from benchmarks.peers.centred_moments import Moments, centred_moments
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

POINTS = 40
"""Models of a path that are tested, at most."""


class Curve(NamedTuple):
    """Models of a path: columns, held-out error, test error; and which was chosen."""

    sizes: np.ndarray
    held_out: np.ndarray
    test: np.ndarray
    chosen: int


@dataclass
class Outcome:
    """Everything about one task; seconds by column, and what the models of the columns are.

    ``held_out`` are the errors that the methods minimise: root mean squares over the spread of the
    targets. ``errors`` are those of the test rows, and their deviations.
    """

    task: Task
    whole: bool = False
    fixed: float = np.nan
    fixed_lars: float = np.nan
    seconds: dict[str, float] = field(default_factory=dict)
    scaled: set[str] = field(default_factory=set)
    removed: dict[str, float] = field(default_factory=dict)
    held_out: dict[str, float] = field(default_factory=dict)
    errors: dict[str, tuple[float, float]] = field(default_factory=dict)
    curves: dict[str, Curve] = field(default_factory=dict)
    agree: bool = True


def compare(task: Task, mode: str) -> Outcome:
    """Run every method; with ``mode="full"`` the paper's to the end."""
    found = Outcome(task, mode == "full")
    moments, found.fixed = timed(lambda: centred_moments(task.problem))
    _ridge(found, moments)
    for name in ("FFS", "BFS"):
        _selection(found, name, moments)
    _lars(found)
    for name, regularized in (("OP-LR", False), ("OP-RR", True)):
        model = PrunedRidge(alphas=task.alphas, cv=task.cv, regularized=regularized)
        _, found.seconds[name] = timed(lambda m=model: m.fit(task.X, task.y, task.weights))
        _keep(found, name, model)
        _walk(found, name, model)
    return found


def _keep(found: Outcome, name: str, model: Any) -> None:
    found.removed[name] = float(np.mean(np.ravel(model.coef_) == 0))
    found.errors[name] = found.task.judge(_outputs(found.task, model))
    found.held_out[name] = float(np.sqrt(-model.best_score_) / found.task.spread)


def _outputs(task: Task, model: Any) -> np.ndarray:
    """Outputs on the test rows."""
    return getattr(model, "decision_function", model.predict)(task.X_test)


def _walk(found: Outcome, name: str, model: Any) -> None:
    """Held-out and test errors of the models that a search has visited."""
    task, sizes = found.task, model.path_sizes_
    chosen = int(np.flatnonzero(sizes == model.n_features_)[0])
    some = np.union1d(np.linspace(0, len(sizes) - 1, POINTS).astype(int), chosen)
    test = [task.judge(_outputs(task, model.truncate(int(size))))[0] for size in sizes[some]]
    held_out = np.sqrt(model.path_errors_[some]) / task.spread
    at = int(np.searchsorted(some, chosen))
    found.curves[name] = Curve(sizes[some], held_out, np.array(test), at)


def _fitted(task: Task, regressor: Any, classifier: Any, **search: Any) -> tuple[Any, float]:
    """The model of one kind, and its seconds."""
    if task.labels is None:
        model = regressor(alphas=task.alphas, cv=task.cv, **search)
        return timed(lambda: model.fit(task.X, task.y))
    model = classifier(alphas=task.alphas, cv=task.cv, class_weight="balanced", **search)
    return timed(lambda: model.fit(task.X, task.labels))


def _ridge(found: Outcome, moments: Moments) -> None:
    """Ridge regression on all columns."""
    task = found.task
    model, found.seconds["RR ours"] = _fitted(task, RidgeCV, RidgeClassifierCV)
    _keep(found, "RR", model)
    found.seconds["RR naive"] = baselines.naive(task, found.whole)
    if not found.whole:
        found.scaled.add("RR naive")
    by_covariance, found.seconds["RR cov."] = timed(
        lambda: covariance_method.grid_errors(moments, task.alphas)
    )
    by_eigen, found.seconds["RR eig."] = timed(
        lambda: eigen_method.grid_errors(moments, task.alphas)
    )
    if task.labels is None:
        own = model.alpha_errors_
        for errors in (by_covariance, by_eigen):
            found.agree &= bool(own[int(np.argmin(errors))] <= own.min() * (1 + 1e-6))


def _selection(found: Outcome, name: str, moments: Moments) -> None:
    task, adding = found.task, name == "FFS"
    kinds = (ForwardRidge, ForwardRidgeClassifier) if adding else ()
    kinds = kinds or (BackwardRidge, BackwardRidgeClassifier)
    model, found.seconds[f"{name} ours"] = _fitted(task, *kinds, patience=1)
    _keep(found, name, model)
    _walk(found, name, model)
    order = [int(column) for column in model.selection_order_]
    took = baselines.search(task, moments, order, adding=adding, whole=found.whole)
    for kind, seconds in took.items():
        found.seconds[f"{name} {kind}"] = seconds
        if not found.whole:
            found.scaled.add(f"{name} {kind}")


def _lars(found: Outcome) -> None:
    task = found.task
    moments, found.fixed_lars = timed(lambda: lasso.training_moments(task))
    path, found.seconds["LARS"] = timed(lambda: lasso.choose(task, moments))
    sizes = np.count_nonzero(path.coefs, axis=0)
    found.removed["LARS"] = 1.0 - sizes[path.best] / len(path.coefs)
    found.errors["LARS"] = task.judge(path.outputs(task.X_test, path.best))
    held_out = np.sqrt(path.errors) / task.spread
    found.held_out["LARS"] = float(held_out[path.best])
    # Of several knots with as many columns the one with the smallest error.
    knots = np.array(
        [np.flatnonzero(sizes == s)[held_out[sizes == s].argmin()] for s in set(sizes)]
    )
    knots = knots[np.argsort(sizes[knots])]
    chosen = int(np.flatnonzero(sizes[knots] == sizes[path.best])[0])
    some = np.union1d(np.linspace(0, len(knots) - 1, POINTS).astype(int), chosen)
    test = [task.judge(path.outputs(task.X_test, knot))[0] for knot in knots[some]]
    at = int(np.searchsorted(some, chosen))
    found.curves["LARS"] = Curve(sizes[knots[some]], held_out[knots[some]], np.array(test), at)
