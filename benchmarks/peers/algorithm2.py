"""The paper's Algorithm 2 in NumPy, as fast as array operations make it: the baseline to beat.

Notation of greedy-rls-2010 (Fig. 2), X here with examples as rows, and an unpenalised intercept
(``G`` starts as ``(I - 11'/m) / alpha``), so that the objective is the one of `ForwardRidge`.

| paper | name | shape | what |
|---|---|---|---|
| a, d | dual, leverage | m | G y, diag G |
| C | cache | n x m | row i = G x_i, kept for every candidate, updated in place |
| X_i a, X_i C_:,i | p, q | n | updated by ``v = X'c_b``, which line 23 needs anyway |

Lines 8-18 (score every candidate) and line 23 (update C) run block by block, on blocks that stay in
the processor's second-level cache, in one read and one write of C per step: the update of the last
step is applied to a block just before it is scored. One more read of C gives ``v``. Seven array
operations score a block and one BLAS call (``dger``) updates it. Two layouts were tried; candidates
as contiguous rows (`select_by_rows`) is the faster and the one the claims are measured against,
examples as rows (`select_by_columns`) is timed beside it.

Cost per step O(mn) time; memory C, as large as X.

References
----------
Pahikkala, Airola, Salakoski: Speeding up greedy forward selection for regularized least-squares,
Algorithm 2.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg.blas import dger

from benchmarks.peers.peer import Peer
from benchmarks.referee import Answer

BLOCK_BYTES = 256 * 1024


def select_by_rows(X: np.ndarray, y: np.ndarray, n_features: int, alpha: float) -> Answer:
    """Select columns with the cache stored as n x m, one contiguous row per candidate."""
    m, n = X.shape
    cache = np.subtract(X.T, X.mean(axis=0)[:, None], order="C")
    cache /= alpha
    dual, leverage = (y - y.mean()) / alpha, np.full(m, (1.0 - 1.0 / m) / alpha)
    p, q = cache @ y, alpha * np.einsum("ij,ij->i", cache, cache)
    height = max(1, BLOCK_BYTES // (8 * m))
    numerator, denominator = np.empty((height, m)), np.empty((height, m))
    update, product = np.zeros(m), np.zeros(n)
    scores, candidates, order = np.empty(n), np.ones(n, dtype=bool), []
    for _ in range(n_features):
        shrink = 1.0 / (1.0 + q)
        step = p * shrink
        for start in range(0, n, height):
            rows = slice(start, start + height)
            block = cache[rows]
            over, under = numerator[: len(block)], denominator[: len(block)]
            if order:
                # line 23 of the step before: C_i -= v_i u
                dger(-1.0, update, product[rows], a=block.T, overwrite_a=1)
            # lines 9 and 13: d - c^2 / (1 + q)
            np.multiply(block, block, out=under)
            under *= shrink[rows, None]
            np.subtract(leverage, under, out=under)
            # line 10: a - c p / (1 + q)
            np.multiply(block, step[rows, None], out=over)
            np.subtract(dual, over, out=over)
            # lines 14 and 15: the leave-one-out residuals and their squared sum
            over /= under
            np.einsum("ij,ij->i", over, over, out=scores[rows])
        best = int(np.argmin(np.where(candidates, scores, np.inf)))
        # lines 19 to 24
        update = cache[best] * shrink[best]
        product = cache @ X[:, best]
        dual = dual - update * p[best]
        leverage = leverage - update * cache[best]
        p, q = p - product * step[best], q - product**2 * shrink[best]
        candidates[best] = False
        order.append(best)
    return Answer(order, scores[order[-1]] / m)


def select_by_columns(X: np.ndarray, y: np.ndarray, n_features: int, alpha: float) -> Answer:
    """Select columns with the cache stored as m x n, one contiguous row per example."""
    m, n = X.shape
    cache = np.subtract(X, X.mean(axis=0), order="C")
    cache /= alpha
    dual, leverage = (y - y.mean()) / alpha, np.full(m, (1.0 - 1.0 / m) / alpha)
    p, q = y @ cache, alpha * np.einsum("ij,ij->j", cache, cache)
    height = max(1, BLOCK_BYTES // (8 * n))
    numerator, denominator = np.empty((height, n)), np.empty((height, n))
    update, product = np.zeros(m), np.zeros(n)
    scores, candidates, order = np.empty(n), np.ones(n, dtype=bool), []
    for _ in range(n_features):
        shrink = 1.0 / (1.0 + q)
        step = p * shrink
        scores = np.zeros(n)
        for start in range(0, m, height):
            rows = slice(start, start + height)
            block = cache[rows]
            over, under = numerator[: len(block)], denominator[: len(block)]
            if order:
                dger(-1.0, product, update[rows], a=block.T, overwrite_a=1)
            np.multiply(block, block, out=under)
            under *= shrink
            np.subtract(leverage[rows, None], under, out=under)
            np.multiply(block, step, out=over)
            np.subtract(dual[rows, None], over, out=over)
            over /= under
            scores += np.einsum("ij,ij->j", over, over)
        best = int(np.argmin(np.where(candidates, scores, np.inf)))
        column = cache[:, best].copy()
        update = column * shrink[best]
        product = X[:, best] @ cache
        dual = dual - update * p[best]
        leverage = leverage - update * column
        p, q = p - product * step[best], q - product**2 * shrink[best]
        candidates[best] = False
        order.append(best)
    return Answer(order, scores[order[-1]] / m)


PEER = Peer(
    name="Algorithm 2 of the paper",
    package="scipy",
    optimises="leave-one-out error of ridge regression, greedily (every candidate scored)",
    select=select_by_rows,
    same_criterion=True,
)
