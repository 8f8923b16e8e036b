"""One symmetric eigendecomposition serves every penalty.

With moments ``A = Q diag(s) Q'`` and B, the weights of every penalty are
``Q (s + alpha)^-1 Q'B``. What a singular A leaves to rounding is cut off at a stated floor.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.rows.sums import Array


@dataclass(frozen=True)
class Spectrum:
    """A training set, decomposed: eigenvalues (n,), eigenvectors (n, n), Q'B (n, targets)."""

    values: Array
    vectors: Array
    cross: Array

    @classmethod
    def of(cls, gram: Array, cross: Array) -> Spectrum:
        """Of A_t (n, n) and B_t (targets, n)."""
        values, vectors = np.linalg.eigh(gram)
        return cls(np.maximum(values, 0), vectors, vectors.T @ cross.T)

    @property
    def floor(self) -> float:
        """Eigenvalues below it are noise."""
        return eigen_floor(self.values)

    def below_floor(self, alpha: float) -> bool:
        """Whether directions are left out under a penalty."""
        return bool((self.values + alpha <= self.floor).any())

    def weights(self, alphas: Array) -> Array:
        """Weights under every penalty, (n, penalties, targets)."""
        shrunk = shrinkage(self.values, alphas, self.floor)
        inside = shrunk.T[:, :, None] * self.cross[:, None, :]
        weights: Array = self.vectors @ inside.reshape(len(inside), -1)
        return weights.reshape(inside.shape)

    def weights_per_target(self, alphas: Array) -> Array:
        """Weights, a penalty for every target, (targets, n)."""
        inside = shrinkage(self.values, alphas, self.floor) * self.cross.T
        weights: Array = inside @ self.vectors.T
        return weights


def shrinkage(values: Array, alphas: Array, floor: float) -> Array:
    """``1 / (values + alpha)``, (penalties, values); zero where both lie below the floor.

    Eigenvalues of a singular matrix are noise of the size of the floor: under a penalty below it
    what they stand for is left out, which is the limit of small penalties.
    """
    total = values + alphas[:, None]
    result = np.zeros_like(total)
    np.divide(1.0, total, out=result, where=total > floor)
    return result


def eigen_floor(values: Array) -> float:
    """Rounding error of eigenvalues."""
    return float(len(values) * np.finfo(float).eps * values.max(initial=0.0))
