"""Dense and sparse blocks give plain NumPy's products, whatever their order and type."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from holdfast.rows import as_rows
from holdfast.rows import sparse as sparse_module
from holdfast.rows.sums import Totals, ranges

STORAGES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "F float32": lambda X: np.asfortranarray(X, dtype=np.float32),
    "int8": lambda X: X.astype(np.int8),
    "strided": lambda X: np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3],
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "csr matrix": sp.csr_matrix,
    "csc float32": lambda X: sp.csc_array(X.astype(np.float32)),
    "csr int": lambda X: sp.csr_array(X.astype(np.int64)),
}


def whole_numbers(m, n, seed=0):
    """Small integers, a third of them zero, so that every type holds them exactly."""
    random = np.random.default_rng(seed)
    return random.integers(-9, 10, (m, n)) * (random.random((m, n)) < 0.66).astype(float)


def asking(question):
    """The sum over blocks of what ``question`` asks of a block."""

    def step(block, state, shared):
        start = state["start"]
        here = slice(start, start + len(block.weights))
        return Totals(question(block, here)), state

    return step


def numbered(rows):
    """States that know where their block starts."""
    lengths = []

    def length(block, state, shared):
        lengths.append(len(block.weights))
        return Totals(), {"start": sum(lengths[:-1])}

    return rows.sweep(length, None, None)[1]


@pytest.mark.parametrize("name", STORAGES)
@pytest.mark.parametrize("shape", [(300, 7), (20000, 3), (5, 9000)])
def test_products_sums_and_columns(name, shape):
    X = whole_numbers(*shape)
    rows = as_rows(STORAGES[name](X), np.arange(shape[0]))
    states = numbered(rows)
    random = np.random.default_rng(1)
    for count in (1, 2, 5):
        V = random.standard_normal((count, shape[0]))
        totals, _ = rows.sweep(asking(lambda b, h, V=V: {"p": b.cross(V[:, h])}), states, None)
        assert_allclose(totals["p"], V @ X, rtol=1e-11, atol=1e-9)

    weights, centre = random.random((2, shape[0])), random.standard_normal((2, shape[1]))

    def spread(block, here):
        first, second = block.spread(weights[:, here], centre)
        return {"first": first, "second": second}

    totals, _ = rows.sweep(asking(spread), states, None)
    deviation = X - centre[:, None]
    assert_allclose(totals["first"], np.einsum("vm,vmn->vn", weights, deviation), rtol=1e-9)
    assert_allclose(totals["second"], np.einsum("vm,vmn->vn", weights, deviation**2), rtol=1e-9)

    columns = np.array([2, 0])

    def fetched(block, state, shared):
        lines = block.columns(shared)
        assert lines.dtype == np.float64
        return Totals(), {"lines": lines}

    _, states = rows.sweep(fetched, None, columns)
    assert np.array_equal(rows.gather(states, "lines"), X[:, columns].T)


def test_readings_are_counted():
    rows = as_rows(whole_numbers(30, 4), np.arange(30))
    rows.sweep(lambda block, state, shared: (Totals(), state), None, None)
    rows.sweep(lambda b, s, _: (Totals({"p": b.cross(b.weights[None])}), s), None, None)
    rows.sweep(lambda b, s, _: (Totals({"c": b.columns(np.array([1, 2])).sum()}), s), None, None)
    counts = rows.counts
    assert (counts.sweeps, counts.products, counts.fetches, counts.columns) == (3, 1, 1, 2)


@pytest.mark.parametrize("dtype", [np.int8, np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_products_copy_no_more_than_a_piece(dtype, order):
    X = np.ones((20000, 400), dtype=dtype, order=order)
    V = np.ones((2, 20000))
    rows = as_rows(X, np.zeros(20000))
    states = numbered(rows)
    tracemalloc.start()
    rows.sweep(asking(lambda b, h: {"p": b.cross(V[:, h])}), states, None)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < X.size  # an eighth of X in float64


def test_totals_add_and_maximise():
    one = Totals({"a": np.array(1.0)}, {"b": np.array([1.0, 5.0])})
    two = Totals({"a": np.array(2.0)}, {"b": np.array([3.0, 4.0])})
    both = one + two
    assert both["a"] == 3
    assert both["b"].tolist() == [3, 5]


def test_ranges_cover():
    assert [(r.start, r.stop) for r in ranges(10, 4)] == [(0, 4), (4, 8), (8, 10)]


@pytest.mark.parametrize("name", STORAGES)
def test_some_rows_lengths_of_rows_and_narrow_copies(name):
    X = whole_numbers(200, 30)
    X[:, 4] = 7.0
    rows, centre = (
        as_rows(STORAGES[name](X), np.arange(200.0)),
        np.where(np.arange(30) == 4, 5.0, 0),
    )
    chosen, columns = np.array([3, 4, 90, 199]), np.array([4, 29, 0, 11, 12])
    weights, vector = np.linspace(0, 2, 200), np.linspace(-1, 1, 4)
    near = X[:, columns] - centre[columns]

    def question(block, here):
        some, narrow = block.some(chosen), block.narrow(columns, centre[columns])
        counts, places, values = narrow.entries(chosen)
        held = np.zeros((4, 5))
        held[np.repeat(np.arange(4), counts), places] = values
        return {
            "targets": some.targets,
            "product": some.cross(vector[None]),
            "squares": block.squares(centre),
            "line": narrow.line(1, weights, 2)[0],
            "between": narrow.between(np.array([3, 0]), np.array([1, 4, 2]), weights),
            "entries": held,
        }

    totals, _ = rows.sweep(asking(question), numbered(rows), None)
    assert_allclose(totals["targets"], chosen[None])
    assert_allclose(totals["product"], vector[None] @ X[chosen], atol=1e-9)
    assert_allclose(totals["squares"], ((X - centre) ** 2).sum(axis=1))
    gram = (near.T * weights) @ near
    assert_allclose(totals["line"], gram[1, 2:], atol=1e-9)
    assert_allclose(totals["between"], gram[np.ix_([3, 0], [1, 4, 2])], atol=1e-9)
    assert_allclose(totals["entries"], near[chosen])


@pytest.mark.parametrize("storage", [sp.csr_array, sp.csc_array])
def test_narrow_copies_are_filled_from_pieces(storage, monkeypatch):
    monkeypatch.setattr(sparse_module, "_AT_ONCE", 100)
    monkeypatch.setattr(sparse_module, "_FILLED", 100)
    X = whole_numbers(150, 12)
    rows, columns = as_rows(storage(X), np.zeros(150)), np.array([7, 2, 3, 11])

    def question(block, here):
        return {"rows": block.narrow(columns, np.zeros(4)).rows(np.arange(150))}

    totals, _ = rows.sweep(asking(question), numbered(rows), None)
    assert_allclose(totals["rows"], X[:, columns])
