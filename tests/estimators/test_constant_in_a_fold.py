"""Columns that are constant in some training sets, or in all: never noise taken for a spread.

A sum of squares less the square of a sum leaves rounding where a column is constant; divided by its
root, that rounding would become a column of its own.
"""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.model_selection import KFold

from holdfast import BackwardRidge, FoldMoments, ForwardRidge, RidgeCV
from tests import problems
from tests.oracles import decimal_refit
from tests.oracles.penalty_choice import alpha_errors
from tests.oracles.ridge_refit import regression

STORAGES = [np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array]
FOLDS = KFold(4)


def table(seed, columns):
    """Column 2 is a rare indicator and column 3 two-valued: both constant without the first fold.

    Column 4 is constant everywhere. Weights are random, so that sums do not cancel to zero.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, columns))
    X[:, 2], X[:, 3], X[:, 4] = 0.0, 7.1, 0.1
    X[:5, 2], X[:5, 3] = 1.0, 2.3
    return X, X[:, 0] + rng.standard_normal(40), rng.uniform(0.1, 1.1, size=40)


def oracle(X, y, weights, fit_intercept, standardize=True):
    splits = list(FOLDS.split(X))
    return alpha_errors(regression(X, y, weights, fit_intercept, standardize, splits), [0.5])[0]


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("columns", [6, 60], ids=["tall", "wide"])
def test_penalties(storage, fit_intercept, columns):
    for seed in range(8):
        X, y, weights = table(seed, columns)
        fitted = RidgeCV(0.5, cv=FOLDS, fit_intercept=fit_intercept, standardize=True)
        fitted.fit(storage(X), y, weights)
        assert_allclose(fitted.alpha_errors_, oracle(X, y, weights, fit_intercept), rtol=1e-9)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
def test_selection(storage, fit_intercept):
    for seed in range(8):
        X, y, weights = table(seed, 6)
        options = {"alphas": 0.5, "cv": FOLDS, "standardize": True, "fit_intercept": fit_intercept}
        expected = oracle(X, y, weights, fit_intercept)
        size = 5 if fit_intercept else 6  # a constant column is no candidate beside an intercept
        search = ForwardRidge(n_features_to_select=size, **options).fit(storage(X), y, weights)
        assert_allclose(search.path_errors_[-1], expected, rtol=1e-9)
        assert search.support_[4] == (not fit_intercept)
        search = BackwardRidge(n_features_to_select=3, **options).fit(storage(X), y, weights)
        assert_allclose(search.path_errors_[0], expected, rtol=1e-9)


@pytest.mark.parametrize("cv", [None, FOLDS])
@pytest.mark.parametrize("value", [1.0, 0.1, 3.5, 1e6 + 0.1])
@pytest.mark.parametrize("storage", STORAGES)
def test_a_column_of_ones_is_never_selected_beside_an_intercept(storage, value, cv):
    for seed in range(4):
        X, y, weights = table(seed, 6)
        X[:, 1] = value
        for sample_weight in (None, weights):
            search = ForwardRidge(cv=cv, n_features_to_select=4)
            search.fit(storage(X), y, sample_weight=sample_weight)
            assert not search.support_[[1, 4]].any()


@pytest.mark.parametrize("storage", [sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("columns", [7, 60], ids=["tall", "wide"])
@pytest.mark.parametrize("cv", [None, FOLDS])
@pytest.mark.parametrize("standardize", [False, True])
def test_large_means_among_sparse_columns_keep_their_digits(storage, columns, cv, standardize):
    """A timestamp beside one-hot columns."""
    X, y = problems.big_means(40, columns, ratio=1e6)
    X[:, 2:] = np.random.default_rng(0).random((40, columns - 2)) < 0.3
    splits = None if cv is None else list(cv.split(X))
    problem = regression(X, y, standardize=standardize, splits=splits)
    expected = alpha_errors(problem, [1.0], decimal_refit.predictions).astype(float)
    fitted = RidgeCV(1.0, cv=splits, standardize=standardize).fit(storage(X), y)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-8)
    if splits is not None and columns == 7:
        search = ForwardRidge(cv=splits, standardize=standardize, n_features_to_select=7)
        assert_allclose(search.fit(storage(X), y).path_errors_[-1], expected[0], rtol=1e-8)
        folds = np.repeat(np.arange(4), 10)
        moments = FoldMoments().update(storage(X[:25]), y[:25], folds[:25])
        moments.update(storage(X[25:]), y[25:], folds[25:])
        fitted = RidgeCV(1.0, standardize=standardize).fit_moments(moments)
        assert_allclose(fitted.alpha_errors_, expected, rtol=1e-8)


@pytest.mark.parametrize("storage", STORAGES)
def test_absent_rows_and_odd_rows_do_not_move_the_centre(storage):
    """A row of weight zero is absent, whatever stands in it; one wild row is only one row."""
    X, y = problems.correlated(40, 6)
    X = X + 3.0
    weights = np.ones(40)
    weights[0] = 0.0
    X[0] = -1e12
    splits = list(FOLDS.split(X))
    problem = regression(X, y, weights, splits=splits)
    expected = alpha_errors(problem, [1.0])
    fitted = RidgeCV(1.0, cv=splits).fit(storage(X), y, weights)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-9)
    weights[0] = 1.0
    X[0] = -1e6
    problem = regression(X, y, splits=splits)
    expected = alpha_errors(problem, [1.0], decimal_refit.predictions).astype(float)
    fitted = RidgeCV(1.0, cv=splits).fit(storage(X), y)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-8)
