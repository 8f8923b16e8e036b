"""One symmetric decomposition serves every penalty.

With moments ``A = Q diag(s) Q'`` and B, the weights of every penalty are
``Q (s + alpha)^-1 Q'B``. What a singular A leaves to rounding is cut off at a stated floor.

Of a regular A of many columns the eigenvectors are not finished: in the coordinates V of
:mod:`holdfast.criteria.bordered` it is diagonal but for a few lines, and

    (A + alpha)^-1 = V F'F V'

where F is diagonal but for its last lines. With eigenvectors F is ``(s + alpha)^-1/2``. Whoever
needs the inverse asks for F applied to columns, for lengths ``|Fz|^2``, or for ``F'Fb``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from holdfast.criteria.bordered import bordered
from holdfast.rows.sums import Array


@dataclass(frozen=True)
class Spectrum:
    """A training set, decomposed; coordinates are those of V.

    Attributes
    ----------
    values, links, ends, vectors : arrays
        See :mod:`holdfast.criteria.bordered`.
    cross : array of shape (n, targets)
        V'B.
    """

    values: Array
    links: Array
    ends: Array
    vectors: Array
    cross: Array

    @classmethod
    def of(cls, gram: Array, cross: Array) -> Spectrum:
        """Of A_t (n, n) and B_t (targets, n)."""
        values, links, ends, vectors = bordered(gram)
        return cls(np.maximum(values, 0), links, ends, vectors, vectors.T @ cross.T)

    @property
    def floor(self) -> float:
        """Eigenvalues below it are noise."""
        return eigen_floor(self.values)

    def below_floor(self, alpha: float) -> bool:
        """Whether directions are left out under a penalty."""
        return bool((self.values + alpha <= self.floor).any())

    def inverse(self, alphas: Array) -> Inverse:
        """``(A + alpha)^-1`` for every penalty."""
        shrunk, count = shrinkage(self.values, alphas, self.floor), len(self.ends)
        if not count:
            return Inverse(shrunk, np.empty((len(alphas), 0, len(self.values))))
        pulled, unit = shrunk[:, None] * self.links.T, np.eye(count)
        rest = np.diag(self.ends) + alphas[:, None, None] * unit - pulled @ self.links
        lines = np.concatenate([-pulled, np.broadcast_to(unit, rest.shape)], axis=2)
        border = np.linalg.solve(np.linalg.cholesky(rest), lines)
        return Inverse(np.pad(shrunk, ((0, 0), (0, count))), border)

    def weights(self, alphas: Array) -> Array:
        """Weights under every penalty, (n, penalties, targets)."""
        inside = self.inverse(alphas).applied(self.cross).transpose(2, 0, 1)
        weights: Array = self.vectors @ inside.reshape(len(inside), -1)
        return weights.reshape(inside.shape)

    def weights_per_target(self, alphas: Array) -> Array:
        """Weights, a penalty for every target, (targets, n)."""
        inside = self.inverse(alphas).applied_to_each(self.cross)
        weights: Array = inside @ self.vectors.T
        return weights


@dataclass(frozen=True)
class Inverse:
    """``F'F`` for every penalty, in the coordinates of a spectrum.

    Attributes
    ----------
    shrunk : array of shape (penalties, n)
        Squares of the diagonal of F, zero in the border.
    border : array of shape (penalties, border, n)
        The last lines of F, which are not diagonal.
    """

    shrunk: Array
    border: Array

    def rooted(self, penalty: int, columns: Array) -> Array:
        """``F columns`` (n, count) under the penalty of that number."""
        rooted: Array = np.sqrt(self.shrunk[penalty])[:, None] * columns
        if self.border.shape[1]:
            rooted[-self.border.shape[1] :] = self.border[penalty] @ columns
        return rooted

    def products(self, first: Array, second: Array) -> Array:
        """``(F x)'(F z)`` of columns x and z (n, count) in pairs, (penalties, count)."""
        return self.shrunk @ (first * second) + (self._across(first) * self._across(second)).sum(1)

    def lengths(self, columns: Array) -> Array:
        """``|F z|^2`` of columns z (n, count), which are overwritten; (penalties, count)."""
        across = self._across(columns)
        np.square(columns, out=columns)
        lengths: Array = self.shrunk @ columns
        lengths += np.square(across, out=across).sum(axis=1)
        return lengths

    def applied(self, columns: Array) -> Array:
        """``F'F columns`` (n, count), as lines: (penalties, count, n)."""
        applied: Array = self.shrunk[:, None, :] * columns.T
        if self.border.shape[1]:
            applied += (self.border @ columns).transpose(0, 2, 1) @ self.border
        return applied

    def applied_to_each(self, columns: Array) -> Array:
        """``F'F b`` of as many columns b as penalties, one each, as lines: (penalties, n)."""
        across = self.border @ columns.T[:, :, None]
        applied: Array = self.shrunk * columns.T
        applied += (across.transpose(0, 2, 1) @ self.border)[:, 0]
        return applied

    def _across(self, columns: Array) -> Array:
        """The last lines of ``F columns``, (penalties, border, count)."""
        n_penalties, count, n = self.border.shape
        across = self.border.reshape(-1, n) @ columns
        return across.reshape(n_penalties, count, columns.shape[1])


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
