"""LarsRidge, LarsSVC, their path functions, information gain and thresholds."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import Ridge, lars_path
from sklearn.metrics import balanced_accuracy_score, f1_score, make_scorer
from sklearn.model_selection import KFold, LeaveOneOut, StratifiedKFold, cross_val_score
from sklearn.preprocessing import scale
from sklearn.svm import LinearSVC

from holdfast import (
    LarsRidge,
    LarsSVC,
    PathDisplay,
    information_gain,
    lars_ridge_path,
    lars_svc_path,
    nested_score,
)
from holdfast.estimators.threshold import best_threshold, check_threshold
from tests import problems
from tests.oracles import lars_held_out
from tests.oracles.lars_path import follow

DIABETES = load_diabetes(return_X_y=True)
BREAST = scale(load_breast_cancer().data), load_breast_cancer().target
IRIS = load_iris(return_X_y=True)


# --------------------------------------------------------------------------------------- functions


@pytest.mark.parametrize("lasso", [False, True])
def test_squared_loss_is_lars_path_of_scikit_learn(lasso):
    X, y = DIABETES
    y = y - y.mean()
    path = lars_ridge_path(X, y, alpha=0.0, lasso=lasso)
    alphas, _, coefs = lars_path(X, y, method="lasso")
    stop = None if lasso else np.flatnonzero(path.sizes == 10)[0]  # there a sign changes
    assert_allclose(path.knots[:stop], alphas[:stop] * len(X), atol=1e-8 * path.knots[0])
    assert_allclose(path.coefs.toarray()[:, :stop], coefs[:, :stop], atol=1e-7)


def test_squared_hinge_is_liblinear():
    X, y = BREAST
    path = lars_svc_path(X, y, alpha=0.0, lasso=True)
    for share in (0.5, 0.2, 0.05):
        lam = share * path.knots[0]
        svc = LinearSVC(
            penalty="l1", dual=False, C=1 / (2 * lam), fit_intercept=False, tol=1e-8, max_iter=10**5
        )
        assert_allclose(path.at(lam)[0], svc.fit(X, y).coef_[0], atol=1e-4)


@pytest.mark.parametrize("function", [lars_ridge_path, lars_svc_path])
def test_bad_arguments_of_the_functions(function):
    X, y = BREAST
    with pytest.raises(ValueError, match="at least 0, got -1"):
        function(X, y, alpha=-1.0)
    with pytest.raises(ValueError, match="sequence"):
        function(X, y, alpha=[1.0, 0.0])
    with pytest.raises(ValueError, match="max_features=0"):
        function(X, y, max_features=0)
    with pytest.raises(ValueError, match="lasso='yes'"):
        function(X, y, lasso="yes")
    with pytest.raises(ValueError, match="NaN"):
        function(np.where(X > 3, np.nan, X), y)
    with pytest.raises(ValueError, match="sample weights are positive"):
        function(X, y, sample_weight=np.eye(1, len(y))[0])


def test_the_svc_path_wants_two_classes():
    with pytest.raises(ValueError, match="3 classes"):
        lars_svc_path(*IRIS)


# ----------------------------------------------------------------------------------- choice of size


def held_out_by_hand(estimator, X, y, splits, size):
    """Squared errors or squared hinges of literally refitted models of one size."""
    total = []
    for train, test in splits:
        fitted = clone(estimator).set_params(n_features_to_select=size, cv=None)
        fitted.fit(X[train], y[train])
        if isinstance(estimator, LarsSVC):
            t = np.where(y[test] == fitted.classes_[1], 1.0, -1.0)
            total.append(np.maximum(1 - t * fitted.decision_function(X[test]), 0) ** 2)
        else:
            total.append((y[test] - fitted.predict(X[test])) ** 2)
    return np.concatenate(total).mean()


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("lasso", [False, True])
@pytest.mark.parametrize("hinge", [False, True])
def test_folds_are_new_paths(hinge, lasso, refit):
    X, y = BREAST if hinge else DIABETES
    X, y = X[:200, :10], y[:200]
    cv = StratifiedKFold(4) if hinge else KFold(4)
    estimator = (LarsSVC if hinge else LarsRidge)(lasso=lasso, refit=refit, cv=cv)
    fitted = clone(estimator).fit(X, y)
    splits = list(cv.split(X, y))
    for size in (1, 3, 6):
        expected = held_out_by_hand(estimator, X, y, splits, size)
        position = list(fitted.path_sizes_).index(size)
        assert_allclose(fitted.path_errors_[position], expected, rtol=1e-7)
    assert_allclose(fitted.best_score_, -fitted.path_errors_.min())
    assert fitted.path_fold_errors_.shape == (len(fitted.path_sizes_), 4)


def test_leave_one_out_of_the_hybrid_is_that_of_ridge():
    X, y = DIABETES
    fitted = LarsRidge(refit=True, n_features_to_select=4, store_cv_results=True).fit(X, y)
    chosen = X[:, fitted.support_]
    ridge = Ridge(alpha=1.0)
    score = cross_val_score(ridge, chosen, y, cv=LeaveOneOut(), scoring="neg_mean_squared_error")
    assert_allclose(fitted.best_score_, score.mean(), rtol=1e-9)
    assert_allclose(np.mean((y - fitted.held_out_predictions_) ** 2), -fitted.best_score_)
    every = np.mean((y - fitted.path_held_out_predictions_) ** 2, axis=1)
    assert_allclose(every, fitted.path_errors_)
    assert_allclose(ridge.fit(chosen, y).coef_, fitted.coef_[fitted.support_], rtol=1e-9)
    assert_allclose(ridge.intercept_, fitted.intercept_)


def test_several_penalties_the_better_one():
    X, y = DIABETES
    alphas = [100.0, 1.0, 0.01]
    together = LarsRidge(alpha=alphas).fit(X, y)
    alone = [LarsRidge(alpha=alpha).fit(X, y) for alpha in alphas]
    assert together.alpha_ == min(alone, key=lambda one: -one.best_score_).alpha_
    assert_allclose(together.best_score_, max(one.best_score_ for one in alone))
    assert_array_equal(together.alphas_, alphas)
    assert together.alpha_errors_.shape == (3,)
    assert_allclose(np.nanmin(together.alpha_errors_), -together.best_score_)


def test_a_number_of_features_and_truncate():
    X, y = BREAST
    fitted = LarsSVC(n_features_to_select=6).fit(X, y)
    assert fitted.n_features_ == fitted.support_.sum() == 6
    path = lars_svc_path(X, y, max_features=6, fit_intercept=True)
    assert_array_equal(fitted.selection_order_, path.order)
    assert_allclose(fitted.coef_[0], path.coef(-1), atol=1e-10)
    assert_allclose(fitted.intercept_[0], path.intercepts[-1], atol=1e-10)
    shorter = fitted.truncate(3)
    assert_allclose(shorter.coef_, LarsSVC(n_features_to_select=3).fit(X, y).coef_, atol=1e-10)


def test_patience_ends_the_path_before_max_features():
    X, y = problems.from_few_columns(200, 120, used=(3, 5), noise=2.0)
    short, whole = LarsRidge(patience=5).fit(X, y), LarsRidge(patience=None).fit(X, y)
    assert short.path_sizes_[-1] < whole.path_sizes_[-1] == 120
    assert_allclose(short.path_errors_, whole.path_errors_[: len(short.path_errors_)])
    assert len(whole.path_sizes_) < 120  # large models are judged at growing distances


def test_one_standard_error():
    X, y = DIABETES
    fitted = LarsRidge(n_features_to_select="1se").fit(X, y)
    best = fitted.path_errors_.argmin()
    bound = fitted.path_errors_[best] + fitted.path_std_errors_[best]
    assert fitted.n_features_ == fitted.path_sizes_[fitted.path_errors_ <= bound].min()


def test_nested():
    X, y = DIABETES
    found = nested_score(LarsRidge(max_features=5), X, y, outer_cv=3)
    assert np.isfinite(found.error)


# ------------------------------------------------------------------------------------------ classes


def test_several_classes_are_one_path_each():
    X, y = IRIS
    fitted = LarsSVC(n_features_to_select=2).fit(X, y)
    assert fitted.coef_.shape == (3, 4)
    for number, path in enumerate(fitted.paths_):
        alone = LarsSVC(n_features_to_select=2).fit(X, y == number)
        assert_allclose(fitted.coef_[number], alone.coef_[0], atol=1e-10)
        assert_array_equal(path.order, alone.paths_[0].order)
    assert_array_equal(fitted.support_, (fitted.coef_ != 0).any(axis=0))
    assert LarsSVC().fit(X, y).score(X, y) > 0.9


def test_labels():
    X, y = IRIS
    Y = np.column_stack([y == 0, y != 1, np.ones_like(y)]).astype(int)
    fitted = LarsSVC(n_features_to_select=3).fit(X, Y)
    assert fitted.predict(X).shape == Y.shape
    assert_array_equal(fitted.predict(X)[:, [0, 2]], Y[:, [0, 2]])
    alone = LarsSVC(n_features_to_select=3).fit(X, Y[:, 1])
    assert_allclose(fitted.decision_function(X)[:, 1], alone.decision_function(X), atol=1e-10)


def test_processes_change_nothing():
    X, y = IRIS
    one = LarsSVC(cv=3).fit(X, y)
    two = LarsSVC(cv=3, n_jobs=2).fit(sp.csr_array(X), y)
    assert_allclose(one.coef_, two.coef_, atol=1e-9)
    assert_allclose(one.path_errors_, two.path_errors_, atol=1e-9)


# --------------------------------------------------------------------------------------- thresholds


@pytest.mark.parametrize("name", ["f1", "balanced_accuracy", "accuracy", "precision", "jaccard"])
def test_the_best_threshold(name):
    from sklearn.metrics import get_scorer

    rng = np.random.default_rng(0)
    for seed in range(5):
        targets = np.where(rng.random(60) < 0.3, 1.0, -1.0)
        outputs = np.round(targets + 2 * rng.standard_normal(60), 1)
        weights = rng.integers(0, 3, 60).astype(float) if seed else np.ones(60)
        scorer = check_threshold(name)
        threshold = best_threshold(scorer, targets, outputs, weights)
        metric = get_scorer(name)._score_func
        options = {"zero_division": 0.0} if name in ("f1", "precision", "jaccard") else {}

        def score(t, o, sample_weight, metric=metric, options=options):
            return metric(t, o, sample_weight=sample_weight, **options)

        kept = weights > 0
        best = lars_held_out.best_score(score, targets[kept], outputs[kept], weights[kept])
        got = score(targets > 0, outputs > threshold, weights)
        assert_allclose(got, best)


def test_a_threshold_for_f1():
    X, y = problems.classes(300, 8, separation=0.6, balance=[0.88, 0.12], seed=3)
    plain = LarsSVC(store_cv_results=True).fit(X, y)
    tuned = LarsSVC(threshold="f1").fit(X, y)
    outputs = plain.held_out_predictions_
    assert f1_score(y, outputs > tuned.threshold_[0]) > f1_score(y, outputs > 0)
    assert_allclose(
        tuned.decision_function(X), plain.decision_function(X) - tuned.threshold_, atol=1e-12
    )
    assert_array_equal(tuned.predict(X), plain.decision_function(X) > tuned.threshold_)


def test_thresholds_class_by_class_and_with_folds():
    X, y = IRIS
    fitted = LarsSVC(threshold="balanced_accuracy", cv=3).fit(X, y)
    assert fitted.threshold_.shape == (3,)
    assert fitted.score(X, y) > 0.8
    shorter = fitted.truncate(2)
    again = LarsSVC(threshold="balanced_accuracy", cv=3, n_features_to_select=2).fit(X, y)
    assert_allclose(shorter.threshold_, again.threshold_)
    assert_allclose(shorter.intercept_, again.intercept_, atol=1e-10)


def test_sizes_to_be_judged():
    X, y = BREAST
    fitted = LarsSVC(sizes=[2, 5, 9], patience=None).fit(X, y)
    assert_array_equal(fitted.path_sizes_, [0, 2, 5, 9, 30])
    everything = LarsSVC(patience=None).fit(X, y)
    assert_allclose(fitted.path_errors_, everything.path_errors_[[0, 2, 5, 9, 30]])
    for sizes, message in [([0], "sizes holds 0"), (5, "not a list"), ([31], "from 1 to 30")]:
        with pytest.raises(ValueError, match=message):
            LarsSVC(sizes=sizes).fit(X, y)


@pytest.mark.parametrize("name", ["roc_auc", "nonsense", 3, make_scorer(balanced_accuracy_score)])
def test_what_is_no_metric_of_labels(name):
    with pytest.raises(ValueError, match="is not a metric of labels"):
        LarsSVC(threshold=name).fit(*BREAST)


# --------------------------------------------------------------------------------- information gain


def test_information_gain_as_defined():
    X, labels = problems.word_counts(60, 30, seed=3)
    labels[:10] = 2
    expected = [
        lars_held_out.information_gain(X[:, [j]].toarray()[:, 0] > 0, labels) for j in range(30)
    ]
    for storage in (np.asarray, sp.csr_array, sp.csc_array):
        data = X.toarray() if storage is np.asarray else storage(X)
        assert_allclose(information_gain(data, labels), expected, atol=1e-12)
    assert SelectKBest(information_gain, k=4).fit_transform(X, labels).shape == (60, 4)


def test_information_gain_by_hand():
    X = np.array([[1, 0, 1, 0], [2, 0, 1, 0], [0, 3, 1, 0], [0, 0, 1, 0]])
    gain = information_gain(X, ["a", "a", "b", "b"])
    assert_allclose(gain[[0, 2, 3]], [np.log(2), 0, 0], atol=1e-15)
    given = 3 / 4 * -(2 / 3 * np.log(2 / 3) + 1 / 3 * np.log(1 / 3))
    assert_allclose(gain[1], np.log(2) - given)


# ----------------------------------------------------------------------------------------- the rest


@pytest.mark.parametrize("estimator", [LarsRidge(), LarsSVC()])
def test_weights_are_copies_without_leave_one_out(estimator):
    X, y = BREAST
    X, y = X[:120, :8], y[:120].astype(float)
    weights = np.random.default_rng(0).integers(0, 3, 120)
    copies = np.repeat(np.arange(120), weights)
    estimator.set_params(n_features_to_select=4)
    weighted = clone(estimator).fit(X, y, sample_weight=weights)
    copied = clone(estimator).fit(X[copies], y[copies])
    assert_allclose(weighted.coef_, copied.coef_, atol=1e-9)


@pytest.mark.parametrize("estimator", [LarsRidge(alpha=0.0), LarsSVC(alpha=0.0)])
def test_skipped_columns_are_told(estimator):
    X, y = BREAST
    X = np.column_stack([X[:, :5], X[:, 2]])
    estimator.set_params(patience=None)
    with pytest.warns(DataDimensionalityWarning, match="column 5 skipped: a combination") as caught:
        estimator.fit(X, y)
    assert caught[0].filename == __file__
    assert not estimator.support_[5]


def test_more_features_than_there_are_to_have():
    X, y = problems.wide(12, 40)
    with pytest.warns(DataDimensionalityWarning, match="20 features were asked for") as caught:
        LarsRidge(alpha=0.0, n_features_to_select=20).fit(X, y)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("estimator", [LarsRidge, LarsSVC])
def test_bad_parameters(estimator):
    X, y = BREAST
    for parameters, message in [
        ({"alpha": -0.1}, "alpha must be finite and at least 0"),
        ({"alpha": "auto"}, "not numeric"),
        ({"alpha": True}, "not numeric"),
        ({"alpha": []}, "shape"),
        ({"lasso": 1}, "lasso=1 is not a truth value"),
        ({"refit": None}, "refit=None"),
        ({"n_features_to_select": 31}, "only 30"),
        ({"patience": 0}, "patience=0"),
        ({"cv": "five"}, "cv='five'"),
    ]:
        with pytest.raises(ValueError, match=message):
            estimator(**parameters).fit(X, y)


def test_without_an_intercept():
    X, y = BREAST
    fitted = LarsSVC(fit_intercept=False, n_features_to_select=5).fit(X, y)
    literal = follow(X[:, :], np.where(y == 1, 1.0, -1.0), 1.0, hinge=True, max_features=5)
    assert_allclose(fitted.coef_[0], literal[1][-1], atol=1e-8)
    assert_array_equal(fitted.intercept_, [0.0])


@pytest.mark.parametrize("estimator", [LarsRidge(), LarsSVC()])
def test_a_picture(estimator):
    X, y = BREAST
    display = PathDisplay.from_estimator(estimator.fit(X, y))
    assert "approximate leave-one-out" in display.ax_.get_ylabel()
    assert len(PathDisplay.from_estimator(estimator, kind="coefficients").line_) > 0


def test_paths_of_many_classes_and_penalties_share_what_is_known_of_the_columns(monkeypatch):
    from holdfast.estimators import lars_selector

    measured = []

    def counted(rows, **settings):
        measured.append(rows)
        return measure(rows, **settings)

    measure = lars_selector.measure_columns
    monkeypatch.setattr(lars_selector, "measure_columns", counted)
    fitted = LarsSVC(alpha=[1.0, 0.1], cv=3, n_features_to_select=2).fit(*IRIS)
    assert len(measured) == 4  # all rows, and three training sets
    assert len(fitted.paths_) == 3
