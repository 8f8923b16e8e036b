"""The referee of kernel models: errors of all penalties, by refitting on a few held-out sets.

An answer is the hold-out error of every penalty of the grid. All contestants of one criterion must
give the same errors and choose the same penalty; leave-one-out contestants are first compared with
the definition on a small problem: as many models as rows.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.linalg import cho_factor, cho_solve, lstsq
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.kernel_problems import KernelProblem

TOLERANCE = 1e-5
"""Relative; the peers whiten by K^-1/2 with a cut of its eigenvalues, ours by K + jitter."""


def judge(answers: Mapping[str, np.ndarray]) -> dict[str, str]:
    """Why answers are rejected, by name; the first is whom the others have to agree with."""
    first, *others = answers
    rejected = {}
    for name in others:
        apart = np.max(np.abs(answers[name] / answers[first] - 1))
        if not apart < TOLERANCE:
            rejected[name] = f"errors differ from those of {first} by {apart:.1e}, relatively"
        elif np.argmin(answers[name]) != np.argmin(answers[first]):
            rejected[name] = f"chooses another penalty than {first}"
    return rejected


def apart(answer: np.ndarray, expected: np.ndarray) -> str:
    """Why predictions are rejected; nothing if they are those expected."""
    difference = np.max(np.abs(answer - expected)) / np.max(np.abs(expected))
    if difference < TOLERANCE:
        return ""
    return f"predictions differ from those of refitting by {difference:.1e} of the largest"


def refitted_without(
    problem: KernelProblem, K: np.ndarray, rows: np.ndarray, alpha: float
) -> np.ndarray:
    """Predictions of rows by the model trained without them and without their basis vectors."""
    trained = np.ones(len(problem.y), dtype=bool)
    trained[rows] = False
    left = np.flatnonzero(trained[problem.basis])
    columns = K[np.ix_(trained, left)]
    gram = columns.T @ columns
    gram += alpha * K[np.ix_(problem.basis[left], left)]
    factor = cho_factor(gram, overwrite_a=True, check_finite=False)
    dual = cho_solve(factor, columns.T @ problem.y[trained])
    return K[np.ix_(rows, left)] @ dual


def by_definition(problem: KernelProblem) -> np.ndarray:
    """Leave-one-out errors of every penalty by refitting without each row, the basis being kept."""
    K_B = rbf_kernel(problem.X, problem.X[problem.basis], gamma=problem.gamma)
    values, vectors = np.linalg.eigh(K_B[problem.basis])
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    errors = np.empty((len(problem.alphas), len(problem.y)))
    for row, y in enumerate(problem.y):
        rest = np.arange(len(problem.y)) != row
        target = np.concatenate([problem.y[rest], np.zeros(len(root))])
        for number, alpha in enumerate(problem.alphas):
            system = np.vstack([K_B[rest], np.sqrt(alpha) * root])
            dual = lstsq(system, target, lapack_driver="gelsy")[0]
            errors[number, row] = (y - K_B[row] @ dual) ** 2
    return errors.mean(axis=1)
