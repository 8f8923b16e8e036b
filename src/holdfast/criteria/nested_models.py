"""The models on the first 0, 1, ..., k of k columns, from one triangle.

With the columns (times sqrt(weight), centred where there is an intercept) as ``X_S = Q'T``, Q
orthonormal lines and T upper triangular, the first s columns are ``T[:s, :s]`` in the first s
lines. So T, ``Qy`` and what of y lies beyond Q are all that is needed of the data, for every s:

- the evidence of every size, one column after the other (:mod:`holdfast.criteria.inner`);
- its dependence on the variances, from the singular values (:mod:`holdfast.criteria.variances`);
- posterior means ``w = V t / (t^2 + alpha) U'Qy`` and the predictive variance of a new row x,

      s (1 + 1 / sum(weight) + |R'(x - mean)|^2),    R = V (t^2 + alpha)^-1/2

  with ``T[:s, :s] = U t V'``, alpha = s a; the second term is that of an intercept. That is
  ``s (1 + x'(X_S'X_S + alpha I)^-1 x)``.

Where columns are at hand all together, LAPACK's QR of [columns, targets] gives T and Qy with all
their digits, without Q: O(m k^2), memory m k.

Cost: evidences of all sizes O(k^3); a model O(s^3).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy.linalg import lapack

from holdfast.criteria.inner import Inner
from holdfast.criteria.span import Extension
from holdfast.criteria.variances import Spectrum
from holdfast.rows.sums import Array


@dataclass(frozen=True)
class Sample:
    """What the density is a density of.

    Attributes
    ----------
    count : int
        Numbers of a target that are modelled: rows that count, less one with an intercept.
    constant : float
        What sample weights add to the log density of a target.
    rest : array of shape (targets,)
        Squared length of the targets in directions that the rows at hand do not show.
    """

    count: int
    constant: float
    rest: Array


class Posterior(NamedTuple):
    """A model: means of the weights (targets, s), intercepts, and R (s, s)."""

    coef: Array
    intercept: Array
    root: Array


@dataclass(frozen=True)
class NestedModels:
    """Models on the first columns of several, in their order.

    Attributes
    ----------
    columns : int array of shape (k,)
        What the columns are called.
    centre : array of shape (k,)
        Their means; zero without an intercept.
    target_mean : array of shape (targets,)
        Means of the targets; zero without an intercept.
    triangle : array of shape (k, k)
        T.
    target : array of shape (targets, k)
        Qy.
    sample : Sample
        Its ``rest`` is the squared length of the targets beyond all columns.
    mass : float
        Sum of the weights; infinite without an intercept.
    """

    columns: Array
    centre: Array
    target_mean: Array
    triangle: Array
    target: Array
    sample: Sample
    mass: float

    def log_evidences(self, noise: float, precision: float) -> Array:
        """Log evidence of every size, (k + 1,)."""
        alphas = np.array([noise * precision])
        inner, determinant = Inner(1, alphas), 0.0
        squares = self.target**2
        # From the smallest part on: sums of positive terms.
        beyond = self.sample.rest.sum() + np.append(np.cumsum(squares.sum(axis=0)[::-1])[::-1], 0)
        misfits, determinants = [float(beyond[0])], [0.0]
        for size in range(len(self.columns)):
            extension = Extension(
                self.triangle[None, :size, size],
                self.triangle[None, size, size],
                self.target[None, :, size],
            )
            step = inner.follow(extension, self.target[None])
            if inner.worn:
                inner.refresh(self.triangle[None, : size + 1, : size + 1])
            determinant += float(np.log(step.sigma[0, 0] / alphas[0]))
            known = self.target[:, : size + 1]
            inside = ((known @ inner.matrix[0, 0]) * known).sum()
            misfits.append(float(beyond[size + 1] + inside))
            determinants.append(determinant)
        n_targets = len(self.target)
        scale = self.sample.count * np.log(2 * np.pi * noise) + np.array(determinants)
        evidences: Array = n_targets * (self.sample.constant - scale / 2) - np.array(misfits) / (
            2 * noise
        )
        return evidences

    def spectrum(self, size: int) -> Spectrum:
        """The evidence of one size as a function of the variances."""
        left, singular, _ = np.linalg.svd(self.triangle[:size, :size])
        energies = ((self.target[:, :size] @ left) ** 2).sum(axis=0)
        rest = self.sample.rest.sum() + (self.target[:, size:] ** 2).sum()
        return Spectrum(
            singular**2,
            energies,
            float(rest),
            self.sample.count,
            len(self.target),
            self.sample.constant,
        )

    def posterior(self, size: int, noise: float, precision: float) -> Posterior:
        """The model of one size."""
        left, singular, right = np.linalg.svd(self.triangle[:size, :size])
        shrink = 1 / (singular**2 + noise * precision)
        coef = (self.target[:, :size] @ left) * (singular * shrink) @ right
        intercept = self.target_mean - coef @ self.centre[:size]
        return Posterior(coef, intercept, right.T * np.sqrt(shrink))

    def first(self, size: int) -> NestedModels:
        """Without the columns from ``size`` on."""
        rest = self.sample.rest + (self.target[:, size:] ** 2).sum(axis=1)
        return replace(
            self,
            columns=self.columns[:size],
            centre=self.centre[:size],
            triangle=self.triangle[:size, :size],
            target=self.target[:, :size],
            sample=replace(self.sample, rest=rest),
        )


class Centred(NamedTuple):
    """Targets (targets, m) times root and centred, and what that took."""

    targets: Array
    target_mean: Array
    root: Array
    sample: Sample
    mass: float

    @classmethod
    def of(cls, targets: Array, weights: Array, *, fit_intercept: bool) -> Centred:
        """From targets (targets, m) and positive weights (m,)."""
        count, constant = len(weights), float(np.log(weights).sum()) / 2
        root, mass, mean = np.sqrt(weights), np.inf, np.zeros(len(targets))
        if fit_intercept:
            mass = float(weights.sum())
            mean = targets @ weights / mass
            mean = mean + (targets - mean[:, None]) @ weights / mass
            count, constant = count - 1, constant - float(np.log(mass / len(weights))) / 2
        lines = (targets - mean[:, None]) * root
        return cls(lines, mean, root, Sample(count, constant, np.zeros(len(targets))), mass)

    def centre_of(self, lines: Array) -> Array:
        """Means of lines (k, m); zero without an intercept."""
        if self.mass == np.inf:
            return np.zeros(len(lines))
        means: Array = (lines @ self.root**2) / self.mass
        return means


class Factored(NamedTuple):
    """T (k, k) or with fewer lines, the targets in its lines, and squared lengths beyond."""

    triangle: Array
    target: Array
    rest: Array


def factored(lines: Array, centred: Centred, centre: Array) -> Factored:
    """QR of columns, given as lines (k, m), beside the targets; ``lines`` is left as it is."""
    count, n_targets = len(lines), len(centred.targets)
    both = np.empty((count + n_targets, lines.shape[1]))
    for number, line in enumerate(lines):
        np.multiply(line - centre[number], centred.root, out=both[number])
    both[count:] = centred.targets
    if centred.mass != np.inf:
        # Means are rounded: once more, along the constant.
        unit = centred.root / np.sqrt(centred.mass)
        along = both @ unit
        for number, amount in enumerate(along):
            both[number] -= amount * unit
    made = lapack.dgeqrf(both.T, overwrite_a=True)[0]
    depth = min(count, len(made))
    triangle = np.triu(made[:depth, :count])
    right = made[:, count:]
    beyond = np.array([(right[depth : count + t + 1, t] ** 2).sum() for t in range(n_targets)])
    return Factored(triangle, right[:depth].T.copy(), beyond)


def nested_models(columns: Array, lines: Array, centred: Centred) -> NestedModels:
    """Models on columns given as lines (k, m), in their order."""
    centre = centred.centre_of(lines)
    triangle, target, beyond = factored(lines, centred, centre)
    short = len(columns) - len(triangle)
    if short > 0:  # more columns than rows
        triangle = np.pad(triangle, ((0, short), (0, 0)))
        target = np.pad(target, ((0, 0), (0, short)))
    sample = replace(centred.sample, rest=beyond)
    return NestedModels(
        columns, centre, centred.target_mean, triangle, target, sample, centred.mass
    )
