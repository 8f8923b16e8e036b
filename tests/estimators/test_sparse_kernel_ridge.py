"""``SparseKernelRidge`` and its classifier against refitting, whatever the route and policy."""

import pickle

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline

import holdfast.estimators.basis_models as basis_models
from holdfast import (
    AlphaDisplay,
    KernelRidgeCV,
    SparseKernelRidge,
    SparseKernelRidgeClassifier,
    basis_folds,
)
from holdfast.basis.kernels import Kernel, KernelTable
from holdfast.basis.rows import BasisColumns
from holdfast.criteria import penalty_routes
from holdfast.criteria.leaving import Leaving
from holdfast.criteria.penalty import PenaltyProblem
from holdfast.criteria.weighting import plain_classes
from holdfast.rows.splits import Splits
from tests import problems
from tests.oracles.penalty_choice import alpha_errors, chosen_alpha
from tests.oracles.ridge_refit import (
    classification,
    mean_predictions,
    refitted_predictions,
    regression,
)
from tests.oracles.sparse_kernel import (
    POLICIES,
    by_modified_kernel,
    greedy_basis,
    left_basis,
    refit_by,
    spared,
    stated_jitter,
)

ALPHAS = [0.02, 1.0, 30.0]
SPLITTERS = [*problems.splitters(30, np.arange(30) % 2, np.arange(30) % 5), "leave-one-out"]
GAMMA = 0.6


def table(rows=40, columns=3, targets=2, seed=0):
    """(X, Y): smooth functions of few columns, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    Y = np.sin(X @ rng.standard_normal((columns, targets)) + np.arange(targets))
    return X, Y + 3.0 + 0.2 * rng.standard_normal((rows, targets))


def splits_of(name, y, rows):
    if name == "leave-one-out":
        return None
    return problems.splitters(rows, y, problems.groups_of_rows(rows))[name]


def kernel_problem(X, Y, weights=None, fit_intercept=False, splits=None, gamma=GAMMA):
    return regression(rbf_kernel(X, gamma=gamma), Y, weights, fit_intercept, splits=splits)


def jitter_of(problem, basis):
    return stated_jitter(problem.X[np.ix_(basis, basis)])


def basis_of(weights, count=11, rows=40):
    used = np.arange(rows) if weights is None else np.flatnonzero(weights)
    return np.sort(np.random.default_rng(5).choice(used, count, replace=False))


# ------------------------------------------------------------------------------- against refitting


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "without"])
@pytest.mark.parametrize("weights", ["none", "random", "zeros"])
def test_hold_out_is_refitting(policy, splitter, fit_intercept, weights):
    X, Y = table()
    sample_weight = problems.weights(len(X), weights)
    splits = splits_of(splitter, Y, len(X))
    basis = basis_of(sample_weight)
    problem = kernel_problem(X, Y, sample_weight, fit_intercept, splits)
    judged, fit = spared(problem, basis, policy), refit_by(policy, jitter_of(problem, basis))
    predictions = [refitted_predictions(judged, basis, alpha, fit) for alpha in ALPHAS]
    expected = alpha_errors(judged, ALPHAS, lambda problem, _, alpha: _of(predictions, alpha))
    fitted = SparseKernelRidge(
        alphas=ALPHAS,
        gamma=GAMMA,
        basis=basis,
        fit_intercept=fit_intercept,
        cv=splits,
        held_out_basis=policy,
        store_cv_results=True,
    ).fit(X, Y, sample_weight)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-8)
    number = chosen_alpha(expected)
    assert fitted.alpha_ == ALPHAS[number]
    means = mean_predictions(judged, predictions[number])
    assert_allclose(fitted.held_out_predictions_, means, rtol=1e-8, atol=1e-8)
    everything = fit(problem, problem.used, basis, fitted.alpha_, np.arange(len(X)))
    assert_allclose(fitted.predict(X), everything, rtol=1e-8, atol=1e-8)


def _of(predictions, alpha):
    return predictions[ALPHAS.index(alpha)]


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("gamma", [0.003, 0.6], ids=["jitter", "regular"])
@pytest.mark.parametrize("splitter", ["leave-one-out", "ShuffleSplit"])
def test_many_basis_vectors(policy, gamma, splitter):
    """As many as are decomposed in parts; with and without a regular penalty matrix."""
    X, Y = table(rows=190, columns=5)
    Y = Y[:, :1] if policy == "keep" else Y
    weights = problems.weights(len(X), "random")
    splits = splits_of(splitter, Y, len(X))
    basis = basis_of(None, 150, len(X))
    problem = kernel_problem(X, Y, weights, True, splits, gamma=gamma)
    assert (jitter_of(problem, basis) > 0) == (gamma < 0.1)
    judged, fit = spared(problem, basis, policy), refit_by(policy, jitter_of(problem, basis))
    predictions = [refitted_predictions(judged, basis, alpha, fit) for alpha in ALPHAS]
    expected = alpha_errors(judged, ALPHAS, lambda problem, _, alpha: _of(predictions, alpha))
    fitted = SparseKernelRidge(
        alphas=ALPHAS,
        gamma=gamma,
        basis=basis,
        fit_intercept=True,
        cv=splits,
        held_out_basis=policy,
        store_cv_results=True,
    ).fit(X, Y, weights)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-8)
    means = mean_predictions(judged, predictions[chosen_alpha(expected)])
    shown = fitted.held_out_predictions_.reshape(len(X), -1)
    assert_allclose(shown, means, rtol=1e-8, atol=1e-8)
    rows = np.array([7, 3, *range(100, 130)])
    rest = np.setdiff1d(np.arange(len(X)), rows)
    if policy == "skip":
        rest, rows = np.union1d(rest, basis), np.setdiff1d(rows, basis)
    without = fit(problem, rest, basis, 0.5, rows)
    together = fitted.holdout_predict(rows, alpha=0.5)
    assert_allclose(together.reshape(len(rows), -1), without, rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("weights", ["none", "zeros"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "without"])
def test_holdout_predict_of_any_rows(policy, weights, fit_intercept):
    X, Y = table()
    sample_weight = problems.weights(len(X), weights)
    basis = basis_of(sample_weight)
    problem = kernel_problem(X, Y, sample_weight, fit_intercept)
    fit = refit_by(policy, jitter_of(problem, basis))
    fitted = SparseKernelRidge(
        alphas=1.0,
        gamma=GAMMA,
        basis=basis,
        fit_intercept=fit_intercept,
        held_out_basis=policy,
    ).fit(X, Y, sample_weight)
    rng = np.random.default_rng(2)
    # More rows than basis vectors, fewer, all of the basis, one, and none of the basis.
    sets = [rng.choice(40, size, replace=False) for size in (1, 5, 12, 30)]
    sets += [basis, basis[[3]], np.setdiff1d(np.arange(40), basis)[::-1]]
    for rows in sets:
        held = np.setdiff1d(rows, basis) if policy == "skip" else rows
        expected = np.full((len(X), 2), np.nan)
        for alpha in (1.0, 0.01):
            train = np.setdiff1d(problem.used, held)
            expected[held] = fit(problem, train, basis, alpha, held)
            found = fitted.holdout_predict(rows, alpha=alpha)
            assert_allclose(found, expected[rows], rtol=1e-8, atol=1e-8)
    mask = np.zeros(40, dtype=bool)
    mask[sets[1]] = True
    assert_array_equal(fitted.holdout_predict(mask), fitted.holdout_predict(np.sort(sets[1])))
    twice = fitted.holdout_predict(np.append(sets[1], sets[1][0]))
    assert_array_equal(twice[0], twice[-1])


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("splitter", SPLITTERS)
@pytest.mark.parametrize("streamed", [False, True], ids=["kept", "streamed"])
def test_every_route_gives_the_same(policy, splitter, streamed):
    X, Y = table(seed=3)
    weights = problems.weights(len(X), "zeros")
    splits = splits_of(splitter, Y, len(X))
    basis = basis_of(weights, 9)
    oracle = kernel_problem(X, Y, weights, True, splits)
    judged = spared(oracle, basis, policy)
    fit = refit_by(policy, jitter_of(oracle, basis))
    expected = alpha_errors(judged, ALPHAS, lambda p, c, a: refitted_predictions(p, basis, a, fit))
    columns = BasisColumns(KernelTable(Kernel("rbf", GAMMA), X), basis)
    weights = np.asarray(weights)
    rows = columns.streamed(Y.T.copy(), weights) if streamed else columns.kept(Y.T.copy(), weights)
    spare = None
    if policy == "skip":
        spare = np.isin(np.arange(len(X)), basis)
        splits = None if splits is None else [s for s in judged.splits if len(s[1])]
    problem = PenaltyProblem(
        rows,
        None if splits is None else Splits.of(splits, len(X)),
        plain_classes(np.array([len(X)])),
        fit_intercept=True,
        standardize=False,
        leaving=Leaving(basis, columns.whitening.directions) if policy == "drop" else None,
        spared=spare,
        by_rows=False,
    )
    table_of_routes = penalty_routes.routes(problem, len(ALPHAS))
    assert table_of_routes
    for route in table_of_routes:
        penalties = route.take(problem)
        errors = penalties.losses(np.array(ALPHAS)) / penalties.held_mass
        assert_allclose(errors.mean(axis=1), expected, rtol=1e-8, err_msg=route.name)


def test_the_straightforward_route_of_the_paper():
    """Ordinary hold-out with the modified kernel (18), its basis being what is left."""
    X, Y = table()
    basis = basis_of(None)
    problem = kernel_problem(X, Y)
    rows = np.array([basis[0], 3, 8, 20, basis[4], 33])
    train = np.setdiff1d(np.arange(len(X)), rows)
    for policy in ("drop", "keep"):
        fitted = SparseKernelRidge(gamma=GAMMA, basis=basis, held_out_basis=policy).fit(X, Y)
        left = left_basis(problem, train, basis, policy)
        expected = by_modified_kernel(problem, train, left, 1.0, rows)
        assert_allclose(fitted.holdout_predict(rows), expected, rtol=1e-8)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.5, 1: 3.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("splitter", ["StratifiedKFold", "by hand", "leave-one-out"])
def test_classifier(class_weight, n_classes, splitter):
    X, y = problems.classes(45, 4, n_classes, separation=0.9, seed=4)
    weights = problems.weights(len(X), "random")
    splits = splits_of(splitter, y, len(X))
    basis = basis_of(None, 10, 45)
    K = rbf_kernel(X, gamma=0.3)
    problem = classification(K, y, weights, False, class_weight=class_weight, splits=splits)
    fit = refit_by("drop", jitter_of(problem, basis))
    expected = alpha_errors(
        problem, ALPHAS, lambda p, _, alpha: refitted_predictions(p, basis, alpha, fit)
    )
    fitted = SparseKernelRidgeClassifier(
        alphas=ALPHAS, gamma=0.3, basis=basis, cv=splits, class_weight=class_weight
    ).fit(X, y, weights)
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-8)
    rows = np.array([basis[2], 1, 30, 17, basis[0], 12])
    train = np.setdiff1d(np.arange(45), rows)
    held_out = fit(problem, train, basis, 0.5, rows)
    found = fitted.holdout_predict(rows, alpha=0.5).reshape(len(rows), -1)
    assert_allclose(found, held_out, rtol=1e-8, atol=1e-9)
    everything = fit(problem, np.arange(45), basis, fitted.alpha_, np.arange(45))
    decision = fitted.decision_function(X).reshape(45, -1)
    assert_allclose(decision, everything, rtol=1e-8, atol=1e-9)
    named = (decision[:, 0] > 0).astype(int) if n_classes == 2 else decision.argmax(axis=1)
    assert_array_equal(fitted.predict(X), fitted.classes_[named])


# ------------------------------------------------------------------------- kernels, widths, storage


@pytest.mark.parametrize(
    "kernel",
    ["rbf", "laplacian", "polynomial", "poly", "linear", "cosine", "callable", "precomputed"],
)
def test_kernels(kernel):
    X, Y = table()
    parameters = {"gamma": 0.4, "degree": 2, "coef0": 1.5}
    metric = _mixed if kernel == "callable" else kernel
    if kernel == "precomputed":
        K = rbf_kernel(X, gamma=0.4)
    elif kernel == "callable":
        K = pairwise_kernels(X, metric=_mixed, power=3)
    else:
        K = pairwise_kernels(X, metric=kernel, filter_params=True, **parameters)
    basis = basis_of(None, 7)
    given = K if kernel == "precomputed" else X
    fitted = SparseKernelRidge(
        kernel=metric,
        alphas=ALPHAS,
        basis=basis,
        kernel_params={"power": 3} if kernel == "callable" else None,
        **parameters,
    ).fit(given, Y)
    problem = regression(K, Y, None, False)
    fit = refit_by("drop", jitter_of(problem, basis))
    expected = alpha_errors(
        problem, ALPHAS, lambda p, _, alpha: refitted_predictions(p, basis, alpha, fit)
    )
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-7)
    everything = fit(problem, np.arange(40), basis, fitted.alpha_, np.arange(40))
    assert_allclose(fitted.predict(given), everything, rtol=1e-7, atol=1e-8)
    if kernel == "precomputed":
        assert fitted.basis_vectors_ is None
        assert fitted.__sklearn_tags__().input_tags.pairwise


def _mixed(x, y, power=1):
    return (1 + x @ y) ** 2 + np.exp(-np.sum((x - y) ** 2)) ** power


def test_a_kernel_that_is_no_inner_product_is_named():
    X, Y = table()
    model = SparseKernelRidge(kernel="sigmoid", gamma=2.0, coef0=-1.0, n_basis=12, random_state=0)
    with pytest.warns(UserWarning, match="no inner product.*positive semidefinite"):
        model.fit(X, Y)
    basis = model.basis_indices_
    K = pairwise_kernels(X, metric="sigmoid", gamma=2.0, coef0=-1.0)
    values, vectors = np.linalg.eigh(K[np.ix_(basis, basis)])
    assert values[0] < -0.1
    penalty = vectors * np.abs(values) @ vectors.T
    rows = np.array([basis[0], basis[5], 3, 4])
    train, left = np.setdiff1d(np.arange(40), rows), ~np.isin(basis, rows)
    columns = K[np.ix_(train, basis[left])]
    system = columns.T @ columns + penalty[np.ix_(left, left)]
    dual = np.linalg.solve(system, columns.T @ Y[train])
    assert_allclose(model.holdout_predict(rows), K[np.ix_(rows, basis[left])] @ dual, rtol=1e-7)


@pytest.mark.filterwarnings("ignore:kernel='sigmoid' is no inner product")
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "polynomial", "sigmoid", "chi2"])
def test_widths_are_chosen_with_the_penalty(kernel):
    X, Y = table()
    X = np.abs(X) / 3 if kernel in ("chi2", "sigmoid", "polynomial") else X
    gammas, options = [2.0, 0.5, 0.05], {"kernel": kernel, "coef0": 0.0, "n_basis": 6}
    options |= {"alphas": ALPHAS, "random_state": 1}
    fitted = SparseKernelRidge(gamma=gammas, **options).fit(X, Y)
    singles = [SparseKernelRidge(gamma=gamma, **options).fit(X, Y) for gamma in gammas]
    errors = [-single.best_score_ for single in singles]
    assert_allclose(fitted.gamma_errors_, errors, rtol=1e-9)
    best = singles[int(np.argmin(errors))]
    assert fitted.gamma_ == best.gamma_
    assert_array_equal(fitted.gammas_, gammas)
    assert_allclose(fitted.alpha_errors_, best.alpha_errors_, rtol=1e-9)
    assert_allclose(fitted.predict(X), best.predict(X), rtol=1e-9)
    assert_allclose(fitted.holdout_predict([1, 2]), best.holdout_predict([1, 2]), rtol=1e-9)


@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "linear", "polynomial", "cosine"])
def test_sparse_and_float32(kernel):
    X, Y = table(columns=6)
    X = np.rint(2 * X) * (np.abs(X) > 0.7)
    options = {"kernel": kernel, "alphas": ALPHAS, "n_basis": 5, "random_state": 0, "cv": 3}
    plain = SparseKernelRidge(**options).fit(X, Y)
    for given in (sp.csr_array(X), sp.csc_matrix(X), X.astype(np.float32), np.asfortranarray(X)):
        fitted = SparseKernelRidge(**options).fit(given, Y)
        assert_allclose(fitted.alpha_errors_, plain.alpha_errors_, rtol=1e-9)
        assert_allclose(fitted.predict(given), plain.predict(X), rtol=1e-8)
        assert_allclose(
            fitted.holdout_predict(np.arange(9)), plain.holdout_predict(np.arange(9)), rtol=1e-8
        )


def test_without_memory_for_the_columns_they_are_made_when_read(monkeypatch):
    X, Y = table(400)
    options = {"alphas": ALPHAS, "n_basis": 20, "random_state": 0, "gamma": [0.3, 0.6]}
    kept = [SparseKernelRidge(cv=cv, **options).fit(X, Y) for cv in (None, 4)]
    monkeypatch.setattr(basis_models, "spare_bytes", lambda X: 1000)
    for plain, cv in zip(kept, (None, 4), strict=True):
        fitted = SparseKernelRidge(cv=cv, **options).fit(X, Y)
        assert fitted._hold_out._kept is None
        assert_allclose(fitted.alpha_errors_, plain.alpha_errors_, rtol=1e-9)
        rows = np.arange(0, 400, 9)
        assert_allclose(fitted.holdout_predict(rows), plain.holdout_predict(rows), rtol=1e-8)


# ---------------------------------------------------------------------------------------- the basis


def test_the_basis_is_reproducible_and_of_the_size_asked_for():
    X, Y = table(100)
    for basis in ("random", "entropy", "greedy"):
        one, two = (
            SparseKernelRidge(n_basis=0.2, basis=basis, random_state=7).fit(X, Y) for _ in range(2)
        )
        assert_array_equal(one.basis_indices_, two.basis_indices_)
        assert len(np.unique(one.basis_indices_)) == 20
        assert_array_equal(one.basis_vectors_, X[one.basis_indices_])
        other = SparseKernelRidge(n_basis=0.2, basis=basis, random_state=8).fit(X, Y)
        if basis != "entropy":  # whose starts may end at one and the same basis
            assert set(other.basis_indices_) != set(one.basis_indices_)
    assert len(SparseKernelRidge(n_basis=1000).fit(X, Y).basis_indices_) == 100


@pytest.mark.parametrize("basis", ["random", "entropy", "greedy"])
def test_rows_of_weight_zero_are_absent(basis):
    X, Y = table(50)
    weights = problems.weights(50, "zeros")
    used = weights > 0
    options = {"n_basis": 8, "basis": basis, "random_state": 3, "alphas": ALPHAS}
    whole = SparseKernelRidge(**options).fit(X, Y, weights)
    part = SparseKernelRidge(**options).fit(X[used], Y[used], weights[used])
    assert_array_equal(whole.basis_indices_, np.flatnonzero(used)[part.basis_indices_])
    assert_allclose(whole.alpha_errors_, part.alpha_errors_, rtol=1e-9)


@pytest.mark.parametrize("basis", ["random", "entropy", "greedy"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_a_basis_chosen_in_every_split(basis, fit_intercept):
    """Approach 3: no row that is held out has a say in anything."""
    X, Y = table(60)
    weights = problems.weights(60, "random")
    pairs = list(KFold(3, shuffle=True, random_state=0).split(X))
    options = {"n_basis": 7, "basis": basis, "gamma": GAMMA, "fit_intercept": fit_intercept}
    fitted = SparseKernelRidge(
        alphas=ALPHAS,
        cv=pairs,
        basis_per_split=True,
        store_cv_results=True,
        random_state=0,
        **options,
    ).fit(X, Y, weights)
    seeds = np.random.RandomState(0).randint(np.iinfo(np.int32).max, size=4)
    problem = kernel_problem(X, Y, weights, fit_intercept, pairs)
    expected = np.empty((len(ALPHAS), 60, 2))
    middle = np.exp(np.mean(np.log(ALPHAS)))
    for (train, held), seed in zip(pairs, seeds[1:], strict=True):
        rng = np.random.RandomState(seed)
        if basis == "random":
            chosen = np.sort(rng.choice(train, 7, replace=False))
        else:
            alone = SparseKernelRidge(alphas=middle, random_state=_Same(seed), **options).fit(
                X[train], Y[train], weights[train]
            )
            chosen = train[alone.basis_indices_]
        fit = refit_by("drop", jitter_of(problem, chosen))
        for number, alpha in enumerate(ALPHAS):
            expected[number, held] = fit(problem, train, chosen, alpha, held)
    errors = np.average(np.mean((Y - expected) ** 2, axis=2), axis=1, weights=weights)
    assert_allclose(fitted.alpha_errors_, errors, rtol=1e-8)
    best = expected[chosen_alpha(errors)]
    assert_allclose(fitted.held_out_predictions_, best, rtol=1e-8)


class _Same(np.random.RandomState):
    """Gives a stated number for the seed of the first choice."""

    def __init__(self, seed):
        super().__init__(0)
        self._stated = seed

    def randint(self, low, high=None, size=None, dtype=int):
        return np.array([self._stated])


def test_greedy_basis_is_algorithm_1():
    X, Y = table(70)
    weights = problems.weights(70, "random")
    for fit_intercept in (True, False):
        fitted = SparseKernelRidge(
            alphas=[0.1, 10.0],
            gamma=GAMMA,
            n_basis=6,
            basis="greedy",
            fit_intercept=fit_intercept,
            random_state=11,
        ).fit(X, Y, weights)
        seed = np.random.RandomState(11).randint(np.iinfo(np.int32).max, size=1)[0]
        rng = np.random.RandomState(seed)
        problem, basis = kernel_problem(X, Y, weights, fit_intercept), []
        for step in range(6):
            remaining = np.setdiff1d(np.arange(70), basis)
            drawn = rng.choice(remaining, 60, replace=False)
            basis = greedy_basis(problem, [*([b] for b in basis), drawn.tolist()], 1.0)
            assert len(basis) == step + 1
        assert fitted.basis_indices_.tolist() == basis


def test_folds_with_a_stated_share_of_the_basis():
    basis = np.arange(0, 100, 3)  # 34 rows
    dealt = basis_folds(100, basis, 5, random_state=0)
    shares = [np.isin(test, basis).sum() for _, test in dealt]
    assert sorted(shares) == [6, 7, 7, 7, 7]
    assert_array_equal(np.sort(np.concatenate([test for _, test in dealt])), np.arange(100))
    exact = basis_folds(100, basis, 5, basis_per_fold=6, random_state=0)
    assert [np.isin(test, basis).sum() for _, test in exact] == [6] * 5
    assert sum(len(test) for _, test in exact) == 96
    never = basis_folds(100, basis, 5, basis_per_fold=0, random_state=0)
    assert [np.isin(test, basis).sum() for _, test in never] == [0] * 5
    for folds in (dealt, exact, never):
        for train, test in folds:
            assert_array_equal(np.sort(np.concatenate([train, test])), np.arange(100))
    X, Y = table(100)
    fitted = SparseKernelRidge(basis=basis, cv=exact).fit(X, Y)
    assert fitted.n_splits_ == 5


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"basis_indices": [0.5]}, "basis_indices.*expected different row numbers"),
        ({"basis_indices": [3, 3]}, "basis_indices.*expected different row numbers"),
        ({"basis_indices": [3, 20]}, "go from 3 to 20.*expected numbers from 0 to 19"),
        ({"basis_indices": [3], "n_splits": 1}, "n_splits=1.*expected at least 2"),
        ({"basis_indices": [3], "n_splits": 20}, "n_splits=20.*expected at least 2"),
        ({"basis_indices": [3, 4], "n_splits": 2, "basis_per_fold": 2}, "expected at most 1"),
        ({"basis_indices": [3, 4], "n_splits": 2, "basis_per_fold": -1}, "expected at most 1"),
    ],
)
def test_folds_that_cannot_be_made(arguments, match):
    with pytest.raises(ValueError, match=match):
        basis_folds(20, **arguments)


# ------------------------------------------------------------------------------------ degenerate


def test_with_no_basis_left_the_model_is_its_intercept():
    X, Y = table(12)
    folds = [(np.arange(4, 12), np.arange(4)), (np.arange(4), np.arange(4, 12))]
    for fit_intercept in (True, False):
        fitted = SparseKernelRidge(
            basis=[0, 1, 2], cv=folds, fit_intercept=fit_intercept, store_cv_results=True
        ).fit(X, Y)
        mean = Y[4:].mean(axis=0) if fit_intercept else np.zeros(2)
        assert_allclose(fitted.held_out_predictions_[:4], np.tile(mean, (4, 1)), atol=1e-12)
        assert_allclose(fitted.holdout_predict(np.arange(4)), np.tile(mean, (4, 1)), atol=1e-12)
        one = SparseKernelRidge(basis=[5], fit_intercept=fit_intercept).fit(X, Y)
        rest = np.delete(Y, 5, axis=0).mean(axis=0) if fit_intercept else np.zeros(2)
        assert_allclose(one.holdout_predict([5])[0], rest, atol=1e-12)


@pytest.mark.parametrize("gamma", [0.0, 1e-12, 1e-3, 1e3, 1e9])
@pytest.mark.parametrize("cv", [None, 5])
def test_any_width_gives_finite_correct_answers(gamma, cv):
    X, Y = table(30)
    fitted = SparseKernelRidge(
        gamma=gamma, n_basis=10, alphas=[1e-3, 1.0], cv=cv, random_state=0, fit_intercept=True
    ).fit(X, Y)
    basis = fitted.basis_indices_
    splits = None if cv is None else list(KFold(cv).split(X))
    problem = kernel_problem(X, Y, None, True, splits, gamma)
    fit = refit_by("drop", jitter_of(problem, basis))
    expected = alpha_errors(
        problem, [1e-3, 1.0], lambda p, _, alpha: refitted_predictions(p, basis, alpha, fit)
    )
    assert_allclose(fitted.alpha_errors_, expected, rtol=1e-6)
    if gamma == 0:  # all columns are ones: a penalised constant under an intercept
        assert_allclose(fitted.predict(X), np.tile(Y.mean(axis=0), (30, 1)), atol=1e-9)


def test_duplicates_stand_in_for_each_other():
    X, Y = table(40)
    X[20:24], Y[20:24] = X[:4], Y[:4]
    basis = np.array([0, 20, 1, 21, 2, 9, 30, 12])  # three pairs, once in the basis or twice
    without = np.array([1, 2, 9, 30, 12, 0])
    twice = SparseKernelRidge(basis=basis, alphas=0.1).fit(X, Y)
    once = SparseKernelRidge(basis=without, alphas=0.1).fit(X, Y)
    assert_allclose(twice.predict(X), once.predict(X), rtol=1e-7)
    # Row 0 leaves with its basis vector: its copy stays, in the rows and in the basis.
    alone = SparseKernelRidge(basis=[19, 0, 1, 8, 29, 11], alphas=0.1).fit(X[1:], Y[1:])
    assert_allclose(twice.holdout_predict([0]), alone.predict(X[[0]]), rtol=1e-7)


def test_a_basis_that_spans_fewer_dimensions():
    """A linear kernel of three columns is ridge on them, however many basis vectors there are."""
    X, Y = table(50)
    fitted = SparseKernelRidge(kernel="linear", alphas=0.5, n_basis=20, random_state=0).fit(X, Y)
    coef = np.linalg.solve(X.T @ X + 0.5 * np.eye(3), X.T @ Y)
    assert_allclose(fitted.predict(X), X @ coef, rtol=1e-8, atol=1e-8)
    rows = np.arange(0, 50, 4)
    rest = np.setdiff1d(np.arange(50), rows)
    coef = np.linalg.solve(X[rest].T @ X[rest] + 0.5 * np.eye(3), X[rest].T @ Y[rest])
    assert_allclose(fitted.holdout_predict(rows), X[rows] @ coef, rtol=1e-8, atol=1e-8)


def test_leave_one_out_is_one_row_per_split_and_order_does_not_matter():
    X, Y = table(30)
    options = {"alphas": ALPHAS, "basis": np.arange(0, 30, 3)}
    one = SparseKernelRidge(**options).fit(X, Y)
    folds = SparseKernelRidge(cv=KFold(30), **options).fit(X, Y)
    assert_allclose(one.alpha_errors_, folds.alpha_errors_, rtol=1e-9)
    order = np.random.default_rng(0).permutation(30)
    place = np.argsort(order)
    permuted = SparseKernelRidge(alphas=ALPHAS, basis=place[options["basis"]]).fit(
        X[order], Y[order]
    )
    assert_allclose(permuted.alpha_errors_, one.alpha_errors_, rtol=1e-9)


def test_groups_leave_with_their_basis_vectors():
    X, Y = table(40)
    groups = problems.groups_of_rows(40)
    fitted = SparseKernelRidge(cv=GroupKFold(3), n_basis=10, random_state=0, alphas=ALPHAS)
    fitted.fit(X, Y, groups=groups)
    pairs = list(GroupKFold(3).split(X, Y, groups))
    again = SparseKernelRidge(cv=pairs, basis=fitted.basis_indices_, alphas=ALPHAS).fit(X, Y)
    assert_allclose(fitted.alpha_errors_, again.alpha_errors_, rtol=1e-10)


# ----------------------------------------------------------------------------------- the estimator


def test_a_row_of_weight_two_is_a_row_twice_within_a_fold():
    X, Y = table(30)
    twice = np.concatenate([np.arange(30), np.arange(0, 30, 3)])
    weights = np.bincount(twice).astype(float)
    groups = np.arange(30) % 4
    basis = np.arange(0, 30, 4)
    options = {"basis": basis, "alphas": ALPHAS, "cv": GroupKFold(4), "held_out_basis": "keep"}
    weighted = SparseKernelRidge(**options).fit(X, Y, weights, groups)
    repeated = SparseKernelRidge(**options).fit(X[twice], Y[twice], groups=groups[twice])
    pairs = list(GroupKFold(4).split(X, Y, groups))
    same = SparseKernelRidge(**options | {"cv": pairs}).fit(X, Y, weights)
    assert_allclose(weighted.alpha_errors_, same.alpha_errors_, rtol=1e-12)
    assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)
    again = [(_rows_of(twice, train), _rows_of(twice, held)) for train, held in pairs]
    repeated = SparseKernelRidge(**options | {"cv": again}).fit(X[twice], Y[twice])
    assert_allclose(weighted.alpha_errors_, repeated.alpha_errors_, rtol=1e-9)


def _rows_of(copies, rows):
    return np.flatnonzero(np.isin(copies, rows))


def test_scorers_see_held_out_predictions():
    X, Y = table(40)
    options = {"alphas": ALPHAS, "n_basis": 9, "random_state": 0, "cv": KFold(4)}
    plain = SparseKernelRidge(**options).fit(X, Y)
    scored = SparseKernelRidge(scoring="neg_mean_squared_error", **options).fit(X, Y)
    assert_allclose(scored.alpha_errors_, plain.alpha_errors_, rtol=1e-10)
    X, y = problems.classes(60, 4)
    options |= {"held_out_basis": "skip", "cv": None}
    classifier = SparseKernelRidgeClassifier(
        scoring="accuracy", store_cv_results=True, **options
    ).fit(X, y)
    held_out = classifier.held_out_predictions_
    judged = ~np.isnan(held_out)
    assert_array_equal(np.flatnonzero(~judged), classifier.basis_indices_)
    assert_allclose(classifier.best_score_, np.mean((held_out[judged] > 0) == y[judged]))


def test_metadata_are_routed():
    X, Y = table(40)
    groups, weights = problems.groups_of_rows(40), problems.weights(40, "random")
    options = {"alphas": ALPHAS, "n_basis": 9, "random_state": 0, "cv": GroupKFold(3)}
    direct = SparseKernelRidge(**options).fit(X, Y, weights, groups)
    with sklearn.config_context(enable_metadata_routing=True):
        model = SparseKernelRidge(**options).set_fit_request(sample_weight=True, groups=True)
        routed = make_pipeline(model).fit(X, Y, sample_weight=weights, groups=groups)[-1]
    assert_allclose(routed.alpha_errors_, direct.alpha_errors_, rtol=1e-12)


def test_the_choice_can_be_drawn():
    X, Y = table(40)
    with mpl.rc_context({"backend": "agg"}):
        for model in (SparseKernelRidge(alphas=ALPHAS), KernelRidgeCV(ALPHAS, kernel="rbf", cv=3)):
            display = AlphaDisplay.from_estimator(model.fit(X, Y))
            (line,) = display.lines_
            assert_array_equal(line.get_xdata(), ALPHAS)
            plt.close(display.figure_)


def test_refitting_forgets():
    X, Y = table(40)
    fitted = SparseKernelRidge(gamma=[0.1, 1.0], store_cv_results=True, random_state=0).fit(X, Y)
    fitted.set_params(kernel="linear", gamma=None, store_cv_results=False).fit(X[:, :2], Y)
    fresh = SparseKernelRidge(kernel="linear", random_state=0).fit(X[:, :2], Y)
    assert vars(fitted).keys() == vars(fresh).keys()
    assert_allclose(fitted.predict(X[:, :2]), fresh.predict(X[:, :2]))


def test_what_is_held_out_afterwards_follows_the_policy_of_the_fit():
    X, Y = table(40)
    options = {"n_basis": 9, "random_state": 0, "alphas": 0.5, "cv": 4}
    rows = np.arange(12)
    for policy in POLICIES:
        one = SparseKernelRidge(held_out_basis=policy, **options).fit(X, Y)
        own = SparseKernelRidge(held_out_basis=policy, basis_per_split=True, **options).fit(X, Y)
        expected = one.holdout_predict(rows)
        one.set_params(held_out_basis="keep")
        assert_array_equal(one.holdout_predict(rows), expected)
        assert_allclose(own.holdout_predict(rows), expected, rtol=1e-9)


def test_a_kernel_has_to_be_symmetric():
    X, Y = table(20)
    K = rbf_kernel(X)
    K[3, 5] += 0.1
    for model in (
        SparseKernelRidge(kernel="precomputed", basis=[3, 5, 7]),
        KernelRidgeCV(kernel="precomputed"),
    ):
        with pytest.raises(ValueError, match="by which of them comes first"):
            model.fit(K, Y)


def test_small_penalties_on_all_rows_as_basis():
    """Every row leaves with its basis vector: full kernel ridge, to the digits of the problem."""
    X, Y = table(30)
    alphas = [1e-10, 1e-6, 1e-2]
    options = {"gamma": 5.0, "store_cv_results": True}
    sparse = SparseKernelRidge(alphas=alphas, basis=np.arange(30), **options).fit(X, Y)
    full = KernelRidgeCV(alphas, kernel="rbf", **options).fit(X, Y)
    assert_allclose(sparse.alpha_errors_, full.alpha_errors_, rtol=1e-8)
    assert_allclose(sparse.held_out_predictions_, full.held_out_predictions_, rtol=1e-7, atol=1e-9)


def test_names_of_columns_are_kept():
    X, Y = table(40)
    frame = pd.DataFrame(X, columns=["ash", "elm", "fir"])
    fitted = SparseKernelRidge(random_state=0).fit(frame, Y)
    assert_array_equal(fitted.feature_names_in_, frame.columns)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["fir", "elm", "ash"]])


def test_the_caches_stay_out_of_pickles():
    X, Y = table(2000)
    fitted = SparseKernelRidge(n_basis=8, random_state=0).fit(X, Y)
    fitted.holdout_predict([0])
    stored = pickle.dumps(fitted)
    assert len(stored) < 8 * len(X)
    again = pickle.loads(stored)
    assert_array_equal(again.predict(X), fitted.predict(X))
    with pytest.raises(AttributeError, match="caches.*Expected a model in the session"):
        again.holdout_predict([0])


@pytest.mark.parametrize(
    ("parameters", "match"),
    [
        ({"kernel": "gauss"}, "kernel='gauss' is not known; expected a callable or one of"),
        ({"gamma": -1.0}, "gamma=-1.0 must be finite and not negative"),
        ({"gamma": []}, "is not a width; expected"),
        ({"gamma": "auto"}, "is not a width; expected"),
        ({"gamma": [1.0, 2.0], "kernel": "linear"}, "has no gamma; expected"),
        ({"degree": "two"}, "degree='two' is not a number"),
        ({"kernel_params": 3}, "kernel_params=3 is not a dict"),
        ({"n_basis": 0}, "n_basis=0 is not a size"),
        ({"n_basis": 1.5}, "n_basis=1.5 is not a size"),
        ({"basis": "best"}, "basis='best' is not known"),
        ({"basis": [0, 0]}, "a row more than once"),
        ({"basis": [0, 99]}, "rows from 0 to 99, but X has 20 rows"),
        ({"basis": [0.5]}, "expected 'random'"),
        ({"held_out_basis": "leave"}, "held_out_basis='leave' is not known"),
        ({"held_out_basis": "skip", "n_basis": 20}, "holds no row of the basis out"),
        ({"basis_per_split": True}, "leave-one-out.*expected splits"),
        ({"basis_per_split": True, "cv": 2, "basis": [0]}, "nothing to choose"),
        ({"basis_per_split": "no"}, "is not a truth value"),
        ({"alphas": 0.0}, "must be > 0"),
        ({"alphas": 0.0, "cv": 3, "basis": "greedy"}, "no penalty to choose the basis"),
        ({"kernel": "precomputed"}, "expected as many columns as rows"),
        ({"kernel": "polynomial", "degree": 1000}, "not finite numbers"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow")
@pytest.mark.filterwarnings("ignore:invalid value")
def test_bad_parameters(parameters, match):
    X, Y = table(20)
    with pytest.raises(ValueError, match=match):
        SparseKernelRidge(**parameters).fit(10 * X, Y)


@pytest.mark.parametrize(
    ("indices", "alpha", "match"),
    [
        ([], None, "name no rows"),
        ([0.5], None, "name no rows"),
        ([[0, 1]], None, "name no rows"),
        ([-1], None, "expected numbers from 0 to 19"),
        ([20], None, "expected numbers from 0 to 19"),
        (range(20), None, "hold out all 20 rows"),
        ([0], 0.0, "alpha must be positive"),
        ([0], True, "alpha must be positive"),
        ([0], np.nan, "alpha must be positive"),
    ],
)
def test_bad_hold_out(indices, alpha, match):
    X, Y = table(20)
    fitted = SparseKernelRidge(n_basis=5).fit(X, Y)
    with pytest.raises(ValueError, match=match):
        fitted.holdout_predict(indices, alpha=alpha)
