"""The evidence (marginal likelihood) of linear models: a ledger beside that of leave-one-out.

Targets are ``y = X_S w + noise``, w ~ N(0, I / a), noise of variance s / (sample weight). With rows
times sqrt(weight), columns and targets centred where there is an intercept (a flat prior: what is
scored is the density of the m - 1 contrasts of y that are orthogonal to 1), and alpha = s a,

    log evidence = constant
        - 1/2 [ y' alpha G y / s + M log(2 pi s) + log det(X_S X_S' / alpha + I) ]

with ``alpha G = alpha (X_S X_S' + alpha I)^-1`` as in :mod:`holdfast.criteria.additions`, M = m or
m - 1, and constant = sum log(weight) / 2, less log(mean weight) / 2 with an intercept. Several
targets share columns; their evidences are added.

===========  =====================  ============================================================
here         the paper              meaning
===========  =====================  ============================================================
s, a         sigma^2, alpha         noise_variances, weight_precisions (R pairs)
alpha        lambda                 s a
p_i, q_i     A(i), B(i)             x_i' alpha G y and x_i' alpha G x_i
gain_i       Delta J(i)             p_i^2 / (2 s (alpha + q_i)) - log(1 + q_i / alpha) / 2
sigma, c     d_k, m_k               alpha + q of the added column, and its alpha G x
===========  =====================  ============================================================

**Adding.** p and q of all candidates are carried (:mod:`holdfast.criteria.carried`): a move costs
one product of X with c. They are differences, so that candidates whose gains are equal to
rounding, and those whose q has lost its digits, are scored from their columns in the basis of the
span,

    p = x'beyond + z0'E Qy,    q = tau^2 + z0'E z0            (E: holdfast.criteria.inner)

which keeps all digits. So are all, when few may be added: then no product with X is made at all.

**Where it stands.** ``y'alpha G y = |beyond|^2 + (Qy)'E Qy`` and the determinant is the product of
sigma / alpha: sums of positive terms.

**Removing.** With ``H = (X_S'X_S + alpha I)^-1`` and weights w, for a feature g

    loss_g = w_g' H_gg^-1 w_g / (2 s) + log det(alpha H_gg) / 2

**Groups** have blocks: ``p'M^-1 p / (2 s) - log det(M / alpha) / 2``, M = alpha I + q.

Cost of a move: one sweep, O(R (m n + m k + k^2)); of a candidate scored from its column, O(m k).
Exact. The paper's (2) to (5) carry ``log sigma^2 / 2`` as a factor of the logarithm of the
determinant, a slip: it is 1 / 2, and ``m log sigma^2 / 2`` a term.

References
----------
.. [1] P. Sun, X. Yao, "Efficient forward regression with marginal likelihood", ESANN 2006,
   section 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from holdfast.criteria.bounds import opening_products
from holdfast.criteria.carried import Carried
from holdfast.criteria.inner import Inner
from holdfast.criteria.nested_models import NestedModels, Sample
from holdfast.criteria.pairs import Pairs
from holdfast.criteria.span import IN_SPAN, Frame, Span
from holdfast.criteria.weighting import PLAIN
from holdfast.rows.ledger import Features, Move, Proposal, Solution, Standing, choose
from holdfast.rows.sums import Array, Block, Rows, State, Totals, ranges

_SLACK = 1e-7
_ROUNDING = 1e-11
_BATCH_COLUMNS = 32
_BATCH_BYTES = 1 << 24


def sample_of(rows: Rows, frame: Frame) -> Sample:
    """All of the targets are in the rows."""
    totals, _ = rows.sweep(_log_weights, None, None)
    constant = float(totals["logarithm"]) / 2
    if frame.fit_intercept:
        constant -= float(np.log(frame.mass[-1] / frame.n_counted)) / 2
    count = frame.n_counted - int(frame.fit_intercept)
    return Sample(count, constant, np.zeros(rows.n_targets))


class _Pending(NamedTuple):
    """A column that p and q have not followed yet: its place, its step, its part outside."""

    position: int
    z: Array
    sigma: Array
    h: Array
    outside: Array


class Evidence:
    """Ledger of log evidences, with the sign turned: the error of a model is minus its evidence.

    Parameters
    ----------
    rows : Rows
        The data.
    frame : Frame
        Centring, :func:`holdfast.criteria.span.frame_of` the same rows.
    noise_variances, weight_precisions : arrays of shape (R,)
        Pairs of s and a, positive.
    features : Features
        What moves add and remove.
    start : sequence of int, default=()
        Features of the first model.
    room : int, default=8
        Columns that are likely to be selected.
    least_gain : float, default=-inf
        No addition is proposed whose gain is not above this.
    sample : Sample, optional
        What is modelled; without it the targets of the rows.
    """

    def __init__(
        self,
        rows: Rows,
        frame: Frame,
        noise_variances: Array,
        weight_precisions: Array,
        *,
        features: Features,
        start: Sequence[int] = (),
        room: int = 8,
        least_gain: float = -np.inf,
        sample: Sample | None = None,
    ) -> None:
        self.rows, self.frame, self.features = rows, frame, features
        self._noise, self._alphas = noise_variances, noise_variances * weight_precisions
        self._sample = sample_of(rows, frame) if sample is None else sample
        self._least_gain = least_gain
        self._pairs = Pairs(features)
        self._span = Span(rows, frame, PLAIN, room)
        self._energy = float(self._outside().sum())
        self._products_within: Array | None = None
        self._open(list(start))

    def _open(self, support: list[int]) -> None:
        """Put the span on the columns of ``support``, and forget what followed another."""
        self._span.reset()
        self._inner = Inner(1, self._alphas)
        self._determinants = np.zeros(len(self._alphas))
        self._carried: Carried | None = None
        self._pending: list[_Pending] = []
        self._support: list[int] = []
        for feature in support:
            self._add(feature)

    # -- where it stands -------------------------------------------------------------------

    @property
    def support(self) -> list[int]:
        """Features of the current model, in the order they entered."""
        return self._support

    @property
    def evidences(self) -> Array:
        """Log evidence of the current model for every pair of variances, (R,)."""
        target = self._span.target[0]
        inside = ((target @ self._inner.matrix[0]) * target).sum(axis=(1, 2))
        energy = (self._outside().sum() + inside) / self._noise
        scale = self._sample.count * np.log(2 * np.pi * self._noise) + self._determinants
        evidences: Array = len(target) * (self._sample.constant - scale / 2) - energy / 2
        return evidences

    @property
    def standing(self) -> Standing:
        """Minus the evidences; they have no standard error."""
        return Standing(-self.evidences, np.full(len(self._alphas), np.nan))

    @property
    def models(self) -> NestedModels:
        """The models on the first columns of the current one, in the order they entered."""
        columns = np.array(self._span.columns, dtype=np.intp)
        frame = self.frame
        return NestedModels(
            columns,
            frame.centre[0, columns],
            frame.target_mean[0],
            self._span.triangle[0].copy(),
            self._span.target[0].copy(),
            replace(self._sample, rest=self._outside()),
            float(frame.mass[0]) if frame.fit_intercept else np.inf,
        )

    def _outside(self) -> Array:
        """Squared lengths of the targets outside the span, (targets,)."""
        totals, _ = self.rows.sweep(_squared_beyond, self._span.states, None)
        outside: Array = totals["square"] + self._sample.rest
        return outside

    # -- moves -----------------------------------------------------------------------------

    def best(self, sign: int, allowed: Array) -> Proposal | None:
        """The best move of one sign among the allowed features; None when there is none.

        Ties (gains equal to 1e-10) go to the lowest feature, then to the first pair of variances.
        """
        allowed = np.sort(np.asarray(allowed, dtype=np.intp))
        if len(allowed) == 0:
            return None
        evidences = self.evidences
        if sign < 0:
            gains = self._removal_gains(allowed)
        elif len(allowed) * (len(self._support) + 1) < self.rows.n_columns:
            gains = self._exact_gains(allowed)
        else:
            gains = self._sifted_gains(allowed, evidences)
        # Counted from the best evidence: a tie is one of gains, not of large sums.
        level = evidences.max()
        alpha, line = choose((level - evidences)[:, None] - gains, allowed)
        gain = float(gains[alpha, line])
        if sign > 0 and not gain + evidences[alpha] - level > self._least_gain:
            return None
        move = Move(sign, int(allowed[line]))
        return Proposal(move, -(float(evidences[alpha]) + gain), alpha)

    def score(self, moves: Sequence[Move]) -> Array:
        """Minus the evidences after each of the moves alone, (moves, R)."""
        gains = np.empty((len(self._alphas), len(moves)))
        signs = np.array([move.sign for move in moves])
        features = np.array([move.feature for move in moves], dtype=np.intp)
        for sign in np.unique(signs):
            of_sign = self._exact_gains if sign > 0 else self._removal_gains
            gains[:, signs == sign] = of_sign(features[signs == sign])
        return -(self.evidences[:, None] + gains).T

    def expect(self, features: Sequence[int] | Array) -> None:
        """Nothing to be done: no order is known beforehand."""

    def accept(self, move: Move) -> None:
        """Make a move; a removal puts the span on what is left."""
        if move.sign > 0:
            self._add(move.feature)
        else:
            self._open([other for other in self._support if other != move.feature])

    def _add(self, feature: int) -> None:
        columns = self.features.columns([feature])
        self._have(columns)
        for column in columns.tolist():
            extension = self._span.extend(column)
            step = self._inner.follow(extension, self._span.target)
            self._determinants = self._determinants + np.log(step.sigma[0] / self._alphas)
            place = extension.inside.shape[1]
            self._pending.append(_Pending(place, step.z, step.sigma, step.h, extension.outside))
            if self._inner.worn:
                self._inner.refresh(self._span.triangle)
        self._support = [*self._support, feature]

    # -- gains -----------------------------------------------------------------------------

    def _sifted_gains(self, allowed: Array, evidences: Array) -> Array:
        """Gains from p and q; of the best, and where digits are lost, from columns."""
        gains, doubtful = self._carried_gains(allowed)
        totals = gains + (evidences - evidences.max())[:, None]
        best = np.where(doubtful, -np.inf, totals).max()
        slack = _SLACK + _ROUNDING * self._energy / self._noise.min()
        close = doubtful | (totals >= best - slack)
        lines = np.flatnonzero(close.any(axis=0))
        stops = np.isfinite(self._least_gain) and abs(best - self._least_gain) <= slack
        if len(lines) > 1 or stops or doubtful.any():
            gains[:, lines] = self._exact_gains(allowed[lines])
        return gains

    def _carried_gains(self, allowed: Array) -> tuple[Array, Array]:
        """Gains (R, allowed) from p and q, and where they are not to be trusted."""
        carried = self._catch_up()
        gains = np.empty((len(self._alphas), len(self.features)))
        doubtful = np.empty(gains.shape, dtype=bool)
        for same in carried.by_size():
            h = carried.weights(same.q, same.p)
            fit = (h * same.p).sum(axis=(2, 4))[0]
            gains[:, same.features] = self._gain(fit, same.q[0])
            doubtful[:, same.features] = carried.any_doubtful(same.columns, same.size)
        return gains[:, allowed], doubtful[:, allowed]

    def _gain(self, fit: Array, q: Array) -> Array:
        """Gains (R, count) from ``p'M^-1 p`` (R, count) and blocks q (R, count, s, s)."""
        if q.shape[-1] == 1:
            single = np.maximum(q[..., 0, 0], 0)
            determinants = np.log1p(single / self._alphas[:, None])
        else:
            blocks = q / self._alphas[:, None, None, None] + np.eye(q.shape[-1])
            determinants = np.linalg.slogdet(blocks)[1]
        gains: Array = fit / (2 * self._noise[:, None]) - self.rows.n_targets * determinants / 2
        return gains

    def _catch_up(self) -> Carried:
        """The numbers p and q after all moves so far; one reading of X where there were any."""
        first = self._carried is None
        if self._carried is None:
            if self._products_within is None:
                self._products_within = opening_products(self._span, self.features, self._pairs)[0]
            self._carried = Carried(
                self._span, self.features, self._pairs, self._products_within, self._alphas
            )
        if first or self._pending:
            coordinates = self._coordinates()
            totals, _ = self.rows.sweep(_multiply, self._span.states, (first, coordinates))
            products = self.frame.of_products(totals["product"], totals["mass"])
            if first:
                self._carried.open(products[:, : self.rows.n_targets])
                products = products[:, self.rows.n_targets :]
            n_columns = self.rows.n_columns
            v = products.reshape(1, len(self._pending), len(self._alphas), n_columns)
            for number, pending in enumerate(self._pending):
                self._carried.follow(pending.h, v[:, number], pending.sigma)
            self._pending = []
        return self._carried

    def _coordinates(self) -> Array:
        """``c = tau n + z Q`` of the pending columns in the basis, (views, pending R, k)."""
        depth, n_alphas = len(self._span.extensions), len(self._alphas)
        coordinates = np.zeros((1, len(self._pending), n_alphas, depth))
        for number, pending in enumerate(self._pending):
            coordinates[:, number, :, : pending.position] = pending.z
            coordinates[:, number, :, pending.position] = pending.outside[:, None]
        return coordinates.reshape(1, len(self._pending) * n_alphas, depth)

    def _exact_gains(self, features: Array) -> Array:
        """Gains (R, features) from the columns of the features."""
        gains = np.empty((len(self._alphas), len(features)))
        sizes = self.features.sizes[features]
        for size in set(sizes.tolist()):
            lines = np.flatnonzero(sizes == size)
            batch = max(1, self._capacity // size)
            for some in ranges(len(lines), batch):
                gains[:, lines[some]] = self._gains_of_columns(features[lines[some]], size)
        return gains

    def _gains_of_columns(self, features: Array, size: int) -> Array:
        """Gains (R, features) of features of one size that fit in a batch."""
        columns = self.features.columns(features)
        self._have(columns)
        self._span.project(columns)
        own = columns.reshape(-1, size)
        square, target = (part[0] for part in self._span.outside(own))
        lengths = self.frame.squares[0, own]
        alive = np.diagonal(square, axis1=-2, axis2=-1) > IN_SPAN**2 * lengths
        square = np.where(alive[..., :, None] & alive[..., None, :], square, 0.0)
        target = np.where(alive[..., None], target, 0.0)
        inside = self._span.coordinates(own)[0]
        # (R, features, s, k): E z0.
        shrunk = inside @ self._inner.matrix[0][:, None]
        q = square + shrunk @ inside.swapaxes(-1, -2)
        p = target + shrunk @ self._span.target[0].T
        ridge = self._alphas[:, None, None, None] * np.eye(size)
        return self._gain((np.linalg.solve(ridge + q, p) * p).sum(axis=(-1, -2)), q)

    def _removal_gains(self, features: Array) -> Array:
        """What removing each feature adds to the evidence, (R, features)."""
        left, singular, right = np.linalg.svd(self._span.triangle[0])
        shrink = 1 / (singular**2 + self._alphas[:, None])
        inverse = (right.T * shrink[:, None]) @ right
        weights = (self._span.target[0] @ left * (singular * shrink)[:, None]) @ right
        place = {column: number for number, column in enumerate(self._span.columns)}
        gains = np.empty((len(self._alphas), len(features)))
        for number, feature in enumerate(features):
            own = [place[column] for column in self.features.columns([feature]).tolist()]
            block, w = inverse[:, own][:, :, own], weights[..., own]
            fit = (w * np.linalg.solve(block, w.swapaxes(-1, -2)).swapaxes(-1, -2)).sum(axis=(1, 2))
            determinants = np.linalg.slogdet(block * self._alphas[:, None, None])[1]
            gains[:, number] = -fit / (2 * self._noise)
            gains[:, number] -= self.rows.n_targets * determinants / 2
        return gains

    def _have(self, columns: Array) -> None:
        """Have columns at hand."""
        at_hand = self._span.is_kept(columns)
        if not at_hand.all():
            self._span.fetch(columns[~at_hand], columns[at_hand].tolist())

    @property
    def _capacity(self) -> int:
        """Columns scored together."""
        return max(_BATCH_COLUMNS, _BATCH_BYTES // (8 * self.rows.n_rows))

    # -- the model -------------------------------------------------------------------------

    def solution(self, alpha: int) -> Solution:
        """The model on the current support: the mean of the posterior."""
        columns = np.array(self._span.columns, dtype=np.intp)
        shrunk = self._span.target[0] @ self._inner.matrix[0, alpha]
        scaled = shrunk @ self._span.triangle[0] / self._alphas[alpha]
        coef = scaled / self.frame.scale[columns]
        intercept = self.frame.target_mean[0] - coef @ self.frame.centre[0, columns]
        return Solution(columns, coef, intercept)

    def held_out_predictions(self, alpha: int) -> Array:
        """Predictions (rows, targets), each by the model trained without its row.

        A row of weight zero is not held out: its predictions are NaN.
        """
        inner = self._inner.matrix[0, alpha]
        shared = (inner, self._span.target[0] @ inner)
        _, states = self.rows.sweep(_predictions, self._span.states, shared)
        return self.rows.gather(states, "prediction").T


def _log_weights(block: Block, state: State, shared: None) -> tuple[Totals, State]:
    counted = block.weights[block.weights > 0]
    return Totals({"logarithm": np.log(counted).sum()}), state


def _squared_beyond(block: Block, state: State, shared: None) -> tuple[Totals, State]:
    """Squared lengths of the targets outside the span."""
    beyond = state["beyond"][0]
    return Totals({"square": np.einsum("lm,lm->l", beyond, beyond)}), state


def _multiply(block: Block, state: State, shared: tuple[bool, Array]) -> tuple[Totals, State]:
    """Products with X: of the target (the first time), and of the pending columns' c."""
    first, coordinates = shared
    vectors = coordinates @ state["basis"][:, : coordinates.shape[-1]]
    if first:
        vectors = np.concatenate([state["target"], vectors], axis=1)
    vectors = vectors * state["root"][:, None]
    products = block.cross(vectors[0])[None]
    return Totals({"product": products, "mass": vectors.sum(axis=-1)}), state


def _predictions(block: Block, state: State, shared: tuple[Any, Array]) -> tuple[Totals, State]:
    """Held-out predictions from residuals and 1 - leverages."""
    inner, shrunk = shared
    basis, root = state["basis"][0], state["root"][0]
    residual = state["beyond"][0] + shrunk @ basis
    slack = state["free"][0] + ((inner @ basis) * basis).sum(axis=0)
    errors = residual / np.where(slack > 0, slack, 1.0) / np.where(root > 0, root, 1.0)
    prediction = np.where(root > 0, block.targets - errors, np.nan)
    return Totals(), {"prediction": prediction}
