"""The same results from Dask collections, on threads and on a cluster of processes."""

import os
import resource
import signal
from contextlib import contextmanager

import dask
import dask.array as da
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import KFold

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    EvidenceRegressor,
    FoldMoments,
    ForwardRidge,
    ForwardRidgeClassifier,
    LarsRidge,
    LarsSVC,
    PrunedRidge,
    RidgeClassifierCV,
    RidgeCV,
    SparseKernelRidge,
)
from holdfast.estimators import selection
from holdfast.rows import as_rows
from holdfast.rows.row_blocks import Wanted, opened
from holdfast.rows.sums import Totals
from tests import problems
from tests.rows.test_chunked import CLASSIFIERS, REGRESSORS, assert_same, whole_numbers


@pytest.fixture(autouse=True)
def threads():
    """The scheduler of this process, whatever the environment says."""
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


def slow(model):
    return pytest.param(model, marks=pytest.mark.slow, id=str(model))


def lazy(X, rows=(11, 30, 9, 20), columns=None):
    return da.from_array(X, chunks=(rows, columns or X.shape[1]))


def unknown(X):
    """An array that does not know how long its chunks are."""
    array = lazy(X)
    return array[array[:, 0] > -np.inf]


KNOWN = {"noise_variance": 20.0, "weight_precision": 1.0}

STORED = {
    "array": lazy,
    "chunks across columns": lambda X: lazy(X, columns=(2, 3, X.shape[1] - 5)),
    "csr": lambda X: lazy(X).map_blocks(sp.csr_array),
    "csc matrix": lambda X: lazy(X).map_blocks(sp.csc_matrix),
    "float32": lambda X: lazy(X.astype(np.float32)),
    "unknown chunks": unknown,
    "one chunk": lambda X: da.from_array(X, chunks=-1),
}


@pytest.mark.parametrize("storage", STORED)
@pytest.mark.parametrize("model", [ForwardRidge(n_features_to_select=3), RidgeCV(cv=3)], ids=str)
def test_storages(model, storage):
    X, y = whole_numbers(70, 9)
    plain = clone(model).fit(X, y)
    stored = clone(model).fit(STORED[storage](X), da.from_array(y, chunks=23))
    assert_same(stored, plain)
    assert_allclose(stored.predict(STORED[storage](X)), plain.predict(X), rtol=1e-9)


@pytest.mark.parametrize(
    "model", [m if n in (0, 2, 7, 8) else slow(m) for n, m in enumerate(REGRESSORS)], ids=str
)
def test_regression(model):
    X, y = whole_numbers(70, 7)
    assert_same(clone(model).fit(lazy(X), y), clone(model).fit(X, y))


@pytest.mark.parametrize("model", [slow(CLASSIFIERS[0]), *CLASSIFIERS[1:]], ids=str)
def test_classification(model):
    X, labels = problems.classes(70, 8, 3)
    weights = problems.weights(70, "zeros")
    plain = clone(model).fit(X, labels, sample_weight=weights)
    stored = clone(model).fit(lazy(X), lazy_vector(labels), sample_weight=lazy_vector(weights))
    assert_same(stored, plain)
    assert np.array_equal(stored.predict(lazy(X)), plain.predict(X))


@pytest.mark.parametrize(
    "model",
    [
        LarsRidge(n_features_to_select=4),
        LarsSVC(cv=3, n_features_to_select=4),
        PrunedRidge(standardize=True, n_features_to_select=4),
        EvidenceRegressor(kernel=None, **KNOWN),
    ],
    ids=str,
)
@pytest.mark.parametrize("convert", [np.asarray, sp.csr_array])
def test_paths_and_evidence(model, convert):
    X, y = whole_numbers(70, 9)
    y = np.where(y > 0, 1, -1) if hasattr(model, "decision_function") else y
    plain = clone(model).fit(X, y)
    stored = clone(model).fit(lazy(X).map_blocks(convert), y)
    assert np.array_equal(stored.selection_order_, plain.selection_order_)
    assert_allclose(stored.coef_, plain.coef_, rtol=1e-9, atol=1e-9)


def lazy_vector(values):
    return da.from_array(values, chunks=13)


def test_moments():
    X, y = whole_numbers(70, 5)
    folds = np.arange(70) % 4
    stored, plain = (FoldMoments().update(data, y, folds) for data in (lazy(X), X))
    assert_same(RidgeCV().fit_moments(stored), RidgeCV().fit_moments(plain))


def test_large_means_keep_their_digits():
    X, y = problems.big_means(70, 8, ratio=1e6)
    plain, stored = (ForwardRidge(n_features_to_select=4).fit(data, y) for data in (X, lazy(X)))
    assert np.array_equal(stored.selection_order_, plain.selection_order_)
    assert_allclose(stored.path_errors_, plain.path_errors_, rtol=1e-8)


def test_readings_per_selected_feature(monkeypatch):
    X, y = problems.from_few_columns(2000, 100, used=tuple(range(5)), noise=1.0)
    rows = []
    monkeypatch.setattr(selection, "as_rows", lambda *data: rows.append(as_rows(*data)) or rows[-1])
    ForwardRidge(n_features_to_select=10).fit(da.from_array(X, chunks=(700, 100)), y)
    assert (rows[0].counts.products + rows[0].counts.fetches) / 10 <= 1.5


class Lazy:
    """Dask DataFrames, where Dask has them."""

    def __init__(self):
        self.dd = pytest.importorskip("dask.dataframe")

    def frame(self, table):
        with dask.config.set({"dataframe.convert-string": False}):
            return self.dd.from_pandas(table, npartitions=3)


def test_data_frames():
    X, y = whole_numbers(70, 5)
    table = pd.DataFrame(X, columns=list("abcde")).assign(price=y, weight=np.arange(70) % 3 + 1.0)
    frame = Lazy().frame(table)
    model = ForwardRidge(include=["c"], n_features_to_select=3)
    stored = clone(model).fit(frame, "price", sample_weight="weight")
    plain = clone(model).fit(table[list("abcde")], y, sample_weight=table["weight"])
    assert stored.feature_names_in_.tolist() == list("abcde")
    assert_same(stored, plain)
    assert_allclose(stored.predict(frame[list("abcde")]), plain.predict(table[list("abcde")]))
    by_series = clone(model).fit(frame[list("abcde")], frame["price"], frame["weight"])
    assert_same(by_series, plain)
    with pytest.raises(ValueError, match="y='cost' names a column"):
        clone(model).fit(frame, "cost")
    with pytest.raises(ValueError, match="named 'b', but 'a' in the data of fit"):
        stored.predict(frame[list("bacde")])
    words = Lazy().frame(table.assign(word="w"))
    with pytest.raises(ValueError, match="column 'word' of X holds"):
        clone(model).fit(words, "price")


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (da.ones((10, 3), chunks=4) * np.nan, "NaN, infinity.*in block 0"),
        (da.ones((10, 3), chunks=4) * 1e200, "too large to be squared"),
        (da.ones(10, chunks=4), "of 1 dimensions"),
        (da.ones((10, 3), chunks=4).astype(str), "expected real numbers"),
        (da.ones((0, 3)), "0 sample"),
    ],
)
def test_what_is_refused(X, message):
    with pytest.raises(ValueError, match=message):
        RidgeCV().fit(X, np.arange(10.0))


def test_errors_of_steps_are_told():
    rows = as_rows(opened(lazy(np.ones((70, 3))), Wanted()).table, np.zeros(70))

    def step(block, state, shared):
        raise ValueError("there is something wrong with this block")

    with pytest.raises(ValueError, match="something wrong with this block"):
        rows.sweep(step, None, None)


# -------------------------------------------------------------------------------- on a cluster


@contextmanager
def two_processes():
    """A client of two worker processes."""
    distributed = pytest.importorskip("distributed")
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            env=threads,
            silence_logs=50,
        ) as processes,
        distributed.Client(processes) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def cluster():
    with two_processes() as client:
        yield client


@pytest.mark.filterwarnings("ignore")  # of distributed's own, on the way up and down
class TestCluster:
    @pytest.fixture(autouse=True)
    def distributed(self, threads, cluster):
        with dask.config.set(scheduler=cluster):
            yield

    @pytest.mark.parametrize(
        "model",
        [
            slow(ForwardRidge(n_features_to_select=5, alphas=[0.1, 1.0])),
            slow(ForwardRidge(cv=KFold(3), store_cv_results=True, n_features_to_select=3)),
            slow(BackwardRidge(n_features_to_select=6)),
            slow(RidgeCV(alphas="auto", store_cv_results=True)),
            RidgeCV(cv=5, scoring="r2"),
            slow(LarsRidge(n_features_to_select=4)),
            slow(PrunedRidge(standardize=True, n_features_to_select=4)),
            slow(SparseKernelRidge(n_basis=10, gamma=0.01, random_state=0, basis="greedy")),
            SparseKernelRidge(n_basis=10, gamma=0.01, random_state=0, cv=3),
            slow(EvidenceRegressor(low_rank=20, gamma=0.01, **KNOWN)),
        ],
        ids=str,
    )
    def test_regression(self, model):
        X, y = whole_numbers(70, 9)
        assert_same(clone(model).fit(lazy(X).persist(), y), clone(model).fit(X, y))

    @pytest.mark.parametrize(
        "model",
        [
            slow(ForwardRidgeClassifier(class_weight="balanced", n_features_to_select=3)),
            slow(BackwardRidgeClassifier(cv=3, error="zero_one", n_features_to_select=5)),
            RidgeClassifierCV(cv=3),
            slow(LarsSVC(n_features_to_select=4)),
        ],
        ids=str,
    )
    def test_classification(self, model):
        X, labels = problems.classes(70, 8, 3)
        stored = clone(model).fit(lazy(X).map_blocks(sp.csr_array), labels)
        assert_same(stored, clone(model).fit(X, labels))

    def test_only_sums_travel(self, cluster):
        """The states of blocks stay where they are; a total is as long as there are columns."""
        X = da.random.default_rng(0).standard_normal((4000, 50), chunks=(1000, 50)).persist()
        rows = as_rows(opened(X, Wanted()).table, np.zeros(4000))
        _, states = rows.sweep(_remember, None, None)
        before = cluster.run(_received)
        totals, _ = rows.sweep(_product, states, None)
        moved = {
            worker: received - before[worker] for worker, received in cluster.run(_received).items()
        }
        assert totals["product"].shape == (1, 50)
        states_of_block = 8 * 1000 * 20
        assert sum(moved.values()) < states_of_block

    @pytest.mark.slow
    def test_a_worker_that_is_killed(self, cluster, tmp_path, monkeypatch):
        """The blocks and states that were lost are computed again: the result is the same."""
        X, y = problems.from_few_columns(400, 30, used=tuple(range(8)), noise=1.0)
        blocks = [
            dask.delayed(_load)(_saved(tmp_path, X[i : i + 50], i)) for i in range(0, 400, 50)
        ]
        data = da.concatenate([da.from_delayed(b, (50, 30), float) for b in blocks]).persist()
        model = ForwardRidge(n_features_to_select=8)
        undisturbed = clone(model).fit(data, y)
        begun, killed = [], []
        usual = selection.MoveTasks.begin

        def begin(tasks):
            usual(tasks)
            begun.append(tasks)
            if len(begun) == 4:
                killed.append(next(iter(cluster.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        monkeypatch.setattr(selection.MoveTasks, "begin", begin)
        disturbed = clone(model).fit(data, y)
        assert killed
        for name in ("selection_order_", "path_errors_", "coef_", "intercept_"):
            assert np.array_equal(getattr(disturbed, name), getattr(undisturbed, name))
        assert_same(disturbed, clone(model).fit(X, y))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_data_larger_than_the_memory_of_the_workers(tmp_path):
    """840 MB on disk, read again for every sweep by two workers that may have 600 MB each."""
    m, n, rows = 700_000, 300, 20_000
    rng = np.random.default_rng(0)
    X = np.lib.format.open_memmap(tmp_path / "X.npy", "w+", np.float32, (m, n))
    for start in range(0, m, rows):
        X[start : start + rows] = rng.standard_normal((rows, n), dtype=np.float32)
    X.flush()
    y = X[:, :5].astype(float) @ np.arange(1.0, 6.0) + rng.standard_normal(m)
    load = dask.delayed(_load_rows)
    blocks = [load(str(tmp_path / "X.npy"), start, rows) for start in range(0, m, rows)]
    data = da.concatenate([da.from_delayed(b, (rows, n), np.float32) for b in blocks])
    model = SparseKernelRidge(n_basis=50, gamma=0.001, random_state=0)
    with two_processes() as client, dask.config.set(scheduler=client):
        client.run(_limit_memory, 600_000_000)
        stored = RidgeCV(alphas="auto", cv=5).fit(data, y)
        kernel = clone(model).fit(data, y)
        with pytest.raises(MemoryError):  # the limit is one
            dask.delayed(np.ones)(80_000_000).compute()
    assert_same(stored, RidgeCV(alphas="auto", cv=5).fit(X.view(np.ndarray), y))
    plain = clone(model).fit(X.view(np.ndarray), y)
    size = np.abs(plain.dual_coef_).max()
    assert_allclose(kernel.dual_coef_, plain.dual_coef_, rtol=1e-9, atol=1e-9 * size)
    assert_allclose(kernel.best_score_, plain.best_score_, rtol=1e-9)


def _load_rows(path, start, rows):
    return np.array(np.load(path, mmap_mode="r")[start : start + rows])


def _limit_memory(limit):
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _saved(folder, X, number):
    np.save(folder / f"{number}.npy", X)
    return str(folder / f"{number}.npy")


def _load(path):
    return np.load(path)


def _remember(block, state, shared):
    return Totals(), {"lines": np.ones((20, len(block.weights)))}


def _product(block, state, shared):
    return Totals({"product": block.cross(state["lines"][:1])}), state


def _received(dask_worker):
    """Bytes that a worker has got from others."""
    return sum(entry["total"] for entry in dask_worker.transfer_incoming_log)
