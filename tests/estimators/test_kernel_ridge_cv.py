"""``KernelRidgeCV`` against refitting, and against scikit-learn's ``KernelRidge``."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GridSearchCV, KFold

import holdfast.estimators.kernel_ridge_cv as module
from holdfast import KernelRidgeCV, RidgeCV
from tests import problems
from tests.oracles.penalty_choice import alpha_errors, chosen_alpha
from tests.oracles.ridge_refit import mean_predictions, refitted_predictions, regression
from tests.oracles.sparse_kernel import kernel_ridge

ALPHAS = [0.02, 1.0, 30.0]
SPLITTERS = [*problems.splitters(30, np.arange(30) % 2, np.arange(30) % 5), "leave-one-out"]


def table(rows=40, columns=3, targets=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    Y = np.sin(X @ rng.standard_normal((columns, targets)) + np.arange(targets))
    return X, Y + 2.0 + 0.2 * rng.standard_normal((rows, targets))


def splits_of(name, y, rows):
    if name == "leave-one-out":
        return None
    return problems.splitters(rows, y, problems.groups_of_rows(rows))[name]


@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "without"])
@pytest.mark.parametrize("weights", ["none", "random", "zeros"])
def test_hold_out_is_refitting(splitter, fit_intercept, weights):
    X, Y = table()
    sample_weight = problems.weights(len(X), weights)
    splits = splits_of(splitter, Y, len(X))
    problem = regression(rbf_kernel(X, gamma=0.7), Y, sample_weight, fit_intercept, splits=splits)

    def refitted(problem, columns, alpha):
        return refitted_predictions(problem, columns, alpha, kernel_ridge)

    expected = alpha_errors(problem, ALPHAS, refitted)
    fitted = KernelRidgeCV(
        ALPHAS,
        kernel="rbf",
        gamma=0.7,
        fit_intercept=fit_intercept,
        cv=splits,
        store_cv_results=True,
    ).fit(X, Y, sample_weight)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-8)
    alpha = ALPHAS[chosen_alpha(expected)]
    assert fitted.alpha_ == alpha
    means = mean_predictions(problem, refitted(problem, None, alpha))
    assert_allclose(fitted.held_out_predictions_, means, rtol=1e-8, atol=1e-9)
    everything = kernel_ridge(problem, problem.used, None, alpha, np.arange(len(X)))
    assert_allclose(fitted.predict(X), everything, rtol=1e-8, atol=1e-9)
    rng = np.random.default_rng(0)
    for size in (1, 7, 30):
        rows = rng.choice(len(X), size, replace=False)
        train = np.setdiff1d(problem.used, rows)
        held_out = kernel_ridge(problem, train, None, 0.3, rows)
        found = fitted.holdout_predict(rows, alpha=0.3)
        assert_allclose(found, held_out, rtol=1e-8, atol=1e-9)


NAMED = ["linear", "rbf", "laplacian", "polynomial", "sigmoid", "cosine"]


@pytest.mark.parametrize(
    ("kernel", "storage"),
    [
        *((kernel, storage) for kernel in NAMED for storage in (np.asarray, sp.csr_array)),
        ("callable", np.asarray),
    ],
)
def test_the_model_is_that_of_scikit_learn(kernel, storage):
    X, Y = table(columns=5)
    given = storage(X * (np.abs(X) > 0.5))
    metric = (lambda x, y: (1 + x @ y) ** 2) if kernel == "callable" else kernel
    options = {"kernel": metric, "gamma": 0.1, "degree": 2, "coef0": 0.3}
    weights = problems.weights(len(X), "random")
    alpha = 40.0
    fitted = KernelRidgeCV(alpha, **options).fit(given, Y, weights)
    reference = KernelRidge(alpha=alpha, **options).fit(given, Y, weights)
    assert_allclose(fitted.dual_coef_, reference.dual_coef_, rtol=1e-7, atol=1e-10)
    assert_allclose(fitted.predict(given), reference.predict(given), rtol=1e-8)
    one = KernelRidgeCV(alpha, **options).fit(given, Y[:, 0], weights)
    assert one.dual_coef_.shape == one.predict(given).shape == (len(X),)
    assert_allclose(one.dual_coef_, fitted.dual_coef_[:, 0], rtol=1e-8)
    column = KernelRidgeCV(alpha, **options).fit(given, Y[:, :1], weights)
    assert column.predict(given).shape == (len(X), 1)


def test_precomputed():
    X, Y = table()
    K, new = rbf_kernel(X, gamma=0.7), rbf_kernel(X[:5] + 0.1, X, gamma=0.7)
    plain = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=0.7).fit(X, Y)
    fitted = KernelRidgeCV(ALPHAS, kernel="precomputed").fit(K, Y)
    assert_allclose(fitted.alpha_errors_, plain.alpha_errors_, rtol=1e-10)
    assert_allclose(fitted.predict(new), plain.predict(X[:5] + 0.1), rtol=1e-10)
    with pytest.raises(ValueError, match="as many columns as rows"):
        KernelRidgeCV(kernel="precomputed").fit(K[:, :9], Y)
    search = GridSearchCV(fitted, {"alphas": [0.1, 1.0]}, cv=3).fit(K, Y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_a_linear_kernel_is_ridge():
    X, Y = table()
    for cv in (None, 4):
        for fit_intercept in (True, False):
            options = {"alphas": ALPHAS, "cv": cv, "fit_intercept": fit_intercept}
            fitted, ridge = KernelRidgeCV(**options).fit(X, Y), RidgeCV(**options).fit(X, Y)
            assert_allclose(fitted.alpha_errors_, ridge.alpha_errors_, rtol=1e-9)
            assert_allclose(fitted.predict(X), ridge.predict(X), rtol=1e-8)


def test_widths_and_scorers():
    X, Y = table()
    gammas = [3.0, 0.3, 0.03]
    fitted = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=gammas, cv=4).fit(X, Y)
    singles = [KernelRidgeCV(ALPHAS, kernel="rbf", gamma=g, cv=4).fit(X, Y) for g in gammas]
    assert_allclose(fitted.gamma_errors_, [-single.best_score_ for single in singles])
    assert fitted.gamma_ == gammas[int(np.argmin(fitted.gamma_errors_))]
    scorer = make_scorer(mean_absolute_error, greater_is_better=False)
    by_error = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=gammas, cv=4, scoring=scorer).fit(X, Y)
    search = GridSearchCV(
        KernelRidge(kernel="rbf"), {"alpha": ALPHAS, "gamma": gammas}, cv=KFold(4), scoring=scorer
    ).fit(X, Y)
    assert {"alpha": by_error.alpha_, "gamma": by_error.gamma_} == search.best_params_
    assert_allclose(by_error.best_score_, search.best_score_, rtol=1e-8)


def test_kernels_without_a_least_error_are_refused():
    X, Y = table()
    K = pairwise_kernels(X, metric="sigmoid", gamma=2.0, coef0=-1.0)
    lowest = np.linalg.eigvalsh(K)[0]
    assert lowest < -0.5
    options = {"kernel": "sigmoid", "gamma": 2.0, "coef0": -1.0}
    with pytest.raises(ValueError, match="no inner product.*Expected penalties above"):
        KernelRidgeCV([0.1, 100.0], **options).fit(X, Y)
    alpha = -2 * lowest
    fitted = KernelRidgeCV(alpha, **options).fit(X, Y)
    rest = np.arange(5, len(X))
    dual = np.linalg.solve(K[np.ix_(rest, rest)] + alpha * np.eye(len(rest)), Y[rest])
    assert_allclose(fitted.holdout_predict(np.arange(5)), K[:5, rest] @ dual, rtol=1e-8)


@pytest.mark.parametrize("gamma", [0.0, 1e-10, 1e10])
def test_any_width_gives_finite_correct_answers(gamma):
    X, Y = table()
    X[5] = X[4]
    K = np.exp(-gamma * np.sum((X[:, None] - X) ** 2, axis=2))
    problem = regression(K, Y, None, True)
    expected = alpha_errors(
        problem, ALPHAS, lambda p, c, alpha: refitted_predictions(p, c, alpha, kernel_ridge)
    )
    fitted = KernelRidgeCV(ALPHAS, kernel="rbf", gamma=gamma, fit_intercept=True).fit(X, Y)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-8)


def test_too_many_rows_for_the_memory_are_refused(monkeypatch):
    monkeypatch.setattr(module, "available_bytes", lambda: 1000)
    with pytest.raises(MemoryError, match=r"40 rows need.*use SparseKernelRidge"):
        KernelRidgeCV().fit(*table())


def test_the_caches_stay_out_of_pickles():
    X, Y = table(300)
    fitted = KernelRidgeCV(kernel="rbf").fit(X, Y)
    stored = pickle.dumps(fitted)
    assert len(stored) < 16 * (X.size + fitted.dual_coef_.size)
    again = pickle.loads(stored)
    assert_array_equal(again.predict(X), fitted.predict(X))
    with pytest.raises(AttributeError, match="caches"):
        again.holdout_predict([0])
