"""Exact hold-out: a ledger of models judged on the rows that each split holds out.

For every split a model is trained on its training set and judged on its held-out set; the error
is ``sum w e^2 / sum w`` over all pairs (split, held-out row), the mean over targets. Everything
follows from the moments of training and held-out sets
(:mod:`holdfast.criteria.training_sets`), so that a search never reads the rows again, or only
for the lines of the columns it selects. This file is the ledger a search talks to;

- :mod:`holdfast.criteria.fold_additions` scores what may be added,
- :mod:`holdfast.criteria.fold_removals` scores what may be removed.

Each part is made when a move of its sign is asked for and follows the moves while it can; a move
of the other sign makes it anew.

``standardize`` and the intercept are those of every training set; the model on the current
support, trained on all rows, has those of all rows.

What moments in floats can tell: an error carries a rounding error of about 1e-16 of the held-out
targets' own squares (a fit that explains all but 1e-10 of them has six digits), and a weight one
of about 1e-16 trace(A) / alpha. Where alpha and the smallest eigenvalue together lie below the
rounding of the largest, no digit is left, and the standing says so.

References
----------
.. [1] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized parameter
   search for large datasets of the regularization parameter and feature selection for ridge
   regression", Neural Processing Letters 38 (2013), sections 2 to 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import linalg

from holdfast.criteria.fold_additions import FoldAdditions
from holdfast.criteria.fold_removals import FoldRemovals
from holdfast.criteria.held_out_rows import Candidates, HeldOutRows
from holdfast.criteria.losses import LOSSES
from holdfast.criteria.pairs import Pairs
from holdfast.criteria.training_sets import TrainingSets
from holdfast.rows.ledger import Features, Move, Proposal, Solution, Standing, choose
from holdfast.rows.moments import Moments
from holdfast.rows.sums import Array, ranges

_PANEL = 32
_CANDIDATE_NUMBERS = 1 << 20
_QUIET = np.errstate(over="ignore", invalid="ignore", divide="ignore")
"""Under penalties that are nothing beside the columns numbers overflow: to infinite errors."""


class HoldOut:
    """Ledger of exact hold-out errors for a grid of penalties.

    Parameters
    ----------
    moments : Moments
        Of the parts.
    sets, whole : TrainingSets
        The splits, and all rows as one training set.
    alphas : array of shape (R,)
        Penalties.
    features : Features
        What moves add and remove.
    pairs : Pairs
        Their products.
    start : sequence of int, default=()
        Features of the first model.
    room : int, default=8
        Columns that are likely to be selected: memory is set aside for so many.
    error : {"squared", "zero_one"}, default="squared"
        What is scored; the latter needs the rows.
    held_out : HeldOutRows or None, default=None
        For what moments cannot tell.
    """

    def __init__(
        self,
        moments: Moments,
        sets: TrainingSets,
        whole: TrainingSets,
        alphas: Array,
        *,
        features: Features,
        pairs: Pairs,
        start: Sequence[int] = (),
        room: int = 8,
        error: str = "squared",
        held_out: HeldOutRows | None = None,
    ) -> None:
        self._moments, self._sets, self._whole = moments, sets, whole
        self._alphas, self.features, self._pairs = alphas, features, pairs
        self._held_out, self._room, self._error = held_out, room, error
        self._support = list(start)
        self._additions: FoldAdditions | None = None
        self._removals: FoldRemovals | None = None
        # The columns that the removals know, and the gram lines of selected columns of all rows.
        self._base: Array = np.empty(0, dtype=np.intp)
        self._base_features: Array = np.empty(0, dtype=np.intp)
        self._lines: dict[int, Array] = {}

    @property
    def support(self) -> list[int]:
        """Features of the current model, in the order they entered."""
        return self._support

    @property
    def _columns(self) -> Array:
        return self.features.columns(self._support)

    @property
    @_QUIET
    def standing(self) -> Standing:
        """Error, its standard error and the error of every split, for every penalty."""
        losses = self._losses()
        mass = self._sets.held_mass
        counted = mass > 0
        fold_errors = np.full(losses.shape, np.nan)
        fold_errors[counted] = self._bounded(losses[counted] / mass[counted, None])
        n_folds = int(counted.sum())
        std_errors = np.zeros(len(self._alphas))
        if n_folds > 1:
            # Errors are squares already: theirs fit in a float only beside the largest.
            largest = fold_errors[counted].max(axis=0)
            largest = np.where(largest > 0, largest, 1.0)
            spread = (fold_errors[counted] / largest).std(axis=0, ddof=1)
            std_errors = spread * largest / np.sqrt(n_folds)
        part = self._removing() if self._on_removals else self._adding()
        errors = self._bounded(losses.sum(axis=0) / mass.sum())
        return Standing(errors, std_errors, fold_errors, part.lost)

    def _bounded(self, errors: Array) -> Array:
        """Errors that are no larger than an error of that kind can be."""
        return np.minimum(errors, LOSSES[self._error].largest)

    def best(self, sign: int, allowed: Array) -> Proposal | None:
        """The best move of one sign among the allowed features; None when there is none.

        Ties (errors equal to 1e-10) go to the lowest feature, then to the first alpha.
        """
        if len(allowed) == 0:
            return None
        candidates = np.sort(allowed)
        errors = self._errors(sign, candidates)
        alpha, line = choose(errors, candidates)
        return Proposal(Move(sign, int(candidates[line])), float(errors[alpha, line]), alpha)

    def score(self, moves: Sequence[Move]) -> Array:
        """Errors after each of the moves alone, (moves, alphas)."""
        errors = np.empty((len(moves), len(self._alphas)))
        signs = np.array([move.sign for move in moves])
        features = np.array([move.feature for move in moves])
        for sign in np.unique(signs):
            errors[signs == sign] = self._errors(int(sign), features[signs == sign]).T
        return errors

    @_QUIET
    def _errors(self, sign: int, features: Array) -> Array:
        """Errors after moving each of the features alone, (R, features)."""
        mass = self._sets.held_mass.sum()
        if self._error == "zero_one":
            return self._bounded(self._wrong_after(sign, features) / mass)
        if sign > 0:
            sums = self._adding().score()[:, features]
        else:
            removing = self._removing()
            sums = removing.score()[:, np.searchsorted(removing.support, self._local(features))]
        return _no_nan(np.maximum(sums, 0) / (mass * self._sets.cross.shape[1]))

    def _local(self, features: Array) -> Array:
        """Numbers of features in the part that removes."""
        local: Array = np.searchsorted(self._base_features, features)
        return local

    @_QUIET
    def expect(self, features: Sequence[int] | Array) -> None:
        """Nothing to be done: sums know all columns, or are read line by line as they are added."""

    def accept(self, move: Move) -> None:
        """Make a move."""
        if move.sign > 0:
            adding = self._adding()
            self._extend(adding, self.features.columns([move.feature]))
            self._support = [*self._support, move.feature]
            self._removals = None
        else:
            removing = self._removing()
            removing.remove(int(self._local(np.array([move.feature]))[0]))
            self._support = [other for other in self._support if other != move.feature]
            self._additions = None

    def _adding(self) -> FoldAdditions:
        if self._additions is None:
            self._additions = FoldAdditions(
                self._sets, self.features, self._pairs, self._alphas, self._room
            )
            self._extend(self._additions, self._columns)
        return self._additions

    def _extend(self, adding: FoldAdditions, columns: Array) -> None:
        """Bring columns into a part that adds, their lines fetched together."""
        for first in range(0, len(columns), _PANEL):
            some = columns[first : first + _PANEL]
            parts = self._moments.lines(some)
            train, held = self._sets.combined(some, parts)
            whole, _ = self._whole.combined(some, parts)
            for number, column in enumerate(some.tolist()):
                self._lines[column] = whole[0, number]
                adding.extend(column, train[:, number], held[:, number])

    def _removing(self) -> FoldRemovals:
        if self._removals is None:
            columns = np.sort(self._columns)
            train, held = self._blocks(columns)
            owner = self.features.feature_of[columns]
            members = [np.flatnonzero(owner == f).tolist() for f in np.unique(owner)]
            self._base, self._base_features = columns, np.unique(owner)
            self._removals = FoldRemovals(
                train,
                held,
                self._sets.cross[..., columns],
                self._sets.held_cross[..., columns],
                self._sets.held_squares,
                Features.partition(len(columns), [group for group in members if len(group) > 1]),
                self._alphas,
            )
        return self._removals

    def _blocks(self, columns: Array) -> tuple[Array, Array]:
        """A_t and A_v of the model's columns, (K, k, k) each."""
        if self._additions is not None:
            known = self._additions
            order = np.argsort(known.columns)
            return known.block(order)
        train = np.empty((len(self._sets), len(columns), len(columns)))
        held = np.empty_like(train)
        for first in range(0, len(columns), _PANEL):
            some = slice(first, first + _PANEL)
            parts = self._moments.lines(columns[some])
            lines_t, lines_v = self._sets.combined(columns[some], parts)
            train[:, some], held[:, some] = lines_t[..., columns], lines_v[..., columns]
            whole, _ = self._whole.combined(columns[some], parts)
            self._lines.update(zip(columns[some].tolist(), whole[0], strict=True))
        return train, held

    # -- where the ledger stands -----------------------------------------------------------

    def _losses(self) -> Array:
        """Sums of held-out errors, the mean over targets; (K, R)."""
        if self._error == "zero_one":
            return self._wrong()
        part = self._removing() if self._on_removals else self._adding()
        return _no_nan(np.maximum(part.losses, 0).mean(axis=2))

    @property
    def _on_removals(self) -> bool:
        """Whether the part that removes knows the current model."""
        return self._additions is None and bool(self._support)

    def _models(self) -> tuple[Array, Array]:
        """Columns of the models, and the coefficients of scaled columns, (K, R, targets, k)."""
        return self._models_of_removals() if self._on_removals else self._models_of_additions()

    def _models_of_additions(self) -> tuple[Array, Array]:
        adding = self._adding()
        return np.array(adding.columns, dtype=np.intp), adding.weights

    def _models_of_removals(self) -> tuple[Array, Array]:
        removing = self._removing()
        return self._base[removing.columns], removing.coefficients

    def _as_given(self, columns: Array, coef: Array) -> tuple[Array, Array]:
        """Coefficients (K, ..., targets, k) of the columns as given, and what they take away."""
        sets, between = self._sets, (slice(None),) + (None,) * (coef.ndim - 2)
        coef = coef / sets.scale[:, columns][between]
        means: Array = (coef * sets.point[:, columns][between]).sum(axis=-1)
        return coef, means

    def _rows_of(self, what: str) -> HeldOutRows:
        if self._held_out is None:
            raise ValueError(
                f"{what} need the rows, but only moments are at hand; expected fit(X, y): use it "
                "instead of fit_moments, or do without them."
            )
        return self._held_out

    def _wrong(self) -> Array:
        """Weights of the rows that the current models get wrong, (K, R)."""
        columns, weights = self._models()
        coef, means = self._as_given(columns, weights[:, :, None])
        intercept = self._sets.target_point[:, None, None] - means
        nothing = np.empty((1, 0), dtype=np.intp), np.empty((*coef.shape[:4], 0))
        rows = self._rows_of("labels (error='zero_one')")
        return rows.wrong(Candidates(columns, coef, *nothing, intercept))[..., 0]

    def _wrong_after(self, sign: int, features: Array) -> Array:
        """Weights of the rows that are wrong after moving each feature alone, (R, features)."""
        rows = self._rows_of("labels (error='zero_one')")
        wrong = np.empty((len(self._alphas), len(features)))
        sizes = self.features.sizes[features]
        part: Any = self._adding() if sign > 0 else self._removing()
        # Every part has an order of its own, in which it tells its changes.
        columns, weights = self._models_of_additions() if sign > 0 else self._models_of_removals()
        each = max(1, weights.size)
        for size in set(sizes.tolist()):
            same = np.flatnonzero(sizes == size)
            for few in ranges(len(same), max(1, _CANDIDATE_NUMBERS // each)):
                chosen = features[same[few]]
                if sign > 0:
                    change, own = part.changes(chosen, size)
                    own_columns = self.features.columns(chosen).reshape(len(chosen), size)
                else:
                    change = part.changes(self._local(chosen))
                    own_columns = np.empty((len(chosen), 0), dtype=np.intp)
                    own = np.empty((*change.shape[:4], 0))
                coef, means = self._as_given(columns, weights[:, :, None] + change)
                intercept = self._sets.target_point[:, None, None] - means
                scale = self._sets.scale[:, own_columns][:, None, :, None]
                own = own / scale
                point = self._sets.point[:, own_columns][:, None, :, None]
                intercept = intercept - (own * point).sum(axis=-1)
                candidates = Candidates(columns, coef, own_columns, own, intercept)
                wrong[:, same[few]] = rows.wrong(candidates).sum(axis=0)
        return wrong

    def solution(self, alpha: int) -> Solution:
        """The model on the current support, trained on all rows."""
        self._losses()  # brings the lines of the columns
        whole, columns = self._whole, self._columns
        if len(columns) == 0:
            return Solution(columns, np.empty((whole.cross.shape[1], 0)), whole.target_point[0])
        gram = np.stack([self._lines[column][columns] for column in columns.tolist()])
        weights = ridge_weights(gram, whole.cross[0][:, columns], float(self._alphas[alpha]))
        coef = weights / whole.scale[0, columns]
        intercept = whole.target_point[0] - coef @ whole.point[0, columns]
        return Solution(columns, coef, intercept)

    def held_out_predictions(self, alpha: int) -> Array:
        """Predictions (rows, targets), mean over the splits that hold the row out."""
        rows = self._rows_of("held-out predictions")
        columns, weights = self._models()
        coef, means = self._as_given(columns, weights[:, alpha])
        return rows.predictions(columns, coef, self._sets.target_point - means)


def _no_nan(errors: Array) -> Array:
    """Errors that overflowed are infinite."""
    known: Array = np.where(np.isnan(errors), np.inf, errors)
    return known


def ridge_weights(gram: Array, cross: Array, alpha: float) -> Array:
    """``(gram + alpha I)^-1 cross'``, (targets, k), for a gram that may have lost its digits."""
    try:
        factor = linalg.cho_factor(gram + alpha * np.eye(len(gram)), check_finite=False)
        solved: Any = linalg.cho_solve(factor, cross.T, check_finite=False)
    except linalg.LinAlgError:
        values, vectors = np.linalg.eigh(gram)
        solved = vectors @ ((vectors.T @ cross.T) / (np.maximum(values, 0) + alpha)[:, None])
    weights: Array = solved.T
    return weights
