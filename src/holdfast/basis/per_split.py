"""A basis of its own for every split: approach 3 of the paper.

Where the basis was chosen by looking at the targets, or its choice is a part of what is judged,
every split has to choose anew among the rows it trains on. Nothing is shared between splits then
but the criterion: each has its columns, made when they are read, and its moments
(:mod:`holdfast.criteria.penalty_moments`). Cost: K times that of one model, and of one choice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from holdfast.basis.rows import BasisColumns
from holdfast.criteria.penalty import HeldOut, Model, PenaltyProblem
from holdfast.criteria.penalty_leave_one_out import LeaveOneOutPenalties
from holdfast.criteria.penalty_moments import MomentPenalties
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array


class PerSplitPenalties:
    """Hold-out of models that choose their columns in every split; see :class:`.penalty.Penalties`.

    Parameters
    ----------
    problem : PenaltyProblem
        Targets, weights and splits; its columns are not read.
    whole : LeaveOneOutPenalties
        The model on all rows.
    choose : callable
        From the number of a split and the rows it trains on to the columns of its basis.
    """

    def __init__(
        self,
        problem: PenaltyProblem,
        whole: LeaveOneOutPenalties,
        choose: Callable[[int, Array], BasisColumns],
    ) -> None:
        assert problem.splits is not None
        self._whole, self.whole = whole, whole.whole
        self.squares = whole.squares
        self.resolution = problem.resolution
        self.held_mass = problem.held_mass
        self._parts = [self._opened(problem, split, choose) for split in range(len(problem.splits))]

    @staticmethod
    def _opened(
        problem: PenaltyProblem, split: int, choose: Callable[[int, Array], BasisColumns]
    ) -> MomentPenalties:
        """The penalties of a split; rows that it neither trains on nor holds out have no weight."""
        weights, _ = problem.split_weights(split)
        train, held = np.flatnonzero(weights), problem.held_rows[split]
        used = np.zeros_like(problem.weights)
        used[train], used[held] = problem.weights[train], problem.weights[held]
        part = PenaltyProblem(
            choose(split, train).streamed(problem.targets, used),
            Splits.of([(train, held)], len(used)),
            problem.classes,
            fit_intercept=problem.fit_intercept,
            standardize=False,
        )
        return MomentPenalties.on_rows(part)

    def losses(self, alphas: Array) -> Array:
        """``sum w e^2`` over all splits, (penalties, targets)."""
        total: Array = np.sum([part.losses(alphas) for part in self._parts], axis=0)
        return total

    def held_out(self, alphas: Array) -> Iterator[HeldOut]:
        """Held-out predictions, split by split."""
        for part in self._parts:
            yield from part.held_out(alphas)

    def model(self, alphas: Array) -> Model:
        """The model on all rows, a penalty for every target."""
        return self._whole.model(alphas)

    def below_floor(self, alpha: float) -> bool:
        """Whether moments in floats cannot tell what so small a penalty does."""
        in_split = any(part.below_floor(alpha) for part in self._parts)
        return in_split or self._whole.below_floor(alpha)
