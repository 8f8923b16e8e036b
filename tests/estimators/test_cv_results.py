"""``cv_results_`` has one definition: weighted squared errors of rows, mean over their splits."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn import linear_model

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from tests import problems
from tests.oracles.ridge_refit import (
    classification,
    mean_predictions,
    refitted_predictions,
    regression,
)

REGRESSORS = [RidgeCV, ForwardRidge, BackwardRidge]
CLASSIFIERS = [RidgeClassifierCV, ForwardRidgeClassifier, BackwardRidgeClassifier]
ALPHAS = [0.5, 20.0]
SPLITTERS = ["KFold shuffled", "RepeatedKFold", "TimeSeriesSplit", "by hand", "leave-one-out"]


def splits_of(name, y):
    if name == "leave-one-out":
        return None
    return problems.splitters(len(y), y, problems.groups_of_rows(len(y)))[name]


def columns_of(fitted):
    """The columns of a fitted model."""
    return np.flatnonzero(getattr(fitted, "support_", np.ones(fitted.n_features_in_, bool)))


def expected_results(problem, columns):
    """Weighted squared errors, mean over the splits that hold a row out, (m, targets, alphas)."""
    weights = problem.error_weights[:, None]
    results = []
    for alpha in ALPHAS:
        errors = weights * (problem.Y - refitted_predictions(problem, columns, alpha)) ** 2
        results.append(mean_predictions(problem, errors))
    return np.stack(results, axis=-1)


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("targets", [None, 1, 2])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_regressors(estimator, splitter, targets, storage):
    X, Y = problems.several_targets(40, 6, targets=targets or 1, seed=3)
    y = Y if targets else Y[:, 0]
    weights = problems.weights(40, "zeros")
    splits = splits_of(splitter, y)
    fitted = estimator(alphas=ALPHAS, cv=splits, store_cv_results=True)
    fitted.fit(storage(X), y, sample_weight=weights)
    problem = regression(X, Y, weights, splits=splits)
    expected = expected_results(problem, columns_of(fitted))
    if targets is None:
        expected = expected[:, 0]
    assert fitted.cv_results_.shape == expected.shape
    assert_allclose(fitted.cv_results_, expected, rtol=1e-8, atol=1e-12)
    if splits is None and estimator is RidgeCV:
        theirs = linear_model.RidgeCV(ALPHAS, store_cv_results=True).fit(X, y, weights)
        used = weights > 0
        assert_allclose(fitted.cv_results_[used], theirs.cv_results_[used], rtol=1e-8)


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("splitter", ["RepeatedKFold", "leave-one-out"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.5, 1: 3.0}])
def test_classifiers(estimator, splitter, n_classes, class_weight):
    X, y = problems.classes(45, 6, n_classes, separation=0.7, seed=4)
    weights = problems.weights(45, "random")
    splits = splits_of(splitter, y)
    fitted = estimator(alphas=ALPHAS, cv=splits, class_weight=class_weight, store_cv_results=True)
    fitted.fit(X, y, sample_weight=weights)
    problem = classification(X, y, weights, class_weight=class_weight, splits=splits)
    assert fitted.cv_results_.shape == (45, 1 if n_classes == 2 else 3, 2)
    expected = expected_results(problem, columns_of(fitted))
    assert_allclose(fitted.cv_results_, expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("estimator", [*REGRESSORS, *CLASSIFIERS])
@pytest.mark.parametrize("cv", [None, 5])
def test_their_mean_is_the_error(estimator, cv):
    X, y = problems.classes(40, 5, separation=0.5)
    fitted = estimator(alphas=ALPHAS, cv=cv, store_cv_results=True).fit(X, y)
    assert_allclose(fitted.cv_results_.reshape(40, 2).mean(axis=0), fitted.alpha_errors_)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("cv", [None, 5])
def test_of_no_columns_at_all(cv, fit_intercept):
    X, y = np.ones((20, 3)), np.arange(20.0)
    if not fit_intercept:
        X *= 0
    with pytest.warns(UserWarning, match="can be selected|were asked for"):
        fitted = ForwardRidge(cv=cv, fit_intercept=fit_intercept, store_cv_results=True).fit(X, y)
    errors = (y - fitted.held_out_predictions_) ** 2
    assert_allclose(fitted.cv_results_, np.repeat(errors[:, None], len(fitted.alphas_), axis=1))
