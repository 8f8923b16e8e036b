"""What must hold for any data: invariances, and agreement with refits on random problems."""

import numpy as np
import scipy.sparse as sp
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
)
from tests import problems
from tests.estimators.agreement import (
    assert_chosen_entry,
    assert_path_is_true,
    assert_same_search,
    assert_same_spread,
    is_decided,
    moves_of,
)
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import forward
from tests.oracles.ridge_refit import classification, refit, regression

seeds = st.integers(0, 2**31 - 1)
shapes = st.tuples(st.integers(4, 14), st.integers(1, 9))
positive = st.floats(1e-3, 1e3)
scales = st.sampled_from([1e-140, 1e-8, 1e-3, -1.0, 0.5, 1e8, 1e140])
few = settings(max_examples=25)
regressors = st.sampled_from([ForwardRidge, BackwardRidge])
classifiers = st.sampled_from([ForwardRidgeClassifier, BackwardRidgeClassifier])


def data(seed, rows=30, columns=8, targets=1):
    X, Y = problems.several_targets(rows, columns + 4, targets, seed)
    return X[:, :columns], Y[:, 0] if targets == 1 else Y


# -------------------------------------------------------------------------------------- refitting


@settings(max_examples=60)
@given(
    seed=seeds,
    shape=shapes,
    targets=st.sampled_from([1, 2]),
    alphas=st.lists(positive, min_size=1, max_size=3, unique=True),
    fit_intercept=st.booleans(),
    kind=st.sampled_from(["none", "random", "zeros"]),
    forwards=st.booleans(),
)
def test_a_search_equals_its_wrapper(seed, shape, targets, alphas, fit_intercept, kind, forwards):
    rows, columns = shape
    X, y = data(seed, rows, columns, targets)
    problem = regression(X, y, problems.weights(rows, kind, seed), fit_intercept)
    wrapper, estimator = (forward, ForwardRidge) if forwards else (backward, BackwardRidge)
    record = wrapper(problem, alphas, columns if forwards else columns - 1)
    assume(is_decided(record))
    fitted = estimator(
        alphas=alphas, fit_intercept=fit_intercept, n_features_to_select=record.sizes[-1]
    ).fit(X, y, sample_weight=problems.weights(rows, kind, seed))
    assert_same_search(fitted, record, rtol=1e-7 if rows <= columns + 1 else 1e-9)
    assert_chosen_entry(fitted, problem, record, -1, rtol=1e-7)


@few
@given(
    seed=seeds,
    n_classes=st.sampled_from([2, 3]),
    class_weight=st.sampled_from([None, "balanced"]),
    alpha=positive,
    classifier=classifiers,
)
def test_a_classifiers_search_equals_its_wrapper(seed, n_classes, class_weight, alpha, classifier):
    X, labels = problems.classes(14, 5, n_classes, seed=seed)
    problem = classification(X, labels, class_weight=class_weight)
    wrapper = forward if classifier is ForwardRidgeClassifier else backward
    record = wrapper(problem, [alpha], 4)
    assume(is_decided(record))
    fitted = classifier(
        alphas=alpha, class_weight=class_weight, n_features_to_select=record.sizes[-1]
    ).fit(X, labels)
    assert_same_search(fitted, record)
    assert_chosen_entry(fitted, problem, record, -1)


@few
@given(seed=seeds, alphas=st.lists(positive, min_size=1, max_size=3, unique=True))
def test_every_entry_of_a_path_is_the_error_of_its_own_model(seed, alphas):
    """Floating, groups, weights, a grid: whatever was visited, its error is that of refitting."""
    X, y, groups = problems.one_hot_blocks(25, seed=seed)
    weights = problems.weights(25, "random", seed)
    fitted = ForwardRidge(
        alphas=alphas, floating=True, feature_groups=groups, standardize=True, patience=None
    ).fit(X, y, sample_weight=weights)
    assert_path_is_true(fitted, regression(X, y, weights, standardize=True), rtol=1e-8)


# -------------------------------------------------------------------------------------------- rows


@few
@given(seed=seeds, estimator=regressors, n_absent=st.integers(1, 10))
def test_weight_zero_is_a_row_that_is_absent(seed, estimator, n_absent):
    X, y = data(seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, 30)
    weights[:n_absent] = 0
    X_wild, y_wild = X.copy(), y.copy()
    X_wild[:n_absent], y_wild[:n_absent] = 1e3, -1e3
    one = estimator(standardize=True).fit(X_wild, y_wild, sample_weight=weights)
    other = estimator(standardize=True).fit(
        X[n_absent:], y[n_absent:], sample_weight=weights[n_absent:]
    )
    assert_same_answer(one, other)


@few
@given(seed=seeds, classifier=classifiers, class_weight=st.sampled_from([None, "balanced"]))
def test_weight_zero_is_a_row_that_is_absent_for_classes(seed, classifier, class_weight):
    X, labels = problems.classes(40, 6, 3, seed=seed)
    weights = np.ones(40)
    weights[20:27] = 0
    one = classifier(class_weight=class_weight).fit(X, labels, sample_weight=weights)
    kept = weights > 0
    assume(len(np.unique(labels[kept])) == 3)
    other = classifier(class_weight=class_weight).fit(X[kept], labels[kept])
    assert_same_answer(one, other)


@few
@given(seed=seeds, estimator=regressors)
def test_permuting_rows_changes_nothing(seed, estimator):
    X, y = data(seed)
    weights = problems.weights(30, "random", seed)
    order = np.random.default_rng(seed).permutation(30)
    one = estimator().fit(X, y, sample_weight=weights)
    other = estimator().fit(X[order], y[order], sample_weight=weights[order])
    assert_same_answer(one, other)


@few
@given(seed=seeds, estimator=regressors)
def test_permuting_columns_permutes_the_answer(seed, estimator):
    X, y = data(seed)
    order = np.random.default_rng(seed).permutation(8)
    one = estimator().fit(X, y)
    other = estimator().fit(X[:, order], y)
    assert_array_equal(order[other.selection_order_], one.selection_order_)
    assert_allclose(other.path_errors_, one.path_errors_, rtol=1e-9)
    assert_allclose(other.coef_, one.coef_[order], rtol=1e-8, atol=1e-12)


@few
@given(seed=seeds, estimator=regressors, factor=positive)
def test_weights_times_a_number_is_alpha_divided_by_it(seed, estimator, factor):
    X, y = data(seed)
    weights = problems.weights(30, "random", seed)
    one = estimator(alphas=[3.0, 0.3]).fit(X, y, sample_weight=weights)
    other = estimator(alphas=[3.0 * factor, 0.3 * factor]).fit(X, y, sample_weight=weights * factor)
    assert_same_answer(one, other)
    assert_allclose(np.asarray(other.path_alphas_) / factor, one.path_alphas_)


@few
@given(seed=seeds, estimator=regressors)
def test_equal_weights_of_one_are_no_weights(seed, estimator):
    X, y = data(seed)
    assert_same_answer(estimator().fit(X, y), estimator().fit(X, y, sample_weight=np.ones(30)))


# ------------------------------------------------------------------------------------------ scales


@few
@given(
    seed=seeds,
    estimator=regressors,
    scale=scales,
)
def test_scaling_y_scales_the_answer(seed, estimator, scale):
    X, y = data(seed)
    one, other = estimator().fit(X, y), estimator().fit(X, y * scale)
    assert moves_of(one) == moves_of(other)
    assert_allclose(other.path_errors_, one.path_errors_ * scale**2, rtol=1e-9)
    assert_allclose(other.coef_, one.coef_ * scale, rtol=1e-8, atol=1e-12 * abs(scale))


@few
@given(
    seed=seeds,
    estimator=regressors,
    scale=scales,
)
def test_scaling_x_is_scaling_alpha(seed, estimator, scale):
    X, y = data(seed)
    one = estimator(alphas=[2.0, 0.2]).fit(X, y)
    other = estimator(alphas=[2.0 * scale**2, 0.2 * scale**2]).fit(X * scale, y)
    assert moves_of(one) == moves_of(other)
    assert_allclose(other.path_errors_, one.path_errors_, rtol=1e-9)
    assert_allclose(other.coef_ * scale, one.coef_, rtol=1e-8, atol=1e-12)


@few
@given(seed=seeds, estimator=regressors)
def test_with_an_intercept_shifts_do_not_matter(seed, estimator):
    X, y = data(seed)
    shift = np.random.default_rng(seed).normal(size=8) * 100
    one, other = estimator().fit(X, y), estimator().fit(X + shift, y - 50)
    assert moves_of(one) == moves_of(other)
    assert_allclose(other.path_errors_, one.path_errors_, rtol=1e-8)
    assert_allclose(other.coef_, one.coef_, rtol=1e-7, atol=1e-11)
    assert_allclose(other.predict(X + shift), one.predict(X) - 50, rtol=1e-7)


@few
@given(seed=seeds, estimator=regressors)
def test_standardized_columns_have_no_units(seed, estimator):
    X, y = data(seed)
    units = 10.0 ** np.random.default_rng(seed).uniform(-6, 6, size=8)
    one = estimator(standardize=True).fit(X, y)
    other = estimator(standardize=True).fit(X * units, y)
    assert moves_of(one) == moves_of(other)
    assert_allclose(other.path_errors_, one.path_errors_, rtol=1e-8)
    assert_allclose(other.coef_ * units, one.coef_, rtol=1e-7, atol=1e-11)


@few
@given(seed=seeds, estimator=regressors)
def test_a_column_of_noise_that_is_excluded_does_not_exist(seed, estimator):
    X, y = data(seed)
    without = np.delete(X, 3, axis=1)
    one, other = estimator(exclude=[3]).fit(X, y), estimator().fit(without, y)
    assert_allclose(one.path_errors_, other.path_errors_, rtol=1e-9)
    assert_allclose(np.delete(one.coef_, 3), other.coef_, rtol=1e-8, atol=1e-12)
    assert one.coef_[3] == 0


# --------------------------------------------------------------------------------------- relations


@few
@given(seed=seeds, classifier=classifiers)
def test_the_order_of_two_classes_turns_the_signs_only(seed, classifier):
    X, labels = problems.classes(30, 6, seed=seed)
    one, other = classifier().fit(X, labels), classifier().fit(X, 1 - labels)
    assert moves_of(one) == moves_of(other)
    assert_allclose(one.coef_, -other.coef_, rtol=1e-8, atol=1e-12)


@few
@given(seed=seeds, estimator=regressors)
def test_the_same_target_twice_is_one_target(seed, estimator):
    X, y = data(seed)
    one, other = estimator().fit(X, y), estimator().fit(X, np.column_stack([y, y]))
    assert moves_of(one) == moves_of(other)
    assert_allclose(other.path_errors_, one.path_errors_, rtol=1e-9)
    assert_allclose(other.coef_, [one.coef_] * 2, rtol=1e-8, atol=1e-12)


@few
@given(seed=seeds, storage=st.sampled_from([sp.csr_array, sp.csc_array, np.asfortranarray]))
def test_storage_changes_nothing(seed, storage):
    X, _ = problems.word_counts(40, 20, seed=seed)
    y = np.random.default_rng(seed).normal(size=40) + X[:, [1]].toarray()[:, 0]
    dense = X.toarray()
    stored = storage(X if storage is not np.asfortranarray else dense)
    for estimator in (ForwardRidge(patience=5), BackwardRidge(n_features_to_select=3)):
        one = estimator.fit(dense, y)
        answer = moves_of(one), one.path_errors_, one.coef_
        other = estimator.fit(stored, y)
        assert moves_of(other) == answer[0]
        assert_allclose(other.path_errors_, answer[1], rtol=1e-9)
        assert_allclose(other.coef_, answer[2], rtol=1e-8, atol=1e-12)


@few
@given(seed=seeds, size=st.integers(0, 8), estimator=regressors)
def test_truncate_is_a_refit(seed, size, estimator):
    X, y = data(seed)
    weights = problems.weights(30, "zeros", seed)
    whole = estimator(alphas=[1.0, 0.1], patience=None).fit(X, y, sample_weight=weights)
    truncated = whole.truncate(size)
    columns = np.flatnonzero(truncated.support_)
    assert len(columns) == size
    coef, intercept = refit(regression(X, y, weights), columns, truncated.alpha_)
    assert_allclose(truncated.coef_, coef[0], rtol=1e-9, atol=1e-12)
    assert_allclose(truncated.intercept_, intercept[0], rtol=1e-9)


@few
@given(seed=seeds, estimator=regressors)
def test_a_longer_search_starts_as_a_shorter_one(seed, estimator):
    X, y = data(seed)
    short, long = (2, 6) if estimator is ForwardRidge else (6, 2)
    one = estimator(n_features_to_select=short).fit(X, y)
    other = estimator(n_features_to_select=long).fit(X, y)
    entries = len(one.path_errors_)
    assert moves_of(other)[: entries - 1] == moves_of(one)
    assert_allclose(other.path_errors_[:entries], one.path_errors_, rtol=1e-12)


def assert_same_answer(one, other):
    """Same moves, errors and model of two fitted estimators, up to rounding."""
    assert moves_of(one) == moves_of(other)
    assert_allclose(other.path_errors_, one.path_errors_, rtol=1e-9)
    assert_same_spread(other.path_std_errors_, one.path_std_errors_, one.path_errors_)
    assert_array_equal(other.support_, one.support_)
    assert_allclose(other.coef_, one.coef_, rtol=1e-7, atol=1e-11)
    assert_allclose(other.intercept_, one.intercept_, rtol=1e-7, atol=1e-11)
