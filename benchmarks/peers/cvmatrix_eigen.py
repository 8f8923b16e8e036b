"""`cvmatrix.CVMatrix` for the training moments, an eigendecomposition and predictions on top.

cvmatrix gives ``X'X`` and ``X'y`` of every training set, centred by its own means, but neither
penalties nor errors. On top of it, the shortest way to the same answer: ``numpy.linalg.eigh`` per
training set, the weights of all alphas, and the predictions of the held-out rows in one product.
"""

from __future__ import annotations

import numpy as np

from benchmarks.fold_problems import FoldProblem
from benchmarks.fold_referee import FoldAnswer
from benchmarks.peers.peer import FoldPeer


def choose_alpha(problem: FoldProblem) -> FoldAnswer:
    """Return the best penalty. O(m n^2 + K n^3 + R m n)."""
    from cvmatrix import CVMatrix

    X, y = problem.X, problem.y
    matrix = CVMatrix(scale_X=False, scale_Y=False, copy=False)
    matrix.fit(X, y)
    losses = np.zeros(len(problem.alphas))
    for rows in problem.held_out:
        (A, B), (mean, _, target_mean, _) = matrix.training_XTX_XTY(
            np.arange(rows.start, rows.stop)
        )
        D, C = np.linalg.eigh(A)
        W = C @ ((C.T @ B) / (np.maximum(D, 0.0)[:, None] + problem.alphas))
        # The mean is taken off the predictions: no centred copy of the rows.
        residual = (y[rows] - target_mean.ravel())[:, None] - (X[rows] @ W - mean @ W)
        losses += np.einsum("ij,ij->j", residual, residual)
    errors = losses / len(y)
    best = int(np.argmin(errors))
    return FoldAnswer([], [problem.alphas[best]], [errors[best]], errors)


PENALTY = FoldPeer(
    name="cvmatrix CVMatrix + eigh",
    package="cvmatrix",
    optimises="pooled K-fold error, one eigendecomposition per fold",
    solve=choose_alpha,
    same_criterion=True,
)
