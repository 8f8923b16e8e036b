"""Held-out rows of high leverage, judged by models that are trained without all of them.

Where a model all but interpolates what it holds out, ``1 - h`` (:mod:`.penalty_leave_one_out`) and
``I - H_FF`` (:mod:`.penalty_blocks`) are differences with few digits left: a row 1e6 times the
others keeps 4 of 16. Leverages sum to at most n + 1, so such rows are few: they are taken out
together. Let M = X'X + alpha I be that of the *rest*, without all these rows F (centred by the mean
of the rest), and r their errors under its model. Putting them back but for the set k, one held-out
set among them,

    G = (I + Z_F M^-1 Z_F' + root root' / sum w)^-1          rows times root = sqrt(w)
    held-out errors of the set k:   G_kk^-1 (G r)_k

are exact, and nothing cancels: G is taken with its diagonal scaled to one, so that rows of any size
keep their digits. Rows of F that can be made of each other would lose them again; a set that does
is taken out alone, where its errors are those of the model of the rest.

Cost: one reading O(m n^2) and one decomposition O(n^3) for every n rows of high leverage, and
O(n^3) for every penalty; none where there is no such row.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from holdfast.criteria.pairs import Pairs
from holdfast.criteria.penalty import PenaltyProblem
from holdfast.criteria.penalty_moments import predictions
from holdfast.criteria.spectrum import Spectrum
from holdfast.criteria.training_sets import Factors, TrainingSets
from holdfast.rows.ledger import Features
from holdfast.rows.moments import divided, full_moments
from holdfast.rows.sums import Array

NEAR = 1e-4
"""A row, or a set of rows, whose ``1 - leverage`` is smaller is judged apart."""

_FEW_ROWS = 256
"""So many rows are taken out together, in tables of fewer columns too."""

_DEPENDENT = 1e4
"""How much rows may be made of each other: an entry of the inverse of what has a unit diagonal."""


class Apart:
    """Errors of few held-out sets by models that are trained without all of them.

    Parameters
    ----------
    problem : PenaltyProblem
        Whose training sets are all rows but those held out.
    of_class : array of shape (classes,)
        Factors of the classes on the weights in training.
    scale : array of shape (n,)
        What columns are divided by.
    """

    def __init__(self, problem: PenaltyProblem, of_class: Array, scale: Array) -> None:
        self._problem, self._of_class, self._scale = problem, of_class, scale
        self._weights = of_class[problem.codes] * problem.weights

    def errors(self, held: list[Array], alphas: Array) -> list[Array]:
        """Errors of the rows of every set, (penalties, targets, rows) each."""
        counted = int(np.count_nonzero(self._problem.weights))
        most = min(max(self._problem.rows.n_columns, _FEW_ROWS), 3 * counted // 4)
        errors: list[Array] = []
        for some in _chunks(held, most):
            together, fine = self._together(some, alphas)
            for one, found, good in zip(some, together, fine, strict=True):
                errors.append(found if good else self._together([one], alphas)[0][0])
        return errors

    def _together(self, held: list[Array], alphas: Array) -> tuple[list[Array], list[bool]]:
        """Errors of some sets, all of them taken out, and which of them have kept their digits."""
        problem = self._problem
        rows = np.unique(np.concatenate(held))
        sets, spectrum = self._rest(rows)
        rotation = (
            spectrum.vectors.T / self._scale,
            sets.point[0],
            np.zeros(len(self._scale)),
        )
        (z,) = predictions(problem.rows, [rows], [rotation])
        inverse = spectrum.inverse(alphas)
        targets = problem.targets[:, rows] - sets.target_point[0][:, None]
        residual = targets - inverse.applied(spectrum.cross) @ z
        if len(held) == 1:
            return [residual[..., np.searchsorted(rows, held[0])]], [True]
        root = np.sqrt(self._weights[rows])
        constant = float(problem.fit_intercept) / sets.mass[0]
        places = [np.searchsorted(rows, one) for one in held]
        errors = [np.empty((*residual.shape[:2], len(one))) for one in held]
        fine = [True] * len(held)
        for number in range(len(alphas)):
            lines = inverse.rooted(number, z)
            matrix = (lines.T @ lines + constant) * root * root[:, None]
            matrix[np.diag_indices_from(matrix)] += 1
            unit = 1 / np.sqrt(np.diagonal(matrix))
            G = np.linalg.inv(matrix * unit * unit[:, None])
            solved = (residual[number] * (root * unit)) @ G
            for position, place in enumerate(places):
                own = G[np.ix_(place, place)]
                fine[position] &= bool(np.diagonal(own).max() < _DEPENDENT)
                back = np.linalg.solve(own, solved[:, place].T).T
                errors[position][number] = back / (unit * root)[place]
        return errors, fine

    def _rest(self, rows: Array) -> tuple[TrainingSets, Spectrum]:
        """All rows but some: their means, and their scaled columns decomposed."""
        problem, n_classes = self._problem, len(self._of_class)
        out = np.zeros(problem.rows.n_rows, dtype=np.intp)
        out[rows] = n_classes
        moments = full_moments(
            problem.rows, divided(problem.rows, (problem.codes + out)[None]), 2 * n_classes
        )
        train = np.concatenate([self._of_class, np.zeros(n_classes)])[None]
        sets = TrainingSets(
            moments,
            Factors(train, np.zeros_like(train)),
            Pairs(Features.partition(problem.rows.n_columns)),
            fit_intercept=problem.fit_intercept,
            standardize=False,
        )
        gram, _ = sets.grams(slice(0, 1), moments)
        gram = gram[0] / self._scale / self._scale[:, None]
        return sets, Spectrum.of(gram, sets.cross[0] / self._scale)


def _chunks(held: list[Array], most: int) -> Iterator[list[Array]]:
    """Consecutive sets of at most so many rows together, or one."""
    chunk: list[Array] = []
    for rows in held:
        if chunk and sum(map(len, chunk)) + len(rows) > most:
            yield chunk
            chunk = []
        chunk.append(rows)
    if chunk:
        yield chunk
