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
of about 1e-16 trace(A) / alpha.

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

from holdfast.criteria.fold_additions import Entry, FoldAdditions
from holdfast.criteria.fold_removals import FoldRemovals
from holdfast.criteria.pairs import Pairs
from holdfast.criteria.training_sets import Factors, TrainingSets
from holdfast.rows.ledger import Features, Move, Proposal, Solution, Standing, choose
from holdfast.rows.moments import Moments
from holdfast.rows.sums import Array, Block, Rows, State, States, Totals

_PANEL = 32


class HeldOutRows:
    """Rows and the splits that hold them out, for what moments cannot tell.

    Parameters
    ----------
    rows : Rows
        The data.
    parts : States
        Their parts, :func:`holdfast.rows.moments.divided`.
    held : bool array of shape (K, parts)
        Parts that every split holds out.
    """

    def __init__(self, rows: Rows, parts: States, held: Array) -> None:
        self.rows, self.parts, self.held = rows, parts, held

    def predictions(self, columns: Array, coef: Array, intercept: Array) -> Array:
        """Mean over the splits that hold a row out, (rows, targets); NaN where none does.

        ``coef`` is (K, targets, columns) and ``intercept`` (K, targets).
        """
        shared = (self.held, columns, coef, intercept)
        _, states = self.rows.sweep(_predict, self.parts, shared)
        return self.rows.gather(states, "prediction").T


def _predict(block: Block, state: State, shared: tuple[Array, ...]) -> tuple[Totals, State]:
    held, columns, coef, intercept = shared
    lines = block.columns(columns) if len(columns) else np.empty((0, len(block.weights)))
    total, count = np.zeros((coef.shape[1], len(block.weights))), np.zeros(len(block.weights))
    for split, parts in enumerate(held):
        for labels in state["parts"]:
            chosen = np.flatnonzero(parts[labels] & (block.weights > 0))
            total[:, chosen] += coef[split] @ lines[:, chosen] + intercept[split][:, None]
            count[chosen] += 1
    mean = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    return Totals(), {"prediction": mean}


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
    held_out : HeldOutRows or None, default=None
        For predictions.
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
        held_out: HeldOutRows | None = None,
    ) -> None:
        self._moments, self._sets, self._whole = moments, sets, whole
        self._alphas, self.features, self._pairs = alphas, features, pairs
        self._held_out = held_out
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
    def standing(self) -> Standing:
        """Error, its standard error and the error of every split, for every penalty."""
        losses = np.maximum(self._losses(), 0).mean(axis=2)
        mass = self._sets.held_mass
        counted = mass > 0
        fold_errors = np.full(losses.shape, np.nan)
        fold_errors[counted] = losses[counted] / mass[counted, None]
        n_folds = int(counted.sum())
        std_errors = np.zeros(len(self._alphas))
        if n_folds > 1:
            std_errors = fold_errors[counted].std(axis=0, ddof=1) / np.sqrt(n_folds)
        return Standing(losses.sum(axis=0) / mass.sum(), std_errors, fold_errors)

    def best(self, sign: int, allowed: Array) -> Proposal | None:
        """The best move of one sign among the allowed features; None when there is none.

        Ties (errors equal to 1e-10) go to the lowest feature, then to the first alpha.
        """
        if len(allowed) == 0:
            return None
        candidates = np.sort(allowed)
        errors = self._errors(sign)[:, candidates]
        alpha, line = choose(errors, candidates)
        return Proposal(Move(sign, int(candidates[line])), float(errors[alpha, line]), alpha)

    def score(self, moves: Sequence[Move]) -> Array:
        """Errors after each of the moves alone, (moves, alphas)."""
        errors = np.empty((len(moves), len(self._alphas)))
        signs = np.array([move.sign for move in moves])
        features = np.array([move.feature for move in moves])
        for sign in np.unique(signs):
            errors[signs == sign] = self._errors(int(sign))[:, features[signs == sign]].T
        return errors

    def _errors(self, sign: int) -> Array:
        """Errors after moving each feature, (R, features); infinite where that cannot be."""
        scale = self._sets.held_mass.sum() * self._sets.cross.shape[1]
        errors = np.full((len(self._alphas), len(self.features)), np.inf)
        if sign > 0:
            outside = np.setdiff1d(np.arange(len(self.features)), self._support)
            errors[:, outside] = self._adding().score()[:, outside]
        else:
            removing = self._removing()
            errors[:, self._base_features[removing.support]] = removing.score()
        scaled: Array = np.maximum(errors, 0) / scale
        return scaled

    def accept(self, move: Move) -> None:
        """Make a move."""
        if move.sign > 0:
            adding = self._adding()
            self._extend(adding, self.features.columns([move.feature]))
            self._support = [*self._support, move.feature]
            self._removals = None
        else:
            removing = self._removing()
            removing.remove(int(np.flatnonzero(self._base_features == move.feature)[0]))
            self._support = [other for other in self._support if other != move.feature]
            self._additions = None

    def _adding(self) -> FoldAdditions:
        if self._additions is None:
            self._additions = FoldAdditions(self._sets, self.features, self._pairs, self._alphas)
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
                adding.extend(Entry(column, train[:, number], held[:, number]))

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
        """Sums of squared held-out errors, (K, R, targets)."""
        if self._additions is None and self._support:
            return self._removing().losses
        return self._adding().losses

    def _coefficients(self) -> tuple[Array, Array]:
        """Columns of the models, and their coefficients as given, (K, R, targets, columns)."""
        if self._additions is None and self._support:
            removing = self._removing()
            columns, weights = self._base[removing.columns], removing.coefficients
        else:
            adding = self._adding()
            columns, weights = np.array(adding.columns, dtype=np.intp), adding.weights
        return columns, weights / self._sets.scale[:, None, None, columns]

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
        if self._held_out is None:
            raise ValueError(
                "held-out predictions were asked for, but only moments are at hand; expected the "
                "rows: use fit, or store_cv_results=False."
            )
        columns, weights = self._coefficients()
        coef = weights[:, alpha]
        means = (coef @ self._sets.point[:, columns, None])[..., 0]
        return self._held_out.predictions(columns, coef, self._sets.target_point - means)


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


def opened(
    moments: Moments,
    factors: Factors,
    whole: Factors,
    features: Features,
    *,
    fit_intercept: bool,
    standardize: bool,
) -> tuple[TrainingSets, TrainingSets, Pairs]:
    """Training sets of the splits and of all rows, as a ledger wants them."""
    pairs = Pairs(features)
    sets = [
        TrainingSets(moments, one, pairs, fit_intercept=fit_intercept, standardize=standardize)
        for one in (factors, whole)
    ]
    return sets[0], sets[1], pairs
