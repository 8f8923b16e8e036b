"""What penalties make of the span: E = alpha (T T' + alpha I)^-1, as the basis grows.

In the basis Q of :mod:`holdfast.criteria.span`, with the triangle ``X_S = T Q``, all that a
penalty changes is the small matrix E, and ``alpha G = alpha (X_S X_S' + alpha I)^-1`` is the
identity outside the span and Q'EQ inside. Adding a column with coordinates (inside, outside) =
(z0, tau) there,

    z = E z0        c = alpha G x = tau n + z Q        sigma = alpha + x'c = alpha + tau^2 + z0'z
    h = x' alpha G y / sigma                           corner = (alpha + z0'z) / sigma
    E <- [E - z z'/sigma, -z tau/sigma; . , corner]

n being the new basis line. A diagonal entry that has fallen below 1e-3 of its last fresh value has
lost digits: E is then rebuilt from the singular values of T.

Criteria that score additions differ in what they read of this: leave-one-out residuals and
leverages (:mod:`holdfast.criteria.additions`), the evidence products and determinants
(:mod:`holdfast.criteria.evidence`).

Cost of a column: O(R k (k + targets)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast.criteria.span import Extension
from holdfast.rows.sums import Array

_REFRESH = 1e-3


class InnerStep(NamedTuple):
    """An added column, under every penalty; shapes (views, R, ...).

    ``z`` = E inside are coordinates of ``alpha G x`` in the basis before it, ``sigma`` and
    ``corner`` numbers, ``h`` and ``along`` (targets,): the new weight, and the product of the new
    basis line with the residual after the step.
    """

    z: Array
    sigma: Array
    h: Array
    corner: Array
    along: Array


class Inner:
    """E for several views and penalties.

    Parameters
    ----------
    n_views : int
        Weightings of the rows.
    alphas : array of shape (R,)
        Penalties.

    Attributes
    ----------
    matrix : array of shape (views, R, k, k)
        E.
    """

    def __init__(self, n_views: int, alphas: Array) -> None:
        self._alphas = alphas
        self.matrix = np.empty((n_views, len(alphas), 0, 0))
        self._fresh_diagonal = np.empty((n_views, len(alphas), 0))

    def follow(self, extension: Extension, target: Array) -> InnerStep:
        """Follow the span by one column.

        ``target`` (views, targets, k or more) is the target in the basis.
        """
        count = extension.inside.shape[1]
        basis_target = target[:, None, :, :count]
        inside, outside = extension.inside[:, None, :, None], extension.outside[:, None]
        z = (self.matrix @ inside)[..., 0]
        inner_square = (z * extension.inside[:, None, :]).sum(axis=-1)
        sigma = self._alphas + outside**2 + inner_square
        on_target = (basis_target @ z[..., None])[..., 0]
        new_target = extension.target[:, None, :]
        h = (outside[..., None] * new_target + on_target) / sigma[..., None]
        corner = (self._alphas + inner_square) / sigma
        along = corner[..., None] * new_target - (outside / sigma)[..., None] * on_target

        grown = np.empty((*sigma.shape, count + 1, count + 1))
        grown[..., :count, :count] = z[..., :, None] * (z / -sigma[..., None])[..., None, :]
        grown[..., :count, :count] += self.matrix
        border = -z * (outside / sigma)[..., None]
        grown[..., count, :count] = grown[..., :count, count] = border
        grown[..., count, count] = corner
        self.matrix = grown
        self._fresh_diagonal = np.concatenate([self._fresh_diagonal, corner[..., None]], axis=-1)
        return InnerStep(z, sigma, h, corner, along)

    @property
    def worn(self) -> bool:
        """Whether differences have lost digits."""
        diagonal = np.diagonal(self.matrix, axis1=-2, axis2=-1)
        return bool((diagonal < _REFRESH * self._fresh_diagonal).any())

    def refresh(self, triangle: Array) -> tuple[Array, Array]:
        """Rebuild E from the triangle (views, k, k); its left vectors and squared values."""
        left, singular, _ = np.linalg.svd(triangle)
        squares = singular[:, None, :] ** 2
        shrink = self._alphas[:, None] / (squares + self._alphas[:, None])
        self.matrix = (left[:, None] * shrink[..., None, :]) @ left[:, None].swapaxes(-1, -2)
        self._fresh_diagonal = np.diagonal(self.matrix, axis1=-2, axis2=-1).copy()
        return left, squares
