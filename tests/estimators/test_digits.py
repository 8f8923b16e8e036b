"""How many digits survive on hostile data, against decimal arithmetic of 60 digits.

Two questions are kept apart. Is every error on the path the true one of the model it belongs to
(``true_errors``)? And was the right feature taken, wherever the runner-up is not equal to rounding?
"""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.exceptions import ConvergenceWarning

from holdfast import BackwardRidge, ForwardRidge, ForwardRidgeClassifier
from tests import problems
from tests.estimators.agreement import assert_same_search, moves_of, starting_columns
from tests.oracles import decimal_refit
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import forward
from tests.oracles.ridge_refit import leave_one_out, regression

STORAGES = [np.asarray, sp.csc_array]


def true_errors(estimator, problem):
    """The error of every entry of a path, in decimal arithmetic, under the alpha it reports."""
    columns, errors = starting_columns(estimator), []
    for (sign, moved), alpha in zip(
        [(1, ()), *moves_of(estimator)], estimator.path_alphas_, strict=True
    ):
        columns = columns | set(moved) if sign > 0 else columns - set(moved)
        errors.append(decimal_refit.leave_one_out_error(problem, sorted(columns), alpha))
    return np.array(errors)


def assert_digits(estimator, problem, rtol):
    assert_allclose(estimator.path_errors_, true_errors(estimator, problem), rtol=rtol)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("scale", [1e8, 1e-8])
@pytest.mark.parametrize(
    ("estimator", "search"), [(ForwardRidge, forward), (BackwardRidge, backward)]
)
def test_huge_and_tiny_scales(scale, storage, estimator, search):
    X, y, alpha = problems.rescaled(scale, 20, 6)
    record = search(regression(X, y), [alpha], 6)
    fitted = estimator(alphas=alpha, patience=None).fit(storage(X), y)
    assert_same_search(fitted, record)
    fitted = estimator(alphas=alpha, patience=None).fit(storage(X), scale * y)
    assert moves_of(fitted) == record.moves


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("standardize", [False, True])
def test_columns_of_all_sizes(estimator, standardize):
    X, y = problems.mixed_scales(14, 6)
    problem = regression(X, y, standardize=standardize)
    fitted = estimator(patience=None, standardize=standardize).fit(X, y)
    assert_digits(fitted, problem, 1e-10)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("ratio", [1e3, 1e5])
@pytest.mark.parametrize("shape", [(20, 6), (9, 14)])
@pytest.mark.parametrize(
    ("estimator", "search"), [(ForwardRidge, forward), (BackwardRidge, backward)]
)
def test_big_means(ratio, storage, shape, estimator, search):
    """Means of 1e5 times the spread: nothing may be lost beyond rounding of X itself."""
    X, y = problems.big_means(*shape, ratio=ratio)
    problem = regression(X, y + 1000)
    record = search(problem, [1.0], 5)
    fitted = estimator(n_features_to_select=record.sizes[-1]).fit(storage(X), y + 1000)
    assert_same_search(fitted, record, rtol=1e-9)
    assert_digits(fitted, problem, 1e-9)


def test_big_means_under_weights_and_a_grid():
    X, y = problems.big_means(20, 6)
    weights = problems.weights(20, "zeros")
    problem = regression(X, y, weights)
    alphas = [10.0, 0.1, 1.0]
    record = forward(problem, alphas, 5)
    fitted = ForwardRidge(alphas=alphas, n_features_to_select=5).fit(X, y, sample_weight=weights)
    assert_same_search(fitted, record)


@pytest.mark.parametrize("alpha", [1e-2, 1e-6])
def test_interpolation(alpha):
    """More features selected than rows: X_S X_S' has full rank, the held-out rows have not."""
    X, y = problems.from_few_columns(8, 24, used=(2, 9), noise=1.0)
    problem = regression(X, y)
    fitted = ForwardRidge(alphas=alpha, n_features_to_select=14).fit(X, y)
    assert_digits(fitted, problem, 1e-9)
    problem = regression(X, y, fit_intercept=False)
    fitted = ForwardRidge(alphas=alpha, fit_intercept=False, n_features_to_select=14).fit(X, y)
    assert_digits(fitted, problem, 1e-9)


def test_far_beyond_interpolation():
    """Twice as many features as rows: every further one shrinks what is left of the others."""
    X, y = problems.correlated(20, 40, strength=0.999, seed=2)
    alpha = 1e-12 * np.sum((X - X.mean(axis=0)) ** 2)
    fitted = ForwardRidge(alphas=alpha, patience=None).fit(X, y)
    error = decimal_refit.leave_one_out_error(regression(X, y), range(40), alpha)
    assert_allclose(fitted.path_errors_[-1], error, rtol=1e-12)


@pytest.mark.parametrize("relative", [1e-6, 1e-10])
@pytest.mark.parametrize("shape", [(16, 8), (8, 16)])
def test_tiny_penalty(relative, shape):
    """alpha down to 1e-10 of the trace; where rows run out the model interpolates."""
    X, y = problems.correlated(*shape)
    alpha = relative * np.sum(X**2)
    problem = regression(X, y)
    fitted = ForwardRidge(alphas=alpha, n_features_to_select=6).fit(X, y)
    assert_digits(fitted, problem, 1e-11)


@pytest.mark.parametrize("relative", [1e-6, 1e-10])
@pytest.mark.parametrize("shape", [(16, 8), (8, 16)])
def test_tiny_penalty_backward(relative, shape):
    X, y = problems.correlated(*shape)
    alpha = relative * np.sum(X**2)
    problem = regression(X, y)
    fitted = BackwardRidge(alphas=alpha, patience=None).fit(X, y)
    assert_digits(fitted, problem, 1e-11)


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-8])
@pytest.mark.parametrize("alpha", [1e-3, 1e-8])
@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
def test_nearly_collinear(distance, alpha, estimator):
    X, y = problems.nearly_collinear(16, 8, distance)
    problem = regression(X, y)
    fitted = estimator(alphas=alpha, patience=None).fit(X, y)
    assert_digits(fitted, problem, 1e-10)


def test_exact_duplicates_with_a_tiny_penalty():
    X, y, _ = problems.with_duplicate_columns(16)
    problem = regression(X, y)
    for estimator in (ForwardRidge, BackwardRidge):
        fitted = estimator(alphas=1e-8, patience=None).fit(X, y)
        assert_digits(fitted, problem, 1e-11)


def test_a_nearly_perfect_model():
    """The error falls by 16 orders of magnitude along the path."""
    X, y = problems.from_few_columns(16, 6, used=(4, 2, 1), noise=1e-6)
    problem = regression(X, y)
    fitted = ForwardRidge(alphas=1e-8, n_features_to_select=5).fit(X, y)
    assert list(fitted.selection_order_)[:3] == [4, 2, 1]
    assert fitted.path_errors_[3] < 1e-10 * fitted.path_errors_[0]
    assert_digits(fitted, problem, 1e-7)


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("scale", [1.0, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7])
def test_one_row_far_out_has_as_many_digits_as_its_leverage_leaves(scale, estimator):
    """A row 1e6 times the others: 1 - leverage = alpha d_j is about 1e-12, so 4 digits of 16 stay.

    The held-out prediction of that row is almost the whole error. Where fewer than 8 digits stay
    that is said, and nowhere else.
    """
    X, y = problems.correlated(16, 6)
    X[3] *= scale
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        fitted = estimator(n_features_to_select=5).fit(X, y)
    true = true_errors(fitted, regression(X, y)).astype(float)
    off = np.abs(fitted.path_errors_ / true - 1).max()
    assert off < max(1e-12, 5e-16 * scale**2)
    assert [one.category for one in seen] == [ConvergenceWarning] * len(seen[:1])
    assert len(seen) == (scale > 1e4) or (scale == 1e4 and (seen or off < 1e-8))
    assert all("all but interpolate a row" in str(one.message) for one in seen)


def test_weights_of_all_sizes():
    X, y = problems.correlated(16, 6)
    weights = 10.0 ** np.linspace(-6, 6, 16)
    problem = regression(X, y, weights)
    for estimator in (ForwardRidge, BackwardRidge):
        fitted = estimator(patience=None).fit(X, y, sample_weight=weights)
        assert_digits(fitted, problem, 1e-9)


def test_a_long_path_keeps_its_digits():
    """Every one of 30 steps is as exact as the first."""
    X, y = problems.correlated(40, 30, strength=0.99)
    problem = regression(X, y)
    fitted = ForwardRidge(alphas=1e-3, n_features_to_select=30).fit(X, y)
    columns = []
    for entry, (_, moved) in enumerate(moves_of(fitted), start=1):
        columns += moved
        assert_allclose(
            fitted.path_errors_[entry], leave_one_out(problem, columns, 1e-3)[0], rtol=1e-8
        )


def test_float32_counts_in_float64():
    """The error of float32 data is that of the same numbers in float64, not of float32 sums."""
    X, y = problems.correlated(300, 6)
    X = (X + 100).astype(np.float32)
    one = ForwardRidge(n_features_to_select=5).fit(X, y)
    other = ForwardRidge(n_features_to_select=5).fit(X.astype(np.float64), y)
    assert moves_of(one) == moves_of(other)
    assert_allclose(one.path_errors_, other.path_errors_, rtol=1e-9)


@pytest.mark.parametrize("groups", [None, [[0, 1], [2, 3]]], ids=["columns", "groups"])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize(
    ("scale", "alpha"),
    [(1e100, 1.0), (1e140, 1.0), (1.0, 1e-300), (1e-100, 1e-300), (1e100, 1e-300)],
)
def test_bounds_beyond_what_floats_hold_rule_nobody_out(scale, alpha, standardize, groups):
    """A penalty that does not matter is like any small one; and nothing is warned of."""
    X, y = problems.from_few_columns(30, 6, used=(2, 4, 1), noise=0.3)
    settings = {"standardize": standardize, "feature_groups": groups, "patience": None}
    matters = standardize and alpha == 1.0
    expected = ForwardRidge(alphas=alpha if matters else 1e-14, **settings).fit(X, y)
    fitted = ForwardRidge(alphas=alpha, **settings).fit(X * scale, y)
    assert moves_of(fitted) == moves_of(expected)
    assert_allclose(fitted.path_errors_, expected.path_errors_, rtol=1e-9)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("scale", [1e100, 1e140])
def test_classes_of_columns_that_are_large(scale, class_weight):
    X, labels = problems.classes(40, 6, 3)
    settings = {"class_weight": class_weight, "patience": None}
    expected = ForwardRidgeClassifier(alphas=1e-14, **settings).fit(X, labels)
    fitted = ForwardRidgeClassifier(**settings).fit(X * scale, labels)
    assert moves_of(fitted) == moves_of(expected)
    assert_allclose(fitted.path_errors_, expected.path_errors_, rtol=1e-9)
