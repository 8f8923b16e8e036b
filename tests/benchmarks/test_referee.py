"""The referee's formula and the baselines agree with literal refits."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from benchmarks import referee
from benchmarks.peers import algorithm2, plain_wrapper
from benchmarks.problems import Problem, planted
from benchmarks.referee import Answer


def _refit_error(X, y, alpha):
    """Leave-one-out by its definition: as many refits as rows."""
    residuals = []
    for row in range(len(y)):
        kept = np.arange(len(y)) != row
        mean, target_mean = X[kept].mean(axis=0), y[kept].mean(axis=0)
        centred = X[kept] - mean
        gram = centred.T @ centred + alpha * np.eye(X.shape[1])
        weights = np.linalg.solve(gram, centred.T @ (y[kept] - target_mean))
        residuals.append(y[row] - target_mean - (X[row] - mean) @ weights)
    return np.mean(np.square(residuals))


@pytest.mark.parametrize("shape", [(30, 8), (8, 30)])
@pytest.mark.parametrize("targets", [(), (3,)])
@pytest.mark.parametrize("alpha", [1e-3, 1.0, 100.0])
def test_referee_equals_refitting(shape, targets, alpha):
    random = np.random.default_rng(0)
    X, y = random.standard_normal(shape) + 5.0, random.standard_normal((shape[0], *targets))
    columns = [5, 1, 6]
    expected = _refit_error(X[:, columns], y, alpha)
    for table in (X, sp.csr_array(X)):
        found = referee.leave_one_out_error(table, y, columns, alpha)
        np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("select", [algorithm2.select_by_rows, algorithm2.select_by_columns])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(40, 12, 5), (12, 40, 4)])
def test_baselines_equal_the_plain_wrapper(select, order, shape):
    problem = planted(*shape, order=order, seed=3)
    expected = plain_wrapper.PEER.solve(problem)
    before = problem.X.copy()
    found = select(problem.X, problem.y, problem.n_features, problem.alpha)
    assert found.columns == expected.columns
    np.testing.assert_allclose(found.error, expected.error, rtol=1e-10)
    np.testing.assert_array_equal(problem.X, before)


def test_referee_rejects_a_wrong_selection_a_wrong_error_and_a_missing_column():
    problem = planted(40, 12, 3)
    right = plain_wrapper.PEER.solve(problem)
    worse = [column for column in range(12) if column not in right.columns][:3]
    answers = {
        "right": right,
        "other columns": Answer(worse),
        "other columns, unordered": Answer(worse, ordered=False),
        "boasting": Answer(right.columns, right.error * (1.0 - 1e-6)),
        "short": Answer(right.columns[:2]),
        "another question": Answer(worse),
    }
    same = [name for name in answers if name != "another question"]
    verdicts = referee.judge(problem, answers, same)
    assert {name: verdict.accepted for name, verdict in verdicts.items()} == {
        "right": True,
        "other columns": False,
        "other columns, unordered": False,
        "boasting": False,
        "short": False,
        "another question": True,
    }


def test_referee_accepts_sequences_that_part_at_a_tie():
    problem = planted(40, 12, 3)
    X = np.column_stack([problem.X, problem.X[:, 4]])
    doubled = Problem("one column twice", X, problem.y, 3)
    answers = {"first": Answer([4, 1, 2]), "copy": Answer([12, 1, 2])}
    verdicts = referee.judge(doubled, answers, same=list(answers))
    assert all(verdict.accepted for verdict in verdicts.values())
