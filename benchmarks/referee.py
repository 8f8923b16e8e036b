"""The referee: judges every answer by a formula of its own before any time is shown.

The leave-one-out error of a support S is computed from the hat matrix of ridge regression with an
unpenalised intercept. With ``A = [1, X_S - mean]``, ``D = diag(0, alpha, ..., alpha)`` and the QR
factorisation ``[A; D^1/2] = Q R`` whose first m rows of Q are ``P``:

    H = A (A'A + D)^-1 A' = P P'          e_j = (y - H y)_j / (1 - H_jj)

exact for every row (the leave-one-out lemma for a quadratic penalty; checked against literal
refits in ``tests/benchmarks``). No quantity of the selection algorithms appears in it, and the
factorisation is backward stable. Cost O(m |S|^2) per answer.

Answers to *the same* criterion must also be the same: equal sequences, or sequences that part at a
tie, that is where the two columns give errors within 1e-9 of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.problems import Problem

TIE = 1e-9


@dataclass(frozen=True)
class Answer:
    """What a contestant returned: columns, in the order chosen if ``ordered``.

    ``error`` is the leave-one-out error the contestant itself reports, if it does.
    """

    columns: Sequence[int]
    error: float | None = None
    ordered: bool = True


@dataclass(frozen=True)
class Verdict:
    """What the referee found: the exact error of the answer, and whether it may be timed."""

    error: float
    accepted: bool
    reason: str


def judge(
    problem: Problem, answers: Mapping[str, Answer], same: Sequence[str]
) -> dict[str, Verdict]:
    """Judge all answers to one problem; those named in ``same`` must agree with each other."""
    first = answers[same[0]] if same else None
    return {
        name: _verdict(problem, answer, first if name in same else None)
        for name, answer in answers.items()
    }


def leave_one_out_error(X: Any, y: np.ndarray, columns: Sequence[int], alpha: float) -> float:
    """Return the mean squared leave-one-out error of ridge regression on some columns of X."""
    targets = y.reshape(len(y), -1)
    selected = X[:, list(columns)]
    selected = selected.toarray() if sp.issparse(X) else np.asarray(selected, dtype=float)
    m, size = selected.shape
    stacked = np.zeros((m + size, size + 1))
    stacked[:m, 0] = 1.0
    stacked[:m, 1:] = selected - selected.mean(axis=0)
    stacked[m:, 1:] = np.sqrt(alpha) * np.eye(size)
    top = np.linalg.qr(stacked)[0][:m]
    residual = targets - top @ (top.T @ targets)
    held_out = residual / (1.0 - np.einsum("ij,ij->i", top, top))[:, None]
    return float(np.mean(held_out**2))


def one_against_rest(labels: np.ndarray) -> np.ndarray:
    """Return the -1/+1 targets of a classifier, one column per class beyond two."""
    classes = np.unique(labels)
    if len(classes) == 2:
        return np.where(labels == classes[1], 1.0, -1.0)
    return np.where(labels[:, None] == classes, 1.0, -1.0)


def _verdict(problem: Problem, answer: Answer, reference: Answer | None) -> Verdict:
    columns = list(answer.columns)
    error = leave_one_out_error(problem.X, problem.y, columns, problem.alpha)
    if len(set(columns)) != problem.n_features:
        reason = f"{len(set(columns))} columns instead of {problem.n_features}"
        return Verdict(error, False, reason)
    if answer.error is not None and not np.isclose(answer.error, error, rtol=1e-9):
        return Verdict(error, False, f"reports the error {answer.error!r}, found {error!r}")
    if reference is None:
        return Verdict(error, True, "an answer to another question")
    if not answer.ordered:
        return _compare_sets(problem, error, columns, list(reference.columns))
    return _compare(problem, columns, list(reference.columns), error)


def _compare_sets(problem: Problem, error: float, mine: list[int], other: list[int]) -> Verdict:
    if set(mine) == set(other):
        return Verdict(error, True, "the same columns")
    theirs = leave_one_out_error(problem.X, problem.y, other, problem.alpha)
    tie = bool(np.isclose(error, theirs, rtol=TIE, atol=0.0))
    return Verdict(error, tie, f"other columns, errors {error!r}, {theirs!r}")


def _compare(problem: Problem, mine: list[int], other: list[int], error: float) -> Verdict:
    for step, (left, right) in enumerate(zip_longest(mine, other)):
        if left == right:
            continue
        errors = [
            leave_one_out_error(problem.X, problem.y, [*mine[:step], column], problem.alpha)
            for column in (left, right)
        ]
        tie = bool(np.isclose(*errors, rtol=TIE, atol=0.0))
        return Verdict(error, tie, f"parts at step {step + 1}, errors {errors[0]!r}, {errors[1]!r}")
    return Verdict(error, True, "the same columns in the same order")
