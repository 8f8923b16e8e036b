"""The paper's eigen method in NumPy, as fast as array operations make it: the baseline to beat.

Notation of ridge-cv-selection-2013, sections 2.2, 3.1 and 3.2; one column per alpha. Per fold, with
``A_t = C D C'`` of the selected columns, ``E = 1 / (D + alpha)`` and in the coordinates of C

    W = E * C'B_t        V = C'A_v C        loss = W'(V W - 2 C'B_v) + c_v

every candidate of a step changes W into ``W - u beta`` with ``u = E * g``:

| | g | beta |
|---|---|---|
| remove n (3.1) | row n of C | ``g'W / g'u`` |
| add n (3.2) | ``C'A_t[S, n]`` | ``(B_t[n] - g'W) / (A_t[n, n] + alpha - g'u)``, also n's weight |

For an addition the paper's 2 x 2 system is solved in closed form: as printed it holds numbers of
the size ``(A_t[n, n] / alpha)^2`` that cancel. The paper evaluates the loss of every candidate and
alpha in O(s^2). All of them together, for one fold, are

- `WEIGHTS`: all weight vectors formed and multiplied by V in one product, s x s by s x (n R), in
  pieces that stay in the cache;
- `PAIRS`: only ``u'V u`` needs O(s^2), the rest is linear in u. V is symmetric: the sum over pairs
  ``k <= l`` of ``(g_k g_l) (V_kl E_k E_l)``, one product n x s^2/2 by s^2/2 x R, is half the work.

Both are timed, claims are measured against the faster. One eigendecomposition per fold and step,
as in the paper; nothing is kept from step to step. Cost per step O(K s^3 + R K s^2 n) for n
candidates; memory O(K N^2).

References
----------
Buteneers, Caluwaerts, Dambre, Verstraeten, Schrauwen: Optimized parameter search for large datasets
of the regularization parameter and feature selection for ridge regression.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

import numpy as np

from benchmarks.fold_problems import FoldProblem
from benchmarks.fold_referee import FoldAnswer
from benchmarks.peers.centred_moments import Moments, centred_moments
from benchmarks.peers.peer import FoldPeer

BLOCK_BYTES = 512 * 1024

Score = Literal["weights", "pairs"]
WEIGHTS: Score = "weights"
PAIRS: Score = "pairs"


def choose_alpha(problem: FoldProblem) -> FoldAnswer:
    """Return the best penalty for all columns. O(m n^2 + K n^3) while R < n."""
    errors = grid_errors(centred_moments(problem), problem.alphas)
    best = int(np.argmin(errors))
    return FoldAnswer([], [problem.alphas[best]], [errors[best]], errors)


def grid_errors(moments: Moments, alphas: np.ndarray) -> np.ndarray:
    """Return the error of every penalty from the moments alone. O(K (n^3 + R n^2))."""
    D, C = np.linalg.eigh(moments.A_t)
    losses = np.zeros(len(alphas))
    for fold in range(len(D)):
        E = 1.0 / (np.maximum(D[fold], 0.0)[:, None] + alphas)
        # Back in the coordinates of X: two products n x n x R instead of the two n x n x n of V.
        W = C[fold] @ (E * (moments.B_t[fold] @ C[fold])[:, None])
        product = moments.A_v[fold] @ W - 2.0 * moments.B_v[fold][:, None]
        losses += np.einsum("ij,ij->j", W, product) + moments.c_v[fold]
    return losses / moments.rows


def forward(problem: FoldProblem, score: Score) -> FoldAnswer:
    """Add columns from none to ``n_features``, the penalty optimised at every step."""
    return _search(problem, [], problem.n_features, partial(_additions, score=score))


def backward(problem: FoldProblem, score: Score) -> FoldAnswer:
    """Remove columns from all to ``n_features``, the penalty optimised at every step."""
    every = list(range(problem.X.shape[1]))
    steps = len(every) - problem.n_features
    return _search(problem, every, steps, partial(_removals, score=score))


Scores = Callable[["_Fold"], np.ndarray]


def _search(problem: FoldProblem, support: list[int], steps: int, scores: Scores) -> FoldAnswer:
    moments, alphas, n = centred_moments(problem), problem.alphas, problem.X.shape[1]
    adding = not support
    start = _Step(moments, support, [], alphas).here()
    best = int(np.argmin(start))
    moves, errors, chosen = [], [start[best]], [alphas[best]]
    for _ in range(steps):
        candidates = [i for i in range(n) if i not in support] if adding else list(support)
        losses = _Step(moments, support, candidates, alphas).all_folds(scores)
        # Row by row: the lowest feature, then the first alpha.
        feature, best = divmod(int(np.argmin(losses)), len(alphas))
        moves.append(candidates[feature])
        support = sorted({*support} ^ {moves[-1]})
        errors.append(losses[feature, best])
        chosen.append(alphas[best])
    return FoldAnswer(moves, chosen, errors)


def one_fold(
    moments: Moments,
    support: list[int],
    candidates: list[int],
    alphas: np.ndarray,
    *,
    adding: bool,
    score: Score = PAIRS,
) -> np.ndarray:
    """Return the losses of every candidate of one step in the first fold: a part, to be timed."""
    one = replace(moments, A_t=moments.A_t[:1], A_v=moments.A_v[:1])
    step = _Step(one, support, candidates, alphas)
    return (_additions if adding else _removals)(_Fold(step, 0), score)


class _Step:
    """One eigendecomposition per fold of the selected block, and what every candidate needs."""

    def __init__(
        self, moments: Moments, support: list[int], candidates: list[int], alphas: np.ndarray
    ) -> None:
        self.moments, self.alphas = moments, alphas
        self.support, self.candidates = np.array(support, dtype=int), np.array(candidates)
        self.D, self.C = np.linalg.eigh(self.selected(moments.A_t))

    def selected(self, stacked: np.ndarray) -> np.ndarray:
        return stacked[:, self.support[:, None], self.support]

    def here(self) -> np.ndarray:
        """Return the error of every alpha without a move."""
        folds = [_Fold(self, fold) for fold in range(len(self.D))]
        return np.asarray(sum(fold.loss for fold in folds)) / self.moments.rows

    def all_folds(self, scores: Scores) -> np.ndarray:
        """Return the error of every candidate and alpha, candidates x alphas."""
        total = scores(_Fold(self, 0))
        for fold in range(1, len(self.D)):
            total += scores(_Fold(self, fold))
        return total / self.moments.rows


class _Fold:
    """One fold in the coordinates of its eigenvectors: E, W, V and the loss, as in the module."""

    def __init__(self, step: _Step, fold: int) -> None:
        moments, self.support, self.candidates = step.moments, step.support, step.candidates
        self.alphas, self.C = step.alphas, step.C[fold]
        self.A_t, self.B_t = moments.A_t[fold], moments.B_t[fold]
        self.A_v, self.B_v = moments.A_v[fold], moments.B_v[fold]
        self.E = 1.0 / (np.maximum(step.D[fold], 0.0)[:, None] + step.alphas)
        self.W = self.E * (self.B_t[self.support] @ self.C)[:, None]
        self.V = self.C.T @ self.A_v[self.support][:, self.support] @ self.C
        self.right, self.c_v = (self.B_v[self.support] @ self.C)[:, None], moments.c_v[fold]
        self.slope = self.right - self.V @ self.W
        self.loss = self.c_v - np.einsum("ij,ij->j", self.W, self.slope + self.right)


def _removals(fold: _Fold, score: Score) -> np.ndarray:
    g = np.ascontiguousarray(fold.C.T)
    beta = (g.T @ fold.W) / ((g * g).T @ fold.E)
    return _moved(fold, g, beta, score)


def _additions(fold: _Fold, score: Score) -> np.ndarray:
    candidates = fold.candidates
    # Rows, then columns: three times as fast as both in one index.
    g = fold.C.T @ fold.A_t[fold.support][:, candidates]
    a = fold.C.T @ fold.A_v[fold.support][:, candidates]
    sigma = fold.A_t[candidates, candidates][:, None] + fold.alphas - (g * g).T @ fold.E
    beta = (fold.B_t[candidates][:, None] - g.T @ fold.W) / sigma
    # What the new weight adds by itself: its square, and its products with the others.
    square = fold.A_v[candidates, candidates][:, None] - 2.0 * ((a * g).T @ fold.E)
    cross = a.T @ fold.W - fold.B_v[candidates][:, None]
    return _moved(fold, g, beta, score) + beta * (2.0 * cross + beta * square)


def _moved(fold: _Fold, g: np.ndarray, beta: np.ndarray, score: Score) -> np.ndarray:
    """Return the loss of ``W - u beta`` on the selected block, candidates x alphas."""
    if score == WEIGHTS:
        return _loss_of_weights(fold, g, beta)
    linear = g.T @ (fold.E * fold.slope)
    return fold.loss + beta * (2.0 * linear + beta * _squares_by_pairs(g, fold.V, fold.E))


def _loss_of_weights(fold: _Fold, g: np.ndarray, beta: np.ndarray) -> np.ndarray:
    """Form every weight vector and evaluate equation (4); the alphas in pieces."""
    (s, n), alphas = g.shape, beta.shape[1]
    losses, minus_beta = np.empty((alphas, n)), np.ascontiguousarray(-beta.T)
    width = max(1, BLOCK_BYTES // (8 * max(1, s * n)))
    for start in range(0, alphas, width):
        part = slice(start, start + width)
        W = g[:, None] * fold.E[:, part, None]
        W *= minus_beta[part]
        W += fold.W[:, part, None]
        flat = W.reshape(s, W.shape[1] * n)
        product = fold.V @ flat
        product -= 2.0 * fold.right
        losses[part] = np.einsum("ij,ij->j", flat, product).reshape(-1, n)
    return losses.T + fold.c_v


def _squares_by_pairs(g: np.ndarray, V: np.ndarray, E: np.ndarray) -> np.ndarray:
    """Return ``u'V u`` of every candidate and alpha; pairs of coordinates in pieces."""
    (s, n), total, start = g.shape, np.zeros((g.shape[1], E.shape[1])), 0
    while start < s:
        height = max(1, min(s - start, BLOCK_BYTES // (8 * n * (s - start))))
        rows = slice(start, start + height)
        weights = V[rows, start:].copy()
        weights[:, height:] *= 2.0  # pairs below the diagonal are not visited
        left = (g[rows, None] * g[None, start:]).reshape(-1, n)
        right = weights[:, :, None] * E[None, start:]
        right *= E[rows, None]
        total += left.T @ right.reshape(-1, E.shape[1])
        start += height
    return total


PENALTY = FoldPeer(
    name="eigen method of the paper",
    package="numpy",
    optimises="pooled K-fold error, one eigendecomposition per fold",
    solve=choose_alpha,
    same_criterion=True,
)
FORWARD = {
    score: FoldPeer(
        name=f"eigen method, {score}",
        package="numpy",
        optimises="pooled K-fold error, greedily (O(s^2) per candidate, fold and alpha)",
        solve=partial(forward, score=score),
        same_criterion=True,
    )
    for score in (PAIRS, WEIGHTS)
}
BACKWARD = {
    score: FoldPeer(
        name=f"eigen method, {score}",
        package="numpy",
        optimises="pooled K-fold error, greedily (O(s^2) per candidate, fold and alpha)",
        solve=partial(backward, score=score),
        same_criterion=True,
    )
    for score in (PAIRS, WEIGHTS)
}
