"""What moves change, by multiplying X anew after every move.

    v = X'c        r = X' (alpha G g),  alpha G g = g - Q'(I - E) Q g

and likewise, where importances differ, for alpha G (importance u). The vectors are formed with
the rows; one sweep carries them all. The new basis line is not multiplied: of columns with few
entries, hardly any of which lies in the span, the bounds lose little by not knowing rho.

Where a column has fewer entries than a model has features - text - this is cheaper than the
combinations of :mod:`holdfast.criteria.history`, which take as long for a rare word as for a
frequent one; and it needs no history, so no O(n k) memory.

Cost of a move: one sweep with R + R l vectors (R more with importances), O(m k R l).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from holdfast.criteria.changes import (
    Added,
    Change,
    Gradient,
    empty_score_of,
    gradient_of,
    standing_of,
)
from holdfast.criteria.span import Span
from holdfast.rows.sums import Array, Block, State, States, Totals


class Direct:
    """Products by sweeps; see :class:`holdfast.criteria.changes.Products`.

    Parameters
    ----------
    span : Span
        Whose lines are multiplied.
    n_alphas : int
        Penalties.
    """

    def __init__(self, span: Span, n_alphas: int) -> None:
        self.tells_lines = False
        self._span = span
        self._n_alphas = n_alphas
        self._opened = False
        self.on_target: Array
        self.empty_score: float
        self.gradient: Gradient

    def advance(
        self, states: States, added: list[Added], inner: Array, promising: list[int]
    ) -> Iterator[Change]:
        """The changes of columns added since the last call."""
        rows, n_alphas = self._span.rows, self._n_alphas
        stand, _ = rows.sweep(_stand, states, None)
        weighted = not self._span.weighting.uniform
        pushes = [(column.sigma, column.push.inside) for column in added if column.push]
        shared: dict[str, Any] = {
            "first": not self._opened,
            "shrunk": stand["inside"] - stand["inside"] @ inner,
            "pushes": pushes,
        }
        totals, _ = rows.sweep(_multiply, states, shared)
        products = self._span.frame.of_products(totals["product"], totals["mass"])
        views, _, n_targets = stand["inside"].shape[:3]
        count = len(added)
        sizes = [n_targets * (not self._opened), count * n_alphas, n_alphas * n_targets]
        on_target, v, r, t = np.split(products, np.cumsum(sizes), axis=1)
        if not self._opened:
            self._opened, self.on_target = True, on_target
            self.empty_score = float(stand["empty"]) / n_targets
        n_columns = products.shape[-1]
        v = v.reshape(views, count, n_alphas, n_columns)
        t = t.reshape(views, -1, n_alphas, n_columns) if weighted else t
        for number, column in enumerate(added):
            weighted_t: Array | None = t[:, number] if weighted else None
            yield Change(column, v[:, number], None, weighted_t)
        r = r.reshape(views, n_alphas, n_targets, n_columns)
        nothing = np.zeros(r.shape[:3])
        self.gradient = Gradient(r, nothing, stand["score"].sum(axis=0), stand["worst"])

    def sharpen(self, states: States, inner: Array) -> None:
        """Nothing to sharpen: the gradient is exact."""


def _stand(block: Block, state: State, shared: None) -> tuple[Totals, State]:
    """Score, largest 1 - leverage, Q g, score of the empty model."""
    _, slack, errors, gradient = gradient_of(state)
    score, worst = standing_of(state, slack, errors)
    inside = gradient @ state["basis"][:, None].swapaxes(-1, -2)
    sums = {"score": score, "inside": inside, "empty": empty_score_of(state)}
    return Totals(sums, {"worst": worst}), state


def _multiply(block: Block, state: State, shared: dict[str, Any]) -> tuple[Totals, State]:
    """Products with X: of the target (the first time), changes, alpha G g, pushes."""
    *_, gradient = gradient_of(state)
    basis, changes = state["basis"], state["changes"]
    views, n_alphas, n_targets, n_rows = gradient.shape
    projected = gradient - shared["shrunk"] @ basis[:, None]
    parts = [state["target"]] if shared["first"] else []
    parts += [
        changes.reshape(views, -1, n_rows),
        projected.reshape(views, n_alphas * n_targets, n_rows),
    ]
    for number, (sigma, pushed) in enumerate(shared["pushes"]):
        push = changes[:, number] * (state["importance"][:, None] / sigma[..., None])
        parts.append(push - pushed @ basis[:, : pushed.shape[-1]])
    vectors = np.concatenate(parts, axis=1)
    vectors *= state["root"][:, None]
    products = block.cross(vectors.reshape(-1, n_rows))
    sums = {
        "product": products.reshape(views, vectors.shape[1], -1),
        "mass": vectors.sum(axis=-1),
    }
    return Totals(sums), state
