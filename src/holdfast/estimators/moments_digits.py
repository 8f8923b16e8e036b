"""What accumulated sums of squares have left of their digits.

Sums are taken about a centre. With the mean of a set of rows u from the centre and their spread s,

    sum w (x - u)^2 = sum w x^2 - mass u^2       has 1e-16 (1 + u^2 / s^2) of rounding

so the centre follows the mean of all rows before that is much; what lies far from the centre all
the same - a fold far from the others, what is left beside far larger rows that were forgotten -
is said.
"""

from __future__ import annotations

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from holdfast.criteria.training_sets import constant_to
from holdfast.rows.moments import FullMoments
from holdfast.rows.sums import Array

_FAR = 100.0
"""Squared distance of a mean from the centre, in squared spreads, at which the centre follows."""

_DIGITS = 4e8 * np.finfo(float).eps
"""A sum of squares less than this of what it is a difference of has not 1e-8 left."""

Sums = tuple[FullMoments, Array]
"""Moments, and the weights of their parts in a set of rows."""


def following(moments: FullMoments, parts: Array) -> FullMoments:
    """The same moments, about the means of columns and targets that have gone far."""
    margins = moments.margins
    mass = float(parts @ margins.mass)
    if mass <= 0:
        return moments
    about, squares = _squares(moments, parts)
    step = _step(parts @ margins.sums / mass, about, squares)
    sums, about = parts @ margins.target_sums, parts @ margins.squares
    target_step = _step(sums / mass, about, about - sums**2 / mass)
    if not step.any() and not target_step.any():
        return moments
    return moments.moved(margins.centre + step, margins.target_centre + target_step)


def _step(mean: Array, about: Array, squares: Array) -> Array:
    """From the centre to means that are far from it, zero to the others."""
    far = about - squares > _FAR * np.maximum(squares, 0)
    step: Array = np.where(far, mean, 0.0)
    return step


def _squares(moments: FullMoments, parts: Array) -> tuple[Array, Array]:
    """Sums of squares of the columns about the centre and about their mean, (..., n) each."""
    margins = moments.margins
    about = parts @ np.diagonal(moments.gram, axis1=-2, axis2=-1)
    squares = about - (parts @ margins.sums) ** 2 / (parts @ margins.mass)[..., None]
    return about, squares


def lost_by_forgetting(before: Sums, after: Sums) -> Array:
    """Columns whose sums have not 1e-8 left beside those that were taken away, (n,)."""
    about, _ = _squares(*before)
    _, squares = _squares(*after)
    return np.asarray((squares > 0) & (squares < _DIGITS * about))


def lost_in_training(moments: FullMoments, train: Array) -> Array:
    """Columns whose sums have not 1e-8 left in a training set, (n,); ``train`` is (K, parts)."""
    about, squares = _squares(moments, train)
    rounding = constant_to((train > 0) @ moments.margins.counts)[:, None] * about
    return np.any((squares > rounding) & (squares < _DIGITS * about), axis=0)


def warn_of_lost_sums(lost: Array, beside: str) -> None:
    """Say which columns have lost digits beside something far larger."""
    if lost.any():
        columns = np.flatnonzero(lost)
        warnings.warn(
            f"the sums of {len(columns)} columns, among them {columns[0]}, are less than 1e-7 of "
            f"what they are differences of: beside {beside} their rows lie close together, and "
            "fewer than 8 digits are left. Expected batches of about one location: subtract it "
            "from these columns, or make the moments anew from the rows that are left.",
            ConvergenceWarning,
            stacklevel=4,
        )
