"""Exact leave-one-out: a ledger of models whose every row was predicted without it.

For ridge regression on the columns S, with G = (X_S X_S' + alpha I)^-1,

    leave-one-out residual of row j = (G y)_j / G_jj = res_j / (1 - leverage_j)

equals the error of the model refitted without row j. The intercept is not penalised:
columns and targets are centred by their weighted means (G0 = I - 11'/m). With sample
weights rows are scaled by sqrt(w). The score of a model is ``sum w e^2 / sum w``, the mean
over targets, or the weighted share of rows the classifier gets wrong.

This file is the ledger a search talks to; the work is done by three parts:

- :mod:`holdfast.criteria.span` keeps the selected columns as an orthonormal basis,
- :mod:`holdfast.criteria.additions` scores what may be added, lazily, by bounds,
- :mod:`holdfast.criteria.removals` scores what may be removed.

Each part is made when a move of its sign is asked for and follows the moves while it can; a
move of the other sign makes it anew. ``standardize`` takes the scales once, from all rows:
left-out rows take part in them, an effect of order 1/m.

References
----------
.. [1] T. Pahikkala, A. Airola, T. Salakoski, "Speeding up greedy forward selection for
   regularized least-squares", ICMLA 2010, section III.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from holdfast.criteria import additions, removals
from holdfast.criteria.additions import Additions
from holdfast.criteria.labels import LeftOut, Readers, left_out_outputs
from holdfast.criteria.losses import LOSSES, row_weights
from holdfast.criteria.removals import Removals
from holdfast.criteria.span import Frame, Span
from holdfast.criteria.weighting import PLAIN, Weighting
from holdfast.rows.ledger import Features, Move, Proposal, Solution, Standing, choose
from holdfast.rows.sums import Array, Block, Rows, State, States, Totals

_NEAR = 1e-7
"""A row with a smaller ``1 - leverage``, a difference, has hardly 1e-8 left of its error."""


class LeaveOneOut:
    """Ledger of exact leave-one-out errors for a grid of penalties.

    Parameters
    ----------
    rows : Rows
        The data.
    frame : Frame
        Centring and scaling, :func:`holdfast.criteria.span.frame_of` the same rows.
    alphas : array of shape (R,)
        Penalties, positive.
    features : Features
        What moves add and remove.
    start : sequence of int, default=()
        Features of the first model.
    room : int, default=8
        Columns that are likely to be selected: memory is set aside for so many.
    error : {"squared", "zero_one"}, default="squared"
        What is scored.
    weighting : Weighting
        Views of the rows; :func:`holdfast.criteria.weighting.balanced` for class weights
        recomputed without each row.

    Notes
    -----
    Opening takes one fetch per few dozen columns of ``start``; the frame took one reading.
    """

    def __init__(
        self,
        rows: Rows,
        frame: Frame,
        alphas: Array,
        *,
        features: Features,
        start: Sequence[int] = (),
        room: int = 8,
        error: str = "squared",
        weighting: Weighting = PLAIN,
    ) -> None:
        self.rows = rows
        self.features = features
        self._alphas = alphas
        self._error = error
        self.frame = frame
        self._span = Span(rows, frame, weighting, room)
        self._additions: Additions | None = None
        self._removals: Removals | None = None
        self._support: list[int] = []
        self._standing: Standing | None = None
        self._open(list(start))

    def _open(self, support: list[int]) -> None:
        """Put the span on the columns of ``support``."""
        self._span.reset()
        columns = self.features.columns(support)
        panel = 32
        for first in range(0, len(columns), panel):
            chunk = columns[first : first + panel]
            self._span.fetch(chunk, [])
            for column in chunk:
                self._span.extend(int(column))
        self._support = support

    @property
    def inert(self) -> Array:
        """Features that cannot change a model: all their columns are constant."""
        useful = np.add.reduceat(~self.frame.inert[self.features.flat], self.features.starts[:-1])
        still: Array = useful == 0
        return still

    @property
    def support(self) -> list[int]:
        """Features of the current model, in the order they entered."""
        return self._support

    @property
    def standing(self) -> Standing:
        """Error and standard error of the current model, for every alpha."""
        if self._standing is None:
            states, whole = self._current()
            shared = (whole, self._error, self.frame)
            totals, states = self.rows.sweep(_errors, states, shared)
            count = max(int(totals["count"]), 2)
            # Errors are squares already: theirs fit in a float only beside the largest.
            largest = np.where(totals["largest"] > 0, totals["largest"], 1.0)
            mean = totals["sum"] / largest / count
            spread, _ = self.rows.sweep(_deviations, states, (mean, largest))
            deviation = np.sqrt(spread["square"] / (count - 1)) * largest
            errors = self._normalised(totals["score"])
            # Where the columns span all rows nothing is left of the difference but exact zeros.
            spanned = len(self.features.columns(self._support)) >= np.min(self._span.full_rank)
            near = np.zeros(len(errors), dtype=bool) if spanned else totals["near"] > 0
            self._standing = Standing(errors, deviation / np.sqrt(count), None, near, "leverage")
        return self._standing

    def best(self, sign: int, allowed: Array) -> Proposal | None:
        """The best move of one sign among the allowed features; None when there is none.

        Ties (scores equal to 1e-10) go to the lowest feature, then to the first alpha.
        """
        if len(allowed) == 0:
            return None
        if sign > 0:
            feature, alpha, score = self._adding().best(np.asarray(allowed))
        else:
            candidates = np.sort(allowed)
            scores = self._removing().score(candidates).T
            alpha, line = choose(scores, candidates)
            feature, score = int(candidates[line]), float(scores[alpha, line])
        return Proposal(Move(sign, feature), float(self._normalised(np.array(score))), alpha)

    def score(self, moves: Sequence[Move]) -> Array:
        """Errors after each of the moves alone, (moves, alphas)."""
        errors = np.empty((len(moves), len(self._alphas)))
        signs = np.array([move.sign for move in moves])
        features = np.array([move.feature for move in moves])
        for sign in np.unique(signs):
            part = self._adding() if sign > 0 else self._removing()
            errors[signs == sign] = part.score(features[signs == sign])
        return self._normalised(errors)

    def _normalised(self, scores: Array) -> Array:
        """Errors from unnormalised scores; a share of rows is at most one."""
        return np.minimum(scores / self.frame.loss_mass, LOSSES[self._error].largest)

    def expect(self, features: Sequence[int] | Array) -> None:
        """Fetch the columns of as many of these features as come with one fetch, if one must."""
        self._adding().keep_first(np.asarray(features, dtype=np.intp))

    def accept(self, move: Move) -> None:
        """Make a move."""
        self._standing = None
        if move.sign > 0:
            self._add(move.feature)
        else:
            self._remove(move.feature)

    def _add(self, feature: int) -> None:
        adding = self._adding()
        adding.keep(np.array([feature]))
        for column in self.features.columns([feature]):
            adding.extend(self._span.extend(int(column)))
        self._support = [*self._support, feature]
        self._removals = None

    def _remove(self, feature: int) -> None:
        removing = self._removing()
        removing.remove(feature)
        self._support = [other for other in self._support if other != feature]
        self._additions = None

    def _adding(self) -> Additions:
        if self._additions is None:
            if len(self._span.columns) != len(self.features.columns(self._support)):
                self._open(self._support)
            self._additions = Additions(self._span, self.features, self._alphas, self._error)
        return self._additions

    def _removing(self) -> Removals:
        if self._removals is None:
            self._removals = Removals(self._span, self.features, self._alphas, self._error)
        return self._removals

    def _current(self) -> tuple[States, Any]:
        """Row states with residuals and leverages, and how to read them."""
        if self._additions is None and self._support:
            return self._removing().states, removals.whole
        return self._adding().states, additions.whole

    def solution(self, alpha: int) -> Solution:
        """The model on the current support, trained on all rows."""
        if self._additions is None and self._support:
            columns = self._removing().columns
            scaled = self._removing().coefficients(alpha)
        else:
            columns = np.array(self._span.columns, dtype=np.intp)
            shrunk = self._adding().shrunk_target(alpha)
            scaled = shrunk @ self._span.triangle[-1] / self._alphas[alpha]
        coef = scaled / self.frame.scale[columns]
        intercept = self.frame.target_mean[-1] - coef @ self.frame.centre[-1, columns]
        return Solution(columns, coef, intercept)

    def held_out_predictions(self, alpha: int) -> Array:
        """Predictions (rows, targets), each by the model trained without its row.

        A row of weight zero is not held out: its predictions are NaN.
        """
        states, whole = self._current()
        shared = (whole, alpha, self._error, self.frame)
        _, states = self.rows.sweep(_predictions, states, shared)
        return self.rows.gather(states, "prediction").T


def _left_out(state: State, whole: Any, models: slice, error: str) -> LeftOut:
    """What is known of left-out rows under some of the penalties."""
    residual, slack = (part[:, models] for part in whole(state))
    # A row of weight zero may have no leverage left; its residual is zero.
    residual = residual / np.where(slack > 0, slack, 1.0)[:, :, None]
    if not LOSSES[error].reads_fits:
        return LeftOut(residual, slack, residual, slack)
    return LeftOut(residual, slack, state["fit"][:, models], state["leverage"][:, models])


def _errors(block: Block, state: State, shared: tuple[Any, str, Frame]) -> tuple[Totals, State]:
    """Score; number and sum of the rows' own errors, which become the state.

    And how many rows of a view that reads them are so near to being interpolated that their errors
    have lost digits, for every penalty.
    """
    whole, error, frame = shared
    loss, weights = LOSSES[error], row_weights(state)
    rows = _left_out(state, whole, slice(None), error)
    near = (rows.slack < _NEAR) & (state["importance"] > 0)[:, None]
    losses = loss.of_rows(rows, Readers.of(block.targets, state, frame))
    losses = losses * loss.weights(state)[:, None]
    counted = (weights > 0)[:, None]
    errors = losses / np.where(counted, weights[:, None], 1.0)
    sums = {
        "score": losses.sum(axis=(0, 2)),
        "count": np.array(np.count_nonzero(counted)),
        "sum": errors.sum(axis=(0, 2)),
        "near": near.sum(axis=(0, 2)),
    }
    largest = {"largest": (errors * counted).max(axis=(0, 2))}
    return Totals(sums, largest), {"errors": errors, "counted": counted}


def _deviations(block: Block, state: State, shared: tuple[Array, Array]) -> tuple[Totals, State]:
    """Squared deviations of the rows' own errors from their mean, both beside the largest."""
    mean, largest = (part[:, None] for part in shared)
    deviations = (state["errors"] / largest - mean) * state["counted"]
    return Totals({"square": np.einsum("vrm,vrm->r", deviations, deviations)}), state


def _predictions(
    block: Block, state: State, shared: tuple[Any, int, str, Frame]
) -> tuple[Totals, State]:
    """Held-out predictions from the view that reads the row."""
    whole, alpha, error, frame = shared
    rows = _left_out(state, whole, slice(alpha, alpha + 1), error)
    if LOSSES[error].reads_fits:
        outputs, _ = left_out_outputs(rows, Readers.of(block.targets, state, frame))
        outputs = outputs[:, 0]
    else:
        root = np.where(state["root"] > 0, state["root"], 1.0)
        outputs = block.targets - rows.residual[:, 0] / root[:, None]
    reader = (state["importance"] > 0).argmax(axis=0)
    outputs = np.take_along_axis(outputs, reader[None, None], axis=0)[0]
    return Totals(), {"prediction": np.where(block.weights > 0, outputs, np.nan)}
