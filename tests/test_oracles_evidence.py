"""The oracles of the evidence and of relevance vectors, by hand and against each other."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests import problems
from tests.oracles import evidence, relevance


def test_evidence_of_two_rows_by_hand():
    # x = (1, 0), y = (2, 3), noise 1, precision 1/3: variances 1 + 3 and 1, no covariance.
    expected = -0.5 * (4 / 4 + np.log(4) + 9 / 1 + np.log(1) + 2 * np.log(2 * np.pi))
    assert evidence.log_evidence([[1.0], [0.0]], [2.0, 3.0], [0], 1.0, 1 / 3) == pytest.approx(
        expected
    )


def test_weights_divide_the_noise_and_zero_leaves_out():
    X, y = np.array([[1.0], [2.0], [5.0]]), np.array([1.0, 0.0, 9.0])
    weighted = evidence.log_evidence(X, y, [], 2.0, 1.0, sample_weight=[4.0, 1.0, 0.0])
    expected = -0.5 * (1 / 0.5 + np.log(0.5) + 0 + np.log(2.0) + 2 * np.log(2 * np.pi))
    assert weighted == pytest.approx(expected)


def test_an_intercept_is_one_contrast_less():
    # Two rows have one contrast: (y1 - y2) / sqrt 2, of the variance of the noise.
    found = evidence.log_evidence([[0.0], [0.0]], [3.0, 1.0], [], 0.5, 1.0, fit_intercept=True)
    assert found == pytest.approx(-0.5 * (2.0 / 0.5 + np.log(0.5) + np.log(2 * np.pi)))
    H = evidence.contrasts(5)
    assert_allclose(H.T @ H, np.eye(4), atol=1e-14)
    assert_allclose(H.sum(axis=0), 0, atol=1e-14)


def test_the_flat_prior_is_the_limit_of_a_wide_one():
    # Gains do not depend on the width of the intercept's prior once that is large.
    X, y = problems.correlated(20, 4, seed=1)
    wide = np.column_stack([X, np.full(20, 1e4)])
    for support in ([0], [1, 3]):
        flat = [evidence.log_evidence(X, y, s, 0.5, 2.0, fit_intercept=True) for s in (support, [])]
        limit = [evidence.log_evidence(wide, y, [*s, 4], 0.5, 2.0) for s in (support, [])]
        assert flat[0] - flat[1] == pytest.approx(limit[0] - limit[1], abs=1e-5)


def test_the_papers_updates_are_the_density():
    X, y = problems.correlated(30, 8, seed=2)
    order, gains = evidence.forward_paper(X, y, 0.7, 1.5, 5)
    support, evidences, _ = evidence.forward_by_evidence(X, y, 0.7, 1.5, most=5, least_gain=-np.inf)
    assert order == support
    assert_allclose(gains, np.diff(evidences), rtol=1e-8)


def test_the_sequential_machine_is_stationary_and_beats_single_changes():
    rng = np.random.default_rng(1)
    PHI = rng.standard_normal((25, 6))
    y = 2 * PHI[:, 1] - PHI[:, 4] + 0.3 * rng.standard_normal(25)
    used, precisions, top = relevance.sequential(PHI, y, noise_variance=0.09)
    assert {1, 4} <= set(used)
    assert relevance.is_stationary(PHI, y, used, precisions, 0.09, rtol=1e-2)
    for factor in (0.8, 1.25):
        for place in range(len(used)):
            changed = precisions.copy()
            changed[place] *= factor
            assert relevance.evidence(PHI, y, used, changed, 0.09) < top
