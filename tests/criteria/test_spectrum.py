"""One decomposition serves every penalty: against solving ``(A + alpha) w = b`` for each."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast.criteria.spectrum import Spectrum

ALPHAS = np.array([1e-3, 1.0, 50.0])
SIZES = (5, 127, 128, 129, 130, 131, 250)
"""Around the number of columns from which the eigenvectors are not finished, and beyond."""

KINDS = ("spread", "diagonal", "decaying", "equal", "clusters", "singular")


def eigenvalues(kind, n):
    return {
        "spread": np.linspace(0.1, 9.0, n),
        "diagonal": np.linspace(0.1, 9.0, n),
        "decaying": 1e3 * np.logspace(0, -9, n),
        "equal": np.full(n, 2.0),
        "clusters": np.repeat([1e-2, 1.0, 30.0], [n // 3, n // 3, n - 2 * (n // 3)]),
        "singular": np.r_[np.zeros(n // 2), np.linspace(1.0, 9.0, n - n // 2)],
    }[kind]


def matrix(kind, n):
    """A symmetric matrix, and what it is multiplied with."""
    rng = np.random.default_rng(n)
    Q = np.eye(n) if kind == "diagonal" else np.linalg.qr(rng.standard_normal((n, n)))[0]
    A = Q * eigenvalues(kind, n) @ Q.T
    return (A + A.T) / 2, rng.standard_normal((n, 4))


def solved(A, alpha, columns):
    return np.linalg.solve(A + alpha * np.eye(len(A)), columns)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize(
    "kind", ["spread", "diagonal", "decaying", "equal", "clusters", "singular"]
)
def test_the_inverse_of_every_penalty(kind, n):
    A, b = matrix(kind, n)
    before = A.copy()
    spectrum = Spectrum.of(A, b.T)
    assert np.array_equal(A, before)
    V = spectrum.vectors
    assert_allclose(V.T @ V, np.eye(n), atol=1e-12)
    inverse = spectrum.inverse(ALPHAS)
    expected = np.stack([solved(A, alpha, b) for alpha in ALPHAS])
    near = {"rtol": 1e-8, "atol": 1e-9 * np.abs(expected).max()}
    assert_allclose(spectrum.weights(ALPHAS), expected.transpose(1, 0, 2), **near)
    squares = np.einsum("nc,anc->ac", b, expected)
    assert_allclose(inverse.lengths(V.T @ b), squares, rtol=1e-8)
    others = np.roll(b, 1, axis=1)
    pairs = np.einsum("nc,anc->ac", others, expected)
    assert_allclose(inverse.products(V.T @ others, V.T @ b), pairs, rtol=1e-8, atol=1e-8)
    for number in range(len(ALPHAS)):
        F = inverse.rooted(number, V.T)
        assert_allclose(F.T @ (F @ b), expected[number], **near)
    penalties = np.array([1e-3, 1.0, 50.0, 1.0])
    each = [solved(A, alpha, column) for alpha, column in zip(penalties, b.T, strict=True)]
    assert_allclose(spectrum.weights_per_target(penalties), each, **near)


@pytest.mark.parametrize("n", [20, 300])
def test_no_penalty_at_all_leaves_out_what_a_singular_matrix_does_not_know(n):
    """The solution of least length; a regular matrix keeps everything."""
    A, b = matrix("singular", n)
    spectrum = Spectrum.of(A, b.T)
    assert spectrum.below_floor(0.0)
    assert not spectrum.below_floor(1e-3)
    weights = spectrum.weights(np.zeros(1))[:, 0]
    assert_allclose(weights, np.linalg.pinv(A, rcond=1e-10, hermitian=True) @ b, atol=1e-9)
    A, b = matrix("decaying", n)
    spectrum = Spectrum.of(A, b.T)
    assert not spectrum.below_floor(0.0)
    expected = np.linalg.solve(A, b)
    assert_allclose(spectrum.weights(np.zeros(1))[:, 0], expected, rtol=1e-4)


def test_a_regular_matrix_is_diagonal_but_for_three_lines():
    """What makes it cheap: no eigenvectors of the whole."""
    A, b = matrix("spread", 200)
    spectrum = Spectrum.of(A, b.T)
    turned = spectrum.vectors.T @ A @ spectrum.vectors
    expected = np.block(
        [
            [np.diag(spectrum.values), spectrum.links],
            [spectrum.links.T, np.diag(spectrum.ends)],
        ]
    )
    assert len(spectrum.ends) == 3
    assert_allclose(turned, expected, atol=1e-12)
    assert len(Spectrum.of(*_with_targets(matrix("singular", 200))).ends) == 0


def _with_targets(pair):
    return pair[0], pair[1].T
