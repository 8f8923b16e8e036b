"""The penalty by blocks of the hat matrix, for many small held-out sets.

Where every split trains on all rows but those it holds out, with the weights and scales that all
rows have, refitting is not needed: with rows times sqrt(w), centred, ``X'X = Q diag(s) Q'`` of all
rows, the hat matrix H and the residuals r of the model on all rows under a penalty,

    H_FF = Z_F (s + alpha)^-1 Z_F' + root_F root_F' / sum w,    Z = X Q
    held-out errors of the rows F:   (I - H_FF)^-1 r_F

are exactly those of the model trained without F. Leave-one-out is the case of one row. In eigen
coordinates, and with directions that leave with the rows: :mod:`holdfast.criteria.held_out_sets`.

Time: O(m n^2 + n^3) for one decomposition instead of one for every split, and O(f^2 n + f^3) for a
split of f rows and every penalty. Memory O(n^2) and a few splits' rotated rows. Splits whose
I - H_FF has few digits, the model all but interpolating a row, are judged by models trained without
them (:mod:`holdfast.criteria.penalty_apart`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdfast.criteria.held_out_sets import EigenModel
from holdfast.criteria.pairs import Pairs
from holdfast.criteria.penalty import HeldOut, Model, PenaltyProblem
from holdfast.criteria.penalty_apart import NEAR, Apart
from holdfast.criteria.penalty_moments import predictions
from holdfast.criteria.spectrum import Spectrum
from holdfast.criteria.training_sets import Factors, TrainingSets
from holdfast.rows.ledger import Features
from holdfast.rows.moments import divided, full_moments
from holdfast.rows.sums import Array

_BATCH_ROWS_NUMBERS = 1 << 22


class BlockPenalties:
    """Hold-out of ridge models of all columns by hat blocks; see :class:`.penalty.Penalties`.

    Parameters
    ----------
    problem : PenaltyProblem
        Whose splits train on the rest; neither standardised nor balanced.
    """

    def __init__(self, problem: PenaltyProblem) -> None:
        self._problem = problem
        factors = problem.views.train
        moments = full_moments(
            problem.rows, divided(problem.rows, problem.codes[None]), len(problem.classes)
        )
        self._set = TrainingSets(
            moments,
            Factors(factors, np.zeros_like(factors)),
            Pairs(Features.partition(problem.rows.n_columns)),
            fit_intercept=problem.fit_intercept,
            standardize=False,
        )
        self.squares = self._set.within[0]
        self._weights = factors[0][problem.codes] * problem.weights
        self.resolution = problem.resolution
        self.held_mass = problem.held_mass
        gram = self._set.train_grams(slice(0, 1), moments)
        self._spectrum = Spectrum.of(gram[0], self._set.cross[0])

    def losses(self, alphas: Array) -> Array:
        """``sum w e^2`` over all splits, (penalties, targets)."""
        return self._problem.losses_of(self.held_out(alphas), len(alphas))

    def held_out(self, alphas: Array) -> Iterator[HeldOut]:
        """Held-out predictions, split by split."""
        problem, whole, n = self._problem, self.whole, self._problem.rows.n_columns
        vectors = whole.spectrum.vectors
        rotation = (vectors.T, whole.point, np.zeros(n))
        hard: list[Array] = []
        for some in _batches([len(rows) for rows in problem.held_rows], n):
            held = problem.held_rows[some]
            lines = predictions(problem.rows, held, [rotation] * len(held))
            for split, rows, z in zip(range(some.start, some.stop), held, lines, strict=True):
                barred, weights = problem.barred(split), self._weights[rows]
                if barred is None and whole.nearest(z, weights, float(alphas.min())) < NEAR:
                    hard.append(rows)
                    continue
                predicted = whole.held_out(
                    z,
                    problem.targets[:, rows],
                    weights,
                    None if barred is None else vectors.T @ barred,
                    alphas,
                )
                yield HeldOut(rows, predicted)
        apart = Apart(problem, problem.views.train[0], np.ones(n))
        for rows, errors in zip(hard, apart.errors(hard, alphas), strict=True):
            yield HeldOut(rows, problem.targets[:, rows] - errors)

    @property
    def whole(self) -> EigenModel:
        """Models on all rows in eigen coordinates."""
        centring = self._set.point[0], self._set.target_point[0], float(self._set.mass[0])
        return EigenModel(self._spectrum, *centring, self._problem.fit_intercept)

    def model(self, alphas: Array) -> Model:
        """The model on all rows, a penalty for every target."""
        coef = self._spectrum.weights_per_target(alphas)
        return Model(coef, self._set.target_point[0] - coef @ self._set.point[0])

    def below_floor(self, alpha: float) -> bool:
        """Whether moments in floats cannot tell what so small a penalty does."""
        return self._spectrum.below_floor(alpha)


def _batches(sizes: list[int], n_columns: int) -> Iterator[slice]:
    """Consecutive splits whose rotated rows fit into a piece of memory."""
    start, rows = 0, 0
    for split, size in enumerate(sizes):
        if rows and (rows + size) * n_columns > _BATCH_ROWS_NUMBERS:
            yield slice(start, split)
            start, rows = split, 0
        rows += size
    yield slice(start, len(sizes))
