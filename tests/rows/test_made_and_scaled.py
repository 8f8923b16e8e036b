"""Blocks whose columns are made, or divided, against blocks of these columns."""

from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from holdfast.basis.made import MadeBlock, MadeRows
from holdfast.rows import as_rows
from holdfast.rows.dense import DenseBlock
from holdfast.rows.scaled import ScaledBlock, ScaledRows
from holdfast.rows.sparse import SparseBlock
from holdfast.rows.sums import Parts, Totals

M, N = 43, 6


def in_sevens(X, chosen):
    rows = X[chosen]
    return (rows[start : start + 7] for start in range(0, len(rows), 7))


def blocks(kind):
    """A block, the block of its columns, and a centre that it may be asked to take."""
    rng = np.random.default_rng(0)
    X, targets, weights = rng.standard_normal((M, N)), rng.standard_normal((2, M)), rng.random(M)
    scale = rng.uniform(0.5, 4, N)
    centre = rng.standard_normal(N)
    if kind == "made":
        block = MadeBlock(partial(in_sevens, X), targets, weights)
    elif kind == "scaled dense":
        block = ScaledBlock(DenseBlock(X * scale, targets, weights), scale)
    else:
        X = X * (rng.random((M, N)) < 0.5)
        centre = np.zeros(N)
        stored = sp.csr_array(X * scale)
        stored = stored if kind == "scaled csr" else stored.tocsc()
        block = ScaledBlock(SparseBlock(stored, targets, weights), scale)
    return block, DenseBlock(X, targets, weights), centre


@pytest.mark.parametrize("kind", ["made", "scaled dense", "scaled csr", "scaled csc"])
def test_what_a_block_tells(kind):
    block, plain, centre = blocks(kind)
    rng = np.random.default_rng(1)
    vectors, coef = rng.standard_normal((3, M)), rng.standard_normal((4, N))
    labels = rng.integers(-1, 3, M)
    parts, root = Parts(labels, 3), rng.random(M) * (rng.random(M) < 0.7)
    near = partial(assert_allclose, rtol=1e-12, atol=1e-12)
    near(block.cross(vectors), plain.cross(vectors))
    columns = np.array([4, 0, 5])
    near(block.columns(columns), plain.columns(columns))
    for chosen in (slice(0, M), slice(9, 30), np.array([1, 17, 40]), np.array([], dtype=int)):
        near(block.outputs(coef, chosen, centre), plain.outputs(coef, chosen, centre))
        for length in (1000, 5):
            points = [p.toarray() if sp.issparse(p) else p for p in block.points(chosen, length)]
            expected = next(plain.points(slice(0, M), M))[chosen]
            near(np.concatenate([np.empty((0, N)), *points]), expected)
    for found, expected in zip(
        block.spread(np.abs(vectors[:1]), centre[None]),
        plain.spread(np.abs(vectors[:1]), centre[None]),
        strict=True,
    ):
        near(found, expected)
    near(block.gram(parts, vectors, root, centre), plain.gram(parts, vectors, root, centre))
    near(block.cross_by_part(vectors, parts, centre), plain.cross_by_part(vectors, parts, centre))
    places = np.array([2, 0])
    found, expected = block.narrow(columns, centre[columns]), plain.narrow(columns, centre[columns])
    near(found.outputs(coef[:, :2], places), expected.outputs(coef[:, :2], places))
    near(found.squares(), expected.squares())
    near(found.gram(places, root), expected.gram(places, root))
    assert_array_equal(block.targets, plain.targets)
    assert_array_equal(block.weights, plain.weights)


def test_rows_that_do_not_count_are_not_made():
    asked = []

    def made(chosen):
        asked.append(len(np.arange(M)[chosen]))
        return in_sevens(np.ones((M, N)), chosen)

    block = MadeBlock(made, np.ones((1, M)), np.ones(M))
    labels, root = np.where(np.arange(M) < 20, 0, -1), (np.arange(M) % 2).astype(float)
    block.gram(Parts(labels, 1), np.empty((0, M)), root, np.zeros(N))
    block.cross_by_part(np.ones((1, M)), Parts(labels, 1), np.zeros(N))
    block.outputs(np.ones((1, N)), np.array([3, 4]), np.zeros(N))
    assert asked == [10, 20, 2]


def test_sweeps_and_readings_are_those_of_the_table():
    X = np.random.default_rng(0).standard_normal((M, N))
    rows = as_rows(X, np.zeros(M))
    made = MadeRows(rows, maker, 2, np.zeros(2))
    scaled = ScaledRows(rows, np.full(N, 2.0))
    states = rows.scatter("number", np.arange(M))
    for own, expected in ((made, X[:, :2]), (scaled, X / 2)):
        before = rows.counts.products
        totals, after = own.sweep(products, states, None)
        assert_allclose(totals["sums"][0], expected.sum(axis=0))
        assert rows.counts.products == before + 1
        assert_array_equal(rows.gather(after, "number"), np.arange(M))
    assert scaled.origin.tolist() == (rows.origin / 2).tolist()


def maker(block, chosen):
    """The first two columns."""
    return (points[:, :2] for points in block.points(chosen, 10))


def products(block, state, shared):
    return Totals({"sums": block.cross(np.ones((1, len(block.weights))))}), state
