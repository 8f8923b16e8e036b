"""Which model of a path an estimator settles on, when a search ends, and truncation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
)
from tests import problems
from tests.estimators.agreement import assert_chosen_entry, assert_same_path
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import floating, forward
from tests.oracles.ridge_refit import leave_one_out, leverage_predictions, regression
from tests.oracles.size_choice import chosen_entry, length_with_patience

SEARCHES = {"forward": (ForwardRidge, forward), "backward": (BackwardRidge, backward)}


def noisy(seed=0, rows=40, columns=14):
    return problems.from_few_columns(rows, columns, used=(3, 1, 8, 5), noise=3.0, seed=seed)


def cut(record, moves):
    """The record of a search that ended after so many moves."""
    return type(record)(
        **{
            name: part[:moves] if name in ("moves", "scores") else part[: moves + 1]
            for name, part in vars(record).items()
        }
    )


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("rule", ["best", "1se"])
@pytest.mark.parametrize("max_features", [None, 5, 2])
@pytest.mark.parametrize("patience", [1, 3, 20, None])
@pytest.mark.parametrize("seed", [0, 1])
def test_rule_and_length(search, rule, max_features, patience, seed):
    X, y = noisy(seed)
    estimator, wrapper = SEARCHES[search]
    problem = regression(X, y)
    whole = wrapper(problem, [1.0], 99, predict=leverage_predictions)
    if search == "forward" and max_features is not None:
        whole = cut(whole, max_features)
    path = whole.sizes, whole.errors, whole.standard_errors
    length = length_with_patience(*path, rule, patience, max_features)
    record = cut(whole, length)
    fitted = estimator(n_features_to_select=rule, max_features=max_features, patience=patience).fit(
        X, y
    )
    assert_same_path(fitted, record)
    entry = chosen_entry(record.sizes, record.errors, record.standard_errors, rule, max_features)
    assert_chosen_entry(fitted, problem, record, entry)
    assert list(fitted.selection_order_) == record.order


def test_the_cases_above_differ():
    """The data must tell the rules apart, or the test above shows little."""
    X, y = noisy(0)
    sizes = {
        ForwardRidge(n_features_to_select=rule, max_features=limit).fit(X, y).n_features_
        for rule in ("best", "1se")
        for limit in (None, 2)
    }
    assert len(sizes) >= 3


@pytest.mark.parametrize("rule", ["best", "1se"])
@pytest.mark.parametrize("max_features", [None, 4])
def test_rule_with_floating(rule, max_features):
    X, y = problems.correlated(40, 10, seed=2)
    problem = regression(X, y)
    fitted = ForwardRidge(
        floating=True, n_features_to_select=rule, max_features=max_features, patience=None
    ).fit(X, y)
    record = floating(problem, [1.0], max_features or 10, predict=leverage_predictions)
    assert_same_path(fitted, record)
    entry = chosen_entry(record.sizes, record.errors, record.standard_errors, rule, max_features)
    assert_chosen_entry(fitted, problem, record, entry)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("size", [1, 4, 14])
def test_an_int_is_where_the_search_goes(search, size):
    X, y = noisy()
    fitted = SEARCHES[search][0](n_features_to_select=size, patience=1).fit(X, y)
    assert fitted.n_features_ == size
    assert fitted.path_sizes_[-1] == size
    assert fitted.support_.sum() == size
    moves = size if search == "forward" else 14 - size
    assert len(fitted.path_moves_) == moves
    assert len(fitted.path_errors_) == moves + 1


@pytest.mark.parametrize(("fraction", "size"), [(0.5, 7), (0.3, 4), (1.0, 14), (0.99, 13)])
@pytest.mark.parametrize("search", SEARCHES)
def test_a_float_is_a_fraction_as_in_sequential_feature_selector(search, fraction, size):
    X, y = noisy()
    assert SEARCHES[search][0](n_features_to_select=fraction).fit(X, y).n_features_ == size


def test_a_float_is_a_fraction_of_the_features_where_groups_count_as_one():
    X, y = noisy()
    groups = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]  # 3 groups + 4 columns = 7 features
    fitted = ForwardRidge(n_features_to_select=3 / 7 + 1e-9, feature_groups=groups).fit(X, y)
    assert fitted.n_features_ == 3


def test_a_numpy_int_is_an_int():
    X, y = noisy()
    assert ForwardRidge(n_features_to_select=np.int64(3)).fit(X, y).n_features_ == 3


def test_max_features_bounds_an_int_only_from_above():
    X, y = noisy()
    fitted = ForwardRidge(n_features_to_select=3, max_features=5).fit(X, y)
    assert fitted.n_features_ == 3


# ----------------------------------------------------------------------------------------- truncate


@pytest.mark.parametrize("alphas", [2.0, [10.0, 1.0, 0.1]], ids=["one alpha", "grid"])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
def test_truncate_equals_fit(estimator, standardize, alphas):
    X, y = problems.correlated(40, 9)
    whole = estimator(alphas=alphas, standardize=standardize, patience=None).fit(X, y)
    for size in whole.path_sizes_:
        truncated = whole.truncate(size)
        assert truncated is not whole
        assert truncated.n_features_ == size
        if size == 0:
            assert not truncated.coef_.any()
            assert_allclose(truncated.intercept_, y.mean())
            continue
        fitted = estimator(
            alphas=alphas, standardize=standardize, n_features_to_select=int(size)
        ).fit(X, y)
        assert_array_equal(truncated.support_, fitted.support_)
        assert truncated.alpha_ == fitted.alpha_
        assert_allclose(truncated.best_score_, fitted.best_score_, rtol=1e-10)
        assert_allclose(truncated.coef_, fitted.coef_, rtol=1e-8, atol=1e-12)
        assert_allclose(truncated.intercept_, fitted.intercept_, rtol=1e-8)
        assert_allclose(truncated.predict(X), fitted.predict(X), rtol=1e-8)
        assert_allclose(truncated.transform(X), X[:, fitted.support_])
    assert_array_equal(whole.truncate(whole.n_features_).coef_, whole.coef_)


@pytest.mark.parametrize("estimator", [ForwardRidgeClassifier, BackwardRidgeClassifier])
def test_truncate_classifiers(estimator):
    X, labels = problems.classes(50, 8, 3)
    whole = estimator(class_weight="balanced", patience=None).fit(X, labels)
    fitted = estimator(class_weight="balanced", n_features_to_select=3).fit(X, labels)
    truncated = whole.truncate(3)
    assert_allclose(truncated.coef_, fitted.coef_, rtol=1e-8, atol=1e-12)
    assert_array_equal(truncated.predict(X), fitted.predict(X))
    assert_array_equal(truncated.classes_, fitted.classes_)


def test_truncate_leaves_the_original_and_the_path_alone():
    X, y = noisy()
    whole = ForwardRidge(patience=None).fit(X, y)
    before = whole.coef_.copy()
    truncated = whole.truncate(2)
    truncated.coef_[:] = 7.0
    assert_array_equal(whole.coef_, before)
    assert_array_equal(truncated.path_errors_, whole.path_errors_)
    assert_array_equal(truncated.selection_order_, whole.selection_order_)
    assert truncated.truncate(5).n_features_ == 5


def test_truncate_of_groups_and_targets():
    X, Y = problems.several_targets(40, 9)
    groups = [[0, 4], [1, 2, 3]]
    whole = ForwardRidge(feature_groups=groups, include=[8], patience=None).fit(X, Y)
    fitted = ForwardRidge(feature_groups=groups, include=[8], n_features_to_select=3).fit(X, Y)
    assert_allclose(whole.truncate(3).coef_, fitted.coef_, rtol=1e-8, atol=1e-12)


def test_truncate_after_floating_takes_the_best_visited_model_of_that_size():
    X, y = problems.correlated(40, 10, seed=2)
    fitted = ForwardRidge(floating=True, patience=None).fit(X, y)
    for size in set(fitted.path_sizes_):
        errors = fitted.path_errors_[np.asarray(fitted.path_sizes_) == size]
        assert_allclose(-fitted.truncate(size).best_score_, errors.min())


@pytest.mark.parametrize("size", [-1, 9, 100, 2.5, "most"])
def test_truncate_to_a_size_never_visited(size):
    X, y = noisy()
    fitted = ForwardRidge(n_features_to_select=5).fit(X, y)
    with pytest.raises((ValueError, TypeError), match=r"visited|size") as error:
        fitted.truncate(size)
    assert str(size) in str(error.value)


def test_truncate_by_another_rule():
    X, y = noisy()
    best = ForwardRidge(patience=None).fit(X, y)
    one_se = ForwardRidge(n_features_to_select="1se", patience=None).fit(X, y)
    assert one_se.n_features_ < best.n_features_
    assert_array_equal(best.truncate("1se").coef_, one_se.coef_)
    assert_array_equal(one_se.truncate("best").coef_, best.coef_)


def test_alpha_errors_belong_to_the_chosen_model():
    X, y = problems.correlated(40, 9)
    alphas = [10.0, 1.0, 0.1]
    fitted = ForwardRidge(alphas=alphas, n_features_to_select=4).fit(X, y)
    problem = regression(X, y)
    columns = np.flatnonzero(fitted.support_)
    expected = [leave_one_out(problem, columns, alpha)[0] for alpha in alphas]
    assert_array_equal(fitted.alphas_, alphas)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-9)
    assert fitted.alpha_ == alphas[int(np.argmin(expected))]


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("scale", [1e-140, 1e-100, 1e100, 1e140])
def test_one_standard_error_does_not_depend_on_the_unit_of_y(search, scale):
    """Squares of squared errors would not fit in a float."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 6))
    y = 2 * X[:, 2] + rng.standard_normal(30)
    estimator, _ = SEARCHES[search]
    plain = estimator(n_features_to_select="1se").fit(X, y)
    scaled = estimator(n_features_to_select="1se").fit(X, y * scale)
    assert plain.n_features_ == scaled.n_features_ == 1
    assert_allclose(scaled.path_std_errors_ / scale**2, plain.path_std_errors_, rtol=1e-9)
