"""What the benchmarks ask of a contestant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.fold_problems import FoldProblem
from benchmarks.fold_referee import FoldAnswer
from benchmarks.problems import Problem
from benchmarks.referee import Answer
from benchmarks.timing import Extrapolated


@dataclass(frozen=True, kw_only=True)
class Contestant:
    """Its package and what it optimises.

    ``same_criterion`` says whether that is what ours optimises, so that its answer has to be ours.
    """

    name: str
    package: str
    optimises: str
    same_criterion: bool = False

    @property
    def installed(self) -> bool:
        """Return whether the package can be imported."""
        return find_spec(self.package) is not None


@dataclass(frozen=True, kw_only=True)
class Peer(Contestant):
    """A contestant that selects columns: ``select(X, y, n_features, alpha)`` returns an `Answer`.

    The same criterion is the leave-one-out error of ridge regression, greedily forward. Where a
    whole run takes minutes, ``once`` asks for a single one on the large problem, beside the rounds;
    where a single feature does, ``part`` is the number of columns a first step over which is timed
    and scaled.
    """

    select: Callable[[Any, np.ndarray, int, float], Answer]
    part: int | None = None
    once: bool = False

    def solve(self, problem: Problem) -> Answer:
        """Return the contestant's answer to a problem."""
        return self.select(problem.X, problem.y, problem.n_features, problem.alpha)


@dataclass(frozen=True, kw_only=True)
class FoldPeer(Contestant):
    """A contestant on folds: ``solve(problem)`` returns a `FoldAnswer`.

    The same criterion is the pooled K-fold error of ridge regression with an unpenalised intercept.
    Where a whole run takes too long, ``scaled(problem)`` times a stated part and scales it.
    """

    solve: Callable[[FoldProblem], FoldAnswer]
    scaled: Callable[[FoldProblem], Extrapolated] | None = None
