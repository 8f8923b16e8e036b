"""Groups, columns that are always in or never in, columns that cannot change a model, ties."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
)
from holdfast.rows.ledger import Features
from holdfast.rows.sparse import SparseBlock
from tests import problems
from tests.estimators.agreement import (
    assert_chosen_entry,
    assert_decided,
    assert_same_search,
    moves_of,
)
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import forward
from tests.oracles.ridge_refit import classification, regression

REGRESSORS = [ForwardRidge, BackwardRidge]
ALL = [ForwardRidge, BackwardRidge, ForwardRidgeClassifier, BackwardRidgeClassifier]


# ------------------------------------------------------------------------------------------- groups


@pytest.mark.parametrize(
    ("estimator", "search"), [(ForwardRidge, forward), (BackwardRidge, backward)]
)
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_one_hot_blocks(estimator, search, fit_intercept):
    """With an intercept the columns of a block add up to a constant: no trouble for any alpha."""
    X, y, groups = problems.one_hot_blocks(25)
    alphas = [1e-3, 1.0]
    problem = regression(X, y, fit_intercept=fit_intercept)
    record = search(problem, alphas, 5, feature_groups=groups)
    assert_decided(record)
    fitted = estimator(
        alphas=alphas,
        feature_groups=groups,
        fit_intercept=fit_intercept,
        n_features_to_select=record.sizes[-1],
    ).fit(sp.csr_array(X), y)
    assert_same_search(fitted, record)
    assert_chosen_entry(fitted, problem, record, -1)


def test_groups_of_one_are_single_columns():
    X, y = problems.correlated()
    single = ForwardRidge(n_features_to_select=5).fit(X, y)
    groups = ForwardRidge(n_features_to_select=5, feature_groups=[[7], [2], [0]]).fit(X, y)
    assert moves_of(groups) == moves_of(single)
    assert_allclose(groups.path_errors_, single.path_errors_)


def test_a_group_larger_than_the_number_of_rows():
    X, y = problems.wide(10, 40)
    groups = [list(range(15)), list(range(20, 33))]
    problem = regression(X, y)
    record = forward(problem, [0.5], 3, feature_groups=groups, include=[2])
    fitted = ForwardRidge(
        alphas=0.5, feature_groups=groups, include=[2], n_features_to_select=4
    ).fit(X, y)
    assert_same_search(fitted, record, rtol=1e-8)


def test_the_order_of_columns_within_groups_and_of_groups_does_not_matter():
    X, y, groups = problems.one_hot_blocks()
    one = ForwardRidge(feature_groups=groups, n_features_to_select=4).fit(X, y)
    other = ForwardRidge(
        feature_groups=[group[::-1] for group in groups[::-1]], n_features_to_select=4
    ).fit(X, y)
    assert moves_of(one) == moves_of(other)


def test_a_group_with_constant_and_duplicate_columns():
    rng = np.random.default_rng(0)
    X, y = problems.from_few_columns(20, 6, used=(1, 4))
    X = np.column_stack([X, X[:, 1], np.ones(20), np.zeros(20)])
    groups = [[1, 6, 7], [4, 8], [2, 3]]
    problem = regression(X, y, rng.random(20))
    record = forward(problem, [0.1], 4, feature_groups=groups)
    fitted = ForwardRidge(alphas=0.1, feature_groups=groups, n_features_to_select=4).fit(
        X, y, sample_weight=problem.sample_weight
    )
    assert_same_search(fitted, record)


# --------------------------------------------------------------------------------- include, exclude


@pytest.mark.parametrize("estimator", ALL)
def test_include_and_exclude(estimator):
    X, labels = problems.classes(40, 8)
    fitted = estimator(include=[6, 1], exclude=[0, 5]).fit(X, labels)
    support = set(np.flatnonzero(fitted.support_))
    assert {1, 6} <= support
    assert not {0, 5} & support
    assert not {0, 5, 1, 6} & set(fitted.selection_order_)
    assert min(fitted.path_sizes_) >= 2
    assert max(fitted.path_sizes_) <= 6


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Index])
def test_by_name(estimator, kind):
    X, y = problems.correlated(40, 6)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    by_name = estimator(
        include=kind(["c"]), exclude=kind(["e", "a"]), feature_groups=[["b", "d"]]
    ).fit(frame, y)
    by_number = estimator(include=[2], exclude=[4, 0], feature_groups=[[1, 3]]).fit(X, y)
    assert moves_of(by_name) == moves_of(by_number)
    assert_allclose(by_name.coef_, by_number.coef_)


def test_numbers_may_be_used_beside_names_of_columns():
    X, y = problems.correlated(40, 6)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    by_number = ForwardRidge(include=[2], feature_groups=[[1, 3]]).fit(frame, y)
    by_name = ForwardRidge(include=["c"], feature_groups=[["b", "d"]]).fit(frame, y)
    assert moves_of(by_number) == moves_of(by_name)


def test_a_column_names_its_group():
    X, y = problems.correlated(40, 8)
    fitted = ForwardRidge(feature_groups=[[0, 5], [2, 7]], include=[5], exclude=[2]).fit(X, y)
    assert fitted.support_[[0, 5]].all()
    assert not fitted.support_[[2, 7]].any()
    assert fitted.path_sizes_[0] == 1


def test_everything_included_leaves_the_starting_model():
    X, y = problems.correlated(30, 4)
    fitted = ForwardRidge(include=[0, 1, 2, 3]).fit(X, y)
    assert list(fitted.path_sizes_) == [4]
    problem = regression(X, y)
    assert_chosen_entry(fitted, problem, forward(problem, [1.0], 0, include=range(4)), 0)


# ---------------------------------------------------------------------- columns that change nothing


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("value", [0.1, 1e-9, 12345.678, 1e5 / 3])
def test_constant_columns_are_never_selected(estimator, storage, value):
    X, y, _ = problems.with_constant_columns()
    X[:, 0] = value
    fitted = estimator(patience=None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted.fit(storage(X), y)
    assert not {0, 5} & set(fitted.selection_order_)
    assert not fitted.support_[[0, 5]].any()
    assert max(fitted.path_sizes_) == 6


@pytest.mark.parametrize("weights", ["random", "zeros"])
def test_constant_columns_under_weights(weights):
    X, y, _ = problems.with_constant_columns()
    sample_weight = problems.weights(40, weights)
    X[sample_weight == 0, 0] = 99.0  # constant on the rows that count
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = ForwardRidge(patience=None).fit(X, y, sample_weight=sample_weight)
    assert sorted(fitted.selection_order_) == [1, 2, 3, 4, 6, 7]


def test_a_constant_column_is_a_feature_where_there_is_no_intercept():
    X, y, _ = problems.with_constant_columns()
    X[:, 0] = 1.0
    fitted = ForwardRidge(fit_intercept=False, alphas=1e-3, n_features_to_select=3).fit(X, y)
    assert 0 in fitted.selection_order_
    problem = regression(X, y, fit_intercept=False)
    assert_same_search(fitted, forward(problem, [1e-3], 3))


def test_search_that_runs_out_of_candidates_warns_how_many_there_were():
    X, y, _ = problems.with_constant_columns()
    with pytest.warns(UserWarning, match="6"):
        fitted = ForwardRidge(n_features_to_select=7).fit(X, y)
    assert list(fitted.path_sizes_) == [0, 1, 2, 3, 4, 5, 6]
    assert fitted.n_features_ == 6


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
def test_only_constant_columns_leave_the_starting_model(estimator, storage):
    X = np.tile([0.0, 1.0, 0.1, 1e8], (20, 1))
    y = np.arange(20) % 2
    with pytest.warns(UserWarning, match="constant|candidate"):
        fitted = estimator().fit(storage(X), y)
    assert list(fitted.path_sizes_) == [0]
    assert fitted.n_features_ == 0
    assert not fitted.coef_.any()
    assert list(fitted.selection_order_) == []
    assert_array_equal(fitted.predict(X), np.full(20, fitted.predict(X)[0]))


def test_a_column_present_in_one_row_only():
    """Without that row the column is constant: its held-out prediction must not blow up."""
    X, y = problems.correlated(15, 4)
    X = np.column_stack([X, np.eye(15)[6]])
    y = y + 10 * X[:, -1]
    problem = regression(X, y)
    record = forward(problem, [0.1], 5)
    fitted = ForwardRidge(alphas=0.1, n_features_to_select=5).fit(sp.csc_array(X), y)
    assert_same_search(fitted, record)


# --------------------------------------------------------------------------------------------- ties


@pytest.mark.parametrize("storage", [np.asarray, np.asfortranarray, sp.csr_array])
def test_of_equal_columns_the_lowest_is_taken(storage):
    X, y, _ = problems.with_duplicate_columns(30)
    X[:, 5] = -X[:, 3]  # a mirror image is as good, too
    record = forward(regression(X, y), [1.0], 8)
    fitted = ForwardRidge(n_features_to_select=8).fit(storage(X), y)
    assert list(fitted.selection_order_) == record.order
    order = list(fitted.selection_order_)
    assert order.index(1) < order.index(4)
    assert order.index(3) < order.index(5)


def test_of_equal_columns_the_lowest_is_dropped():
    X, y, _ = problems.with_duplicate_columns(30)
    record = backward(regression(X, y), [1.0], 8)
    fitted = BackwardRidge(patience=None).fit(X, y)
    assert list(fitted.selection_order_) == record.order


def test_of_equal_penalties_the_first_is_taken():
    X, y = problems.correlated(30, 6)
    for alphas in ([2.0, 0.5, 2.0, 0.5], [0.5, 2.0]):
        fitted = ForwardRidge(alphas=alphas).fit(X, y)
        assert fitted.path_alphas_[0] == alphas[0]  # the empty model does not depend on alpha
    assert_array_equal(fitted.alphas_, [0.5, 2.0])


def test_many_equal_columns():
    """All columns the same: every step is a tie of everything."""
    rng = np.random.default_rng(0)
    column = rng.standard_normal(20)
    X = np.tile(column[:, None], (1, 7))
    y = column + rng.standard_normal(20)
    fitted = ForwardRidge(n_features_to_select=7).fit(X, y)
    assert list(fitted.selection_order_) == list(range(7))
    record = forward(regression(X, y), [1.0], 7)
    assert_allclose(fitted.path_errors_, record.errors, rtol=1e-9)


def test_classes_and_groups_together():
    X, labels = problems.classes(24, 9, 3)
    groups = [[0, 1], [2, 3, 4]]
    problem = classification(X, labels, class_weight="balanced")
    record = forward(problem, [0.2, 2.0], 4, feature_groups=groups, include=[8])
    fitted = ForwardRidgeClassifier(
        alphas=[0.2, 2.0],
        class_weight="balanced",
        feature_groups=groups,
        include=[8],
        n_features_to_select=5,
    ).fit(X, labels)
    assert_same_search(fitted, record)
    record = backward(problem, [0.2, 2.0], 4, feature_groups=groups, include=[8])
    fitted = BackwardRidgeClassifier(
        alphas=[0.2, 2.0],
        class_weight="balanced",
        feature_groups=groups,
        include=[8],
        n_features_to_select=record.sizes[-1],
    ).fit(X, labels)
    assert_same_search(fitted, record)


def test_a_group_does_not_fetch_the_columns_that_stand_alone(monkeypatch):
    """Each fetch of a CSR matrix looks at all its entries: one per feature would never end."""
    fetched = []
    fetch = SparseBlock.columns

    def counted(block, indices):
        fetched.append(len(indices))
        return fetch(block, indices)

    monkeypatch.setattr(SparseBlock, "columns", counted)
    X, labels = problems.word_counts(60, 300)
    search = ForwardRidgeClassifier(n_features_to_select=3, feature_groups=[[0, 1], [7, 3, 5]])
    search.fit(X, labels)
    assert len(fetched) <= 2 + 2 * 3
    balanced = search.set_params(class_weight="balanced").fit(X.tocsc(), labels)
    with_dense = balanced.path_errors_
    assert_allclose(with_dense, search.fit(X.toarray(), labels).path_errors_, rtol=1e-10)


def test_columns_of_features_in_the_order_given():
    features = Features.partition(6, [[1, 4], [3, 0]])
    assert len(features) == 4
    assert features.columns([2, 0, 1]).tolist() == [2, 0, 3, 1, 4]
    assert features.columns([]).tolist() == []
