"""The oracles of hold-out by splits: against each other, scikit-learn and answers by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.linear_model import Ridge, RidgeClassifier, RidgeCV
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from tests import problems
from tests.oracles import decimal_refit
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import floating, forward
from tests.oracles.penalty_choice import (
    alpha_errors,
    alpha_errors_per_target,
    chosen_alpha,
    chosen_alphas_per_target,
    refit_per_target,
)
from tests.oracles.ridge_refit import (
    classification,
    hold_out,
    leave_one_out,
    leverage_predictions,
    mean_predictions,
    refit,
    refitted_labels,
    refitted_predictions,
    regression,
    split_errors,
)

ROWS = 24
SPLITTERS = list(problems.splitters(ROWS, np.arange(ROWS) * 1.0, problems.groups_of_rows(ROWS)))


def splits_of(name, y):
    return problems.splitters(len(y), y, problems.groups_of_rows(len(y)))[name]


def every_row_a_split(rows):
    return [(np.delete(np.arange(rows), j), [j]) for j in range(rows)]


# ------------------------------------------------------------------------------------------ by hand


def test_errors_by_hand():
    # Without columns a model predicts the weighted mean of its training set.
    # Split 0: (1*2 + 3*6) / 4 = 5 for rows 0 (y = 0) and 3 (y = 9): errors 25, 16.
    # Split 1: row 1 alone, 2, for row 3: error 49. Split 2 trains on rows 0 and 3 for row 0.
    y, weights = [0.0, 2.0, 6.0, 9.0, 100.0, 7.0], [1.0, 1.0, 3.0, 2.0, 0.0, 1.0]
    splits = [([1, 2, 4], [0, 3, 4]), ([1], [3]), ([3, 0], [0])]
    problem = regression(np.empty((6, 0)), y, weights, splits=splits)
    predictions = refitted_predictions(problem, [], 1.0)
    x = np.nan
    assert_allclose(predictions[..., 0], [[5, x, x, 5, x, x], [x, x, x, 2, x, x], [6, *[x] * 5]])
    assert_allclose(mean_predictions(problem, predictions)[:, 0], [5.5, x, x, 3.5, x, x])
    of_splits = [(1 * 25 + 2 * 16) / 3, 49.0, 36.0]
    assert_allclose(split_errors(problem, predictions), of_splits)
    error, standard_error = hold_out(problem, [], 1.0)
    assert_allclose(error, (1 * 25 + 2 * 16 + 2 * 49 + 1 * 36) / (1 + 2 + 2 + 1))
    assert_allclose(standard_error, np.std(of_splits, ddof=1) / np.sqrt(3))


def test_a_split_that_holds_out_no_row_that_counts():
    y, weights = [0.0, 2.0, 6.0], [1.0, 1.0, 0.0]
    problem = regression(np.empty((3, 0)), y, weights, splits=[([0, 1], [2]), ([0], [1, 2])])
    predictions = refitted_predictions(problem, [], 1.0)
    assert_allclose(split_errors(problem, predictions), [np.nan, 4.0])
    assert_allclose(hold_out(problem, [], 1.0), (4.0, np.nan))
    assert_allclose(mean_predictions(problem, predictions)[:, 0], [np.nan, 0.0, np.nan])


def test_scales_by_hand():
    # Trained on x = 2, 4 (spread 1), y = 0, 2, alpha 2: slope of the scaled x 2 / (2 + 2).
    # Trained on x = 0, 8 (spread 4), y = 0, 2: slope 2 / (2 + 2) of x / 4.
    X, y = [[2.0], [4.0], [0.0], [8.0]], [0.0, 2.0, 0.0, 2.0]
    splits = [([0, 1], [2, 3]), ([2, 3], [0, 1])]
    problem = regression(X, y, standardize=True, splits=splits)
    predictions = mean_predictions(problem, refitted_predictions(problem, [0], 2.0))[:, 0]
    assert_allclose(predictions[2:], 1 + 0.5 * (np.array([0.0, 8.0]) - 3))
    assert_allclose(predictions[:2], 1 + 0.5 * (np.array([2.0, 4.0]) - 4) / 4)


def test_a_column_constant_in_one_training_set():
    """It has no effect there: its scale is 1 and its coefficient 0 (with an intercept)."""
    X, y = problems.from_few_columns(12, 3, used=(0, 2))
    X[4:, 0] = 0.1
    splits = [(np.arange(4, 12), [0, 1]), (np.arange(2, 12), [0, 1])]
    problem = regression(X, y, standardize=True, splits=splits)
    assert problem.scales(splits[0][0])[0] == 1
    assert problem.scales(splits[1][0])[0] < 1
    with_it, without = (refitted_predictions(problem, c, 1e-8) for c in ([0, 1, 2], [1, 2]))
    assert_allclose(with_it[0], without[0], rtol=1e-9)
    assert np.max(np.abs(with_it[1, :2] - without[1, :2])) > 0.1


def test_balanced_weights_by_hand():
    # Training set of classes 0, 1, 1: weights 3 / (2 * 1), 3 / (2 * 2), mean of the codes 0.
    # In the error, of classes 0, 0, 1, 1, 1, 1 (and one of weight zero): 6 / 4 and 6 / 8.
    labels, weights = [0, 1, 1, 0, 1, 1, 1], [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0]
    splits = [([0, 1, 2, 6], [3, 4]), ([1, 2], [0])]
    problem = classification(
        np.empty((7, 0)), labels, weights, class_weight="balanced", splits=splits
    )
    predictions = refitted_predictions(problem, [], 1.0)[..., 0]
    assert_allclose(predictions[0, 3:5], 0.0, atol=1e-15)
    assert_allclose(predictions[1, 0], 1.0)
    assert_allclose(problem.error_weights, [1.5, 0.75, 0.75, 1.5, 0.75, 0.75, 0])
    assert_allclose(hold_out(problem, [], 1.0)[0], (1.5 * 1 + 0.75 * 1 + 1.5 * 4) / (3.75))


# ------------------------------------------------------------------------ against the other oracles


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["none", "zeros"])
def test_a_split_for_every_row_is_leave_one_out(kind, fit_intercept):
    X, Y = problems.several_targets(15, 6, targets=2)
    weights = problems.weights(15, kind)
    by_splits = regression(X, Y, weights, fit_intercept, splits=every_row_a_split(15))
    by_row = regression(X, Y, weights, fit_intercept)
    assert_allclose(
        mean_predictions(by_splits, refitted_predictions(by_splits, [0, 3], 0.3)),
        mean_predictions(by_row, refitted_predictions(by_row, [0, 3], 0.3)),
        rtol=1e-12,
    )
    assert_allclose(
        hold_out(by_splits, [0, 3], 0.3),
        leave_one_out(by_row, [0, 3], 0.3, leverage_predictions),
        rtol=1e-10,
    )
    assert forward(by_splits, [3.0, 0.3], 4).moves == forward(by_row, [3.0, 0.3], 4).moves


@pytest.mark.parametrize("error", ["squared", "zero_one"])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 3.0, 2: 0.5}])
def test_a_split_for_every_row_is_leave_one_out_for_classes(class_weight, error):
    X, labels = problems.classes(20, 5, 3)
    settings = {"error": error, "class_weight": class_weight}
    weights = problems.weights(20, "zeros")
    by_splits = classification(X, labels, weights, splits=every_row_a_split(20), **settings)
    by_row = classification(X, labels, weights, **settings)
    assert_allclose(hold_out(by_splits, [0, 3], 0.3), leave_one_out(by_row, [0, 3], 0.3))


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_decimal_equals_float(name, fit_intercept, standardize):
    X, Y = problems.several_targets(ROWS, 6, targets=2)
    weights = problems.weights(ROWS, "zeros")
    problem = regression(X, Y, weights, fit_intercept, standardize, splits_of(name, Y))
    for columns in ([], [1], range(6)):
        assert_allclose(
            np.array(hold_out(problem, columns, 0.3, decimal_refit.predictions), float),
            hold_out(problem, columns, 0.3),
            rtol=1e-11,
        )
        for from_decimal, from_float in zip(
            decimal_refit.refit(problem, columns, 0.3), refit(problem, columns, 0.3), strict=True
        ):
            assert_allclose(from_decimal, from_float, rtol=1e-10, atol=1e-12)


def test_decimal_equals_float_with_balanced_classes():
    X, labels = problems.classes(ROWS, 4, 3)
    splits = splits_of("TimeSeriesSplit", labels)
    problem = classification(X, labels, class_weight="balanced", splits=splits)
    exact = decimal_refit.hold_out_error(problem, [0, 1], 0.3)
    assert_allclose(hold_out(problem, [0, 1], 0.3)[0], exact, rtol=1e-12)


@pytest.mark.parametrize("name", ["KFold", "by hand"])
@pytest.mark.parametrize("search", [forward, backward, floating])
@pytest.mark.parametrize("standardize", [False, True])
def test_selections_of_an_ill_conditioned_table(search, name, standardize):
    """Condition number 1e12, alpha = 1e-10 trace: QR in float64 is right, and shown to be."""
    X, y = problems.ill_conditioned(ROWS, 8)
    assert_allclose(np.linalg.cond(X - X.mean(axis=0)), 1e12, rtol=1e-2)
    problem = regression(X, y, standardize=standardize, splits=splits_of(name, y))
    alphas = np.sum(X**2) * np.array([1e-10, 1e-6])
    exact = search(problem, alphas, 5, predict=decimal_refit.predictions)
    record = search(problem, alphas, 5)
    assert record.moves == exact.moves
    assert record.alphas == exact.alphas
    assert_allclose(record.errors, np.array(exact.errors, float), rtol=1e-9)


@pytest.mark.parametrize("search", [forward, backward])
def test_selections_of_columns_with_big_means(search):
    X, y = problems.big_means(ROWS, 6, ratio=1e6)
    problem = regression(X, y, standardize=True, splits=splits_of("KFold", y))
    exact = search(problem, [1.0, 1e-6], 4, predict=decimal_refit.predictions)
    record = search(problem, [1.0, 1e-6], 4)
    assert record.moves == exact.moves
    assert_allclose(record.errors, np.array(exact.errors, float), rtol=1e-12)


def test_selections_among_duplicates():
    """Twins tie in both arithmetics, so the lower column is taken first."""
    X, y, _ = problems.with_duplicate_columns(ROWS)
    problem = regression(X, y, splits=splits_of("KFold", y))
    alpha = 1e-10 * np.sum(X**2)
    exact = forward(problem, [alpha], 5, predict=decimal_refit.predictions)
    record = forward(problem, [alpha], 5)
    assert record.moves == exact.moves
    assert exact.scores[0][1,] == exact.scores[0][4,]
    assert 1 in record.order[:3]
    assert 4 not in record.order[: record.order.index(1)]
    assert_allclose(record.errors, np.array(exact.errors, float), rtol=1e-9)


def test_sixty_digits_are_enough(monkeypatch):
    """More of them change nothing that a long double can hold."""
    X, y = problems.ill_conditioned(ROWS, 8)
    problem = regression(1e6 + X, y, standardize=True, splits=splits_of("KFold", y))
    few = decimal_refit.predictions(problem, range(8), 1e-12)
    monkeypatch.setattr(decimal_refit, "DIGITS", 120)
    assert_array_equal(few, decimal_refit.predictions(problem, range(8), 1e-12))


# ----------------------------------------------------------------------------- against scikit-learn


def weighted(pipeline, weights):
    """Fit parameters that give every step of a pipeline the weights."""
    return {f"{step}__sample_weight": weights for step, _ in pipeline.steps}


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("kind", ["none", "random"])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_errors_are_those_of_cross_validate(name, kind, standardize, fit_intercept):
    X, Y = problems.several_targets(ROWS, 6, targets=2)
    columns, splits = [4, 0, 1], splits_of(name, Y)
    weights = np.ones(ROWS) if kind == "none" else problems.weights(ROWS, kind)
    problem = regression(X, Y, weights, fit_intercept, standardize, splits)
    steps = [StandardScaler(with_mean=False)] if standardize else []
    pipeline = make_pipeline(*steps, Ridge(alpha=0.7, fit_intercept=fit_intercept))
    models = cross_validate(
        pipeline, X[:, columns], Y, cv=splits, params=weighted(pipeline, weights),
        return_estimator=True, scoring="neg_mean_squared_error",
    )["estimator"]  # fmt: skip
    pairs = [
        (weights[test], np.mean((Y[test] - model.predict(X[np.ix_(test, columns)])) ** 2, axis=1))
        for (_, test), model in zip(splits, models, strict=True)
    ]
    of_splits = [v @ e / v.sum() for v, e in pairs]
    v, e = (np.concatenate(part) for part in zip(*pairs, strict=True))
    predictions = refitted_predictions(problem, columns, 0.7)
    assert_allclose(split_errors(problem, predictions), of_splits, rtol=1e-10)
    error, standard_error = hold_out(problem, columns, 0.7)
    assert_allclose(error, v @ e / v.sum(), rtol=1e-10)
    assert_allclose(standard_error, np.std(of_splits, ddof=1) / np.sqrt(len(splits)), rtol=1e-9)

    pipeline.fit(X[:, columns], Y, **weighted(pipeline, weights))
    coef, intercept = refit(problem, columns, 0.7)
    scale = pipeline[0].scale_ if standardize else 1.0
    assert_allclose(coef[:, columns], pipeline[-1].coef_ / scale, rtol=1e-9)
    assert_allclose(intercept * np.ones(2), pipeline[-1].intercept_ * np.ones(2), rtol=1e-9)


@pytest.mark.parametrize("name", ["KFold", "KFold shuffled", "StratifiedKFold", "GroupKFold"])
def test_predictions_are_those_of_cross_val_predict(name):
    X, Y = problems.several_targets(ROWS, 6, targets=2)
    problem = regression(X, Y, splits=splits_of(name, Y))
    assert_allclose(
        mean_predictions(problem, refitted_predictions(problem, range(6), 0.7)),
        cross_val_predict(Ridge(alpha=0.7), X, Y, cv=problem.splits),
        rtol=1e-10,
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0, 1: 0.5}])
@pytest.mark.parametrize("name", ["StratifiedKFold", "LeavePGroupsOut", "by hand"])
def test_classifiers_are_those_of_cross_validate(name, class_weight, n_classes):
    X, labels = problems.classes(ROWS, 4, n_classes)
    splits = splits_of(name, labels)
    theirs = RidgeClassifier(alpha=0.7, class_weight=class_weight)
    problem = classification(X, labels, class_weight=class_weight, splits=splits)
    models = cross_validate(theirs, X, labels, cv=splits, return_estimator=True)["estimator"]
    predictions = refitted_predictions(problem, range(4), 0.7)
    for number, ((_, test), model) in enumerate(zip(splits, models, strict=True)):
        assert_allclose(
            predictions[number, test],
            model.decision_function(X[test]).reshape(len(test), -1),
            rtol=1e-10,
        )
    if class_weight is None:
        problem = classification(X, labels, error="zero_one", splits=splits)
        accuracy = cross_val_score(theirs, X, labels, cv=splits, scoring="accuracy")
        labels = refitted_labels(problem, range(4), 0.7)
        assert_allclose(split_errors(problem, labels), 1 - accuracy)


@pytest.mark.parametrize(("direction", "search"), [("forward", forward), ("backward", backward)])
def test_selections_are_those_of_sequential_feature_selector(direction, search):
    """Folds of one size: there the mean over folds is the pooled error."""
    X, y = problems.correlated(25, 8)
    theirs = SequentialFeatureSelector(
        Ridge(alpha=0.7), n_features_to_select=4, direction=direction, cv=KFold(5),
        scoring="neg_mean_squared_error",
    ).fit(X, y)  # fmt: skip
    problem = regression(X, y, splits=KFold(5).split(X))
    assert search(problem, [0.7], 4).columns(-1) == list(theirs.get_support(indices=True))


# ---------------------------------------------------------------------------------- the definitions


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("standardize", [False, True])
def test_a_row_of_weight_zero_is_absent(name, standardize):
    X, labels = problems.classes(ROWS, 5, 2)
    weights = problems.weights(ROWS, "zeros")
    splits = splits_of(name, labels)
    problem = classification(
        X, labels, weights, standardize=standardize, class_weight="balanced", splits=splits
    )
    there = np.flatnonzero(weights)
    place = np.cumsum(weights > 0) - 1
    absent = classification(
        X[there],
        labels[there],
        weights[there],
        standardize=standardize,
        class_weight="balanced",
        splits=[tuple(place[rows[weights[rows] > 0]] for rows in split) for split in splits],
    )
    assert_allclose(hold_out(problem, [1, 3], 0.7), hold_out(absent, [1, 3], 0.7), rtol=1e-12)
    assert_allclose(refit(problem, [1], 0.7)[0], refit(absent, [1], 0.7)[0], rtol=1e-12)


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("standardize", [False, True])
def test_weight_two_is_the_row_twice_in_the_same_part(name, standardize):
    X, y = problems.correlated(ROWS, 5)
    splits = splits_of(name, y)
    times = np.where(np.arange(ROWS) % 3 == 0, 2, 1)
    problem = regression(X, y, times, standardize=standardize, splits=splits)
    rows = np.repeat(np.arange(ROWS), times)
    twice = regression(
        X[rows],
        y[rows],
        standardize=standardize,
        splits=[tuple(np.flatnonzero(np.isin(rows, part)) for part in split) for split in splits],
    )
    assert_allclose(hold_out(problem, [1, 3], 0.7), hold_out(twice, [1, 3], 0.7), rtol=1e-12)


def test_every_step_takes_the_best_of_all_groups_and_penalties():
    X, y = problems.correlated(ROWS, 7)
    X[:, 6] = 3.0  # no candidate
    problem = regression(X, y, standardize=True, splits=splits_of("RepeatedKFold", y))
    record = forward(problem, [0.1, 10.0], 9, feature_groups=[[4, 1]], include=[2])
    assert record.supports[0] == [(2,)]
    assert sorted(record.order) == [0, 1, 3, 4, 5]
    for entry, scores in enumerate(record.scores, start=1):
        least = min(min(errors) for errors in scores.values())
        assert len(scores) == 4 - entry + 1
        assert record.errors[entry] == least
        columns, alpha = record.columns(entry), record.alphas[entry]
        assert hold_out(problem, columns, alpha) == (least, record.standard_errors[entry])


def test_leave_one_out_is_not_asked_of_splits():
    X, y = problems.correlated(ROWS, 3)
    problem = regression(X, y, splits=splits_of("KFold", y))
    for of_rows in (leave_one_out, leverage_predictions, decimal_refit.leave_one_out_error):
        with pytest.raises(AssertionError):
            of_rows(problem, [0], 1.0)


# -------------------------------------------------------------------------------------- the penalty

ALPHAS = [10.0, 0.01, 1.0, 0.1, 100.0]


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_leave_one_out_errors_are_those_of_ridge_cv(fit_intercept):
    X, Y = problems.several_targets(ROWS, 6, targets=3)
    problem = regression(X, Y, fit_intercept=fit_intercept)
    together = RidgeCV(ALPHAS, fit_intercept=fit_intercept, store_cv_results=True).fit(X, Y)
    errors = alpha_errors(problem, ALPHAS)
    assert_allclose(errors, together.cv_results_.mean(axis=(0, 1)), rtol=1e-9)
    assert ALPHAS[chosen_alpha(errors)] == together.alpha_

    each = RidgeCV(ALPHAS, fit_intercept=fit_intercept, alpha_per_target=True).fit(X, Y)
    errors = alpha_errors_per_target(problem, ALPHAS, leverage_predictions)
    assert_allclose(errors, together.cv_results_.mean(axis=0).T, rtol=1e-9)
    assert_allclose(errors.mean(axis=1), alpha_errors(problem, ALPHAS))
    chosen = np.array(ALPHAS)[chosen_alphas_per_target(errors)]
    assert_array_equal(chosen, each.alpha_)
    coef, intercept = refit_per_target(problem, range(6), chosen)
    assert_allclose(coef, each.coef_, rtol=1e-8)
    assert_allclose(intercept, each.intercept_ * np.ones(3), rtol=1e-8)


@pytest.mark.parametrize("standardize", [False, True])
def test_split_errors_are_those_of_grid_search(standardize):
    X, y = problems.correlated(25, 6)
    steps = [StandardScaler()] if standardize else []
    grid = GridSearchCV(
        make_pipeline(*steps, Ridge()), {"ridge__alpha": ALPHAS}, cv=KFold(5),
        scoring="neg_mean_squared_error",
    ).fit(X, y)  # fmt: skip
    problem = regression(X, y, standardize=standardize, splits=KFold(5).split(X))
    errors = alpha_errors(problem, ALPHAS)
    assert_allclose(errors, -grid.cv_results_["mean_test_score"], rtol=1e-10)
    assert chosen_alpha(errors) == grid.best_index_
    assert_array_equal(alpha_errors_per_target(problem, ALPHAS)[:, 0], errors)
    exact = alpha_errors(problem, ALPHAS, decimal_refit.predictions)
    assert_allclose(errors, np.array(exact, float), rtol=1e-12)


def test_equal_penalties_go_to_the_first():
    assert chosen_alpha([3.0, 1.0 + 1e-12, 1.0]) == 1
    assert_array_equal(chosen_alphas_per_target([[1.0, 2.0], [1.0, 1.0]]), [0, 1])


# ----------------------------------------------------------------------------------------- the data


@pytest.mark.parametrize("rows", [12, ROWS, 41])
def test_splitters_are_of_every_kind(rows):
    groups = problems.groups_of_rows(rows)
    splits = problems.splitters(rows, np.random.default_rng(0).standard_normal(rows), groups)
    times = {
        name: np.sum([np.isin(np.arange(rows), test) for _, test in parts], axis=0)
        for name, parts in splits.items()
    }
    for name, parts in splits.items():
        partition = name in ("KFold", "KFold shuffled", "StratifiedKFold", "GroupKFold")
        assert np.all(times[name] == 1) == partition
        for train, test in parts:
            assert not set(train) & set(test)
            assert len(set(train)) == len(train) > 1
            assert len(set(test)) == len(test) > 0
    assert np.all(times["RepeatedKFold"] == 2)
    assert np.all(times["LeavePGroupsOut"] == 4)
    assert set(times["by hand"]) == {0, 1, 2}
    never_in = set(range(rows)) - {int(j) for split in splits["by hand"] for p in split for j in p}
    assert never_in == {rows - 2, rows - 1}
