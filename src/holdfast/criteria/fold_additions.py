"""Scores of adding a feature, by exact hold-out, from moments (ridge-cv-selection-2013, 3.2).

The paper updates an inverse for every candidate, O(k^2) each. Here every candidate i carries,
for every split and penalty, what its own regression on the support S would tell, with
``H = (A_t[S,S] + alpha I)^-1``, ``g_i = H A_t[S,i]`` and ``z_i = x_i - X_S g_i`` on the
held-out rows, r_v the held-out residual and w the weights of one target:

    sigma_i = A_t[i,i] + alpha - A_t[i,S] g_i     rho_i = B_t[i] - A_t[i,S] w
    p_i = r_v'z_i                                 q_i = z_i'z_i
    beta = rho_i / sigma_i,   loss(i) = L - 2 beta p_i + beta^2 q_i     summed over splits

rho and p are linear in the columns, so they are made anew at every step as products with the
lines of A_t and A_v that are at hand; with ``tau = H X_S'r_v`` (X_S on the held-out rows)

    rho = B_t - w A_t[S,:]             p = B_v - w A_v[S,:] - tau A_t[S,:]

sigma and q are quadratic and follow. Adding b, with ``zeta = A_v[b,:] - g_b A_v[S,:]``, the
products of z_b with the columns, ``kappa = q_b / sigma_b`` and, lines again,

    c = (A_t[b,:] - g_b A_t[S,:]) / sigma_b^1/2
    d = 2 (zeta - (H zeta_S) A_t[S,:] - kappa/2 (A_t[b,:] - g_b A_t[S,:])) / sigma_b^1/2
    sigma -= c^2            q -= c d
    beta = rho_b / sigma_b  tau_b = (p_b - beta q_b) / sigma_b
    w -= beta g_b           tau -= beta H zeta_S + tau_b g_b

So a step is one product with the lines of A_t and one with those of both, and a dozen operations
on what a penalty knows of every candidate. Features of several columns keep the blocks sigma and
q, score ``beta = sigma^-1 rho``, ``L - 2 beta'p + beta'q beta``, and enter column by column.

**Digits.** H is applied by the inverse M of a growing Cholesky factor, ``H = M'M``. A candidate
whose sigma_i has fallen below 0.1 of its last fresh value is computed afresh from M. sigma is at
least alpha, exactly; it is cut there.

Only lines of selected columns of A_t and A_v are needed: 2 K k n numbers, beside 4 K R n and
K R k^2. Cost of a step: O(K R k (n + k)), as matrix products. Exact, up to what moments in
floats can tell (see :mod:`holdfast.criteria.hold_out`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from holdfast.criteria.pairs import Pairs
from holdfast.criteria.training_sets import TrainingSets
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array, ranges

_FRESH = 0.1
_CACHED = 1 << 16
_ROOM = 8
_TOGETHER = 16
_ROUNDING = 64


@dataclass(frozen=True)
class Entry:
    """A column that enters: its lines of A_t and A_v, (K, n) each."""

    column: int
    train: Array
    held: Array


class FoldAdditions:
    """The adding half of the hold-out ledger.

    Parameters
    ----------
    sets : TrainingSets
        Moments of the splits.
    features : Features
        What may be added.
    pairs : Pairs
        Their products.
    alphas : array of shape (R,)
        Penalties.
    room : int
        Columns that are likely to be selected: memory is set aside for so many.
    """

    def __init__(
        self, sets: TrainingSets, features: Features, pairs: Pairs, alphas: Array, room: int
    ) -> None:
        self._sets, self._features, self._pairs, self._alphas = sets, features, pairs, alphas
        n_splits, n_targets, n_columns = sets.cross.shape
        n_alphas = len(alphas)
        self.columns: list[int] = []
        self.losses = np.repeat(sets.held_squares[:, None], n_alphas, axis=1)
        # What every candidate carries; ``p`` twice, as the score wants it.
        self._diagonal = np.zeros(sets.within.shape[1])
        self._diagonal[pairs.diagonal] = 1.0
        self._sigma = sets.within[:, None] + alphas[:, None] * self._diagonal
        self._fresh = self._sigma[..., pairs.diagonal].copy()
        self._q = np.repeat(sets.held_within[:, None], n_alphas, axis=1)
        self._rho = np.repeat(sets.cross[:, None], n_alphas, axis=1)
        self._p = np.repeat(2 * sets.held_cross[:, None], n_alphas, axis=1)
        # Lines of A_t and A_v: first those of the targets, then those of the selected columns.
        self._lines = np.empty((n_splits, n_targets + room, 2, n_columns))
        self._lines[:, :n_targets, 0] = sets.cross
        self._lines[:, :n_targets, 1] = sets.held_cross
        # The models; zeros cost nothing until they are touched.
        self._factor = np.zeros((n_splits, n_alphas, room, room))
        self._own_held = np.zeros((n_splits, room, room))
        self._weights = np.zeros((n_splits, n_alphas, n_targets, room))
        self._tau = np.zeros((n_splits, n_alphas, n_targets, room))
        self._chunks = list(ranges(n_splits, max(1, _CACHED // (n_alphas * n_columns))))
        self.lost = np.zeros(n_alphas, dtype=bool)
        """Penalties under which rounding decides what a selected column adds."""

    @property
    def weights(self) -> Array:
        """Coefficients of the scaled columns, (K, R, targets, k)."""
        return self._weights[..., : len(self.columns)]

    def block(self, order: Array) -> tuple[Array, Array]:
        """A_t and A_v of the selected columns in an order, (K, k, k) each."""
        columns = np.array(self.columns, dtype=np.intp)[order]
        lines = self._lines[:, self._sets.cross.shape[1] + order][..., columns]
        return lines[:, :, 0], lines[:, :, 1]

    # -- scores ----------------------------------------------------------------------------

    def score(self) -> Array:
        """Sums of squared held-out errors after adding each feature, (R, features)."""
        total = np.empty((len(self._alphas), len(self._features)))
        for size, chosen, pairs in self._pairs.by_size:
            columns = self._features.columns(chosen) if not self._pairs.single else slice(None)
            part = np.zeros((len(self._alphas), len(chosen)))
            for some in self._chunks:
                part += self._change(some, size, columns, pairs)
            total[:, chosen] = part
        total += self.losses.sum(axis=(0, 2))[:, None]
        return total

    def _change(self, some: slice, size: int, columns: Any, pairs: Any) -> Array:
        """``beta'q beta - 2 beta'p`` of features of one size over some splits, (R, features)."""
        sigma, q = self._sigma[some][..., pairs], self._q[some][..., pairs]
        rho, p = self._rho[some][..., columns], self._p[some][..., columns]
        if size == 1:
            beta = rho / sigma[:, :, None]
            change = beta * q[:, :, None]
            change -= p
            change *= beta
            single: Array = change.sum(axis=(0, 2))
            return single
        shape = (*sigma.shape[:2], -1, size, size)
        sigma, q = sigma.reshape(shape), q.reshape(shape)
        rho, p = (v.reshape(*v.shape[:-1], -1, size) for v in (rho, p))
        beta = np.linalg.solve(sigma[:, :, None], rho[..., None])[..., 0]
        change = (q[:, :, None] @ beta[..., None])[..., 0] - p
        total: Array = (change * beta).sum(axis=(0, 2, 4))
        return total

    def changes(self, features: Array, size: int) -> tuple[Array, Array]:
        """What adding features of one size does to the coefficients of the scaled columns.

        Returns
        -------
        selected : array of shape (K, R, F, targets, k)
            Change of the coefficients of the selected columns.
        own : array of shape (K, R, F, targets, s)
            Coefficients of the feature's columns.
        """
        n_targets, count = self._sets.cross.shape[1], len(self.columns)
        columns, pairs = self._features.columns(features), self._pairs.of_features(features)
        lines = self._lines[:, n_targets : n_targets + count, 0][..., columns]
        factor = self._factor[:, :, :count, :count]
        g = factor.swapaxes(-1, -2) @ (factor @ lines[:, None])
        shape = (len(self._sets), len(self._alphas))
        g = np.moveaxis(g.reshape(*shape, count, len(features), size), 3, 2)
        rho = self._rho[..., columns].reshape(*shape, n_targets, len(features), size)
        sigma = self._sigma[..., pairs].reshape(*shape, len(features), size, size)
        own = np.linalg.solve(sigma, np.moveaxis(rho, 2, -1)).swapaxes(-1, -2)
        return -(own @ g.swapaxes(-1, -2)), own

    # -- moves -----------------------------------------------------------------------------

    def extend(self, entry: Entry) -> None:
        """Add a column."""
        count, n_targets = len(self.columns), self._sets.cross.shape[1]
        if count == self._factor.shape[-1]:
            self._make_room()
        self.columns.append(entry.column)
        self._lines[:, n_targets + count, 0] = entry.train
        self._lines[:, n_targets + count, 1] = entry.held
        own = entry.held[:, self.columns]
        self._own_held[:, count, : count + 1] = self._own_held[:, : count + 1, count] = own
        for some in self._chunks:
            self._extend(some, entry)
            self._refresh(some)

    def _make_room(self) -> None:
        """Room for more selected columns."""
        room = 2 * max(_ROOM, self._factor.shape[-1])
        self._lines = _wider(self._lines, (1,), self._sets.cross.shape[1] + room)
        self._factor = _wider(self._factor, (2, 3), room)
        self._own_held = _wider(self._own_held, (1, 2), room)
        self._weights = _wider(self._weights, (3,), room)
        self._tau = _wider(self._tau, (3,), room)

    def _extend(self, some: slice, entry: Entry) -> None:
        """Follow some splits."""
        b, S, alphas = entry.column, self.columns[:-1], self._alphas
        count = len(S)
        factor, own_held = self._factor[some, :, :count, :count], self._own_held[some]
        train = entry.train[some]
        own = np.ascontiguousarray(train[:, S])

        # The column's own regression on the support, and its products with the held-out columns.
        across = factor.swapaxes(-1, -2)
        u = _rows_times(np.broadcast_to(own[:, None], (len(own), len(alphas), count)), across)
        g = _rows_times(u, factor)
        sigma = np.maximum(train[:, b, None] + alphas - (u * u).sum(axis=-1), alphas)
        rounding = max(_ROUNDING, count) * np.finfo(float).eps * train[:, b, None]
        self.lost |= (sigma <= rounding).any(axis=0)
        zeta = own_held[:, count, None, : count + 1] - g @ own_held[:, :count, : count + 1]
        h_zeta = _rows_times(_rows_times(zeta[..., :count], across), factor)
        q = np.maximum(zeta[..., count] - (g * zeta[..., :count]).sum(axis=-1), 0)
        beta = self._rho[some][..., b] / sigma[..., None]
        tau = (0.5 * self._p[some][..., b] - beta * q[..., None]) / sigma[..., None]

        weights, pull = self._weights[some], self._tau[some]
        weights[..., :count] -= beta[..., None] * g[:, :, None]
        weights[..., count] = beta
        pull[..., :count] -= beta[..., None] * h_zeta[:, :, None] + tau[..., None] * g[:, :, None]
        pull[..., count] = tau
        root = 1 / np.sqrt(sigma)[..., None]
        self._factor[some, :, count, :count] = -g * root
        self._factor[some, :, count, count] = root[..., 0]

        self._judge(some)
        quadratic = _Quadratic(g, h_zeta, (q / sigma)[..., None], root)
        self._follow(some, quadratic)

    def _judge(self, some: slice) -> None:
        """Losses ``c_v - 2 w'B_v + w'A_v w`` of the current models."""
        count = len(self.columns)
        weights = self._weights[some, ..., :count]
        cross = self._sets.held_cross[some][:, None, :, self.columns]
        pulled = _all_lines(weights, self._own_held[some, :count, :count])
        change = ((pulled - 2 * cross) * weights).sum(axis=-1)
        self.losses[some] = self._sets.held_squares[some, None] + change

    def _follow(self, some: slice, change: _Quadratic) -> None:
        """All that the candidates carry: two products with the lines, and a few updates."""
        count = len(self.columns)
        weights, tau = self._weights[some, ..., :count], self._tau[some, ..., :count]
        splits, n_alphas, n_targets, _ = weights.shape
        lines = self._lines[some, : n_targets + count]
        own = np.eye(n_targets)
        g, h_zeta, kappa, root = change

        # rho of every target, and c, from the lines of A_t.
        on_train = np.zeros((splits, n_targets + 1, n_alphas, n_targets + count))
        by_target = on_train[:, :n_targets].swapaxes(1, 2)
        by_target[..., :n_targets], by_target[..., n_targets:] = own, -weights
        on_train[:, -1, :, n_targets:-1] = -g * root
        on_train[:, -1, :, -1] = root[..., 0]
        flat = (splits, (n_targets + 1) * n_alphas, -1)
        products = on_train.reshape(flat) @ lines[:, :, 0]
        products = products.reshape(splits, n_targets + 1, n_alphas, -1)
        self._rho[some] = products[:, :n_targets].swapaxes(1, 2)
        c = products[:, -1]

        # p of every target (twice), and d, from the lines of both.
        on_both = np.zeros((splits, n_targets + 1, n_alphas, n_targets + count, 2))
        by_target = on_both[:, :n_targets].swapaxes(1, 2)
        by_target[..., :n_targets, 1] = 2 * own
        by_target[..., n_targets:, 0], by_target[..., n_targets:, 1] = -2 * tau, -2 * weights
        on_both[:, -1, :, n_targets:-1, 0] = (kappa * g - 2 * h_zeta) * root
        on_both[:, -1, :, n_targets:-1, 1] = -2 * g * root
        on_both[:, -1, :, -1, 0] = (-kappa * root)[..., 0]
        on_both[:, -1, :, -1, 1] = 2 * root[..., 0]
        products = on_both.reshape(flat) @ lines.reshape(splits, 2 * (n_targets + count), -1)
        products = products.reshape(splits, n_targets + 1, n_alphas, -1)
        self._p[some] = products[:, :n_targets].swapaxes(1, 2)
        d = products[:, -1]

        self._subtract(some, c, d)

    def _subtract(self, some: slice, c: Array, d: Array) -> None:
        """``sigma -= c^2`` and ``q -= c d``, as blocks of features."""
        first, second = self._pairs.first, self._pairs.second
        least: Any = self._alphas[:, None]
        if self._pairs.single:
            d *= c
            c *= c
        else:
            # Half of both orders makes the update of a block symmetric.
            d = 0.5 * (c[..., first] * d[..., second] + d[..., first] * c[..., second])
            c = c[..., first] * c[..., second]
            least = np.where(self._diagonal > 0, least, -np.inf)
        self._q[some] -= d
        sigmas = self._sigma[some]
        sigmas -= c
        np.maximum(sigmas, least, out=sigmas)

    def _refresh(self, some: slice) -> None:
        """Compute afresh, from the factor, what has lost digits in some splits."""
        stale = self._sigma[some][..., self._pairs.diagonal] < _FRESH * self._fresh[some]
        stale[..., self.columns] = False
        in_any: Array = np.any(stale, axis=0)
        if not in_any.any():
            return
        alphas = np.flatnonzero(in_any.any(axis=1))
        features = np.unique(self._features.feature_of[in_any.any(axis=0)])
        sizes = self._features.sizes[features]
        for size in set(sizes.tolist()):
            same = features[sizes == size]
            for few in ranges(len(same), max(1, _TOGETHER // size)):
                self._refresh_same_size(some, alphas, same[few], size)

    def _refresh_same_size(self, some: slice, alphas: Array, features: Array, size: int) -> None:
        """Sigma and q of a few features as if they had just come."""
        sets, n_targets, count = self._sets, self._sets.cross.shape[1], len(self.columns)
        columns = self._features.columns(features)
        lines = self._lines[some, n_targets : n_targets + count][..., columns]
        train, held = lines[:, None, :, 0], lines[:, None, :, 1]
        factor = self._factor[some][:, alphas, :count, :count]
        u = factor @ train
        g = factor.swapaxes(-1, -2) @ u
        pushed = self._own_held[some, None, :count, :count] @ g - 2 * held
        blocks = (*u.shape[:3], len(features), size)
        u, g, pushed = u.reshape(blocks), g.reshape(blocks), pushed.reshape(blocks)
        pairs = self._pairs.of_features(features)
        ridge = self._alphas[alphas, None] * self._diagonal[pairs]
        flat = (*u.shape[:2], -1)
        sigma = sets.within[some][:, None, pairs] + ridge
        sigma -= np.einsum("krsfi,krsfj->krfij", u, u).reshape(flat)
        np.maximum(sigma, np.where(ridge > 0, ridge, -np.inf), out=sigma)
        spread = np.einsum("krsfi,krsfj->krfij", g, pushed)
        spread = 0.5 * (spread + spread.swapaxes(-1, -2)).reshape(flat)
        line = alphas[:, None]
        self._sigma[some][:, line, pairs] = sigma
        self._q[some][:, line, pairs] = sets.held_within[some][:, None, pairs] + spread
        squares = self._pairs.squares_of(features)
        self._fresh[some][:, line, columns] = self._sigma[some][:, line, squares]


class _Quadratic(NamedTuple):
    """How a column changes sigma and q: g and H zeta (K, R, k), kappa and sigma^-1/2 (K, R, 1)."""

    g: Array
    h_zeta: Array
    kappa: Array
    root: Array


def _wider(values: Array, axes: tuple[int, ...], room: int) -> Array:
    """The same values at the front of more room."""
    shape = tuple(room if axis in axes else size for axis, size in enumerate(values.shape))
    wider = np.zeros(shape)
    wider[tuple(slice(size) for size in values.shape)] = values
    return wider


def _rows_times(rows: Array, matrices: Array) -> Array:
    """One row times one matrix for every split and penalty."""
    product: Array = (rows[:, :, None] @ matrices)[:, :, 0]
    return product


def _all_lines(weights: Array, matrix: Array) -> Array:
    """``weights @ matrix`` (K, R, targets, k) and (K, k, n), as one product for each split."""
    splits, n_alphas, n_targets, count = weights.shape
    flat = weights.reshape(splits, n_alphas * n_targets, count)
    product: Array = (flat @ matrix).reshape(splits, n_alphas, n_targets, -1)
    return product
