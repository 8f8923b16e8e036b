"""A penalty matrix as a change of columns: kernel columns with the penalty ``u'u``.

The model on n basis vectors, ``||y - K_B'a - b||^2 + alpha a'P a``, is ridge on the whitened
columns

    phi(x) = C^-1 k_B(x),    P = K_BB + jitter I = CC',    a = C^-T u

and what a held-out basis vector takes with it is the direction ``C^-1 e_j``
(:mod:`holdfast.criteria.leaving`).

**Jitter.** A basis that spans fewer than n dimensions - duplicated rows, a linear kernel of few
columns, a smooth kernel - has a singular K_BB. Where its condition number (1-norm, as LAPACK
estimates it) is above 1e10, jitter = 1e-13 trace(K_BB), else 0; condition and trace are those of
the whole basis. Then the penalty of a model without some basis vectors is exactly a part of that
matrix, duplicates stand in for each other when one of them leaves, and nothing is cut off that a
split would cut elsewhere. It changes predictions by about 1e-13 n / e in directions whose share e
of the mean diagonal is visible at all.

**Kernels that are no inner products** (sigmoid, some callables) have a K_BB with negative
eigenvalues, under which the objective has no minimum. Their penalty is ``|K_BB|``, the same matrix
with the signs of these eigenvalues turned; :attr:`Whitening.flipped` says that it happened.

Cost O(n^3) once, O(n^2) a row. Rounding: a column whose share of the penalty is e has about
1e-16 / sqrt(e) of the size of phi, 3e-10 at worst.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.linalg import lapack, solve_triangular

from holdfast.rows.sums import Array

_JITTER = 1e-13
_GOOD = 1e-10
"""Reciprocal of the condition number above which there is no jitter."""
_NEGATIVE = 1e-10
"""Eigenvalues below minus this share of the largest are negative, others are rounding."""


@dataclass(frozen=True)
class Whitening:
    """The factor C of a penalty matrix.

    Attributes
    ----------
    factor : array of shape (n, n)
        C, lower triangular.
    exact : bool
        Whether the penalty is K_BB itself: the whitened basis is C then.
    flipped : bool
        Whether negative eigenvalues have been turned.
    """

    factor: Array
    exact: bool
    flipped: bool

    @classmethod
    def of(cls, kernel: Array) -> Whitening:
        """Factor the penalty of K_BB, whose lower triangle is read."""
        jitter = _JITTER * np.trace(np.abs(kernel)) or 1.0
        for shift in (0.0, jitter):
            try:
                factor = np.linalg.cholesky(_raised(kernel, shift))
            except np.linalg.LinAlgError:
                continue
            if shift or _reciprocal_condition(factor, kernel) > _GOOD:
                return cls(factor, exact=not shift, flipped=False)
        values, vectors = np.linalg.eigh(kernel)
        factor = np.linalg.cholesky(_raised(vectors * np.abs(values) @ vectors.T, jitter))
        negative = values[0] < -_NEGATIVE * np.abs(values).max()
        return cls(factor, exact=False, flipped=bool(negative))

    def __call__(self, kernel: Array) -> Array:
        """Whitened rows (rows, n) of kernel rows (rows, n)."""
        solved = solve_triangular(self.factor, kernel.T, lower=True, check_finite=False)
        return solved.T

    def dual(self, coef: Array) -> Array:
        """Dual coefficients (targets, n) of weights u (targets, n) of whitened columns."""
        solved = solve_triangular(self.factor, coef.T, lower=True, trans="T", check_finite=False)
        return solved.T

    @cached_property
    def directions(self) -> Array:
        """The direction of every basis vector, a unit column of (n, n)."""
        inverse = solve_triangular(
            self.factor, np.eye(len(self.factor)), lower=True, check_finite=False
        )
        return inverse / np.linalg.norm(inverse, axis=0)


def _raised(matrix: Array, shift: float) -> Array:
    """A matrix with a shift on its diagonal; itself without one."""
    if not shift:
        return matrix
    raised = matrix.copy()
    raised[np.diag_indices_from(raised)] += shift
    return raised


def _reciprocal_condition(factor: Array, matrix: Array) -> float:
    """1 / condition number of a matrix, in the 1-norm, estimated from its Cholesky factor."""
    estimate, _ = lapack.dpocon(factor.T, np.abs(matrix).sum(axis=0).max(), uplo="U")
    return float(estimate)
