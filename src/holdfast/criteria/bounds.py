"""Lower bounds of the scores of all candidates, from one product with X per move.

The numbers p, q, N, r and the bound are those of :mod:`holdfast.criteria.additions`. Here
they follow a move. With v = X'c, t = X' alpha G u, u = c / sigma, all taken before the move:

    p -= h v      q -= v^2 / sigma      N += -2 v t + v^2 ||u||^2      r afresh

Products with anything in the span are products with B, the basis lines times X:

    v = tau B_b + B z      t = (tau B_b + B E z) / sigma      r = X'g - B (I - E) Q g

so a sweep multiplies X by the new basis lines and by g, whatever the number of penalties
shares the lines. When rows count differently in the error than in training (importances
other than one), norms are weighted, ``N_i = sum_j importance_j c_ij^2``, t is taken of
``importance * u``, and the sweep carries one more vector per penalty.

Features of several columns keep blocks: q and N hold all products within a feature, as flat
pairs of columns, and ``h = (alpha I + q)^-1 p``, ``h'r``, ``h'N h`` replace the scalars.

Cost of a move: one sweep; O(R n k) from B; memory O(n k) for B and O(R l n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.criteria.span import Frame, Span
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array, Block, State, States, Totals

TRUSTED = 1e8
"""A bound is not used when its candidate's q has lost more than this factor."""


@dataclass(frozen=True)
class Following:
    """What the bounds need to follow one added column; shapes (views, R, ...).

    ``z``, ``twice`` (E z) and ``pushed`` ((I - E) Q importance u) are coordinates in the
    basis before the column, ``outside`` its length outside it, ``square`` is ||u||^2.
    """

    z: Array
    twice: Array
    pushed: Array
    outside: Array
    sigma: Array
    h: Array
    square: Array


class Bounds:
    """The numbers p, q, N, r of every column.

    Parameters
    ----------
    span : Span
        Gives the rows and the frame; nothing may be selected yet or the steps that lead to
        the current selection must be followed.
    features : Features
        Candidates.
    alphas : array of shape (R,)
        Penalties.
    """

    def __init__(self, span: Span, features: Features, alphas: Array) -> None:
        self._span = span
        self._features = features
        self._alphas = alphas
        self._lines = _GrowingLines(span.n_views, span.rows.n_columns)
        self._pairs = _Pairs(features)
        start, importance = self._pairs.opening_products(span)
        self._q = np.repeat(start[:, None], len(alphas), axis=1)
        self._norms = np.repeat(importance[:, None], len(alphas), axis=1)
        self._start = start[:, None, self._pairs.diagonal]
        self._p: Array = np.empty(0)
        self._r: Array = np.empty(0)
        self._score: Array = np.empty(0)
        self._worst: Array = np.empty(0)
        self.empty_score = 0.0

    def catch_up(self, states: States, steps: list[Following], inner: Array) -> None:
        """Follow the columns added since the last call, in one sweep of products."""
        if self._p.size and not steps:
            return
        first = not self._p.size
        known = self._lines.count
        totals, _ = self._span.rows.sweep(_stand, states, None)
        self._score, self._worst = totals["score"].sum(axis=0), totals["worst"]
        products = _products(self._span, states, known, first)
        views, n_alphas, n_targets = totals["basis"].shape[:3]
        if first:
            start = products[:, :n_targets]
            self._p = np.repeat(start[:, None], n_alphas, axis=1)
            products = products[:, n_targets:]
            self.empty_score = float(totals["empty"]) / n_targets
        added = len(steps)
        self._lines.append(products[:, :added])
        gradients = products[:, added : added + n_alphas * n_targets]
        pushes = products[:, added + n_alphas * n_targets :]
        pushes = pushes.reshape(views, pushes.shape[1] // n_alphas, n_alphas, pushes.shape[-1])

        for number, step in enumerate(steps):
            push = pushes[:, number] if pushes.shape[1] else None
            self._follow(known + number, step, push)
        rest = totals["basis"] - totals["basis"] @ inner
        merged = rest.reshape(views, n_alphas * n_targets, rest.shape[-1])
        inside = self._lines.combine(merged)
        self._r = (gradients - inside).reshape(views, n_alphas, n_targets, -1)

    def _follow(self, position: int, step: Following, push: Array | None) -> None:
        views, n_alphas = step.sigma.shape
        coordinates = [step.z, step.twice if push is None else step.pushed]
        stacked = np.concatenate(coordinates, axis=1)
        combined = self._lines.combine(stacked)
        own = (step.outside[:, None] * self._lines.line(position))[:, None]
        sigma = step.sigma[..., None]
        v = combined[:, :n_alphas] + own
        if push is None:
            t = (combined[:, n_alphas:] + own) / sigma
        else:
            t = push - combined[:, n_alphas:]
        first, second = self._pairs.first, self._pairs.second
        product = v[..., first] * v[..., second]
        cross = v[..., first] * t[..., second]
        cross += cross if self._pairs.single else t[..., first] * v[..., second]
        self._p -= step.h[..., None] * v[:, :, None]
        self._q -= product / sigma
        self._norms += product * step.square[..., None] - cross

    def lower(self, allowed: Array) -> Array:
        """Lower bounds of the scores, (R, allowed); minus infinity where not to be trusted."""
        diagonal = self._pairs.diagonal
        q = np.maximum(self._q[..., diagonal], 0)
        alphas = self._alphas[:, None]
        loss = (alphas + self._start) / (alphas + q) * self._span.frame.noise
        doubtful = (loss > TRUSTED).any(axis=0)
        # A view that is not read has no counted row, and no gain.
        worst = np.where(self._worst > 0, self._worst, np.inf)[..., None] ** 2

        gains = np.empty((len(self._alphas), len(self._features)))
        for size, chosen, pairs in self._pairs.by_size:
            columns = self._features.columns(chosen) if not self._pairs.single else slice(None)
            if size == 1:
                p, r = self._p[..., columns], self._r[..., columns]
                h = p / (alphas + np.maximum(self._q[..., pairs], 0))[:, :, None]
                norms = np.maximum(self._norms[..., pairs], 0)
                gain = 2 * (h * r).sum(axis=2) - (h * h).sum(axis=2) * norms / worst
            else:
                gain = self._block_gain(size, columns, pairs, worst)
            gain = gain.sum(axis=0)
            untrusted = doubtful[:, columns].reshape(len(alphas), -1, size).any(axis=-1)
            gains[:, chosen] = np.where(untrusted, np.inf, gain)
        # Scores are means over targets.
        return (self._score[:, None] - gains[:, allowed]) / self._p.shape[2]

    def _block_gain(self, size: int, columns: Array, pairs: Array, worst: Array) -> Array:
        shape = (*self._q.shape[:2], -1, size, size)
        vectors = (*self._p.shape[:3], -1, size)
        matrix = self._q[..., pairs].reshape(shape)
        matrix = matrix + self._alphas[:, None, None, None] * np.eye(size)
        p = self._p[..., columns].reshape(vectors).transpose(0, 1, 3, 4, 2)
        r = self._r[..., columns].reshape(vectors).transpose(0, 1, 3, 4, 2)
        h = np.linalg.solve(matrix, p)
        norms = self._norms[..., pairs].reshape(shape)
        quadratic = np.maximum((h * (norms @ h)).sum(axis=(-1, -2)), 0)
        return 2 * (h * r).sum(axis=(-1, -2)) - quadratic / worst


class _Pairs:
    """Products within features, as flat pairs of columns."""

    def __init__(self, features: Features) -> None:
        self.single = bool((features.sizes == 1).all())
        self._features = features
        self.first: Any = slice(None)
        self.second: Any = slice(None)
        self.diagonal: Any = slice(None)
        everything = np.arange(len(features))
        self.by_size: list[tuple[int, Array, Any]] = [(1, everything, slice(None))]
        if self.single:
            return
        blocks = [np.meshgrid(c, c, indexing="ij") for c in map(self._columns, everything)]
        self.first = np.concatenate([first.ravel() for first, _ in blocks])
        self.second = np.concatenate([second.ravel() for _, second in blocks])
        on_diagonal = np.flatnonzero(self.first == self.second)
        self.diagonal = on_diagonal[np.argsort(self.first[on_diagonal])]
        starts = np.cumsum(features.sizes**2) - features.sizes**2
        self.by_size = []
        for size in np.unique(features.sizes):
            chosen = np.flatnonzero(features.sizes == size)
            pairs = (starts[chosen][:, None] + np.arange(size**2)).ravel()
            self.by_size.append((int(size), chosen, pairs))

    def _columns(self, feature: int) -> Array:
        return self._features.columns([feature])

    def opening_products(self, span: Span) -> tuple[Array, Array]:
        """Products of columns within features, plain and weighted by importance."""
        if self.single and span.weighting.uniform:
            return span.frame.squares, span.frame.squares
        if self.single:
            totals, _ = span.rows.sweep(_weighted_squares, span.states, span.frame)
            return span.frame.squares, totals["squares"]
        totals, _ = span.rows.sweep(_products_within, span.states, (span.frame, self._features))
        return totals["plain"], totals["weighted"]


class _GrowingLines:
    """Basis lines times X, (views, k, n), with room to grow."""

    def __init__(self, views: int, n_columns: int) -> None:
        self._buffer = np.empty((views, 8, n_columns))
        self.count = 0

    def append(self, lines: Array) -> None:
        needed = self.count + lines.shape[1]
        if needed > self._buffer.shape[1]:
            views, room, n_columns = self._buffer.shape
            grown = np.empty((views, max(needed, room + room // 2), n_columns))
            grown[:, : self.count] = self._buffer[:, : self.count]
            self._buffer = grown
        self._buffer[:, self.count : needed] = lines
        self.count = needed

    def line(self, position: int) -> Array:
        return self._buffer[:, position]

    def combine(self, coordinates: Array) -> Array:
        """Combinations (views, count, j) of the first j lines: (views, count, n)."""
        return coordinates @ self._buffer[:, : coordinates.shape[-1]]


def _weighted_squares(block: Block, state: State, frame: Frame) -> tuple[Totals, State]:
    _, squares = block.spread(state["importance"] * state["root"] ** 2, frame.centre)
    return Totals({"squares": squares / frame.scale**2}), state


def _products_within(
    block: Block, state: State, shared: tuple[Frame, Features]
) -> tuple[Totals, State]:
    frame, features = shared
    plain, weighted = [], []
    for feature in range(len(features)):
        columns = features.columns([feature])
        lines = block.columns(columns) - frame.centre[:, columns, None]
        lines *= state["root"][:, None]
        lines /= frame.scale[columns, None]
        across = lines.swapaxes(-1, -2)
        plain.append((lines @ across).reshape(len(lines), -1))
        weighted.append(((lines * state["importance"][:, None]) @ across).reshape(len(lines), -1))
    return Totals(
        {"plain": np.concatenate(plain, axis=1), "weighted": np.concatenate(weighted, axis=1)}
    ), state


def _gradient(state: State) -> tuple[Array, Array, Array]:
    """Leave-one-out residuals, 1 - leverages, and g = importance * res / (1 - leverage)^2."""
    slack = state["free"][:, None] + state["slack"]
    errors = (state["beyond"][:, None] + state["residual"]) / slack[:, :, None]
    return errors, slack, state["importance"][:, None, None] * errors / slack[:, :, None]


def _stand(block: Block, state: State, _: None) -> tuple[Totals, State]:
    """Score of the model, largest 1 - leverage of a counted row, Q g, score of the empty one."""
    errors, slack, gradient = _gradient(state)
    views, n_alphas, n_targets, _rows = gradient.shape
    counted = (state["importance"] > 0)[:, None]
    flat = gradient.reshape(views, n_alphas * n_targets, -1)
    inside = flat @ state["basis"].swapaxes(-1, -2)
    empty = state["target"] / state["allowed"][:, None]
    return Totals(
        {
            "score": np.einsum("vrlm,vrlm,vm->vr", errors, errors, state["importance"]),
            "empty": np.einsum("vlm,vlm,vm->", empty, empty, state["importance"]),
            "basis": inside.reshape(views, n_alphas, n_targets, -1),
        },
        {"worst": np.where(counted, slack, 0.0).max(axis=-1)},
    ), state


def _products(span: Span, states: States, known: int, first: bool) -> Array:
    """Columns times the target (the first time), the new basis lines, g, and the pushes."""
    totals, _ = span.rows.sweep(_multiply, states, (known, first))
    product = totals["product"] - totals["mass"][..., None] * span.frame.centre[:, None]
    scaled: Array = product / span.frame.scale
    return scaled


def _multiply(block: Block, state: State, shared: tuple[int, bool]) -> tuple[Totals, State]:
    known, first = shared
    _, _, gradient = _gradient(state)
    views, _, _, n_rows = gradient.shape
    parts = [state["target"]] if first else []
    parts += [state["basis"][:, known:], gradient.reshape(views, -1, n_rows), state["push"]]
    vectors = np.concatenate(parts, axis=1) * state["root"][:, None]
    product = block.cross(vectors.reshape(-1, n_rows))
    return Totals(
        {
            "product": product.reshape(views, vectors.shape[1], -1),
            "mass": vectors.sum(axis=-1),
        }
    ), state
