"""The published choice of a basis by entropy: random row, random member, keep it if it helps.

The step of fixed-size LS-SVM (Suykens et al. 2002, section 6.3) in NumPy, with the row sums of K_BB
kept, so that a trial is one kernel row and O(M): a later implementation's economy, not the paper's,
whose entropy is summed anew.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist


def choose(X: np.ndarray, n_basis: int, gamma: float, n_trials: int, seed: int) -> np.ndarray:
    """Return the basis after ``n_trials`` trials from the random start of that seed."""
    random = np.random.RandomState(seed)
    basis = np.sort(random.choice(len(X), n_basis, replace=False))
    members = set(basis.tolist())
    K = np.exp(-gamma * cdist(X[basis], X[basis], "sqeuclidean"))
    sums = K.sum(axis=1)
    for row, place in zip(
        random.randint(len(X), size=n_trials), random.randint(n_basis, size=n_trials), strict=True
    ):
        if int(row) in members:
            continue
        line = np.exp(-gamma * cdist(X[row : row + 1], X[basis], "sqeuclidean")[0])
        line[place] = 1.0
        if 2 * (sums[place] - line.sum()) <= 0:  # both diagonals are 1
            continue
        members ^= {int(row), int(basis[place])}
        sums += line - K[place]
        K[place], K[:, place] = line, line
        sums[place] = line.sum()
        basis[place] = row
    return basis
