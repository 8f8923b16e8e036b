"""Predictions of any set of rows by the model trained without them, from what a fit has kept.

The whitened kernel columns of all rows, turned once into eigen coordinates in their place, m n
numbers; :mod:`holdfast.criteria.held_out_sets` does the rest, O(min(|H|^2 n, |H| n^2)) for a set H
and any penalty. Where the columns were too many to keep, those of H are made anew, O(|H| n (n +
columns)).

With class weights that every training set counts anew nothing can be reused but the columns:
moments of the training set, O(m n^2).
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from holdfast.basis.rows import BasisColumns
from holdfast.criteria.held_out_sets import EigenModel
from holdfast.criteria.leaving import Leaving
from holdfast.criteria.penalty import PenaltyProblem
from holdfast.criteria.penalty_moments import MomentPenalties
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array

_ABSENT = 1e-200
"""Weight of a row that is predicted but counts for nothing: its products vanish, it does not."""


class BasisHoldOut:
    """What hold-out needs of a fitted model.

    Parameters
    ----------
    problem : PenaltyProblem
        Targets, weights and classes.
    whole : EigenModel
        Models on all rows.
    columns : BasisColumns
        Of all rows; those it has kept are overwritten.
    policy : str
        What becomes of basis vectors of held-out rows: "drop", "keep" or "skip".
    """

    def __init__(
        self, problem: PenaltyProblem, whole: EigenModel, columns: BasisColumns, policy: str
    ) -> None:
        self._whole, self._columns, self._kept = whole, columns, columns.kept_features
        self.whitening = columns.whitening
        self._turned = False
        leaving = columns.leaving if policy == "drop" else None
        self._problem = replace(problem, leaving=leaving)
        self._spared = columns.basis if policy == "skip" else np.array([], dtype=np.intp)
        factors = problem.classes.views.train[-1]
        self._weights = factors[problem.codes] * problem.weights
        self._leaving = None
        if leaving is not None:
            turned = whole.spectrum.vectors.T @ leaving.directions
            self._leaving = Leaving(leaving.rows, turned)

    def predictions(self, rows: Array, alpha: float) -> Array:
        """Predictions (targets, rows) of different rows, ascending; NaN for those not held out."""
        outputs = np.full((len(self._problem.targets), len(rows)), np.nan)
        held = ~np.isin(rows, self._spared)
        if held.any():
            outputs[:, held] = self._held_out(rows[held], np.array([alpha]))
        return outputs

    def _held_out(self, rows: Array, alphas: Array) -> Array:
        if self._problem.classes.factors is None:
            return self._counted_anew(rows, alphas)
        missing = np.zeros(self._problem.rows.n_rows, dtype=bool)
        missing[rows] = True
        missing &= self._problem.weights > 0
        barred = None if self._leaving is None else self._leaving.of(missing)
        weights = np.maximum(self._weights[rows], _ABSENT)
        targets = self._problem.targets[:, rows]
        return self._whole.held_out(self._coordinates(rows).T, targets, weights, barred, alphas)[0]

    def _coordinates(self, rows: Array) -> Array:
        """Eigen coordinates of rows, (rows, n)."""
        if self._kept is None:
            return self._turn(self._columns.of_rows(rows))
        if not self._turned:
            for some in self._columns.pieces(len(self._kept)):
                self._kept[some] = self._turn(self._kept[some])
            self._turned = True
            self._places = np.argsort(self._columns.order)
        return self._kept[self._places[rows]]

    def _turn(self, lines: Array) -> Array:
        turned: Array = (lines - self._whole.point) @ self._whole.spectrum.vectors
        return turned

    def _counted_anew(self, rows: Array, alphas: Array) -> Array:
        """By a training set with class weights of its own; NaN for rows of weight zero."""
        problem = self._problem
        every = np.arange(problem.rows.n_rows)
        rest = np.setdiff1d(every, rows)
        streamed = self._columns.streamed(problem.targets, problem.weights)
        part = replace(problem, rows=streamed, splits=Splits.of([(rest, rows)], len(every)))
        predictions = np.full((len(problem.targets), len(rows)), np.nan)
        for held, predicted in MomentPenalties.on_rows(part).held_out(alphas):
            predictions[:, np.searchsorted(rows, held)] = predicted[0]
        return predictions
