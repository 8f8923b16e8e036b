"""The evidence ledger against the density of a multivariate normal, by every move and search."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from holdfast.criteria.evidence import Evidence
from holdfast.criteria.span import frame_of
from holdfast.criteria.weighting import PLAIN
from holdfast.rows import as_rows
from holdfast.rows.ledger import Features, Move
from holdfast.searches.backward import backward
from holdfast.searches.forward import forward
from holdfast.searches.path import SizeRule
from tests import problems
from tests.oracles import evidence as oracle

NOISE, PRECISION = np.array([0.3, 2.0]), np.array([5.0, 0.1])


class NobodyWatches:
    def begin(self):
        pass

    def end(self, path):
        return False


def open_ledger(X, Y, weights=None, *, fit_intercept=True, pairs=(NOISE, PRECISION), **options):
    rows = as_rows(X, Y, weights)
    frame = frame_of(rows, PLAIN, fit_intercept=fit_intercept, standardize=False)
    features = Features.partition(X.shape[1], options.pop("groups", ()))
    return Evidence(rows, frame, *map(np.atleast_1d, pairs), features=features, **options)


def defined(X, Y, weights, support, *, fit_intercept=True, pairs=(NOISE, PRECISION)):
    return [
        oracle.log_evidence(X, Y, support, s, a, fit_intercept=fit_intercept, sample_weight=weights)
        for s, a in zip(*map(np.atleast_1d, pairs), strict=True)
    ]


@pytest.fixture(params=["plain", "weighted"])
def table(request):
    X, Y = problems.several_targets(30, 8, targets=2, seed=4)
    return X, Y, None if request.param == "plain" else problems.weights(30, "random")


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("start", [(), (2,), (5, 0, 3)])
def test_every_move_from_every_start(table, start, fit_intercept):
    X, Y, w = table
    ledger = open_ledger(X, Y, w, start=start, fit_intercept=fit_intercept)
    assert_allclose(
        -ledger.standing.errors, defined(X, Y, w, start, fit_intercept=fit_intercept), rtol=1e-11
    )
    moves = [Move(+1, f) for f in range(8) if f not in start] + [Move(-1, f) for f in start]
    for move, line in zip(moves, ledger.score(moves), strict=True):
        after = sorted(set(start) ^ {move.feature})
        assert_allclose(-line, defined(X, Y, w, after, fit_intercept=fit_intercept), rtol=1e-11)


@pytest.mark.parametrize("sign", [+1, -1])
def test_the_best_move_is_the_best_of_all(table, sign):
    X, Y, w = table
    start = [5, 0, 3]
    ledger = open_ledger(X, Y, w, start=start)
    allowed = np.array(sorted(set(range(8)) - set(start) if sign > 0 else start))
    scores = ledger.score([Move(sign, f) for f in allowed])
    proposal = ledger.best(sign, allowed)
    assert proposal.error == pytest.approx(scores.min(), rel=1e-11)
    line, pair = np.unravel_index(scores.argmin(), scores.shape)
    assert (proposal.move, proposal.alpha) == (Move(sign, allowed[line]), pair)
    assert ledger.best(sign, allowed[:0]) is None


def test_groups_move_as_blocks():
    X, y, groups = problems.one_hot_blocks(seed=2)
    ledger = open_ledger(X, y, groups=groups)
    features = ledger.features
    for _ in range(3):
        allowed = np.setdiff1d(np.arange(len(features)), ledger.support)
        scores = ledger.score([Move(+1, f) for f in allowed])
        for feature, line in zip(allowed, scores, strict=True):
            columns = [*features.columns([*ledger.support, feature])]
            assert_allclose(-line, defined(X, y, None, columns), rtol=1e-10)
        proposal = ledger.best(+1, allowed)
        assert proposal.error == pytest.approx(scores.min(), rel=1e-11)
        ledger.accept(proposal.move)
    for feature in ledger.support:
        left = [f for f in ledger.support if f != feature]
        assert_allclose(
            -ledger.score([Move(-1, feature)])[0],
            defined(X, y, None, features.columns(left)),
            rtol=1e-10,
        )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("make", [problems.correlated, problems.wide, problems.from_few_columns])
def test_the_forward_search_is_that_of_trying_every_column(make, storage, fit_intercept):
    X, y = make(seed=3)
    pair = (0.4, 2.0)
    support, evidences, _ = oracle.forward_by_evidence(
        X, y, *pair, most=8, fit_intercept=fit_intercept, least_gain=-np.inf
    )
    ledger = open_ledger(storage(X), y, fit_intercept=fit_intercept, pairs=pair)
    path = forward(
        ledger,
        np.arange(X.shape[1]),
        rule=SizeRule("size", 8),
        limit=8,
        patience=None,
        floating=False,
        watch=NobodyWatches(),
    )
    assert list(path[-1].support) == support
    assert_allclose([-visit.error for visit in path], evidences, rtol=1e-10)
    mean, _ = oracle.posterior(X, y, support, *pair, fit_intercept=fit_intercept)
    assert_allclose(path[-1].solution.coef[0], mean[:8, 0], rtol=1e-8, atol=1e-10)
    # One reading for the frame, and one product with X for a move at most.
    assert ledger.rows.counts.products <= 9


def test_the_papers_own_updates_choose_the_same():
    X, y = problems.correlated(60, 25, seed=8)
    support, gains = oracle.forward_paper(X, y, 0.5, 3.0, 10)
    ledger = open_ledger(X, y, fit_intercept=False, pairs=(0.5, 3.0))
    for feature, gain in zip(support, gains, strict=True):
        allowed = np.setdiff1d(np.arange(25), ledger.support)
        before = ledger.standing.errors[0]
        proposal = ledger.best(+1, allowed)
        assert proposal.move.feature == feature
        assert before - proposal.error == pytest.approx(gain, abs=1e-9)
        ledger.accept(proposal.move)


@pytest.mark.parametrize("floating", [False, True])
def test_other_searches_run_over_it(floating):
    X, y = problems.correlated(40, 10, seed=5)
    ledger = open_ledger(X, y, pairs=(0.8, 1.0), start=() if floating else range(10))
    if floating:
        path = forward(
            ledger,
            np.arange(10),
            rule=SizeRule("best"),
            limit=10,
            patience=None,
            floating=True,
            watch=NobodyWatches(),
        )
    else:
        path = backward(
            ledger,
            np.empty(0, dtype=int),
            rule=SizeRule("best"),
            limit=0,
            patience=None,
            watch=NobodyWatches(),
        )
    for visit in path:
        expected = defined(X, y, None, visit.support, pairs=(0.8, 1.0))
        assert_allclose(-visit.errors, expected, rtol=1e-10)


def test_few_candidates_are_scored_without_a_product():
    X, y = problems.wide(40, 400, seed=1)
    ledger = open_ledger(X, y, pairs=(0.4, 2.0))
    opened = ledger.rows.counts.products
    some = np.array([7, 30, 201, 397])
    proposal = ledger.best(+1, some)
    assert ledger.rows.counts.products == opened
    expected = [defined(X, y, None, [f], pairs=(0.4, 2.0))[0] for f in some]
    assert proposal.move.feature == some[int(np.argmax(expected))]
    assert -proposal.error == pytest.approx(max(expected), rel=1e-11)


def test_nothing_is_proposed_that_gains_too_little():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((50, 6)), rng.standard_normal(50)
    assert open_ledger(X, y, pairs=(1.0, 1e-6), least_gain=0.0).best(+1, np.arange(6)) is None
    assert open_ledger(X, y, pairs=(1.0, 1e-6)).best(+1, np.arange(6)) is not None


@pytest.mark.parametrize("precision", [1e-5, 1.0])
def test_digits_where_columns_nearly_depend_on_each_other(precision):
    rng = np.random.default_rng(2)
    base = rng.standard_normal((40, 3))
    X = np.hstack([base, base + 1e-7 * rng.standard_normal((40, 3)), 1e6 + base[:, :1] ** 2])
    y = X[:, :6] @ rng.standard_normal(6) + 0.1 * rng.standard_normal(40)
    pair = (0.01, precision)
    support, evidences, _ = oracle.forward_by_evidence(
        X - X.mean(axis=0), y, *pair, most=7, fit_intercept=True, least_gain=-np.inf
    )
    ledger = open_ledger(X, y, pairs=pair)
    for feature, evidence in zip(support, evidences, strict=False):
        assert -ledger.standing.errors[0] == pytest.approx(evidence, rel=1e-7)
        proposal = ledger.best(+1, np.setdiff1d(np.arange(7), ledger.support))
        assert proposal.move.feature == feature
        ledger.accept(proposal.move)


@pytest.mark.parametrize("fixed", ["neither", "noise", "precision"])
def test_variances_of_the_largest_evidence(fixed):
    X, Y = problems.several_targets(40, 6, targets=2, seed=9)
    w = problems.weights(40, "random")
    ledger = open_ledger(X, Y, w, start=[0, 2, 3], pairs=(1.0, 1.0))
    spectrum = ledger.models.spectrum(3)
    for s, a in [(0.1, 1.0), (3.0, 0.01)]:
        expected = defined(X, Y, w, [0, 2, 3], pairs=(s, a))[0]
        assert spectrum.log_evidence(s, a) == pytest.approx(expected, rel=1e-11)
    given = {"noise": (0.7, None), "precision": (None, 0.3), "neither": (None, None)}[fixed]
    best = spectrum.best(*given)
    assert not best.on_limit
    top = defined(X, Y, w, [0, 2, 3], pairs=best[:2])[0]
    for up, across in [(1.02, 1.0), (0.98, 1.0), (1.0, 1.05), (1.0, 0.95), (1.01, 1.02)]:
        s = best.noise * (up if fixed != "noise" else 1.0)
        a = best.precision * (across if fixed != "precision" else 1.0)
        assert defined(X, Y, w, [0, 2, 3], pairs=(s, a))[0] <= top + 1e-8


def test_held_out_predictions_are_those_of_leave_one_out():
    X, Y = problems.several_targets(20, 5, targets=2, seed=1)
    ledger = open_ledger(X, Y, start=[1, 3], pairs=(0.5, 2.0))
    predicted = ledger.held_out_predictions(0)
    for row in range(20):
        rest = np.arange(20) != row
        mean, _ = oracle.predictive(
            X[rest], Y[rest], [1, 3], 0.5, 2.0, X[[row]], fit_intercept=True
        )
        assert_allclose(predicted[row], mean[0], rtol=1e-9)
