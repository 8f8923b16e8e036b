"""Seconds of the paper's methods on one task: on a part, scaled (~), or with ``--full`` to the end.

- *naive*: a refit from the rows (normal equations, the fastest way) for every fold and penalty. The
  part: one of them.
- *cov.*, *eig.*: searches by the covariance and the eigen method as printed, in NumPy
  (`benchmarks/peers`). The part: single steps at up to four sizes along the path - eig. all
  candidates and penalties of one fold, cov. one candidate and penalty -, integrated over the path.

A part is timed three times, and the shortest counts: scaled times favour the paper's methods.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from benchmarks.peers import covariance_method, eigen_method
from benchmarks.peers.centred_moments import Moments
from task import Task


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """What it answers, and its seconds: of the processor, one thread, whatever else runs."""
    started = time.process_time()
    answer = work()
    return answer, time.process_time() - started


def naive(task: Task, whole: bool) -> float:
    """Seconds of refitting for every fold and penalty."""

    def refits(splits: list[tuple[np.ndarray, np.ndarray]], alphas: np.ndarray) -> None:
        for train, held in splits:
            rows = task.X[train], task.y[train], task.X[held]
            for alpha in alphas:
                _refit(*rows, alpha)

    splits = list(task.cv.split(task.X))
    if whole:
        return timed(lambda: refits(splits, task.alphas))[1]
    once = _shortest(lambda: refits(splits[:1], task.alphas[:1]))
    return once * task.splits * len(task.alphas)


def _refit(X: np.ndarray, y: np.ndarray, X_held: np.ndarray, alpha: float) -> np.ndarray:
    mean, target_mean = X.mean(axis=0), y.mean()
    centred = X - mean
    gram = centred.T @ centred
    gram[np.diag_indices_from(gram)] += alpha
    weights = np.linalg.solve(gram, centred.T @ (y - target_mean))
    return target_mean + (X_held - mean) @ weights


def search(
    task: Task, moments: Moments, order: list[int], *, adding: bool, whole: bool
) -> dict[str, float]:
    """Seconds of a search of as many moves as ``order`` has, by the covariance and eigen method."""
    take = _to_the_end if whole else _by_steps
    return take(task, moments, order, adding)


def _to_the_end(task: Task, moments: Moments, order: list[int], adding: bool) -> dict[str, float]:
    n = task.X.shape[1]
    problem = task.problem.selecting(len(order) if adding else n - len(order))

    def errors_of(columns: list[int]) -> np.ndarray:
        return np.array([covariance_method.error(moments, columns, a) for a in task.alphas])

    _, by_covariance = timed(lambda: covariance_method.greedy(problem, errors_of, adding=adding))
    run = eigen_method.forward if adding else eigen_method.backward
    _, by_eigen = timed(lambda: run(problem, eigen_method.PAIRS))
    _, reading = timed(lambda: eigen_method.centred_moments(problem))
    return {"cov.": by_covariance, "eig.": by_eigen - reading}


def _by_steps(task: Task, moments: Moments, order: list[int], adding: bool) -> dict[str, float]:
    n = task.X.shape[1]
    steps = np.unique(np.linspace(0, len(order) - 1, 4).astype(int))
    by_step: dict[str, list[float]] = {"cov.": [], "eig.": []}
    for step in steps.tolist():
        moved = order[:step]
        rest = [column for column in range(n) if column not in moved]
        support, candidates = (moved, rest) if adding else (rest, rest)
        took = _shortest(
            lambda s=support, c=candidates: eigen_method.one_fold(
                moments, s, c, task.alphas, adding=adding
            )
        )
        by_step["eig."].append(took * task.splits)
        size = max(len(support) + (1 if adding else -1), 1)
        took = _shortest(
            lambda s=size: covariance_method.error(moments, range(s), float(task.alphas[-1]))
        )
        by_step["cov."].append(took * len(candidates) * len(task.alphas))
    every = np.arange(len(order))
    return {kind: float(np.interp(every, steps, took).sum()) for kind, took in by_step.items()}


def _shortest(work: Callable[[], Any]) -> float:
    """Seconds of the shortest of three runs: what is scaled up must not be an interruption."""
    return min(timed(work)[1] for _ in range(3))
