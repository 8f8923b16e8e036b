"""Forward selection of regressors equals the wrapper that refits, in every setting."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from holdfast import ForwardRidge
from tests import problems
from tests.estimators.agreement import (
    assert_chosen_entry,
    assert_decided,
    assert_same_path,
    assert_same_search,
    moves_of,
)
from tests.oracles.forward_wrapper import floating, forward
from tests.oracles.greedy_rls_paper import greedy_rls
from tests.oracles.ridge_refit import leverage_predictions, regression
from tests.oracles.size_choice import first_best_of_smallest

STEPS = 4

STORAGES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "int64": lambda X: X.astype(np.int64),
    "int8": lambda X: X.astype(np.int8),
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "backwards": lambda X: np.ascontiguousarray(X[::-1, ::-1])[::-1, ::-1],
    "list": lambda X: X.tolist(),
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
    "csr_matrix": sp.csr_matrix,
    "csc_matrix": sp.csc_matrix,
    "coo_array": sp.coo_array,
    "lil_array": sp.lil_array,
    "csr float32": lambda X: sp.csr_array(X.astype(np.float32)),
}

CONSTRAINTS = {
    "free": {},
    "groups": {"feature_groups": [[5, 1], [2, 3, 8]]},
    "include, exclude": {"feature_groups": [[6, 0]], "include": [4, 6], "exclude": [2]},
}


@functools.cache
def small_integers(shape, targets):
    """(X, Y): small integers, two thirds of them zero, so that every storage holds the same X."""
    rows, columns = shape
    rng = np.random.default_rng(rows)
    X = rng.integers(-3, 4, size=shape) * (rng.random(shape) < 0.5) * 1.0
    coef = np.where(np.arange(columns)[:, None] % 4 == 1, rng.standard_normal((columns, 3)), 0.0)
    Y = 2.0 + X @ coef + rng.standard_normal((rows, 3))
    return X, Y[:, 0] if targets == 1 else Y


@functools.cache
def wrapper(shape, targets, weights, fit_intercept, standardize, alphas, constraints):
    """(problem, record) of the wrapper; the same for all storages."""
    X, y = small_integers(shape, targets)
    problem = regression(X, y, problems.weights(len(X), weights), fit_intercept, standardize)
    record = forward(
        problem, alphas, STEPS, **CONSTRAINTS[constraints], predict=leverage_predictions
    )
    assert_decided(record)
    return problem, record


def check(storage, shape, targets, weights, fit_intercept, standardize, alphas, constraints):
    X, y = small_integers(shape, targets)
    problem, record = wrapper(
        shape, targets, weights, fit_intercept, standardize, alphas, constraints
    )
    estimator = ForwardRidge(
        alphas=alphas[0] if len(alphas) == 1 else list(alphas),
        fit_intercept=fit_intercept,
        standardize=standardize,
        n_features_to_select=record.sizes[-1],
        **CONSTRAINTS[constraints],
    ).fit(STORAGES[storage](X), y, sample_weight=problems.weights(len(X), weights))
    assert_same_search(estimator, record)
    assert_chosen_entry(estimator, problem, record, -1, X=X if standardize else None)
    assert_allclose(
        estimator.predict(STORAGES[storage](X)),
        X @ estimator.coef_.T + estimator.intercept_,
        rtol=1e-6 if storage == "csr float32" or storage == "float32" else 1e-10,
        atol=1e-6 if storage == "csr float32" or storage == "float32" else 1e-10,
    )


@pytest.mark.parametrize("shape", [(40, 12), (12, 26)], ids=["tall", "wide"])
@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("weights", ["none", "random", "zeros"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("standardize", [False, True], ids=["raw", "standardize"])
@pytest.mark.parametrize("alphas", [(1.0,), (20.0, 0.1, 2.0)], ids=["one alpha", "grid"])
@pytest.mark.parametrize("constraints", CONSTRAINTS)
def test_every_setting(
    shape, targets, weights, fit_intercept, standardize, alphas, constraints, request
):
    """Two storages each, by lot: over the whole table every pair comes up many times."""
    lot = np.random.default_rng(list(request.node.name.encode()))
    for storage in lot.choice(list(STORAGES), size=2, replace=False):
        check(storage, shape, targets, weights, fit_intercept, standardize, alphas, constraints)


@pytest.mark.parametrize("shape", [(40, 12), (12, 26)], ids=["tall", "wide"])
@pytest.mark.parametrize("storage", STORAGES)
def test_every_storage(storage, shape):
    check(storage, shape, 3, "zeros", True, False, (20.0, 0.1, 2.0), "groups")
    check(storage, shape, 1, "none", False, True, (1.0,), "free")


@pytest.mark.parametrize("compress", [sp.csr_array, sp.csc_matrix])
@pytest.mark.parametrize("standardize", [False, True])
def test_entries_stored_twice(compress, standardize):
    """Entries of one place add up, in any order, and explicit zeros are zeros."""
    X, y = small_integers((40, 12), 1)
    whole = compress(X)
    data = np.repeat(whole.data, 2) * np.tile([3.0, -2.0], whole.nnz)
    twice = compress((data, np.repeat(whole.indices, 2), 2 * whole.indptr), shape=X.shape)
    twice.data[:2] = 0.0
    X = twice.toarray()
    assert not twice.has_canonical_format
    fits = ForwardRidge(standardize=standardize, n_features_to_select=5)
    expected = clone(fits).fit(X, y)
    fits.fit(twice, y)
    assert moves_of(fits) == moves_of(expected)
    assert_allclose(fits.path_errors_, expected.path_errors_, rtol=1e-10)
    assert_allclose(fits.coef_, expected.coef_, rtol=1e-10)
    assert twice.nnz == 2 * whole.nnz


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int64, np.float16])
def test_numbers_of_other_types(kind):
    """Sums must not overflow the type of X."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2 if kind is bool else 250, size=(300, 6)).astype(kind)
    X = X * np.int64(2**33) if kind is np.int64 else X
    y = X[:, 1] / X.max() + rng.standard_normal(300)
    alpha = 1e-3 * float(X.max()) ** 2
    problem = regression(X.astype(float), y)
    record = forward(problem, [alpha], 4, predict=leverage_predictions)
    fitted = ForwardRidge(alphas=alpha, n_features_to_select=4).fit(X, y)
    assert_same_search(fitted, record)
    assert_chosen_entry(fitted, problem, record, -1)


@pytest.mark.parametrize("fit_intercept", [True, False])
def test_two_rows(fit_intercept):
    X, y = np.array([[1.0, 2.0, 0.0], [3.0, -1.0, 4.0]]), np.array([1.0, 5.0])
    record = forward(regression(X, y, fit_intercept=fit_intercept), [0.5], 3)
    fitted = ForwardRidge(alphas=0.5, fit_intercept=fit_intercept, n_features_to_select=3)
    assert_same_search(fitted.fit(X, y), record)


def test_more_targets_than_rows():
    X, Y = problems.several_targets(12, 6, targets=30)
    record = forward(regression(X, Y), [1.0], 4)
    assert_same_search(ForwardRidge(n_features_to_select=4).fit(X, Y), record)


def test_an_automatic_grid_is_a_grid():
    X, y = problems.correlated(40, 6)
    automatic = ForwardRidge(alphas="auto").fit(X, y)
    assert len(automatic.alphas_) > 3
    given = ForwardRidge(alphas=automatic.alphas_).fit(X, y)
    assert moves_of(automatic) == moves_of(given)
    assert_allclose(automatic.path_errors_, given.path_errors_, rtol=1e-12)
    scaled = ForwardRidge(alphas="auto").fit(10 * X, y)
    assert_allclose(scaled.alphas_, 100 * automatic.alphas_)
    assert moves_of(scaled) == moves_of(automatic)


@pytest.mark.parametrize("storage", STORAGES)
def test_the_users_arrays_are_left_alone(storage):
    X, y = small_integers((40, 12), 1)
    stored, weights = STORAGES[storage](X), problems.weights(40, "zeros")
    before = stored.copy() if hasattr(stored, "copy") else list(stored)
    y_before, weights_before = y.copy(), weights.copy()
    if isinstance(stored, np.ndarray):
        stored.flags.writeable = False
    ForwardRidge(standardize=True).fit(stored, y, sample_weight=weights)
    difference = before != stored
    assert difference.nnz == 0 if sp.issparse(stored) else not np.any(difference)
    assert_array_equal(y, y_before)
    assert_array_equal(weights, weights_before)


@pytest.mark.parametrize("shape", [(15, 6), (7, 14)], ids=["tall", "wide"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_literal_refits_along_the_whole_path(shape, fit_intercept):
    """The definition itself, one fit per row left out, until no candidate is left."""
    X, y = problems.correlated(*shape)
    alphas = [0.05, 1.0, 20.0]
    problem = regression(X, y, problems.weights(len(X), "zeros"), fit_intercept)
    record = forward(problem, alphas, shape[1])
    estimator = ForwardRidge(
        alphas=alphas, fit_intercept=fit_intercept, n_features_to_select=shape[1]
    ).fit(X, y, sample_weight=problem.sample_weight)
    assert_decided(record)
    assert_same_search(estimator, record)
    assert_chosen_entry(estimator, problem, record, -1)


@pytest.mark.parametrize("shape", [(30, 20), (20, 30)])
def test_algorithm_2_of_the_paper(shape):
    X, y = problems.from_few_columns(*shape, used=(1, 5, 8), noise=1.0)
    order, coef, errors = greedy_rls(X.T, y, 8, 0.8)
    estimator = ForwardRidge(alphas=0.8, fit_intercept=False, n_features_to_select=8).fit(X, y)
    assert list(estimator.selection_order_) == order
    assert_allclose(estimator.path_errors_[0], np.mean(y**2))
    assert_allclose(estimator.path_errors_[1:], np.array(errors) / len(y), rtol=1e-9)
    assert_allclose(estimator.coef_[order], coef, rtol=1e-9)


def test_finds_the_columns_that_made_y():
    X, y = problems.from_few_columns(rows=200, columns=50, used=(31, 2, 17))
    estimator = ForwardRidge(n_features_to_select=3).fit(X, y)
    assert list(estimator.selection_order_) == [31, 2, 17]
    assert_allclose(estimator.coef_[[31, 2, 17]], [3, 2, 1], atol=0.1)
    assert_allclose(estimator.intercept_, 5, atol=0.1)
    assert estimator.score(X, y) > 0.99


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("alphas", [[0.5], [10.0, 0.5, 0.05]], ids=["one alpha", "grid"])
def test_floating_equals_its_wrapper(seed, alphas):
    """Sums of columns attract a forward search that floating corrects."""
    rng = np.random.default_rng(seed)
    parts = rng.standard_normal((40, 6))
    sums = parts @ (rng.random((6, 4)) < 0.6) + 0.6 * rng.standard_normal((40, 4))
    X = np.hstack([sums, parts])
    y = parts @ [1, 1, 1, 1, -1, 1] + 0.2 * rng.standard_normal(40)
    problem = regression(X, y)
    record = floating(problem, alphas, 8, predict=leverage_predictions)
    assert_decided(record)
    estimator = ForwardRidge(
        alphas=alphas, floating=True, n_features_to_select=8, patience=None
    ).fit(X, y)
    assert_same_path(estimator, record)
    chosen = best_of_size(record, 8)
    assert_chosen_entry(estimator, problem, record, chosen)
    assert list(estimator.selection_order_) == last_entries(record, chosen)


def best_of_size(record, size):
    entries = [t for t in range(len(record.sizes)) if record.sizes[t] == size]
    return first_best_of_smallest(record.sizes, record.errors, entries, np.inf)


def last_entries(record, entry):
    """Columns of an entry in the order in which they last came in."""
    order = []
    for sign, columns in record.moves[:entry]:
        order = [c for c in order if c not in columns] + (list(columns) if sign > 0 else [])
    return order


def test_floating_drops_somewhere():
    """At least one of the searches above has a removal, or they show nothing."""
    rng = np.random.default_rng(3)
    parts = rng.standard_normal((60, 2))
    stand_in = parts.sum(axis=1, keepdims=True) + 0.5 * rng.standard_normal((60, 1))
    X, y = np.hstack([stand_in, parts]), parts.sum(axis=1) + 0.01 * rng.standard_normal(60)
    estimator = ForwardRidge(floating=True).fit(X, y)
    assert [sign for sign, _ in estimator.path_moves_][:4] == [1, 1, 1, -1]
    assert list(estimator.path_sizes_)[:5] == [0, 1, 2, 3, 2]
    assert len(estimator.path_errors_) == len(estimator.path_moves_) + 1
