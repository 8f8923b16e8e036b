"""The penalty by moments of training sets: any splits, any number of penalties.

For a split let A_t, B_t be the moments of its training set, A_v, B_v, c_v those of what it holds
out, both about the training mean (:mod:`holdfast.criteria.training_sets`): an unpenalised
intercept and the scales of the training set are then exact. One eigendecomposition serves every
penalty:

    A_t = Q diag(s) Q'      W = Q (s + alpha)^-1 Q'B_t      loss = W'(A_v W - 2 B_v) + c_v

all penalties and targets as one matrix product. Predictions of rows, where a scorer asks for
them, are one more reading: ``(x - training mean)'W + training mean of y``.

Time: O(m n^2) for the moments, for every split O(n^3) and O(n^2) for each penalty and target.
Memory: parts * n^2 numbers twice, and splits * n^2. Exact; what floats leave of it: an error has a
rounding error of about 1e-16 c_v, a weight one of 1e-16 trace(A_t) / alpha. Eigenvalues below
n * 1e-16 of the largest are noise: under a penalty below that floor their directions are left
out.

References
----------
.. [1] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized parameter
   search for large datasets of the regularization parameter and feature selection for ridge
   regression", Neural Processing Letters 38 (2013), section 2.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdfast.criteria.held_out_sets import EigenModel
from holdfast.criteria.leaving import without
from holdfast.criteria.pairs import Pairs
from holdfast.criteria.penalty import HeldOut, Model, PenaltyProblem
from holdfast.criteria.spectrum import Spectrum
from holdfast.criteria.training_sets import Factors, TrainingSets
from holdfast.rows.ledger import Features
from holdfast.rows.moments import FullMoments, divided, full_moments
from holdfast.rows.sums import Array, Block, Rows, State, Totals, ranges, run_of

_BATCH_NUMBERS = 1 << 22
"""Numbers of gram matrices, or of predictions, that are made at a time."""

_ROUNDING = 64 * np.finfo(float).eps
"""Relative to the squares of the held-out targets, from which losses are differences, and to the
point about which targets are summed."""


class MomentPenalties:
    """Hold-out of ridge models of all columns by moments; see :class:`.penalty.Penalties`.

    Parameters
    ----------
    moments : FullMoments
        Of the parts, divided by class.
    factors, whole : Factors
        What every split, and the model on all rows, takes of the parts.
    problem : PenaltyProblem or None
        For predictions of rows; not needed for losses and models.
    fit_intercept, standardize : bool
        Centring and scaling, in every training set.
    """

    def __init__(
        self,
        moments: FullMoments,
        factors: Factors,
        whole: Factors,
        *,
        fit_intercept: bool,
        standardize: bool,
        problem: PenaltyProblem | None = None,
    ) -> None:
        self._moments, self._problem = moments, problem
        self._fit_intercept = fit_intercept
        pairs = Pairs(Features.partition(len(moments.margins.centre)))
        self._sets, self._whole = (
            TrainingSets(
                moments, taken, pairs, fit_intercept=fit_intercept, standardize=standardize
            )
            for taken in (factors, whole)
        )
        self.squares = self._whole.within[0]
        self.held_mass = float(self._sets.held_mass.sum())
        level = np.square(_ROUNDING * moments.margins.target_centre)
        self.resolution = _ROUNDING * self._sets.held_squares.sum(axis=0) + level * self.held_mass
        gram = self._whole.train_grams(slice(0, 1), moments)
        self._spectrum = Spectrum.of(gram[0], self._whole.cross[0])
        self._spectra: list[Spectrum] = []

    @classmethod
    def on_rows(cls, problem: PenaltyProblem) -> MomentPenalties:
        """Read the moments from rows, once."""
        parts = divided(problem.rows, problem.labels)
        moments = full_moments(problem.rows, parts, problem.n_parts)
        return cls(
            moments,
            *problem.factors,
            fit_intercept=problem.fit_intercept,
            standardize=problem.standardize,
            problem=problem,
        )

    def losses(self, alphas: Array) -> Array:
        """``sum w e^2`` over all splits, (penalties, targets)."""
        total = np.zeros((len(alphas), self._sets.cross.shape[1]))
        for split, spectrum, held in self._opened():
            weights = spectrum.weights(alphas)
            flat = weights.reshape(len(weights), -1)
            lines = (held @ flat).reshape(weights.shape)
            lines -= 2 * self._sets.held_cross[split].T[:, None]
            lines *= weights
            total += np.maximum(lines.sum(axis=0) + self._sets.held_squares[split], 0)
        return total

    def _opened(self) -> Iterator[tuple[int, Spectrum, Array]]:
        """Every split with its training set decomposed, once, and its A_v."""
        sets, moments = self._sets, self._moments
        for some in ranges(len(sets), max(1, _BATCH_NUMBERS // len(sets.scale[0]) ** 2)):
            train, held = sets.grams(some, moments)
            for position, split in enumerate(range(some.start, some.stop)):
                if split == len(self._spectra):
                    self._spectra.append(self._spectrum_of(split, train[position]))
                yield split, self._spectra[split], held[position]

    def _spectrum_of(self, split: int, gram: Array) -> Spectrum:
        """A training set decomposed, without the directions that leave with its missing rows."""
        cross = self._sets.cross[split]
        barred = None if self._problem is None else self._problem.barred(split)
        return Spectrum.of(*((gram, cross) if barred is None else without(gram, cross, barred)))

    def held_out(self, alphas: Array) -> Iterator[HeldOut]:
        """Held-out predictions, split by split, in one reading for every few splits."""
        assert self._problem is not None
        sets, held_rows = self._sets, self._problem.held_rows
        if len(self._spectra) < len(sets):
            for _ in self._opened():
                pass
        width = len(alphas) * sets.cross.shape[1] * self._problem.rows.n_rows
        for some in ranges(len(sets), max(1, _BATCH_NUMBERS // width)):
            models = []
            for split in range(some.start, some.stop):
                weights = self._spectra[split].weights(alphas)
                coef = weights.reshape(len(weights), -1).T / sets.scale[split]
                offset = np.tile(sets.target_point[split], len(alphas))
                models.append((coef, sets.point[split], offset))
            outputs = predictions(self._problem.rows, held_rows[some], models)
            for rows, predicted in zip(held_rows[some], outputs, strict=True):
                yield HeldOut(rows, predicted.reshape(len(alphas), -1, len(rows)))

    @property
    def whole(self) -> EigenModel:
        """Models on all rows in eigen coordinates."""
        sets = self._whole
        centring = sets.point[0], sets.target_point[0], float(sets.mass[0])
        return EigenModel(self._spectrum, *centring, self._fit_intercept)

    def model(self, alphas: Array) -> Model:
        """The model on all rows, a penalty for every target."""
        coef = self._spectrum.weights_per_target(alphas) / self._whole.scale[0]
        return Model(coef, self._whole.target_point[0] - coef @ self._whole.point[0])

    def below_floor(self, alpha: float) -> bool:
        """Whether moments in floats cannot tell what so small a penalty does."""
        return any(spectrum.below_floor(alpha) for spectrum in (self._spectrum, *self._spectra))


LinearModels = tuple[Array, Array, Array]
"""Coefficients (count, n), the point they are about (n,), what is predicted there (count,)."""


def predictions(rows: Rows, held: list[Array], models: list[LinearModels]) -> list[Array]:
    """Predictions of the rows that each split holds out by the models of the split.

    One reading, in which every split looks at its own rows only.
    """
    masks = np.zeros((len(held), rows.n_rows), dtype=bool)
    for mask, chosen in zip(masks, held, strict=True):
        mask[chosen] = True
    states = rows.joined(
        rows.scatter("held", masks), rows.scatter("number", np.arange(rows.n_rows))
    )
    _, states = rows.sweep(_predict, states, models)
    found = []
    for split in range(len(held)):
        numbers = rows.gather(states, f"{split} rows")
        outputs = rows.gather(states, str(split))
        ascending = bool((np.diff(numbers) > 0).all())
        found.append(outputs if ascending else outputs[:, np.argsort(numbers)])
    return found


def _predict(block: Block, state: State, models: list[LinearModels]) -> tuple[Totals, State]:
    outputs = {}
    for split, (coef, point, offset) in enumerate(models):
        chosen = run_of(np.flatnonzero(state["held"][split]))
        outputs[str(split)] = block.outputs(coef, chosen, point) + offset[:, None]
        outputs[f"{split} rows"] = state["number"][chosen]
    return Totals(), outputs
