"""Scores of adding a feature, by exact hold-out, from moments (ridge-cv-selection-2013, 3.2).

The paper updates an inverse for every candidate, O(k^2) each. Here every candidate i carries,
for every split and penalty, what its own regression on the support S would tell, with
``H = (A_t[S,S] + alpha I)^-1``, ``g_i = H A_t[S,i]`` and ``z_i = x_i - X_S g_i`` on the
held-out rows, r_v the held-out residual and w the weights of one target:

    sigma_i = A_t[i,i] + alpha - A_t[i,S] g_i     rho_i = B_t[i] - A_t[i,S] w
    p_i = r_v'z_i                                 q_i = z_i'z_i
    beta = rho_i / sigma_i,   loss(i) = L - 2 beta p_i + beta^2 q_i     summed over splits

Adding b, with its products ``zeta = A_v[b,:] - g_b A_v[S,:]`` with the held-out columns, and
``kappa = q_b / sigma_b``, ``beta = rho_b / sigma_b``:

    c = (A_t[b,:] - g_b A_t[S,:]) / sigma_b^1/2
    d = 2 (zeta - (H zeta_S) A_t[S,:]) / sigma_b^1/2 - kappa c
    sigma -= c^2        rho -= sigma_b^1/2 beta c
    q -= c d            p -= (p_b - beta q_b / 2) / sigma_b^1/2 c + sigma_b^1/2 beta / 2 d
    w -= beta g_b       L += beta^2 q_b - 2 beta p_b

So a step is one product with the lines of A_t and one with those of both, and a dozen operations
on what a penalty knows of every candidate. Features of several columns keep the blocks sigma and
q, score ``beta = sigma^-1 rho``, ``L - 2 beta'p + beta'q beta``, and enter column by column.

**Digits.** H is applied by a factor, ``H = M'M`` (:mod:`holdfast.criteria.growing_inverse`). A
candidate whose sigma_i has fallen below 1e-4 of its last fresh value is computed afresh from M.
Measured against long floats (24 of 30 columns, 9 kinds of data, alpha = 1e-10 trace): scores as
exact as with everything fresh at every step, without the rule one or two digits fewer.

Only lines of selected columns of A_t and A_v are needed: 2 K k n numbers, beside 4 K R n and
K R k^2 / 8. Splits are followed few at a time, so that what they carry stays in the cache. Cost
of a step: O(K R k (n + k)), as matrix products. Exact, up to what moments in floats can tell (see
:mod:`holdfast.criteria.hold_out`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.criteria.growing_inverse import GrowingInverse
from holdfast.criteria.pairs import Pairs, solve_blocks
from holdfast.criteria.training_sets import TrainingSets
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array, ranges

_FRESH = 1e-4
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
        # What every candidate carries: sigma and q (K, R, pairs), rho and twice p
        # (K, targets, R, n); below ``stale`` it has lost digits.
        self._diagonal = np.zeros(sets.within.shape[1])
        self._diagonal[pairs.diagonal] = 1.0
        self._sigma = sets.within[:, None] + alphas[:, None] * self._diagonal
        self._stale = _FRESH * self._sigma[..., pairs.diagonal]
        self._q = np.repeat(sets.held_within[:, None], n_alphas, axis=1)
        self._rho = np.repeat(sets.cross[:, :, None], n_alphas, axis=2)
        self._p = np.repeat(2 * sets.held_cross[:, :, None], n_alphas, axis=2)
        # Lines of A_t and A_v: first those of the targets, then those of the selected columns.
        self._lines = np.empty((n_splits, n_targets + room, 2, n_columns))
        self._lines[:, :n_targets, 0] = sets.cross
        self._lines[:, :n_targets, 1] = sets.held_cross
        # The models; zeros cost nothing until they are touched.
        self._inverse = GrowingInverse(alphas, n_splits)
        self._own_held = np.zeros((n_splits, room, room))
        self._weights = np.zeros((n_splits, n_targets, n_alphas, room))
        self._chunks = list(ranges(n_splits, max(1, _CACHED // (n_alphas * n_columns))))
        self.lost = np.zeros(n_alphas, dtype=bool)
        """Penalties under which rounding decides what a selected column adds."""
        self._scratch = np.empty((3, self._chunks[0].stop, n_alphas, n_columns))

    @property
    def weights(self) -> Array:
        """Coefficients of the scaled columns, (K, R, targets, k)."""
        return self._weights[..., : len(self.columns)].swapaxes(1, 2)

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
            beta = rho / sigma[:, None]
            change = beta * q[:, None]
            change -= p
            change *= beta
            single: Array = change.sum(axis=(0, 1))
            return single
        shape = (*sigma.shape[:2], -1, size, size)
        sigma, q = sigma.reshape(shape), q.reshape(shape)
        rho, p = (v.reshape(*v.shape[:-1], -1, size) for v in (rho, p))
        beta = solve_blocks(sigma[:, None], rho[..., None])[..., 0]
        change = (q[:, None] @ beta[..., None])[..., 0] - p
        total: Array = (change * beta).sum(axis=(0, 1, 4))
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
        everything = slice(0, len(self._sets))
        lines = self._lines[:, n_targets : n_targets + count, 0][..., columns]
        half = self._inverse.half(everything, lines.swapaxes(-1, -2)[:, None])
        g = self._inverse.back(everything, half)
        shape = (len(self._sets), len(self._alphas))
        g = np.moveaxis(g.reshape(*shape, len(features), size, count), -1, -2)
        rho = self._rho[..., columns].swapaxes(1, 2).reshape(*shape, n_targets, -1, size)
        sigma = self._sigma[..., pairs].reshape(*shape, len(features), size, size)
        own = solve_blocks(sigma, np.moveaxis(rho, 2, -1)).swapaxes(-1, -2)
        return -(own @ g.swapaxes(-1, -2)), own

    # -- moves -----------------------------------------------------------------------------

    def extend(self, entry: Entry) -> None:
        """Add a column."""
        count, n_targets = len(self.columns), self._sets.cross.shape[1]
        if count == self._own_held.shape[-1]:
            self._make_room()
        if self._inverse.full:
            lines = self._lines[:, n_targets : n_targets + count, 0]
            self._inverse.rebuild(lines[..., self.columns])
        self.columns.append(entry.column)
        self._lines[:, n_targets + count, 0] = entry.train
        self._lines[:, n_targets + count, 1] = entry.held
        own = entry.held[:, self.columns]
        self._own_held[:, count, : count + 1] = self._own_held[:, : count + 1, count] = own
        self._stale[..., entry.column] = -np.inf
        losing_digits = [some for some in self._chunks if self._follow(some, entry)]
        self._inverse.grow()
        if not self._pairs.single:
            self._bury()
        for some in losing_digits:
            self._refresh(some)

    def _bury(self) -> None:
        """Selected groups are no candidates: blocks that can be solved with all others.

        What selected single columns carry has no digits and is never looked at.
        """
        own = self._pairs.touching(self.columns)
        self._sigma[..., own] = self._diagonal[own]
        self._q[..., own] = 0.0
        self._rho[..., self.columns] = 0.0
        self._p[..., self.columns] = 0.0

    def _make_room(self) -> None:
        """Room for more selected columns."""
        room = 2 * max(_ROOM, self._own_held.shape[-1])
        self._lines = _wider(self._lines, (1,), self._sets.cross.shape[1] + room)
        self._own_held = _wider(self._own_held, (1, 2), room)
        self._weights = _wider(self._weights, (3,), room)

    def _follow(self, some: slice, entry: Entry) -> bool:
        """Bring a column into some splits; whether a sigma has lost too many digits."""
        b, S, inverse = entry.column, self.columns[:-1], self._inverse
        count, own_held, train = len(S), self._own_held[some], entry.train[some]

        # The column's own regression on the support, and its products with the held-out columns.
        u = inverse.half(some, train[:, None, None, S])
        g = inverse.back(some, u)[:, :, 0]
        sigma = train[:, b, None] + self._alphas - np.einsum("krfc,krfc->kr", u, u)
        sigma = np.maximum(sigma, self._alphas)
        rounding = max(_ROUNDING, count) * np.finfo(float).eps * train[:, b, None]
        self.lost |= (sigma <= rounding).any(axis=0)
        zeta = own_held[:, count, None, : count + 1] - g @ own_held[:, :count, : count + 1]
        h_zeta = inverse.solve(some, zeta[..., :count])
        q = zeta[..., count] - np.einsum("krc,krc->kr", g, zeta[..., :count])
        q = np.maximum(q, 0)

        # The models.
        root = 1 / np.sqrt(sigma)
        line = np.concatenate([-g, np.ones_like(root)[..., None]], axis=-1) * root[..., None]
        inverse.append(some, line)
        p, beta = self._p[some][..., b], self._rho[some][..., b] / sigma[:, None]
        self.losses[some] += (beta * (beta * q[:, None] - p)).swapaxes(1, 2)
        self._weights[some, ..., :count] -= beta[..., None] * g[:, None]
        self._weights[some, ..., count] = beta

        # c and d.
        n_targets = beta.shape[1]
        lines = self._lines[some, n_targets : n_targets + count + 1]
        c, d, spare = self._scratch[:, : len(line)]
        np.matmul(line, lines[:, :, 0], out=c)
        factors = np.empty((*line.shape, 2))
        factors[..., 1] = 2 * line
        factors[..., 0] = -(q / sigma)[..., None] * line
        factors[..., :count, 0] -= 2 * root[..., None] * h_zeta
        both = lines.reshape(len(lines), 2 * (count + 1), -1)
        np.matmul(factors.reshape(*root.shape, -1), both, out=d)

        # What the candidates carry.
        rho_b = beta / root[:, None]
        for target in range(n_targets):
            for carried, line, factor in (
                (self._rho, c, rho_b),
                (self._p, c, (p - beta * q[:, None]) * root[:, None]),
                (self._p, d, rho_b),
            ):
                np.multiply(line, factor[:, target, :, None], out=spare)
                carried[some, target] -= spare
        self._subtract(some, c, d)
        stale = self._sigma[some][..., self._pairs.diagonal] < self._stale[some]
        return bool(stale.any())

    def _subtract(self, some: slice, c: Array, d: Array) -> None:
        """``sigma -= c^2`` and ``q -= c d``, as blocks of features."""
        first, second = self._pairs.first, self._pairs.second
        if self._pairs.single:
            d *= c
            c *= c
        else:
            # Half of both orders makes the update of a block symmetric.
            d = 0.5 * (c[..., first] * d[..., second] + d[..., first] * c[..., second])
            c = c[..., first] * c[..., second]
        self._q[some] -= d
        self._sigma[some] -= c

    def _refresh(self, some: slice) -> None:
        """Compute afresh, from the factor, what has lost digits in some splits."""
        stale = self._sigma[some][..., self._pairs.diagonal] < self._stale[some]
        in_any: Array = np.any(stale, axis=0)
        alphas = np.flatnonzero(in_any.any(axis=1))
        features = np.unique(self._features.feature_of[in_any.any(axis=0)])
        sizes = self._features.sizes[features]
        for size in set(sizes.tolist()):
            same = features[sizes == size]
            for few in ranges(len(same), max(1, _TOGETHER // size)):
                self._refresh_same_size(some, alphas, same[few], size)

    def _refresh_same_size(self, some: slice, alphas: Array, features: Array, size: int) -> None:
        """What a few features carry, as if they had just come."""
        sets, n_targets, count = self._sets, self._sets.cross.shape[1], len(self.columns)
        columns = self._features.columns(features)
        lines = self._lines[some, n_targets : n_targets + count][..., columns]
        train, held = np.moveaxis(lines, 1, -1).swapaxes(0, 1)[:, :, None]
        u = self._inverse.half(some, train, alphas)
        g = self._inverse.back(some, u, alphas)
        flat = g.reshape(len(g), -1, count)
        pushed = (flat @ self._own_held[some, :count, :count]).reshape(g.shape) - 2 * held
        blocks = (*u.shape[:2], len(features), size, count)
        u, g, pushed = u.reshape(blocks), g.reshape(blocks), pushed.reshape(blocks)
        pairs = self._pairs.of_features(features)
        ridge = self._alphas[alphas, None] * self._diagonal[pairs]
        shape = (*u.shape[:2], -1)
        sigma = sets.within[some][:, None, pairs] + ridge
        sigma -= np.einsum("krfis,krfjs->krfij", u, u).reshape(shape)
        np.maximum(sigma, np.where(ridge > 0, ridge, -np.inf), out=sigma)
        spread = np.einsum("krfis,krfjs->krfij", g, pushed)
        spread = 0.5 * (spread + spread.swapaxes(-1, -2)).reshape(shape)
        line = alphas[:, None]
        self._sigma[some][:, line, pairs] = sigma
        self._q[some][:, line, pairs] = sets.held_within[some][:, None, pairs] + spread
        weights = self._weights[some][:, :, alphas, :count]
        flat = weights.reshape(len(weights), n_targets * len(alphas), count)
        fit, held_fit = (
            (flat @ lines[:, :, part]).reshape(*weights.shape[:3], -1) for part in range(2)
        )
        pulled = (flat @ self._own_held[some, :count, :count]).reshape(weights.shape)
        residual = sets.held_cross[some][:, :, None, self.columns] - pulled
        g = g.reshape(*g.shape[:2], -1, count)
        across = np.einsum("klrs,krfs->klrf", residual, g)
        self._rho[some][:, :, line, columns] = sets.cross[some][:, :, None, columns] - fit
        held_cross = sets.held_cross[some][:, :, None, columns]
        self._p[some][:, :, line, columns] = 2 * (held_cross - held_fit - across)
        squares = self._pairs.squares_of(features)
        self._stale[some][:, line, columns] = _FRESH * self._sigma[some][:, line, squares]


def _wider(values: Array, axes: tuple[int, ...], room: int) -> Array:
    """The same values at the front of more room."""
    shape = tuple(room if axis in axes else size for axis, size in enumerate(values.shape))
    wider = np.zeros(shape)
    wider[tuple(slice(size) for size in values.shape)] = values
    return wider
