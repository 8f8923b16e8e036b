"""Scoring few candidates finds the winner of scoring all of them.

Small tables are scored whole at once. Here there are many more candidates than are scored in one
go, or as few as one are scored at a time, so that every decision rests on lower bounds.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from holdfast import ForwardRidge, ForwardRidgeClassifier
from tests import problems
from tests.estimators import test_forward
from tests.estimators.agreement import assert_decided, assert_same_path, assert_same_search
from tests.oracles.forward_wrapper import floating, forward
from tests.oracles.greedy_rls_paper import greedy_rls
from tests.oracles.ridge_refit import classification, leverage_predictions, regression

FEW = {
    "_SCORED_BYTES": 0,
    "_FEWEST": 1,
    "_KEPT_COLUMNS": 2,
    "_KEPT_BYTES": 0,
}


@pytest.fixture
def one_at_a_time(monkeypatch):
    """Score one candidate, then look at the bounds again; keep no more columns than needed.

    These numbers only weigh speed against memory, and may come and go. What is shown by making
    them small is shown without by the larger tables below.
    """
    for name, value in FEW.items():
        monkeypatch.setattr(f"holdfast.criteria.additions.{name}", value, raising=False)


@pytest.mark.usefixtures("one_at_a_time")
@pytest.mark.parametrize("shape", [(40, 12), (12, 26)], ids=["tall", "wide"])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("weights", ["none", "zeros"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("alphas", [(1.0,), (20.0, 0.1, 2.0)], ids=["one alpha", "grid"])
@pytest.mark.parametrize("constraints", test_forward.CONSTRAINTS)
def test_one_candidate_at_a_time(shape, targets, weights, fit_intercept, alphas, constraints):
    standardize = targets == 3
    test_forward.check(
        "csc_array", shape, targets, weights, fit_intercept, standardize, alphas, constraints
    )


@pytest.mark.usefixtures("one_at_a_time")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("error", ["squared", "zero_one"])
def test_one_candidate_at_a_time_for_classes(n_classes, class_weight, error):
    X, labels = problems.classes(30, 12, n_classes, balance=[0.6, 0.4, 0.0][:n_classes])
    weights = problems.weights(30, "random")
    problem = classification(X, labels, weights, error=error, class_weight=class_weight)
    alphas, groups = [0.2, 5.0], [[0, 3], [1, 2, 7]]
    record = forward(problem, alphas, 6, feature_groups=groups, predict=leverage_predictions)
    fitted = ForwardRidgeClassifier(
        alphas=alphas,
        class_weight=class_weight,
        error=error,
        feature_groups=groups,
        n_features_to_select=6,
    ).fit(X, labels, sample_weight=weights)
    assert_same_search(fitted, record)


@pytest.mark.usefixtures("one_at_a_time")
def test_one_candidate_at_a_time_floating():
    X, y = problems.correlated(40, 12, strength=0.97, seed=5)
    problem = regression(X, y)
    record = floating(problem, [0.5, 5.0], 12, predict=leverage_predictions)
    assert_decided(record)
    fitted = ForwardRidge(alphas=[0.5, 5.0], floating=True, patience=None).fit(X, y)
    assert_same_path(fitted, record)


# --------------------------------------------------------------------------- many candidates, tall


def autoregressive(rows, columns, seed):
    return problems.correlated(rows, columns, strength=0.98, seed=seed)


def with_a_far_mean(rows, columns, seed):
    return problems.big_means(rows, columns, ratio=1e4, seed=seed)


def with_near_copies(rows, columns, seed):
    return problems.nearly_collinear(rows, columns, distance=1e-3, seed=seed)


def of_all_sizes(rows, columns, seed):
    X, y = problems.correlated(rows, columns, seed=seed)
    return X * 10.0 ** np.random.default_rng(seed).uniform(-3, 3, size=columns), y


def with_heavy_tails(rows, columns, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_t(1.5, size=(rows, columns))
    return X, X[:, :5].sum(axis=1) + rng.standard_t(1.5, size=rows)


def rare_counts(rows, columns, seed):
    X, _ = problems.word_counts(rows, columns, density=0.02, seed=seed)
    X = X.toarray()
    return X, X[:, :6] @ np.arange(6.0) + np.random.default_rng(seed).standard_normal(rows)


HOSTILE = [
    autoregressive,
    with_a_far_mean,
    with_near_copies,
    of_all_sizes,
    with_heavy_tails,
    rare_counts,
]


THROUGH_ZERO = [made for made in HOSTILE if made is not with_a_far_mean]  # all columns alike there


@pytest.mark.parametrize(
    ("made", "fit_intercept"),
    [(made, True) for made in HOSTILE] + [(made, False) for made in THROUGH_ZERO],
)
def test_tall_tables(made, fit_intercept):
    X, y = made(1200, 120, seed=1)
    weights = problems.weights(1200, "random") if fit_intercept else None
    problem = regression(X, y, weights, fit_intercept)
    record = forward(problem, [0.5], 6, predict=leverage_predictions)
    assert_decided(record)
    for storage in (np.asfortranarray, sp.csr_array):
        fitted = ForwardRidge(alphas=0.5, fit_intercept=fit_intercept, n_features_to_select=6)
        fitted.fit(storage(X), y, sample_weight=weights)
        assert_same_search(fitted, record)


@pytest.mark.parametrize("made", [autoregressive, with_heavy_tails])
def test_tall_tables_with_a_grid_and_several_targets(made):
    X, y = made(1200, 60, seed=2)
    Y = np.column_stack([y, y[::-1], X[:, 40] - X[:, 50]])
    problem = regression(X, Y)
    record = forward(problem, [100.0, 1.0], 5, predict=leverage_predictions)
    fitted = ForwardRidge(alphas=[100.0, 1.0], n_features_to_select=5).fit(X, Y)
    assert_same_search(fitted, record)


def test_tall_groups():
    X, y = autoregressive(1200, 60, seed=3)
    groups = [list(range(i, i + 3)) for i in range(0, 45, 3)]
    record = forward(
        regression(X, y), [1.0], 5, feature_groups=groups, predict=leverage_predictions
    )
    fitted = ForwardRidge(feature_groups=groups, n_features_to_select=5).fit(X, y)
    assert_same_search(fitted, record)


@pytest.mark.parametrize("made", HOSTILE)
@pytest.mark.parametrize("alpha", [10.0, 1e-2])
def test_long_paths_are_algorithm_2(made, alpha):
    X, y = made(250, 300, seed=6)
    X, y = X - X.mean(axis=0), y - y.mean()
    order, _, errors = greedy_rls(X.T, y, 40, alpha)
    fitted = ForwardRidge(alphas=alpha, fit_intercept=False, n_features_to_select=40).fit(X, y)
    assert list(fitted.selection_order_) == order
    assert_allclose(fitted.path_errors_[1:], np.array(errors) / 250, rtol=1e-9)


def test_a_long_path_with_a_grid_weights_and_intercept():
    X, y = autoregressive(250, 130, seed=7)
    weights = problems.weights(250, "zeros")
    record = forward(regression(X, y, weights), [10.0, 0.1], 36, predict=leverage_predictions)
    assert_decided(record)
    fitted = ForwardRidge(alphas=[10.0, 0.1], n_features_to_select=36)
    assert_same_search(fitted.fit(X, y, sample_weight=weights), record)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_long_path_with_balanced_classes(n_classes):
    X, labels = problems.classes(250, 130, n_classes, balance=[0.8, 0.2, 0.0][:n_classes])
    problem = classification(X, labels, class_weight="balanced")
    record = forward(problem, [2.0], 20, predict=leverage_predictions)
    assert_decided(record)
    fitted = ForwardRidgeClassifier(alphas=2.0, class_weight="balanced", n_features_to_select=20)
    assert_same_search(fitted.fit(X, labels), record)


# --------------------------------------------------------------------------- many candidates, wide


@pytest.mark.parametrize("made", HOSTILE)
@pytest.mark.parametrize("alpha", [10.0, 1e-3])
def test_wide_tables_are_algorithm_2(made, alpha):
    """Far more candidates than rows, up to as many features as rows: all of Algorithm 2's steps."""
    X, y = made(20, 2500, seed=4)
    X, y = X - X.mean(axis=0), y - y.mean()
    order, _, errors = greedy_rls(X.T, y, 8, alpha)
    fitted = ForwardRidge(alphas=alpha, fit_intercept=False, n_features_to_select=8).fit(X, y)
    # Once the error is down to rounding any of the many interpolating features wins.
    clear = int(np.sum(np.array(errors) > 1e-8 * np.sum(y**2)))
    assert list(fitted.selection_order_)[:clear] == order[:clear]
    assert_allclose(fitted.path_errors_[1 : clear + 1], np.array(errors[:clear]) / 20, rtol=1e-7)


@pytest.mark.parametrize("made", HOSTILE)
def test_wide_tables_with_intercept(made):
    X, y = made(30, 1500, seed=5)
    weights = problems.weights(30, "zeros")
    problem = regression(X, y, weights)
    record = forward(problem, [3.0], 2, predict=leverage_predictions)
    assert_decided(record)
    fitted = ForwardRidge(alphas=3.0, n_features_to_select=2).fit(X, y, sample_weight=weights)
    assert_same_search(fitted, record)
