"""The referee of K-fold answers: judges each by refitting from the rows before any time is shown.

A model (columns S, penalty alpha) is refitted for every fold on its training rows, with an
unpenalised intercept, and its squared errors on the held-out rows are summed over all folds and
divided by the number of rows. No moments and no normal equations: the rows of every fold are
reduced by Householder QR of ``[1, X_S, y]``; stacking the triangles of the training folds and
reducing again gives the triangle of the training rows, whose first row sweeps the intercept out.
With the SVD ``P s Q'`` of the rest, ``w = Q (s / (s^2 + alpha)) P' r`` for every alpha, and the
residuals are formed on the held-out rows themselves. Backward stable; cost O(m |S|^2 + K^2 |S|^3)
per set of columns, any number of alphas. Checked against literal refits in ``tests/benchmarks``.

Answers to *the same* search must have the same columns in the same order, or part at a tie: where
the two columns, each with its best alpha, give errors within 1e-9 of each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

import numpy as np

from benchmarks.fold_problems import FoldProblem
from benchmarks.referee import TIE, Verdict

Question = Literal["penalty", "forward", "backward"]


@dataclass(frozen=True)
class FoldAnswer:
    """What a contestant returned.

    ``moves`` are the columns in the order added, or removed going backward; ``errors`` and
    ``alphas`` belong to the models visited, the starting model first. A choice of the penalty has
    no moves, one model, and maybe ``grid_errors``, one per alpha. ``errors`` may be None: a
    contestant that reports none is judged by its choices alone.
    """

    moves: Sequence[int]
    alphas: Sequence[float]
    errors: Sequence[float] | None
    grid_errors: Sequence[float] | None = None


def judge(
    problem: FoldProblem, question: Question, answers: Mapping[str, FoldAnswer], same: Sequence[str]
) -> dict[str, Verdict]:
    """Judge all answers to one problem; those named in ``same`` must agree with each other."""
    first = answers[same[0]] if same else None
    return {
        name: _verdict(problem, question, answer, first if name in same else None)
        for name, answer in answers.items()
    }


def held_out_errors(
    problem: FoldProblem, columns: Sequence[int], alphas: Sequence[float] | np.ndarray
) -> np.ndarray:
    """Return the exact K-fold error of ridge regression on some columns, for every alpha."""
    X, y, parts = problem.X[:, list(columns)], problem.y, problem.held_out
    stacked = np.column_stack([np.ones(len(y)), X, y])
    triangles = [np.linalg.qr(stacked[rows], mode="r") for rows in parts]
    total = np.zeros(len(alphas))
    for fold, rows in enumerate(parts):
        training = np.linalg.qr(np.vstack(triangles[:fold] + triangles[fold + 1 :]), mode="r")
        mean = training[0, 1:] / training[0, 0]
        weights = _ridge(training[1:, 1:-1], training[1:, -1], np.asarray(alphas))
        residual = (y[rows] - mean[-1])[:, None] - (X[rows] - mean[:-1]) @ weights
        total += np.einsum("ij,ij->j", residual, residual)
    return total / len(y)


def _ridge(factor: np.ndarray, target: np.ndarray, alphas: np.ndarray) -> np.ndarray:
    left, s, right = np.linalg.svd(factor, full_matrices=False)
    return right.T @ ((s / (s**2 + alphas[:, None])).T * (left.T @ target)[:, None])


def _verdict(
    problem: FoldProblem, question: Question, answer: FoldAnswer, reference: FoldAnswer | None
) -> Verdict:
    moves = list(answer.moves)
    columns = visited(problem, question, moves, len(moves))
    error = float(held_out_errors(problem, columns, [answer.alphas[-1]])[0])
    expected = problem.n_features if question != "penalty" else problem.X.shape[1]
    if len(columns) != expected:
        return Verdict(error, False, f"{len(columns)} columns instead of {expected}")
    wrong = _wrong_error(problem, question, answer)
    if wrong:
        return Verdict(error, False, wrong)
    if reference is None:
        return Verdict(error, True, "an answer to another question")
    if question == "penalty":
        return _compare_alphas(problem, answer, reference, error)
    return _compare_moves(problem, question, moves, list(reference.moves), error)


def visited(problem: FoldProblem, question: Question, moves: Sequence[int], size: int) -> list[int]:
    """Return the columns of the model after ``size`` moves, in increasing order."""
    every = range(problem.X.shape[1])
    if question == "penalty":
        return list(every)
    moved = set(moves[:size])
    return sorted(moved if question == "forward" else set(every) - moved)


def _wrong_error(problem: FoldProblem, question: Question, answer: FoldAnswer) -> str:
    """Return what is wrong with the errors reported, at the ends and in the middle of a path."""
    if answer.grid_errors is not None:
        exact = held_out_errors(problem, range(problem.X.shape[1]), problem.alphas)
        if not np.allclose(answer.grid_errors, exact, rtol=TIE, atol=0.0):
            worst = np.max(np.abs(np.asarray(answer.grid_errors) / exact - 1.0))
            return f"reports errors of the grid that are wrong by up to {worst:.2g}"
    if answer.errors is None:
        return ""
    steps = len(answer.moves)
    for step in sorted({0, steps // 4, steps // 2, steps}):
        columns = visited(problem, question, answer.moves, step)
        exact = held_out_errors(problem, columns, [answer.alphas[step]])[0]
        if not np.isclose(answer.errors[step], exact, rtol=TIE, atol=0.0):
            return f"reports the error {answer.errors[step]!r} after {step} moves, found {exact!r}"
    return ""


def _compare_alphas(
    problem: FoldProblem, answer: FoldAnswer, reference: FoldAnswer, error: float
) -> Verdict:
    mine, other = answer.alphas[-1], reference.alphas[-1]
    if np.isclose(mine, other, rtol=1e-9):
        return Verdict(error, True, "the same alpha")
    theirs = float(held_out_errors(problem, range(problem.X.shape[1]), [other])[0])
    tie = bool(np.isclose(error, theirs, rtol=TIE, atol=0.0))
    return Verdict(error, tie, f"alphas {mine!r}, {other!r}, errors {error!r}, {theirs!r}")


def _compare_moves(
    problem: FoldProblem, question: Question, mine: list[int], other: list[int], error: float
) -> Verdict:
    for step, (left, right) in enumerate(zip_longest(mine, other)):
        if left == right:
            continue
        if left is None or right is None:
            return Verdict(error, False, f"{len(mine)} moves instead of {len(other)}")
        models = [
            visited(problem, question, [*mine[:step], move], step + 1) for move in (left, right)
        ]
        best = [float(held_out_errors(problem, model, problem.alphas).min()) for model in models]
        tie = bool(np.isclose(*best, rtol=TIE, atol=0.0))
        reason = f"parts at move {step + 1} ({left}, {right}), errors {best[0]!r}, {best[1]!r}"
        return Verdict(error, tie, reason)
    return Verdict(error, True, "the same columns in the same order")
