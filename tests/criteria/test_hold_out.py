"""The hold-out ledger against refitting every training set."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast.criteria.weighting import plain_classes
from holdfast.estimators import openings
from holdfast.estimators.openings import HoldOutOpening
from holdfast.rows import as_rows
from holdfast.rows.ledger import Features, Move
from holdfast.rows.splits import Splits
from tests import problems
from tests.oracles import ridge_refit
from tests.rows.seven_blocks import SevenBlocks

ALPHAS = np.array([0.01, 1.0, 30.0])


def open_ledger(X, y, pairs, *, groups=(), start=(), sample_weight=None, room=4, **options):
    y = np.asarray(y, dtype=float)
    weights = np.ones(len(X)) if sample_weight is None else sample_weight
    build, all_columns = options.pop("build", as_rows), options.pop("all_columns", True)
    features = Features.partition(X.shape[1], groups)
    options = {"fit_intercept": True, "standardize": False} | options
    with mock.patch.object(openings, "_prefers_all", return_value=all_columns):
        opening = HoldOutOpening.on_rows(
            build(X, y, weights),
            Splits.of(pairs, len(X)),
            features,
            plain_classes(np.array([len(X)])),
            room=room,
            all_columns=False,
            **options,
        )
    return opening.ledger(list(start), ALPHAS, "squared", room), features


def refitted(problem, columns):
    return [float(ridge_refit.hold_out(problem, sorted(columns), alpha)[0]) for alpha in ALPHAS]


def check(ledger, features, problem, rtol=1e-9):
    """Where the ledger stands, and every move from there, equal refitting."""
    support = features.columns(ledger.support).tolist()
    assert_allclose(ledger.standing.errors, refitted(problem, support), rtol=rtol)
    for alpha in range(len(ALPHAS)):
        coef, intercept = ridge_refit.refit(problem, sorted(support), ALPHAS[alpha])
        solution = ledger.solution(alpha)
        expected = coef[:, solution.columns]
        assert_allclose(solution.coef, expected, rtol=1e-7, atol=1e-9 * np.abs(coef).max(initial=1))
        assert_allclose(solution.intercept, intercept, rtol=1e-7, atol=1e-9)
    moves = [Move(-1 if f in ledger.support else +1, f) for f in range(len(features))]
    for move, scores in zip(moves, ledger.score(moves), strict=True):
        columns = features.columns([move.feature]).tolist()
        after = set(support) ^ set(columns)
        assert_allclose(scores, refitted(problem, after), rtol=rtol)


@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("all_columns", [True, False])
def test_every_splitter(fit_intercept, standardize, all_columns):
    X, y = problems.several_targets(40, 9, targets=2, seed=2)
    weights = problems.weights(40, "random")
    groups = problems.groups_of_rows(40)
    for name, pairs in problems.splitters(40, (y[:, 0] > 0).astype(int), groups).items():
        problem = ridge_refit.regression(X, y, weights, fit_intercept, standardize, splits=pairs)
        ledger, features = open_ledger(
            X,
            y,
            pairs,
            sample_weight=weights,
            fit_intercept=fit_intercept,
            standardize=standardize,
            all_columns=all_columns,
        )
        for move in (
            [Move(1, 3), Move(1, 7), Move(-1, 3), Move(1, 0)] if "K" in name else [Move(1, 4)]
        ):
            ledger.accept(move)
        check(ledger, features, problem)


@pytest.mark.parametrize("start", [(), (1, 2), (0, 1, 2, 3, 4)])
def test_groups_move_as_blocks(start):
    X, y, groups = problems.one_hot_blocks(60)
    pairs = problems.splitters(60, np.arange(60) % 2, problems.groups_of_rows(60))["KFold shuffled"]
    problem = ridge_refit.regression(X, y, splits=pairs)
    ledger, features = open_ledger(X, y, pairs, groups=groups, start=start)
    check(ledger, features, problem)
    for feature in range(len(features)):
        ledger.accept(Move(-1 if feature in ledger.support else +1, feature))
    check(ledger, features, problem)


def test_add_then_drop_is_where_it_was():
    X, y = problems.correlated(60, 10)
    pairs = problems.splitters(60, np.arange(60) % 2, problems.groups_of_rows(60))["KFold"]
    ledger, _ = open_ledger(X, y, pairs, start=[2, 5])
    before = ledger.standing.errors
    ledger.accept(Move(+1, 7))
    ledger.accept(Move(-1, 7))
    assert_allclose(ledger.standing.errors, before, rtol=1e-11)


def test_long_backward_path_refreshes_and_stays_exact():
    X, y = problems.correlated(120, 50, strength=0.99)
    pairs = problems.splitters(120, np.arange(120) % 2, problems.groups_of_rows(120))["KFold"]
    problem = ridge_refit.regression(X, y, splits=pairs)
    ledger, features = open_ledger(X, y, pairs, start=range(50))
    for _ in range(44):
        ledger.accept(ledger.best(-1, np.array(ledger.support)).move)
    check(ledger, features, problem, rtol=1e-8)


@pytest.mark.parametrize("storage", [SevenBlocks, as_rows])
def test_lines_of_columns_and_all_moments_agree_on_every_storage(storage):
    X, y = problems.correlated(70, 12)
    pairs = problems.splitters(70, np.arange(70) % 2, problems.groups_of_rows(70))["RepeatedKFold"]
    scores = []
    for all_columns in (True, False):
        ledger, _ = open_ledger(X, y, pairs, build=storage, all_columns=all_columns, start=[3, 8])
        scores.append(ledger.score([Move(+1, f) for f in (0, 1, 2, 11)]))
    assert_allclose(scores[0], scores[1], rtol=1e-11)
