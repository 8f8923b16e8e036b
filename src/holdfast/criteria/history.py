"""What moves change, from a sweep every few moves and a history of products.

Products of X with anything in the span are combinations of B, the basis lines times X:

    v = tau B_b + B z            r = X'g - B (I - E) Q g

so X is needed only for the new basis line and for g, whatever the number of penalties shares
the lines; and even that not at every move:

- **Winners are foreseen.** A sweep multiplies X also by the outside parts of the candidates
  that scored best so far, which are at hand, as many as cost little more than one. When such
  a candidate wins, its part outside the basis of that time is a combination of newer lines
  and the new one, and its line's product follows: ``tau B_b = X'outside_then - sum inside B``.
  A line whose length has shrunk below 1e-4 since then is multiplied itself.
- **g is nearly known.** Between sweeps write ``g = k1 res + k2 g_then + rho`` by least
  squares; X' alpha G res = X'y - B (I - E^2) Q y comes from B, and what is left is bounded,
  ``|x_i' alpha G rho| <= sqrt(N_i) ||rho||``. Where that turns out too loose, g is multiplied
  after all, and with every move for a while, twice as long every time.

Importances other than one need products that B does not give; there
:mod:`holdfast.criteria.direct` is used.

Cost of a move: at most one sweep, typically one for two to ten moves; O(R l n k) from B.
Memory: O(n k), whatever the number of penalties.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

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
from holdfast.rows.products import product
from holdfast.rows.sums import Array, Block, State, States, Totals

_PANEL = 32
_SHRUNK = 1e-4
_CAREFUL_MOVES = 8
_ROUNDING = 1e-13
_PARALLEL = 1e-10


@dataclass(frozen=True)
class _Foreseen:
    """Product of X with a candidate's part outside the first ``depth`` basis lines."""

    product: Array
    depth: int
    length: Array


@dataclass(frozen=True)
class _Mixture:
    """g as ``on_residual res + on_gradient g_then`` and a rest; (views, R, targets) each."""

    on_residual: Array
    on_gradient: Array
    rest: Array


class History:
    """Products with the span from B; see :class:`holdfast.criteria.changes.Products`.

    Parameters
    ----------
    span : Span
        Whose lines are multiplied.
    n_alphas : int
        Penalties.
    """

    def __init__(self, span: Span, n_alphas: int) -> None:
        self.tells_lines = True
        self._span = span
        self._n_alphas = n_alphas
        self._lines = _Lines(span.n_views, span.rows.n_columns)
        self._foreseen: dict[int, _Foreseen] = {}
        self._careful = 0
        self._caution = _CAREFUL_MOVES
        self._states: States = None
        self._opened = False
        self.on_target: Array
        self.empty_score: float
        self.gradient: Gradient
        self._mixture: _Mixture
        self._standing: tuple[Array, Array]
        # The g multiplied last: its products with X, and with the basis.
        self._products: Array
        self._inside: Array

    def advance(
        self, states: States, added: list[Added], inner: Array, promising: list[int]
    ) -> Iterator[Change]:
        """The changes of columns added since the last call."""
        unknown = [number for number, column in enumerate(added) if not self._is_foreseen(column)]
        self._careful = max(self._careful - 1, 0)
        new_lines: Array | None = None
        if self._careful or unknown or not self._opened:
            lines = [self._lines.count + number for number in unknown]
            new_lines = self._sweep(states, lines, promising)
        else:
            self._compare(states)
        for number, column in enumerate(added):
            if new_lines is not None and number in unknown:
                line = new_lines[:, unknown.index(number)]
            else:
                line = self._foreseen_line(column)
            self._lines.append(line)
            self._foreseen.pop(column.column, None)
            v = self._combined(column.z, inner, last=number == len(added) - 1)
            yield Change(column, v + (column.outside[:, None] * line)[:, None], line, None)
        if not added:
            self._combined(np.empty((len(inner), 0, 0)), inner, last=True)

    def sharpen(self, states: States, inner: Array) -> None:
        """Multiply g after all."""
        self._careful = self._caution
        self._caution *= 2
        self._sweep(states, [], [])
        self._combined(np.empty((len(inner), 0, 0)), inner, last=True)

    def _is_foreseen(self, added: Added) -> bool:
        if not added.outside.any():
            return True
        known = self._foreseen.get(added.column)
        return known is not None and bool((added.outside > _SHRUNK * known.length).all())

    def _foreseen_line(self, added: Added) -> Array:
        if not added.outside.any():
            return np.zeros((self._span.n_views, self._span.rows.n_columns))
        known = self._foreseen[added.column]
        newer = added.inside[:, None, known.depth :]
        left = known.product - self._lines.combine(newer, known.depth)[:, 0]
        scaled: Array = left / added.outside[:, None]
        return scaled

    def _sweep(self, states: States, lines: list[int], promising: list[int]) -> Array:
        """Read X: products with basis lines, which are returned, promising columns, and g."""
        rows, first = self._span.rows, not self._opened
        # As many candidates whatever the number of gradients: so a grid of penalties takes
        # about as many sweeps as one penalty.
        width = max(rows.product_width - len(lines) - 1, rows.product_width // 2)
        fresh = [c for c in promising if c not in self._foreseen][:width]
        if len(self._foreseen) > width // 2 and not lines:
            fresh = []
        totals, self._states = rows.sweep(_multiply, states, (first, lines, fresh))
        products = self._span.frame.of_products(totals["product"], totals["mass"])
        ends = np.cumsum([rows.n_targets * first, len(lines), len(fresh)])
        on_target, new_lines, columns, gradients = np.split(products, ends, axis=1)
        if first:
            self._opened, self.on_target = True, on_target
            self.empty_score = float(totals["empty"]) / rows.n_targets
        lengths = np.sqrt(totals["lengths"])
        for position, column in enumerate(fresh):
            if len(self._foreseen) >= 2 * width:
                self._foreseen.pop(next(iter(self._foreseen)))
            self._foreseen[column] = _Foreseen(
                columns[:, position].copy(), self._span.depth(column), lengths[:, position]
            )
        self._inside = totals["inside"]
        self._products = gradients.reshape(*self._inside.shape[:3], -1)
        self._standing = totals["score"].sum(axis=0), totals["worst"]
        nothing = np.zeros(self._inside.shape[:3])
        self._mixture = _Mixture(nothing, nothing + 1, nothing)
        return new_lines

    def _compare(self, states: States) -> None:
        """Without reading X: g as a mixture of the residuals and the g multiplied last."""
        rows = self._span.rows
        known = self._inside.shape[-1]
        totals, _ = rows.sweep(_compare, rows.joined(states, self._states), known)
        self._standing = totals["score"].sum(axis=0), totals["worst"]
        self._inside = np.concatenate([self._inside, totals["inside"]], axis=-1)
        # Products of (res, g then, g), less their parts along the intercept.
        products = totals["products"]
        if self._span.frame.fit_intercept:
            along, mass = totals["along"], self._span.frame.mass[:, None, None, None, None]
            products = products - along[..., None] * along[..., None, :] / mass
        self._mixture = _least_squares(products)

    def _combined(self, z: Array, inner: Array, *, last: bool) -> Array:
        """``B z``; with the last move the gradient too, to read B only once."""
        if not last:
            return self._lines.combine(z)
        mixture = self._mixture
        on_gradient, on_residual = mixture.on_gradient[..., None], mixture.on_residual[..., None]
        coordinates = on_gradient * (self._inside @ inner - self._inside)
        mixed = bool(on_residual.any())
        if mixed:
            target = self._span.target[:, None]
            coordinates = coordinates + on_residual * (target @ inner @ inner - target)
        views, _, _, depth = coordinates.shape
        stacked_z = np.zeros((views, z.shape[1], depth))
        stacked_z[..., : z.shape[2]] = z
        merged = (
            coordinates.reshape(views, -1, depth)
            if depth
            else np.zeros((views, self._n_alphas * self._span.rows.n_targets, 0))
        )
        combined = self._lines.combine(np.concatenate([stacked_z, merged], axis=1))
        r = combined[:, z.shape[1] :].reshape(self._products.shape)
        r += on_gradient * self._products
        if mixed:
            r += on_residual * self.on_target[:, None]
        self.gradient = Gradient(r, mixture.rest, *self._standing)
        v: Array = combined[:, : z.shape[1]]
        return v


def _least_squares(products: Array) -> _Mixture:
    """The third of three vectors by the first two, from their products (..., 3, 3)."""
    lengths = np.sqrt(np.maximum(np.diagonal(products, axis1=-2, axis2=-1), 0))
    lengths = np.where(lengths > 0, lengths, 1.0)
    scaled = products / (lengths[..., None] * lengths[..., None, :])
    cosine, first, second = scaled[..., 0, 1], scaled[..., 0, 2], scaled[..., 1, 2]
    determinant = 1 - cosine**2
    apart = determinant > _PARALLEL
    determinant = np.where(apart, determinant, 1.0)
    one = np.where(apart, (first - cosine * second) / determinant, 0.0)
    two = np.where(apart, (second - cosine * first) / determinant, second)
    # The rest by its definition, which holds for any mixture, and what rounding may hide.
    signed = np.stack([one, two, np.full_like(one, -1.0)], axis=-1)[..., None]
    square = (signed.swapaxes(-1, -2) @ scaled @ signed)[..., 0, 0]
    doubt = _ROUNDING * (signed**2).sum(axis=(-1, -2))
    length = lengths[..., 2]
    rest = np.sqrt(np.maximum(square, 0) + doubt) * length
    return _Mixture(one * length / lengths[..., 0], two * length / lengths[..., 1], rest)


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
                    product(part[view], panel[view, first:last], total[view])
        return total


def _multiply(
    block: Block, state: State, shared: tuple[bool, list[int], list[int]]
) -> tuple[Totals, State]:
    """Products with X: of the target (the first time), basis lines, kept columns, g."""
    first, lines, fresh = shared
    _, slack, errors, gradient = gradient_of(state)
    views, n_alphas, n_targets, n_rows = gradient.shape
    flat = gradient.reshape(views, n_alphas * n_targets, n_rows)
    # Filled in place: candidates are many, and need not be there twice.
    known = [state["target"]] if first else []
    before = np.concatenate([*known, state["basis"][:, lines]], axis=1)
    end = before.shape[1] + len(fresh)
    vectors = np.empty((views, end + flat.shape[1], n_rows))
    vectors[:, : before.shape[1]], vectors[:, end:] = before, flat
    columns = vectors[:, before.shape[1] : end]
    for position, column in enumerate(fresh):
        columns[:, position] = state["kept"][column]
    lengths = np.einsum("vcm,vcm->vc", columns, columns)
    vectors *= state["root"][:, None]
    products = block.cross(vectors.reshape(-1, n_rows))
    inside = flat @ state["basis"].swapaxes(-1, -2)
    score, worst = standing_of(state, slack, errors)
    sums = {
        "product": products.reshape(views, vectors.shape[1], -1),
        "mass": vectors.sum(axis=-1),
        "inside": inside.reshape(views, n_alphas, n_targets, inside.shape[-1]),
        "lengths": lengths,
        "score": score,
        "empty": empty_score_of(state),
    }
    return Totals(sums, {"worst": worst}), {"gradient": gradient}


def _compare(block: Block, state: State, known: int) -> tuple[Totals, State]:
    """Products of (res, g then, g) with each other, of g then with the new basis lines."""
    residual, slack, errors, gradient = gradient_of(state)
    three = np.stack([residual, state["gradient"], gradient], axis=3)
    new = state["basis"][:, None, known:]
    score, worst = standing_of(state, slack, errors)
    sums = {
        "score": score,
        "products": three @ three.swapaxes(-1, -2),
        "along": (three @ state["root"][:, None, None, :, None])[..., 0],
        "inside": state["gradient"] @ new.swapaxes(-1, -2),
    }
    return Totals(sums, {"worst": worst}), state
