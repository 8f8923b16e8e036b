"""Digits of hold-out where the basis is nearly dependent: against 60-digit refits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics.pairwise import rbf_kernel

from holdfast import SparseKernelRidge
from tests.oracles.sparse_kernel import in_decimals, proposition_1, stated_jitter

SETS = [[0], [3, 5], [1, 2, 20, 21], list(range(8)), list(range(10, 30)), [33, 2, 9, 12, 14]]


def smooth(columns, gamma, rows=40, seed=0):
    """(X, y, K): a smooth kernel, whose basis vectors nearly depend on each other."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    y = np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(rows)
    return X, y


def exact_kernel(X, gamma):
    return np.exp(-gamma * np.sum((X[:, None] - X) ** 2, axis=2))


@pytest.mark.parametrize(
    ("columns", "gamma", "alpha", "tolerance"),
    [
        (3, 1.0, 1e-4, 1e-9),
        (3, 0.1, 1e-4, 1e-9),
        (2, 0.03, 1e-2, 1e-9),
        (1, 0.1, 1e-2, 1e-7),
        (1, 0.1, 1.0, 1e-8),
        (3, 1e-4, 1e-2, 1e-9),
    ],
)
def test_hold_out_keeps_its_digits(columns, gamma, alpha, tolerance):
    """At conditions up to 1e13, that of the jitter; Proposition 1 as printed loses them."""
    X, y = smooth(columns, gamma)
    basis = np.arange(14)
    K = exact_kernel(X, gamma)
    penalty = K + stated_jitter(K[:14, :14]) * np.eye(40)
    fitted = SparseKernelRidge(
        kernel="precomputed", basis=basis, alphas=alpha, store_cv_results=True
    ).fit(K, y)
    printed = 0.0
    for rows in SETS:
        rows = np.array(rows)
        train, left = np.setdiff1d(np.arange(40), rows), np.setdiff1d(basis, rows)
        expected = in_decimals(K, penalty, y, alpha, train, left, rows)
        assert_allclose(fitted.holdout_predict(rows), expected, atol=tolerance)
        by_paper = proposition_1(K[:14], penalty[:14, :14], basis, y, alpha, rows)
        printed = max(printed, np.abs(by_paper - expected).max())
        if len(rows) == 1:
            found = fitted.held_out_predictions_[rows]
            assert_allclose(found, expected, atol=tolerance)
    if np.linalg.cond(penalty[:14, :14]) > 1e11:
        assert printed > 1e-5


def test_proposition_1_as_printed_on_a_good_basis():
    """The algebra is the same: on a basis of condition 1e3 both are right."""
    X, y = smooth(3, 1.0)
    X *= 2
    K = rbf_kernel(X, gamma=1.0)
    basis = np.arange(14)
    assert np.linalg.cond(K[:14, :14]) < 1e3
    fitted = SparseKernelRidge(gamma=1.0, basis=basis, alphas=0.1).fit(X, y)
    for rows in map(np.array, SETS):
        expected = proposition_1(K[:14], K[:14, :14], basis, y, 0.1, rows)
        assert_allclose(fitted.holdout_predict(rows), expected, rtol=1e-8)


def test_a_large_mean_costs_no_digits_of_the_distances():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 4)), rng.standard_normal(60)
    far = np.round(X * 2**20) / 2**20 + 2.0**16
    near = far - 2.0**16
    for columns in (4, 40):
        X_near, X_far = np.tile(near, columns // 4), np.tile(far, columns // 4)
        one, other = (
            SparseKernelRidge(n_basis=20, gamma=0.1, alphas=[0.01, 1.0], random_state=0).fit(X, y)
            for X in (X_near, X_far)
        )
        assert_allclose(other.alpha_errors_, one.alpha_errors_, rtol=1e-8)
