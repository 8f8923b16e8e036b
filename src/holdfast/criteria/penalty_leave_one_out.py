"""The penalty by exact leave-one-out, from one n x n decomposition.

With rows times sqrt(w), columns and target centred by their weighted means (the intercept) and
``X'X = Q diag(s) Q'``, the residual r and the leverage h of row j under every penalty are

    z_j = Q'x_j,    h_j = sum_k z_jk^2 / (s_k + alpha) + w_j / sum w,
    r_j = y_j - z_j'(s + alpha)^-1 Q'X'y

and its leave-one-out error is ``r_j / (1 - h_j)``: exact, the weights of a row drop out of its own
prediction. Where the eigenvectors are not finished (:mod:`holdfast.criteria.spectrum`), the sum in
h is ``|Fz|^2``. Two readings of X: one for X'X, one that rotates a piece of the rows at a time.

With ``class_weight="balanced"`` there is one decomposition for the rows of every class
(:mod:`holdfast.criteria.weighting`); X'X is then kept by class. ``standardize`` divides by the
scales of all rows.

Where a direction q of the weights leaves with the row (:mod:`holdfast.criteria.leaving`), the
models are those restricted to its complement; with S = (s + alpha)^-1, in eigen coordinates,

    h_j = z_j'S z_j - (q'S z_j)^2 / q'S q
    r_j = y_j - z_j'S Q'X'y + (z_j'S q) (q'S Q'X'y) / q'S q

Time O(m n^2 + n^3) and O(m n) for every penalty and target; memory O(n^2). Rows whose leverage is
so near one that 1 - h has few digits are judged by models trained without them
(:mod:`holdfast.criteria.penalty_apart`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from holdfast.criteria.held_out_sets import EigenModel
from holdfast.criteria.pairs import Pairs
from holdfast.criteria.penalty import HeldOut, Model, PenaltyProblem
from holdfast.criteria.penalty_apart import NEAR, Apart
from holdfast.criteria.spectrum import Inverse, Spectrum
from holdfast.criteria.training_sets import Factors, TrainingSets
from holdfast.criteria.weighting import Weighting
from holdfast.rows.ledger import Features
from holdfast.rows.moments import divided, full_moments
from holdfast.rows.sums import Array, Block, State, Totals, ranges, run_of

_PIECE_NUMBERS = 1 << 21
_PIECE_ROWS = 1024


class LeaveOneOutPenalties:
    """Leave-one-out of ridge models of all columns; see :class:`.penalty.Penalties`.

    Parameters
    ----------
    problem : PenaltyProblem
        Without splits.
    """

    def __init__(self, problem: PenaltyProblem) -> None:
        self._problem = problem
        weighting = problem.views
        moments = full_moments(
            problem.rows, divided(problem.rows, problem.codes[None]), len(problem.classes)
        )
        sets = TrainingSets(
            moments,
            Factors(weighting.train, weighting.loss),
            Pairs(Features.partition(problem.rows.n_columns)),
            fit_intercept=problem.fit_intercept,
            standardize=problem.standardize,
        )
        # The scales are those of all rows, the last view, in every view.
        ratio = sets.scale / sets.scale[-1]
        self._scale, self._point, self._target_point = sets.scale[-1], sets.point, sets.target_point
        self._mass = sets.mass
        self.squares = sets.within[-1] * ratio[-1] ** 2
        self.resolution = problem.resolution
        self.held_mass = problem.held_mass
        self._spectra = []
        for view in range(len(sets)):
            gram = sets.train_grams(slice(view, view + 1), moments)
            own = gram[0]
            if problem.standardize:
                own *= ratio[view] * ratio[view][:, None]
            self._spectra.append(Spectrum.of(own, sets.cross[view] * ratio[view]))
        held = np.zeros(problem.rows.n_rows, dtype=bool)
        held[problem.held_rows[0]] = True
        self._states = problem.rows.scatter("held", held)
        if problem.leaving is not None:
            leaves = problem.rows.scatter("leaves", problem.leaving.by_row(len(held)))
            self._states = problem.rows.joined(self._states, leaves)

    @property
    def whole(self) -> EigenModel:
        """Models on all rows in eigen coordinates."""
        centring = self._point[-1], self._target_point[-1], float(self._mass[-1])
        return EigenModel(self._spectra[-1], *centring, self._problem.fit_intercept)

    def losses(self, alphas: Array) -> Array:
        """``sum w e^2``, (penalties, targets)."""
        problem = self._problem
        totals, states = problem.rows.sweep(_judge, self._states, self._shared(alphas))
        losses = totals["losses"]
        for rows, errors in self._apart(problem.rows.gather(states, "hard"), alphas):
            losses += np.square(errors) @ problem.error_weights[rows]
        return losses

    def held_out(self, alphas: Array) -> Iterator[HeldOut]:
        """Held-out predictions of all rows of positive weight."""
        problem = self._problem
        _, states = problem.rows.sweep(_predict, self._states, self._shared(alphas))
        predicted, held = problem.rows.gather(states, "predicted"), problem.held_rows[0]
        for rows, errors in self._apart(problem.rows.gather(states, "hard"), alphas):
            predicted[..., rows] = problem.targets[:, rows] - errors
        yield HeldOut(held, predicted if len(held) == problem.rows.n_rows else predicted[..., held])

    def _apart(self, hard: Array, alphas: Array) -> Iterator[tuple[Array, Array]]:
        """Rows of high leverage, those of a view together, and their errors."""
        problem, rows = self._problem, np.flatnonzero(hard)
        if len(rows) == 0:
            return
        for train, loss in zip(problem.views.train, problem.views.loss, strict=True):
            read = loss[problem.codes[rows]] > 0
            if read.any():
                # Those that other views read are taken out with them.
                errors = Apart(problem, train, self._scale).errors(list(rows[:, None]), alphas)
                yield rows[read], np.concatenate(errors, axis=-1)[..., read]

    def model(self, alphas: Array) -> Model:
        """The model on all rows, a penalty for every target."""
        coef = self._spectra[-1].weights_per_target(alphas) / self._scale
        return Model(coef, self._target_point[-1] - coef @ self._point[-1])

    def below_floor(self, alpha: float) -> bool:
        """Whether moments in floats cannot tell what so small a penalty does."""
        return any(spectrum.below_floor(alpha) for spectrum in self._spectra)

    def _shared(self, alphas: Array) -> _Shared:
        views, leaving = [], self._problem.leaving
        for view, spectrum in enumerate(self._spectra):
            inverse = spectrum.inverse(alphas)
            views.append(
                _View(
                    spectrum.vectors.T / self._scale,
                    self._point[view],
                    self._target_point[view],
                    inverse,
                    inverse.applied(spectrum.cross),
                    1 / self._mass[view] if self._problem.fit_intercept else 0.0,
                    None if leaving is None else spectrum.vectors.T @ leaving.directions,
                )
            )
        return _Shared(self._problem.views, views)


class _View(NamedTuple):
    """What a block needs of a decomposition.

    ``rotation`` (n, n) takes a row to eigen coordinates, ``fits`` (penalties, targets, n) those to
    predictions, ``inverse`` those to leverages; ``constant`` is what the intercept adds to a
    leverage; ``leaving`` (n, count) are directions that leave with rows.
    """

    rotation: Array
    point: Array
    target_point: Array
    inverse: Inverse
    fits: Array
    constant: float
    leaving: Array | None


class _Shared(NamedTuple):
    weighting: Weighting
    views: list[_View]


def _judge(block: Block, state: State, shared: _Shared) -> tuple[Totals, State]:
    """Losses of a block, but for rows of high leverage, and which those are."""
    _, loss = shared.weighting.of_rows(block)
    n_alphas, n_targets, _ = shared.views[0].fits.shape
    total, hard = np.zeros((n_alphas, n_targets)), np.zeros(len(block.weights), dtype=bool)
    for view, rows, errors, near in _errors(block, state, shared):
        np.square(errors, out=errors)
        total += errors @ np.where(near, 0.0, loss[view][rows])
        hard[rows] = near
    return Totals({"losses": total}), {"hard": hard}


def _predict(block: Block, state: State, shared: _Shared) -> tuple[Totals, State]:
    """Held-out predictions of a block's rows, and which have high leverage.

    Those that are not held out are left empty.
    """
    n_alphas, n_targets, _ = shared.views[0].fits.shape
    predicted = np.empty((n_alphas, n_targets, len(block.weights)))
    hard = np.zeros(len(block.weights), dtype=bool)
    for _, rows, errors, near in _errors(block, state, shared):
        predicted[..., rows] = block.targets[:, rows] - errors
        hard[rows] = near
    return Totals(), {"predicted": predicted, "hard": hard}


def _errors(
    block: Block, state: State, shared: _Shared
) -> Iterator[tuple[int, Array, Array, Array]]:
    """Leave-one-out errors (penalties, targets, rows) of a few rows of a view at a time.

    And whether the leverage of a row is near one under some penalty: its errors are no numbers to
    be used then. Rows that take a direction with them are not told.
    """
    train, loss = shared.weighting.of_rows(block)
    for number, view in enumerate(shared.views):
        n_alphas, n_targets, n = view.fits.shape
        read = np.flatnonzero((loss[number] > 0) & state["held"])
        length = max(64, min(_PIECE_ROWS, _PIECE_NUMBERS // (n + n_alphas * n_targets)))
        fits = view.fits.reshape(-1, n)
        for some in ranges(len(read), length):
            rows = read[some]
            rotated = block.outputs(view.rotation, run_of(rows), view.point)
            residual = (fits @ rotated).reshape(n_alphas, n_targets, -1)
            centred = block.targets[:, rows] - view.target_point[:, None]
            np.subtract(centred, residual, out=residual)
            restricted = None
            if view.leaving is not None:
                restricted = _restricted(view, view.leaving, rotated, state["leaves"][rows])
            slack = 1 - (view.inverse.lengths(rotated) + view.constant) * train[number, rows]
            near = slack.min(axis=0) < NEAR
            if restricted is not None:
                own, leverage, fit = restricted
                slack[:, own] += leverage * train[number, rows[own]]
                residual[..., own] += fit
                near[own] = False
            slack = np.where(near, 1.0, np.maximum(slack, np.finfo(float).tiny))
            yield number, rows, residual / slack[:, None], near


def _restricted(
    view: _View, leaving: Array, rotated: Array, leaves: Array
) -> tuple[Array, Array, Array]:
    """Rows that take a direction with them, and what it gave to their leverage and prediction.

    (own,), (penalties, own) and (penalties, targets, own).
    """
    own = np.flatnonzero(leaves >= 0)
    q, z = leaving[:, leaves[own]], rotated[:, own]
    across, square = view.inverse.products(q, z), view.inverse.products(q, q)
    share = np.divide(across, square, out=np.zeros_like(across), where=square > 0)
    return own, share * across, share[:, None] * (view.fits @ q)
