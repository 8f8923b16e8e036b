"""The seam between a search and a criterion.

A *search* proposes moves and decides when to stop; a *criterion* - a ledger opened on rows
for a grid of penalties - scores them without refitting. Neither imports the other: both
import this page. A *move* adds or removes one *feature*: a column, or a group of columns
that enter and leave together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from holdfast.rows.sums import Array

TIE = 1e-10
"""Scores closer than this, relatively, are equal: the lowest feature wins, then alpha."""


class Move(NamedTuple):
    """Add (``sign`` = 1) or remove (-1) a feature."""

    sign: int
    feature: int


class Proposal(NamedTuple):
    """The best of the moves that were allowed."""

    move: Move
    error: float
    alpha: int


class Standing(NamedTuple):
    """Where the ledger stands: error and its standard error for every alpha.

    ``fold_errors`` is (K, alphas) where there are folds; ``lost`` (alphas,) says under which alphas
    digits are lost, None where a ledger keeps all digits: by ``"dependence"``, the columns being so
    nearly dependent that rounding decides, or by ``"leverage"``, rows that the model all but
    interpolates.
    """

    errors: Array
    std_errors: Array
    fold_errors: Array | None = None
    lost: Array | None = None
    lost_by: str = "dependence"


class Solution(NamedTuple):
    """Model on the current support: weights (targets, columns) and intercepts (targets,)."""

    columns: Array
    coef: Array
    intercept: Array


@dataclass(frozen=True)
class Features:
    """Columns partitioned into features, the units of a search.

    Features are numbered by their lowest column, so that *the lowest feature* means the
    same with and without groups.

    Attributes
    ----------
    flat : int array of shape (n,)
        Columns, feature by feature.
    starts : int array of shape (features + 1,)
        Where in ``flat`` every feature begins.
    """

    flat: Array
    starts: Array

    @classmethod
    def partition(cls, n_columns: int, groups: Sequence[Sequence[int]] = ()) -> Features:
        """Features of ``n_columns`` columns of which some stand together."""
        lowest = np.arange(n_columns)
        for group in groups:
            lowest[list(group)] = min(group)
        flat = np.argsort(lowest, kind="stable")
        starts = np.flatnonzero(np.diff(lowest[flat], prepend=-1, append=n_columns))
        return cls(flat, starts)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Array:
        """Number of columns of every feature."""
        return np.diff(self.starts)

    @cached_property
    def feature_of(self) -> Array:
        """The feature every column belongs to."""
        owner = np.empty(len(self.flat), dtype=np.intp)
        owner[self.flat] = np.repeat(np.arange(len(self)), self.sizes)
        return owner

    @cached_property
    def single(self) -> bool:
        """Whether every feature is one column."""
        return len(self) == len(self.flat)

    def without(self, dropped: Array) -> Features:
        """The features that are left, their columns numbered anew; ``dropped`` are bools."""
        stays = ~dropped[self.feature_of]
        number = np.cumsum(stays) - 1
        flat = number[self.flat[stays[self.flat]]]
        return Features(flat, np.concatenate([[0], np.cumsum(self.sizes[~dropped])]))

    def columns(self, features: Sequence[int] | Array) -> Array:
        """Columns of several features, in the order given."""
        if self.single:
            return self.flat[np.asarray(features, dtype=np.intp)]
        chosen = np.asarray(features, dtype=np.intp)
        sizes = self.sizes[chosen]
        before = np.cumsum(sizes) - sizes
        positions = np.arange(sizes.sum()) + np.repeat(self.starts[chosen] - before, sizes)
        columns: Array = self.flat[positions]
        return columns


class Ledger(Protocol):
    """What a search may ask of a criterion."""

    @property
    def support(self) -> Sequence[int]:
        """Features of the current model, in the order they entered."""
        ...

    @property
    def standing(self) -> Standing:
        """Errors of the current model."""
        ...

    def best(self, sign: int, allowed: Array) -> Proposal | None:
        """The best move of that sign among the ``allowed`` features, which ascend, or None."""
        ...

    def score(self, moves: Sequence[Move]) -> Array:
        """Errors after each of the moves alone, (moves, alphas)."""
        ...

    def accept(self, move: Move) -> None:
        """Make the move."""
        ...

    def expect(self, features: Sequence[int] | Array) -> None:
        """Features that will be added, in this order: what costs a reading may be read together."""
        ...

    def solution(self, alpha: int) -> Solution:
        """The model on the current support, trained on all rows."""
        ...

    def held_out_predictions(self, alpha: int) -> Array:
        """Predictions (rows, targets), each by the model trained without its row."""
        ...


def choose(errors: Array, features: Array) -> tuple[int, int]:
    """Position (alpha, line) of the smallest error under the rule of ties.

    Parameters
    ----------
    errors : array of shape (alphas, candidates)
        May hold infinities for what was not scored.
    features : int array of shape (candidates,)
        The feature of every candidate.
    """
    best = errors.min()
    alphas, lines = np.nonzero(errors <= best + TIE * abs(best))
    first = np.lexsort((alphas, features[lines]))[0]
    return int(alphas[first]), int(lines[first])
