"""Held-out predictions of a set of rows from one eigendecomposition of all rows.

With rows times root = sqrt(w), ``X'X = Q diag(s) Q'`` about the mean, ``z = Q'(x - mean)``,
``S = diag(1 / (s + alpha))`` and, for held-out rows F,

    W = S^1/2 Z_F root      g = S^1/2 Q'X'y

W'W is the block of the hat matrix and W'g are the predictions of the model on all rows, both times
root. Where the eigenvectors are not finished, another root of the inverse takes the place of
``S^1/2 Q'`` (:mod:`holdfast.criteria.spectrum`). An unpenalised intercept is one more coordinate
``1 / sqrt(sum w)`` with S = 1, where g is zero. Directions D that leave the model with F
(:mod:`holdfast.criteria.leaving`) are taken out: W and g are made orthogonal to ``S^1/2 Q'D``.
Then, exactly,

    errors  root e_F = (I - W'W)^-1 (root y_F - W'g)                 |F| <= n
    predictions root f_F = W'(I - WW')^-1 (g - W root y_F)           |F| > n

the second being the first turned over: O(min(|F|^2 n, |F| n^2)) for every penalty.

Digits: 1 - leverage keeps 16 + log10(1 - leverage) of them, as in every form that starts from the
model on all rows.

References
----------
.. [1] T. Pahikkala, H. Suominen, J. Boberg, "Efficient cross-validation for kernelized
   least-squares regression with sparse basis expansions", Machine Learning 87 (2012),
   proposition 1 and equation (36).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.criteria.leaving import orthonormal
from holdfast.criteria.spectrum import Spectrum
from holdfast.rows.sums import Array


@dataclass(frozen=True)
class EigenModel:
    """Models on all rows in eigen coordinates.

    Attributes
    ----------
    spectrum : Spectrum
        Of the moments of all rows.
    point, target_point : arrays of shape (n,) and (targets,)
        What rows and targets are centred by, zero without an intercept.
    mass : float
        Sum of the weights.
    fit_intercept : bool
        Whether there is an intercept.
    """

    spectrum: Spectrum
    point: Array
    target_point: Array
    mass: float
    fit_intercept: bool

    def held_out(
        self, z: Array, targets: Array, weights: Array, barred: Array | None, alphas: Array
    ) -> Array:
        """Predictions of rows by the models trained without them, (penalties, targets, rows).

        Parameters
        ----------
        z : array of shape (n, rows)
            Eigen coordinates of centred rows: ``vectors'x``.
        targets : array of shape (targets, rows)
            Their targets.
        weights : array of shape (rows,)
            Their weights in training, positive.
        barred : array of shape (n, e) or None
            Directions that leave with them, in eigen coordinates, orthonormal.
        alphas : array of shape (penalties,)
            Penalties.
        """
        root = np.sqrt(weights)
        inverse = self.spectrum.inverse(alphas)
        y = root * (targets - self.target_point[:, None])
        lines, predictions = z * root, np.empty((len(alphas), *targets.shape))
        constant = root / np.sqrt(self.mass) if self.fit_intercept else None
        for number in range(len(alphas)):
            W, g = inverse.rooted(number, lines), inverse.rooted(number, self.spectrum.cross)
            if barred is not None and barred.shape[1]:
                out = orthonormal(inverse.rooted(number, barred))
                W, g = W - out @ (out.T @ W), g - out @ (out.T @ g)
            if constant is not None:
                W, g = np.vstack([W, constant]), np.vstack([g, np.zeros((1, len(y)))])
            predictions[number] = _held_out(W, g, y) / root
        return predictions + self.target_point[:, None]

    def nearest(self, z: Array, weights: Array, alpha: float) -> float:
        """The least eigenvalue of ``I - W'W``: how near a model is to interpolating some rows.

        Parameters as of :meth:`held_out`, of the smallest penalty.
        """
        lines = self.spectrum.inverse(np.array([alpha])).rooted(0, z * np.sqrt(weights))
        if self.fit_intercept:
            lines = np.vstack([lines, np.sqrt(weights / self.mass)])
        if lines.shape[0] < lines.shape[1]:
            lines = lines.T
        return 1 - float(np.linalg.eigvalsh(lines.T @ lines)[-1])


def _held_out(W: Array, g: Array, y: Array) -> Array:
    """Predictions (targets, rows), both sides times root."""
    length, count = W.shape
    if count <= length:
        inner = np.eye(count) - W.T @ W
        errors: Array = np.linalg.solve(inner, y.T - W.T @ g).T
        return y - errors
    outer = np.eye(length) - W @ W.T
    outputs: Array = np.linalg.solve(outer, g - W @ y.T).T @ W
    return outputs
