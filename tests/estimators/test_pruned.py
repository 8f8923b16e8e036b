"""Pruned ridge regression: the literal ranking, and every model on the way refitted."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.model_selection import KFold, LeaveOneOut
from sklearn.pipeline import make_pipeline

from holdfast import PrunedRidge, RandomLayer, nested_score
from tests import problems
from tests.estimators.agreement import (
    assert_chosen_entry,
    assert_path_is_true,
    assert_same_search,
)
from tests.estimators.test_folds import STORAGES, splits_of
from tests.oracles import nested as nested_oracle
from tests.oracles.pruned import least_squares_errors, pruned, ranking
from tests.oracles.ridge_refit import regression, scales
from tests.oracles.size_choice import chosen_entry

ALPHAS = [0.01, 1.0, 30.0]


@pytest.mark.parametrize("splits", [None, "KFold", "GroupKFold", "RepeatedKFold", "by hand"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("kind", [None, "zeros"])
def test_it_is_ranking_and_refitting(splits, fit_intercept, standardize, kind):
    X, y = problems.correlated(40, 9)
    X = X * np.linspace(0.3, 3, 9) + np.arange(9)
    weights = None if kind is None else problems.weights(40, kind)
    cv = None if splits is None else splits_of(splits, 40)
    options = {"fit_intercept": fit_intercept, "standardize": standardize}
    model = PrunedRidge(alphas=ALPHAS, cv=cv, **options).fit(X, y, weights)
    plain = regression(X, y, weights, fit_intercept)
    scale = scales(plain) if standardize else 1.0
    order = ranking(plain, scale)
    problem = regression(X, y, weights, splits=cv, **options)
    record = pruned(problem, ALPHAS, order)
    assert_same_search(model, record)
    entry = chosen_entry(record.sizes, record.errors, record.standard_errors, "best")
    given = {"X": X} if standardize and cv is None else {}
    assert_chosen_entry(model, problem, record, entry, **given)
    assert_path_is_true(model, problem)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("cv", [None, 4])
@pytest.mark.parametrize("standardize", [False, True])
def test_storages_agree(storage, cv, standardize):
    X, y = problems.from_few_columns(60, 12)
    X = np.where(np.abs(X) < 0.6, 0, X).astype(np.float32)
    options = {"alphas": ALPHAS, "cv": cv, "standardize": standardize}
    expected = PrunedRidge(**options).fit(X.astype(np.float64), y)
    found = PrunedRidge(**options).fit(STORAGES[storage](X), y)
    assert_array_equal(found.selection_order_, expected.selection_order_)
    assert_allclose(found.path_errors_, expected.path_errors_, rtol=1e-6)
    assert_allclose(found.coef_, expected.coef_, rtol=1e-5, atol=1e-9)


@pytest.mark.parametrize("cv", [LeaveOneOut(), KFold(5)], ids=str)
def test_without_a_penalty_it_is_least_squares(cv):
    X, y = problems.correlated(50, 8)
    model = PrunedRidge(regularized=False, alphas=7.0, cv=cv).fit(X, y)
    order = ranking(regression(X, y))
    assert_array_equal(model.selection_order_, order)
    expected = least_squares_errors(X, y, order, list(cv.split(X)))
    assert_allclose(model.path_errors_, expected, rtol=1e-7)
    assert model.alpha_ == pytest.approx(1e-10 * ((X - X.mean(axis=0)) ** 2).sum(axis=0).mean())


def test_sizes_are_chosen_as_everywhere():
    X, y = problems.from_few_columns(60, 15)
    whole = PrunedRidge(cv=5).fit(X, y)
    assert len(whole.path_errors_) == 16
    for rule in ("best", "1se"):
        entry = chosen_entry(
            whole.path_sizes_, whole.path_errors_, whole.path_std_errors_, rule, None
        )
        model = PrunedRidge(cv=5, n_features_to_select=rule).fit(X, y)
        assert model.n_features_ == whole.path_sizes_[entry]
        assert_allclose(model.coef_, whole.truncate(rule).coef_)
    assert len(PrunedRidge(cv=5, n_features_to_select=4).fit(X, y).path_errors_) == 5
    assert len(PrunedRidge(cv=5, max_features=6).fit(X, y).path_errors_) == 7
    patient = PrunedRidge(cv=5, patience=3).fit(X, y)
    assert len(patient.path_errors_) < 16
    assert_array_equal(patient.path_errors_, whole.path_errors_[: len(patient.path_errors_)])


@pytest.mark.parametrize("cv", [None, 4])
@pytest.mark.parametrize("regularized", [True, False])
def test_columns_that_tell_nothing_new_are_never_selected(cv, regularized):
    X, y = problems.from_few_columns(50, 6, used=(4, 1))
    copies = np.hstack([X, X[:, [4, 1]], np.ones((50, 1)), X[:, [0]] + X[:, [2]]])
    model = PrunedRidge(cv=cv, regularized=regularized).fit(copies, y)
    assert not model.support_[[6, 7, 8]].any()
    assert len(model.path_errors_) == 7
    few = PrunedRidge(regularized=False, n_features_to_select=3).fit(X, y)
    assert few.n_features_ == 3
    with pytest.warns(DataDimensionalityWarning, match="9 features.*ended at 6"):
        PrunedRidge(cv=cv, n_features_to_select=9).fit(copies, y)


def test_more_columns_than_rows():
    X, y = problems.wide(15, 60)
    for options in ({"cv": 5}, {}, {"cv": 5, "alphas": ALPHAS}):
        model = PrunedRidge(**options).fit(X, y)
        assert len(model.path_errors_) <= 16
        assert np.isfinite(model.path_errors_).all()
        assert model.selection_order_[0] == ranking(regression(X, y))[0]


def test_nothing_to_rank():
    with pytest.warns(DataDimensionalityWarning, match="constant"):
        model = PrunedRidge().fit(np.ones((10, 3)), np.arange(10.0))
    assert model.n_features_ == 0
    assert_allclose(model.predict(np.ones((2, 3))), 4.5)


def test_nested_score_ranks_anew_in_every_split():
    """And finds more error than the path, whose ranking has seen what it holds out."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 60)), rng.standard_normal(40)
    outer = list(KFold(4).split(X))
    search = PrunedRidge(alphas=ALPHAS, cv=5)
    found = nested_score(search, X, y, outer_cv=outer)
    assert not found.shared_moments

    def choose(training_set):
        inner = regression(X[training_set], y[training_set], splits=list(KFold(5).split(X[:30])))
        record = pruned(inner, ALPHAS, ranking(inner))
        entry = chosen_entry(record.sizes, record.errors, record.standard_errors, "best")
        return [c for (c,) in record.supports[entry]], record.alphas[entry]

    expected = nested_oracle.nested(regression(X, y), outer, choose)
    assert_allclose(found.error, expected[0], rtol=1e-8)
    assert [np.flatnonzero(s).tolist() for s in found.supports] == expected[3]
    assert found.error > -search.fit(X, y).best_score_


def test_op_elm_in_a_pipeline():
    X, y = problems.from_few_columns(80, 3, used=(0, 2))
    frame = pd.DataFrame(X, columns=list("abc"))
    layer = RandomLayer(n_units=20, include_inputs=True, random_state=0)
    model = make_pipeline(layer, PrunedRidge(alphas=ALPHAS, cv=5)).fit(frame, y)
    assert model.score(frame, y) > 0.9
    assert {"a", "c"} <= set(model[-1].get_feature_names_out(layer.get_feature_names_out()))


def test_what_it_keeps():
    X, y = problems.from_few_columns(40, 6, used=(4, 1))
    model = PrunedRidge(alphas=ALPHAS, cv=4, store_cv_results=True).fit(sp.csr_array(X), y)
    assert model.path_fold_errors_.shape == (7, 4)
    assert model.cv_results_.shape == (40, 3)
    assert_allclose(np.mean((y - model.held_out_predictions_) ** 2), -model.best_score_)
    assert not hasattr(model, "fit_moments")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"regularized": "yes"}, "regularized='yes'.*True or False"),
        ({"alphas": 0.0}, "alphas must be positive"),
        ({"n_features_to_select": 7}, "asks for 7 features, but only 6"),
    ],
)
def test_what_is_wrong_is_said(given, message):
    X, y = problems.from_few_columns(40, 6, used=(4, 1))
    with pytest.raises(ValueError, match=message):
        PrunedRidge(**given).fit(X, y)
    with pytest.raises(ValueError, match="1d array"):
        PrunedRidge().fit(X, np.column_stack([y, y]))
