"""The ledger's contract: any start, signed moves, batches, a grid of penalties in one state."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast.criteria import additions
from holdfast.criteria.leave_one_out import LeaveOneOut
from holdfast.criteria.span import frame_of
from holdfast.criteria.weighting import PLAIN, balanced, fixed_classes
from holdfast.rows import as_rows
from holdfast.rows.ledger import Features, Move
from tests import problems
from tests.oracles.ridge_refit import leave_one_out, regression

ALPHAS = np.array([0.1, 1.0, 30.0])


def open_ledger(X, Y, weights=None, *, start=(), alphas=ALPHAS, groups=(), **options):
    frame_options = {"fit_intercept": True, "standardize": False}
    frame_options |= {name: options.pop(name) for name in frame_options if name in options}
    rows = as_rows(X, Y, weights)
    frame = frame_of(rows, options.get("weighting", PLAIN), **frame_options)
    features = Features.partition(X.shape[1], groups)
    return LeaveOneOut(rows, frame, alphas, features=features, start=start, **options)


def refitted(X, Y, weights, support, alpha):
    return leave_one_out(regression(X, Y, weights), list(support), alpha)[0]


@pytest.fixture
def table():
    X, Y = problems.several_targets(30, 8, targets=2, seed=4)
    return X, Y, problems.weights(30, "random")


def test_any_start_equals_the_moves_that_lead_there(table):
    X, Y, w = table
    opened = open_ledger(X, Y, w, start=[5, 0, 3])
    moved = open_ledger(X, Y, w)
    for feature in (5, 0, 3):
        moved.accept(Move(+1, feature))
    for ledger in (opened, moved):
        assert list(ledger.support) == [5, 0, 3]
        for r, alpha in enumerate(ALPHAS):
            assert_allclose(
                ledger.standing.errors[r], refitted(X, Y, w, [5, 0, 3], alpha), rtol=1e-10
            )


@pytest.mark.parametrize("start", [(), (2,), (5, 0, 3)])
def test_a_batch_of_signed_moves(table, start):
    X, Y, w = table
    ledger = open_ledger(X, Y, w, start=start)
    moves = [Move(+1, f) for f in range(8) if f not in start] + [Move(-1, f) for f in start]
    scores = ledger.score(moves)
    for move, line in zip(moves, scores, strict=True):
        after = set(start) ^ {move.feature}
        expected = [refitted(X, Y, w, sorted(after), alpha) for alpha in ALPHAS]
        assert_allclose(line, expected, rtol=1e-10)


@pytest.mark.parametrize("sign", [+1, -1])
def test_the_best_move_is_the_best_of_all(table, sign):
    X, Y, w = table
    start = [5, 0, 3]
    ledger = open_ledger(X, Y, w, start=start)
    allowed = np.array(sorted(set(range(8)) - set(start) if sign > 0 else start))
    scores = ledger.score([Move(sign, f) for f in allowed])
    proposal = ledger.best(sign, allowed)
    assert proposal.error == pytest.approx(scores.min(), rel=1e-10)
    line, alpha = np.unravel_index(scores.argmin(), scores.shape)
    assert (proposal.move, proposal.alpha) == (Move(sign, allowed[line]), alpha)
    assert ledger.best(sign, allowed[:0]) is None


def test_add_then_drop_is_no_move(table):
    X, Y, w = table
    ledger = open_ledger(X, Y, w, start=[1, 6])
    before, solution = ledger.standing, ledger.solution(1)
    ledger.accept(Move(+1, 4))
    ledger.accept(Move(-1, 4))
    assert list(ledger.support) == [1, 6]
    assert_allclose(ledger.standing.errors, before.errors, rtol=1e-10)
    assert_allclose(ledger.standing.std_errors, before.std_errors, rtol=1e-9)
    after = ledger.solution(1)
    order = np.argsort(after.columns), np.argsort(solution.columns)
    assert_allclose(after.coef[:, order[0]], solution.coef[:, order[1]], rtol=1e-9)


def test_a_walk_in_both_directions_stays_exact(table):
    X, Y, w = table
    ledger = open_ledger(X, Y, w, groups=[[0, 2], [3, 5, 6]])
    features = ledger.features
    walk = [+1, +1, -1, +1, +1, -1, -1, +1]
    random = np.random.default_rng(0)
    for sign in walk:
        support = set(ledger.support)
        pool = sorted(support if sign < 0 else set(range(len(features))) - support)
        ledger.accept(Move(sign, int(random.choice(pool))))
        columns = sorted(features.columns(ledger.support).tolist())
        expected = [refitted(X, Y, w, columns, alpha) for alpha in ALPHAS]
        assert_allclose(ledger.standing.errors, expected, rtol=1e-10)


def test_a_grid_in_one_state_equals_its_penalties_alone(table):
    X, Y, w = table
    together = open_ledger(X, Y, w, start=[2, 3])
    together.accept(Move(+1, 7))
    for r, alpha in enumerate(ALPHAS):
        alone = open_ledger(X, Y, w, start=[2, 3], alphas=np.array([alpha]))
        alone.accept(Move(+1, 7))
        assert_allclose(together.standing.errors[r], alone.standing.errors[0], rtol=1e-12)
        assert_allclose(
            together.held_out_predictions(r), alone.held_out_predictions(0), rtol=1e-9, atol=1e-12
        )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("m", "n"), [(60, 25), (15, 40)])
@pytest.mark.parametrize("alphas", [np.array([1e-6, 1.0]), np.array([3.0])])
@pytest.mark.parametrize("kind", ["plain", "grouped", "balanced", "heavy tails"])
@pytest.mark.parametrize("way", ["history", "direct"])
def test_bounds_never_exceed_exact_scores(seed, m, n, alphas, kind, way, monkeypatch):
    monkeypatch.setattr(additions, "_FEW_ENTRIES", 0 if way == "history" else 1000)
    random = np.random.default_rng(seed)
    heavy = kind == "heavy tails"
    X = random.standard_t(2, (m, n)) if heavy else random.standard_normal((m, n))
    X[:, 3] = X[:, 1] + 1e-5 * random.standard_normal(m)
    X[:, 4] = X[:, 1]
    y = X[:, 1] - X[:, 2] + random.standard_normal(m)
    options = {"groups": [[0, 7], [2, 3, 8]]} if kind == "grouped" else {}
    if kind == "balanced":
        y = np.where(y > 0.5, 1.0, -1.0)
        counts = np.array([np.count_nonzero(y < 0), np.count_nonzero(y > 0)])
        options["weighting"] = balanced(counts)
    ledger = open_ledger(X, y, alphas=alphas, **options)
    for _ in range(12):
        allowed = np.array([f for f in range(len(ledger.features)) if f not in ledger.support])
        adding = ledger._adding()
        bounds = adding._lower_bounds(allowed)
        scores = adding.score(allowed).T
        slack = 1e-10 * adding._bounds.empty_score
        assert (bounds <= scores + slack).all()
        ledger.accept(ledger.best(+1, allowed).move)


def test_class_weights_without_each_row():
    weighting = balanced(np.array([5, 1, 4]))
    train, loss = weighting.train, weighting.loss
    assert_allclose(train[-1], [10 / 15, 10 / 3, 10 / 12])
    assert_allclose(train[0], [9 / 12, 9 / 3, 9 / 12])
    # Without its only row the second class is not one of the classes any more.
    assert_allclose(train[1][[0, 2]], [9 / 10, 9 / 8])
    assert_allclose(loss[:-1], np.diag(train[-1]))
    assert not loss[-1].any()
    assert fixed_classes(np.array([1.0, 3.0])).uniform


def test_features_are_numbered_by_their_lowest_column():
    features = Features.partition(7, [[5, 1], [6, 4, 2]])
    assert [features.columns([f]).tolist() for f in range(len(features))] == [
        [0],
        [1, 5],
        [2, 4, 6],
        [3],
    ]
    assert features.feature_of.tolist() == [0, 1, 2, 3, 2, 1, 2]
    assert features.sizes.tolist() == [1, 2, 3, 1]


def test_sweeps_do_not_depend_on_the_number_of_penalties():
    X, y = problems.from_few_columns(500, 60, used=tuple(range(15)), noise=2.0)
    for alphas in (np.array([1.0]), np.logspace(-3, 2, 10)):
        ledger = open_ledger(X, y, alphas=alphas)
        opening = ledger.rows.counts.products
        for _ in range(15):
            allowed = np.array([f for f in range(60) if f not in ledger.support])
            ledger.accept(ledger.best(+1, allowed).move)
        assert ledger.rows.counts.products - opening <= 15
        assert list(itertools.islice(ledger.support, 2)) == [0, 1]
