"""Scores of adding a feature, by exact hold-out, from moments (ridge-cv-selection-2013, 3.2).

The paper updates an inverse for every candidate, O(k^2) each. Here every candidate i carries,
for every split and penalty, what its own regression on the support S would tell, with
``H = (A_t[S,S] + alpha I)^-1``, ``g_i = H A_t[S,i]`` and ``z_i = x_i - X_S g_i`` on the
held-out rows, r_v the held-out residual and ``(rho, w)`` of one target:

    sigma_i = A_t[i,i] + alpha - A_t[i,S] g_i     rho_i = B_t[i] - A_t[i,S] w
    p_i = r_v'z_i                                 q_i = z_i'z_i
    beta = rho_i / sigma_i,   loss(i) = L - 2 beta p_i + beta^2 q_i     summed over splits

Adding b, with ``gamma_i = (A_t[b,i] - g_b'A_t[S,i])/sigma_b``, ``zeta = A_v[:,b] - A_v[:,S] g_b``
and ``zz_i = z_i'z_b = zeta_i - A_t[i,S] H zeta_S``:

    p_i -= gamma_i p_b + beta_b (zz_i - gamma_i q_b)      rho_i -= gamma_i rho_b
    q_i += gamma_i (gamma_i q_b - 2 zz_i)                 sigma_i -= gamma_i^2 sigma_b

Features of several columns keep the blocks sigma and q, score ``beta = sigma^-1 rho``,
``L - 2 beta'p + beta'q beta``, and enter column by column.

**Digits.** H is applied by the inverse M of a growing Cholesky factor, ``H = M'M``; as a block
inverse it would have no digits left at alpha = 1e-10 trace. What belongs to the model itself
(w, L, and the numbers of the column that enters) is computed afresh at every step. A candidate
whose sigma_i has fallen below 0.1 of its last fresh value is computed afresh. sigma is at least
alpha, exactly; it is cut there.

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
_CACHED = 1 << 17
_ROOM = 8


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
    """

    def __init__(self, sets: TrainingSets, features: Features, pairs: Pairs, alphas: Array) -> None:
        self._sets, self._features, self._pairs, self._alphas = sets, features, pairs, alphas
        n_splits, n_alphas = len(sets), len(alphas)
        self._diagonal = np.zeros(sets.within.shape[1])
        self._diagonal[pairs.diagonal] = 1.0
        ridge = alphas[:, None] * self._diagonal
        self._sigma = sets.within[:, None] + ridge
        self._q = np.repeat(sets.held_within[:, None], n_alphas, axis=1)
        self._rho = np.repeat(sets.cross[:, None], n_alphas, axis=1)
        self._p = np.repeat(sets.held_cross[:, None], n_alphas, axis=1)
        self._fresh = self._sigma[..., pairs.diagonal].copy()
        n_columns, n_targets = self._rho.shape[-1], self._rho.shape[-2]
        self.columns: list[int] = []
        self._train = np.empty((n_splits, 0, n_columns))
        self._held = np.empty((n_splits, 0, n_columns))
        self._factor = np.empty((n_splits, n_alphas, 0, 0))
        self._weights = np.empty((n_splits, n_alphas, n_targets, 0))
        self.losses = np.repeat(sets.held_squares[:, None], n_alphas, axis=1)
        per_split = n_alphas * n_columns
        self._chunks = list(ranges(n_splits, max(1, _CACHED // per_split)))

    @property
    def weights(self) -> Array:
        """Coefficients of the scaled columns, (K, R, targets, k)."""
        return self._weights[..., : len(self.columns)]

    def block(self, order: Array) -> tuple[Array, Array]:
        """A_t and A_v of the selected columns in an order, (K, k, k) each."""
        columns = np.array(self.columns, dtype=np.intp)[order]
        return self._train[:, order][..., columns], self._held[:, order][..., columns]

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
            change -= 2 * p
            change *= beta
            single: Array = change.sum(axis=(0, 2))
            return single
        shape = (*sigma.shape[:2], -1, size, size)
        sigma, q = sigma.reshape(shape), q.reshape(shape)
        rho, p = (v.reshape(*v.shape[:-1], -1, size) for v in (rho, p))
        beta = np.linalg.solve(sigma[:, :, None], rho[..., None])[..., 0]
        change = (q[:, :, None] @ beta[..., None])[..., 0] - 2 * p
        total: Array = (change * beta).sum(axis=(0, 2, 4))
        return total

    # -- moves -----------------------------------------------------------------------------

    def extend(self, entry: Entry) -> None:
        """Add a column."""
        if len(self.columns) == self._train.shape[1]:
            self._make_room()
        stale = np.zeros(self._rho.shape[-1], dtype=bool)
        for some in self._chunks:
            stale |= self._extend(some, entry)
        count = len(self.columns)
        self._train[:, count], self._held[:, count] = entry.train, entry.held
        self.columns.append(entry.column)
        for some in self._chunks:
            self.losses[some] = self._own_losses(some)
        stale[self.columns] = False
        if stale.any():
            features = np.unique(self._features.feature_of[stale])
            for some in self._chunks:
                self._refresh(some, features)

    def _make_room(self) -> None:
        """Room for more selected columns."""
        more = max(_ROOM, self._train.shape[1])
        self._train, self._held = (
            np.pad(lines, ((0, 0), (0, more), (0, 0))) for lines in (self._train, self._held)
        )
        self._factor = np.pad(self._factor, ((0, 0), (0, 0), (0, more), (0, more)))
        self._weights = np.pad(self._weights, ((0, 0), (0, 0), (0, 0), (0, more)))

    def _model(self, some: slice) -> _Model:
        """The current models of some splits."""
        count = len(self.columns)
        weights, held = self._weights[some, ..., :count], self._held[some, :count]
        residual = self._sets.held_cross[some][:, None, :, self.columns]
        residual = residual - _all_lines(weights, held[..., self.columns])
        factor = self._factor[some, :, :count, :count]
        return _Model(self._train[some, :count], held, factor, weights, residual)

    def _extend(self, some: slice, entry: Entry) -> Array:
        """Follow some splits; the columns whose numbers have lost digits."""
        b, S, model = entry.column, self.columns, self._model(some)
        train, held = entry.train[some], entry.held[some]

        # The column's own regression on the support.
        u = (model.factor @ train[:, None, S, None])[..., 0]
        g = _rows_times(u, model.factor)
        sigma = np.maximum(train[:, b, None] + self._alphas - (u * u).sum(axis=-1), self._alphas)
        rho = self._sets.cross[some][:, None, :, b] - _all_dots(model.weights, train[:, S])
        p = self._sets.held_cross[some][:, None, :, b] - _all_dots(model.weights, held[:, S])
        p -= (model.residual @ g[..., None])[..., 0]
        zeta = held[:, None] - g @ model.held
        h_zeta = _rows_times((model.factor @ zeta[..., S, None])[..., 0], model.factor)

        # What it changes for the others.
        both = np.concatenate([g, h_zeta], axis=1) @ model.train
        gamma = train[:, None] - both[:, : len(self._alphas)]
        gamma /= sigma[..., None]
        zz = zeta
        zz -= both[:, len(self._alphas) :]
        q = np.maximum(zz[..., b], 0)
        beta = rho / sigma[..., None]
        self._follow(some, _Change(gamma, zz, sigma, q, rho, p, beta))

        count = len(S)
        self._weights[some, ..., :count] -= beta[..., None] * g[:, :, None]
        self._weights[some, ..., count] = beta
        root = 1 / np.sqrt(sigma)
        self._factor[some, :, count, :count] = -g * root[..., None]
        self._factor[some, :, count, count] = root
        sigmas = self._sigma[some][..., self._pairs.diagonal]
        stale: Array = np.any(sigmas < _FRESH * self._fresh[some], axis=(0, 1))
        return stale

    def _follow(self, some: slice, change: _Change) -> None:
        """Update the numbers of all candidates."""
        gamma, zz, sigma, q, rho, p, beta = change
        first, second = gamma[..., self._pairs.first], gamma[..., self._pairs.second]
        residual = gamma * q[..., None]
        np.subtract(zz, residual, out=residual)
        for target in range(rho.shape[-1]):
            own = self._p[some, :, target]
            own -= gamma * p[..., target, None]
            own -= residual * beta[..., target, None]
            self._rho[some, :, target] -= gamma * rho[..., target, None]
        # zz - gamma q / 2 on both sides makes the symmetric update of a block.
        residual += zz
        residual *= 0.5
        if self._pairs.single:
            residual *= 2
            residual *= gamma
            self._q[some] -= residual
            square = gamma * gamma
        else:
            self._q[some] -= first * residual[..., self._pairs.second]
            self._q[some] -= second * residual[..., self._pairs.first]
            square = first * second
        square *= sigma[..., None]
        sigmas = self._sigma[some]
        sigmas -= square
        diagonal = self._pairs.diagonal
        sigmas[..., diagonal] = np.maximum(sigmas[..., diagonal], self._alphas[:, None])

    def _own_losses(self, some: slice) -> Array:
        """``c_v - 2 w'B_v + w'A_v w`` of the current models."""
        model = self._model(some)
        cross = self._sets.held_cross[some][:, None, :, self.columns]
        # held_cross - A_v w is the residual's product with the columns.
        losses = ((cross + model.residual) * model.weights).sum(axis=-1)
        return self._sets.held_squares[some, None] - losses

    def _refresh(self, some: slice, features: Array) -> None:
        """Numbers of some candidates from the factor, as if they had just come."""
        model, sets = self._model(some), self._sets
        own = model.held[..., self.columns][:, None]
        for feature in features:
            columns = self._features.columns([feature])
            train, held = model.train[..., columns][:, None], model.held[..., columns][:, None]
            u = model.factor @ train
            g = model.factor.swapaxes(-1, -2) @ u
            pairs = self._pairs.of(feature)
            ridge = self._alphas[:, None] * self._diagonal[pairs]
            shape = (*u.shape[:2], -1)
            sigma = sets.within[some, None, pairs] - (u.swapaxes(-1, -2) @ u).reshape(shape)
            sigma += ridge
            self._sigma[some, :, pairs] = np.maximum(sigma, np.where(ridge > 0, ridge, -np.inf))
            cross = g.swapaxes(-1, -2) @ held
            q = sets.held_within[some, None, pairs] - (
                cross + cross.swapaxes(-1, -2) - g.swapaxes(-1, -2) @ own @ g
            ).reshape(shape)
            self._q[some, :, pairs] = q
            self._rho[some][..., columns] = (
                sets.cross[some][:, None, :, columns] - model.weights @ train
            )
            self._p[some][..., columns] = (
                sets.held_cross[some][:, None, :, columns]
                - model.weights @ held
                - model.residual @ g
            )
            diagonal = np.diagonal(
                self._sigma[some, :, pairs].reshape(*u.shape[:2], len(columns), len(columns)),
                axis1=-2,
                axis2=-1,
            )
            self._fresh[some][..., columns] = diagonal


@dataclass(frozen=True)
class _Model:
    """Models of some splits: lines (K, k, n), factor (K, R, k, k), weights (K, R, targets, k).

    ``residual`` is the product of the held-out residuals and the selected columns.
    """

    train: Array
    held: Array
    factor: Array
    weights: Array
    residual: Array


class _Change(NamedTuple):
    """What a column does to all candidates; (K, R, n), (K, R) and (K, R, targets)."""

    gamma: Array
    zz: Array
    sigma: Array
    q: Array
    rho: Array
    p: Array
    beta: Array


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


def _all_dots(weights: Array, line: Array) -> Array:
    """``weights @ line`` (K, R, targets, k) and (K, k)."""
    product: Array = _all_lines(weights, line[..., None])[..., 0]
    return product
