"""Selection by exact hold-out: every splitter, weighting and storage equals refitting."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, LeaveOneGroupOut, LeaveOneOut, TimeSeriesSplit

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
)
from tests import problems
from tests.estimators.agreement import (
    assert_chosen_entry,
    assert_decided,
    assert_path_is_true,
    assert_same_path,
    assert_same_search,
    is_decided,
)
from tests.oracles import decimal_refit
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import floating, forward
from tests.oracles.ridge_refit import (
    classification,
    mean_predictions,
    refitted_predictions,
    regression,
    split_errors,
)

RTOL = 1e-8
SEARCHES = {
    ForwardRidge: forward,
    ForwardRidgeClassifier: forward,
    BackwardRidge: backward,
    BackwardRidgeClassifier: backward,
}
SPLITTERS = list(problems.splitters(30, np.arange(30) % 2, np.arange(30) % 5))
STORAGES = {
    "C": np.ascontiguousarray,
    "F float32": lambda X: np.asfortranarray(X, dtype=np.float32),
    "csr": sp.csr_array,
    "csc": sp.csc_matrix,
}


def splits_of(name, rows, y=None):
    y = np.arange(rows) % 2 if y is None else y
    return problems.splitters(rows, y, problems.groups_of_rows(rows))[name]


def check(estimator, problem, X, y, steps, sample_weight=None, wrapper=None, **constraints):
    """The same moves, errors and models as refitting every training set."""
    alphas = np.atleast_1d(estimator.alphas)
    search = wrapper or SEARCHES[type(estimator)]
    record = search(problem, alphas, steps, **constraints)
    assert_decided(record)
    size = record.sizes[-1]
    estimator.set_params(cv=problem.splits, n_features_to_select=size, **constraints)
    estimator.fit(X, y, sample_weight=sample_weight)
    same = assert_same_path if wrapper else assert_same_search
    same(estimator, record, RTOL)
    assert_chosen_entry(estimator, problem, record, len(record.sizes) - 1, RTOL)
    return record


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("standardize", [False, True], ids=["as given", "standardised"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("weights", ["none", "random"])
def test_regression(estimator, splitter, standardize, fit_intercept, weights):
    X, y = problems.several_targets(40, 7, targets=2, seed=3)
    sample_weight = problems.weights(40, weights)
    splits = splits_of(splitter, 40)
    problem = regression(X, y, sample_weight, fit_intercept, standardize, splits=splits)
    search = estimator(
        alphas=[0.05, 2.0, 40.0],
        fit_intercept=fit_intercept,
        standardize=standardize,
        store_cv_results=True,
    )
    record = check(search, problem, X, y, 4, sample_weight)
    predictions = refitted_predictions(problem, record.columns(-1), record.alphas[-1])
    assert_allclose(search.held_out_predictions_, mean_predictions(problem, predictions), rtol=1e-8)
    assert_allclose(search.path_fold_errors_[-1], split_errors(problem, predictions), rtol=1e-8)


@pytest.mark.parametrize("estimator", [ForwardRidgeClassifier, BackwardRidgeClassifier])
@pytest.mark.parametrize("error", ["squared", "zero_one"])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.5, 1: 3.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("splitter", ["StratifiedKFold", "RepeatedKFold", "by hand"])
def test_classification(estimator, error, class_weight, n_classes, splitter):
    X, y = problems.classes(45, 6, n_classes, separation=0.7, seed=4)
    sample_weight = problems.weights(45, "random")
    splits = splits_of(splitter, 45, y)
    problem = classification(
        X, y, sample_weight, error=error, class_weight=class_weight, splits=splits
    )
    search = estimator(alphas=[0.5, 20.0], error=error, class_weight=class_weight)
    check(search, problem, X, y, 3, sample_weight)


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("shape", [(40, 8), (20, 35)], ids=["tall", "wide"])
def test_storages(estimator, storage, shape):
    X, _ = problems.from_few_columns(*shape, used=(0, 1, 2))
    X = np.rint(2 * X) * (np.abs(X) > 0.5)
    y = X[:, :3].sum(axis=1) + np.random.default_rng(0).standard_normal(shape[0])
    splits = splits_of("KFold shuffled", shape[0])
    problem = regression(X, y, splits=splits)
    check(estimator(alphas=[1.0, 9.0]), problem, STORAGES[storage](X), y, 4)


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("splitter", ["KFold shuffled", "TimeSeriesSplit"])
def test_groups_and_constraints(estimator, splitter):
    X, y, groups = problems.one_hot_blocks(60)
    problem = regression(X, y, splits=splits_of(splitter, 60))
    constraints = {"feature_groups": groups, "include": [9], "exclude": [10]}
    check(estimator(alphas=[0.1, 3.0]), problem, X, y, 2, **constraints)


@pytest.mark.parametrize("error", ["squared", "zero_one"])
def test_groups_of_a_classifier(error):
    X, _, groups = problems.one_hot_blocks(60)
    y = (X[:, 0] + X[:, 4] + 0.5 * X[:, -1] > 0.6).astype(int)
    problem = classification(X, y, error=error, splits=splits_of("KFold shuffled", 60))
    for estimator in (ForwardRidgeClassifier, BackwardRidgeClassifier):
        check(estimator(alphas=[1.0, 8.0], error=error), problem, X, y, 2, feature_groups=groups)


@pytest.mark.parametrize("seed", range(4))
def test_floating(seed):
    X, y = problems.correlated(50, 10, seed=seed)
    problem = regression(X, y, splits=splits_of("KFold shuffled", 50))
    check(ForwardRidge(alphas=[0.3, 3.0], floating=True), problem, X, y, 6, wrapper=floating)


@pytest.mark.parametrize("seed", [2, 8, 11, 17])
def test_floating_by_wrong_labels(seed):
    """Removals are scored in their own order of the columns, after additions in another."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((40, 8)), np.arange(40) % 2
    X[:, 5] += 0.8 * y
    X[:, 2] -= 0.8 * y
    problem = classification(X, y, error="zero_one", splits=splits_of("KFold shuffled", 40))
    estimator = ForwardRidgeClassifier(error="zero_one", floating=True)
    check(estimator, problem, X, y, 4, wrapper=floating)


@pytest.mark.parametrize("cv", [None, 4, 12])
@pytest.mark.parametrize("seed", [4, 13, 21])
def test_floating_ends_where_rounding_tells_columns_apart(cv, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((24, 10))
    X[:, 5:] = X[:, :5] + 1e-6 * rng.standard_normal((24, 5))
    y = X[:, :5].sum(axis=1) + 0.1 * rng.standard_normal(24)
    for alpha in (1e-12, 1e-10, 1e-8, 1e-6):
        estimator = ForwardRidge(
            alphas=alpha, cv=cv, floating=True, n_features_to_select=9, patience=None
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            estimator.fit(X, y)
        assert estimator.path_sizes_.max() == 9
        assert len(estimator.path_moves_) < 300


def test_m_folds_are_leave_one_out():
    X, y = problems.correlated(30, 12)
    for estimator in (ForwardRidge, BackwardRidge):
        options = {"alphas": [0.1, 5.0], "n_features_to_select": 5}
        folds = estimator(cv=KFold(30), **options).fit(X, y)
        one_out = estimator(cv=LeaveOneOut(), **options).fit(X, y)
        assert_array_equal(folds.selection_order_, one_out.selection_order_)
        assert_allclose(folds.path_errors_, one_out.path_errors_, rtol=1e-9)
        assert_allclose(folds.path_std_errors_, one_out.path_std_errors_, rtol=1e-9)


def test_groups_reach_the_splitter():
    X, y = problems.correlated(40, 6)
    groups = problems.groups_of_rows(40)
    splits = list(LeaveOneGroupOut().split(X, y, groups))
    by_groups = ForwardRidge(cv=LeaveOneGroupOut()).fit(X, y, groups=groups)
    by_hand = ForwardRidge(cv=splits).fit(X, y)
    assert_array_equal(by_groups.path_errors_, by_hand.path_errors_)


def test_weight_two_is_a_row_twice_within_its_fold():
    X, y = problems.correlated(24, 6)
    weights = np.where(np.arange(24) % 3 == 0, 2.0, 1.0)
    rows = np.repeat(np.arange(24), weights.astype(int))
    fold = np.arange(24) % 4
    splits = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(4)]
    repeated = [
        (np.flatnonzero(fold[rows] != f), np.flatnonzero(fold[rows] == f)) for f in range(4)
    ]
    for estimator in (ForwardRidge, BackwardRidge):
        options = {"alphas": [0.1, 5.0], "standardize": True, "n_features_to_select": 3}
        weighted = estimator(cv=splits, **options).fit(X, y, sample_weight=weights)
        copied = estimator(cv=repeated, **options).fit(X[rows], y[rows])
        assert_array_equal(weighted.selection_order_, copied.selection_order_)
        assert_allclose(weighted.path_errors_, copied.path_errors_, rtol=1e-10)
        assert_allclose(weighted.coef_, copied.coef_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
def test_large_means_keep_their_digits(estimator):
    X, y = problems.big_means(40, 7, ratio=1e6)
    for standardize in (False, True):
        problem = regression(X, y, standardize=standardize, splits=splits_of("KFold shuffled", 40))
        record = SEARCHES[estimator](problem, [1.0], 4, predict=decimal_refit.predictions)
        search = estimator(
            cv=problem.splits, standardize=standardize, n_features_to_select=record.sizes[-1]
        ).fit(X, y)
        assert_array_equal(search.selection_order_, record.order)
        assert_allclose(search.path_errors_, np.array(record.errors, float), rtol=RTOL)


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("condition", [1e6, 1e9, 1e12])
@pytest.mark.parametrize(("shape", "seed"), [((24, 8), 0), ((24, 8), 1), ((12, 16), 0)])
@pytest.mark.parametrize("splitter", ["KFold shuffled", "TimeSeriesSplit"])
@pytest.mark.parametrize("standardize", [False, True], ids=["as given", "standardised"])
def test_ill_conditioned_columns_with_tiny_penalties(
    estimator, condition, seed, shape, splitter, standardize
):
    """Against refits in 60 digits, at penalties down to 1e-10 of the trace."""
    X, y = problems.ill_conditioned(*shape, condition=condition, seed=seed)
    trace = X.size if standardize else np.sum((X - X.mean(axis=0)) ** 2)
    alphas = [1e-10 * trace, 1e-4 * trace]
    splits = splits_of(splitter, len(X))
    problem = regression(X, y, standardize=standardize, splits=splits)
    steps = 6 if shape[1] < 10 else 2
    record = SEARCHES[estimator](problem, alphas, steps, predict=decimal_refit.predictions)
    assert is_decided(record, clear=1e-6)
    search = estimator(
        alphas=alphas,
        cv=splits,
        standardize=standardize,
        n_features_to_select=record.sizes[-1],
    ).fit(X, y)
    assert_array_equal(search.selection_order_, record.order)
    assert_allclose(search.path_errors_, np.array(record.errors, float), rtol=1e-6)


NEARLY_DEPENDENT = ["twins", "near twins", "sums of others", "more columns than rows"]


def nearly_dependent(kind, seed):
    """(X, y): columns of which some can be made of others, or all but."""
    rows, columns = (10, 14) if kind == "more columns than rows" else (24, 8)
    X, y = problems.from_few_columns(rows, columns, used=(0, 1, 2, 3), noise=0.5, seed=seed)
    rng = np.random.default_rng(seed + 1)
    if kind == "twins":
        X[:, 4], X[:, 6] = X[:, 1], 2 * X[:, 2]
    elif kind == "near twins":
        X[:, 4] = X[:, 1] + 1e-7 * rng.standard_normal(rows)
        X[:, 6] = 2 * X[:, 2] + 1e-5 * rng.standard_normal(rows)
    elif kind == "sums of others":
        X[:, 5:] = X[:, :5] @ rng.standard_normal((5, 3))
    return X, y


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_training_set_of_one_row(estimator, standardize, fit_intercept):
    X, y = problems.correlated(10, 4)
    problem = regression(
        X, y, None, fit_intercept, standardize, splits=list(TimeSeriesSplit(9).split(X))
    )
    search = estimator(alphas=[0.3, 5.0], standardize=standardize, fit_intercept=fit_intercept)
    check(search, problem, X, y, 3)


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("kind", NEARLY_DEPENDENT)
@pytest.mark.parametrize("share", [1e-6, 1e-10, 1e-13, 1e-20])
def test_the_floor_of_moments(estimator, kind, share):
    """Penalties as shares of the trace: the share tells the digits; where none is left it is said.

    The floor is measured against refits in 60 digits: what goes beyond a hundredth is warned of.
    """
    for seed in range(2):
        X, y = nearly_dependent(kind, seed)
        alpha = share * np.sum((X - X.mean(axis=0)) ** 2)
        problem = regression(X, y, splits=splits_of("KFold", len(X)))
        record = SEARCHES[estimator](problem, [alpha], 6, predict=decimal_refit.predictions)
        search = estimator(alphas=alpha, cv=problem.splits, n_features_to_select=record.sizes[-1])
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            search.fit(X, y)
        warned = [str(one.message) for one in seen]
        errors = np.array(record.errors, float)
        off = np.abs(search.path_errors_ / errors - 1).max()
        if share >= 1e-13:
            assert not warned
            assert_array_equal(search.selection_order_, record.order)
            assert off < max(RTOL, 4e-16 / share)
        elif off > 1e-2:
            assert any("drop duplicate columns" in message for message in warned)


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("mean", [0.0, 5.0, 50.0])
@pytest.mark.parametrize("alpha", [1e-1, 1e-4])
@pytest.mark.parametrize("folds", [56, 7])
def test_the_floor_of_fold_errors_with_about_as_many_columns_as_rows(
    estimator, fit_intercept, mean, alpha, folds
):
    """Relative to what is held out: 1e-16, and 1e-15 of the trace over the penalty."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((56, 60)) + mean
    y = X @ rng.standard_normal(60) + rng.standard_normal(56)
    problem = regression(X, y, None, fit_intercept, splits=list(KFold(folds).split(X)))
    include = list(range(60)) if estimator is ForwardRidge else []
    search = estimator(
        alphas=alpha,
        cv=problem.splits,
        fit_intercept=fit_intercept,
        include=include,
        n_features_to_select=60 if include else 59,
    ).fit(X, y)
    predictions = refitted_predictions(problem, range(60), alpha)
    centre = fit_intercept
    trace = np.sum((X - centre * X.mean(axis=0)) ** 2)
    squares = np.square(y - centre * y.mean())
    held = np.array([squares[rows].mean() for _, rows in problem.splits])
    floor = 1e-14 + 1e-15 * trace / alpha
    off = np.abs(search.path_fold_errors_[0] - split_errors(problem, predictions))
    assert np.all(off <= floor * held.mean())
    error = split_errors(problem, predictions).mean()
    assert abs(search.path_errors_[0] - error) <= floor * held.mean()


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
def test_penalties_below_the_floor_are_warned_of(estimator):
    X, y = nearly_dependent("twins", 0)
    with pytest.warns(ConvergenceWarning, match="models of the path were judged under alpha=1e-15"):
        estimator(alphas=1e-15, cv=4, patience=None).fit(X, y)


@pytest.mark.parametrize("degenerate", ["with_constant_columns", "with_duplicate_columns", "wide"])
@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
def test_degenerate_columns(estimator, degenerate):
    X, y, *_ = getattr(problems, degenerate)()
    problem = regression(X, y, splits=splits_of("KFold shuffled", len(X)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = estimator(alphas=[1e-3, 1.0], cv=problem.splits, max_features=8).fit(X, y)
    assert_path_is_true(search, problem, 1e-7)


@pytest.mark.parametrize("estimator", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("kind", [*NEARLY_DEPENDENT, "plain"])
@pytest.mark.parametrize("groups", [None, [[0, 1], [2, 3, 4]], [[1, 4], [2, 6]]])
@pytest.mark.parametrize("scale", [1e8, 1e12])
def test_a_penalty_that_is_nothing_beside_the_columns(estimator, kind, groups, scale):
    """The default penalty on columns of large units: a model, and at most the typed warning."""
    X, y = nearly_dependent(kind, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        search = estimator(alphas=[0.1, 1.0], cv=4, feature_groups=groups, patience=None)
        search.fit(scale * X, y)
    assert search.path_errors_.min() < 2 * y.var()
    assert not np.isnan(search.path_errors_).any()
    assert np.isfinite(search.coef_).all()


@pytest.mark.parametrize("scale", [1e-140, 1e100, 1e140])
def test_standard_errors_in_any_unit_of_y(scale):
    X, y = problems.correlated(40, 6)
    search = ForwardRidge(cv=5, n_features_to_select="1se")
    plain = search.fit(X, y)
    sizes, chosen, errors = plain.path_sizes_, plain.n_features_, plain.path_std_errors_
    search.fit(X, y * scale)
    assert_array_equal(search.path_sizes_, sizes)
    assert search.n_features_ == chosen
    assert_allclose(search.path_std_errors_ / scale / scale, errors, rtol=1e-9)
