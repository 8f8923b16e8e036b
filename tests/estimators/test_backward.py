"""Backward elimination equals the wrapper that refits."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from holdfast import BackwardRidge, ForwardRidge
from tests import problems
from tests.estimators.agreement import (
    assert_chosen_entry,
    assert_decided,
    assert_path_is_true,
    assert_same_search,
)
from tests.oracles.backward_wrapper import backward
from tests.oracles.ridge_refit import leverage_predictions, regression

CONSTRAINTS = {
    "free": {},
    "groups": {"feature_groups": [[5, 1], [2, 3, 7]]},
    "include, exclude": {"feature_groups": [[6, 0]], "include": [4, 6], "exclude": [2]},
}


@pytest.mark.parametrize("shape", [(30, 9), (9, 14)], ids=["tall", "wide"])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("weights", ["none", "random", "zeros"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("standardize", [False, True], ids=["raw", "standardize"])
@pytest.mark.parametrize("alphas", [(1.0,), (20.0, 0.3, 2.0)], ids=["one alpha", "grid"])
@pytest.mark.parametrize("constraints", CONSTRAINTS)
def test_every_setting(shape, targets, weights, fit_intercept, standardize, alphas, constraints):
    X, Y = problems.several_targets(*shape, targets=3, seed=1)
    y = Y[:, 0] if targets == 1 else Y
    sample_weight = problems.weights(len(X), weights)
    problem = regression(X, y, sample_weight, fit_intercept, standardize)
    record = backward(problem, alphas, 99, **CONSTRAINTS[constraints], predict=leverage_predictions)
    assert_decided(record)
    fits = BackwardRidge(
        alphas=alphas[0] if len(alphas) == 1 else alphas,
        fit_intercept=fit_intercept,
        standardize=standardize,
        n_features_to_select=record.sizes[-1] or "best",
        patience=None,
        **CONSTRAINTS[constraints],
    )
    for stored in (np.asfortranarray(X), sp.csr_array(X)):
        estimator = fits.fit(stored, y, sample_weight=sample_weight)
        assert_same_search(estimator, record)
    if record.sizes[-1]:
        assert_chosen_entry(estimator, problem, record, -1, X=X if standardize else None)


def test_literal_refits_along_the_whole_path():
    X, y = problems.correlated(15, 6)
    alphas = [0.05, 1.0, 20.0]
    problem = regression(X, y, problems.weights(15, "zeros"))
    record = backward(problem, alphas, 6)
    estimator = BackwardRidge(alphas=alphas, patience=None).fit(
        X, y, sample_weight=problem.sample_weight
    )
    assert_decided(record)
    assert_same_search(estimator, record)


def test_keeps_the_columns_that_made_y():
    X, y = problems.from_few_columns(rows=100, columns=20, used=(5, 12))
    estimator = BackwardRidge(n_features_to_select=2).fit(X, y)
    assert list(np.flatnonzero(estimator.support_)) == [5, 12]
    assert list(estimator.path_sizes_) == list(range(20, 1, -1))


@pytest.mark.parametrize("alpha", [1e-6, 1e-2])
def test_many_more_columns_than_rows(alpha):
    """Interpolation at the start: the models of m << n, with a small penalty."""
    X, y = problems.wide(10, 40)
    estimator = BackwardRidge(alphas=alpha, n_features_to_select=3).fit(X, y)
    assert_path_is_true(estimator, regression(X, y), rtol=1e-7)


def test_the_complete_and_the_empty_model_are_those_of_forward():
    X, y = problems.correlated(30, 8)
    forward = ForwardRidge(n_features_to_select=8).fit(X, y)
    backward_ = BackwardRidge(patience=None).fit(X, y)
    assert_allclose(backward_.path_errors_[[0, -1]], forward.path_errors_[[-1, 0]], rtol=1e-10)
    assert_allclose(backward_.truncate(8).coef_, forward.coef_, rtol=1e-9)
