"""The models at the two ends of a path are those of scikit-learn's ``Ridge`` and ``RidgeCV``."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge, RidgeClassifier, RidgeCV
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.preprocessing import StandardScaler

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
)
from tests import problems

REGRESSORS = [ForwardRidge, BackwardRidge]


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weights", ["none", "random", "zeros"])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("shape", [(40, 8), (8, 20)], ids=["tall", "wide"])
def test_all_features_are_ridge(estimator, fit_intercept, weights, targets, shape):
    X, Y = problems.several_targets(*shape)
    y = Y[:, 0] if targets == 1 else Y
    sample_weight = problems.weights(len(X), weights)
    ridge = Ridge(alpha=0.7, fit_intercept=fit_intercept).fit(X, y, sample_weight)
    ours = estimator(alphas=0.7, fit_intercept=fit_intercept, n_features_to_select=shape[1])
    ours.fit(X, y, sample_weight)
    assert_allclose(ours.coef_, ridge.coef_, rtol=1e-8, atol=1e-12)
    assert_allclose(ours.intercept_, ridge.intercept_, rtol=1e-8)
    assert_allclose(ours.predict(X), ridge.predict(X), rtol=1e-8)


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("targets", [1, 3])
def test_with_everything_included_the_choice_of_alpha_is_ridge_cv(estimator, targets):
    X, Y = problems.several_targets(30, 6)
    y = Y[:, 0] if targets == 1 else Y
    alphas = [0.01, 0.1, 1.0, 10.0, 100.0]
    theirs = RidgeCV(alphas=alphas, scoring="neg_mean_squared_error").fit(X, y)
    ours = estimator(alphas=alphas, n_features_to_select=6).fit(X, y)
    assert ours.alpha_ == theirs.alpha_
    assert_allclose(ours.best_score_, theirs.best_score_, rtol=1e-9)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("targets", [1, 3])
def test_every_model_of_a_path_by_cross_val_predict(targets):
    """Leave-one-out by scikit-learn, one refit per row."""
    X, Y = problems.several_targets(25, 6)
    y = Y[:, 0] if targets == 1 else Y
    path = ForwardRidge(alphas=[2.0, 0.2], patience=None).fit(X, y)
    for size in range(1, 7):
        model = path.truncate(size)
        held_out = cross_val_predict(
            Ridge(alpha=model.alpha_), X[:, model.support_], y, cv=LeaveOneOut()
        )
        assert_allclose(path.path_errors_[size], np.mean((y - held_out) ** 2), rtol=1e-9)


@pytest.mark.parametrize("estimator", [ForwardRidgeClassifier, BackwardRidgeClassifier])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 2.0}])
def test_all_features_are_ridge_classifier(estimator, n_classes, class_weight):
    X, labels = problems.classes(50, 6, n_classes)
    theirs = RidgeClassifier(alpha=0.5, class_weight=class_weight).fit(X, labels)
    ours = estimator(alphas=0.5, class_weight=class_weight, n_features_to_select=6)
    ours.fit(X, labels)
    assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8)
    assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8)
    assert_allclose(ours.decision_function(X), theirs.decision_function(X), rtol=1e-7)
    assert (ours.predict(X) == theirs.predict(X)).all()


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_standardize_is_a_scaler_before_ridge(estimator):
    X, y = problems.correlated(40, 6)
    X = X * np.logspace(-3, 3, 6) + 7
    ours = estimator(alphas=0.5, standardize=True, n_features_to_select=6).fit(X, y)
    scaler = StandardScaler().fit(X)
    ridge = Ridge(alpha=0.5).fit(scaler.transform(X), y)
    assert_allclose(ours.coef_ * scaler.scale_, ridge.coef_, rtol=1e-8)
    assert_allclose(ours.predict(X), ridge.predict(scaler.transform(X)), rtol=1e-8)


def test_the_starting_model_is_the_mean():
    X, y = problems.correlated(40, 6)
    weights = problems.weights(40, "zeros")
    start = ForwardRidge().fit(X, y, sample_weight=weights).truncate(0)
    assert_allclose(start.intercept_, np.average(y, weights=weights))
    assert_allclose(start.predict(X), np.average(y, weights=weights))
    through_zero = ForwardRidge(fit_intercept=False).fit(X, y)
    assert_allclose(through_zero.path_errors_[0], np.mean(y**2))
    assert through_zero.truncate(0).intercept_ == 0.0
