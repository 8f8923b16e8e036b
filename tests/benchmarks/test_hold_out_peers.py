"""The baselines with folds, the referee of folds and the adapters agree with literal refits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from benchmarks import fold_referee
from benchmarks.fold_problems import FoldProblem, windowed
from benchmarks.fold_referee import FoldAnswer
from benchmarks.peers import (
    PENALTY,
    covariance_method,
    cvmatrix_eigen,
    eigen_method,
    himalaya_ridge,
    naive_folds,
    sklearn_ridge_cv,
)
from benchmarks.peers.centred_moments import centred_moments


def _gaussian(m, n, splits, n_features):
    """Columns with means, unequal folds, and where n > m more columns than training rows."""
    random = np.random.default_rng(5)
    X = random.standard_normal((m, n)) + 3.0 * random.standard_normal(n)
    y = X[:, ::3].sum(axis=1) + random.standard_normal(m) + 7.0
    return FoldProblem(f"gaussian {m} x {n}", X, y, splits, np.logspace(-3, 3, 5), n_features)


PROBLEMS = [windowed(90, 9, 5, 6, 5), _gaussian(41, 8, 6, 4), _gaussian(14, 18, 4, 6)]


def _refit_error(problem, columns, alpha):
    """K-fold by its definition, with normal equations on the centred training rows."""
    total = 0.0
    for training, held_out in problem.cv.split(problem.X):
        X, y = problem.X[training][:, columns], problem.y[training]
        mean, target_mean = X.mean(axis=0), y.mean()
        gram = (X - mean).T @ (X - mean) + alpha * np.eye(len(columns))
        weights = np.linalg.solve(gram, (X - mean).T @ (y - target_mean))
        residual = problem.y[held_out] - target_mean
        residual = residual - (problem.X[held_out][:, columns] - mean) @ weights
        total += residual @ residual
    return total / len(problem.y)


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_moments_are_those_of_the_centred_rows(problem):
    found = centred_moments(problem)
    for fold, (training, held_out) in enumerate(problem.cv.split(problem.X)):
        mean, target_mean = problem.X[training].mean(axis=0), problem.y[training].mean()
        for rows, moments in ((training, "t"), (held_out, "v")):
            X, y = problem.X[rows] - mean, problem.y[rows] - target_mean
            A, B = getattr(found, f"A_{moments}")[fold], getattr(found, f"B_{moments}")[fold]
            scale = np.abs(problem.X).max() ** 2 * len(problem.y)
            np.testing.assert_allclose(A, X.T @ X, rtol=1e-9, atol=1e-13 * scale)
            np.testing.assert_allclose(B, X.T @ y, rtol=1e-9, atol=1e-13 * scale)
        np.testing.assert_allclose(found.c_v[fold], y @ y, rtol=1e-9)


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
@pytest.mark.parametrize("columns", [[], [4], [5, 1, 6]], ids=str)
def test_referee_equals_refitting(problem, columns):
    expected = [_refit_error(problem, columns, alpha) for alpha in problem.alphas]
    found = fold_referee.held_out_errors(problem, columns, problem.alphas)
    np.testing.assert_allclose(found, expected, rtol=1e-9)


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
def test_eigen_and_covariance_methods_choose_the_alpha_of_the_naive_one(problem):
    expected = naive_folds.choose_alpha(problem)
    for method in (eigen_method, covariance_method):
        found = method.choose_alpha(problem)
        assert found.alphas == expected.alphas
        np.testing.assert_allclose(found.grid_errors, expected.grid_errors, rtol=1e-9)


@pytest.mark.parametrize("problem", PROBLEMS, ids=str)
@pytest.mark.parametrize("question", ["forward", "backward"])
def test_eigen_and_covariance_methods_visit_the_models_of_the_naive_one(problem, question):
    expected = getattr(naive_folds, question)(problem)
    size = problem.n_features
    assert len(expected.moves) == (size if question == "forward" else problem.X.shape[1] - size)
    before = problem.X.copy()
    eigen = {"forward": eigen_method.forward, "backward": eigen_method.backward}[question]
    answers = {
        "pairs": eigen(problem, eigen_method.PAIRS),
        "weights": eigen(problem, eigen_method.WEIGHTS),
        "covariance": getattr(covariance_method, question)(problem),
    }
    for found in answers.values():
        assert list(found.moves) == list(expected.moves)
        assert list(found.alphas) == list(expected.alphas)
        np.testing.assert_allclose(found.errors, expected.errors, rtol=1e-9)
    np.testing.assert_array_equal(problem.X, before)
    verdicts = fold_referee.judge(problem, question, answers, same=list(answers))
    assert all(verdict.accepted for verdict in verdicts.values())


def test_pairs_in_many_pieces_give_the_same_squares(monkeypatch):
    random = np.random.default_rng(0)
    g, V = random.standard_normal((13, 7)), random.standard_normal((13, 13))
    V, E = V + V.T, random.random((13, 4))
    expected = np.einsum("kn,kr,kl,lr,ln->nr", g, E, V, E, g)
    for block_bytes in (1, 2000, 10**6):
        monkeypatch.setattr(eigen_method, "BLOCK_BYTES", block_bytes)
        np.testing.assert_allclose(
            eigen_method._squares_by_pairs(g, V, E), expected, rtol=1e-11, atol=1e-11
        )


@pytest.mark.parametrize(
    "peer",
    [sklearn_ridge_cv.PENALTY, cvmatrix_eigen.PENALTY, himalaya_ridge.PENALTY],
    ids=lambda peer: peer.package,
)
@pytest.mark.filterwarnings("default")
def test_other_libraries_answer_the_same_question(peer):
    pytest.importorskip(peer.package)
    problem = windowed(90, 9, 5, 6, 0)
    answers = {"naive": naive_folds.choose_alpha(problem), "peer": peer.solve(problem)}
    verdicts = fold_referee.judge(problem, "penalty", answers, same=list(answers))
    assert verdicts["peer"].accepted, verdicts["peer"].reason
    if peer.scaled is not None:
        assert peer.scaled(problem).seconds > 0.0


def test_every_peer_of_the_penalty_claims_the_same_criterion():
    assert all(peer.same_criterion for peer in PENALTY)


def test_referee_rejects_wrong_choices_wrong_errors_and_missing_columns():
    problem = windowed(90, 9, 5, 6, 4)
    right = naive_folds.forward(problem)
    others = [column for column in range(9) if column not in right.moves][:4]
    boasting = [*right.errors[:-1], right.errors[-1] * (1.0 - 1e-6)]
    answers = {
        "right": right,
        "another order": replace(right, moves=right.moves[::-1], errors=None),
        "other columns": FoldAnswer(others, right.alphas, None),
        "boasting": replace(right, errors=boasting),
        "short": FoldAnswer(right.moves[:3], right.alphas[:4], right.errors[:4]),
        "another question": FoldAnswer(others, right.alphas, None),
    }
    same = [name for name in answers if name != "another question"]
    verdicts = fold_referee.judge(problem, "forward", answers, same)
    accepted = [name for name, verdict in verdicts.items() if verdict.accepted]
    assert accepted == ["right", "another question"]


def test_referee_rejects_another_alpha_and_a_wrong_grid():
    problem = windowed(90, 9, 5, 6, 0)
    right = naive_folds.choose_alpha(problem)
    wrong = np.array(right.grid_errors)
    wrong[0] *= 1.0 + 1e-6
    answers = {
        "right": right,
        "another alpha": FoldAnswer([], [problem.alphas[-1]], None),
        "wrong grid": replace(right, grid_errors=wrong),
    }
    verdicts = fold_referee.judge(problem, "penalty", answers, same=list(answers))
    assert [verdict.accepted for verdict in verdicts.values()] == [True, False, False]


@pytest.mark.parametrize("question", ["forward", "backward"])
def test_referee_accepts_sequences_that_part_at_a_tie(question):
    problem = windowed(90, 9, 5, 6, 4)
    X = np.column_stack([problem.X, problem.X[:, 4]])
    doubled = replace(problem, X=X, n_features=3 if question == "forward" else 7)
    alphas = [problem.alphas[0]] * 4
    answers = {
        "first": FoldAnswer([4, 1, 2], alphas, None),
        "copy": FoldAnswer([9, 1, 2], alphas, None),
    }
    verdicts = fold_referee.judge(doubled, question, answers, same=list(answers))
    assert all(verdict.accepted for verdict in verdicts.values())


def test_windows_are_lagged_alike_and_seeded():
    problem = windowed(92, 10, 4, 3, 2, signals=2)
    np.testing.assert_array_equal(problem.X, windowed(92, 10, 4, 3, 2, signals=2).X)
    assert [rows.stop for rows in problem.held_out] == [23, 46, 69, 92]
    first = problem.X[:23]
    for lag in (*range(4), *range(5, 9)):  # column lag + 1 is column lag one row before
        np.testing.assert_array_equal(first[1:, lag + 1], first[:-1, lag])
