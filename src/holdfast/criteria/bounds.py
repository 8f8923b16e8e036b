"""Lower bounds of the scores of all candidates, from a sweep every few moves.

The numbers p, q, r and the bound are those of :mod:`holdfast.criteria.additions`. Here they
follow a move. With v = X'c, c = alpha G x_b before the move:

    p -= h v      q -= v^2 / sigma      v = tau B_b + B z      r = X'g - B (I - E) Q g

where B, the basis lines times X, gives all products with anything in the span. N is not
followed but bounded from below, x being in two parts: outside the span, squared length
``rho = ||x||^2 - sum B^2``, where alpha G is the identity, and inside, where by Cauchy-Schwarz

    N >= rho + (q - rho)^2 / (||x||^2 - rho)

which is nearly equal, for alpha G shrinks what is inside. So X is needed only for the new
basis line and for g, whatever the number of penalties shares the lines; and even that not at
every move:

- **Winners are foreseen.** A sweep multiplies X also by the outside parts of the candidates
  that scored best so far, which are at hand. When such a candidate wins, say with its part
  outside the basis of that time a combination of newer lines and the new one, its line's
  product follows: ``tau B_b = X'outside_then - sum inside B``. A line whose length has
  shrunk below 1e-4 since then is multiplied itself.
- **g is nearly known.** Between sweeps write ``g = k1 res + k2 g_then + rho`` by least
  squares; X' alpha G res = X'y - B (I - E^2) Q y comes from B, and what is left is bounded:
  ``|x_i' alpha G rho| <= sqrt(N_i) ||rho||`` is subtracted. The bound stays a bound. Where it
  turns out too loose, g is multiplied after all, and with every move for a while, twice as
  long every time.

When rows count differently in the error than in training (importances other than one), N is
``sum_j importance_j c_ij^2`` and must be followed, ``N += -2 v t + v^2 ||u||^2`` with u = c /
sigma, t = X' alpha G (importance u): every move takes a sweep that carries one more vector
per penalty.

Features of several columns keep blocks: all products within a feature, as flat pairs of
columns, and ``h = (alpha I + q)^-1 p``, ``h'r``, ``h'N h`` replace the scalars.

Cost of a move: at most one sweep; O(R n k) from B; memory O(n k) for B and O(R l n).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.criteria.span import Frame, Span, stacked
from holdfast.rows.ledger import Features
from holdfast.rows.products import product
from holdfast.rows.sums import Array, Block, State, States, Totals

TRUSTED = 1e8
"""A bound is not used when its candidate's q has lost more than this factor."""

_FORESEEN = 8
_PANEL = 32
_SHRUNK = 1e-4
_CAREFUL_MOVES = 8
_ROUNDING = 1e-13
_PARALLEL = 1e-10


@dataclass(frozen=True)
class Following:
    """What the bounds need to follow one added column; shapes (views, R, ...).

    ``z`` and ``pushed`` ((I - E) Q importance u) are coordinates in the basis before the
    column, ``inside`` and ``outside`` the column's own, ``square`` is ||u||^2.
    """

    column: int
    z: Array
    pushed: Array
    inside: Array
    outside: Array
    sigma: Array
    h: Array
    square: Array


@dataclass(frozen=True)
class _Foreseen:
    """Product of X with a candidate's part outside the first ``depth`` basis lines."""

    product: Array
    depth: int
    length: Array


class Bounds:
    """The numbers p, q, N, r of every column.

    Parameters
    ----------
    span : Span
        Gives the rows and the frame; the steps that lead to the current selection must be
        followed.
    features : Features
        Candidates.
    alphas : array of shape (R,)
        Penalties.
    """

    def __init__(self, span: Span, features: Features, alphas: Array) -> None:
        self._span = span
        self._features = features
        self._alphas = alphas
        self._lines = _Lines(span.n_views, span.rows.n_columns)
        self._pairs = _Pairs(features)
        start, importance = self._pairs.opening_products(span)
        self._q = np.repeat(start[:, None], len(alphas), axis=1)
        self._whole = start
        self._outside = start.copy()
        self._norms = np.repeat(importance[:, None], len(alphas), axis=1)
        self._start = start[:, None, self._pairs.diagonal]
        self._foreseen: dict[int, _Foreseen] = {}
        self._careful = 0
        self._caution = _CAREFUL_MOVES
        self._on_target: Array | None = None
        self._p: Array = np.empty(0)
        self._r: Array = np.empty(0)
        self._rest: Array = np.zeros(0)
        self._gradient: Array = np.empty(0)
        self._states: States = None
        self._gradient_inside: Array = np.empty(0)
        self._score: Array = np.empty(0)
        self._worst: Array = np.empty(0)
        self.empty_score = 0.0

    @property
    def exact_gradient(self) -> bool:
        """Whether r is known, not bounded."""
        return not self._rest.any()

    def catch_up(
        self, states: States, steps: list[Following], inner: Array, promising: list[int]
    ) -> None:
        """Follow the columns added since the last call.

        Parameters
        ----------
        states : States
            Row states of the ledger.
        steps : list of Following
            One per added column.
        inner : array of shape (views, R, k, k)
            E after them.
        promising : list of int
            Kept columns, the most likely winners first.
        """
        if self._on_target is not None and not steps:
            return
        unknown = [t for t, step in enumerate(steps) if not self._is_foreseen(step)]
        self._careful = max(self._careful - 1, 0)
        always = not self._span.weighting.uniform or self._careful > 0
        if always or unknown or self._on_target is None:
            lines = [self._lines.count + t for t in unknown]
            new_lines, pushes = self._sweep(states, lines, promising)
        else:
            new_lines, pushes = np.empty((0, 0)), None
            self._stand(states)
        nothing = np.empty((len(inner), 0, 0))
        for number, step in enumerate(steps):
            last = number == len(steps) - 1
            if number in unknown:
                line = new_lines[:, unknown.index(number)]
            else:
                line = self._foreseen_line(step)
            self._lines.append(line)
            self._foreseen.pop(step.column, None)
            push = pushes[:, number] if pushes is not None else None
            self._follow(step, push, self._gradient_coordinates(inner) if last else nothing)
        if not steps:
            self._combine_gradient(self._lines.combine(self._gradient_coordinates(inner)))

    def sharpen(self, states: States, inner: Array) -> None:
        """Multiply g after all: the bounds were too loose."""
        self._careful = self._caution
        self._caution *= 2
        self._sweep(states, [], [])
        self._combine_gradient(self._lines.combine(self._gradient_coordinates(inner)))

    def _is_foreseen(self, step: Following) -> bool:
        if not step.outside.any():
            return True
        known = self._foreseen.get(step.column)
        return known is not None and bool((step.outside > _SHRUNK * known.length).all())

    def _foreseen_line(self, step: Following) -> Array:
        if not step.outside.any():
            return np.zeros((self._span.n_views, self._span.rows.n_columns))
        known = self._foreseen[step.column]
        newer = step.inside[:, None, known.depth :]
        left = known.product - self._lines.combine(newer, known.depth)[:, 0]
        scaled: Array = left / step.outside[:, None]
        return scaled

    def _sweep(
        self, states: States, lines: list[int], promising: list[int]
    ) -> tuple[Array, Array | None]:
        """Read X: products with basis lines, promising columns, g, and the pushes."""
        first = self._on_target is None
        fresh = [c for c in promising if c not in self._foreseen][:_FORESEEN]
        if len(self._foreseen) > _FORESEEN // 2 and not lines:
            fresh = []
        totals, self._states = self._span.rows.sweep(_multiply, states, (first, lines, fresh))
        products = totals["product"] - totals["mass"][..., None] * self._span.frame.centre[:, None]
        products /= self._span.frame.scale
        views, n_alphas, n_targets = totals["inside"].shape[:3]
        ends = np.cumsum([n_targets * first, len(lines), len(fresh), n_alphas * n_targets])
        on_target, new_lines, columns, gradients, pushes = np.split(products, ends, axis=1)
        if self._on_target is None:
            self._on_target = on_target
            self._p = np.repeat(on_target[:, None], n_alphas, axis=1)
            self.empty_score = float(totals["empty"]) / n_targets
        lengths = np.sqrt(totals["lengths"])
        for position, column in enumerate(fresh):
            if len(self._foreseen) >= 2 * _FORESEEN:
                self._foreseen.pop(next(iter(self._foreseen)))
            self._foreseen[column] = _Foreseen(
                columns[:, position].copy(), self._span.depth(column), lengths[:, position]
            )
        self._gradient = gradients.reshape(views, n_alphas, n_targets, -1)
        self._gradient_inside = totals["inside"]
        self._score, self._worst = totals["score"].sum(axis=0), totals["worst"]
        self._mix = np.array([0.0, 1.0])[:, None, None, None]
        self._rest = np.zeros((views, n_alphas, n_targets))
        if pushes.shape[1] == 0:
            return new_lines, None
        count = pushes.shape[1] // n_alphas
        return new_lines, pushes.reshape(views, count, n_alphas, -1)

    def _stand(self, states: States) -> None:
        """Without reading X: g as a mixture of the residuals and the last g multiplied."""
        known = self._gradient_inside.shape[-1]
        rows = self._span.rows
        totals, _ = rows.sweep(_compare, rows.joined(states, self._states), known)
        self._score, self._worst = totals["score"].sum(axis=0), totals["worst"]
        new = totals["inside"]
        self._gradient_inside = np.concatenate([self._gradient_inside, new], axis=-1)
        # Products of (res, g then, g), less their parts along the intercept.
        products = totals["products"]
        if self._span.frame.fit_intercept:
            along, mass = totals["along"], self._span.frame.mass[:, None, None, None, None]
            products = products - along[..., None] * along[..., None, :] / mass
        lengths = np.sqrt(np.diagonal(products, axis1=-2, axis2=-1))
        lengths = np.where(lengths > 0, lengths, 1.0)
        scaled = products / (lengths[..., None] * lengths[..., None, :])
        cosine, first, second = scaled[..., 0, 1], scaled[..., 0, 2], scaled[..., 1, 2]
        determinant = 1 - cosine**2
        apart = determinant > _PARALLEL
        determinant = np.where(apart, determinant, 1.0)
        mix = np.stack(
            [
                np.where(apart, (first - cosine * second) / determinant, 0.0),
                np.where(apart, (second - cosine * first) / determinant, second),
            ],
            axis=-1,
        )[..., None]
        signed = np.concatenate([mix, np.full_like(mix[..., :1, :], -1.0)], axis=-2)
        square = (signed.swapaxes(-1, -2) @ scaled @ signed)[..., 0, 0]
        doubt = _ROUNDING * (signed**2).sum(axis=(-1, -2))
        gradient = lengths[..., 2]
        self._rest = np.sqrt(np.maximum(square, 0) + doubt) * gradient
        self._mix = np.moveaxis(mix[..., 0] * gradient[..., None] / lengths[..., :2], -1, 0)

    def _gradient_coordinates(self, inner: Array) -> Array:
        """What of r comes from B: coordinates (views, R targets, k)."""
        on_residual, on_gradient = self._mix[..., None]
        inside = self._gradient_inside
        coordinates = on_gradient * (inside @ inner - inside)
        if on_residual.any():
            target = self._span.target[:, None]
            coordinates = coordinates + on_residual * (target @ inner @ inner - target)
        views, n_alphas, n_targets, depth = coordinates.shape
        return coordinates.reshape(views, n_alphas * n_targets, depth)

    def _combine_gradient(self, inside: Array) -> None:
        """r, up to what ``rest`` bounds, from B and the last products with g."""
        on_residual, on_gradient = self._mix[..., None]
        r = inside.reshape(self._gradient.shape) + on_gradient * self._gradient
        if on_residual.any() and self._on_target is not None:
            r += on_residual * self._on_target[:, None]
        self._r = r

    def _follow(self, step: Following, push: Array | None, gradient: Array) -> None:
        """One move; with the last one the coordinates of r, to read B only once."""
        n_alphas = step.sigma.shape[1]
        coordinates = step.z
        if push is not None:
            coordinates = np.concatenate([step.z, step.pushed], axis=1)
        n_own = coordinates.shape[1]
        if gradient.size:
            unaffected = np.zeros((*coordinates.shape[:2], 1))
            coordinates = np.concatenate([coordinates, unaffected], axis=2)
            coordinates = np.concatenate([coordinates, gradient], axis=1)
        combined = self._lines.combine(coordinates)
        if gradient.size:
            self._combine_gradient(combined[:, n_own:])
        line = self._lines.last
        v = combined[:, :n_alphas] + (step.outside[:, None] * line)[:, None]
        first, second = self._pairs.first, self._pairs.second
        square = v[..., first] * v[..., second]
        self._p -= step.h[..., None] * v[:, :, None]
        self._q -= square / step.sigma[..., None]
        self._outside -= line[..., first] * line[..., second]
        if push is not None:
            t = push - combined[:, n_alphas:n_own]
            cross = v[..., first] * t[..., second] + t[..., first] * v[..., second]
            self._norms += square * step.square[..., None] - cross

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
            shape = (*self._q.shape[:2], -1, size, size)
            p, r = self._p[..., columns], self._r[..., columns]
            q = self._q[..., pairs].reshape(shape)
            h = self._weights(q, p.reshape(*p.shape[:3], -1, size))
            linear = _dots(h, r.reshape(h.shape))
            gain = self._gain(linear, self._squared_change(h, q, pairs), worst).sum(axis=0)
            untrusted = doubtful[:, columns].reshape(len(alphas), -1, size).any(axis=-1)
            gains[:, chosen] = np.where(untrusted, np.inf, gain)
        # Scores are means over targets.
        return (self._score[:, None] - gains[:, allowed]) / self._p.shape[2]

    def _weights(self, q: Array, p: Array) -> Array:
        """``h = (alpha I + q)^-1 p`` of features of one size, (views, R, targets, count, s)."""
        size = q.shape[-1]
        if size == 1:
            weights: Array = (
                p / (self._alphas[:, None] + np.maximum(q[..., 0, 0], 0))[:, :, None, :, None]
            )
            return weights
        ridge = self._alphas[:, None, None, None] * np.eye(size)
        solved = np.linalg.solve(ridge + q, np.moveaxis(p, 2, -1))
        return np.moveaxis(solved, -1, 2)

    def _squared_change(self, h: Array, q: Array, pairs: Any) -> Array:
        """``h'N h``, or a number below it; (views, R, targets, count)."""
        shape = (*q.shape[:1], 1, *q.shape[2:])
        if not self._span.weighting.uniform:
            return _quadratic(h, self._norms[..., pairs].reshape(q.shape))
        everything = _quadratic(h, self._whole[..., pairs].reshape(shape))
        # Less what rounding may have added to it.
        outside = _quadratic(h, self._outside[..., pairs].reshape(shape))
        outside = np.clip(outside - _ROUNDING * everything, 0, everything)
        inside = np.maximum(_quadratic(h, q) - outside, 0)
        room = everything - outside
        return outside + np.divide(inside**2, room, out=np.zeros_like(room), where=room > 0)

    def _gain(self, linear: Array, quadratic: Array, worst: Array) -> Array:
        """``2 h'r - h'N h / worst``, r as large as its rest allows; summed over targets."""
        quadratic = np.maximum(quadratic, 0)
        gain = 2 * linear - quadratic / worst[:, :, None]
        if not self.exact_gradient:
            gain += 2 * np.sqrt(quadratic) * self._rest[..., None]
        total: Array = gain.sum(axis=2)
        return total


def _dots(first: Array, second: Array) -> Array:
    product = first * second
    return product[..., 0] if product.shape[-1] == 1 else product.sum(axis=-1)


def _quadratic(h: Array, matrix: Array) -> Array:
    """``h'M h`` for h (views, R, targets, count, s) and M (views, R, count, s, s)."""
    if h.shape[-1] == 1:
        single: Array = h[..., 0] ** 2 * matrix[:, :, None, :, 0, 0]
        return single
    return np.einsum(
        "vrlci,vrcij,vrlcj->vrlc", h, np.broadcast_to(matrix, (*h.shape[:2], *matrix.shape[2:])), h
    )


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
        blocks = [
            np.meshgrid(c, c, indexing="ij") for c in map(features.columns, everything[:, None])
        ]
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

    def opening_products(self, span: Span) -> tuple[Array, Array]:
        """Products of columns within features, plain and weighted by importance."""
        if self.single and span.weighting.uniform:
            return span.frame.squares, span.frame.squares
        if self.single:
            totals, _ = span.rows.sweep(_weighted_squares, span.states, span.frame)
            return span.frame.squares, totals["squares"]
        totals, _ = span.rows.sweep(_products_within, span.states, (span.frame, self._features))
        return totals["plain"], totals["weighted"]


class _Lines:
    """Basis lines times X, in panels so that more can come without moving the others."""

    def __init__(self, views: int, n_columns: int) -> None:
        self._shape = (views, _PANEL, n_columns)
        self._panels: list[Array] = []
        self.count = 0

    def append(self, line: Array) -> None:
        """One line more, (views, n)."""
        if self.count == len(self._panels) * _PANEL:
            self._panels.append(np.empty(self._shape))
        self._panels[-1][:, self.count % _PANEL] = line
        self.count += 1

    @property
    def last(self) -> Array:
        """The line appended last."""
        return self._panels[-1][:, (self.count - 1) % _PANEL]

    def combine(self, coordinates: Array, start: int = 0) -> Array:
        """Combinations (views, count, j) of j lines from ``start`` on: (views, count, n)."""
        views, count, depth = coordinates.shape
        total = np.zeros((views, count, self._shape[2]))
        for number, panel in enumerate(self._panels):
            first = max(start - number * _PANEL, 0)
            last = min(start + depth - number * _PANEL, _PANEL)
            if first < last:
                offset = number * _PANEL - start
                part = coordinates[..., offset + first : offset + last]
                for view in range(views):
                    total[view] += product(part[view], panel[view, first:last])
        return total


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


def _gradient(state: State) -> tuple[Array, Array, Array, Array]:
    """Residuals, 1 - leverages, leave-one-out residuals e, g = importance e / (1 - leverage)."""
    slack = state["free"][:, None] + state["slack"]
    residual = state["beyond"][:, None] + state["residual"]
    errors = residual / slack[:, :, None]
    gradient = errors / slack[:, :, None]
    gradient *= state["importance"][:, None, None]
    return residual, slack, errors, gradient


def _standing(state: State, slack: Array, errors: Array) -> tuple[Array, Array]:
    """Score, and the largest 1 - leverage of a row that counts, (views, R) each."""
    weighted = errors * state["importance"][:, None, None]
    counted = (state["importance"] > 0)[:, None]
    score = np.einsum("vrlm,vrlm->vr", errors, weighted)
    return score, np.where(counted, slack, 0.0).max(axis=-1)


def _multiply(
    block: Block, state: State, shared: tuple[bool, list[int], list[int]]
) -> tuple[Totals, State]:
    """Products with X: of the target (the first time), basis lines, kept columns, g, pushes."""
    first, lines, fresh = shared
    _, slack, errors, gradient = _gradient(state)
    views, n_alphas, n_targets, n_rows = gradient.shape
    flat = gradient.reshape(views, n_alphas * n_targets, n_rows)
    columns = stacked(state, fresh)
    parts = [state["target"]] if first else []
    parts += [state["basis"][:, lines], columns, flat, state["push"]]
    vectors = np.concatenate(parts, axis=1) * state["root"][:, None]
    products = block.cross(vectors.reshape(-1, n_rows))
    inside = flat @ state["basis"].swapaxes(-1, -2)
    score, worst = _standing(state, slack, errors)
    empty = state["target"] / state["allowed"][:, None]
    sums = {
        "product": products.reshape(views, vectors.shape[1], -1),
        "mass": vectors.sum(axis=-1),
        "inside": inside.reshape(views, n_alphas, n_targets, -1),
        "lengths": np.einsum("vcm,vcm->vc", columns, columns),
        "score": score,
        "empty": np.einsum("vlm,vlm,vm->", empty, empty, state["importance"]),
    }
    return Totals(sums, {"worst": worst}), {"gradient": gradient}


def _compare(block: Block, state: State, known: int) -> tuple[Totals, State]:
    """Products of (res, g then, g) with each other, of g then with the new basis lines."""
    residual, slack, errors, gradient = _gradient(state)
    three = np.stack([residual, state["gradient"], gradient], axis=3)
    new = state["basis"][:, None, known:]
    score, worst = _standing(state, slack, errors)
    sums = {
        "score": score,
        "products": three @ three.swapaxes(-1, -2),
        "along": (three @ state["root"][:, None, None, :, None])[..., 0],
        "inside": state["gradient"] @ new.swapaxes(-1, -2),
    }
    return Totals(sums, {"worst": worst}), state
