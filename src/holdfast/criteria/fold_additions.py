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

This file has the models; what the candidates carry is :mod:`holdfast.criteria.fold_candidates`.
Only lines of selected columns of A_t and A_v are needed: 2 K k n numbers, beside 4 K R n and
K R k^2 / 8. Columns that are in the model are dropped from all of these. Cost of a step:
O(K R k (n - k + k)) = O(K R k n), as matrix products. Exact, up to what moments in floats can tell
(see :mod:`holdfast.criteria.hold_out`).
"""

from __future__ import annotations

import numpy as np

from holdfast.criteria.fold_candidates import Arrival, FoldCandidates, Models, wider
from holdfast.criteria.growing_inverse import GrowingInverse
from holdfast.criteria.pairs import Pairs, solve_blocks
from holdfast.criteria.training_sets import TrainingSets
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array

_ROOM = 8
_ROUNDING = 64
_EVERYTHING = slice(None)


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
        self._sets, self._alphas = sets, alphas
        self._candidates = FoldCandidates(sets, features, pairs, alphas, room)
        n_splits, n_targets, _ = sets.cross.shape
        n_alphas = len(alphas)
        self.columns: list[int] = []
        self.losses = np.repeat(sets.held_squares[:, None], n_alphas, axis=1)
        self.lost = np.zeros(n_alphas, dtype=bool)
        """Penalties under which rounding decides what a selected column adds."""
        # A_t and A_v of the selected columns; zeros cost nothing until they are touched.
        self._own_train = np.zeros((n_splits, room, room))
        self._own_held = np.zeros((n_splits, room, room))
        self._inverse = GrowingInverse(alphas, n_splits)
        self._weights = np.zeros((n_splits, n_targets, n_alphas, room))

    @property
    def weights(self) -> Array:
        """Coefficients of the scaled columns, (K, R, targets, k)."""
        return self._weights[..., : len(self.columns)].swapaxes(1, 2)

    def block(self, order: Array) -> tuple[Array, Array]:
        """A_t and A_v of the selected columns in an order, (K, k, k) each."""
        both = order[:, None], order
        return self._own_train[:, *both], self._own_held[:, *both]

    def score(self) -> Array:
        """Sums of squared held-out errors after adding each feature, (R, features)."""
        total = self._candidates.changes()
        total += self.losses.sum(axis=(0, 2))[:, None]
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
        lines, sigma, rho = self._candidates.of(features, size)
        g = self._inverse.back(_EVERYTHING, self._inverse.half(_EVERYTHING, lines[:, None]))
        g = np.moveaxis(g.reshape(*sigma.shape[:4], -1), -1, -2)
        own = solve_blocks(sigma, np.moveaxis(rho, 2, -1)).swapaxes(-1, -2)
        return -(own @ g.swapaxes(-1, -2)), own

    def extend(self, column: int, train: Array, held: Array) -> None:
        """Add a column, with its lines of A_t and A_v, (K, n) each."""
        count = len(self.columns)
        if count == self._own_held.shape[-1]:
            self._make_room()
        if self._inverse.full:
            self._inverse.rebuild(self._own_train[:, :count, :count])
            self._candidates.narrow(self.columns)
        self.columns.append(column)
        for own, line in ((self._own_train, train), (self._own_held, held)):
            line = line[:, self.columns]
            own[:, count, : count + 1] = own[:, : count + 1, count] = line
        arrival = self._enter(column)
        losing_digits = self._candidates.follow(column, train, held, arrival)
        if losing_digits:
            own_held = self._own_held[:, : count + 1, : count + 1]
            models = Models(
                self._inverse,
                own_held,
                self._weights[..., : count + 1],
                self._sets.held_cross[..., self.columns],
            )
            self._candidates.refresh(losing_digits, models)

    def _make_room(self) -> None:
        """Room for more selected columns."""
        room = 2 * max(_ROOM, self._own_held.shape[-1])
        self._candidates.make_room(room)
        self._own_train = wider(self._own_train, (1, 2), room)
        self._own_held = wider(self._own_held, (1, 2), room)
        self._weights = wider(self._weights, (3,), room)

    def _enter(self, column: int) -> Arrival:
        """Bring a column into the models of all splits; what the candidates must know of it."""
        count, inverse = len(self.columns) - 1, self._inverse
        own_train = self._own_train[:, count, : count + 1]
        own_held = self._own_held[:, : count + 1, : count + 1]

        # The column's own regression on the support, and its products with the held-out columns.
        u = inverse.half(_EVERYTHING, own_train[:, None, None, :count])
        g = inverse.back(_EVERYTHING, u)[:, :, 0]
        square = own_train[:, count, None]
        sigma = square + self._alphas - np.einsum("krfc,krfc->kr", u, u)
        sigma = np.maximum(sigma, self._alphas)  # what is left is never less than the penalty
        rounding = max(_ROUNDING, count) * np.finfo(float).eps * square
        dependent = sigma <= rounding
        self.lost |= dependent.any(axis=0)
        # Column and penalty are both less than rounding: without it the predictions are the same,
        # with it its weight would be nothing but rounding, and worse with every such column.
        share = np.where(dependent, 0.0, 1 / sigma)
        zeta = own_held[:, count, None] - g @ own_held[:, :count]
        h_zeta = inverse.solve(zeta[..., :count])
        q = zeta[..., count] - np.einsum("krc,krc->kr", g, zeta[..., :count])
        q = np.maximum(q, 0)

        # The models.
        root = np.sqrt(share)
        line = np.concatenate([-g, np.ones_like(root)[..., None]], axis=-1)
        line *= root[..., None]
        inverse.append(line)
        rho, p = self._candidates.fits(column)
        beta = rho * share[:, None]
        self.losses += (beta * (beta * q[:, None] - p)).swapaxes(1, 2)
        self._weights[..., :count] -= beta[..., None] * g[:, None]
        self._weights[..., count] = beta

        of_train = -(q * share)[..., None] * line
        of_train[..., :count] -= 2 * root[..., None] * h_zeta
        return Arrival(
            np.concatenate([line, of_train], axis=1),
            2 * line,
            rho=rho * root[:, None],
            p=(p - beta * q[:, None]) * root[:, None],
        )
