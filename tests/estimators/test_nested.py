"""``nested_score`` against choosing and fitting anew on every outer training set."""

import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.decomposition import PCA
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_selection import SelectKBest, f_regression
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from holdfast import (
    BackwardRidge,
    ForwardRidge,
    ForwardRidgeClassifier,
    LarsSVC,
    NestedScore,
    RidgeClassifierCV,
    RidgeCV,
    nested_score,
)
from holdfast.estimators import nested
from tests import problems
from tests.oracles import backward_wrapper, forward_wrapper
from tests.oracles import nested as oracle
from tests.oracles.penalty_choice import alpha_errors, chosen_alpha
from tests.oracles.ridge_refit import classification, regression
from tests.oracles.size_choice import chosen_entry

ALPHAS = [0.1, 10.0]
WRAPPERS = {
    ForwardRidge: forward_wrapper.forward,
    ForwardRidgeClassifier: forward_wrapper.forward,
    BackwardRidge: backward_wrapper.backward,
}


def on_rows(problem, rows, splits):
    """The same problem on some rows, judged by inner splits of these, numbered from 0."""
    labels = None if problem.labels is None else problem.labels[rows]
    return replace(
        problem,
        X=problem.X[rows],
        Y=problem.Y[rows],
        sample_weight=problem.sample_weight[rows],
        labels=labels,
        splits=splits,
    )


def procedure(estimator, problem, inner):
    """What an estimator does, by refitting: from training rows to columns and a penalty."""

    def choose(rows):
        splits = None
        if inner is not None:
            y = problem.Y[rows, 0] if problem.labels is None else problem.labels[rows]
            splits = list(inner.split(problem.X[rows], y))
        part = on_rows(problem, rows, splits)
        n_columns = problem.X.shape[1]
        if type(estimator) in (RidgeCV, RidgeClassifierCV):
            return range(n_columns), ALPHAS[chosen_alpha(alpha_errors(part, ALPHAS))]
        record = WRAPPERS[type(estimator)](part, ALPHAS, n_columns)
        entry = chosen_entry(record.sizes, record.errors, record.standard_errors, "best")
        return record.columns(entry), record.alphas[entry]

    return choose


def check(estimator, problem, X, y, outer, inner, sample_weight=None):
    splits = list(outer.split(X, y))
    error, std_error, predictions, chosen = oracle.nested(
        problem, splits, procedure(estimator, problem, inner)
    )
    score = nested_score(
        estimator.set_params(cv=inner), X, y, outer_cv=outer, sample_weight=sample_weight
    )
    assert_allclose(score.error, error, rtol=1e-8)
    assert_allclose(score.std_error, std_error, rtol=1e-7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # rows that are never held out
        mean = np.nanmean(predictions, axis=0)
    assert_allclose(score.held_out_predictions.reshape(mean.shape), mean, rtol=1e-7, atol=1e-9)
    assert [np.flatnonzero(row).tolist() for row in score.supports] == chosen
    assert score.sizes.tolist() == [len(columns) for columns in chosen]
    assert_allclose(score.selection_share, score.supports.mean(axis=0))
    return score


@pytest.mark.parametrize("estimator", [RidgeCV, ForwardRidge, BackwardRidge])
@pytest.mark.parametrize(
    ("outer", "inner", "shared"),
    [
        (KFold(4), KFold(3), True),
        (KFold(4), None, False),
        (KFold(3, shuffle=True, random_state=0), KFold(3, shuffle=True, random_state=1), False),
        (TimeSeriesSplit(3), KFold(3), True),
        (RepeatedKFold(n_splits=2, n_repeats=2, random_state=0), KFold(3), True),
        (ShuffleSplit(3, random_state=0), TimeSeriesSplit(2), False),
    ],
)
def test_regression(estimator, outer, inner, shared):
    X, Y = problems.several_targets(120, 5, targets=2, seed=1)
    score = check(
        estimator(alphas=ALPHAS, patience=None) if estimator is not RidgeCV else RidgeCV(ALPHAS),
        regression(X, Y),
        X,
        Y,
        outer,
        inner,
    )
    assert score.shared_moments == shared
    assert score.wrong is None
    assert len(score.estimators) == len(score.fold_errors)


@pytest.mark.parametrize("estimator", [RidgeClassifierCV, ForwardRidgeClassifier])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classification(estimator, class_weight, n_classes):
    X, y = problems.classes(90, 5, n_classes, separation=0.7)
    weights = problems.weights(90, "random")
    problem = classification(X, y, weights, class_weight=class_weight)
    options = {} if estimator is RidgeClassifierCV else {"patience": None}
    model = estimator(alphas=ALPHAS, class_weight=class_weight, **options)
    score = check(model, problem, X, y, StratifiedKFold(3), StratifiedKFold(2), weights)
    outputs = score.held_out_predictions
    named = outputs > 0 if n_classes == 2 else outputs.argmax(axis=1)
    assert score.wrong == pytest.approx(np.average(named != y, weights=problem.error_weights))


def test_wrong_labels_where_these_are_what_is_minimised():
    X, y = problems.classes(60, 5, separation=0.4)
    search = ForwardRidgeClassifier(error="zero_one", cv=3)
    score = nested_score(search, X, y, 4)
    assert score.error == score.wrong
    assert 0 < score.error < 0.5


@pytest.mark.parametrize("estimator", [RidgeCV, ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, pd.DataFrame])
def test_shared_fold_sums_give_what_fitting_gives(estimator, storage, monkeypatch):
    """Groups and contiguous folds: one reading, the same models."""
    X, y = problems.correlated(400, 6)
    weights = problems.weights(400, "zeros")
    groups = np.arange(400) // 50
    table = storage(X)
    if storage is pd.DataFrame:
        table.columns = [f"c{i}" for i in range(6)]
    options = {"cv": LeaveOneGroupOut(), "standardize": True, "alphas": ALPHAS}
    told = {"outer_cv": GroupKFold(4), "sample_weight": weights, "groups": groups}
    shared = nested_score(estimator(**options), table, y, **told)
    monkeypatch.setattr(nested, "_lives_on_moments", lambda estimator: False)
    fitted = nested_score(estimator(**options), table, y, **told)
    assert shared.shared_moments
    assert not fitted.shared_moments
    assert_array_equal(shared.supports, fitted.supports)
    assert_allclose(shared.held_out_predictions, fitted.held_out_predictions, rtol=1e-9)
    assert_allclose(shared.inner_errors, fitted.inner_errors, rtol=1e-9)


def test_shared_fold_sums_take_one_reading(monkeypatch):
    from holdfast.estimators import fold_moments
    from holdfast.rows import as_rows

    seen = []

    def remember(*data):
        seen.append(as_rows(*data))
        return seen[-1]

    monkeypatch.setattr(fold_moments, "as_rows", remember)
    X, y = problems.correlated(2000, 6)
    score = nested_score(ForwardRidge(cv=5), X, y, 10)
    assert score.shared_moments
    assert len(seen) == 1
    assert seen[0].counts.products == 1


def test_the_path_is_optimistic_and_this_is_not():
    """Columns of noise: the path believes in them, the nested error does not."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 200)), rng.standard_normal(60)
    search = ForwardRidge(n_features_to_select=8)
    score = nested_score(search, X, y, KFold(10))
    assert search.fit(X, y).path_errors_[-1] < 0.6 * np.var(y)
    assert score.error > np.var(y)
    assert score.optimism > 0.5 * np.var(y)


@pytest.mark.parametrize("estimator", [Ridge(2.0), Lasso(0.1)])
def test_any_regressor(estimator):
    X, y = problems.correlated(50, 6)
    score = nested_score(estimator, X, y, KFold(5))
    theirs = cross_val_predict(estimator, X, y, cv=KFold(5))
    assert_allclose(score.held_out_predictions, theirs)
    assert_allclose(score.error, np.mean((y - theirs) ** 2))
    assert np.isnan(score.inner_errors).all()


@pytest.mark.parametrize(
    "estimator", [LogisticRegression(), RandomForestClassifier(5, random_state=0)]
)
def test_any_classifier(estimator):
    X, y = problems.classes(60, 5)
    labels = np.array(["no", "yes"])[y]
    score = nested_score(estimator, X, labels, StratifiedKFold(3))
    theirs = cross_val_predict(estimator, X, labels, cv=StratifiedKFold(3))
    assert score.wrong == pytest.approx(np.mean(theirs != labels))


def test_several_labels():
    X, y = problems.classes(60, 5)
    Y = np.column_stack([y, X[:, 2] > 0]).astype(int)
    score = nested_score(RidgeClassifierCV(cv=3), X, Y, 4)
    assert score.held_out_predictions.shape == Y.shape
    assert score.wrong == pytest.approx(np.mean((score.held_out_predictions > 0) != (Y > 0)))


def test_side_by_side_and_one_after_the_other():
    X, y = problems.correlated(40, 6)
    plain = nested_score(ForwardRidge(), X, y, 4)
    parallel = nested_score(ForwardRidge(), X, y, 4, n_jobs=2)
    assert isinstance(plain, NestedScore)
    assert_array_equal(plain.held_out_predictions, parallel.held_out_predictions)


def test_the_estimator_is_left_alone():
    X, y = problems.correlated(40, 6)
    search = ForwardRidge(cv=4)
    nested_score(search, X, y, 3)
    assert not hasattr(search, "coef_")


def test_bad_input_is_named():
    X, y = problems.correlated(30, 4)
    with pytest.raises(ValueError, match="makes no splits"):
        nested_score(RidgeCV(), X, y, [])
    with pytest.raises(ValueError, match="X has 30 rows"):
        nested_score(RidgeCV(), X, y, [([0, 1, 2], [77])])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        nested_score(RidgeCV(), X, y[:-1], 3)
    with pytest.raises(ValueError, match="at least one non-zero"):
        nested_score(RidgeCV(), X, y, 3, sample_weight=np.zeros(30))
    labels = np.repeat(["a", "b", "c"], 10)
    with pytest.raises(ValueError, match="trains on no row of class 'a'"):
        nested_score(RidgeClassifierCV(), X, labels, KFold(3))


# -- what is chosen inside pipelines and searches -------------------------------------------


def test_choice_inside_a_pipeline_and_a_search():
    X, y = problems.correlated(60, 7)
    search = ForwardRidge(cv=3, n_features_to_select=2)
    plain = nested_score(make_pipeline(StandardScaler(), search), X, y, 3)
    assert plain.sizes.tolist() == [2, 2, 2]
    assert plain.supports.shape == (3, 7)
    assert (plain.supports.sum(axis=1) == 2).all()
    assert np.isfinite(plain.inner_errors).all()
    grid = GridSearchCV(make_pipeline(search), {"forwardridge__alphas": [0.1, 10.0]}, cv=3)
    within = nested_score(grid, X, y, 3)
    for model, size, support in zip(within.estimators, within.sizes, within.supports, strict=True):
        inner = model.best_estimator_[-1]
        assert size == inner.n_features_
        assert_array_equal(support, inner.support_)
    for number, model in enumerate(within.estimators):
        assert within.inner_errors[number] == -model.best_estimator_[-1].best_score_


def test_choice_by_a_transformer_before_the_model():
    X, y = problems.correlated(60, 7)
    chooser = SelectKBest(f_regression, k=3)
    score = nested_score(make_pipeline(chooser, RidgeCV(alphas=[1.0])), X, y, 3)
    assert score.sizes.tolist() == [3, 3, 3]
    for model, support in zip(score.estimators, score.supports, strict=True):
        assert_array_equal(support, model[0].get_support())
    both = nested_score(make_pipeline(chooser, ForwardRidge(n_features_to_select=1)), X, y, 3)
    assert both.sizes.tolist() == [1, 1, 1]
    for model, support in zip(both.estimators, both.supports, strict=True):
        assert_array_equal(
            np.flatnonzero(support), model[0].get_support(indices=True)[model[1].support_]
        )


def test_new_columns_are_not_those_of_X():
    X, y = problems.correlated(60, 7)
    score = nested_score(make_pipeline(PCA(7), ForwardRidge(n_features_to_select=2)), X, y, 3)
    assert score.sizes.tolist() == [2, 2, 2]
    assert score.supports is None
    assert score.selection_share is None


def test_lists_are_rows_and_bad_data_have_a_remedy():
    X, y = problems.correlated(30, 4)
    assert (
        nested_score(RidgeCV(), X.tolist(), y.tolist(), 3).error
        == nested_score(RidgeCV(), X, y, 3).error
    )
    with pytest.raises(ValueError, match=r"X has shape \(30,\); expected rows and columns"):
        nested_score(RidgeCV(), X[:, 0], y, 3)
    y[3] = np.nan
    with pytest.raises(ValueError, match="expected a finite target in every row"):
        nested_score(RidgeCV(), X, y, 3)


@pytest.mark.parametrize("n_labels", [1, 2])
def test_a_support_vector_machine_is_judged_by_its_own_loss(n_labels):
    rng = np.random.default_rng(8)
    X = rng.standard_normal((60, 4))
    y = (X[:, :n_labels] + rng.standard_normal((60, n_labels)) > 0).astype(int)
    y = y[:, 0] if n_labels == 1 else y
    nested = nested_score(LarsSVC(), X, y, KFold(4))
    losses = np.empty(60)
    for train, held in KFold(4).split(X):
        outputs = LarsSVC().fit(X[train], y[train]).decision_function(X[held])
        short = np.maximum(1 - (2 * y[held] - 1) * outputs, 0) ** 2
        losses[held] = short.reshape(len(held), -1).mean(axis=1)
    assert nested.error == pytest.approx(losses.mean(), rel=1e-12)
