"""Nystrom features, against the Nystrom kernel and kernel models on the basis."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from holdfast import KernelBasis, SparseKernelRidge
from tests.oracles import sparse_kernel
from tests.oracles.series import nystrom_kernel

X = np.random.default_rng(0).standard_normal((150, 4))
Y = np.sin(X[:, 0]) + X[:, 1] ** 2


@pytest.mark.parametrize("basis", ["entropy", "random", "greedy", [3, 140, 7, 80, 81]], ids=str)
@pytest.mark.parametrize("kernel", ["rbf", "linear", "polynomial", "laplacian", "cosine"])
def test_inner_products_are_the_nystrom_kernel(basis, kernel):
    fitted = KernelBasis(kernel=kernel, basis=basis, n_basis=12, random_state=0).fit(X, Y)
    K = pairwise_kernels(X, metric=kernel)
    chosen = fitted.basis_indices_
    assert len(chosen) == (12 if isinstance(basis, str) else 5)
    features = fitted.transform(X)
    assert_allclose(features @ features.T, nystrom_kernel(K, chosen), atol=1e-8)
    assert_allclose((features @ features.T)[chosen], K[chosen], atol=1e-8)
    assert features.shape[1] == np.linalg.matrix_rank(K[np.ix_(chosen, chosen)], hermitian=True)
    assert_array_equal(fitted.basis_vectors_, X[chosen])
    assert (np.diff(fitted.eigenvalues_) <= 0).all()


def test_storages_and_blocks_agree():
    """More rows than one block of kernel values has."""
    many = np.random.default_rng(1).standard_normal((3000, 4)) * (X[0] > -9)
    fitted = KernelBasis(n_basis=500, basis="random", gamma=0.4, random_state=0).fit(many)
    features = fitted.transform(many)
    assert_allclose(fitted.transform(sp.csr_array(many)), features, atol=1e-9)
    assert_allclose(fitted.transform(many[:7]), features[:7], atol=1e-10)
    K = rbf_kernel(many, gamma=0.4)
    direct = KernelBasis(kernel="precomputed", n_basis=500, basis="random", random_state=0).fit(K)
    assert_array_equal(direct.basis_indices_, fitted.basis_indices_)
    assert_allclose(np.abs(direct.transform(K[:50])), np.abs(features[:50]), atol=1e-7)
    assert direct.basis_vectors_ is None


@pytest.mark.parametrize("basis", ["entropy", "random", "greedy"])
def test_the_basis_is_that_of_sparse_kernel_ridge(basis):
    given = {"basis": basis, "n_basis": 10, "gamma": 0.5, "random_state": 4}
    model = SparseKernelRidge(**given, fit_intercept=True).fit(X, Y)
    assert_array_equal(KernelBasis(**given).fit(X, Y).basis_indices_, model.basis_indices_)


def test_ridge_on_features_is_kernel_ridge_on_the_basis():
    rows = [3, 140, 7, 80, 81]
    model = SparseKernelRidge(basis=rows, gamma=0.5, alphas=0.3, fit_intercept=True).fit(X, Y)
    fitted = KernelBasis(basis=rows, gamma=0.5).fit(X)
    features = fitted.transform(X)
    linear = Ridge(alpha=0.3, solver="cholesky").fit(features, Y)
    assert_allclose(linear.predict(features), model.predict(X), rtol=1e-9)
    assert_allclose(fitted.projection_ @ linear.coef_, model.dual_coef_, rtol=1e-7)


def test_entropy_is_larger_than_at_random():
    K = rbf_kernel(X, gamma=0.5)
    for seed in range(20):
        chosen, drawn = (
            KernelBasis(basis=basis, n_basis=15, gamma=0.5, random_state=seed).fit(X).basis_indices_
            for basis in ("entropy", "random")
        )
        assert sparse_kernel.renyi_entropy(K, chosen) > sparse_kernel.renyi_entropy(K, drawn)


def test_copies_give_as_many_features_as_they_span():
    copies = np.repeat(X[:6], 5, axis=0)
    fitted = KernelBasis(n_basis=30, gamma=0.5).fit(copies)
    assert fitted.transform(copies).shape == (30, 6)
    assert len(fitted.get_feature_names_out()) == 6
    features = fitted.transform(copies)
    assert_allclose(features @ features.T, rbf_kernel(copies, gamma=0.5), atol=1e-9)


@pytest.mark.parametrize("container", [list, np.asarray, pd.Series], ids=str)
def test_greedy_takes_labels(container):
    labels = np.where(Y.mean() < Y, "high", "low")
    given = {"basis": "greedy", "n_basis": 8, "random_state": 0, "gamma": 0.5}
    texts = KernelBasis(**given).fit(X, container(labels)).basis_indices_
    numbers = KernelBasis(**given).fit(X, np.where(labels == "low", 1.0, -1.0)).basis_indices_
    assert_array_equal(texts, numbers)


def test_kernels_that_are_no_inner_products_are_told():
    with pytest.warns(UserWarning, match="no inner product.*left out.*change") as caught:
        fitted = KernelBasis(kernel="sigmoid", gamma=2.0, n_basis=40, random_state=0).fit(X)
    assert caught[0].filename == __file__
    assert np.isfinite(fitted.transform(X)).all()


def test_callables_and_names():
    def overlap(a, b, power):
        return float(np.exp(-np.abs(a - b).sum()) ** power)

    frame = pd.DataFrame(X, columns=list("abcd"))
    fitted = KernelBasis(kernel=overlap, kernel_params={"power": 2}, basis=[0, 1, 2]).fit(frame)
    expected = np.array([[overlap(x, X[b], 2) for b in range(3)] for x in X])
    assert_allclose(fitted.transform(frame), expected @ fitted.projection_)
    assert fitted.get_feature_names_out().tolist() == [f"kernelbasis{i}" for i in range(3)]
    assert fitted.set_output(transform="pandas").transform(frame).shape == (150, 3)
    assert not hasattr(fitted, "gamma_")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kernel": "rfb"}, "kernel='rfb' is not known.*choose"),
        ({"gamma": [0.1, 1.0]}, "is a grid.*expected one width"),
        ({"gamma": -1.0}, "gamma=-1.0 must be.*correct"),
        ({"basis": "best"}, "basis='best'.*expected"),
        ({"basis": [0, 0]}, "more than once"),
        ({"basis": [150]}, "150 rows"),
        ({"n_basis": 0}, "n_basis=0.*expected"),
        ({"alpha": 0}, "alpha=0.*more than 0"),
        ({"basis": "greedy"}, "y is None.*pass y"),
        ({"kernel": "precomputed"}, "kernel matrix of the training rows.*pass"),
    ],
)
def test_what_is_wrong_is_said(given, message):
    with pytest.raises(ValueError, match=message):
        KernelBasis(**given).fit(X)


def test_a_kernel_that_is_zero_makes_no_features():
    with pytest.raises(ValueError, match="is zero between all 10 rows.*scale"):
        KernelBasis(kernel="linear").fit(np.zeros((10, 2)))
