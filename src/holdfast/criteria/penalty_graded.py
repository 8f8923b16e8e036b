"""Held-out errors from a kernel matrix whose rows differ in size by orders of magnitude.

Eigenvectors of ``K`` know small entries to 1e-16 of the largest: beside a row s times the others
s^2 is lost. The inverse is taken with unit diagonal instead: with rows times r = sqrt(w) and
``D = diag(K + alpha I)^-1/2``

    P = (D (K + alpha I) D)^-1,    P <- P - P q q'P / q'P q,  q = D r     (an intercept)
    held-out errors of the rows F:   P_FF^-1 (P D r y)_F    (times 1 / (D r))

which is exact and keeps the digits of rows of any size. K is about a point near most rows, not the
mean, which large rows take with them. Time O(m^3) for every penalty; memory two m x m matrices.
"""

from __future__ import annotations

import numpy as np

from holdfast.rows.sums import Array

_GRADED = 1e4
"""Squared lengths of rows that are so many times those of most others ask for this."""


def is_graded(kernel: Array, weights: Array) -> bool:
    """Whether some rows are far larger than most others."""
    lengths = np.diagonal(kernel) * weights
    return bool(lengths.max() > _GRADED * np.median(lengths))


def graded_errors(
    kernel: Array,
    targets: Array,
    weights: Array,
    held: list[Array],
    alphas: Array,
    *,
    fit_intercept: bool,
) -> list[Array]:
    """Errors of held-out sets of rows, (penalties, targets, rows) each.

    Parameters
    ----------
    kernel : array of shape (m, m)
        Products of rows about a point near most of them; about zero without an intercept.
    targets : array of shape (targets, m)
        Targets.
    weights : array of shape (m,)
        Positive.
    held : list of int arrays
        Rows that are held out together.
    alphas : array of shape (R,)
        Positive penalties.
    """
    root = np.sqrt(weights)
    matrix = kernel * root * root[:, None]
    if fit_intercept:
        targets = targets - (targets @ weights / weights.sum())[:, None]
    errors = [np.empty((len(alphas), len(targets), len(rows))) for rows in held]
    for number, alpha in enumerate(alphas):
        shifted = matrix + alpha * np.eye(len(matrix))
        unit = 1 / np.sqrt(np.diagonal(shifted))
        inverse = np.linalg.inv(shifted * unit * unit[:, None])
        scale = root * unit
        if fit_intercept:
            pushed = inverse @ scale
            inverse -= np.outer(pushed, pushed) / (scale @ pushed)
        solved = (targets * scale) @ inverse
        for found, rows in zip(errors, held, strict=True):
            block = inverse[np.ix_(rows, rows)]
            found[number] = np.linalg.solve(block, solved[:, rows].T).T / scale[rows]
    return errors
