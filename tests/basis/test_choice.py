"""The choice of a basis, and the sweeps it is made of, against literal definitions."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import load_npz
from sklearn.metrics.pairwise import pairwise_kernels, rbf_kernel

from holdfast.basis.choice import entropy_basis, random_basis, swap_for_entropy
from holdfast.basis.greedy import greedy_basis
from holdfast.basis.kernel_columns import kernel_diagonal, kernel_lines
from holdfast.basis.kernels import PRECOMPUTED, Kernel, KernelTable
from holdfast.basis.swept import swept
from holdfast.rows import as_rows
from tests.oracles import sparse_kernel
from tests.oracles.ridge_refit import regression
from tests.rows.seven_blocks import SevenBlocks


def table(rows=400, columns=3, gamma=0.8, seed=0):
    X = np.random.default_rng(seed).standard_normal((rows, columns))
    return KernelTable(Kernel("rbf", gamma), X), rbf_kernel(X, gamma=gamma)


def test_entropy_by_row_sums_is_the_entropy():
    """More trials than are made together, so that every way of keeping lines is gone."""
    kernels, K = table(700)
    rng = np.random.default_rng(1)
    start = rng.choice(700, 12, replace=False)
    tried = rng.permutation(np.setdiff1d(np.arange(700), start))
    found = swap_for_entropy(kernels, start, tried)
    assert found.tolist() == sparse_kernel.swap_for_entropy(K, start, tried)
    assert not np.isin(found, start).all()


@pytest.mark.parametrize("seed", range(20))
def test_entropy_never_falls_and_no_swap_is_left(seed):
    """Not below the random start after any pass; at the end no row in any place is better."""
    kernels, K = table(150, seed=seed)
    every = np.arange(150)
    basis = random_basis(every, 10, np.random.RandomState(seed))
    entropies = [sparse_kernel.renyi_entropy(K, basis)]
    rng = np.random.RandomState(seed)
    random_basis(every, 10, rng)
    while True:
        tried = rng.permutation(np.setdiff1d(every, basis))
        before, basis = basis, swap_for_entropy(kernels, basis, tried)
        entropies.append(sparse_kernel.renyi_entropy(K, basis))
        if np.array_equal(before, basis):
            break
    assert (np.diff(entropies) >= 0).all()
    found = entropy_basis(kernels, every, 10, np.random.RandomState(seed))
    assert_array_equal(found, np.sort(basis))
    assert sparse_kernel.swap_for_entropy(K, basis, np.setdiff1d(every, basis)) == basis.tolist()


def test_entropy_choice_ends_where_nothing_can_be_told_apart():
    """Constant kernels, duplicates, kernels with negative values, all rows in the basis."""
    every = np.arange(40)
    X = np.random.default_rng(0).standard_normal((40, 3))
    for kernel, Z in (
        (Kernel("rbf", 1.0), np.ones((40, 3))),
        (Kernel("rbf", 1.0), np.repeat(X[:10], 4, axis=0)),
        (Kernel("linear"), 1e8 * X),
        (Kernel("linear"), X - 1e6),
        (Kernel("sigmoid", 1.0), X),
    ):
        for size in (1, 7, 40):
            chosen = entropy_basis(KernelTable(kernel, Z), every, size, np.random.RandomState(0))
            assert len(np.unique(chosen)) == size


@pytest.mark.data
def test_entropy_of_a_real_table_is_never_below_that_of_its_start(data_folder):
    X = load_npz(data_folder / "adult_onehot_X.npz")[32561:].toarray()
    X = (X - X.mean(axis=0)) / np.maximum(X.std(axis=0), 1e-9)
    kernels, every = KernelTable(Kernel("rbf"), X), np.arange(1000)
    for seed in range(20):
        start = random_basis(every, 40, np.random.RandomState(seed))
        chosen = entropy_basis(kernels, every, 40, np.random.RandomState(seed))
        entropies = [-np.log(kernels.block(basis, basis).mean()) for basis in (start, chosen)]
        assert entropies[1] > entropies[0]


def test_entropy_choice_spreads_the_basis():
    kernels, K = table()
    every = np.arange(0, 400, 2)
    entropies = []
    for choose in (
        lambda rng: random_basis(every, 15, rng),
        lambda rng: entropy_basis(kernels, every, 15, rng),
    ):
        chosen = choose(np.random.RandomState(3))
        assert len(np.unique(chosen)) == 15
        assert_array_equal(chosen, np.sort(chosen))
        assert np.isin(chosen, every).all()
        entropies.append(sparse_kernel.renyi_entropy(K, chosen))
    assert entropies[1] > entropies[0] + 0.3


@pytest.mark.parametrize("targets", [1, 3])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("zeros", [False, True])
def test_greedy_is_refitting_every_candidate(targets, fit_intercept, zeros):
    kernels, K = table(90)
    rng = np.random.default_rng(4)
    Y = np.sin(K[:, :5] @ rng.standard_normal((5, targets))) + 2.0
    Y += 0.1 * rng.standard_normal(Y.shape)
    weights = rng.uniform(0.2, 2.0, size=90)
    if zeros:
        weights[::4] = 0.0
    chosen = greedy_basis(
        kernels,
        Y.T,
        weights,
        8,
        np.random.RandomState(6),
        alpha=0.3,
        fit_intercept=fit_intercept,
        n_drawn=20,
    )
    problem = regression(K, Y, weights, fit_intercept)
    random, remaining, basis = np.random.RandomState(6), np.flatnonzero(weights > 0), []
    for _ in range(8):
        drawn = random.choice(len(remaining), 20, replace=False)
        errors = [sparse_kernel.training_error(problem, [*basis, remaining[h]], 0.3) for h in drawn]
        basis.append(int(remaining[drawn[int(np.argmin(errors))]]))
        remaining = np.setdiff1d(remaining, basis)
    assert chosen.tolist() == basis


def test_greedy_leaves_copies_of_basis_vectors_alone():
    X = np.random.default_rng(0).standard_normal((30, 2))
    X[10:20] = X[:10]
    kernels = KernelTable(Kernel("rbf", 1.0), X)
    y = np.sin(3 * X[:, 0])
    chosen = greedy_basis(
        kernels,
        y[None],
        np.ones(30),
        20,
        np.random.RandomState(0),
        alpha=1e-3,
        fit_intercept=False,
    )
    assert len(np.unique(X[chosen], axis=0)) == 20


def test_swept_columns_reproduce_the_kernel():
    _, K = table(50, gamma=0.3)
    lines, basis = np.empty((0, 50)), [4, 40, 11, 3, 22]
    for row in basis:
        lines = np.vstack([lines, swept(K[[row]], lines, lines[:, [row]], K[[row], row])])
    expected = K[:, basis] @ np.linalg.solve(K[np.ix_(basis, basis)], K[basis])
    assert_allclose(lines.T @ lines, expected, atol=1e-9)
    candidates = np.array([7, 40, 30])
    own = K[candidates, candidates]
    found = swept(K[candidates], lines, lines[:, candidates], own)
    assert_array_equal(found[1], 0)  # in the basis already
    some = swept(K[candidates, 20:31], lines[:, 20:31], lines[:, candidates], own)
    assert_allclose(some, found[:, 20:31], rtol=1e-12)
    residual = K - expected
    for line, row in zip(found[[0, 2]], candidates[[0, 2]], strict=True):
        assert_allclose(line, residual[row] / np.sqrt(residual[row, row]), atol=1e-8)


@pytest.mark.parametrize("metric", ["rbf", "laplacian", "polynomial", "sigmoid", "linear", "chi2"])
def test_blocks_are_those_of_scikit_learn(metric):
    X = np.abs(np.random.default_rng(0).standard_normal((150, 4)))
    for gamma in (None, 0.3):
        width = {} if gamma is None else {"gamma": gamma}
        K = pairwise_kernels(X, metric=metric, filter_params=True, degree=2, coef0=0.5, **width)
        kernels = KernelTable(Kernel(metric, gamma, 2, 0.5), X)
        rows, columns = np.array([3, 140, 7]), np.array([1, 3])
        assert_allclose(kernels.block(rows, columns), K[np.ix_(rows, columns)], rtol=1e-12)
        base = kernels.base_between(kernels.points(rows), kernels.centres(columns))
        before = base.copy()
        assert_allclose(kernels.of_base(base), K[np.ix_(rows, columns)], rtol=1e-12)
        assert_array_equal(base, before)
        for table_rows in (as_rows(X, np.zeros(150)), SevenBlocks(X, np.zeros(150))):
            assert_allclose(kernel_diagonal(table_rows, kernels.kernel), np.diag(K), rtol=1e-12)
            lines = kernel_lines(table_rows, kernels.kernel, kernels.centres(columns))
            assert_allclose(lines, K[columns], rtol=1e-12)
    precomputed = KernelTable(Kernel(PRECOMPUTED), K)
    assert_array_equal(precomputed.block(rows, columns), K[np.ix_(rows, columns)])
    for table_rows in (as_rows(K, np.zeros(150)), SevenBlocks(K, np.zeros(150))):
        assert_array_equal(kernel_diagonal(table_rows, precomputed.kernel), np.diag(K))
        lines = kernel_lines(table_rows, precomputed.kernel, columns)
        assert_array_equal(lines, K[:, columns].T)
