r"""What leaves a model together with rows: a mask of columns per split, under a penalty matrix.

A ridge model on columns ``k_x`` (m x n) with a penalty matrix, ``||y - K'a||^2 + alpha a'P a``, is
plain ridge on the *whitened* columns ``phi = C^-1 k``, P = CC', with ``u = C'a``: a penalty matrix
is a change of columns, made once. A mask - coefficients ``a_E`` that are zero in a split - is no
mask of whitened columns but a set of directions that u has to stay clear of,

    a_j = e_j'C^-T u = c_j'u = 0,    c_j = C^-1 e_j,    j in E

so that the model of the split is the ridge model restricted to the complement of ``D = span c_E``.
Every route restricts in its own terms:

- moments: ``A -> (I - DD')A(I - DD')``, ``B -> (I - DD')B``: so weights stay clear;
- eigen coordinates, S = (s + alpha)^-1: in coordinates times ``S^1/2`` the restricted hat matrix is
  ``W'W`` with W made orthogonal to ``S^1/2 D`` (:mod:`holdfast.criteria.held_out_sets`);
- leave-one-out, one direction q: ``h - (q'Sz)^2 / q'Sq`` (:mod:`.penalty_leave_one_out`).

This is Proposition 1 of the paper, where the terms with the rows ``Q_E`` project the same
directions out. Written so, nothing is subtracted that grows with the condition of P: the paper's U
and z differ from R = K_B'Q and v = Q'K_B y by what the projection removes anyway. Against 60-digit
refits at conditions of 1e11 to 1e13: below 1e-9 (1e-7 on a line with alpha = 0.01), the proposition
as printed 1e-5 and worse.

==========  ========  ===============================================
here        paper     meaning
==========  ========  ===============================================
directions  Q_E rows  c_j of length one, (n, basis)
rows        B         the row that takes the direction with it
==========  ========  ===============================================

References
----------
.. [1] T. Pahikkala, H. Suominen, J. Boberg, "Efficient cross-validation for kernelized
   least-squares regression with sparse basis expansions", Machine Learning 87 (2012), section 5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import qr

from holdfast.rows.sums import Array

_SAME = 1e-15
"""A column that is shorter than this beside the others, seen from them, is one of them."""


@dataclass(frozen=True)
class Leaving:
    """Directions of the weights, each of which leaves with a row.

    Attributes
    ----------
    rows : int array of shape (count,)
        Row numbers.
    directions : array of shape (n, count)
        Unit vectors.
    """

    rows: Array
    directions: Array

    def of(self, missing: Array) -> Array:
        """An orthonormal basis (n, e) of what leaves with the rows of a mask (m,)."""
        return orthonormal(self.directions[:, missing[self.rows]])

    def by_row(self, n_rows: int) -> Array:
        """The direction of every row, -1 for rows that take none with them, (m,)."""
        numbers = np.full(n_rows, -1)
        numbers[self.rows] = np.arange(len(self.rows))
        return numbers


def orthonormal(lines: Array) -> Array:
    """An orthonormal basis of the span of columns (n, e), to rounding."""
    if not lines.shape[1]:
        return lines
    basis, triangle, _ = qr(lines, mode="economic", pivoting=True, check_finite=False)
    sizes = np.abs(np.diag(triangle))
    independent: Array = basis[:, : np.count_nonzero(sizes > _SAME * sizes[0])]
    return independent


def without(gram: Array, cross: Array, barred: Array) -> tuple[Array, Array]:
    """Moments (n, n) and (targets, n) without the directions ``barred`` (n, e), orthonormal."""
    if not barred.shape[1]:
        return gram, cross
    across = gram @ barred
    half = barred @ (barred.T @ across) / 2
    gram = gram - (across - half) @ barred.T - barred @ (across - half).T
    return gram, cross - (cross @ barred) @ barred.T
