"""Kernel models on rows that are not in memory: rows by number, and the numbers of arrays."""

import dask
import dask.array as da
import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GroupKFold, TimeSeriesSplit

from holdfast import (
    EvidenceRegressor,
    KernelRidgeCV,
    RelevanceVectorRegressor,
    RowBlocks,
    SparseKernelRidge,
    SparseKernelRidgeClassifier,
)
from holdfast.basis.choice import entropy_basis, random_basis
from holdfast.basis.kernels import Kernel, KernelTable
from holdfast.rows import rows_of, rows_together, spare_bytes
from holdfast.rows.row_blocks import Wanted, opened
from tests import problems
from tests.rows.stored_tables import STORED, Blocks, mapped, saved
from tests.rows.test_chunked import whole_numbers

ROWS = 80


@pytest.fixture(autouse=True)
def threads():
    """The scheduler of this process, whatever the environment says."""
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


def lazy(X):
    return da.from_array(X, chunks=((11, 30, 9, len(X) - 50), X.shape[1]))


KERNEL_STORED = {
    **STORED,
    # Too little memory to keep kernel columns: they are made whenever they are read.
    "streamed": lambda folder, X, y: (RowBlocks(saved(folder, X), memory=1500), y),
    "streamed blocks": lambda folder, X, y: (RowBlocks(Blocks(X, y, (31, 60)), memory=1500), None),
    "streamed csr blocks": lambda folder, X, y: (
        RowBlocks(Blocks(X, y, (31, 60), convert=sp.csr_array), memory=1500),
        None,
    ),
    "dask": lambda folder, X, y: (lazy(X), y),
    "dask csr": lambda folder, X, y: (lazy(X).map_blocks(sp.csr_array), da.from_array(y)),
}
SOME = ["streamed", "F memmap", "csr blocks", "streamed blocks", "dask"]


def kernel_table():
    X, y = whole_numbers(ROWS, 6)
    return X / 9, y


def open_table(storage, folder, X, y):
    return opened(KERNEL_STORED[storage](folder, X, y)[0], Wanted()).table


@pytest.mark.parametrize("storage", KERNEL_STORED)
def test_rows_by_number(storage, tmp_path):
    X, y = kernel_table()
    table = open_table(storage, tmp_path, X, y)
    for numbers in (np.array([79, 3, 12, 3, 0]), slice(7, 43), slice(None), np.arange(80)[::-1]):
        found = rows_of(table, numbers)
        dense = found.toarray() if sp.issparse(found) else found
        assert_array_equal(dense, X[numbers])
    assert sp.issparse(found) == ("csr" in storage or "csc" in storage)
    assert spare_bytes(table) >= 0
    assert rows_together(table) >= 1


def test_of_a_file_only_the_rows_asked_for_are_read(tmp_path):
    """Damage elsewhere goes unnoticed, a row that is no number does not."""
    X, _ = kernel_table()
    X[40, 2] = np.nan
    table = opened(RowBlocks(saved(tmp_path, X), chunk_rows=50), Wanted()).table
    assert_array_equal(rows_of(table, np.array([41, 39])), X[[41, 39]])
    with pytest.raises(ValueError, match="NaN or infinity, in rows 0 to 49"):
        rows_of(table, np.array([1, 40]))


def test_rows_of_a_file_that_has_changed(tmp_path):
    X, _ = kernel_table()
    path = saved(tmp_path, X)
    table = opened(path, Wanted()).table
    path.unlink()
    with pytest.raises(ValueError, match="as it was opened"):
        rows_of(table, np.array([1]))


def test_blocks_are_walked_once_for_rows_of_all(tmp_path):
    X, y = kernel_table()
    blocks = Blocks(X, y, (20, 40, 60))
    table = opened(RowBlocks(blocks), Wanted()).table
    rows_of(table, np.array([70, 5, 30]))
    assert blocks.walks == 2  # the first counts the rows


def assert_same_model(stored, plain, table, X):
    """Equal to 1e-9; ``table`` makes the rows to predict, maybe in the place of those of fit."""
    assert_allclose(
        stored.holdout_predict([60, 3, 4]), plain.holdout_predict([60, 3, 4]), rtol=1e-8, atol=1e-9
    )
    assert_array_equal(stored.basis_indices_, plain.basis_indices_)
    for name in ("dual_coef_", "intercept_", "alpha_errors_", "best_score_", "gamma_errors_"):
        if hasattr(plain, name):
            expected = getattr(plain, name)
            atol = 1e-9 * np.abs(expected).max()
            assert_allclose(getattr(stored, name), expected, rtol=1e-9, atol=atol, err_msg=name)
    for name in ("cv_results_", "held_out_predictions_"):
        if hasattr(plain, name):
            assert_allclose(getattr(stored, name), getattr(plain, name), rtol=1e-8, atol=1e-9)
    outputs = "decision_function" if hasattr(plain, "classes_") else "predict"
    expected = getattr(plain, outputs)(X)
    found = getattr(stored, outputs)(table())
    assert_allclose(found, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("storage", KERNEL_STORED)
def test_sparse_kernel_ridge(storage, tmp_path):
    X, y = kernel_table()
    model = SparseKernelRidge(n_basis=12, random_state=0, alphas=[0.1, 1.0], gamma=[0.1, 0.3])
    plain = clone(model).fit(X, y)
    stored = clone(model).fit(*KERNEL_STORED[storage](tmp_path, X, y))
    assert_same_model(stored, plain, lambda: KERNEL_STORED[storage](tmp_path, X, y)[0], X)


@pytest.mark.parametrize("storage", SOME)
@pytest.mark.parametrize(
    "options",
    [
        {"cv": 4},
        {"basis": "entropy", "store_cv_results": True},
        {"basis": "greedy", "cv": 3},
        {"basis": "greedy", "fit_intercept": True},
        {"basis": [70, 2, 33, 34], "held_out_basis": "keep", "fit_intercept": True},
        {"held_out_basis": "skip", "cv": 3, "scoring": "r2"},
        {"basis": "entropy", "basis_per_split": True, "cv": TimeSeriesSplit(3)},
        {"kernel": "polynomial", "gamma": 0.2, "cv": 20},
        {"kernel": "cosine", "store_cv_results": True, "cv": 3, "n_basis": 5},
    ],
    ids=str,
)
def test_choices_of_a_basis(options, storage, tmp_path):
    X, y = kernel_table()
    model = SparseKernelRidge(n_basis=12, random_state=0, alphas=[0.1, 1.0]).set_params(**options)
    plain = clone(model).fit(X, y)
    stored = clone(model).fit(*KERNEL_STORED[storage](tmp_path, X, y))
    assert_same_model(stored, plain, lambda: KERNEL_STORED[storage](tmp_path, X, y)[0], X)


@pytest.mark.parametrize("storage", SOME)
@pytest.mark.parametrize("cv", [None, 3])
def test_classification(cv, storage, tmp_path):
    X, labels = problems.classes(ROWS, 6, 3)
    model = SparseKernelRidgeClassifier(
        n_basis=12, random_state=0, class_weight="balanced", cv=cv, alphas=[0.1, 1.0]
    )
    plain = clone(model).fit(X, labels)
    stored = clone(model).fit(*KERNEL_STORED[storage](tmp_path, X, labels))
    assert_same_model(stored, plain, lambda: KERNEL_STORED[storage](tmp_path, X, labels)[0], X)
    table, _ = KERNEL_STORED[storage](tmp_path, X, labels)
    assert_array_equal(stored.predict(table), plain.predict(X))


def test_weights_groups_and_several_targets():
    X, Y = problems.several_targets(ROWS, 5, targets=2)
    weights, groups = problems.weights(ROWS, "zeros"), np.repeat(np.arange(8), 10)
    for basis in ("random", "greedy"):
        model = SparseKernelRidge(n_basis=9, basis=basis, cv=GroupKFold(4), random_state=1)
        plain = clone(model).fit(X, Y, sample_weight=weights, groups=groups)
        blocks = RowBlocks(Blocks(X, Y, (10, 31), weights, groups), memory=1500)
        assert_same_model(clone(model).fit(blocks), plain, lambda: X, X)


@pytest.mark.parametrize("storage", SOME)
def test_a_kernel_matrix_that_is_stored(storage, tmp_path):
    X, y = kernel_table()
    K = rbf_kernel(X, gamma=0.2)
    for basis in ("random", "entropy", "greedy"):
        model = SparseKernelRidge(n_basis=12, kernel="precomputed", basis=basis, random_state=0)
        plain = clone(model).fit(K, y)
        stored = clone(model).fit(*KERNEL_STORED[storage](tmp_path, K, y))
        assert_same_model(stored, plain, lambda: KERNEL_STORED[storage](tmp_path, K, y)[0], K)


def test_rows_that_are_held_out_afterwards_are_those_of_the_fit(tmp_path):
    X, y = kernel_table()
    source = RowBlocks(saved(tmp_path, X), memory=1500)
    model = SparseKernelRidge(n_basis=12, random_state=0).fit(source, y)
    saved(tmp_path, X + 1)
    with pytest.raises(ValueError, match="expected the file.*as it was opened"):
        model.holdout_predict([1, 2])


def test_tables_with_texts(tmp_path):
    X, y = kernel_table()
    words = np.array(["Oslo", "Rome", "Lima"])[np.arange(ROWS) % 3]
    table = pl.DataFrame(X[:, :3], schema=list("abc")).with_columns(city=words, price=y)
    path = tmp_path / "table.parquet"
    table.write_parquet(path)
    model = SparseKernelRidge(n_basis=12, gamma=0.3, random_state=0).fit(path, "price")
    columns = [X[:, :3], words[:, None] == np.array(["Lima", "Oslo", "Rome"])]
    plain = clone(model).fit(np.hstack(columns).astype(float), y)
    assert model.feature_names_in_.tolist() == [*"abc", "city=Lima", "city=Oslo", "city=Rome"]
    assert_allclose(model.dual_coef_, plain.dual_coef_, rtol=1e-9, atol=1e-9)
    assert_allclose(model.predict(path), plain.predict(np.hstack(columns)), rtol=1e-9, atol=1e-9)
    table.select("city", "c", "b", "a").write_parquet(path)  # in any order, without the target
    assert_allclose(model.predict(path), plain.predict(np.hstack(columns)), rtol=1e-9, atol=1e-9)


def test_entropy_by_a_few_rows_at_a_time(tmp_path):
    """More fetches than one, more trials than are judged together."""
    X = np.random.default_rng(0).standard_normal((900, 3))
    table = opened(RowBlocks(saved(tmp_path, X), memory=300 * 24), Wanted()).table
    assert rows_together(table) == 300
    every, kernel = np.arange(900), Kernel("rbf", 0.8)
    found = entropy_basis(KernelTable(kernel, table), every, 15, np.random.RandomState(3))
    expected = entropy_basis(KernelTable(kernel, X), every, 15, np.random.RandomState(3))
    assert_array_equal(found, expected)
    start = random_basis(every, 15, np.random.RandomState(3))
    assert not np.array_equal(found, start)


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.uint16])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types_are_converted_piece_by_piece(dtype, order, tmp_path):
    X, y = whole_numbers(60, 5)
    X = np.abs(X).astype(dtype)
    model = SparseKernelRidge(n_basis=10, gamma=0.01, random_state=0)
    plain = clone(model).fit(X.astype(float), y)
    stored = clone(model).fit(RowBlocks(mapped(tmp_path, X, order), memory=1000), y)
    assert_allclose(stored.dual_coef_, plain.dual_coef_, rtol=1e-9)


@pytest.mark.parametrize("storage", [*SOME, "chunks of 7", "csc blocks", "dask csr"])
@pytest.mark.parametrize(
    "options", [{}, {"fit_intercept": True, "noise_variance": 20.0, "weight_precision": 1.0}]
)
def test_evidence_by_a_low_rank(options, storage, tmp_path):
    X, y = kernel_table()
    model = EvidenceRegressor(low_rank=30, gamma=0.1, **options)
    plain = clone(model).fit(X, y)
    stored = clone(model).fit(*KERNEL_STORED[storage](tmp_path, X, y))
    assert_array_equal(stored.selection_order_, plain.selection_order_)
    assert_allclose(stored.log_evidence_, plain.log_evidence_, rtol=1e-9)
    # Variances that are found are where the evidence is flat.
    digits = 1e-9 if options else 1e-7
    assert_allclose(stored.log_evidence_path_, plain.log_evidence_path_, rtol=digits)
    assert_allclose(stored.low_rank_error_, plain.low_rank_error_, rtol=1e-7)
    table, _ = KERNEL_STORED[storage](tmp_path, X, y)
    for found, expected in zip(
        stored.predict(table, return_std=True), plain.predict(X, return_std=True), strict=True
    ):
        assert_allclose(found, expected, rtol=10 * digits)


@pytest.mark.parametrize("storage", SOME)
@pytest.mark.parametrize(
    "model",
    [
        KernelRidgeCV(kernel="rbf", gamma=0.2),
        RelevanceVectorRegressor(gamma=0.2),
        EvidenceRegressor(gamma=0.2, noise_variance=20.0, weight_precision=1.0),
    ],
    ids=str,
)
def test_models_of_rows_in_memory_predict_others(model, storage, tmp_path):
    X, y = kernel_table()
    model = clone(model).fit(X, y)
    table, own = KERNEL_STORED[storage](tmp_path, X, y)
    assert_allclose(model.predict(table), model.predict(X), rtol=1e-9, atol=1e-9)
    assert_allclose(model.score(table, own), model.score(X, y), rtol=1e-9)
    if not isinstance(model, KernelRidgeCV):
        found, expected = (model.predict(data, return_std=True)[1] for data in (table, X))
        assert_allclose(found, expected, rtol=1e-9)


def test_evidence_of_no_function_at_all(tmp_path):
    X, y = kernel_table()
    model = EvidenceRegressor(low_rank=5, max_basis=0, noise_variance=1.0, weight_precision=1.0)
    stored = model.fit(saved(tmp_path, X), y)
    assert_array_equal(stored.predict(saved(tmp_path, X)), np.zeros(ROWS))
