"""Whitened kernel columns as rows: the same numbers kept and streamed, triangular and plain."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from holdfast.basis.kernels import Kernel, KernelTable
from holdfast.basis.rows import BasisColumns, TriangularBlock
from holdfast.basis.whitening import Whitening
from holdfast.rows.dense import DenseBlock
from holdfast.rows.sums import Parts, Totals


def columns(gamma=0.5, rows=700, count=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, 6))
    return BasisColumns(KernelTable(Kernel("rbf", gamma), X), rng.permutation(rows)[:count])


@pytest.mark.parametrize("gamma", [0.5, 1e-3], ids=["without jitter", "with jitter"])
def test_kept_and_streamed_rows_are_the_same_in_order(gamma):
    made = columns(gamma)
    assert made.whitening.exact == (gamma == 0.5)
    rng = np.random.default_rng(1)
    targets, weights = rng.standard_normal((2, 700)), rng.uniform(size=700)
    kept = made.kept(targets, weights)
    streamed = made.streamed(targets, weights)
    every = np.arange(300)

    def read(block, state, shared):
        sums = {"cross": block.cross(block.targets * block.weights * state["factor"])}
        return Totals(sums), {"lines": block.columns(every), "seen": block.targets}

    factor = rng.standard_normal(700)
    found = []
    for rows in (kept, streamed):
        totals, states = rows.sweep(read, rows.scatter("factor", factor), None)
        assert_array_equal(rows.gather(states, "seen"), targets)
        found.append((totals["cross"], rows.gather(states, "lines")))
    (cross, lines), (cross_streamed, lines_streamed) = found
    expected = made.of_rows(np.arange(700)).T
    size = 1e-9 if gamma == 0.5 else 1e-7  # of rounding over the root of the jitter
    assert_allclose(lines_streamed, expected, atol=1e-12)
    assert_allclose(lines, expected, atol=size)
    assert_allclose(cross, cross_streamed, atol=1e3 * size)
    assert_allclose(cross, (targets * weights * factor) @ expected.T, atol=1e3 * size)


def test_products_of_a_triangle_are_those_of_any_block():
    rng = np.random.default_rng(2)
    C = np.tril(rng.standard_normal((600, 600)))
    targets, ones = rng.standard_normal((2, 600)), np.ones(600)
    plain, triangle = (block(C, targets, ones) for block in (DenseBlock, TriangularBlock))
    extra, coef = rng.standard_normal((3, 600)), rng.standard_normal((5, 600))
    zero, centre = np.zeros(600), rng.standard_normal(600)
    weights = rng.uniform(size=600)
    together = Parts(np.full(600, 1), 3)
    apart = Parts(np.arange(600) % 3 - 1, 3)
    for parts in (together, apart):
        for root in (ones, weights):
            for point in (zero, centre):
                expected = plain.gram(parts, extra, root, point)
                found = triangle.gram(parts, extra, root, point)
                assert_allclose(found, expected, atol=1e-9)
    for chosen in (slice(0, 600), slice(3, 500), slice(599, 600), np.array([5, 2, 90])):
        for point in (zero, centre):
            expected = coef @ (C[chosen] - point).T
            assert_allclose(triangle.outputs(coef, chosen, point), expected, atol=1e-10)


def test_the_penalty_matrix_is_factored_as_stated():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((20, 3))
    good = np.exp(-np.sum((X[:, None] - X) ** 2, axis=2))
    exact = Whitening.of(good)
    assert exact.exact
    assert_allclose(exact.factor @ exact.factor.T, good, atol=1e-14)
    singular = X @ X.T
    shifted = Whitening.of(singular)
    assert not shifted.exact
    assert not shifted.flipped
    jitter = 1e-13 * np.trace(singular) * np.eye(20)
    assert_allclose(shifted.factor @ shifted.factor.T, singular + jitter, atol=1e-13)
    indefinite = Whitening.of(np.diag([2.0, -1.0]))
    assert indefinite.flipped
    assert_allclose(indefinite.factor @ indefinite.factor.T, np.diag([2.0, 1.0]), atol=1e-12)
    nothing = Whitening.of(np.zeros((3, 3)))
    assert_array_equal(nothing.factor, np.eye(3))
