"""``RidgeCV`` and ``RidgeClassifierCV`` against refitting, whatever the route."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import linear_model
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, UndefinedMetricWarning
from sklearn.linear_model import LinearRegression, Ridge, RidgeClassifier
from sklearn.metrics import get_scorer, make_scorer, mean_pinball_loss
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.utils.class_weight import compute_sample_weight

from holdfast import FoldMoments, RidgeClassifierCV, RidgeCV
from holdfast.criteria import penalty_routes
from holdfast.criteria.penalty import PenaltyProblem
from holdfast.criteria.weighting import ClassWeights, plain_classes
from holdfast.rows import as_rows
from holdfast.rows.splits import Splits
from tests import problems
from tests.oracles import decimal_refit
from tests.oracles.penalty_choice import (
    alpha_errors,
    alpha_errors_per_target,
    chosen_alpha,
    chosen_alphas_per_target,
    refit_per_target,
)
from tests.oracles.ridge_refit import (
    classification,
    mean_predictions,
    refit,
    refitted_predictions,
    regression,
)

RTOL = 1e-8
ALPHAS = [0.05, 2.0, 40.0]
SPLITTERS = [*problems.splitters(30, np.arange(30) % 2, np.arange(30) % 5), "leave-one-out"]
STORAGES = {
    "F": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "int": lambda X: X.astype(np.int16),
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
}


def splits_of(name, y, rows):
    if name == "leave-one-out":
        return None
    return problems.splitters(rows, y, problems.groups_of_rows(rows))[name]


def assert_model(fitted, coef, intercept):
    size = np.abs(coef).max()
    assert_allclose(np.atleast_2d(fitted.coef_), coef, rtol=RTOL, atol=1e-10 * size)
    assert_allclose(np.atleast_1d(fitted.intercept_) * np.ones(len(coef)), intercept, RTOL, 1e-10)


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("standardize", [False, True], ids=["as given", "standardised"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("weights", ["none", "random", "zeros"])
@pytest.mark.parametrize("shape", [(40, 6), (24, 60)], ids=["tall", "wide"])
def test_regression(splitter, standardize, fit_intercept, weights, shape):
    X, Y = problems.several_targets(*shape, targets=2, seed=3)
    sample_weight = problems.weights(len(X), weights)
    splits = splits_of(splitter, Y, len(X))
    problem = regression(X, Y, sample_weight, fit_intercept, standardize, splits)
    expected = alpha_errors(problem, ALPHAS)
    fitted = RidgeCV(
        ALPHAS,
        fit_intercept=fit_intercept,
        cv=splits,
        standardize=standardize,
        store_cv_results=True,
    ).fit(X, Y, sample_weight)
    assert_allclose(fitted.alpha_errors_, expected, rtol=RTOL)
    alpha = ALPHAS[chosen_alpha(expected)]
    assert fitted.alpha_ == alpha
    assert_allclose(fitted.best_score_, -expected.min(), rtol=RTOL)
    predictions = refitted_predictions(problem, range(X.shape[1]), alpha)
    assert_allclose(
        fitted.held_out_predictions_, mean_predictions(problem, predictions), rtol=1e-7, atol=1e-9
    )
    if splits is not None or not standardize:  # else the oracle's columns are the divided ones
        assert_model(fitted, *refit(problem, range(X.shape[1]), alpha))


@pytest.mark.parametrize("splitter", ["KFold shuffled", "ShuffleSplit", "leave-one-out"])
@pytest.mark.parametrize("shape", [(40, 6), (24, 40)], ids=["tall", "wide"])
def test_a_penalty_for_every_target(splitter, shape):
    X, Y = problems.several_targets(*shape, targets=3, seed=5)
    Y = Y + np.array([0.0, 5.0, 30.0]) * np.random.default_rng(0).standard_normal(Y.shape)
    splits = splits_of(splitter, Y, len(X))
    problem = regression(X, Y, splits=splits)
    alphas = np.logspace(-2, 4, 7)
    errors = alpha_errors_per_target(problem, alphas)
    chosen = alphas[chosen_alphas_per_target(errors)]
    assert len(set(chosen)) > 1
    fitted = RidgeCV(alphas, cv=splits, alpha_per_target=True).fit(X, Y)
    assert_allclose(fitted.alpha_errors_, errors, rtol=RTOL)
    assert_array_equal(fitted.alpha_, chosen)
    assert_allclose(fitted.best_score_, -errors.min(axis=0), rtol=RTOL)
    assert_model(fitted, *refit_per_target(problem, range(X.shape[1]), chosen))


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.5, 1: 3.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "splitter", ["StratifiedKFold", "RepeatedKFold", "by hand", "leave-one-out"]
)
@pytest.mark.parametrize("shape", [(45, 6), (30, 50)], ids=["tall", "wide"])
def test_classification(class_weight, n_classes, splitter, shape):
    X, y = problems.classes(*shape, n_classes, separation=0.7, seed=4)
    sample_weight = problems.weights(len(X), "random")
    splits = splits_of(splitter, y, len(X))
    problem = classification(X, y, sample_weight, class_weight=class_weight, splits=splits)
    expected = alpha_errors(problem, ALPHAS)
    fitted = RidgeClassifierCV(
        ALPHAS, cv=splits, class_weight=class_weight, store_cv_results=True
    ).fit(X, y, sample_weight)
    assert_allclose(fitted.alpha_errors_, expected, rtol=RTOL)
    alpha = ALPHAS[chosen_alpha(expected)]
    assert fitted.alpha_ == alpha
    assert_model(fitted, *refit(problem, range(X.shape[1]), alpha))
    predictions = mean_predictions(problem, refitted_predictions(problem, range(X.shape[1]), alpha))
    held_out = fitted.held_out_predictions_.reshape(len(X), -1)
    assert_allclose(held_out, predictions, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("splitter", ["KFold shuffled", "leave-one-out"])
@pytest.mark.parametrize("shape", [(40, 8), (20, 35)], ids=["tall", "wide"])
def test_storages(storage, splitter, shape):
    X, _ = problems.from_few_columns(*shape, used=(0, 1, 2))
    X = np.rint(2 * X) * (np.abs(X) > 0.5)
    y = X[:, :3].sum(axis=1) + np.random.default_rng(0).standard_normal(shape[0])
    splits = splits_of(splitter, y, len(X))
    given = STORAGES[storage](X)
    fitted = RidgeCV(ALPHAS, cv=splits, store_cv_results=True).fit(given, y)
    plain = RidgeCV(ALPHAS, cv=splits, store_cv_results=True).fit(X, y)
    assert_allclose(fitted.alpha_errors_, alpha_errors(regression(X, y, splits=splits), ALPHAS))
    assert_allclose(fitted.held_out_predictions_, plain.held_out_predictions_, rtol=1e-9)
    assert_allclose(fitted.predict(given), plain.predict(X), rtol=1e-9)


# ----------------------------------------------------------------------------------------- routes


def penalty_problem(X, y, splits, weights, classes, **centring):
    n_rows = len(X)
    return PenaltyProblem(
        as_rows(X, y, weights), splits and Splits.of(splits, n_rows), classes, **centring
    )


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("shape", [(40, 6), (30, 28), (24, 60)], ids=["tall", "square", "wide"])
def test_every_route_gives_the_same(splitter, fit_intercept, shape):
    """The cheapest is taken; all are refitting."""
    X, Y = problems.several_targets(*shape, targets=2, seed=3)
    weights = problems.weights(len(X), "random")
    splits = splits_of(splitter, Y, len(X))
    centring = {"fit_intercept": fit_intercept, "standardize": False}
    problem = penalty_problem(X, Y, splits, weights, plain_classes(np.array([len(X)])), **centring)
    expected = alpha_errors(regression(X, Y, weights, fit_intercept, splits=splits), ALPHAS)
    table = penalty_routes.routes(problem, len(ALPHAS))
    assert len(table) >= 2
    for route in table:
        penalties = route.take(problem)
        errors = penalties.losses(np.array(ALPHAS)) / penalties.held_mass
        assert_allclose(errors.mean(axis=1), expected, rtol=1e-7, err_msg=route.name)


def test_balanced_classes_by_every_route():
    X, y = problems.classes(40, 30, separation=0.7, seed=4)
    targets = np.where(y == 1, 1.0, -1.0)
    for splitter in ("StratifiedKFold", "leave-one-out"):
        splits = splits_of(splitter, y, len(X))
        classes = ClassWeights(np.bincount(y), None)
        problem = penalty_problem(
            X, targets, splits, None, classes, fit_intercept=True, standardize=False
        )
        oracle = classification(X, y, class_weight="balanced", splits=splits)
        expected = alpha_errors(oracle, ALPHAS)
        for route in penalty_routes.routes(problem, len(ALPHAS)):
            penalties = route.take(problem)
            errors = penalties.losses(np.array(ALPHAS)) / penalties.held_mass
            assert_allclose(errors[:, 0], expected, rtol=1e-7, err_msg=route.name)


def test_the_cheapest_route_depends_on_the_shape():
    def name(shape, splits, n_alphas=10):
        X = np.zeros(shape)
        classes = plain_classes(np.array([len(X)]))
        centring = {"fit_intercept": True, "standardize": False}
        problem = penalty_problem(X, np.zeros(len(X)), splits, None, classes, **centring)
        return min(penalty_routes.routes(problem, n_alphas), key=lambda route: route.flops).name

    rows = np.zeros((3000, 1))
    few = list(KFold(5).split(rows))
    many = list(KFold(1000).split(rows))
    assert name((3000, 60), few) == "moments of the splits"
    assert name((3000, 60), many) == "blocks of the hat matrix"
    assert name((100, 3000), list(KFold(5).split(rows[:100]))) == "kernel matrices of the rows"
    assert name((3000, 60), None) == "the products of the columns"
    assert name((100, 3000), None) == "a kernel matrix of the rows"


def test_when_nothing_fits_the_error_says_what_each_would_need(monkeypatch):
    X, y = problems.correlated(60, 8)
    monkeypatch.setattr(penalty_routes, "available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match=r"moments .* GiB; blocks .* GiB; kernel .*ForwardRidge"):
        RidgeCV(cv=5).fit(X, y)
    with pytest.raises(MemoryError, match=r"products of the columns .* GiB"):
        RidgeCV().fit(X, y)


@pytest.mark.parametrize("cv", [None, 5])
def test_readings_do_not_depend_on_the_number_of_penalties(cv, monkeypatch):
    from holdfast.estimators import all_columns

    seen = []

    def remember(*data):
        seen.append(as_rows(*data))
        return seen[-1]

    monkeypatch.setattr(all_columns, "as_rows", remember)
    X, y = problems.from_few_columns(3000, 20)
    for n_alphas in (1, 60):
        RidgeCV(np.logspace(-3, 3, n_alphas), cv=cv).fit(X, y)
    one, sixty = (rows.counts.products for rows in seen)
    assert one == sixty
    assert sixty == (2 if cv is None else 1)


def test_leave_one_out_as_a_splitter_is_leave_one_out():
    X, y = problems.correlated(30, 12)
    for X_, y_ in ((X, y), (X.T.copy(), X[0])):
        by_name = RidgeCV(ALPHAS, cv=LeaveOneOut()).fit(X_, y_)
        by_default = RidgeCV(ALPHAS).fit(X_, y_)
        by_folds = RidgeCV(ALPHAS, cv=KFold(len(X_))).fit(X_, y_)
        assert_array_equal(by_name.alpha_errors_, by_default.alpha_errors_)
        assert_allclose(by_folds.alpha_errors_, by_default.alpha_errors_, rtol=1e-9)
        assert by_name.n_splits_ is None
        assert by_folds.n_splits_ == len(X_)


# ---------------------------------------------------------------------------------- what it takes


@pytest.mark.parametrize(
    "scoring",
    ["r2", "neg_mean_absolute_error", make_scorer(mean_pinball_loss, greater_is_better=False)],
)
@pytest.mark.parametrize("cv", [KFold(4), ShuffleSplit(5, random_state=0), TimeSeriesSplit(3)])
@pytest.mark.parametrize("targets", [1, 2])
def test_scores_are_those_of_cross_val_score(scoring, cv, targets):
    X, Y = problems.several_targets(40, 6, targets=targets)
    y = Y[:, 0] if targets == 1 else Y
    fitted = RidgeCV(ALPHAS, scoring=scoring, cv=cv).fit(X, y)
    theirs = [
        cross_val_score(Ridge(alpha), X, y, scoring=scoring, cv=cv).mean() for alpha in ALPHAS
    ]
    assert_allclose(-fitted.alpha_errors_, theirs, rtol=1e-8)
    assert fitted.best_score_ == pytest.approx(max(theirs))


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "f1", "balanced_accuracy"])
@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_scores_of_classifiers_are_those_of_cross_val_score(scoring, class_weight):
    X, y = problems.classes(80, 6, separation=0.5, balance=[0.7, 0.3])
    cv = StratifiedKFold(4)
    fitted = RidgeClassifierCV(ALPHAS, scoring=scoring, cv=cv, class_weight=class_weight).fit(X, y)
    # As in scikit-learn's RidgeClassifierCV, scores count classes as the error does.
    counted = compute_sample_weight(class_weight, y)
    theirs = [
        [
            get_scorer(scoring)(
                RidgeClassifier(alpha, class_weight=class_weight).fit(X[train], y[train]),
                X[held],
                y[held],
                sample_weight=counted[held],
            )
            for train, held in cv.split(X, y)
        ]
        for alpha in ALPHAS
    ]
    assert_allclose(-fitted.alpha_errors_, np.mean(theirs, axis=1), rtol=1e-8)


@pytest.mark.parametrize("scoring", ["r2", "neg_mean_squared_error", "neg_median_absolute_error"])
@pytest.mark.parametrize("cv", [None, 5, ShuffleSplit(4, random_state=0)])
def test_weighted_scores_are_those_of_scikit_learn(scoring, cv):
    X, y = problems.correlated(40, 5)
    weights = problems.weights(40, "random")
    for alpha in ALPHAS:
        ours, theirs = (
            kind(alphas=[alpha], scoring=scoring, cv=cv).fit(X, y, sample_weight=weights)
            for kind in (RidgeCV, linear_model.RidgeCV)
        )
        assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-9)


@pytest.mark.parametrize("scoring", ["accuracy", "f1_macro"])
@pytest.mark.parametrize("class_weight", [None, {0: 0.5, 1: 3.0, 2: 1.0}])
@pytest.mark.parametrize("cv", [None, 5])
def test_weighted_scores_of_classifiers_are_those_of_scikit_learn(scoring, class_weight, cv):
    """Of three classes: of two, scikit-learn's leave-one-out calls every label the first."""
    X, y = problems.classes(80, 6, n_classes=3, separation=0.5)
    weights = problems.weights(80, "random")
    for sample_weight in (None, weights):
        ours, theirs = (
            kind(alphas=[2.0], scoring=scoring, class_weight=class_weight, cv=cv).fit(
                X, y, sample_weight=sample_weight
            )
            for kind in (RidgeClassifierCV, linear_model.RidgeClassifierCV)
        )
        assert ours.best_score_ == pytest.approx(theirs.best_score_, rel=1e-9)


def test_leave_one_out_is_scored_over_all_rows_together():
    X, y = problems.correlated(30, 5)
    fitted = RidgeCV(ALPHAS, scoring="r2").fit(X, y)
    for alpha, minus in zip(ALPHAS, fitted.alpha_errors_, strict=True):
        held_out = cross_val_predict(Ridge(alpha), X, y, cv=LeaveOneOut())
        share = np.sum((y - held_out) ** 2) / np.sum((y - y.mean()) ** 2)
        assert -minus == pytest.approx(1 - share)


def test_groups_reach_the_splitter():
    X, y = problems.correlated(40, 6)
    groups = problems.groups_of_rows(40)
    by_groups = RidgeCV(ALPHAS, cv=GroupKFold(3)).fit(X, y, groups=groups)
    by_hand = RidgeCV(ALPHAS, cv=list(GroupKFold(3).split(X, y, groups))).fit(X, y)
    assert_array_equal(by_groups.alpha_errors_, by_hand.alpha_errors_)


def test_one_number_is_one_penalty():
    X, y = problems.correlated(40, 6)
    fitted = RidgeCV(3.0, cv=4).fit(X, y)
    assert fitted.alpha_ == 3.0
    assert_allclose(fitted.coef_, Ridge(3.0).fit(X, y).coef_, rtol=1e-9)


@pytest.mark.parametrize("alphas", [np.array(3.0), np.array(3), np.float32(3), [np.array(3.0)]])
def test_one_number_may_be_an_array(alphas):
    X, y = problems.correlated(40, 6)
    assert RidgeCV(alphas, cv=4).fit(X, y).alpha_ == 3.0
    with pytest.raises(TypeError, match="instance of float, not bool"):
        RidgeCV(np.array(True), cv=4).fit(X, y)


@pytest.mark.parametrize("scoring", [None, "r2"])
def test_a_score_for_a_table_of_one_target_has_the_shape_of_scikit_learn(scoring):
    X, y = problems.correlated(40, 6)
    for shape in ((40,), (40, 1)):
        if scoring and shape == (40,):
            continue  # scikit-learn raises an IndexError
        ours, theirs = (
            kind(alphas=ALPHAS, alpha_per_target=True, scoring=scoring).fit(X, y.reshape(shape))
            for kind in (RidgeCV, linear_model.RidgeCV)
        )
        for name in ("best_score_", "alpha_", "coef_", "intercept_"):
            assert np.shape(getattr(ours, name)) == np.shape(getattr(theirs, name)), name
        assert_allclose(ours.best_score_, theirs.best_score_)
        by_moments = RidgeCV(ALPHAS, alpha_per_target=True).fit_moments(
            FoldMoments().update(X, y.reshape(shape), np.arange(40) % 4)
        )
        assert np.shape(by_moments.best_score_) == np.shape(theirs.best_score_)


@pytest.mark.parametrize("cv", [None, 3])
def test_a_scorer_that_is_not_for_these_targets_is_named(cv):
    X, labels = problems.classes(30, 4, n_classes=3)
    with pytest.raises(ValueError, match=r"scoring=.*roc_auc.* cannot judge .*multi_class"):
        RidgeClassifierCV(cv=cv, scoring="roc_auc").fit(X, labels)
    with pytest.raises(ValueError, match=r"scoring=.*accuracy.* cannot judge .*continuous"):
        RidgeCV(cv=cv, scoring="accuracy").fit(X, X[:, 0])


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
@pytest.mark.parametrize("cv", [None, 5])
def test_the_automatic_grid_fits_the_scale_of_the_columns(scale, cv):
    X, y = problems.correlated(50, 10)
    fitted = RidgeCV("auto", cv=cv).fit(scale * X, y)
    plain = RidgeCV("auto", cv=cv).fit(X, y)
    assert_allclose(fitted.alpha_, plain.alpha_ * scale**2, rtol=1e-9)
    assert_allclose(fitted.alpha_errors_, plain.alpha_errors_, rtol=1e-8)


def test_the_automatic_grid_grows_where_its_best_value_is_on_the_edge():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 8))
    y = X @ rng.standard_normal(8) + 1e-3 * rng.standard_normal(60)  # next to nothing to shrink for
    fitted = RidgeCV("auto", cv=5).fit(X, y)
    level = np.mean(np.sum((X - X.mean(axis=0)) ** 2, axis=0))
    assert fitted.alphas_[0] < fitted.alpha_ < 1e-4 * level
    assert len(fitted.alphas_) in (15, 19, 23)
    assert_allclose(np.diff(np.log10(fitted.alphas_)), 0.5, rtol=1e-9)
    splits = list(KFold(5).split(X))
    errors = alpha_errors(regression(X, y, splits=splits), fitted.alphas_)
    assert_allclose(fitted.alpha_errors_, errors, rtol=RTOL)


def test_a_best_value_that_stays_on_the_edge_is_warned_of():
    rng = np.random.default_rng(2)
    X, y = rng.standard_normal((60, 300)), rng.standard_normal(60)  # nothing to find
    with pytest.warns(ConvergenceWarning, match=r"on the edge of the grid .* look at alpha_err"):
        fitted = RidgeCV("auto", cv=5).fit(X, y)
    assert fitted.alpha_ == fitted.alphas_[-1]
    assert len(fitted.alphas_) == 11 + 4 * 4


@pytest.mark.parametrize("cv", [None, 5, KFold(30)], ids=["leave-one-out", "moments", "blocks"])
@pytest.mark.parametrize("value", [0.0, 0.1, 7.0, 1e6 / 3])
@pytest.mark.parametrize("shape", [(60, 8), (40, 60)], ids=["tall", "wide"])
@pytest.mark.parametrize("weights", ["none", "random"])
def test_rounding_of_a_constant_target_chooses_nothing(cv, value, shape, weights):
    """Every penalty has the same error, zero: the first is taken, and the grid does not grow."""
    X, _ = problems.correlated(*shape)
    cv = KFold(20) if isinstance(cv, KFold) else cv
    fitted = RidgeCV("auto", cv=cv).fit(
        X, np.full(len(X), value), problems.weights(len(X), weights)
    )
    assert len(fitted.alphas_) == 11
    assert fitted.alpha_ == fitted.alphas_[0]
    assert_allclose(fitted.best_score_, 0, atol=(1e-14 * value) ** 2)


@pytest.mark.parametrize("cv", [5, KFold(30), RepeatedKFold(n_splits=5, random_state=0)])
def test_rounding_of_a_perfect_fit_chooses_nothing(cv):
    """y is made of the columns: below a level of rounding no penalty is better than another."""
    X, _ = problems.correlated(60, 8)
    y = X[:, :3] @ [1.0, 2.0, 3.0]
    chosen = set()
    for scale in (1.0, 1.3, 0.7, 1 / 3, 3.7):
        fitted = RidgeCV("auto", cv=cv).fit(X, scale * y)
        chosen.add((len(fitted.alphas_), int(np.argmin(np.abs(fitted.alphas_ - fitted.alpha_)))))
        assert 0 < -fitted.best_score_ < 1e-13 * np.mean((scale * y) ** 2)
    assert len(chosen) == 1


@pytest.mark.parametrize("cv", [None, KFold(20)])
def test_resolution_is_that_of_what_is_judged(cv):
    """A grid from which rounding alone would choose the last penalty."""
    X, _ = problems.correlated(60, 8)
    y = np.full(60, 0.1)
    fitted = RidgeCV([1e-3, 1.0, 1e3, 1e9], cv=cv).fit(X, y)
    assert fitted.alpha_ == 1e-3


def test_no_penalty_at_all_is_least_squares():
    X, y = problems.from_few_columns(50, 8, used=(1, 4))
    cv = KFold(5)
    fitted = RidgeCV([0.0, 1e12], cv=cv, store_cv_results=True).fit(X, y)
    theirs = cross_val_predict(LinearRegression(), X, y, cv=cv)
    assert fitted.alpha_ == 0
    assert_allclose(fitted.held_out_predictions_, theirs, rtol=1e-9)
    assert_allclose(fitted.coef_, LinearRegression().fit(X, y).coef_, rtol=1e-9)


# ------------------------------------------------------------------------------------------ digits


@pytest.mark.parametrize("cv", [None, 4])
@pytest.mark.parametrize("standardize", [False, True])
def test_large_means_keep_their_digits(cv, standardize):
    X, y = problems.big_means(40, 7, ratio=1e6)
    splits = None if cv is None else list(KFold(cv).split(X))
    problem = regression(X, y, standardize=standardize, splits=splits)
    errors = alpha_errors(problem, [1.0], decimal_refit.predictions)
    fitted = RidgeCV(1.0, cv=splits, standardize=standardize).fit(X, y)
    assert_allclose(fitted.alpha_errors_, errors.astype(float), rtol=RTOL)


@pytest.mark.parametrize("condition", [1e6, 1e9, 1e12])
@pytest.mark.parametrize("shape", [(24, 8), (12, 20)], ids=["tall", "wide"])
@pytest.mark.parametrize("by", ["folds", "leave-one-out"])
def test_ill_conditioned_columns_with_tiny_penalties(condition, shape, by):
    """Against refits in 60 digits, at penalties down to 1e-10 of the trace."""
    X, y = problems.ill_conditioned(*shape, condition=condition)
    trace = np.sum((X - X.mean(axis=0)) ** 2)
    alphas = trace * np.array([1e-10, 1e-7, 1e-4])
    splits = list(KFold(4).split(X)) if by == "folds" else None
    problem = regression(X, y, splits=splits)
    expected = alpha_errors(problem, alphas, decimal_refit.predictions).astype(float)
    fitted = RidgeCV(alphas, cv=splits).fit(X, y)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-5)
    assert fitted.alpha_ == alphas[chosen_alpha(expected)]


def test_a_penalty_below_the_floor_is_warned_of():
    X, y, _ = problems.with_duplicate_columns(40)
    with pytest.warns(ConvergenceWarning, match="drop duplicate columns"):
        RidgeCV(1e-15, cv=5).fit(X, y)


@pytest.mark.parametrize("cv", [None, 5])
@pytest.mark.parametrize("degenerate", ["with_constant_columns", "with_duplicate_columns", "wide"])
def test_degenerate_columns(cv, degenerate):
    X, y, *_ = getattr(problems, degenerate)(40)
    splits = None if cv is None else list(KFold(cv).split(X))
    fitted = RidgeCV(ALPHAS, cv=splits).fit(X, y)
    expected = alpha_errors(regression(X, y, splits=splits), ALPHAS)
    assert_allclose(fitted.alpha_errors_, expected, rtol=RTOL)


# ---------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"alphas": -1.0}, r"alphas == -1.0, must be > 0"),
        ({"alphas": [1.0, np.nan]}, r"alphas\[1\]"),
        ({"alphas": []}, "alphas"),
        ({"alphas": "log"}, "alphas='log'"),
        ({"cv": "loo"}, "cv='loo' is not known"),
        ({"cv": []}, "makes no splits"),
        ({"cv": [([0, 1, 2], [2, 3])]}, "trains on row 2 and holds it out"),
        ({"cv": [([0, 1, 2], [99])]}, "holds out row 99, but X has 20 rows"),
        ({"cv": [([0, 1, 2], [-21])]}, "holds out row -21, but X has 20 rows"),
        ({"cv": [([0, 1, 2], [3.5])]}, "rows given as float64"),
        ({"cv": [([0, 1, 2], ["a"])]}, "expected a list of row numbers or a mask"),
        ({"cv": [([[0, 1, 2]], [3])]}, r"of shape \(1, 3\); expected a list of row numbers"),
        ({"cv": [([0, 1, 2], [])]}, "holds out 0 rows of positive weight"),
        ({"cv": [([], [0, 1])]}, "trains on 0 rows of positive weight"),
        ({"scoring": ["r2"]}, "is not a scorer"),
        ({"fit_intercept": "yes"}, "fit_intercept"),
    ],
)
def test_bad_parameters_are_named(parameters, message):
    X, y = problems.correlated(20, 4)
    with pytest.raises((ValueError, TypeError), match=message):
        RidgeCV(**parameters).fit(X, y)


@pytest.mark.parametrize("n_columns", [4, 30])
@pytest.mark.parametrize("standardize", [False, True])
def test_a_training_set_of_one_row(n_columns, standardize):
    X, y = problems.correlated(10, n_columns)
    splits = list(TimeSeriesSplit(9).split(X))
    problem = regression(X, y, standardize=standardize, splits=splits)
    fitted = RidgeCV(ALPHAS, cv=splits, standardize=standardize).fit(X, y)
    assert_allclose(fitted.alpha_errors_, alpha_errors(problem, ALPHAS), rtol=RTOL)


@pytest.mark.parametrize("cv", [None, 3])
def test_a_scorer_of_what_there_is_not_is_named(cv):
    X, y = problems.classes(30, 4)
    with pytest.raises(ValueError, match=r"predict_proba.*scorer of held-out predictions"):
        RidgeClassifierCV(cv=cv, scoring="neg_log_loss").fit(X, y)
    for wants in (lambda model, X, y: model.coef_[0], lambda model, X, y: X[:, 1].sum()):
        with pytest.raises(ValueError, match="scorer of held-out predictions"):
            RidgeCV(cv=cv, scoring=wants).fit(X, X[:, 0])


def test_a_score_that_is_no_number_is_warned_of():
    X, y = problems.correlated(20, 4)
    with pytest.warns(UndefinedMetricWarning, match="score of the chosen penalty is .*nan"):
        RidgeCV(cv=4, scoring=lambda model, X, y: np.nan).fit(X, y)


def test_groups_without_a_use_are_refused():
    X, y = problems.correlated(20, 4)
    with pytest.raises(ValueError, match="choose a splitter that holds out groups"):
        RidgeCV().fit(X, y, groups=np.arange(20) % 3)


def test_refitting_forgets_stored_results():
    X, y = problems.correlated(20, 4)
    model = RidgeCV(cv=4, store_cv_results=True).fit(X, y)
    assert model.cv_results_.shape == (20, 3)
    assert not hasattr(clone(model).set_params(store_cv_results=False).fit(X, y), "cv_results_")
    assert not hasattr(model.set_params(store_cv_results=False).fit(X, y), "cv_results_")
