"""scikit-learn's own tests of ``RidgeCV`` and ``RidgeClassifierCV``, run on ours.

The module of these tests is imported as it is installed, and its two names are exchanged. Left out
are tests of what is not ours: other estimators, private names, and the array API. Those that do not
pass are at the end, with the reasons; ``docs/adr/0009-ridge-cv-and-scikit-learn.md`` has the list.
"""

from functools import partial

import numpy as np
import pytest
from sklearn.datasets import make_classification, make_regression
from sklearn.linear_model.tests import test_ridge as theirs
from sklearn.utils.fixes import CSR_CONTAINERS

import holdfast

CONTAINERS = [None, *CSR_CONTAINERS]


def without_gcv_mode(*args, **params):
    """Ours has no ``gcv_mode``: the cheapest way is taken, and all give the same."""
    params.pop("gcv_mode", None)
    return holdfast.RidgeCV(*args, **params)


@pytest.fixture(autouse=True)
def exchanged(monkeypatch, request):
    """Their names for our classes; the class itself where a test does not name ``gcv_mode``."""
    named = "gcv_mode" in request.fixturenames
    monkeypatch.setattr(theirs, "RidgeCV", without_gcv_mode if named else holdfast.RidgeCV)
    monkeypatch.setattr(theirs, "RidgeClassifierCV", holdfast.RidgeClassifierCV)


@pytest.fixture
def global_random_seed():
    return 42


# Tests that make their estimators themselves, with the parameters they are given there.
test_ridge_gcv_integer_arrays = theirs.test_ridge_gcv_integer_arrays
test_ridge_gcv_vs_ridge_loo_cv = theirs.test_ridge_gcv_vs_ridge_loo_cv
test_regularization_limits_ridge_classifier = theirs.test_regularization_limits_ridge_classifier_gcv
test_ridge_loo_cv_asym_scoring = theirs.test_ridge_loo_cv_asym_scoring
test_ridge_gcv_sample_weights = theirs.test_ridge_gcv_sample_weights
test_ridge_classifier_with_scoring = theirs.test_ridge_classifier_with_scoring
test_ridge_regression_custom_scoring = theirs.test_ridge_regression_custom_scoring
test_class_weights_cv = theirs.test_class_weights_cv
test_ridge_classifier_cv_store_cv_results = theirs.test_ridge_classifier_cv_store_cv_results
test_ridgecv_int_alphas = theirs.test_ridgecv_int_alphas
test_ridge_cv_results_predictions = theirs.test_ridge_cv_results_predictions
test_ridge_cv_multioutput_sample_weight = theirs.test_ridge_cv_multioutput_sample_weight
test_ridge_cv_custom_multioutput_scorer = theirs.test_ridge_cv_custom_multioutput_scorer


# Tests that are given classes or fitted estimators: theirs unless they are given ours.
OURS = [holdfast.RidgeCV, holdfast.RidgeClassifierCV]
TABLES = [
    (holdfast.RidgeCV, make_regression),
    (holdfast.RidgeClassifierCV, make_classification),
]


def on_tables(function):
    return pytest.mark.parametrize(("estimator", "make"), TABLES)(function)


def on_ours(function):
    return pytest.mark.parametrize("estimator", OURS)(function)


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    ("rows", "dtype", "share"), [(20, "float32", 0.1), (40, "float32", 1.0), (20, "float64", 0.2)]
)
def test_solver_consistency(container, rows, dtype, share):
    theirs.test_solver_consistency("ridgecv", share, rows, dtype, container, 42)


@pytest.mark.parametrize("container", [np.asarray, *CSR_CONTAINERS])
@pytest.mark.parametrize("alpha", [1e-16, 1e16])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("shape", [(100, 50), (50, 50), (50, 100)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_regularization_limits_ridge_gcv(
    monkeypatch, container, alpha, fit_intercept, shape, dtype
):
    """In one of its modes; of the other it asks for a warning."""
    monkeypatch.setattr(theirs, "RidgeCV", without_gcv_mode)
    test = theirs.test_regularization_limits_ridge_gcv
    test(alpha, "eigen", fit_intercept, shape, dtype, container)


@pytest.mark.parametrize("container", CONTAINERS)
def test_ridge_cv(container):
    theirs._test_ridge_cv(container)
    theirs._test_ridge_classifiers(container)


@on_tables
def test_ridge_gcv_cv_results_not_stored(estimator, make):
    theirs.test_ridge_gcv_cv_results_not_stored(estimator(), make)


@on_tables
@pytest.mark.parametrize("cv", [None, 3])
def test_ridge_best_score(estimator, make, cv):
    theirs.test_ridge_best_score(estimator(), make, cv)


def test_class_weight_vs_sample_weight():
    theirs.test_class_weight_vs_sample_weight(holdfast.RidgeClassifierCV)


@on_ours
def test_ridgecv_alphas_conversion(estimator):
    theirs.test_ridgecv_alphas_conversion(estimator)


@on_ours
@pytest.mark.filterwarnings("ignore:The least populated class")
@pytest.mark.parametrize("cv", [None, 3])
def test_ridgecv_alphas_zero(estimator, cv):
    theirs.test_ridgecv_alphas_zero(cv, estimator)


@on_ours
@pytest.mark.parametrize(
    ("alphas", "error", "message"),
    [
        ((1, -1, -100), ValueError, r"alphas\[1\] == -1, must be > 0.0"),
        ((-0.1, -1.0, -10.0), ValueError, r"alphas\[0\] == -0.1, must be > 0.0"),
        ((1, 1.0, "1"), TypeError, r"alphas\[2\] must be an instance of float, not str"),
    ],
)
def test_ridgecv_alphas_validation(estimator, alphas, error, message):
    theirs.test_ridgecv_alphas_validation(estimator, {"alphas": alphas}, error, message)


@pytest.mark.filterwarnings("ignore::UserWarning")  # there is no R2 of a single row
def test_ridgecv_sample_weight(monkeypatch):
    """By the score it means: without a ``scoring`` ours minimises the pooled error, not mean R2."""
    monkeypatch.setattr(theirs, "RidgeCV", partial(holdfast.RidgeCV, scoring="r2"))
    theirs.test_ridgecv_sample_weight()


@on_ours
def test_ridgecv_alphas_scalar(estimator):
    theirs.test_ridgecv_alphas_scalar(estimator)


@pytest.mark.parametrize("cv", [None, 3])
def test_ridgeclassifier_multilabel(cv):
    theirs.test_ridgeclassifier_multilabel(holdfast.RidgeClassifierCV, {"cv": cv})


@on_ours
def test_metadata_routing_with_default_scoring(estimator):
    theirs.test_metadata_routing_with_default_scoring(estimator)


@on_tables
def test_set_score_request_with_default_scoring(estimator, make):
    theirs.test_set_score_request_with_default_scoring(estimator(), make)


# What does not pass, because we allow what scikit-learn refuses.
def test_ridge_cv_individual_penalties_up_to_the_last_lines():
    """Its last lines ask for an error when ``alpha_per_target`` meets a ``cv``."""
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        theirs.test_ridge_cv_individual_penalties()


@pytest.mark.parametrize("scoring", [None, "neg_mean_squared_error"])
def test_ridgecv_store_cv_results_up_to_the_last_lines(scoring):
    """Its last lines ask for an error when ``store_cv_results`` meets a ``cv``."""
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        theirs.test_ridgecv_store_cv_results(scoring)
