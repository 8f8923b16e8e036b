"""Moments of training and held-out sets, centred by the training mean.

From the moments of parts (:mod:`holdfast.rows.moments`) and two tables of factors - what every
split trains on, what it holds out - the paper's A_t, B_t, A_v, B_v, c_v. An unpenalised
intercept is exact when training *and* held-out moments are taken about the training mean;
``standardize`` divides by the standard deviations of the training set.

===========  ==================  ====================================================
here         paper               meaning
===========  ==================  ====================================================
train        t                   training set of a split
held         v                   held-out set of a split
cross        B_t, B_v            products of targets and columns, (K, targets, n)
squares      c_v                 squared targets, (K, targets)
lines        rows of A_t, A_v    (K, count, n)
within       diagonals (blocks)  products within features, (K, pairs)
===========  ==================  ====================================================

Factors carry class weights: parts are divided by class, a training set weighs a class by its
own counts (``"balanced"``), the error weighs it by the counts of all rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.criteria.pairs import Pairs
from holdfast.criteria.weighting import ClassWeights
from holdfast.rows.moments import FullMoments, Moments, about
from holdfast.rows.sums import Array, ranges

_CONSTANT = 64 * np.finfo(float).eps
"""A column with a smaller relative spread is constant up to the rounding of its mean."""

_SUMMING = 8 * np.finfo(float).eps
"""Relative rounding of a sum of squares, over the square root of how many there are."""

_CACHED = 1 << 16
"""Numbers of all parts that are combined at a time."""


def constant_to(rows: Array) -> Array:
    """Share of a sum of squares of so many rows that rounding leaves when it cancels."""
    share: Array = np.maximum(_CONSTANT, _SUMMING * np.sqrt(rows))
    return share


@dataclass(frozen=True)
class Factors:
    """Weights of the parts in every split, (K, parts) each."""

    train: Array
    held: Array

    def __len__(self) -> int:
        return len(self.train)


def factors_of(
    train: Array, held: Array, whole: Array, classes: ClassWeights, counts: Array
) -> tuple[Factors, Factors]:
    """What every split, and the model on all rows, takes of the parts divided by class.

    Parameters
    ----------
    train, held : bool array of shape (K, parts)
        Parts that a split trains on, and that it holds out.
    whole : bool array of shape (parts,)
        Parts that hold every row once.
    classes : ClassWeights
        How classes count.
    counts : int array of shape (parts * classes,)
        Rows of positive weight, by part and class.
    """
    nothing = np.zeros_like(whole[None])
    return (
        Factors(*classes.of_parts(train, held, counts)),
        Factors(*classes.of_parts(whole[None], nothing, counts)),
    )


class TrainingSets:
    """Moments of K training sets and what they hold out.

    Parameters
    ----------
    moments : Moments
        Of the parts.
    factors : Factors
        Weights of the parts.
    pairs : Pairs
        Products within features that are wanted.
    fit_intercept, standardize : bool
        Whether to centre by the training mean, and divide by its standard deviations.

    Attributes
    ----------
    point : array of shape (K, n)
        Training means, zero without an intercept.
    target_point : array of shape (K, targets)
        Training means of the targets.
    scale : array of shape (K, n)
        Divisors of the columns.
    constant : bool array of shape (K, n)
        Columns that are constant in the training set.
    mass, held_mass : array of shape (K,)
        Sums of weights.
    """

    def __init__(
        self,
        moments: Moments,
        factors: Factors,
        pairs: Pairs,
        *,
        fit_intercept: bool,
        standardize: bool,
    ) -> None:
        self._moments = moments
        self._factors = factors
        margins = moments.margins
        train, held = factors.train, factors.held
        self.mass, self.held_mass = train @ margins.mass, held @ margins.mass
        self._sums, self._held_sums = train @ margins.sums, held @ margins.sums
        mean = self._sums / self.mass[:, None]
        target_mean = train @ margins.target_sums / self.mass[:, None]

        diagonal = np.arange(len(margins.centre))
        first = diagonal if pairs.single else pairs.first
        second = diagonal if pairs.single else pairs.second
        within = moments.within(first, second)
        about_centre = train @ within[:, pairs.diagonal]
        squares = about_centre - self.mass[:, None] * mean**2
        self.constant = squares <= self._noise(about_centre, mean)
        spread = np.sqrt(np.where(self.constant, 1.0, squares) / self.mass[:, None])
        one = np.ones_like(spread)
        self._scaled = standardize
        self.scale = np.where(self.constant, one, spread) if standardize else one

        # About the training mean, or about zero; both as steps from the centre of the moments.
        self._step = mean if fit_intercept else np.repeat(-margins.centre[None], len(train), axis=0)
        self._target_step = (
            target_mean
            if fit_intercept
            else np.repeat(-margins.target_centre[None], len(train), axis=0)
        )
        self.point = margins.centre + self._step if fit_intercept else np.zeros_like(mean)
        self.target_point = (
            margins.target_centre + self._target_step
            if fit_intercept
            else np.zeros_like(target_mean)
        )
        self.cross = self._cross(train, self.mass, self._sums)
        self.held_cross = self._cross(held, self.held_mass, self._held_sums)
        self.held_squares = self._squares(held, self.held_mass)
        self.within = self._within(train @ within, self.mass, self._sums, first, second)
        self.held_within = self._within(
            held @ within, self.held_mass, self._held_sums, first, second
        )
        # A constant column has no training products but rounding.
        if fit_intercept:
            dead = self.constant[:, first] | self.constant[:, second]
            self.within[dead] = 0.0
            self.cross = np.where(self.constant[:, None], 0.0, self.cross)

    def __len__(self) -> int:
        return len(self.mass)

    def _noise(self, about_centre: Array, mean: Array) -> Array:
        """What rounding leaves of the sum of squares of a constant column, (K, n).

        The centre of the moments is not the column's value where a training set is special - a
        rare indicator that is zero in it -: the sums that cancel are then far larger than what is
        left, and are sums of as many terms as there are rows.
        """
        margins = self._moments.margins
        rows = (self._factors.train > 0) @ margins.counts
        value = self.mass[:, None] * (_CONSTANT * (margins.centre + mean)) ** 2
        noise: Array = np.maximum(value, constant_to(rows)[:, None] * about_centre)
        return noise

    def lines(self, columns: Array) -> tuple[Array, Array]:
        """Lines of A_t and A_v for named columns, (K, count, n) each."""
        return self.combined(columns, self._moments.lines(columns))

    def combined(self, columns: Array, parts: Array) -> tuple[Array, Array]:
        """The same from lines of the parts, (parts, count, n)."""
        both = (
            (self._factors.train, self._sums, self.mass),
            (self._factors.held, self._held_sums, self.held_mass),
        )
        lines = []
        for factors, sums, mass in both:
            line = np.tensordot(factors, parts, axes=1)
            line = about(line, sums[:, columns], sums, mass, self._step[:, columns], self._step)
            line /= self.scale[:, columns, None]
            line /= self.scale[:, None, :]
            lines.append(line)
        return lines[0], lines[1]

    def grams(self, splits: slice, moments: FullMoments) -> tuple[Array, Array]:
        """A_t and A_v of some splits, (count, n, n) each."""
        held = self._factors.held, self._held_sums, self.held_mass
        return self.train_grams(splits, moments), self._grams(splits, moments, *held)

    def train_grams(self, splits: slice, moments: FullMoments) -> Array:
        """A_t of some splits, (count, n, n)."""
        return self._grams(splits, moments, self._factors.train, self._sums, self.mass)

    def _grams(
        self, splits: slice, moments: FullMoments, factors: Array, sums: Array, mass: Array
    ) -> Array:
        step, scale, own = self._step[splits], self.scale[splits], sums[splits]
        n_splits, n_columns = step.shape
        gram = _combined(factors[splits], moments.gram)
        back = own - mass[splits, None] * step
        moved = bool(step.any())
        for few in ranges(n_splits, max(1, _CACHED // n_columns**2)):
            if moved:
                gram[few] -= own[few, :, None] * step[few, None]
                gram[few] -= step[few, :, None] * back[few, None]
            if self._scaled:
                gram[few] /= scale[few, :, None]
                gram[few] /= scale[few, None, :]
        return gram

    def _cross(self, factors: Array, mass: Array, sums: Array) -> Array:
        margins = self._moments.margins
        cross = np.tensordot(factors, margins.cross, axes=1)
        target_sums = factors @ margins.target_sums
        cross = about(cross, target_sums, sums, mass, self._target_step, self._step)
        return cross / self.scale[:, None]

    def _squares(self, factors: Array, mass: Array) -> Array:
        margins, step = self._moments.margins, self._target_step
        squares = factors @ margins.squares
        squares += -2 * (factors @ margins.target_sums) * step + mass[:, None] * step**2
        result: Array = squares
        return result

    def _within(
        self, products: Array, mass: Array, sums: Array, first: Array, second: Array
    ) -> Array:
        step = self._step
        moved = products - sums[:, first] * step[:, second] - step[:, first] * sums[:, second]
        moved += mass[:, None] * step[:, first] * step[:, second]
        scaled: Array = moved / (self.scale[:, first] * self.scale[:, second])
        return scaled


def _combined(factors: Array, grams: Array) -> Array:
    """Weighted sums of matrices, a few lines of all of them at a time: in cache, and by GEMM."""
    n_parts, n, _ = grams.shape
    total = np.empty((len(factors), n, n))
    for lines in ranges(n, max(1, _CACHED // (n_parts * n))):
        flat = grams[:, lines].reshape(n_parts, -1)
        total[:, lines] = (factors @ flat).reshape(len(factors), -1, n)
    return total
