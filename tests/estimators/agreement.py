"""Comparing fitted estimators with the records and problems of ``tests.oracles``."""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from tests.oracles.forward_wrapper import columns_of
from tests.oracles.ridge_refit import hold_out, refit, scales

RTOL = 1e-9


def moves_of(estimator):
    """``path_moves_`` with plain tuples and ints."""
    return [(int(sign), tuple(int(c) for c in columns)) for sign, columns in estimator.path_moves_]


def is_decided(record, tie=1e-12, clear=1e-7):
    """Whether every score of a search was equal to the best to rounding or clearly behind it.

    In between, rounding decides, and neither answer is wrong.
    """
    gaps = record.gaps()
    return not np.any((gaps > tie) & (gaps < clear))


def assert_decided(record):
    assert is_decided(record), "the data of this test leave open which move is the best"


def assert_same_path(estimator, record, rtol=RTOL):
    """Same moves, sizes, errors, standard errors and penalties as a record of refits."""
    assert moves_of(estimator) == record.moves
    assert_array_equal(estimator.path_sizes_, record.sizes)
    assert_array_equal(estimator.path_alphas_, record.alphas)
    assert_allclose(estimator.path_errors_, record.errors, rtol=rtol)
    assert_same_spread(estimator.path_std_errors_, record.standard_errors, record.errors, rtol)


def assert_same_spread(actual, desired, errors, rtol=RTOL):
    """Same standard errors; where all rows have one error, zero to the rounding of a variance."""
    noise = 1e-14 * np.max(errors) ** 2
    assert_allclose(np.square(actual), np.square(desired), rtol=10 * rtol, atol=noise)


def assert_same_search(estimator, record, rtol=RTOL):
    """The same, and the order of a search that only adds or only removes."""
    assert_same_path(estimator, record, rtol)
    assert list(estimator.selection_order_) == record.order


def assert_model_of(estimator, problem, columns, alpha, rtol=RTOL, X=None):
    """The fitted model is the refit on all rows; ``X`` are the unscaled columns if standardised.

    ``problem`` is that of the criterion (standardised columns), ``X`` the given ones.
    """
    columns = sorted(columns)
    coef, intercept = refit(problem, columns, alpha)
    if X is not None:
        # The scales are those of the columns as given; the coefficients apply to these columns.
        coef = coef / scales_of(problem, X)
    mask = np.isin(np.arange(problem.X.shape[1]), columns)
    assert_array_equal(estimator.support_, mask)
    assert_array_equal(estimator.get_support(), mask)
    assert_array_equal(estimator.get_support(indices=True), columns)
    size = max(float(np.abs(coef).max(initial=0)), 1e-300)
    assert_allclose(np.atleast_2d(estimator.coef_), coef, rtol=rtol, atol=1e-12 * size)
    assert not np.any(np.atleast_2d(estimator.coef_)[:, ~mask])
    assert_allclose(np.atleast_1d(estimator.intercept_) * np.ones(len(intercept)), intercept, rtol)
    assert estimator.alpha_ == alpha


def scales_of(problem, X):
    """The scales by which ``problem.X`` was divided."""
    return scales(type(problem)(**{**vars(problem), "X": np.asarray(X, dtype=float)}))


def assert_chosen_entry(estimator, problem, record, entry, rtol=RTOL, X=None):
    """Everything an estimator says about its chosen model is that of one entry of the record."""
    assert estimator.n_features_ == record.sizes[entry]
    assert_allclose(estimator.best_score_, -record.errors[entry], rtol=rtol)
    columns = columns_of(record.supports[entry])
    assert_model_of(estimator, problem, columns, record.alphas[entry], rtol, X)


def assert_path_is_true(estimator, problem, rtol=RTOL, X=None):
    """Every entry of a path is what refitting its own model gives, whatever the search was."""
    columns = starting_columns(estimator)
    entries = zip(
        estimator.path_errors_, estimator.path_std_errors_, estimator.path_alphas_, strict=True
    )
    moves = [(1, ()), *moves_of(estimator)]
    for (sign, moved), (error, std_error, alpha) in zip(moves, entries, strict=True):
        columns = columns | set(moved) if sign > 0 else columns - set(moved)
        expected = hold_out(problem, sorted(columns), alpha)
        assert_allclose(error, expected[0], rtol=rtol)
        assert_same_spread(std_error, expected[1], error, rtol)


def starting_columns(estimator):
    """Columns of the first entry of a path: undo its moves from the support of the last one."""
    last = estimator.truncate(int(estimator.path_sizes_[-1]))
    columns = set(np.flatnonzero(last.support_).tolist())
    for sign, moved in reversed(moves_of(estimator)):
        columns = columns - set(moved) if sign > 0 else columns | set(moved)
    return columns
