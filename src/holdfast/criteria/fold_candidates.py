"""What every candidate carries from step to step: the regressions of :mod:`fold_additions`.

Of every candidate column i, for every split and penalty: sigma_i, rho_i, twice p_i and q_i, in the
letters of :mod:`holdfast.criteria.fold_additions`, and the lines of A_t and A_v of the selected
columns at i. When a column b has arrived,

    [c; d'] = F_t A_t[S+b, :]     d = d' + F_v A_v[S+b, :]
    sigma -= c^2   q -= c d   rho -= rho_b c   2 p -= p_b c + rho_b d

with factors F_t, F_v that follow from the models alone (:class:`Arrival`): two products for every
split, a dozen operations for every number carried. Splits are followed few at a time, so that
what they carry stays in the cache. Columns that are in the model are dropped when they have become
a sixteenth of all: from then on *places* are what is left, in the order of the columns.

Cost of a step: O(K R k n') for n' columns left; memory K n' (4 R + 2 k) numbers.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from holdfast.criteria.growing_inverse import GrowingInverse
from holdfast.criteria.pairs import Pairs, solve_blocks
from holdfast.criteria.training_sets import TrainingSets
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array, ranges

_FRESH = 1e-4
_CACHED = 1 << 16
_TOGETHER = 16
_WORTH_DROPPING = 16


class Arrival(NamedTuple):
    """A column that has entered the models of every split.

    What c, then d, take of the lines of A_t, (K, 2 R, k), and what d takes of those of A_v,
    (K, R, k); then rho_b, and what 2 p takes of c, (K, targets, R) each.
    """

    of_train: Array
    of_held: Array
    rho: Array
    p: Array


class Models(NamedTuple):
    """The models of every split: the inverse, A_v[S,S], the weights w and B_v[S].

    Arrays of shape (K, k, k), (K, targets, R, k) and (K, targets, k).
    """

    inverse: GrowingInverse
    own_held: Array
    weights: Array
    held_cross: Array


class FoldCandidates:
    """Numbers that all candidates carry.

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
        self._sets, self._alphas = sets, alphas
        n_splits, _, n_columns = sets.cross.shape
        n_alphas = len(alphas)
        self._n_features, self._count = len(features), 0
        # The columns, features and pairs that are left, and how they lie in their places.
        self._columns = np.arange(n_columns)
        self._numbers = np.arange(len(features))
        self._products = np.arange(sets.within.shape[1])
        self._lie(features, pairs)
        # sigma and q (K, R, pairs), rho and twice p (K, targets, R, n); below ``stale`` a
        # candidate has lost digits.
        self._sigma = sets.within[:, None] + alphas[:, None] * self._diagonal
        self._stale = _FRESH * self._sigma[..., pairs.diagonal]
        self._q = np.repeat(sets.held_within[:, None], n_alphas, axis=1)
        self._rho = np.repeat(sets.cross[:, :, None], n_alphas, axis=2)
        self._p = np.repeat(2 * sets.held_cross[:, :, None], n_alphas, axis=2)
        # Lines of A_t and A_v, one for every selected column.
        self._train = np.empty((n_splits, room, n_columns))
        self._held = np.empty((n_splits, room, n_columns))

    def _lie(self, features: Features, pairs: Pairs) -> None:
        """Take up places: what features are there, and how many splits fit into the cache."""
        self._features, self._pairs = features, pairs
        self._diagonal = np.zeros(len(self._products))
        self._diagonal[pairs.diagonal] = 1.0
        n_splits, size = len(self._sets), len(self._alphas) * len(self._columns)
        self._chunks = list(ranges(n_splits, max(1, _CACHED // max(1, size))))
        shape = (self._chunks[0].stop, 3 * len(self._alphas), len(self._columns))
        self._scratch = np.empty(shape)

    def make_room(self, room: int) -> None:
        """Room for the lines of more selected columns."""
        self._train = wider(self._train, (1,), room)
        self._held = wider(self._held, (1,), room)

    def narrow(self, selected: list[int]) -> None:
        """Drop features that are in the models, if that is worth it."""
        gone = np.isin(self._columns, selected)
        in_all = np.bincount(self._features.feature_of, ~gone) == 0
        if in_all.sum() * _WORTH_DROPPING < len(self._features) or in_all.all():
            return
        stays = np.flatnonzero(~in_all[self._features.feature_of])
        pairs_stay = np.flatnonzero(~in_all[self._pairs.owner])
        self._columns, self._numbers = self._columns[stays], self._numbers[~in_all]
        self._products = self._products[pairs_stay]
        # take, unlike an index, leaves the places next to each other in memory.
        self._sigma, self._q = (v.take(pairs_stay, axis=-1) for v in (self._sigma, self._q))
        self._rho, self._p, self._stale, self._train, self._held = (
            v.take(stays, axis=-1)
            for v in (self._rho, self._p, self._stale, self._train, self._held)
        )
        features = self._features.without(in_all)
        self._lie(features, Pairs(features))

    # -- scores ----------------------------------------------------------------------------

    def changes(self) -> Array:
        """What adding each feature does to the losses, (R, features); of those gone, nothing."""
        total = np.zeros((len(self._alphas), self._n_features))
        for size, chosen, pairs in self._pairs.by_size:
            columns = self._features.columns(chosen) if not self._pairs.single else slice(None)
            part = np.zeros((len(self._alphas), len(chosen)))
            for some in self._chunks:
                part += self._change(some, size, columns, pairs)
            total[:, self._numbers[chosen]] = part
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

    def of(self, numbers: Array, size: int) -> tuple[Array, Array, Array]:
        """What features of one size have.

        Returns
        -------
        lines : array of shape (K, F s, k)
            Their columns of A_t[S,:].
        sigma : array of shape (K, R, F, s, s)
        rho : array of shape (K, R, targets, F, s)
        """
        features = np.searchsorted(self._numbers, numbers)
        columns, pairs = self._features.columns(features), self._pairs.of_features(features)
        shape = (len(self._sets), len(self._alphas))
        rho = self._rho[..., columns].swapaxes(1, 2)
        return (
            self._train[:, : self._count][..., columns].swapaxes(-1, -2),
            self._sigma[..., pairs].reshape(*shape, len(features), size, size),
            rho.reshape(*rho.shape[:3], -1, size),
        )

    def fits(self, column: int) -> tuple[Array, Array]:
        """What a column has of rho and of twice p, (K, targets, R) each."""
        place = self._place(column)
        return self._rho[..., place], self._p[..., place]

    def _place(self, column: int) -> int:
        return int(np.searchsorted(self._columns, column))

    # -- moves -----------------------------------------------------------------------------

    def follow(self, column: int, train: Array, held: Array, arrival: Arrival) -> list[slice]:
        """Take note of a column, its lines (K, n) among them; splits where digits were lost."""
        self._train[:, self._count] = train[:, self._columns]
        self._held[:, self._count] = held[:, self._columns]
        self._count += 1
        self._stale[..., self._place(column)] = -np.inf
        losing_digits = [some for some in self._chunks if self._follow(some, arrival)]
        if not self._pairs.single:
            self._bury()
        return losing_digits

    def _bury(self) -> None:
        """Selected groups are no candidates: blocks that can be solved with all others.

        What selected single columns carry has no digits and is never looked at.
        """
        selected = np.flatnonzero(np.isneginf(self._stale[0, 0]))
        own = self._pairs.touching(selected)
        self._sigma[..., own] = self._diagonal[own]
        self._q[..., own] = 0.0
        self._rho[..., selected] = 0.0
        self._p[..., selected] = 0.0

    def _follow(self, some: slice, arrival: Arrival) -> bool:
        """Follow in some splits; whether a sigma has lost too many digits."""
        count, n_alphas = self._count, len(self._alphas)
        scratch = self._scratch[: some.stop - some.start]
        both, spare = scratch[:, : 2 * n_alphas], scratch[:, 2 * n_alphas :]
        c, d = both[:, :n_alphas], both[:, n_alphas:]
        np.matmul(arrival.of_train[some], self._train[some, :count], out=both)
        np.matmul(arrival.of_held[some], self._held[some, :count], out=spare)
        d += spare
        for target in range(arrival.rho.shape[1]):
            rho, p = arrival.rho[some, target, :, None], arrival.p[some, target, :, None]
            for carried, line, factor in ((self._rho, c, rho), (self._p, c, p), (self._p, d, rho)):
                np.multiply(line, factor, out=spare)
                carried[some, target] -= spare
        self._subtract(some, c, d)
        return bool(self._is_stale(some).any())

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

    def _is_stale(self, some: slice) -> Array:
        """Which columns have lost digits, (splits, R, n)."""
        stale: Array = self._sigma[some][..., self._pairs.diagonal] < self._stale[some]
        return stale

    def refresh(self, splits: list[slice], models: Models) -> None:
        """Compute afresh, from the factor, what has lost digits in some splits."""
        for some in splits:
            in_any: Array = np.any(self._is_stale(some), axis=0)
            alphas = np.flatnonzero(in_any.any(axis=1))
            features = np.unique(self._features.feature_of[in_any.any(axis=0)])
            sizes = self._features.sizes[features]
            for size in set(sizes.tolist()):
                same = features[sizes == size]
                for few in ranges(len(same), max(1, _TOGETHER // size)):
                    self._refresh_same_size(some, alphas, same[few], size, models)

    def _refresh_same_size(
        self, some: slice, alphas: Array, features: Array, size: int, models: Models
    ) -> None:
        """What a few features carry, as if they had just come."""
        count, inverse, own_held = self._count, models.inverse, models.own_held[some]
        columns, pairs = self._features.columns(features), self._pairs.of_features(features)
        sets, given, products = self._sets, self._columns[columns], self._products[pairs]
        own = self._train[some, :count][..., columns], self._held[some, :count][..., columns]
        train, held = (lines.swapaxes(-1, -2)[:, None] for lines in own)
        u = inverse.half(some, train, alphas)
        g = inverse.back(some, u, alphas)
        pushed = (g.reshape(len(g), -1, count) @ own_held).reshape(g.shape) - 2 * held
        u, g, pushed = (v.reshape(*u.shape[:2], len(features), size, count) for v in (u, g, pushed))
        ridge = self._alphas[alphas, None] * self._diagonal[pairs]
        shape = (*u.shape[:2], -1)
        sigma = sets.within[some][:, None, products] + ridge
        sigma -= np.einsum("krfis,krfjs->krfij", u, u).reshape(shape)
        np.maximum(sigma, np.where(ridge > 0, ridge, -np.inf), out=sigma)
        spread = np.einsum("krfis,krfjs->krfij", g, pushed)
        spread = 0.5 * (spread + spread.swapaxes(-1, -2)).reshape(shape)
        line = alphas[:, None]
        self._sigma[some][:, line, pairs] = sigma
        self._q[some][:, line, pairs] = sets.held_within[some][:, None, products] + spread
        weights = models.weights[some][:, :, alphas]
        flat = weights.reshape(len(weights), -1, count)
        fit, held_fit = ((flat @ lines).reshape(*weights.shape[:3], -1) for lines in own)
        pulled = (flat @ own_held).reshape(weights.shape)
        residual = models.held_cross[some][:, :, None] - pulled
        across = np.einsum("klrs,krfs->klrf", residual, g.reshape(*g.shape[:2], -1, count))
        self._rho[some][:, :, line, columns] = sets.cross[some][:, :, None, given] - fit
        held_cross = sets.held_cross[some][:, :, None, given]
        self._p[some][:, :, line, columns] = 2 * (held_cross - held_fit - across)
        squares = self._pairs.squares_of(features)
        self._stale[some][:, line, columns] = _FRESH * self._sigma[some][:, line, squares]


def wider(values: Array, axes: tuple[int, ...], room: int) -> Array:
    """The same values at the front of more room."""
    shape = tuple(room if axis in axes else size for axis, size in enumerate(values.shape))
    more = np.zeros(shape)
    more[tuple(slice(size) for size in values.shape)] = values
    return more
