"""Classifiers: coded targets, several classes, class weights, and the share of wrong labels."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import RidgeClassifier

from holdfast import BackwardRidgeClassifier, ForwardRidge, ForwardRidgeClassifier
from tests import problems
from tests.estimators.agreement import (
    assert_chosen_entry,
    assert_decided,
    assert_same_path,
    assert_same_search,
)
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import floating, forward
from tests.oracles.ridge_refit import (
    classification,
    leave_one_out,
    leverage_predictions,
    refitted_labels,
    refitted_predictions,
    zero_one_errors,
)

CLASS_WEIGHTS = {
    "none": (None, None),
    "balanced": ("balanced", "balanced"),
    "dict": ({0: 0.5, 1: 3.0}, {"a": 0.5, "b": 3.0}),  # class numbers -> names; others count 1
}
NAMES = np.array(["a", "b", "c"])
BALANCE = {2: [0.7, 0.3], 3: [0.5, 0.3, 0.2]}


def search(classifier):
    return forward if classifier is ForwardRidgeClassifier else backward


@pytest.mark.parametrize("classifier", [ForwardRidgeClassifier, BackwardRidgeClassifier])
@pytest.mark.parametrize("shape", [(40, 8), (14, 20)], ids=["tall", "wide"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", CLASS_WEIGHTS)
@pytest.mark.parametrize("weights", ["none", "zeros"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("alphas", [(1.0,), (20.0, 0.3, 2.0)], ids=["one alpha", "grid"])
def test_squared_error(classifier, shape, n_classes, class_weight, weights, fit_intercept, alphas):
    X, labels = problems.classes(*shape, n_classes, balance=BALANCE[n_classes])
    y = NAMES[labels]
    sample_weight = problems.weights(len(X), weights)
    problem = classification(
        X, y, sample_weight, fit_intercept, class_weight=CLASS_WEIGHTS[class_weight][1]
    )
    record = search(classifier)(problem, alphas, 5, predict=leverage_predictions)
    assert_decided(record)
    unfitted = classifier(
        alphas=alphas,
        fit_intercept=fit_intercept,
        class_weight=CLASS_WEIGHTS[class_weight][1],
        n_features_to_select=record.sizes[-1],
    )
    for stored in (X, sp.csr_array(X)):
        estimator = unfitted.fit(stored, y, sample_weight=sample_weight)
        assert_same_search(estimator, record)
        assert_chosen_entry(estimator, problem, record, -1)


@pytest.mark.parametrize("class_weight", ["none", "balanced"])
@pytest.mark.parametrize("classifier", [ForwardRidgeClassifier, BackwardRidgeClassifier])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_literal_refits(classifier, n_classes, class_weight):
    """The definition itself, with a class of two rows: its weight doubles when one of them goes."""
    X, labels = problems.classes(14, 5, n_classes)
    labels[labels == n_classes - 1] = 0
    labels[[3, 8]] = n_classes - 1
    problem = classification(X, labels, class_weight=CLASS_WEIGHTS[class_weight][1])
    record = search(classifier)(problem, [0.3, 3.0], 4)
    assert_decided(record)
    estimator = classifier(
        alphas=[0.3, 3.0], class_weight=problem.class_weight, n_features_to_select=record.sizes[-1]
    ).fit(X, labels)
    assert_same_search(estimator, record)
    assert_chosen_entry(estimator, problem, record, -1)


def test_a_class_that_vanishes_when_its_only_row_leaves():
    X, labels = problems.classes(20, 5, 2)
    labels[7] = 2
    problem = classification(X, labels, class_weight="balanced")
    record = forward(problem, [1.0], 3)
    estimator = ForwardRidgeClassifier(class_weight="balanced", n_features_to_select=3)
    estimator.fit(X, labels)
    assert_same_search(estimator, record)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("error", ["squared", "zero_one"])
def test_a_class_whose_rows_all_have_weight_zero(class_weight, error):
    X, labels = problems.classes(40, 6, 3)
    weights = np.where(labels == 2, 0.0, 1.0)
    problem = classification(X, labels, weights, error=error, class_weight=class_weight)
    record = forward(problem, [1.0], 4)
    fitted = ForwardRidgeClassifier(
        error=error, class_weight=class_weight, n_features_to_select=4
    ).fit(X, labels, sample_weight=weights)
    assert_same_search(fitted, record)
    assert_array_equal(fitted.classes_, [0, 1, 2])


def test_standardize_and_floating_with_balanced_classes():
    X, labels = problems.classes(30, 8, 3, balance=BALANCE[3])
    X = X * np.logspace(-2, 2, 8)
    problem = classification(X, labels, standardize=True, class_weight="balanced")
    record = floating(problem, [1.0], 5, predict=leverage_predictions)
    assert_decided(record)
    estimator = ForwardRidgeClassifier(
        class_weight="balanced", standardize=True, floating=True, n_features_to_select=5
    ).fit(X, labels)
    assert_same_path(estimator, record)


# ---------------------------------------------------------------------------------- zero-one error


@pytest.mark.parametrize("classifier", [ForwardRidgeClassifier, BackwardRidgeClassifier])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("weights", ["none", "random", "zeros"])
@pytest.mark.parametrize("class_weight", ["none", "dict", "balanced"])
@pytest.mark.parametrize("alphas", [(1.0,), (20.0, 0.3, 2.0)], ids=["one alpha", "grid"])
def test_zero_one_error(classifier, n_classes, weights, class_weight, alphas):
    """Full of ties: the lowest feature and the first alpha must win each of them."""
    X, labels = problems.classes(25, 6, n_classes, balance=BALANCE[n_classes])
    y = NAMES[labels]
    sample_weight = problems.weights(len(X), weights)
    problem = classification(
        X, y, sample_weight, error="zero_one", class_weight=CLASS_WEIGHTS[class_weight][1]
    )
    record = search(classifier)(problem, alphas, 5, predict=leverage_predictions)
    estimator = classifier(
        alphas=alphas,
        error="zero_one",
        class_weight=CLASS_WEIGHTS[class_weight][1],
        n_features_to_select=record.sizes[-1],
    ).fit(X, y, sample_weight=sample_weight)
    assert_same_search(estimator, record)
    assert_chosen_entry(estimator, problem, record, -1)


def test_zero_one_error_is_the_share_the_refitted_classifier_gets_wrong():
    """Leave-one-out by this very classifier: fit on the chosen columns, call predict."""
    X, labels = problems.classes(30, 6, 3, separation=0.8)
    estimator = ForwardRidgeClassifier(error="zero_one", n_features_to_select=3).fit(X, labels)
    columns = np.flatnonzero(estimator.support_)
    wrong = []
    for j in range(30):
        others = np.delete(np.arange(30), j)
        refitted = ForwardRidgeClassifier(n_features_to_select=3, include=list(range(3)))
        refitted.fit(X[np.ix_(others, columns)], labels[others])
        wrong.append(refitted.predict(X[j : j + 1, columns])[0] != labels[j])
    assert_allclose(-estimator.best_score_, np.mean(wrong))
    assert 0 < np.mean(wrong) < 1


def test_zero_one_counts_what_predict_says_on_the_decision_boundary():
    """decision_function of exactly 0 is the first class."""
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, 0.0], [-2.0, 0.0], [0.0, 1.0]])
    labels = np.array([1, 0, 1, 0, 0])
    estimator = ForwardRidgeClassifier(
        error="zero_one", fit_intercept=False, n_features_to_select=1
    ).fit(X, labels)
    assert estimator.decision_function(X[-1:])[0] == 0.0
    assert estimator.predict(X[-1:])[0] == 0
    assert -estimator.best_score_ == 0.0


BY_SCALE = problems.classes(90, 5, 3, separation=0.7)


@pytest.mark.parametrize("classifier", [ForwardRidgeClassifier, BackwardRidgeClassifier])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("scale", [1e-6, 1e-9])
def test_zero_one_error_of_small_columns(classifier, n_classes, fit_intercept, scale):
    """Labels hang on traces beside the mean of the others; where these are rounding, all tie."""
    X, labels = BY_SCALE
    labels = np.minimum(labels, n_classes - 1)
    problem = classification(
        X * scale,
        labels,
        fit_intercept=fit_intercept,
        error="zero_one",
        class_weight="balanced",
    )
    record = search(classifier)(problem, [1.0], 2)
    estimator = classifier(
        fit_intercept=fit_intercept,
        error="zero_one",
        class_weight="balanced",
        n_features_to_select=record.sizes[-1],
    ).fit(X * scale, labels)
    assert_same_search(estimator, record)
    assert estimator.path_errors_.max() <= 1


@pytest.mark.parametrize("scale", [1e-6, 1e-7])
def test_zero_one_error_is_that_of_the_held_out_predictions_at_any_scale(scale):
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 1, 2], 30)
    X = rng.standard_normal((90, 4))
    X[:, 2] += 4 * (labels == 1)
    X[:, 3] += 4 * (labels == 2)
    estimator = ForwardRidgeClassifier(
        error="zero_one", class_weight="balanced", n_features_to_select=2, store_cv_results=True
    ).fit(X * scale, labels)
    predictions = np.sort(estimator.held_out_predictions_, axis=1)
    tied = np.count_nonzero(predictions[:, -1] - predictions[:, -2] < 1e-12)
    wrong = np.mean(estimator.held_out_predictions_.argmax(axis=1) != labels)
    assert abs(estimator.path_errors_[-1] - wrong) <= tied / 90 + 1e-12
    assert tied == 0 if scale == 1e-6 else tied < 90
    assert estimator.path_errors_[-1] < 0.2
    assert sorted(estimator.selection_order_) == [2, 3]


@pytest.mark.parametrize("cv", [None, 5], ids=["leave one out", "folds"])
@pytest.mark.parametrize(("scale", "alpha"), [(1.0, 1e13), (1e-7, 1.0), (1e-12, 1e4)])
def test_zero_one_error_under_a_large_penalty(cv, scale, alpha):
    """Without an intercept labels do not depend on the scale of the outputs."""
    X, labels = problems.separable()
    settings = {"cv": cv, "error": "zero_one", "fit_intercept": False, "n_features_to_select": 1}
    estimator = ForwardRidgeClassifier(alphas=alpha, **settings).fit(X * scale, labels)
    assert list(estimator.selection_order_) == [2]
    assert estimator.best_score_ == 0.0
    assert estimator.score(X * scale, labels) == 1.0


def test_zero_one_error_is_at_most_one():
    """Classes of equal mass: the others always favour the wrong one, whatever the rounding."""
    X, _ = problems.classes(20, 1)
    labels = np.tile([0, 1], 10)
    for seed in range(30):
        weights = np.repeat(np.random.default_rng(seed).uniform(0.1, 3, 10), 2)
        estimator = ForwardRidgeClassifier(error="zero_one").fit(X, labels, sample_weight=weights)
        assert 1 - 1e-12 < estimator.path_errors_[0] <= 1


def test_predict_ties_outputs_that_differ_by_rounding_only():
    """The rule of the error is the rule of predict: outputs equal but for rounding are equal."""
    X = np.array([[0.1, 0.2, -0.3], [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]])
    estimator = ForwardRidgeClassifier(fit_intercept=False, n_features_to_select=3)
    estimator.fit(np.vstack([X[1:], 2 * X[1:]]), [1, 0, 1, 0])
    estimator.coef_ = np.ones(3)
    output = estimator.decision_function(X)[0]
    assert 0 < output < 1e-15  # 0.1 + 0.2 - 0.3
    assert list(estimator.predict(X)) == [0, 1, 0]
    assert list(estimator.predict(sp.csr_array(X))) == [0, 1, 0]


def test_separable_classes():
    X, labels = problems.separable()
    for error in ("squared", "zero_one"):
        estimator = ForwardRidgeClassifier(error=error, n_features_to_select=1).fit(X, labels)
        assert list(estimator.selection_order_) == [2]
        assert estimator.score(X, labels) == 1.0
    assert estimator.best_score_ == 0.0
    best = ForwardRidgeClassifier(error="zero_one").fit(X, labels)
    assert best.n_features_ == 1  # nothing beats no error, and ties go to the smaller model


# ------------------------------------------------------------------------------------------- faces


def test_binary_classifier_is_the_regressor_of_the_signs():
    X, labels = problems.classes(40, 8)
    classifier = ForwardRidgeClassifier(n_features_to_select=4).fit(X, labels)
    regressor = ForwardRidge(n_features_to_select=4).fit(X, 2.0 * labels - 1)
    assert_array_equal(classifier.selection_order_, regressor.selection_order_)
    assert_allclose(classifier.path_errors_, regressor.path_errors_)
    assert_allclose(np.ravel(classifier.coef_), regressor.coef_)
    assert_allclose(classifier.decision_function(X), regressor.predict(X))
    assert_array_equal(classifier.predict(X), (regressor.predict(X) > 0).astype(int))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("classifier", [ForwardRidgeClassifier, BackwardRidgeClassifier])
def test_shapes_are_those_of_ridge_classifier(classifier, n_classes, fit_intercept):
    X, labels = problems.classes(40, 8, n_classes)
    theirs = RidgeClassifier(fit_intercept=fit_intercept).fit(X, labels)
    ours = classifier(fit_intercept=fit_intercept).fit(X, labels)
    assert np.shape(ours.coef_) == np.shape(theirs.coef_)
    assert np.shape(ours.intercept_) == np.shape(theirs.intercept_)
    assert ours.decision_function(X).shape == theirs.decision_function(X).shape


def test_several_classes_share_one_feature_set():
    X, labels = problems.classes(60, 10, 3)
    estimator = ForwardRidgeClassifier(n_features_to_select=4).fit(X, NAMES[labels])
    assert estimator.coef_.shape == (3, 10)
    assert np.shape(estimator.intercept_) == (3,)
    assert_array_equal(np.any(estimator.coef_ != 0, axis=0), estimator.support_)
    decision = estimator.decision_function(X)
    assert decision.shape == (60, 3)
    assert_array_equal(estimator.classes_, ["a", "b", "c"])
    assert_array_equal(estimator.predict(X), NAMES[np.argmax(decision, axis=1)])


@pytest.mark.parametrize("names", [[False, True], [-1, 1], ["no", "yes"], [2.0, 7.0]])
def test_class_names_of_any_kind(names):
    X, labels = problems.classes(40, 5, separation=2.0)
    y = np.array(names)[labels]
    estimator = ForwardRidgeClassifier().fit(X, y)
    assert estimator.predict(X).dtype == y.dtype
    assert estimator.score(X, y) > 0.8


def test_class_weight_is_sample_weight_when_nothing_is_left_out():
    """A dict of class weights equals the same numbers given as sample weights."""
    X, labels = problems.classes(40, 6)
    by_class = ForwardRidgeClassifier(class_weight={0: 1.0, 1: 4.0}, n_features_to_select=4)
    by_sample = ForwardRidgeClassifier(n_features_to_select=4)
    by_class.fit(X, labels)
    by_sample.fit(X, labels, sample_weight=np.where(labels == 1, 4.0, 1.0))
    assert_array_equal(by_class.selection_order_, by_sample.selection_order_)
    assert_allclose(by_class.path_errors_, by_sample.path_errors_)
    assert_allclose(by_class.coef_, by_sample.coef_)


def test_balanced_is_recomputed_in_every_training_set():
    """Frozen class weights would give another error; the literal refits decide."""
    X, labels = problems.classes(12, 4)
    labels[:] = 0
    labels[[2, 5, 9]] = 1
    problem = classification(X, labels, class_weight="balanced")
    estimator = ForwardRidgeClassifier(class_weight="balanced", n_features_to_select=2)
    estimator.fit(X, labels)
    columns = np.flatnonzero(estimator.support_)
    exact = leave_one_out(problem, columns, 1.0)[0]
    frozen = classification(X, labels, sample_weight=problem.weights(np.arange(12)))
    assert_allclose(-estimator.best_score_, exact, rtol=1e-9)
    assert abs(leave_one_out(frozen, columns, 1.0)[0] / exact - 1) > 1e-3


def test_store_cv_results_keeps_the_held_out_predictions():
    X, labels = problems.classes(30, 6, 3)
    sample_weight = problems.weights(30, "zeros")
    problem = classification(X, labels, sample_weight, error="zero_one")
    estimator = ForwardRidgeClassifier(
        error="zero_one", n_features_to_select=3, store_cv_results=True
    ).fit(X, labels, sample_weight=sample_weight)
    expected = refitted_predictions(problem, np.flatnonzero(estimator.support_), 1.0)
    assert_allclose(estimator.held_out_predictions_, expected, rtol=1e-8)
    labels = refitted_labels(problem, np.flatnonzero(estimator.support_), 1.0)
    used = sample_weight > 0
    assert_array_equal(estimator.held_out_predictions_[used].argmax(axis=1), labels[used])
    errors = zero_one_errors(problem, labels)
    assert_allclose(np.average(errors[used], weights=sample_weight[used]), -estimator.best_score_)
