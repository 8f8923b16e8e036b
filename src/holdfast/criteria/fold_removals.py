"""Scores of removing a feature, by exact hold-out, from moments (ridge-cv-selection-2013, 3.1).

The paper spends O(n^2) on every candidate. Here, for every split and penalty, with
``H = (A_t + alpha I)^-1``, ``T = H A_v H``, weights w and ``tau = H (B_v - A_v w)``, only
``diag H, diag T, w, tau`` and the loss L are kept:

    c_i = w_i / H_ii      loss(i) = L + 2 c_i tau_i + c_i^2 T_ii      summed over splits

Removing b, with the columns ``H_b``, ``T_b`` and ``h = H_b / H_bb``:

    tau += -h tau_b + c_b (T_b - h T_bb)     diag T += -2 h T_b + h^2 T_bb
    diag H -= h H_b                          w -= c_b H_b       L += 2 c_b tau_b + c_b^2 T_bb

Features of several columns keep the blocks of H and T, ``c = H_gg^-1 w_g``,
``L + 2 c'tau_g + c'T_gg c``, and leave column by column.

The columns are rebuilt from the eigendecomposition ``A_t = C D C'`` of every split and the
removals since, ``H = C (D + alpha)^-1 C' - sum_r U_r U_r'`` with ``U_r = H_b / H_bb^1/2``, so that
one decomposition serves every penalty and H and T are never formed.

**Digits.** Down-dates cancel. When a remaining H_ii has fallen below 1e-2 of its last fresh value,
or the history has become longer than a share of the columns, everything starts afresh from the
eigendecompositions of the remaining columns.

Cost of a removal: O(K R n^2), as matrix products; memory 2 K n^2 numbers, and K R n for every
removal since the last fresh start. Exact, up to what moments in floats can tell.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.criteria.pairs import Pairs, solve_blocks
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array, ranges

_FRESH = 1e-2
_CACHED = 1 << 17
_HISTORY = 16
_SHARE = 8


class FoldRemovals:
    """The removing half of the hold-out ledger.

    Parameters
    ----------
    train, held : array of shape (K, k, k)
        A_t and A_v of the columns of the model.
    cross, held_cross : array of shape (K, targets, k)
        B_t and B_v.
    held_squares : array of shape (K, targets)
        c_v.
    features : Features
        A partition of these k columns.
    alphas : array of shape (R,)
        Penalties.
    """

    def __init__(
        self,
        train: Array,
        held: Array,
        cross: Array,
        held_cross: Array,
        held_squares: Array,
        features: Features,
        alphas: Array,
    ) -> None:
        self._train, self._held = train, held
        self._cross, self._held_cross, self._squares = cross, held_cross, held_squares
        self._features, self._alphas = features, alphas
        self.columns = np.arange(train.shape[-1])
        """Columns that are left, of those at the start."""
        self.support = np.arange(len(features))
        """Features that are left."""
        self._open()

    @staticmethod
    def memory(n_splits: int, n_columns: int, n_alphas: int) -> int:
        """Bytes that eigenvectors, their products and the history take."""
        longest = max(_HISTORY, n_columns // _SHARE)
        return 8 * n_splits * n_columns * (2 * n_columns + n_alphas * (longest + 4))

    def _open(self) -> None:
        """Everything afresh, for the columns that are left."""
        kept, alphas = self.columns, self._alphas
        n_splits, n_alphas, count = len(self._train), len(alphas), len(kept)
        n_targets = self._cross.shape[1]
        positions = np.full(len(self._features.flat), -1)
        positions[kept] = np.arange(count)
        members = map(self._features.columns, self.support[:, None])
        groups = [positions[columns].tolist() for columns in members]
        self._local = Features.partition(count, [g for g in groups if len(g) > 1])
        # Features of the partition by their lowest column, as everywhere.
        self._order = self._local.feature_of[np.array([min(group) for group in groups], dtype=int)]
        self._pairs = Pairs(self._local)
        n_pairs = int((self._local.sizes**2).sum())
        self._base = kept
        self._alive = np.ones(count, dtype=bool)
        self._vectors = np.empty((n_splits, count, count))
        self._values = np.empty((n_splits, count))
        self._rotated = np.empty((n_splits, count, count))
        self._inverse = np.empty((n_splits, n_alphas, n_pairs))
        self._spread = np.empty((n_splits, n_alphas, n_pairs))
        self._weights = np.empty((n_splits, n_alphas, n_targets, count))
        self._tau = np.empty_like(self._weights)
        self.losses = np.empty((n_splits, n_alphas, n_targets))
        block = np.ix_(kept, kept)
        for split in range(n_splits):
            self._decompose(split, self._train[split][block], self._held[split][block])
        self._fresh = self._inverse[..., self._pairs.diagonal].copy()
        self._longest = max(_HISTORY, count // _SHARE)
        self._history = np.empty((n_splits, n_alphas, self._longest, count))
        least, largest = (
            self._values.min(axis=1, initial=np.inf),
            self._values.max(axis=1, initial=0),
        )
        rounding = count * np.finfo(float).eps * largest[:, None]
        self.lost = (least[:, None] + alphas <= rounding).any(axis=0)
        """Penalties under which rounding decides what the models are."""
        self._removed = 0
        self._chunks = list(ranges(n_splits, max(1, _CACHED // max(1, n_alphas * count))))

    def _decompose(self, split: int, train: Array, held: Array) -> None:
        """One eigendecomposition serves every penalty."""
        values: Array
        vectors: Array
        values, vectors = np.linalg.eigh(train)
        np.maximum(values, 0, out=values)
        damped = 1 / (values + self._alphas[:, None])
        rotated = vectors.T @ held @ vectors
        cross = self._cross[split][:, self.columns]
        held_cross = self._held_cross[split][:, self.columns]
        weights = (cross @ vectors) * damped[:, None]
        pull = held_cross @ vectors
        residual = pull - weights @ rotated
        self.losses[split] = self._squares[split] - ((pull + residual) * weights).sum(axis=-1)
        self._weights[split] = weights @ vectors.T
        self._tau[split] = (residual * damped[:, None]) @ vectors.T
        self._values[split], self._vectors[split], self._rotated[split] = values, vectors, rotated
        first, second = self._pairs.first, self._pairs.second
        self._inverse[split] = damped @ (vectors[first] * vectors[second]).T
        for number, line in enumerate(damped):
            # T = C [damped A_Cv damped] C', of which only the pairs are formed.
            half = ((vectors * line) @ rotated) * line
            self._spread[split, number] = np.einsum("ij,ij->i", half[first], vectors[second])

    # -- scores ----------------------------------------------------------------------------

    def score(self) -> Array:
        """Sums of squared held-out errors after removing each feature left, (R, features)."""
        total = np.empty((len(self._alphas), len(self._local)))
        for size, chosen, pairs in self._pairs.by_size:
            columns = self._local.columns(chosen) if not self._pairs.single else slice(None)
            part = np.zeros((len(self._alphas), len(chosen)))
            for some in self._chunks:
                part += self._change(some, size, columns, pairs)
            total[:, chosen] = part
        total += self.losses.sum(axis=(0, 2))[:, None]
        return total[:, self._order]

    def _change(self, some: slice, size: int, columns: Any, pairs: Any) -> Array:
        """``2 c'tau + c'T c`` of features of one size over some splits, (R, features)."""
        inverse, spread = self._inverse[some][..., pairs], self._spread[some][..., pairs]
        weights, tau = self._weights[some][..., columns], self._tau[some][..., columns]
        c: Array
        if size == 1:
            c = weights / inverse[:, :, None]
            change = c * spread[:, :, None]
            change += 2 * tau
            change *= c
            single: Array = change.sum(axis=(0, 2))
            return single
        shape = (*inverse.shape[:2], -1, size, size)
        inverse, spread = inverse.reshape(shape), spread.reshape(shape)
        weights, tau = (v.reshape(*v.shape[:-1], -1, size) for v in (weights, tau))
        c = solve_blocks(inverse[:, :, None], weights[..., None])[..., 0]
        change = (spread[:, :, None] @ c[..., None])[..., 0] + 2 * tau
        total: Array = (change * c).sum(axis=(0, 2, 4))
        return total

    def changes(self, features: Array) -> Array:
        """What removing features does to the coefficients that are left, (K, R, F, targets, k).

        A feature's own coefficients become zero.
        """
        n_splits, n_alphas, n_targets, _ = self._weights.shape
        changes = np.zeros((n_splits, n_alphas, len(features), n_targets, int(self._alive.sum())))
        for line, feature in enumerate(features):
            position = int(np.flatnonzero(self.support == feature)[0])
            own = self._local.columns([int(self._order[position])])
            everything = slice(0, n_splits)
            columns = np.stack([self._turned(everything, b) for b in own.tolist()], axis=2)
            columns = columns @ self._vectors.swapaxes(-1, -2)[:, None]
            inverse = columns[..., own]
            c = solve_blocks(inverse[:, :, None], self._weights[..., own][..., None])[..., 0]
            change = -(c @ columns)[..., self._alive]
            gone = np.isin(np.flatnonzero(self._alive), own)
            change[..., gone] = -self._weights[..., own]
            changes[:, :, line] = change
        return changes

    def _turned(self, some: slice, b: int) -> Array:
        """Column H_b in the coordinates of the eigenvectors, (K, R, columns)."""
        own, history = self._vectors[some, b], self._history[some, :, : self._removed]
        damped = 1 / (self._values[some][:, None] + self._alphas[:, None])
        turned: Array = own[:, None] * damped
        return turned - _along(history, (history @ own[:, None, :, None])[..., 0])

    # -- moves -----------------------------------------------------------------------------

    def remove(self, feature: int) -> None:
        """Take a feature out."""
        position = int(np.flatnonzero(self.support == feature)[0])
        local = int(self._order[position])
        leaving = self._features.columns([feature])
        self.columns = np.setdiff1d(self.columns, leaving)
        self.support = np.delete(self.support, position)
        self._order = np.delete(self._order, position)
        columns = self._local.columns([local])
        if self._removed + len(columns) > self._longest or len(self.columns) == 0:
            self._open()
            return
        for column in columns:
            if self._fallen(column):
                self._open()
                return
            self._alive[column] = False
            for some in self._chunks:
                self._remove(some, int(column))
            self._removed += 1
        self._bury()
        if self._fallen(self._alive):
            self._open()

    def _fallen(self, columns: Any) -> bool:
        """Whether the inverse has lost digits at some columns since it was fresh."""
        inverse = self._inverse[..., self._pairs.diagonal][..., columns]
        return bool((inverse < _FRESH * self._fresh[..., columns]).any())

    def _remove(self, some: slice, b: int) -> None:
        """Follow some splits."""
        vectors, rotated = self._vectors[some], self._rotated[some]
        damped = 1 / (self._values[some][:, None] + self._alphas[:, None])
        history = self._history[some, :, : self._removed]

        # Columns H_b and T_b = H A_v H_b, in the coordinates of the eigenvectors.
        turned = self._turned(some, b)
        pivot = (turned @ vectors[:, b, :, None])[..., 0]
        pushed = turned @ rotated
        spread = pushed * damped - _along(history, (history @ pushed[..., None])[..., 0])
        across = vectors.swapaxes(-1, -2)
        column, spread = turned @ across, spread @ across

        h = column / pivot[..., None]
        t_b = spread[..., b]
        c = self._weights[some][..., b] / pivot[..., None]
        tau_b = self._tau[some][..., b].copy()
        mixed = spread - h * t_b[..., None]
        for target in range(c.shape[-1]):
            tau = self._tau[some, :, target]
            tau -= h * tau_b[..., target, None]
            tau += mixed * c[..., target, None]
            self._weights[some, :, target] -= column * c[..., target, None]
        self.losses[some] += c * (2 * tau_b + c * t_b[..., None])
        first, second = self._pairs.first, self._pairs.second
        self._inverse[some] -= h[..., first] * column[..., second]
        half = 0.5 * (spread + mixed)
        if self._pairs.single:
            self._spread[some] -= 2 * h * half
        else:
            self._spread[some] -= h[..., first] * half[..., second]
            self._spread[some] -= half[..., first] * h[..., second]
        self._history[some, :, self._removed] = turned / np.sqrt(pivot)[..., None]

    def _bury(self) -> None:
        """Columns that have left: numbers that do no harm in array operations."""
        gone = ~self._alive
        self._weights[..., gone] = 0.0
        self._tau[..., gone] = 0.0
        if self._pairs.single:
            self._inverse[..., gone], self._spread[..., gone] = 1.0, 0.0
            return
        touched = gone[self._pairs.first] | gone[self._pairs.second]
        self._inverse[..., touched] = (self._pairs.first == self._pairs.second)[touched]
        self._spread[..., touched] = 0.0

    @property
    def coefficients(self) -> Array:
        """Coefficients of the scaled columns that are left, (K, R, targets, columns)."""
        left: Array = self._weights[..., self._alive]
        return left


def _along(history: Array, coefficients: Array) -> Array:
    """Combinations of the history: (K, R, r, n) and (K, R, r) to (K, R, n)."""
    combined: Array = (coefficients[:, :, None] @ history)[:, :, 0]
    return combined
