"""The same results from data that are read in chunks, as from an array in memory."""

import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    EvidenceRegressor,
    FoldMoments,
    ForwardRidge,
    ForwardRidgeClassifier,
    KernelRidgeCV,
    LarsRidge,
    LarsSVC,
    PrunedRidge,
    RelevanceVectorRegressor,
    RidgeClassifierCV,
    RidgeCV,
    RowBlocks,
)
from holdfast.estimators import selection
from holdfast.rows import as_rows
from holdfast.rows.row_blocks import Wanted, opened
from tests import problems
from tests.rows.stored_tables import STORED, Blocks, mapped, saved

FITTED = ("coef_", "dual_coef_", "intercept_", "alpha_", "alphas_", "alpha_errors_", "best_score_")
PATH = ("selection_order_", "path_errors_", "path_std_errors_", "path_alphas_", "path_sizes_")

REGRESSORS = [
    ForwardRidge(n_features_to_select=6),
    ForwardRidge(alphas=[0.1, 1, 10], standardize=True, store_cv_results=True),
    ForwardRidge(cv=4, alphas="auto", standardize=True),
    ForwardRidge(cv=KFold(3), floating=True, fit_intercept=False, store_cv_results=True),
    ForwardRidge(feature_groups=[[0, 3], [1, 2, 5]], include=[4], exclude=[6]),
    BackwardRidge(alphas=[0.1, 1.0]),
    BackwardRidge(cv=3, n_features_to_select=3),
    RidgeCV(alphas="auto", store_cv_results=True),
    RidgeCV(alphas=[0.1, 1, 10], cv=5, standardize=True, scoring="r2"),
    RidgeCV(cv=KFold(20)),
]
CLASSIFIERS = [
    ForwardRidgeClassifier(class_weight="balanced"),
    ForwardRidgeClassifier(error="zero_one", cv=3, n_features_to_select=3),
    BackwardRidgeClassifier(class_weight="balanced", error="zero_one"),
    RidgeClassifierCV(class_weight="balanced", alphas="auto"),
    RidgeClassifierCV(cv=3, scoring="accuracy"),
]


def assert_same(stored, plain):
    """All that was fitted is equal to 1e-9 of its size."""
    for name in (*FITTED, *PATH, "cv_results_", "held_out_predictions_", "path_fold_errors_"):
        if hasattr(plain, name):
            expected = np.asarray(getattr(plain, name))
            atol = 1e-9 * np.abs(expected[np.isfinite(expected)]).max(initial=0)
            assert_allclose(getattr(stored, name), expected, rtol=1e-9, atol=atol, err_msg=name)


def whole_numbers(m, n, seed=0):
    """Integers, a third of them zero, and targets made of four columns."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (m, n)) * (rng.random((m, n)) < 0.66)
    return X.astype(float), X[:, :4] @ [1.0, -2.0, 0.5, 3.0] + 5 * rng.standard_normal(m)


@pytest.mark.parametrize("storage", STORED)
@pytest.mark.parametrize("model", REGRESSORS, ids=str)
def test_regression(model, storage, tmp_path):
    X, y = whole_numbers(70, 9)
    plain = clone(model).fit(X, y)
    stored = clone(model).fit(*STORED[storage](tmp_path, X, y))
    assert_same(stored, plain)
    assert stored.n_features_in_ == 9
    table, _ = STORED[storage](tmp_path, X, y)
    assert_allclose(stored.predict(table), plain.predict(X), rtol=1e-9)


@pytest.mark.parametrize("storage", ["chunks of 7", "F memmap", "csr blocks"])
@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
def test_classification(model, storage, tmp_path):
    X, labels = problems.classes(72, 8, 3)
    X = np.rint(4 * X)
    plain = clone(model).fit(X, labels)
    stored = clone(model).fit(*STORED[storage](tmp_path, X, labels))
    assert_same(stored, plain)
    table, _ = STORED[storage](tmp_path, X, labels)
    assert np.array_equal(stored.predict(table), plain.predict(X))


@pytest.mark.parametrize("storage", ["chunks of 7", "F memmap", "blocks", "csr blocks"])
@pytest.mark.parametrize("cv", [None, 3])
@pytest.mark.parametrize("refit", [False, True])
def test_generalised_lars(storage, cv, refit, tmp_path):
    """Paths look at single rows, of the columns that a state holds."""
    X, y = whole_numbers(70, 9)
    for model, targets in ((LarsRidge(), y), (LarsSVC(), np.where(y > 0, "b", "a"))):
        model.set_params(cv=cv, refit=refit, n_features_to_select=5)
        plain = clone(model).fit(X, targets)
        stored = clone(model).fit(*STORED[storage](tmp_path, X, targets))
        assert np.array_equal(stored.selection_order_, plain.selection_order_)
        for name in ("coef_", "intercept_", "path_errors_", "best_score_"):
            assert_allclose(getattr(stored, name), getattr(plain, name), rtol=1e-9, atol=1e-10)
        table, _ = STORED[storage](tmp_path, X, targets)
        outputs = "predict" if targets is y else "decision_function"
        expected = getattr(plain, outputs)(X)
        assert_allclose(getattr(stored, outputs)(table), expected, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("storage", ["chunks of 7", "F memmap", "blocks", "csr blocks"])
def test_evidence_of_columns(storage, tmp_path):
    X, y = whole_numbers(70, 9)
    model = EvidenceRegressor(
        kernel=None, fit_intercept=True, noise_variance=25.0, weight_precision=1.0
    )
    plain = clone(model).fit(X, y)
    stored = clone(model).fit(*STORED[storage](tmp_path, X, y))
    assert np.array_equal(stored.selection_order_, plain.selection_order_)
    assert_allclose(stored.log_evidence_path_, plain.log_evidence_path_, rtol=1e-9)
    table, _ = STORED[storage](tmp_path, X, y)
    for found, expected in zip(
        stored.predict(table, return_std=True), plain.predict(X, return_std=True), strict=True
    ):
        assert_allclose(found, expected, rtol=1e-9)


def test_rows_without_weight_are_not_left_out_of_files(tmp_path):
    X, y = whole_numbers(60, 5)
    with pytest.raises(ValueError, match="1 rows have a sample_weight of zero.*not in memory"):
        EvidenceRegressor(kernel=None).fit(saved(tmp_path, X), y, np.arange(60.0))


@pytest.mark.parametrize("storage", ["chunks of 7", "F memmap", "blocks", "csr blocks"])
@pytest.mark.parametrize(
    "options", [{"cv": 4}, {"standardize": True}, {"regularized": False}], ids=str
)
def test_pruned_ridge(options, storage, tmp_path):
    X, y = whole_numbers(70, 9)
    X = X * np.arange(1, 10)
    model = PrunedRidge(alphas=[0.1, 10.0], **options)
    plain = clone(model).fit(X, y)
    stored = clone(model).fit(*STORED[storage](tmp_path, X, y))
    assert np.array_equal(stored.selection_order_, plain.selection_order_)
    assert_same(stored, plain)


@pytest.mark.parametrize("cv", [None, 5])
def test_readings_of_pruned_ridge(cv):
    """The order is known: columns are fetched many together."""
    X, y = problems.from_few_columns(800, 50, used=tuple(range(20)), noise=1.0)
    blocks = Blocks(X, y, (300, 700))
    model = PrunedRidge(cv=cv).fit(RowBlocks(blocks))
    assert len(model.selection_order_) == 50
    assert blocks.walks <= 8


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (KernelRidgeCV(), "a number for every pair of them.*SparseKernelRidge"),
        (RelevanceVectorRegressor(), "compared with all of them.*EvidenceRegressor"),
        (EvidenceRegressor(), "every move compares all of them.*low_rank=100"),
    ],
    ids=str,
)
def test_rows_that_are_compared_with_each_other_must_be_in_memory(model, message, tmp_path):
    X, y = whole_numbers(60, 5)
    with pytest.raises(ValueError, match=f"needs the rows in memory.*{message}"):
        model.fit(saved(tmp_path, X), y)
    if isinstance(model, EvidenceRegressor):
        model.set_params(noise_variance=1.0, weight_precision=1.0)
    assert_allclose(  # a memory-mapped array is an array
        model.fit(mapped(tmp_path, X), y).predict(X), clone(model).fit(X, y).predict(X)
    )


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.int64, bool, np.uint16])
@pytest.mark.parametrize("order", ["C", "F"])
def test_types_are_converted_piece_by_piece(dtype, order, tmp_path):
    X, y = whole_numbers(60, 12)
    X = (X > 0).astype(dtype) if dtype is bool else np.abs(X).astype(dtype)
    stored = ForwardRidge(n_features_to_select=5).fit(mapped(tmp_path, X, order), y)
    assert_same(stored, ForwardRidge(n_features_to_select=5).fit(X.astype(float), y))


@pytest.mark.parametrize("model", [ForwardRidge(), ForwardRidge(cv=GroupKFold(3)), RidgeCV()])
def test_weights_groups_and_several_targets_come_with_blocks(model):
    X, Y = problems.several_targets(50, 8, targets=2)
    weights = problems.weights(50, "zeros")
    groups = np.repeat(np.arange(10), 5)
    told = {"groups": groups} if getattr(model, "cv", None) else {}
    plain = clone(model).fit(X, Y, sample_weight=weights, **told)
    blocks = Blocks(X, Y, (10, 31), weights, *told.values())
    assert_same(clone(model).fit(RowBlocks(blocks)), plain)


def test_moments_are_updated_from_files(tmp_path):
    X, y = whole_numbers(60, 5)
    folds = np.arange(60) % 4
    plain = FoldMoments().update(X, y, folds)
    stored = FoldMoments().update(RowBlocks(saved(tmp_path, X), chunk_rows=13), y, folds)
    fitted = (RidgeCV(alphas="auto").fit_moments(moments) for moments in (stored, plain))
    assert_same(*fitted)
    assert_same(
        RidgeCV(cv=4).fit_moments(stored.forget(saved(tmp_path, X), y, folds).update(X, y, folds)),
        RidgeCV(cv=4).fit_moments(plain),
    )


def test_large_means_keep_their_digits(tmp_path):
    X, y = problems.big_means(60, 8, ratio=1e6)
    plain = ForwardRidge(n_features_to_select=4).fit(X, y)
    stored = ForwardRidge(n_features_to_select=4).fit(
        RowBlocks(saved(tmp_path, X), chunk_rows=5), y
    )
    assert np.array_equal(stored.selection_order_, plain.selection_order_)
    assert_allclose(stored.path_errors_, plain.path_errors_, rtol=1e-8)


def test_sparse_columns_without_zeros_are_centred_where_they_lie():
    X, y = whole_numbers(60, 6)
    X[:, 2] = 1e6 + np.arange(60) % 7
    y += X[:, 2] - 1e6
    plain = ForwardRidge(n_features_to_select=4).fit(X, y)
    blocks = Blocks(X, y, (22, 41), convert=sp.csr_array)
    stored = ForwardRidge(n_features_to_select=4).fit(RowBlocks(blocks))
    assert np.array_equal(stored.selection_order_, plain.selection_order_)
    assert_allclose(stored.path_errors_, plain.path_errors_, rtol=1e-8)


# -------------------------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    ("shape", "used", "selected"),
    [((2000, 600), 10, 10), ((2000, 400), 3, 20), ((30000, 90), 4, 20), ((5000, 60), 30, 30)],
)
def test_readings_per_selected_feature(shape, used, selected, tmp_path, monkeypatch, capsys):
    X, y = problems.from_few_columns(*shape, used=tuple(range(used)), noise=1.0)
    rows = []
    monkeypatch.setattr(selection, "as_rows", lambda *data: rows.append(as_rows(*data)) or rows[-1])
    source = RowBlocks(saved(tmp_path, X), chunk_rows=shape[0] // 3)
    ForwardRidge(n_features_to_select=selected).fit(source, y)
    counts = rows[0].counts
    readings = (counts.products + counts.fetches) / selected
    with capsys.disabled():
        print(  # noqa: T201
            f" {shape[0]} x {shape[1]}: {readings:.2f} readings per selected feature", end=""
        )
    assert readings <= 1.5


def test_readings_that_are_counted_are_those_that_happen():
    X, y = problems.from_few_columns(2000, 50, used=tuple(range(8)), noise=1.0)
    blocks = Blocks(X, y, (700, 1400))
    table = opened(RowBlocks(blocks), Wanted()).table
    rows = as_rows(table, y)
    assert blocks.walks == 1  # the first walk counts the rows
    from holdfast.criteria.leave_one_out import LeaveOneOut
    from holdfast.criteria.span import frame_of
    from holdfast.criteria.weighting import PLAIN
    from holdfast.rows.ledger import Features

    frame = frame_of(rows, PLAIN, fit_intercept=True, standardize=False)
    ledger = LeaveOneOut(rows, frame, np.array([1.0]), features=Features.partition(50))
    for _ in range(8):
        ledger.accept(ledger.best(+1, np.setdiff1d(np.arange(50), ledger.support)).move)
    # No reading is counted that did not happen, and none happens that is not counted.
    assert blocks.walks == 1 + rows.counts.products + rows.counts.fetches


def test_the_next_chunk_is_read_while_one_is_worked_on():
    log = []

    class Slow:
        def __iter__(self):
            for number in range(4):
                log.append(("read", number, threading.current_thread().name))
                yield np.ones((5, 2)), np.arange(5.0)

    rows = as_rows(opened(RowBlocks(Slow()), Wanted()).table, np.zeros(20))
    log.clear()

    def step(block, state, shared):
        block.cross(np.ones((1, 5)))
        time.sleep(0.05)
        log.append(("done",))
        from holdfast.rows.sums import Totals

        return Totals(), {}

    rows.sweep(step, None, None)
    reads = [entry for entry in log if entry[0] == "read"]
    assert [entry[1] for entry in reads] == [0, 1, 2, 3]
    assert all("reader" in entry[2] for entry in reads)
    # Chunk 1 is read before the work on chunk 0 is done, chunk 2 is not.
    first_done = log.index(("done",))
    assert [entry[1] for entry in log[:first_done]] == [0, 1]


# -------------------------------------------------------------------------------- what is refused


def fit(X, y=None, **parameters):
    return ForwardRidge(n_features_to_select=2, **parameters).fit(X, y)


def test_truncated_file(tmp_path):
    X, y = whole_numbers(60, 5)
    path = saved(tmp_path, X)
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match="cannot be read as an array.*truncated"):
        fit(path, y)


def test_not_an_array(tmp_path):
    path = tmp_path / "X.npy"
    path.write_text("nothing of the kind")
    with pytest.raises(ValueError, match="cannot be read as an array"):
        fit(path, np.arange(5.0))


@pytest.mark.parametrize("change", ["truncate", "overwrite", "delete", "replace"])
def test_file_that_changes_between_readings(change, tmp_path):
    X, y = whole_numbers(60, 5)
    path = saved(tmp_path, X)
    rows = as_rows(opened(RowBlocks(path, chunk_rows=20), Wanted()).table, y)
    time.sleep(0.01)
    if change == "truncate":
        with open(path, "r+b") as file:
            file.truncate(500)
    elif change == "overwrite":
        np.lib.format.open_memmap(path, "r+")[3, 3] = 77
        path.touch()
    elif change == "delete":
        path.unlink()
    else:
        saved(tmp_path, X, "other.npy").replace(path)

    def step(block, state, shared):
        raise AssertionError(block.cross(np.ones((1, 20))))

    with pytest.raises(ValueError, match="expected the file.*as it was opened"):
        rows.sweep(step, None, None)


class Drifting(Blocks):
    """Other blocks in the second walk."""

    def __init__(self, *data, change):
        super().__init__(*data)
        self.change = change

    def __iter__(self):
        blocks = list(super().__iter__())
        return iter(blocks if self.walks == 1 else self.change(blocks))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda blocks: blocks[:-1], "ended after 2.*there were 3"),
        (lambda blocks: blocks[::-1], "not what it was in the first walk"),
        (lambda blocks: [(X[:, 1:], y) for X, y in blocks], "not what it was"),
        (lambda blocks: [(X, y + 1) for X, y in blocks], "not what it was"),
    ],
)
def test_blocks_that_change_between_walks(change, message):
    X, y = whole_numbers(60, 5)
    with pytest.raises(ValueError, match=message):
        fit(RowBlocks(Drifting(X, y, (10, 30), change=change)))


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        (
            [(np.ones((4, 3)), np.ones(4)), (np.ones((4, 2)), np.ones(4))],
            "2 columns, block 0 has 3",
        ),
        ([(np.ones((4, 3)), np.ones(5))], "4 rows but 5 entries of y"),
        ([(np.ones((4, 3)), np.ones(4)), (sp.eye_array(3).tocsr(), np.ones(3))], "one kind"),
        ([np.ones((4, 3))], r"expected a tuple \(X, y\)"),
        ([(np.ones(4), np.ones(4))], "rows and columns"),
        ([(np.ones((0, 3)), np.ones(0))], "no rows"),
        ([], "no blocks"),
        ([(np.ones((4, 3)), np.ones(4), np.ones(4)), (np.ones((4, 3)), np.ones(4))], "2 parts"),
    ],
)
def test_bad_blocks(blocks, message):
    with pytest.raises(ValueError, match=message):
        fit(RowBlocks(blocks))


def test_a_generator_is_walked_only_once():
    with pytest.raises(TypeError, match="walked only once"):
        fit(RowBlocks(block for block in [(np.ones((4, 3)), np.ones(4))]))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("model", [ForwardRidge(), ForwardRidge(cv=3), RidgeCV(), RidgeCV(cv=3)])
def test_entries_that_are_not_finite(model, bad, tmp_path):
    X, y = whole_numbers(60, 5)
    X[33, 2] = bad
    with pytest.raises(ValueError, match="NaN or infinity, in rows 20 to 39"):
        clone(model).fit(RowBlocks(saved(tmp_path, X), chunk_rows=20), y)
    blocks = Blocks(X, y, (20, 40), convert=sp.csr_array)
    with pytest.raises(ValueError, match="NaN or infinity, in rows 20 to 39"):
        clone(model).fit(RowBlocks(blocks))


def test_targets_and_weights_are_checked(tmp_path):
    X, y = whole_numbers(60, 5)
    path = saved(tmp_path, X)
    with pytest.raises(ValueError, match="requires y to be passed"):
        fit(path)
    with pytest.raises(ValueError, match="inconsistent numbers of samples.*pass X and y"):
        fit(path, y[:-1])
    with pytest.raises(ValueError, match="names a column, but an array file has no column names"):
        fit(path, "price")
    with pytest.raises(ValueError, match="given to fit, and by the blocks"):
        fit(RowBlocks(Blocks(X, y, (10,))), y)
    with pytest.raises(ValueError, match="Input y contains NaN"):
        fit(path, np.where(y == y[3], np.nan, y))
    with pytest.raises(ValueError, match="sample_weight"):
        ForwardRidge().fit(path, y, sample_weight=np.ones(3))


def test_files_that_are_not_there_or_of_another_kind(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        fit(tmp_path / "nothing.npy", np.ones(4))
    with pytest.raises(ValueError, match="of a kind that cannot be read"):
        fit("table.xlsx", np.ones(4))
    np.save(tmp_path / "flat.npy", np.ones(4))
    with pytest.raises(ValueError, match="expected rows and columns"):
        fit(tmp_path / "flat.npy", np.ones(4))
    np.save(tmp_path / "text.npy", np.array([["a", "b"]]))
    with pytest.raises(ValueError, match="expected real numbers"):
        fit(tmp_path / "text.npy", np.ones(1))


@pytest.mark.parametrize("parameters", [{"chunk_rows": 0}, {"chunk_rows": 2.5}, {"memory": None}])
def test_sizes_of_chunks_are_checked(parameters, tmp_path):
    X, y = whole_numbers(10, 5)
    with pytest.raises(ValueError, match="is not a size"):
        fit(RowBlocks(saved(tmp_path, X), **parameters), y)


def test_predicting_needs_the_same_columns(tmp_path):
    X, y = whole_numbers(60, 5)
    model = fit(saved(tmp_path, X), y)
    with pytest.raises(ValueError, match="X has 4 features, but ForwardRidge is expecting 5"):
        model.predict(saved(tmp_path, X[:, :4], "narrow.npy"))
    X[:, model.selection_order_[0]] = np.nan
    with pytest.raises(ValueError, match="NaN or infinity"):
        model.predict(saved(tmp_path, X, "bad.npy"))


def test_it_says_what_it_is(tmp_path):
    assert "X.npy', chunk_rows=7" in repr(RowBlocks(tmp_path / "X.npy", chunk_rows=7))
