"""Scores of removing a feature, by exact leave-one-out.

Turning the sign of an addition loses every digit (1 - q cancels). Instead keep, for every
penalty,

    H = (X_S'X_S + alpha I)^-1,    Z = X_S H  (|S| lines over the rows),    w = H X_S'y

with the residuals ``alpha a`` and 1 - leverages ``alpha d``. Removing the feature g, with
h = H_gg^-1, all terms being sums of positive ones,

    res += Z_g h w_g      1 - leverage += rowsum(Z_g h * Z_g)
    Z -= Z_g h H_gS       w -= w_g h H_gS      H -= H_Sg h H_gS

A refresh starts from the singular value decomposition of the triangle of
:mod:`holdfast.criteria.span`, ``T = U s V'``, with P = U'Q the singular vectors over rows:

    1 - leverage = [allowed - sum_k P_k^2] + sum_k P_k^2 alpha/(s_k^2 + alpha)

where the bracket is zero exactly at full rank. It happens at the start and when a remaining
H_ii has fallen below 1e-4 of its last fresh value.

Cost: O(m |S| + |S|^2) per move and penalty to score and to remove, O(m |S|^2 + |S|^3) to
refresh; memory R (m |S| + |S|^2) numbers for Z and H, and as much twice more while they change.
No reading of X. Exact.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.criteria.additions import row_dots, times
from holdfast.criteria.labels import LeftOut, Readers
from holdfast.criteria.losses import LOSSES
from holdfast.criteria.span import Span
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array, Block, State, States, Totals, ranges

_REFRESH = 1e-4
_SCORED_BYTES = 1 << 20


class Removals:
    """The removing half of the leave-one-out ledger.

    Parameters
    ----------
    span : Span
        Whose columns are the model.
    features : Features
        What may be removed.
    alphas : array of shape (R,)
        Penalties.
    error : {"squared", "zero_one"}
        What is minimised.
    """

    def __init__(self, span: Span, features: Features, alphas: Array, error: str) -> None:
        self._span = span
        self._features = features
        self._alphas = alphas
        self._error = error
        self.columns = np.array(span.columns, dtype=np.intp)
        self._triangle = span.triangle
        self._inverse: Array
        self._weights: Array
        self._fresh: Array
        self._refresh()

    @staticmethod
    def memory(n_rows: int, n_columns: int, n_alphas: int, n_views: int) -> int:
        """Bytes at the peak: in a refresh or a removal old and new exist together.

        Of n columns Z three times for every penalty, and the basis twice; H three times for
        every penalty, and the triangle with its singular value decomposition.
        """
        products = (3 * n_alphas + 2) * n_rows * n_columns
        inverses = (3 * n_alphas + 7) * n_columns**2
        return 8 * n_views * (products + inverses)

    @property
    def states(self) -> States:
        """Row states of the span and of the removals together."""
        return self._span.rows.joined(self._span.states, self._states)

    def coefficients(self, alpha: int) -> Array:
        """Weights of the last view, (targets, |S|)."""
        weights: Array = self._weights[-1, alpha]
        return weights

    def score(self, features: Array) -> Array:
        """Exact (unnormalised) scores of removing each feature alone, (features, alphas)."""
        scores = np.empty((len(features), len(self._alphas)))
        sizes = self._features.sizes[features]
        for size in np.unique(sizes):
            lines = np.flatnonzero(sizes == size)
            positions = self._positions(features[lines]).reshape(-1, size)
            shared: dict[str, Any] = {
                "positions": positions,
                "error": self._error,
                "frame": self._span.frame,
            }
            shared |= self._small(positions)
            totals, _ = self._span.rows.sweep(_score, self.states, shared)
            scores[lines] = totals["score"].T
        return scores

    def remove(self, feature: int) -> None:
        """Take a feature out of the model."""
        positions = self._positions(np.array([feature]))
        small = self._small(positions[None])
        across = self._inverse[:, :, positions]
        change = small["inverse"][:, :, 0] @ across
        shared = {"positions": positions, "change": change} | small
        _, self._states = self._span.rows.sweep(_remove, self.states, shared)

        inverse = self._inverse - across.swapaxes(-1, -2) @ change
        weights = self._weights - self._weights[..., positions] @ change
        for axis in (-2, -1):
            inverse = np.delete(inverse, positions, axis=axis)
        self._inverse = inverse
        self._weights = np.delete(weights, positions, axis=-1)
        self._fresh = np.delete(self._fresh, positions, axis=-1)
        self._triangle = np.delete(self._triangle, positions, axis=-1)
        self.columns = np.delete(self.columns, positions)
        if (np.diagonal(self._inverse, axis1=-2, axis2=-1) < _REFRESH * self._fresh).any():
            self._refresh()

    def _positions(self, features: Array) -> Array:
        order = np.argsort(self.columns)
        columns = self._features.columns(features)
        return order[np.searchsorted(self.columns, columns, sorter=order)]

    def _small(self, positions: Array) -> dict[str, Array]:
        """``h = H_gg^-1`` and ``h w_g`` of features of one size."""
        own = self._inverse[:, :, positions[:, :, None], positions[:, None, :]]
        inverse = np.linalg.inv(own)
        weights = np.moveaxis(self._weights[..., positions], 2, -1)
        return {"inverse": inverse, "shift": (inverse @ weights).swapaxes(-1, -2)}

    def _refresh(self) -> None:
        """Everything from the singular value decomposition of the triangle."""
        left, singular, right = np.linalg.svd(self._triangle, full_matrices=True)
        values = np.zeros((len(left), right.shape[1]))
        values[:, : singular.shape[1]] = singular
        alphas = self._alphas[:, None]
        directions = right.swapaxes(-1, -2)[:, None]
        damped = values[:, None] ** 2 + alphas
        self._inverse = (directions / damped[:, :, None]) @ right[:, None]
        self._fresh = np.diagonal(self._inverse, axis1=-2, axis2=-1).copy()

        count = singular.shape[1]
        rounding = np.finfo(float).eps * max(self._triangle.shape[1:])
        spanned = singular > rounding * singular.max(axis=1, initial=0, keepdims=True)
        vectors = left[:, :, :count] * spanned[:, None, :]
        filters = singular[:, None] / (singular[:, None] ** 2 + alphas)
        taken = singular[:, None] * filters
        projected = self._span.target @ vectors
        weighted = projected[:, None] * filters[:, :, None]
        self._weights = weighted @ right[:, None, :count]
        shared: dict[str, Any] = {
            "vectors": vectors,
            "products": directions[..., :count] * filters[:, :, None],
            "shrink": alphas / (singular[:, None] ** 2 + alphas),
            "taken": taken if LOSSES[self._error].reads_fits else None,
            "target": projected,
            "complete": spanned.sum(axis=1) == self._span.full_rank,
        }
        _, self._states = self._span.rows.sweep(_rebuild, self._span.states, shared)


def whole(state: State) -> tuple[Array, Array]:
    """Residuals (views, R, targets, m) and 1 - leverages (views, R, m)."""
    return state["residual"], state["slack"]


def _rebuild(block: Block, state: State, shared: dict[str, Any]) -> tuple[Totals, State]:
    """Products, residuals and 1 - leverages from singular vectors over the rows."""
    vectors = shared["vectors"].swapaxes(-1, -2) @ state["basis"]
    complete = shared["complete"][:, None] & (state["root"] > 0)
    outside = np.maximum(state["allowed"] - (vectors**2).sum(axis=1), 0)
    outside = np.where(complete, 0.0, outside)
    beyond = state["target"] - shared["target"] @ vectors
    beyond = np.where(complete[:, None], 0.0, beyond)
    shrunk = shared["target"][:, None] * shared["shrink"][:, :, None]
    own = {
        "products": shared["products"] @ vectors[:, None],
        "residual": beyond[:, None] + shrunk @ vectors[:, None],
        "slack": outside[:, None] + shared["shrink"] @ vectors**2,
    }
    if shared["taken"] is not None:
        fitted = shared["target"][:, None] * shared["taken"][:, :, None]
        own["fit"] = fitted @ vectors[:, None]
        own["leverage"] = shared["taken"] @ vectors**2
    return Totals(), own


def _score(block: Block, state: State, shared: dict[str, Any]) -> tuple[Totals, State]:
    """Losses after each removal, in pieces of features and rows that fit in the cache."""
    positions, inverse, shift = shared["positions"], shared["inverse"], shared["shift"]
    views, n_alphas = inverse.shape[:2]
    n_features, size = positions.shape
    n_rows = state["root"].shape[1]
    loss = LOSSES[shared["error"]]
    weights = loss.weights(state)[..., None]
    readers = Readers.of(block.targets, state, shared["frame"])
    length = max(64, _SCORED_BYTES // (8 * views * size * n_features))
    total = np.zeros((n_alphas, n_features))
    for rows in ranges(n_rows, length):
        for alpha in range(n_alphas):
            lines = state["products"][:, alpha][..., rows][:, positions]
            given_up = times(shift[:, alpha], lines)
            freed = row_dots(times(inverse[:, alpha], lines), lines)
            residual = state["residual"][:, alpha, None, :, rows] + given_up
            slack = state["slack"][:, alpha, None, rows] + freed
            residual /= np.where(slack > 0, slack, 1.0)[:, :, None]
            fit, leverage = residual, slack
            if loss.reads_fits:
                fit = state["fit"][:, alpha, None, :, rows] - given_up
                leverage = state["leverage"][:, alpha, None, rows] - freed
            losses = loss.of_rows(LeftOut(residual, slack, fit, leverage), readers.part(rows))
            total[alpha] += (losses @ weights[:, rows])[..., 0].sum(axis=0)
    return Totals({"score": total}), state


def _remove(block: Block, state: State, shared: dict[str, Any]) -> tuple[Totals, State]:
    """One block removal."""
    positions = shared["positions"]
    lines = state["products"][:, :, positions]
    inverse, shift = shared["inverse"][:, :, 0], shared["shift"][:, :, 0]
    products = state["products"] - shared["change"].swapaxes(-1, -2) @ lines
    given_up, freed = shift @ lines, row_dots(inverse @ lines, lines)
    own = {
        "products": np.delete(products, positions, axis=2),
        "residual": state["residual"] + given_up,
        "slack": state["slack"] + freed,
    }
    if "fit" in state:
        own["fit"], own["leverage"] = state["fit"] - given_up, state["leverage"] - freed
    return Totals(), own
