"""What the benchmarks ask of a contestant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from benchmarks.problems import Problem
from benchmarks.referee import Answer


@dataclass(frozen=True)
class Peer:
    """A contestant: its package, what it optimises and how to ask it for columns.

    ``select(X, y, n_features, alpha)`` returns an `Answer`. ``same_criterion`` says whether it is
    greedy forward selection by the leave-one-out error of ridge regression, so that its answer
    has to be ours. Where a whole run takes too long, ``part`` is the number of columns a first
    step over which is timed and scaled.
    """

    name: str
    package: str
    optimises: str
    select: Callable[[Any, np.ndarray, int, float], Answer]
    same_criterion: bool = False
    part: int | None = None

    @property
    def installed(self) -> bool:
        """Return whether the package can be imported."""
        return find_spec(self.package) is not None

    def solve(self, problem: Problem) -> Answer:
        """Return the contestant's answer to a problem."""
        return self.select(problem.X, problem.y, problem.n_features, problem.alpha)
