"""Noise variance and weight precision of a given model, by its evidence.

In the singular vectors of the selected columns (squared singular values t_j) the evidence is

    - 1/2 [ (rest + sum_j e_j alpha / (t_j + alpha)) / s
            + l sum_j log(1 + t_j / alpha) + l M log(2 pi s) ]

with alpha = s a, e_j the squared length of the targets along vector j, rest that beyond all of
them, l targets and M numbers of each: O(k) for any s and a. Given alpha the best noise variance is

    s = (rest + sum_j e_j alpha / (t_j + alpha)) / (l M)

so that one number is left to be searched for, whichever of the two are free. It is searched for on
a grid of its logarithm and, around the best of the grid, by Brent's method: the result is never
below the best of the grid.

A model that interpolates has an evidence without bound as s goes to zero. The noise variance is
kept above 1e-10 of the mean square of the targets; alpha within 1e-12 and 1e8 of the largest t.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from holdfast.rows.sums import Array

_GRID = 101
_LEAST_NOISE = 1e-10
_LEAST_ALPHA, _MOST_ALPHA = 1e-12, 1e8


class Variances(NamedTuple):
    """Noise variance and weight precision; whether one of them ended on its limit."""

    noise: float
    precision: float
    on_limit: bool = False


@dataclass(frozen=True)
class Spectrum:
    """A model as its evidence sees it.

    Attributes
    ----------
    squares : array of shape (k,)
        Squared singular values of the selected columns.
    energies : array of shape (k,)
        Squared lengths of the targets along the singular vectors, summed over targets.
    rest : float
        Squared length of the targets beyond the span, summed.
    count, n_targets : int
        M, and targets.
    constant : float
        What sample weights add for a target.
    """

    squares: Array
    energies: Array
    rest: float
    count: int
    n_targets: int
    constant: float

    def log_evidence(self, noise: float, precision: float) -> float:
        """Log evidence under a pair of variances."""
        alpha = noise * precision
        numbers = self.count * self.n_targets
        scale = numbers * np.log(2 * np.pi * noise)
        scale += self.n_targets * np.log1p(self.squares / alpha).sum()
        constant = self.n_targets * self.constant
        return float(constant - (self._misfit(alpha) / noise + scale) / 2)

    def _misfit(self, alpha: float) -> float:
        """``y' alpha G y``."""
        return float(self.rest + (self.energies * (alpha / (self.squares + alpha))).sum())

    def best(self, noise: float | None, precision: float | None) -> Variances:
        """The variances of the largest evidence, those that are given being fixed."""
        if noise is not None and precision is not None:
            return Variances(noise, precision)
        total = self.rest + self.energies.sum()
        numbers = self.count * self.n_targets
        floor = _LEAST_NOISE * total / numbers
        top = float(self.squares.max(initial=0.0))
        if precision is None:
            if top == 0:  # nothing to be weighed
                best = floor if noise is None else noise
                return Variances(max(total / numbers, best) if noise is None else noise, 1.0)

            def pair(logarithm: float) -> tuple[float, float]:
                alpha = float(np.exp(logarithm))
                own = max(self._misfit(alpha) / numbers, floor) if noise is None else noise
                return own, alpha / own

            low, high = np.log(top * _LEAST_ALPHA), np.log(top * _MOST_ALPHA)
        else:

            def pair(logarithm: float) -> tuple[float, float]:
                return float(np.exp(logarithm)), precision

            low, high = np.log(floor), np.log(10 * total / numbers)
        value = _highest(lambda x: self.log_evidence(*pair(x)), low, high)
        own, weight = pair(value)
        on_limit = noise is None and own <= floor * (1 + 1e-6)
        return Variances(own, weight, bool(on_limit))


def _highest(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function of one number is highest: the best of a grid, made better around it."""
    grid = np.linspace(low, high, _GRID)
    values = np.array([function(x) for x in grid])
    best = int(values.argmax())
    around = grid[max(best - 1, 0)], grid[min(best + 1, _GRID - 1)]
    found = minimize_scalar(
        lambda x: -function(x), bounds=around, method="bounded", options={"xatol": 1e-10}
    )
    return float(found.x) if -found.fun >= values[best] else float(grid[best])
