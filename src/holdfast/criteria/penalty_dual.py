"""The penalty from a kernel matrix over the rows, whoever made it.

With ``K`` of a training set - about any point, centred by its mean, rows times r = sqrt(w) - and
``K = U diag(s) U'``, the dual of every penalty is ``a = U (s + alpha)^-1 U'y``. Two ways from there
to what is held out.

**Blocks of one inverse**, where every split trains on all rows but those it holds out, with the
weights that all rows have. Let ``G = (K + alpha I)^-1`` of all rows, an intercept being the limit
of a constant column of infinite weight. For held-out rows F

    y_F - prediction = G_FF^-1 a_F    (times 1 / r)

Leave-one-out is F of one row: ``a_j / G_jj``. With ``alpha G = U diag(alpha / (s + alpha)) U'``
nothing cancels, also where the model interpolates. The constant, an eigenvector of value zero, is
given the mean value tau, and its share ``alpha / (tau + alpha) r r' / sum w`` taken out. Where rows
differ in size by orders of magnitude the inverse is taken with unit diagonal
(:mod:`holdfast.criteria.penalty_graded`).

**A kernel matrix for every split**, for any training sets, class weights and scales. Predictions
are ``K_FT a`` about the training mean.

A matrix of products has no negative eigenvalues but rounding, which is cut off at zero; those below
minus the rounding are kept (kernels that are no inner products): the algebra holds wherever
``K + alpha I`` is positive definite, and then for every part of it.

Time: one decomposition O(m^3) and O(f^2 m + f^3) for a split of f rows and every penalty; or O(m^3)
for every split. Memory: three m x m matrices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from holdfast.criteria.penalty import HeldOut, Model, PenaltyProblem
from holdfast.criteria.penalty_graded import graded_errors, is_graded
from holdfast.criteria.spectrum import eigen_floor, shrinkage
from holdfast.rows.sums import Array, ranges

_PIECE_NUMBERS = 1 << 22


@dataclass(frozen=True)
class Dual:
    """A training set in the eigenvectors of its kernel matrix.

    Attributes
    ----------
    values, vectors : arrays of shape (m,) and (m, m)
        Of the centred, weighted matrix, the constant at value ``lift``.
    inside : array of shape (m, targets)
        The centred, weighted target in eigenvectors.
    root : array of shape (m,)
        Square roots of the weights.
    target_mean : array of shape (targets,)
        Zero without an intercept.
    lift : float
        The value given to the constant, zero without an intercept.
    """

    values: Array
    vectors: Array
    inside: Array
    root: Array
    target_mean: Array
    lift: float

    @classmethod
    def of(cls, kernel: Array, targets: Array, weights: Array, fit_intercept: bool) -> Dual:
        """Decompose; ``kernel`` (m, m) is about any point, and unweighted."""
        root = np.sqrt(weights)
        mean, lift = np.zeros(len(targets)), 0.0
        matrix = kernel * root * root[:, None]
        if fit_intercept:
            mass = weights.sum()
            mean = targets @ weights / mass
            unit = root / np.sqrt(mass)
            across = matrix @ unit
            matrix -= unit * across[:, None]
            matrix -= unit[:, None] * (across - unit * (unit @ across))
            matrix -= np.outer(matrix @ unit, unit)
            lift = float(np.trace(matrix)) / len(matrix) or 1.0
            matrix += lift * unit * unit[:, None]
        values, vectors = np.linalg.eigh(matrix)
        inside = vectors.T @ (root * (targets - mean[:, None])).T
        lowest = -eigen_floor(np.abs(values))
        return cls(
            np.where(values < lowest, values, np.maximum(values, 0)),
            vectors,
            inside,
            root,
            mean,
            lift,
        )

    @property
    def floor(self) -> float:
        """Eigenvalues below it are noise."""
        return eigen_floor(self.values)

    def dual(self, alphas: Array) -> Array:
        """Duals under every penalty, times the root: (m, penalties, targets)."""
        shrunk = shrinkage(self.values, alphas, self.floor)
        inside = shrunk.T[:, :, None] * self.inside[:, None]
        dual = self.vectors @ inside.reshape(len(inside), -1)
        dual *= self.root[:, None]
        return dual.reshape(inside.shape)

    def dual_per_target(self, alphas: Array) -> Array:
        """Duals, a penalty for every target, times the root: (targets, m)."""
        inside = shrinkage(self.values, alphas, self.floor) * self.inside.T
        dual: Array = inside @ self.vectors.T
        return dual * self.root

    def shares(self, alphas: Array) -> tuple[Array, Array]:
        """``alpha / (value + alpha)`` of eigenvectors and of the constant, (R, m) and (R,)."""
        shares = alphas[:, None] / (self.values + alphas[:, None])
        constant = alphas / (self.lift + alphas) / np.sum(self.root**2)
        return shares, constant if self.lift else np.zeros_like(constant)

    def left_out_errors(self, rows: Array, alphas: Array) -> Array:
        """Leave-one-out errors of some rows, (penalties, targets, rows)."""
        shares, constant = self.shares(alphas)
        some, root = self.vectors[rows], self.root[rows]
        slack = shares @ (some**2).T - constant[:, None] * root**2
        slack = np.maximum(slack, np.finfo(float).tiny)
        residual = (shares.T[:, :, None] * self.inside[:, None]).reshape(len(self.inside), -1)
        residual = (some @ residual).T.reshape(len(alphas), -1, len(rows))
        errors: Array = residual / (slack * root)[:, None]
        return errors

    def held_out_errors(self, rows: Array, alphas: Array) -> Array:
        """Errors of rows that are held out together, (penalties, targets, rows)."""
        shares, constant = self.shares(alphas)
        some, root = self.vectors[rows], self.root[rows]
        errors = np.empty((len(alphas), self.inside.shape[1], len(rows)))
        for number, share in enumerate(shares):
            weighted = some * share
            block = weighted @ some.T - constant[number] * root * root[:, None]
            solved = np.linalg.solve(block, weighted @ self.inside)
            errors[number] = (solved / root[:, None]).T
        return errors


class DualPenalties:
    """Hold-out of kernel ridge models under any penalties; see :class:`.penalty.Penalties`.

    Their :meth:`model` has a coefficient for every row.

    Parameters
    ----------
    problem : PenaltyProblem
        Rows and splits; of the rows only targets and weights are read.
    kernel : array of shape (m, m)
        Kernel matrix of the rows, about any point.
    kernel_of : callable, optional
        From the weights of a training set (m,) to a kernel matrix of its own.
    """

    def __init__(
        self,
        problem: PenaltyProblem,
        kernel: Array,
        kernel_of: Callable[[Array], Array] | None = None,
    ) -> None:
        self._problem, self._kernel, self._kernel_of = problem, kernel, kernel_of
        self.resolution = problem.resolution
        self.held_mass = problem.held_mass
        # Rows of weight zero are absent: they are in no training set.
        self._used = np.flatnonzero(problem.weights > 0)
        self._whole = self._dual(problem.views.train[-1])
        self.squares = self._whole.values

    def _dual(self, of_class: Array) -> Dual:
        """All rows, by class weights."""
        problem, used = self._problem, self._used
        weights = (of_class[problem.codes] * problem.weights)[used]
        kernel = self._kernel[np.ix_(used, used)]
        return Dual.of(kernel, problem.targets[:, used], weights, problem.fit_intercept)

    def losses(self, alphas: Array) -> Array:
        """``sum w e^2`` over all splits, (penalties, targets)."""
        return self._problem.losses_of(self.held_out(alphas), len(alphas))

    def held_out(self, alphas: Array) -> Iterator[HeldOut]:
        """Held-out predictions, split by split."""
        if self._graded(alphas):
            yield from self._of_graded_rows(alphas)
        elif self._problem.splits is None:
            yield self._left_out(alphas)
        elif alphas.min() > self._whole.floor and trains_on_the_rest(self._problem):
            place = np.empty(self._problem.rows.n_rows, dtype=np.intp)
            place[self._used] = np.arange(len(self._used))
            for rows in self._problem.held_rows:
                errors = self._whole.held_out_errors(place[rows], alphas)
                yield HeldOut(rows, self._problem.targets[:, rows] - errors)
        else:
            for split, rows in enumerate(self._problem.held_rows):
                weights, _ = self._problem.split_weights(split)
                yield HeldOut(rows, self._trained_on(weights, rows, alphas))

    def _graded(self, alphas: Array) -> bool:
        """Whether rows differ so much in size that eigenvectors do not know the small ones."""
        problem, used = self._problem, self._used
        fixed = problem.classes.factors is not None
        rest = fixed if problem.splits is None else trains_on_the_rest(problem)
        rest &= problem.rows.n_columns >= len(used) and self.lowest >= 0
        own = np.ix_(used, used)
        return bool(
            rest and alphas.min() > 0 and is_graded(self._kernel[own], problem.error_weights[used])
        )

    def _of_graded_rows(self, alphas: Array) -> Iterator[HeldOut]:
        """Splits, or leave-one-out, from inverses of the matrix of all rows."""
        problem, used = self._problem, self._used
        held = problem.held_rows if problem.splits else list(used[:, None])
        errors = graded_errors(
            self._kernel[np.ix_(used, used)],
            problem.targets[:, used],
            problem.error_weights[used],
            [np.searchsorted(used, rows) for rows in held],
            alphas,
            fit_intercept=problem.fit_intercept,
        )
        if problem.splits is None:
            held, errors = [used], [np.concatenate(errors, axis=-1)]
        for rows, found in zip(held, errors, strict=True):
            yield HeldOut(rows, problem.targets[:, rows] - found)

    def _left_out(self, alphas: Array) -> HeldOut:
        """Leave-one-out, the rows of a view by its own decomposition."""
        problem, used = self._problem, self._used
        weighting, codes = problem.views, problem.codes[used]
        predictions = np.empty((len(alphas), len(problem.targets), len(used)))
        for train, loss in zip(weighting.train, weighting.loss, strict=True):
            read = np.flatnonzero(loss[codes] > 0)
            if len(read) == 0:
                continue
            same = np.array_equal(train, weighting.train[-1])
            dual = self._whole if same else self._dual(train)
            for some in ranges(len(read), max(1, _PIECE_NUMBERS // len(used))):
                errors = dual.left_out_errors(read[some], alphas)
                targets = problem.targets[:, used[read[some]]]
                predictions[..., read[some]] = targets - errors
        return HeldOut(used, predictions)

    def _trained_on(self, weights: Array, rows: Array, alphas: Array) -> Array:
        """Predictions of rows by the model of training weights, (penalties, targets, rows)."""
        problem, train = self._problem, np.flatnonzero(weights)
        kernel = self._kernel if self._kernel_of is None else self._kernel_of(weights)
        own, across = kernel[np.ix_(train, train)], kernel[np.ix_(rows, train)]
        dual = Dual.of(own, problem.targets[:, train], weights[train], problem.fit_intercept)
        if problem.fit_intercept:
            across = across - weights[train] @ own / weights.sum()
        solved = dual.dual(alphas)
        outputs = (across @ solved.reshape(len(train), -1)).reshape(len(rows), len(alphas), -1)
        return np.moveaxis(outputs, 0, -1) + dual.target_mean[:, None]

    def model(self, alphas: Array) -> Model:
        """Dual coefficients (targets, m) and intercepts of the model on all rows.

        A penalty for every target.
        """
        dual = self.dual(alphas)
        if not self._problem.fit_intercept:
            return Model(dual, np.zeros(len(dual)))
        weights = self._problem.views.train[-1][self._problem.codes] * self._problem.weights
        mean = weights @ self._kernel / weights.sum()
        return Model(dual, self.target_mean - dual @ mean)

    def dual(self, alphas: Array) -> Array:
        """Dual coefficients (targets, m), a penalty for every target."""
        dual = np.zeros_like(self._problem.targets)
        dual[:, self._used] = self._whole.dual_per_target(alphas)
        return dual

    @property
    def target_mean(self) -> Array:
        """Mean of the targets, zero without an intercept."""
        return self._whole.target_mean

    @property
    def lowest(self) -> float:
        """The smallest eigenvalue of the kernel matrix, zero where it is rounding."""
        return float(self._whole.values.min())

    def without(self, rows: Array, alphas: Array) -> Array:
        """Predictions of any rows by the models trained without them, (penalties, targets, rows).

        With the class weights of all rows.
        """
        problem = self._problem
        if alphas.min() <= self._whole.floor or not (problem.weights[rows] > 0).all():
            weights = problem.views.train[-1][problem.codes] * problem.weights
            weights[rows] = 0
            return self._trained_on(weights, rows, alphas)
        errors = self._whole.held_out_errors(np.searchsorted(self._used, rows), alphas)
        return problem.targets[:, rows] - errors

    def below_floor(self, alpha: float) -> bool:
        """Whether the kernel matrix in floats cannot tell what so small a penalty does."""
        return bool(alpha <= self._whole.floor) and not bool(
            (self._whole.values + alpha > self._whole.floor).all()
        )


def trains_on_the_rest(problem: PenaltyProblem) -> bool:
    """Whether training sets are all rows but those held out, with the weights of all rows."""
    splits, classes = problem.splits, problem.classes
    assert splits is not None
    if problem.standardize or classes.factors is None:
        return False
    counted = problem.weights > 0
    partitions = [np.unique(labels[counted]) for labels in splits.labels]
    # A split takes the parts of one partition.
    whole = [(splits.train | splits.held)[:, parts].all(axis=1) for parts in partitions]
    return bool(np.any(whole, axis=0).all())
