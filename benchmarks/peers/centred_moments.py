"""Moments of every training set and its held-out rows, for the methods of ridge-cv-selection-2013.

The paper's sections 2.1 and 2.2 have no intercept. An unpenalised one is swept out by centring
the training moments at the training mean mu and the held-out moments around the same mu; everything
the paper derives then holds as printed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.fold_problems import FoldProblem


@dataclass(frozen=True)
class Moments:
    """The paper's covariance matrices, one per fold along the first axis.

    ``A_t, B_t``: of the training rows; ``A_v, B_v, c_v``: of the held-out rows.
    """

    A_t: np.ndarray
    B_t: np.ndarray
    A_v: np.ndarray
    B_v: np.ndarray
    c_v: np.ndarray
    rows: int


def centred_moments(problem: FoldProblem) -> Moments:
    """Return the moments of all folds. O(m n^2), one pass over X; 2 K n^2 numbers.

    The products are symmetric, which NumPy sees and halves their cost; training = total minus
    held out, as in the paper. A provisional centre keeps the digits that a large mean would take.
    """
    X, y = problem.X, problem.y
    n, folds = X.shape[1], len(problem.held_out)
    A_v, B_v, c_v = np.empty((folds, n, n)), np.empty((folds, n)), np.empty(folds)
    s_v, t_v, W_v = np.empty((folds, n)), np.empty(folds), np.empty(folds)
    first = problem.held_out[0]
    centre, target_centre = X[first].mean(axis=0), y[first].mean()
    for fold, rows in enumerate(problem.held_out):
        block, target = X[rows] - centre, y[rows] - target_centre
        A_v[fold], B_v[fold], c_v[fold] = block.T @ block, target @ block, target @ target
        s_v[fold], t_v[fold], W_v[fold] = block.sum(axis=0), target.sum(), len(target)
    A_t, B_t = A_v.sum(axis=0) - A_v, B_v.sum(axis=0) - B_v
    W_t = W_v.sum() - W_v
    mu, y_bar = (s_v.sum(axis=0) - s_v) / W_t[:, None], (t_v.sum() - t_v) / W_t
    for fold in range(folds):
        # One matrix after the other: no temporary of the size of all of them.
        outer = np.outer(mu[fold], mu[fold])
        cross = np.outer(s_v[fold], mu[fold])
        A_t[fold] -= W_t[fold] * outer
        A_v[fold] += W_v[fold] * outer - cross - cross.T
    B_t -= (W_t * y_bar)[:, None] * mu
    B_v += mu * (W_v * y_bar - t_v)[:, None] - s_v * y_bar[:, None]
    c_v += W_v * y_bar**2 - 2.0 * y_bar * t_v
    return Moments(A_t, B_t, A_v, B_v, c_v, len(y))
