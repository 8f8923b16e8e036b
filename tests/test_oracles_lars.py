"""The literal generalised LARS against solvers of other makes, and against its own invariants."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import lars_path
from sklearn.svm import LinearSVC

from tests import problems
from tests.oracles.lars_path import follow, gradients, interpolate


def regression(rows=40, columns=12, seed=0):
    X, y = problems.correlated(rows, columns, strength=0.6, seed=seed)
    return X, y


def labels(rows=60, columns=15, seed=0):
    X, codes = problems.classes(rows, columns, separation=0.5, seed=seed)
    return X, np.where(codes == 1, 1.0, -1.0)


@pytest.mark.parametrize("method", ["lar", "lasso"])
@pytest.mark.parametrize("seed", range(4))
def test_squared_loss_is_lars_path(method, seed):
    X, y = regression(seed=seed)
    knots, betas, _, _, _ = follow(X, y, 0.0, lasso=method == "lasso")
    if method == "lar" and (np.diff(np.sign(betas), axis=0)[betas[:-1] != 0] != 0).any():
        pytest.skip("a sign changes: scikit-learn leaves the curve there")
    alphas, _, coefs = lars_path(X, y, method=method)
    assert_allclose(knots, alphas * len(X), rtol=1e-8, atol=1e-8)
    assert_allclose(betas, coefs.T, atol=1e-8)


def test_penalty_as_further_rows():
    X, y = regression()
    alpha = 5.0
    more = np.vstack([X, np.sqrt(alpha) * np.eye(X.shape[1])])
    knots, betas, *_ = follow(X, y, alpha, lasso=True)
    others, coefs, *_ = follow(more, np.append(y, np.zeros(X.shape[1])), 0.0, lasso=True)
    assert_allclose(knots, others, atol=1e-9)
    assert_allclose(betas, coefs, atol=1e-9)


def test_an_intercept_is_centring():
    X, y = regression()
    knots, betas, intercepts, *_ = follow(X, y, 2.0, intercept=True)
    others, coefs, *_ = follow(X - X.mean(axis=0), y - y.mean(), 2.0)
    assert_allclose(knots, others, atol=1e-9)
    assert_allclose(betas, coefs, atol=1e-9)
    assert_allclose(intercepts, y.mean() - betas @ X.mean(axis=0), atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_squared_hinge_is_liblinear(seed):
    X, t = labels(seed=seed)
    knots, betas, *_ = follow(X, t, 0.0, hinge=True, lasso=True)
    for share in (0.7, 0.4, 0.2, 0.1, 0.05):
        lam = share * knots[0]
        svc = LinearSVC(
            penalty="l1", dual=False, C=1 / (2 * lam), fit_intercept=False, tol=1e-8, max_iter=50000
        )
        assert_allclose(interpolate(knots, betas, lam), svc.fit(X, t).coef_[0], atol=1e-4)


@pytest.mark.parametrize("hinge", [False, True])
@pytest.mark.parametrize("lasso", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
def test_invariants_at_every_knot(hinge, lasso, intercept, alpha):
    X, t = labels(seed=5)
    weights = np.random.default_rng(0).uniform(0.5, 2, len(t))
    knots, betas, intercepts, entries, _ = follow(
        X, t, alpha, hinge=hinge, lasso=lasso, intercept=intercept, weights=weights
    )
    assert (np.diff(knots) <= 0).all()
    assert len({k for k, _ in entries}) == X.shape[1]
    signs = dict(entries)
    for lam, beta, b in zip(knots, betas, intercepts, strict=True):
        c, balance = gradients(X, t, beta, b, alpha, hinge=hinge, weights=weights)
        assert (np.abs(c) <= lam + 1e-8 * knots[0]).all()
        on = np.flatnonzero(beta)
        assert_allclose(np.abs(c[on]), lam, atol=1e-8 * knots[0])
        if not lasso:
            assert_allclose(c[on], lam * np.array([signs[k] for k in on]), atol=1e-8 * knots[0])
        else:
            assert (np.sign(c[on]) * np.sign(beta[on]) >= 0).all() or lam < 1e-8 * knots[0]
        if intercept:
            assert abs(balance) < 1e-8 * knots[0]


def test_a_literal_path_by_hand():
    # x = 1, 2 and t = 1, -1: c = 1 - 2 = -1, so lambda starts at 1; x'x = 5, the minimum is -1/5.
    X, t = np.array([[1.0], [2.0]]), np.array([1.0, -1.0])
    knots, betas, _, entries, _ = follow(X, t, 0.0)
    assert_allclose(knots, [1.0, 0.0])
    assert_allclose(betas, [[0.0], [-0.2]])
    assert entries == [(0, -1)]
    # Squared hinge: the second row leaves I when 2 beta = -1: lambda = 1 - 5/2 < 0: never.
    assert_allclose(follow(X, t, 0.0, hinge=True)[1], [[0.0], [-0.2]])


def test_examples_leave_and_enter():
    """What makes the hinge path longer than the other: examples that move, both ways."""
    X, t = labels(rows=80, columns=30, seed=2)
    *_, events = follow(X, t, 0.0, hinge=True, intercept=True)
    moved = [what for kind, what in events if kind == "row"]
    assert len(moved) > len(set(moved)) > 10


def test_duplicates_are_barred_without_a_penalty_only():
    X, t = labels()
    X[:, 4] = X[:, 1]
    bare, penalised = follow(X, t, 0.0)[3], follow(X, t, 1.0)[3]
    assert sorted(k for k, _ in bare) == [k for k in range(15) if k != 4]
    assert len(penalised) == 15
