"""Ridge models of all columns as functions of the penalty: the problem, and what answers it.

No column is selected here: the only question is the penalty. Whoever answers it - from moments of
folds, from one decomposition of all rows, from a kernel matrix - tells the losses of the splits
for any penalties, the held-out predictions where a scorer wants them, and the model on all rows.
The routes are

- :mod:`holdfast.criteria.penalty_moments`: moments of training sets, any splits;
- :mod:`holdfast.criteria.penalty_leave_one_out`: one n x n decomposition, leave-one-out;
- :mod:`holdfast.criteria.penalty_blocks`: one n x n decomposition, small held-out sets;
- :mod:`holdfast.criteria.penalty_kernel`: m x m kernel matrices, for more columns than rows;
- :mod:`holdfast.criteria.penalty_dual`: a kernel matrix that is given.

A *loss* is ``sum w e^2`` over the rows that a split holds out. Leave-one-out counts as one split
that holds out every row, each judged by its own model.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from holdfast.criteria.leaving import Leaving
from holdfast.criteria.training_sets import Factors, factors_of
from holdfast.criteria.weighting import ClassWeights, Weighting, class_codes
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array, Block, Rows, State, Totals

_ROUNDING = 64 * np.finfo(float).eps
"""Of a held-out error, relative to its target."""


class HeldOut(NamedTuple):
    """What one split holds out: row numbers, and predictions (penalties, targets, rows)."""

    rows: Array
    predictions: Array


class Model(NamedTuple):
    """Model on all rows: coefficients (targets, n) and intercepts (targets,)."""

    coef: Array
    intercept: Array


class Penalties(Protocol):
    """Exact hold-out of ridge models of all columns, under any penalties."""

    squares: Array
    """Squared lengths of the columns of all rows, centred and scaled."""
    held_mass: float
    """Sum of the error weights over all pairs of a split and a row that it holds out."""
    resolution: Array
    """What rounding leaves of losses, (targets,): those closer than this are equal."""

    def losses(self, alphas: Array) -> Array:
        """``sum w e^2`` over all splits, (penalties, targets)."""
        ...

    def held_out(self, alphas: Array) -> Iterator[HeldOut]:
        """Held-out predictions, split by split."""
        ...

    def model(self, alphas: Array) -> Model:
        """The model on all rows, a penalty for every target."""
        ...

    def below_floor(self, alpha: float) -> bool:
        """Whether moments in floats cannot tell what so small a penalty does."""
        ...


@dataclass(frozen=True)
class PenaltyProblem:
    """Rows, and how they are held out.

    Attributes
    ----------
    rows : Rows
        The data.
    splits : Splits or None
        None is leave-one-out.
    classes : ClassWeights
        How classes count.
    fit_intercept, standardize : bool
        Centring and scaling: in every training set, the scales under leave-one-out once.
    leaving : Leaving or None
        Directions of the weights that leave a model with rows that it is not trained on.
    spared : bool array of shape (m,), or None
        Rows that leave-one-out does not hold out.
    by_rows : bool
        Whether matrices over all pairs of rows may be made.
    """

    rows: Rows
    splits: Splits | None
    classes: ClassWeights
    fit_intercept: bool
    standardize: bool
    leaving: Leaving | None = None
    spared: Array | None = None
    by_rows: bool = True

    @cached_property
    def targets(self) -> Array:
        """Targets of all rows, (targets, m)."""
        return self._gathered[0]

    @cached_property
    def weights(self) -> Array:
        """Sample weights of all rows, (m,)."""
        return self._gathered[1]

    @cached_property
    def codes(self) -> Array:
        """Class of every row, (m,)."""
        return class_codes(self.targets, len(self.classes))

    @cached_property
    def views(self) -> Weighting:
        """Views of the rows for leave-one-out."""
        return self.classes.views

    @cached_property
    def labels(self) -> Array:
        """Part and class of every row in every partition of the splits, (partitions, m)."""
        assert self.splits is not None
        return self.splits.labels * len(self.classes) + self.codes

    @property
    def n_parts(self) -> int:
        """Parts of the splits, divided by class."""
        return len(self.classes) * (1 if self.splits is None else self.splits.n_parts)

    @cached_property
    def factors(self) -> tuple[Factors, Factors]:
        """What every split, and the model on all rows, takes of the parts divided by class."""
        assert self.splits is not None
        counts = np.bincount(self.labels[:, self.weights > 0].ravel(), minlength=self.n_parts)
        splits = self.splits
        return factors_of(splits.train, splits.held, splits.whole, self.classes, counts)

    def split_weights(self, split: int) -> tuple[Array, Array]:
        """Weights of all rows in the training of a split, and in its error, (m,) each."""
        factors, _ = self.factors
        train = factors.train[split][self.labels].sum(axis=0)
        held = factors.held[split][self.labels].sum(axis=0)
        return train * self.weights, held * self.weights

    @property
    def error_weights(self) -> Array:
        """Weight of every row in the error: sample weight times the class weight of all rows."""
        weights: Array = self.views.train[-1][self.codes] * self.weights
        return weights

    @cached_property
    def resolution(self) -> Array:
        """What rounding leaves of losses that are sums over rows held out, (targets,)."""
        times = np.bincount(np.concatenate(self.held_rows), minlength=self.rows.n_rows)
        rounding: Array = np.square(_ROUNDING * self.targets) @ (self.error_weights * times)
        return rounding

    @cached_property
    def held_sizes(self) -> Array:
        """How many rows of positive weight every split holds out, (K,)."""
        counted = self.weights > 0
        if self.splits is None:
            return np.array([len(self.held_rows[0])])
        labels = self.splits.labels[:, counted].ravel()
        sizes: Array = self.splits.held @ np.bincount(labels, minlength=self.splits.n_parts)
        return sizes

    @cached_property
    def held_rows(self) -> list[Array]:
        """Rows of positive weight that every split holds out."""
        counted = self.weights > 0
        if self.splits is None:
            return [np.flatnonzero(counted if self.spared is None else counted & ~self.spared)]
        held = self.splits.held
        return [np.flatnonzero(parts[self.splits.labels].any(axis=0) & counted) for parts in held]

    def barred(self, split: int) -> Array | None:
        """Directions that leave the model of a split, orthonormal (n, e); None for none ever.

        They are those of the rows of positive weight that it is not trained on.
        """
        if self.leaving is None:
            return None
        assert self.splits is not None
        trained = self.splits.train[split][self.splits.labels].any(axis=0)
        return self.leaving.of(~trained & (self.weights > 0))

    @property
    def held_mass(self) -> float:
        """Sum of the error weights over all pairs of a split and a row that it holds out."""
        return float(sum(self.error_weights[held].sum() for held in self.held_rows))

    @cached_property
    def _gathered(self) -> tuple[Array, Array]:
        _, states = self.rows.sweep(_row_numbers, None, None)
        return self.rows.gather(states, "targets"), self.rows.gather(states, "weights")

    def losses_of(self, held_out: Iterator[HeldOut], n_alphas: int) -> Array:
        """``sum w e^2`` of held-out predictions, (penalties, targets)."""
        total = np.zeros((n_alphas, len(self.targets)))
        for rows, predictions in held_out:
            errors = self.targets[:, rows] - predictions
            total += np.square(errors) @ self.error_weights[rows]
        return total


def held_out_results(
    penalties: Penalties, problem: PenaltyProblem, alphas: Array
) -> tuple[Array, Array]:
    """What holds out every row, mean over the splits that do: predictions, weighted squared errors.

    (penalties, targets, rows) each, NaN for rows that no split holds out. Weights are those of the
    error: sample weight times the class weight of all rows.
    """
    shape = (len(alphas), *problem.targets.shape)
    total, squares, count = np.zeros(shape), np.zeros(shape), np.zeros(shape[-1])
    for rows, predicted in penalties.held_out(alphas):
        count[rows] += 1
        total[..., rows] += predicted
        errors = problem.targets[:, rows] - predicted
        squares[..., rows] += errors**2 * problem.error_weights[rows]
    count[count == 0] = np.nan
    return total / count, squares / count


def _row_numbers(block: Block, state: State, shared: None) -> tuple[Totals, State]:
    return Totals(), {"targets": block.targets, "weights": block.weights}
