"""Forward regression by marginal likelihood against the density, computed for every candidate."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF
from sklearn.metrics.pairwise import rbf_kernel

from holdfast import EvidenceRegressor
from holdfast.basis import rows as basis_rows
from holdfast.basis.kernels import Kernel, KernelTable
from holdfast.basis.low_rank import incomplete_cholesky
from tests import problems
from tests.oracles import evidence as oracle

PAIR = {"noise_variance": 0.3, "weight_precision": 2.0}
NUMBERS = tuple(PAIR.values())


def waves(rows=40, noise=0.1, seed=0, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(rows, 2))
    y = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 2.0
    if targets:
        y = np.column_stack([y * (t + 1) + X[:, 0] * t for t in range(targets)])
    return X, y + noise * rng.standard_normal(y.shape)


def kernel_of(X, Y=None, gamma=0.4):
    return rbf_kernel(X, Y, gamma=gamma)


@pytest.mark.parametrize("weights", ["none", "random", "zeros"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("targets", [None, 2])
def test_plain_columns(targets, fit_intercept, weights):
    X, y = problems.several_targets(40, 12, targets=targets or 1, seed=3)
    y = y if targets else y[:, 0]
    w = problems.weights(40, weights)
    model = EvidenceRegressor(kernel=None, fit_intercept=fit_intercept, **PAIR)
    model.fit(X, y, sample_weight=w)
    options = {"fit_intercept": fit_intercept, "sample_weight": w}
    support, evidences, _ = oracle.forward_by_evidence(X, y, *NUMBERS, most=12, **options)
    assert_array_equal(model.selection_order_, support)
    assert_allclose(model.log_evidence_path_, evidences, rtol=1e-9)
    assert_array_equal(np.flatnonzero(model.support_), np.sort(support))
    assert model.log_evidence_ == model.log_evidence_path_.max()
    new = problems.several_targets(7, 12, seed=8)[0]
    mean, std = oracle.predictive(X, y, support, *NUMBERS, new, **options)
    predicted, deviation = model.predict(new, return_std=True)
    assert predicted.shape == deviation.shape == ((7, 2) if targets else (7,))
    assert_allclose(predicted.reshape(7, -1), mean, rtol=1e-8, atol=1e-8)
    assert_allclose(deviation.reshape(7, -1)[:, 0], std, rtol=1e-9)
    assert_allclose(model.predict(new), predicted)


@pytest.mark.parametrize("low_rank", [None, 40])
@pytest.mark.parametrize("weights", ["none", "zeros"])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("targets", [None, 2])
def test_kernel_columns_exact_and_at_full_rank(targets, fit_intercept, weights, low_rank):
    X, y = waves(targets=targets, noise=0.3)
    w = problems.weights(40, weights)
    model = EvidenceRegressor(
        gamma=0.4, fit_intercept=fit_intercept, low_rank=low_rank, max_basis=12, **PAIR
    ).fit(X, y, sample_weight=w)
    K = kernel_of(X)
    options = {"fit_intercept": fit_intercept, "sample_weight": w}
    if w is not None:  # rows of weight zero are no basis functions
        K = np.where((w > 0)[None, :], K, 0.0)
    support, evidences, _ = oracle.forward_by_evidence(K, y, *NUMBERS, most=12, **options)
    assert_array_equal(model.basis_indices_, support)
    assert_allclose(model.log_evidence_path_, evidences, rtol=1e-9)
    new, _ = waves(9, seed=5)
    columns = np.zeros((9, 40))
    columns[:, support] = kernel_of(new, X[support])
    mean, std = oracle.predictive(K, y, support, *NUMBERS, columns, **options)
    predicted, deviation = model.predict(new, return_std=True)
    assert_allclose(predicted.reshape(9, -1), mean, rtol=1e-8, atol=1e-8)
    assert_allclose(deviation.reshape(9, -1)[:, 0], std, rtol=1e-9)
    if low_rank:
        assert model.low_rank_error_ < 1e-9 * 40


def test_the_error_of_a_low_rank_is_reported_and_shrinks():
    X, y = waves(120)
    K = kernel_of(X)
    errors = []
    for rank in (5, 20, 60, 120):
        model = EvidenceRegressor(gamma=0.4, low_rank=rank, max_basis=20, tol=-np.inf, **PAIR)
        model.fit(X, y)
        factor = incomplete_cholesky(KernelTable(Kernel("rbf", 0.4), X), rank)
        F = factor.lines.T
        assert model.low_rank_error_ == pytest.approx(np.trace(K - F @ F.T), abs=1e-10)
        errors.append(model.low_rank_error_)
        # Whatever proposed the functions, the evidences are those of the exact ones.
        expected = [
            oracle.log_evidence(K, y, model.selection_order_[:size], *NUMBERS)
            for size in range(len(model.selection_order_) + 1)
        ]
        assert_allclose(model.log_evidence_path_, expected, rtol=1e-9)
    assert all(later < earlier for earlier, later in itertools.pairwise(errors))
    assert errors[-1] < 1e-9


def test_the_factor_is_pivoted_and_ends_where_the_rank_does():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 3))
    factor = incomplete_cholesky(KernelTable(Kernel("linear"), X), 20)
    assert len(factor.pivots) == 3
    assert_allclose(factor.lines.T @ factor.lines, X @ X.T, atol=1e-12)
    remaining = np.sum(X**2, axis=1)
    assert factor.pivots[0] == remaining.argmax()


def test_streamed_kernel_columns_give_the_same(monkeypatch):
    X, y = waves(60)
    kept = EvidenceRegressor(gamma=0.4, fit_intercept=True, **PAIR).fit(X, y)
    monkeypatch.setattr(basis_rows, "available_bytes", lambda: 1000)
    monkeypatch.setattr(basis_rows, "_BLOCK_NUMBERS", 60 * 16)
    streamed = EvidenceRegressor(gamma=0.4, fit_intercept=True, **PAIR).fit(X, y)
    assert_array_equal(kept.selection_order_, streamed.selection_order_)
    assert_allclose(kept.log_evidence_path_, streamed.log_evidence_path_, rtol=1e-12)


@pytest.mark.parametrize("kernel", ["linear", "poly", "laplacian", "precomputed", kernel_of])
@pytest.mark.parametrize("low_rank", [None, 15])
def test_other_kernels(kernel, low_rank):
    X, y = waves(30)
    gamma = None if callable(kernel) or kernel in ("linear", "precomputed") else 0.2
    given = kernel_of(X) if kernel == "precomputed" else X
    one_pair = (lambda a, b: kernel_of(a[None], b[None])[0, 0]) if callable(kernel) else kernel
    model = EvidenceRegressor(
        kernel=one_pair, gamma=gamma, low_rank=low_rank, max_basis=5, **PAIR
    ).fit(given, y)
    K = kernel_of(X)
    if not callable(kernel) and kernel != "precomputed":
        K = Kernel(kernel, gamma)(X, X)
    expected = [
        oracle.log_evidence(K, y, model.selection_order_[:size], *NUMBERS)
        for size in range(len(model.selection_order_) + 1)
    ]
    assert_allclose(model.log_evidence_path_, expected, rtol=1e-8)
    mean, _ = oracle.predictive(K, y, model.basis_indices_, *NUMBERS, K)
    assert_allclose(model.predict(given), mean[:, 0], rtol=1e-7, atol=1e-8)


def test_sparse_tables():
    X, _ = problems.word_counts()
    y = X.toarray() @ np.linspace(-1, 1, X.shape[1])
    for kernel in (None, "linear"):
        dense, *others = (
            EvidenceRegressor(kernel=kernel, fit_intercept=True, max_basis=6, **PAIR).fit(T, y)
            for T in (X.toarray(), X, sp.csc_array(X))
        )
        for other in others:
            assert_array_equal(dense.selection_order_, other.selection_order_)
            assert_allclose(dense.predict(X.toarray()), other.predict(X), rtol=1e-9)


def test_random_candidates_are_the_best_of_those_drawn():
    X, y = waves(50)
    K = kernel_of(X)
    model = EvidenceRegressor(gamma=0.4, n_candidates=7, random_state=3, max_basis=6, **PAIR)
    model.fit(X, y)
    rng, support, left = np.random.RandomState(3), [], np.arange(50)
    for chosen in model.selection_order_:
        drawn = np.sort(rng.choice(left, 7, replace=False))
        gains = [oracle.log_evidence(K, y, [*support, i], *NUMBERS) for i in drawn]
        assert chosen == drawn[int(np.argmax(gains))]
        support.append(chosen)
        left = left[left != chosen]
    again = EvidenceRegressor(gamma=0.4, n_candidates=7, random_state=3, max_basis=6, **PAIR)
    assert_array_equal(again.fit(X, y).selection_order_, model.selection_order_)


@pytest.mark.parametrize("kernel", [None, "rbf"])
def test_truncate_is_refitting(kernel):
    X, y = waves(60)
    whole = EvidenceRegressor(kernel=kernel, gamma=0.4, fit_intercept=True, **PAIR).fit(X, y)
    for size in (0, 1, 2):
        fewer = whole.truncate(size)
        again = EvidenceRegressor(
            kernel=kernel, gamma=0.4, fit_intercept=True, max_basis=size, **PAIR
        ).fit(X, y)
        assert_array_equal(fewer.basis_indices_, again.basis_indices_)
        assert fewer.log_evidence_ == pytest.approx(again.log_evidence_, rel=1e-12)
        for one, other in zip(
            fewer.predict(X, return_std=True), again.predict(X, return_std=True), strict=True
        ):
            assert_allclose(one, other, rtol=1e-9)
    assert whole.truncate("best").n_basis_ == whole.n_basis_
    with pytest.raises(ValueError, match="was not visited; expected 'best' or an integer from 0"):
        whole.truncate(1000)


def test_tolerance_and_search_beyond_the_maximum():
    X, y = waves(60)
    usual = EvidenceRegressor(gamma=0.4, **PAIR).fit(X, y)
    beyond = EvidenceRegressor(gamma=0.4, tol=-np.inf, max_basis=40, **PAIR).fit(X, y)
    assert len(beyond.selection_order_) == 40
    assert_array_equal(beyond.basis_indices_, usual.basis_indices_)
    gains = np.diff(usual.log_evidence_path_)
    strict = EvidenceRegressor(gamma=0.4, tol=float(gains[2]) + 1e-9, **PAIR).fit(X, y)
    assert strict.n_basis_ <= 2


@pytest.mark.parametrize("fixed", [{}, {"noise_variance": 0.02}, {"weight_precision": 0.5}])
@pytest.mark.parametrize("low_rank", [None, 60])
def test_automatic_variances_are_stationary_and_beat_their_neighbours(fixed, low_rank):
    X, y = waves(100)
    model = EvidenceRegressor(gamma=0.4, low_rank=low_rank, fit_intercept=True, **fixed).fit(X, y)
    K, support = kernel_of(X), model.basis_indices_
    for name, value in fixed.items():
        assert getattr(model, name + "_") == value

    def evidence(noise, precision):
        return oracle.log_evidence(K, y, support, noise, precision, fit_intercept=True)

    top = evidence(model.noise_variance_, model.weight_precision_)
    assert model.log_evidence_ == pytest.approx(top, rel=1e-9)
    for factor in (0.9, 1.1):
        if "noise_variance" not in fixed:
            assert evidence(model.noise_variance_ * factor, model.weight_precision_) < top
        if "weight_precision" not in fixed:
            assert evidence(model.noise_variance_, model.weight_precision_ * factor) < top
    if not fixed:
        assert 0.5 < model.noise_variance_ / 0.01 < 2.0
        for pair in (NUMBERS, (0.1, 0.1), (0.01, 1.0)):
            other = EvidenceRegressor(
                gamma=0.4, fit_intercept=True, noise_variance=pair[0], weight_precision=pair[1]
            ).fit(X, y)
            assert model.log_evidence_ > other.log_evidence_


def test_all_functions_of_a_full_kernel_are_a_gaussian_process():
    # Weights a ~ N(0, 1) on columns FF' with F F' = K^1/2 make the prior of the outputs N(0, K).
    X, y = waves(25)
    K = kernel_of(X)
    values, vectors = np.linalg.eigh(K)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    model = EvidenceRegressor(
        kernel="precomputed", noise_variance=0.1, weight_precision=1.0, tol=-np.inf
    ).fit(root, y)
    assert len(model.selection_order_) == 25
    process = GaussianProcessRegressor(RBF(np.sqrt(1 / 0.8)), alpha=0.1, optimizer=None).fit(X, y)
    assert model.log_evidence_path_[-1] == pytest.approx(
        process.log_marginal_likelihood_value_, rel=1e-9
    )


def test_nothing_is_left_of_an_earlier_fit():
    X, y = waves(30)
    model = EvidenceRegressor(kernel=None, **PAIR).fit(X, y).set_params(kernel="rbf").fit(X, y)
    assert not hasattr(model, "coef_")
    model.set_params(kernel=None).fit(X, y)
    assert not hasattr(model, "dual_coef_")
    assert not hasattr(model, "gamma_")


def test_constant_targets_and_columns_are_told():
    X, _ = waves(20)
    with pytest.warns(ConvergenceWarning, match="y is constant"):
        model = EvidenceRegressor(fit_intercept=True).fit(X, np.full(20, 3.1))
    assert model.n_basis_ == 0
    assert_allclose(model.predict(X), 3.1)
    with pytest.warns(DataDimensionalityWarning, match="no basis function can change"):
        model = EvidenceRegressor(kernel=None, fit_intercept=True).fit(np.ones((20, 2)), X[:, 0])
    assert model.n_basis_ == 0
    assert model.noise_variance_ == pytest.approx(np.var(X[:, 0], ddof=1))


def test_an_interpolating_model_is_told():
    X = np.linspace(0, 1, 8)[:, None]
    with pytest.warns(ConvergenceWarning, match="interpolates"):
        EvidenceRegressor(kernel=None).fit(X, 2 * X[:, 0])


def test_far_from_the_basis_the_deviation_is_that_of_the_noise():
    X, y = waves(80)
    model = EvidenceRegressor(gamma=0.4).fit(X, y)
    _, deviation = model.predict(np.full((1, 2), 1e3), return_std=True)
    assert_allclose(deviation**2, model.noise_variance_)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"noise_variance": 0.0}, "noise_variance=0.0 is not a variance"),
        ({"weight_precision": "best"}, "weight_precision='best' is not a variance"),
        ({"max_basis": -1}, "max_basis=-1 is not a number of basis functions"),
        ({"low_rank": 0}, "low_rank=0 is not a number"),
        ({"low_rank": 3, "kernel": None}, "low_rank=3 approximates a kernel matrix"),
        ({"n_candidates": 2.5}, "n_candidates=2.5 is not a number"),
        ({"tol": np.nan}, "tol=nan is not a number"),
        ({"kernel": "gauss"}, "kernel='gauss' is not known"),
        ({"gamma": [0.1, 1.0]}, "is not a width; expected None or a number"),
        ({"fit_intercept": "yes"}, "fit_intercept='yes' is not a truth value"),
        ({"kernel": "precomputed"}, "takes the kernel matrix"),
    ],
)
def test_bad_parameters(params, message):
    X, y = waves(10)
    with pytest.raises(ValueError, match=message):
        EvidenceRegressor(**params).fit(X, y)


def test_a_kernel_that_is_no_inner_product_has_no_low_rank():
    X, y = waves(30)
    with pytest.raises(ValueError, match="inner product"):
        EvidenceRegressor(kernel="sigmoid", coef0=-2.0, low_rank=10, **PAIR).fit(X, y)
