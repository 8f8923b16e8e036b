"""Lower bounds of the scores of all candidates, at O(1) each.

The numbers p, q, r and the bound are those of :mod:`holdfast.criteria.additions`. Here they
follow a move: with v = X'c, c = alpha G x_b before the move,

    p -= h v        q -= v^2 / sigma        r afresh

N is not followed but bounded from below, x being in two parts: outside the span, squared
length ``rho = ||x||^2 - sum (basis line times x)^2``, where alpha G is the identity, and
inside, where by Cauchy-Schwarz

    N >= rho + (q - rho)^2 / (||x||^2 - rho)

which is nearly equal, for alpha G shrinks what is inside. Where rho is not told it counts as
zero. When rows count differently in the error than in training (importances other than one),
N is ``sum_j importance_j c_ij^2`` and is followed, ``N += -2 v t + v^2 ||u||^2`` with
u = c / sigma, t = X' alpha G (importance u).

When r is known only up to ``sqrt(N) rest``, that is given to the candidate: the bound stays
a bound. A bound is trusted only while q has kept its digits.

Features of several columns keep blocks: all products within a feature, as flat pairs of
columns, and ``h = (alpha I + q)^-1 p``, ``h'r``, ``h'N h`` replace the scalars.

Cost of a move: O(R l n), besides what :mod:`holdfast.criteria.history` or
:mod:`holdfast.criteria.direct` pay for v and r.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.criteria.carried import Carried
from holdfast.criteria.changes import Added, Change, Products
from holdfast.criteria.pairs import Pairs
from holdfast.criteria.span import Frame, Span
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array, Block, State, States, Totals, ranges

_ROUNDING = 1e-13
_QUIET = np.errstate(over="ignore", invalid="ignore")
"""Where columns or penalties are near the ends of what floats hold, a gain may be infinite or not
a number. Such a bound says nothing, and its candidate is scored."""


class Bounds:
    """The numbers p, q, N, r of every column.

    Parameters
    ----------
    span : Span
        Gives the rows and the frame; the columns that lead to the current selection must be
        followed.
    features : Features
        Candidates.
    alphas : array of shape (R,)
        Penalties.
    products : Products
        Finds out what moves change.
    """

    def __init__(self, span: Span, features: Features, alphas: Array, products: Products) -> None:
        self._span = span
        self._features = features
        self._alphas = alphas
        self._products = products
        self._pairs = Pairs(features)
        start, importance = opening_products(span, features, self._pairs)
        self._carried = Carried(span, features, self._pairs, start, alphas)
        self._whole = start
        self._outside = start.copy() if products.tells_lines else None
        self._norms = np.repeat(importance[:, None], len(alphas), axis=1)

    @property
    def empty_score(self) -> float:
        """Score of the model without features."""
        return self._products.empty_score

    @property
    def exact_gradient(self) -> bool:
        """Whether r is known, not bounded."""
        return not self._products.gradient.rest.any()

    def catch_up(
        self, states: States, added: list[Added], inner: Array, promising: list[int]
    ) -> None:
        """Follow the columns added since the last call; see :class:`Products`."""
        if self._carried.is_open and not added:
            return
        for change in self._products.advance(states, added, inner, promising):
            self._open()
            self._follow(change)
        self._open()

    def sharpen(self, states: States, inner: Array) -> None:
        """Better bounds, when they were too loose."""
        self._products.sharpen(states, inner)

    def _open(self) -> None:
        """Products with the target are known from the first advance on."""
        if not self._carried.is_open:
            self._carried.open(self._products.on_target)

    @_QUIET
    def _follow(self, change: Change) -> None:
        added, v, line, t = change
        first, second = self._pairs.first, self._pairs.second
        self._carried.follow(added.h, v, added.sigma)
        if self._outside is not None and line is not None:
            self._outside -= line[..., first] * line[..., second]
        if t is not None and added.push is not None:
            square = v[..., first] * v[..., second]
            cross = v[..., first] * t[..., second] + t[..., first] * v[..., second]
            self._norms += square * added.push.square[..., None] - cross

    @_QUIET
    def lower(self, allowed: Array) -> Array:
        """Lower bounds of the scores, (R, allowed); minus infinity where not to be trusted."""
        carried, gradient = self._carried, self._products.gradient
        # A view that is not read has no counted row, and no gain.
        worst = np.where(gradient.worst > 0, gradient.worst, np.inf)[..., None] ** 2

        gains = np.empty((len(self._alphas), len(self._features)))
        for size, chosen, columns, pairs, p, q in carried.by_size():
            h = carried.weights(q, p)
            linear = _dots(h, gradient.r[..., columns].reshape(h.shape))
            gain = self._gain(linear, self._squared_change(h, q, pairs), worst).sum(axis=0)
            untrusted = carried.any_doubtful(columns, size) | ~np.isfinite(gain)
            gains[:, chosen] = np.where(untrusted, np.inf, gain)
        # Scores are means over targets.
        return (gradient.score[:, None] - gains[:, allowed]) / carried.p.shape[2]

    def _squared_change(self, h: Array, q: Array, pairs: Any) -> Array:
        """``h'N h``, or a number below it; (views, R, targets, count)."""
        shape = (*q.shape[:1], 1, *q.shape[2:])
        if not self._span.weighting.uniform:
            return _quadratic(h, self._norms[..., pairs].reshape(q.shape))
        everything = _quadratic(h, self._whole[..., pairs].reshape(shape))
        outside: Array | float = 0.0
        if self._outside is not None:
            outside = _quadratic(h, self._outside[..., pairs].reshape(shape))
            # Less what rounding may have added to it.
            outside = np.clip(outside - _ROUNDING * everything, 0, everything)
        inside = np.maximum(_quadratic(h, q) - outside, 0)
        room = everything - outside
        # Not inside**2 / room: squares of squares would overflow at half the exponent.
        share = np.divide(inside, room, out=np.zeros_like(room), where=room > 0)
        return outside + inside * share

    def _gain(self, linear: Array, quadratic: Array, worst: Array) -> Array:
        """``2 h'r - h'N h / worst``, r as large as its rest allows; summed over targets."""
        quadratic = np.maximum(quadratic, 0)
        gain = 2 * linear - quadratic / worst[:, :, None]
        if not self.exact_gradient:
            gain += 2 * np.sqrt(quadratic) * self._products.gradient.rest[..., None]
        total: Array = gain.sum(axis=2)
        return total


def _dots(first: Array, second: Array) -> Array:
    product = first * second
    return product[..., 0] if product.shape[-1] == 1 else product.sum(axis=-1)


def _quadratic(h: Array, matrix: Array) -> Array:
    """``h'M h`` for h (views, R, targets, count, s) and M (views, R, count, s, s)."""
    if h.shape[-1] == 1:
        # Not the square of h, which may overflow where this does not.
        alone = h[..., 0]
        single: Array = alone * matrix[:, :, None, :, 0, 0] * alone
        return single
    return np.einsum(
        "vrlci,vrcij,vrlcj->vrlc", h, np.broadcast_to(matrix, (*h.shape[:2], *matrix.shape[2:])), h
    )


def opening_products(span: Span, features: Features, pairs: Pairs) -> tuple[Array, Array]:
    """Products of columns within features, plain and weighted by importance.

    Those of single columns are known squares; only columns that stand in groups are fetched.
    """
    plain = weighted = span.frame.squares
    if not span.weighting.uniform:
        totals, _ = span.rows.sweep(_weighted_squares, span.states, span.frame)
        weighted = totals["squares"]
    if features.single:
        return plain, weighted
    plain, weighted = plain[:, pairs.first], weighted[:, pairs.first]
    groups = [(size, chosen, into) for size, chosen, into in pairs.by_size if size > 1]
    panels = [
        (size, features.columns(chosen[part]))
        for size, chosen, _ in groups
        for part in ranges(len(chosen), max(1, span.rows.fetch_width // size))
    ]
    totals, _ = span.rows.sweep(_products_within, span.states, (span.frame, panels))
    into = np.concatenate([into for _, _, into in groups])
    plain[:, into], weighted[:, into] = totals["plain"], totals["weighted"]
    return plain, weighted


def _weighted_squares(block: Block, state: State, frame: Frame) -> tuple[Totals, State]:
    _, squares = block.spread(state["importance"] * state["root"] ** 2, frame.centre)
    return Totals({"squares": squares / frame.scale**2}), state


def _products_within(
    block: Block, state: State, shared: tuple[Frame, list[tuple[int, Array]]]
) -> tuple[Totals, State]:
    """Products within features of several columns, a panel of features of one size at a time."""
    frame, panels = shared
    plain, weighted = [], []
    for size, columns in panels:
        lines = block.columns(columns) - frame.centre[:, columns, None]
        lines *= state["root"][:, None]
        lines /= frame.scale[columns, None]
        views, count, n_rows = lines.shape
        lines = lines.reshape(views, count // size, size, n_rows)
        across = lines.swapaxes(-1, -2)
        plain.append((lines @ across).reshape(views, -1))
        lines = lines * state["importance"][:, None, None]
        weighted.append((lines @ across).reshape(views, -1))
    return Totals(
        {"plain": np.concatenate(plain, axis=1), "weighted": np.concatenate(weighted, axis=1)}
    ), state
