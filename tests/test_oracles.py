"""The oracles against each other, and against answers worked out by hand."""

import itertools

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests import problems
from tests.oracles import decimal_refit, ridge_refit
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import columns_of, first_of_best, floating, forward
from tests.oracles.greedy_rls_paper import greedy_rls
from tests.oracles.ridge_refit import (
    classification,
    leave_one_out,
    leverage_predictions,
    refit,
    refitted_predictions,
    regression,
)
from tests.oracles.size_choice import chosen_entry, length_with_patience


def test_ridge_by_hand():
    # x = (-1, 0, 1), y = (0, 1, 5): centred, x'x = 2, x'y = 5; alpha = 3: slope 5 / (2 + 3).
    X, Y = np.array([[-1.0], [0.0], [1.0]]), np.array([[0.0], [1.0], [5.0]])
    model = ridge_refit.fit_ridge(X, Y, 3.0, np.ones(3), True)
    assert_allclose(model[0], [[1.0]])
    assert_allclose(ridge_refit.predict(model, X), [[1.0], [2.0], [3.0]])
    coef, intercept = refit(regression(X, Y), [0], 3.0)
    assert_allclose((coef[0, 0], intercept[0]), (1.0, 2.0))


def test_leave_one_out_of_the_empty_model_by_hand():
    # Without columns the prediction is the mean of the others: 3, 5/2, 1/2.
    problem = regression(np.empty((3, 0)), [0.0, 1.0, 5.0])
    assert_allclose(refitted_predictions(problem, [], 1.0)[:, 0], [3.0, 2.5, 0.5])
    error, standard_error = leave_one_out(problem, [], 1.0)
    squares = [9.0, 2.25, 20.25]
    assert_allclose(error, 10.5)
    assert_allclose(standard_error, np.std(squares, ddof=1) / np.sqrt(3))


def test_weighted_error_by_hand():
    # Weights 1, 3, 0: the third row does not exist, each of the others predicts the other.
    problem = regression(np.empty((3, 0)), [0.0, 2.0, 9.0], sample_weight=[1.0, 3.0, 0.0])
    predictions = refitted_predictions(problem, [], 1.0)[:, 0]
    assert_allclose(predictions[:2], [2.0, 0.0])
    assert np.isnan(predictions[2])
    assert_allclose(leave_one_out(problem, [], 1.0)[0], (1 * 4 + 3 * 4) / 4)


def test_balanced_weights_by_hand():
    # Classes of 1, 2 and 3 rows: 6/(3*1), 6/(3*2), 6/(3*3); without the only row of class 0:
    # 5/(2*2), 5/(2*3).
    problem = classification(np.empty((6, 0)), [0, 1, 1, 2, 2, 2], class_weight="balanced")
    assert_allclose(problem.weights(np.arange(6)), [2, 1, 1, 2 / 3, 2 / 3, 2 / 3])
    assert_allclose(problem.weights(np.arange(1, 6)), [5 / 4, 5 / 4, 5 / 6, 5 / 6, 5 / 6])


def test_zero_one_by_hand():
    # Without columns and with intercept the majority of the others decides, on a tie class 0.
    problem = classification(np.empty((5, 0)), [0, 0, 1, 1, 1], error="zero_one")
    # Rows of class 0: the others are 1 to 3, wrong. Rows of class 1: the others tie, wrong too.
    assert_allclose(leave_one_out(problem, [], 1.0), (1.0, 0.0))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["none", "random", "zeros"])
@pytest.mark.parametrize("shape", [(25, 5), (8, 20)])
def test_leverages_equal_refits(fit_intercept, kind, shape):
    X, Y = problems.several_targets(*shape, targets=2)
    problem = regression(X, Y, problems.weights(len(X), kind), fit_intercept)
    columns = list(range(0, shape[1], 2))
    assert_allclose(
        leverage_predictions(problem, columns, 0.7),
        refitted_predictions(problem, columns, 0.7),
        rtol=1e-10,
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 3.0, 1: 0.5}])
@pytest.mark.parametrize("kind", ["none", "zeros"])
def test_leverages_equal_refits_for_classes(n_classes, class_weight, kind):
    X, labels = problems.classes(25, 5, n_classes)
    problem = classification(X, labels, problems.weights(25, kind), class_weight=class_weight)
    assert_allclose(
        leverage_predictions(problem, [0, 2, 3], 0.7),
        refitted_predictions(problem, [0, 2, 3], 0.7),
        rtol=1e-10,
    )


def test_leverages_know_a_class_of_one_row():
    X, labels = problems.classes(20, 4, 2)
    labels = np.where(np.arange(20) == 7, 2, labels)
    problem = classification(X, labels, class_weight="balanced")
    assert_allclose(
        leverage_predictions(problem, [0, 1], 0.7), refitted_predictions(problem, [0, 1], 0.7)
    )


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", ["none", "zeros"])
@pytest.mark.parametrize("shape", [(14, 4), (6, 9)])
def test_decimal_equals_float(fit_intercept, kind, shape):
    X, Y = problems.several_targets(*shape, targets=2)
    problem = regression(X, Y, problems.weights(len(X), kind), fit_intercept)
    columns = list(range(shape[1]))
    assert_allclose(
        decimal_refit.leave_one_out_error(problem, columns, 0.3),
        leave_one_out(problem, columns, 0.3)[0],
        rtol=1e-11,
    )
    for from_decimal, from_float in zip(
        decimal_refit.refit(problem, columns, 0.3), refit(problem, columns, 0.3), strict=True
    ):
        assert_allclose(from_decimal, from_float, rtol=1e-10, atol=1e-12)


def test_decimal_equals_float_with_balanced_classes():
    X, labels = problems.classes(12, 3, 3)
    problem = classification(X, labels, class_weight="balanced")
    assert_allclose(
        decimal_refit.leave_one_out_error(problem, [0, 1], 0.3),
        leave_one_out(problem, [0, 1], 0.3)[0],
    )


def test_float_refits_are_good_where_they_must_be():
    """Big means and tiny penalties cost the float refits few digits."""
    X, y = problems.big_means(12, 4)
    problem = regression(X, y)
    assert_allclose(
        leave_one_out(problem, range(4), 1.0)[0],
        decimal_refit.leave_one_out_error(problem, range(4), 1.0),
        rtol=1e-10,
    )
    X, y = problems.nearly_collinear(12, 4)
    problem = regression(X, y)
    assert_allclose(
        leave_one_out(problem, range(4), 1e-8)[0],
        decimal_refit.leave_one_out_error(problem, range(4), 1e-8),
        rtol=1e-9,
    )


@pytest.mark.parametrize("shape", [(30, 10), (10, 30)])
@pytest.mark.parametrize("seed", range(3))
def test_algorithm_2_equals_algorithm_1(shape, seed):
    X, y = problems.from_few_columns(*shape, used=(1, 5, 8), noise=1.0, seed=seed)
    order, coef, errors = greedy_rls(X.T, y, 6, 0.8)
    problem = regression(X, y, fit_intercept=False)
    record = forward(problem, [0.8], 6)
    assert record.order == order
    assert_allclose(np.array(record.errors[1:]) * len(y), errors)
    assert_allclose(refit(problem, order, 0.8)[0][0, order], coef)


def test_the_fast_wrapper_equals_the_literal_one():
    X, y = problems.correlated(20, 8)
    problem = regression(X, y, problems.weights(20, "zeros"))
    for search in (forward, backward):
        literal = search(problem, [0.1, 1.0, 10.0], 5)
        fast = search(problem, [0.1, 1.0, 10.0], 5, predict=leverage_predictions)
        assert literal.moves == fast.moves
        assert literal.alphas == fast.alphas
        assert_allclose(literal.errors, fast.errors, rtol=1e-11)
        assert_allclose(literal.standard_errors, fast.standard_errors, rtol=1e-10)
    literal = floating(problem, [0.5], 5)
    fast = floating(problem, [0.5], 5, predict=leverage_predictions)
    assert literal.moves == fast.moves


def test_every_step_takes_the_best_of_all():
    X, y = problems.correlated(15, 6)
    problem = regression(X, y)
    record = forward(problem, [0.1, 10.0], 6)
    assert record.sizes == list(range(7))
    for entry, scores in enumerate(record.scores, start=1):
        least = min(min(errors) for errors in scores.values())
        assert record.errors[entry] == least
        assert len(scores) == 6 - entry + 1
        assert_allclose(
            least, leave_one_out(problem, record.columns(entry), record.alphas[entry])[0], rtol=0
        )


def test_forward_finds_the_columns_that_made_y():
    X, y = problems.from_few_columns(used=(11, 2, 7))
    assert forward(regression(X, y), [1.0], 3, predict=leverage_predictions).order == [11, 2, 7]


def test_backward_keeps_the_columns_that_made_y():
    X, y = problems.from_few_columns(rows=40, columns=8, used=(5, 2))
    record = backward(regression(X, y), [1.0], 6, predict=leverage_predictions)
    assert record.columns(-1) == [2, 5]
    assert record.sizes == [8, 7, 6, 5, 4, 3, 2]


def test_floating_drops_a_stand_in_once_its_parts_are_in():
    rng = np.random.default_rng(3)
    parts = rng.standard_normal((60, 2))
    stand_in = parts.sum(axis=1, keepdims=True) + 0.5 * rng.standard_normal((60, 1))
    X = np.hstack([stand_in, parts])
    y = parts.sum(axis=1) + 0.01 * rng.standard_normal(60)
    record = floating(regression(X, y), [0.01], 3)
    assert [sign for sign, _ in record.moves] == [1, 1, 1, -1, 1]
    assert record.moves[0] == (1, (0,))
    assert record.moves[3] == (-1, (0,))
    assert record.columns(4) == [1, 2]
    assert record.errors[4] < record.errors[2]


def test_ties_go_to_the_lowest_column_then_to_the_first_alpha():
    assert first_of_best({(4,): [2.0, 1.0], (2,): [1.0 + 1e-11, 1.0], (1,): [1.1, 1.1]}) == (
        (2,),
        0,
    )
    X, y, _ = problems.with_duplicate_columns(20)
    record = forward(regression(X, y), [1.0], 2)
    assert 1 in record.order[:2]
    assert 4 not in record.order[:2]


def test_candidates():
    X, y, constant = problems.with_constant_columns(20)
    everything = set(range(8))
    assert set(forward(regression(X, y), [1.0], 9).order) == everything - set(constant)
    without_intercept = regression(X, y, fit_intercept=False)
    assert set(forward(without_intercept, [1.0], 9).order) == everything - {5}
    record = forward(regression(X, y), [1.0], 9, feature_groups=[[7, 1], [0, 2]], include=[2])
    assert record.supports[0] == [(0, 2)]
    assert (1, (1, 7)) in record.moves
    record = forward(regression(X, y), [1.0], 9, feature_groups=[[7, 1]], exclude=[1])
    assert not {1, 7} & set(record.order)
    backwards = backward(regression(X, y), [1.0], 9, include=[3], exclude=[1])
    assert backwards.columns(0) == [2, 3, 4, 6, 7]
    assert backwards.columns(-1) == [3]


def test_standardize_divides_by_the_weighted_standard_deviation():
    X = np.array([[1.0, 5.0], [3.0, 5.0], [100.0, 5.0]])
    problem = regression(X, [0.0, 1.0, 2.0], sample_weight=[1.0, 1.0, 0.0], standardize=True)
    assert_allclose(problem.X, X)  # spread 1 about the mean 2; the constant column is left as it is


def test_chosen_entry():
    sizes, errors, spread = [0, 1, 2, 3], [4.0, 2.0, 1.0, 1.0], [0.1, 0.1, 1.2, 0.1]
    assert chosen_entry(sizes, errors, spread, "best") == 2
    assert chosen_entry(sizes, errors, spread, "1se") == 1
    assert chosen_entry(sizes, errors, spread, "best", max_features=1) == 1
    assert chosen_entry(sizes[::-1], errors[::-1], spread[::-1], "best") == 1


def test_length_with_patience():
    sizes, errors, spread = list(range(8)), [9, 5, 6, 7, 4, 5, 6, 7], [0.5] * 8
    assert length_with_patience(sizes, errors, spread, "best", 2) == 3
    assert length_with_patience(sizes, errors, spread, "best", 3) == 7
    assert length_with_patience(sizes, errors, spread, "best", None) == 7
    backward_sizes = sizes[::-1]
    assert length_with_patience(backward_sizes, [5] * 8, spread, "best", 1) == 7
    assert length_with_patience(backward_sizes, errors, spread, "best", 1, max_features=4) == 5


def test_patience_of_1se():
    sizes, spread = list(range(6)), [3.0] * 6
    slowly_better = [9, 4, 3.5, 3.4, 3.3, 3.2]  # the choice stays at size 1, the best model moves
    assert length_with_patience(sizes, slowly_better, spread, "1se", 1) == 5
    worse = [3, 3.5, 3.4, 3.3, 3.2, 3.1]
    assert length_with_patience(sizes, worse, spread, "1se", 2) == 2
    assert length_with_patience(sizes[::-1], worse, spread, "1se", 2) == 5  # smaller is new here


def test_columns_of_a_support_are_sorted():
    for support in itertools.permutations([(4, 5), (0,), (2, 3)]):
        assert columns_of(support) == [0, 2, 3, 4, 5]
