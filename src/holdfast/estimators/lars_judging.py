"""What the paths of a fit are worth: held-out outputs and losses, by size, over targets and splits.

With leave-one-out the paths were judged where they were followed; with a ``cv`` every split has
paths of its own, and the rows that it holds out are judged here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.estimators.lars_tasks import (
    Followed,
    PathOrder,
    mean_and_spread,
    row_losses,
)
from holdfast.rows import Near
from holdfast.rows.ledger import Solution
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array

Found = Mapping[tuple[int, int, int], Followed]
"""Paths by (alpha, target, split), split -1 being all rows."""


@dataclass(frozen=True)
class Judgement:
    """One size on the path, over all targets.

    Attributes
    ----------
    size : int
        Columns of every target's model.
    alpha : int
        Position of the path's L2 penalty.
    errors, std_errors : arrays of shape (alphas,)
        Held-out loss of that size on every penalty's path, NaN where it was not visited.
    solution : Solution
        Over the columns that any target uses.
    """

    size: int
    alpha: int
    errors: Array
    std_errors: Array
    solution: Solution
    fold_errors: Array | None = None

    @property
    def error(self) -> float:
        """Error on the path it belongs to."""
        return float(self.errors[self.alpha])

    @property
    def std_error(self) -> float:
        """Its standard error."""
        return float(self.std_errors[self.alpha])


@dataclass(frozen=True)
class Problem:
    """Checked data: targets (targets, m), weights, and splits, None for leave-one-out."""

    X: Any
    targets: Array
    weights: Array
    splits: list[tuple[Array, ...]] | None
    order: PathOrder
    near: Near | None = None
    """Columns of all models, for the outputs of held-out rows."""


def pairs_of(splits: Splits | None) -> list[tuple[Array, ...]] | None:
    """Training and held-out rows of every split."""
    if splits is None:
        return None
    sides = (splits.train, splits.held)
    return [
        tuple(np.flatnonzero(side[number][splits.labels].any(axis=0)) for side in sides)
        for number in range(len(splits))
    ]


def training_sets(problem: Problem) -> Iterator[tuple[int, Array | None]]:
    """All rows as -1, then those of every split."""
    yield -1, None
    for number, (train, _) in enumerate(problem.splits or []):
        yield number, train


def used_columns(found: Found) -> Array:
    """Columns that any model uses."""
    columns = [one.model(size).columns for one in found.values() for size in one.models]
    return np.unique(np.concatenate(columns)).astype(np.intp)


def joined(models: list[Any]) -> Solution:
    """The models of all targets over the columns that any of them uses."""
    columns = np.unique(np.concatenate([model.columns for model in models])).astype(np.intp)
    coef = np.zeros((len(models), len(columns)))
    for line, model in zip(coef, models, strict=True):
        line[np.searchsorted(columns, model.columns)] = model.coef
    return Solution(columns, coef, np.array([model.intercept for model in models]))


def outputs_of_split(
    problem: Problem,
    found: Found,
    alpha: int,
    size: int,
    split: int,
) -> tuple[Array, Array]:
    """Rows that a split holds out, and their outputs (targets, rows)."""
    assert problem.splits is not None
    held = problem.splits[split][1]
    solution = joined(
        [found[alpha, line, split].model(size) for line in range(len(problem.targets))]
    )
    assert problem.near is not None
    table, places = problem.near
    product = table[held][:, places[solution.columns]] @ solution.coef.T
    return held, np.asarray(product, dtype=np.float64).T + solution.intercept[:, None]


def judge(
    problem: Problem, found: Found, alpha: int, size: int
) -> tuple[float, float, Array | None]:
    """Error of a size, its standard error, and that of every split; mean over targets."""
    hinge, n_targets = problem.order.hinge, len(problem.targets)
    if problem.splits is None:
        models = [found[alpha, line, -1].model(size) for line in range(n_targets)]
        if n_targets == 1:
            return models[0].error, models[0].std_error, None
        losses = [
            row_losses(target, model.outputs, hinge=hinge)
            for target, model in zip(problem.targets, models, strict=True)
        ]
        error, spread = mean_and_spread(np.mean(losses, axis=0), problem.weights)
        return error, spread, None
    sums, masses = [], []
    for split in range(len(problem.splits)):
        held, outputs = outputs_of_split(problem, found, alpha, size, split)
        losses_here = row_losses(problem.targets[:, held], outputs, hinge=hinge).mean(axis=0)
        masses.append(problem.weights[held].sum())
        sums.append(problem.weights[held] @ losses_here)
    by_fold = np.array(sums) / np.array(masses)
    spread = float(by_fold.std(ddof=1) / np.sqrt(len(by_fold))) if len(by_fold) > 1 else 0.0
    return float(np.sum(sums) / np.sum(masses)), spread, by_fold


def held_out(problem: Problem, found: Found, alpha: int, size: int) -> Array:
    """Outputs of rows without themselves, (targets, m): mean over repeats, NaN where never."""
    if problem.splits is None:
        lines = range(len(problem.targets))
        outputs = np.stack([found[alpha, line, -1].model(size).outputs for line in lines])
        return np.where(problem.weights > 0, outputs, np.nan)
    total, times = np.zeros_like(problem.targets), np.zeros(problem.targets.shape[1])
    for split in range(len(problem.splits)):
        held, some = outputs_of_split(problem, found, alpha, size, split)
        total[:, held] += some
        times[held] += 1
    with np.errstate(invalid="ignore"):
        return np.where(times > 0, total / np.maximum(times, 1), np.nan)
