"""What a move changes, as the bounds want to know it, and who finds it out.

The bounds of :mod:`holdfast.criteria.bounds` follow a move by products of X with vectors in
and around the span. There are two ways to get them: from a history of such products
(:mod:`holdfast.criteria.history`), or by multiplying anew (:mod:`holdfast.criteria.direct`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from holdfast.rows.sums import Array, State, States


class Push(NamedTuple):
    """What importances other than one ask of an added column; u = c / sigma.

    ``inside`` = (I - E) Q (importance u) (views, R, k), ``square`` = u' (importance u).
    """

    inside: Array
    square: Array


@dataclass(frozen=True)
class Added:
    """An added column, as the additions know it; shapes (views, R, ...).

    ``z`` = E inside are coordinates in the basis before the column, ``inside`` and
    ``outside`` the column's own; ``push`` is there where importances differ.
    """

    column: int
    z: Array
    inside: Array
    outside: Array
    sigma: Array
    h: Array
    push: Push | None


class Change(NamedTuple):
    """Products of X with what an added column changes.

    ``v`` = X'c (views, R, n), ``line`` = X times the new basis line (views, n), where that is
    told, and ``t`` = X' alpha G (importance u) (views, R, n) where importances differ.
    """

    added: Added
    v: Array
    line: Array | None
    t: Array | None


class Gradient(NamedTuple):
    """``r`` = X' alpha G g (views, R, targets, n) up to ``sqrt(N) rest`` (views, R, targets).

    ``score`` (R,) is that of the model, ``worst`` (views, R) its largest 1 - leverage.
    """

    r: Array
    rest: Array
    score: Array
    worst: Array


class Products(Protocol):
    """Finds out what moves change."""

    tells_lines: bool
    """Whether changes come with the products of the new basis line."""
    on_target: Array
    """X times the target, (views, targets, n), once :meth:`advance` has been called."""
    empty_score: float
    """Score of the empty model."""
    gradient: Gradient
    """Of the model after the last :meth:`advance`."""

    def advance(
        self, states: States, added: list[Added], inner: Array, promising: list[int]
    ) -> Iterator[Change]:
        """The changes of columns added since the last call, at E = ``inner`` after them.

        ``promising`` are kept columns, the most likely winners first.
        """
        ...

    def sharpen(self, states: States, inner: Array) -> None:
        """Make the gradient exact where it is not."""
        ...


def gradient_of(state: State) -> tuple[Array, Array, Array, Array]:
    """Residuals, 1 - leverages, leave-one-out residuals e, g = importance e / (1 - leverage)."""
    slack = state["free"][:, None] + state["slack"]
    residual = state["beyond"][:, None] + state["residual"]
    errors = residual / slack[:, :, None]
    gradient = errors / slack[:, :, None]
    gradient *= state["importance"][:, None, None]
    return residual, slack, errors, gradient


def standing_of(state: State, slack: Array, errors: Array) -> tuple[Array, Array]:
    """Score, and the largest 1 - leverage of a row that counts, (views, R) each."""
    weighted = errors * state["importance"][:, None, None]
    counted = (state["importance"] > 0)[:, None]
    score = np.einsum("vrlm,vrlm->vr", errors, weighted)
    return score, np.where(counted, slack, 0.0).max(axis=-1)


def empty_score_of(state: State) -> Array:
    """Score of the empty model."""
    empty = state["target"] / state["allowed"][:, None]
    return np.einsum("vlm,vlm,vm->", empty, empty, state["importance"])
