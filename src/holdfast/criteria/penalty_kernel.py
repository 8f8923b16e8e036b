"""The penalty by m x m kernel matrices, for more columns than rows.

With ``K = X X'`` of a training set - columns centred by its mean, rows times r = sqrt(w) - and
``K = U diag(s) U'``, the dual of every penalty is ``a = U (s + alpha)^-1 U'y``. Two ways from there
to what is held out.

**Blocks of one inverse**, where every split trains on all rows but those it holds out, with the
weights and scales that all rows have. Let ``G = (K + alpha I)^-1`` of all rows, an intercept being
the limit of a constant column of infinite weight. For held-out rows F

    y_F - prediction = G_FF^-1 a_F    (times 1 / r)

Leave-one-out is F of one row: ``a_j / G_jj``. With ``alpha G = U diag(alpha / (s + alpha)) U'``
nothing cancels, also where the model interpolates. The constant, an eigenvector of value zero, is
given the mean value tau, and its share ``alpha / (tau + alpha) r r' / sum w`` taken out.

**A kernel matrix for every split**, for any training sets, class weights and scales. Predictions
are ``K_FT a`` about the training mean.

Time: O(m^2 n) for the matrix, one decomposition O(m^3), and O(f^2 m + f^3) for a split of f rows
and every penalty; or O(m^3) for every split (and O(m^2 n) with ``standardize``). Memory: three
m x m matrices. X is read a few columns at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdfast.criteria.penalty import (
    HeldOut,
    Model,
    PenaltyProblem,
    eigen_floor,
    shrinkage,
)
from holdfast.criteria.span import frame_of
from holdfast.rows.sums import Array, Block, Rows, State, Totals, ranges

_PIECE_NUMBERS = 1 << 22
_CONSTANT = 64 * np.finfo(float).eps


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
        return cls(np.maximum(values, 0), vectors, inside, root, mean, lift)

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


class KernelPenalties:
    """Hold-out of ridge models of all columns by kernel matrices; see :class:`.penalty.Penalties`.

    Parameters
    ----------
    problem : PenaltyProblem
        Rows and splits.
    """

    def __init__(self, problem: PenaltyProblem) -> None:
        self._problem = problem
        rows = problem.rows
        weighting = problem.views
        frame = frame_of(
            rows,
            weighting,
            fit_intercept=problem.fit_intercept,
            standardize=problem.standardize,
        )
        self.squares = frame.squares[-1]
        self._centre, self._scale = frame.centre[-1], frame.scale
        self._kernel = kernel_matrix(rows, self._centre, self._scale)
        self.resolution = problem.resolution
        self.held_mass = float(sum(problem.error_weights[held].sum() for held in problem.held_rows))
        # Rows of weight zero are absent: they are in no training set.
        self._used = np.flatnonzero(problem.weights > 0)
        self._whole = self._dual(weighting.train[-1])

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
        if self._problem.splits is None:
            yield self._left_out(alphas)
        elif alphas.min() > self._whole.floor and trains_on_the_rest(self._problem):
            place = np.empty(self._problem.rows.n_rows, dtype=np.intp)
            place[self._used] = np.arange(len(self._used))
            for rows in self._problem.held_rows:
                errors = self._whole.held_out_errors(place[rows], alphas)
                yield HeldOut(rows, self._problem.targets[:, rows] - errors)
        else:
            for split, rows in enumerate(self._problem.held_rows):
                yield HeldOut(rows, self._of_split(split, rows, alphas))

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

    def _of_split(self, split: int, held: Array, alphas: Array) -> Array:
        """Predictions by the training set of one split, (penalties, targets, rows)."""
        problem = self._problem
        weights, _ = problem.split_weights(split)
        train = np.flatnonzero(weights)
        kernel = self._kernel
        if problem.standardize:
            scale = scales(problem.rows, weights, self._centre)
            kernel = kernel_matrix(problem.rows, self._centre, scale)
        own, across = kernel[np.ix_(train, train)], kernel[np.ix_(held, train)]
        dual = Dual.of(own, problem.targets[:, train], weights[train], problem.fit_intercept)
        if problem.fit_intercept:
            across = across - weights[train] @ own / weights.sum()
        solved = dual.dual(alphas)
        outputs = (across @ solved.reshape(len(train), -1)).reshape(len(held), len(alphas), -1)
        return np.moveaxis(outputs, 0, -1) + dual.target_mean[:, None]

    def model(self, alphas: Array) -> Model:
        """The model on all rows, a penalty for every target; one reading of X."""
        problem = self._problem
        dual = np.zeros_like(problem.targets)
        dual[:, self._used] = self._whole.dual_per_target(alphas)
        totals, _ = problem.rows.sweep(_cross, problem.rows.scatter("dual", dual), None)
        coef = (totals["cross"] - totals["mass"][:, None] * self._centre) / self._scale**2
        return Model(coef, self._whole.target_mean - coef @ self._centre)

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


def kernel_matrix(rows: Rows, centre: Array, scale: Array) -> Array:
    """Products of all rows with each other, columns centred and scaled, (m, m)."""
    total = np.zeros((rows.n_rows, rows.n_rows))
    length = max(rows.fetch_width, _PIECE_NUMBERS // rows.n_rows)
    for some in ranges(rows.n_columns, length):
        columns = np.arange(some.start, some.stop)
        _, states = rows.sweep(_lines, None, (columns, centre[columns], scale[columns]))
        lines = rows.gather(states, "lines")
        total += lines.T @ lines
    return total


def scales(rows: Rows, weights: Array, centre: Array) -> Array:
    """Standard deviations of the columns under some weights, one for constant columns."""
    states = rows.scatter("weights", weights)
    totals, _ = rows.sweep(_spread, states, centre)
    first = np.abs(centre)
    centre = centre + totals["first"] / totals["mass"]
    totals, _ = rows.sweep(_spread, states, centre)
    step = totals["first"] / totals["mass"]
    squares = totals["second"] / totals["mass"] - step**2
    # A mean is known to the rounding of what it was reckoned from: the first centre, and itself.
    constant = squares <= (_CONSTANT * np.maximum(first, np.abs(centre + step))) ** 2
    return np.where(constant, 1.0, np.sqrt(np.where(constant, 1.0, squares)))


def _lines(block: Block, state: State, shared: tuple[Array, Array, Array]) -> tuple[Totals, State]:
    columns, centre, scale = shared
    lines = block.columns(columns)
    lines -= centre[:, None]
    lines /= scale[:, None]
    return Totals(), {"lines": lines}


def _spread(block: Block, state: State, centre: Array) -> tuple[Totals, State]:
    first, second = block.spread(state["weights"][None], centre[None])
    sums = {"first": first[0], "second": second[0], "mass": state["weights"].sum()}
    return Totals(sums), state


def _cross(block: Block, state: State, shared: None) -> tuple[Totals, State]:
    sums = {"cross": block.cross(state["dual"]), "mass": state["dual"].sum(axis=1)}
    return Totals(sums), state
