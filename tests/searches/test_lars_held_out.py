"""Leave-one-out along a path, and the hybrid, against solving once for every row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast.rows import as_rows
from holdfast.searches import hinge_lars as hinge_module
from holdfast.searches import lars_kept
from holdfast.searches.hinge_lars import hinge_lars
from holdfast.searches.lars import lars
from holdfast.searches.lars_held_out import Knot
from tests.oracles.lars_held_out import hinge_refit, outputs_without_each_row
from tests.rows.seven_blocks import SevenBlocks
from tests.searches.test_lars import STORAGES, data


def models(rows, hinge, intercept, refit, alpha, limit=None):
    """By size: columns, coefficients, intercept, signs, lambda_1, held-out outputs."""
    found = {}

    def watch(model, front):
        knot = Knot(rows, model, front, hinge=hinge, refit=refit)
        signs = model.signs[model.border :].copy()
        found[knot.size] = (knot.columns, *knot.solution, signs, front.level, knot.held_out())
        return False

    search = hinge_lars if hinge else lars
    limit = rows.n_columns if limit is None else limit
    search(rows, alpha=alpha, fit_intercept=intercept, limit=limit, lasso=False, watch=watch)
    return found


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("hinge", [False, True])
def test_every_size(hinge, intercept, refit):
    X, t = data(50, 9, hinge, seed=2, sparse=True)
    weights = np.random.default_rng(3).integers(0, 3, len(t)).astype(float)
    found = models(as_rows(STORAGES["csr"](X), t, weights), hinge, intercept, refit, 0.7)
    assert list(found) == list(range(10))
    for columns, coef, b, signs, lam, held_out in found.values():
        settings = {"hinge": hinge, "intercept": intercept, "refit": refit, "weights": weights}
        expected = outputs_without_each_row(X[:, columns], t, coef, b, signs, lam, 0.7, **settings)
        counted = weights > 0
        assert_allclose(held_out[counted], expected[counted], atol=1e-7)


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("hinge", [False, True])
def test_storages_agree(hinge, refit):
    X, t = data(60, 8, hinge, seed=5, sparse=True)
    reference = models(as_rows(X, t), hinge, True, refit, 1.0)
    others = [as_rows(storage(X), t) for storage in STORAGES.values()] + [SevenBlocks(X, t)]
    for rows in others:
        for size, model in models(rows, hinge, True, refit, 1.0).items():
            for mine, theirs in zip(model, reference[size], strict=True):
                assert_allclose(mine, theirs, atol=1e-8)


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
def test_rows_that_are_not_followed_are_held_out_too(monkeypatch, intercept, refit):
    X, t = data(120, 8, True, seed=7)
    X[:, :3] += 2 * t[:, None]  # most rows are soon beyond their margin
    reference = models(as_rows(X, t), True, intercept, refit, 1.0)
    monkeypatch.setattr(hinge_module, "_NEAR", 8)
    monkeypatch.setattr(hinge_module, "_MOST", 16)
    monkeypatch.setattr(lars_kept, "_RESERVE", 4)
    monkeypatch.setattr(lars_kept, "_SHARE", 0.9)
    monkeypatch.setattr(lars_kept, "_ENTRY_BYTES", 0)
    left_out = []
    choose = lars_kept.KeptRows.choose
    monkeypatch.setattr(lars_kept.KeptRows, "choose", lambda kept: left_out.append(choose(kept)))
    for rows in (as_rows(X, t), SevenBlocks(X, t)):
        left_out.clear()
        for size, model in models(rows, True, intercept, refit, 1.0).items():
            for mine, theirs in zip(model, reference[size], strict=True):
                assert_allclose(mine, theirs, atol=1e-8)
        assert left_out


@pytest.mark.parametrize("intercept", [False, True])
def test_the_hybrid_of_the_hinge_minimises(intercept):
    X, t = data(80, 10, True, seed=7)
    for columns, coef, b, *_ in models(as_rows(X, t), True, intercept, True, 0.5).values():
        if len(columns):
            expected = hinge_refit(X[:, columns], t, 0.5, intercept=intercept)
            assert_allclose(coef, expected[0], atol=1e-6)
            assert_allclose(b, expected[1], atol=1e-6)


def test_the_hybrid_without_penalty_of_columns_that_fit_everything():
    """alpha = 0 and as many columns as rows: no inverse, but an answer."""
    X, t = data(12, 12, True, seed=1)
    for *_, held_out in models(as_rows(X, t), True, True, True, 0.0).values():
        assert np.isfinite(held_out).all()


@pytest.mark.parametrize("hinge", [False, True])
def test_how_far_it_is_from_following_new_paths(hinge):
    """It is an approximation: against literally new paths, at the same lambda_1, a few percent."""
    from tests.oracles.lars_path import follow, interpolate

    X, t = data(100, 12, hinge, seed=11)
    found = models(as_rows(X, t), hinge, True, False, 1.0)
    _, _, _, _, lam, held_out = found[6]
    truth = np.empty(len(t))
    for i in range(len(t)):
        kept = np.arange(len(t)) != i
        knots, betas, intercepts, *_ = follow(X[kept], t[kept], 1.0, hinge=hinge, intercept=True)
        truth[i] = X[i] @ interpolate(knots, betas, lam) + interpolate(knots, intercepts, lam)

    def loss(outputs):
        gaps = t - outputs
        return np.mean((np.maximum(t * gaps, 0) if hinge else gaps) ** 2)

    assert 0.85 < loss(held_out) / loss(truth) < 1.05
