"""The lazy path of generalised LARS against the literal one, on every storage."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from holdfast.rows import as_rows
from holdfast.searches import hinge_lars as hinge_module
from holdfast.searches import lars_front, lars_kept, lars_reach
from holdfast.searches.hinge_lars import hinge_lars
from holdfast.searches.lars import lars
from tests import problems
from tests.oracles.lars_path import follow, gradients, interpolate
from tests.rows.seven_blocks import SevenBlocks

STORAGES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
}
SHAPES = {"tall": (80, 20), "wide": (40, 60)}


def data(rows, columns, hinge, seed=0, sparse=False):
    rng = np.random.default_rng(seed)
    if hinge:
        X, codes = problems.classes(rows, columns, separation=0.5, seed=seed)
        t = np.where(codes == 1, 1.0, -1.0)
    else:
        X, t = problems.correlated(rows, columns, strength=0.6, seed=seed)
    return (X * (rng.random(X.shape) < 0.3) if sparse else X), t


def run(rows, hinge, alpha=0.0, intercept=False, lasso=False, limit=None, stop=None):
    search = hinge_lars if hinge else lars
    limit = rows.n_columns if limit is None else limit
    watch = {} if stop is None else {"watch": stop}
    return search(rows, alpha=alpha, fit_intercept=intercept, limit=limit, lasso=lasso, **watch)


def same(path, literal, tol=1e-8):
    knots, betas, intercepts, entries, _ = literal
    assert_allclose(path.knots, knots, rtol=0, atol=1e-9 * knots[0])
    assert_allclose(path.coefs.toarray().T, betas, rtol=0, atol=tol)
    assert_allclose(path.intercepts, intercepts, rtol=0, atol=tol)
    assert list(zip(path.order.tolist(), path.signs.tolist(), strict=True)) == entries


@pytest.fixture(params=["as it is", "four near columns, eight near rows"])
def bounds(request, monkeypatch):
    """The bounds at work on small tables: hardly anything is held."""
    if request.param != "as it is":
        monkeypatch.setattr(lars_reach, "_FEW", 2)
        monkeypatch.setattr(lars_reach, "_FEWEST_NEAR", 4)
        monkeypatch.setattr(lars_reach, "_MOST_NEAR", 4)
        monkeypatch.setattr(hinge_module, "_NEAR", 8)
        monkeypatch.setattr(hinge_module, "_MOST", 16)
        monkeypatch.setattr(lars_kept, "_RESERVE", 6)
        monkeypatch.setattr(lars_kept, "_SHARE", 0.9)
        monkeypatch.setattr(lars_kept, "_ENTRY_BYTES", 0)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("lasso", [False, True])
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("hinge", [False, True])
def test_lazy_is_literal(bounds, hinge, alpha, intercept, lasso, shape):
    X, t = data(*SHAPES[shape], hinge, sparse=True)
    literal = follow(X, t, alpha, hinge=hinge, lasso=lasso, intercept=intercept)
    for storage in ("C", "csr"):
        same(run(as_rows(STORAGES[storage](X), t), hinge, alpha, intercept, lasso), literal)


@pytest.mark.parametrize("hinge", [False, True])
def test_on_every_storage_and_behind_the_bare_interface(bounds, hinge):
    X, t = data(70, 20, hinge, seed=3, sparse=True)
    weights = np.random.default_rng(1).integers(0, 3, len(t)).astype(float)
    literal = follow(X, t, 0.5, hinge=hinge, intercept=True, weights=weights)
    for storage in STORAGES.values():
        same(run(as_rows(storage(X), t, weights), hinge, 0.5, True), literal)
    same(run(SevenBlocks(X, t, weights), hinge, 0.5, True), literal)


@pytest.mark.parametrize("hinge", [False, True])
def test_weight_two_is_the_row_twice(hinge):
    X, t = data(50, 12, hinge, seed=4)
    weights = np.ones(50)
    weights[:9], weights[9:12] = 2, 0
    kept = np.repeat(np.arange(50), weights.astype(int))
    one = run(as_rows(X, t, weights), hinge, 1.0, True)
    other = run(as_rows(X[kept], t[kept]), hinge, 1.0, True)
    for lam in np.linspace(1, 0.02, 9) * one.knots[0]:
        assert_allclose(one.at(lam)[0], other.at(lam)[0], atol=1e-9)
        assert_allclose(one.at(lam)[1], other.at(lam)[1], atol=1e-9)


@pytest.mark.parametrize("hinge", [False, True])
def test_invariants_at_every_knot_of_a_larger_path(hinge):
    X, labels = problems.word_counts(400, 600, density=0.05, seed=2)
    t = np.where(labels == 1, 1.0, -1.0)
    path = run(as_rows(X, t), hinge, 0.3, True, limit=80)
    dense, signs = X.toarray(), dict(zip(path.order, path.signs, strict=True))
    assert path.ended == "size"
    assert path.sizes[-1] == 80
    for knot, lam in enumerate(path.knots):
        beta, b = path.coef(knot), path.intercepts[knot]
        c, balance = gradients(dense, t, beta, b, 0.3, hinge=hinge)
        assert (np.abs(c) <= lam * (1 + 1e-9) + 1e-9 * path.knots[0]).all()
        columns, _ = path.model(knot)
        wanted = lam * np.array([signs[j] for j in columns])
        assert_allclose(c[columns], wanted, rtol=1e-7, atol=1e-9 * path.knots[0])
        assert abs(balance) < 1e-9 * path.knots[0]


def test_far_from_the_origin_no_digits_are_lost():
    """A column of years beside others: with an intercept everything is about a nearby point."""
    X, t = data(80, 10, False, seed=6)
    one = run(as_rows(X, t), False, 1.0, True)
    other = run(as_rows(X + 1e6, t + 1e4), False, 1.0, True)
    assert_allclose(other.knots, one.knots, rtol=1e-7, atol=1e-7 * one.knots[0])
    assert_allclose(other.coefs.toarray(), one.coefs.toarray(), atol=1e-7)


def test_few_readings_of_x():
    X, labels = problems.word_counts(600, 3000, density=0.02, seed=5)
    t = np.where(labels == 1, 1.0, -1.0)
    for hinge in (False, True):
        rows = as_rows(X, t)
        path = run(rows, hinge, 0.0, True, limit=100)
        assert path.sizes[-1] == 100
        assert len(path.knots) > 101 if hinge else len(path.knots) == 101
        assert rows.counts.products + rows.counts.fetches <= 30


def test_nothing_of_the_size_of_x_is_allocated():
    import tracemalloc

    X = sp.random_array((3000, 8000), density=0.02, format="csr", rng=0)
    t = np.where(np.random.default_rng(0).random(3000) < 0.4, 1.0, -1.0)
    size = X.data.nbytes + X.indices.nbytes
    for hinge in (False, True):
        tracemalloc.start()
        run(as_rows(X, t), hinge, 1.0, limit=40)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 2 * size


# --------------------------------------------------------------------------------------- degenerate


@pytest.mark.parametrize("hinge", [False, True])
def test_duplicates_and_constants(hinge):
    X, t = data(60, 10, hinge)
    X[:, 4], X[:, 6], X[:, 8], X[:, 9] = X[:, 1], 0.0, 3.0, -X[:, 2]
    bare = run(as_rows(X, t), hinge, 0.0, True)
    assert set(bare.order.tolist()) == {0, 1, 2, 3, 5, 7}
    assert_array_equal(np.sort(bare.skipped), [4, 9])
    penalised = run(as_rows(X, t), hinge, 1.0, True)
    assert set(penalised.order.tolist()) == {0, 1, 2, 3, 4, 5, 7, 9}
    assert_allclose(penalised.coef(-1)[4], penalised.coef(-1)[1], atol=1e-10)
    assert_allclose(penalised.coef(-1)[9], -penalised.coef(-1)[2], atol=1e-10)


@pytest.mark.parametrize("lasso", [False, True])
@pytest.mark.parametrize("hinge", [False, True])
@pytest.mark.parametrize("seed", [7, 9, 14, 16, 20])
def test_a_skipped_column_comes_in_where_the_dependence_ends(bounds, seed, hinge, lasso):
    """Copies and sums of columns, alpha = 0: |x_j's| <= lambda_1 of *every* column at every knot.

    With those that were skipped left out for good, most of these paths leave the optimum: another
    column leaves, or a row enters, and a skipped one is no combination any more.
    """
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (40, 14)).astype(float)
    if seed % 2:
        X *= rng.integers(1, 3, X.shape)
    X[:, 5], X[:, 7], X[:, 9] = X[:, 1], X[:, 2] + X[:, 3], X[:, 4]
    X[rng.integers(40), 9] += 1
    X[:, 11] = X[:, 1] + X[:, 2] - X[:, 6]
    t = np.where(rng.random(40) < 0.4, 1.0, -1.0)
    path = run(as_rows(X, t), hinge, lasso=lasso)
    assert path.ended == "zero"
    for knot, lam in enumerate(path.knots):
        c, _ = gradients(X, t, path.coef(knot), path.intercepts[knot], 0.0, hinge=hinge)
        assert (np.abs(c) <= lam * (1 + 1e-7) + 1e-9 * path.knots[0]).all()
    literal = follow(X, t, 0.0, hinge=hinge, lasso=lasso)
    assert_allclose(path.knots, literal[0], rtol=0, atol=1e-9 * path.knots[0])
    # Of copies one model may have the one, the other the other: losses are the same.
    gaps = [t[:, None] * (t[:, None] - X @ coefs) for coefs in (path.coefs.toarray(), literal[1].T)]
    lost = [np.maximum(gap, 0) if hinge else gap for gap in gaps]
    assert_allclose(lost[0], lost[1], atol=1e-8)


@pytest.mark.parametrize("hinge", [False, True])
def test_more_columns_than_rows_end_where_lambda_is_zero(hinge):
    X, t = data(20, 50, hinge, seed=2)
    path = run(as_rows(X, t), hinge, 0.0, True)
    assert path.ended == "zero"
    assert path.knots[-1] == 0
    assert len(path.order) < 20
    residual = t - X @ path.coef(-1) - path.intercepts[-1]
    assert_allclose(residual * (residual * t > 1e-7) if hinge else residual, 0, atol=1e-7)


def test_rows_that_are_the_same_move_together():
    X, t = data(30, 8, True, seed=1)
    doubled, labels = np.repeat(X, 4, axis=0), np.repeat(t, 4)
    one = run(as_rows(X, t), True, 1.0, True)
    four = run(as_rows(doubled, labels), True, 4.0, True)
    for lam in np.linspace(1, 0.01, 9) * one.knots[0]:
        assert_allclose(four.at(4 * lam)[0], one.at(lam)[0], atol=1e-9)


@pytest.mark.parametrize("hinge", [False, True])
def test_tables_of_small_integers_full_of_ties(hinge):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (40, 12)).astype(float)
    t = np.where(rng.random(40) < 0.5, 1.0, -1.0)
    path = run(as_rows(X, t), hinge, 1.0, True)
    assert path.knots[-1] == 0
    for knot, lam in enumerate(path.knots):
        c, _ = gradients(X, t, path.coef(knot), path.intercepts[knot], 1.0, hinge=hinge)
        assert (np.abs(c) <= lam + 1e-9 * path.knots[0]).all()


def test_nothing_to_select():
    X, t = np.ones((10, 3)), np.where(np.arange(10) < 4, 1.0, -1.0)
    for hinge in (False, True):
        path = run(as_rows(X, t), hinge, 1.0, True)
        assert path.coefs.shape == (3, 1)
        assert len(path.order) == 0
        assert_allclose(path.intercepts, [t.mean()])


# ----------------------------------------------------------------------------------------- the path


def test_between_knots_by_interpolation():
    X, t = data(60, 15, True, seed=8)
    literal = follow(X, t, 1.0, hinge=True, intercept=True)
    path = run(as_rows(X, t), True, 1.0, True)
    for lam in np.linspace(1.2, 0, 13) * path.knots[0]:
        coef, intercept = path.at(lam)
        assert_allclose(coef, interpolate(literal[0], literal[1], lam), atol=1e-9)
        assert_allclose(intercept, interpolate(literal[0], literal[2], lam), atol=1e-9)


def test_below_the_last_knot_is_refused():
    X, t = data(60, 15, False)
    path = run(as_rows(X, t), False, limit=3)
    with pytest.raises(ValueError, match="below the last knot"):
        path.at(path.knots[-1] / 2)


def test_a_path_that_is_stopped():
    X, t = data(60, 15, True)
    path = run(as_rows(X, t), True, 1.0, stop=lambda model, front: model.size == 4)
    whole = run(as_rows(X, t), True, 1.0)
    assert path.ended == "stopped"
    assert_array_equal(path.order, whole.order[:4])
    assert_allclose(path.knots, whole.knots[: len(path.knots)])


@pytest.mark.parametrize("hinge", [False, True])
def test_where_digits_are_lost_the_path_ends_as_it_was_last_found_right(monkeypatch, hinge):
    """As if the third correction of direction and coefficients had failed."""
    X, t = data(80, 60, hinge, seed=5)
    whole = run(as_rows(X, t), hinge, 0.0)
    for name, value in (("_FEW", 2), ("_FEWEST_NEAR", 4), ("_MOST_NEAR", 4)):
        monkeypatch.setattr(lars_reach, name, value)
    corrected, calls = lars_front.Front._corrected, []

    def fails(front, measured):
        calls.append(front.level)
        found = corrected(front, measured)
        if len(calls) > 2:
            front._missing = 1.0
            return found[0], True
        return found

    monkeypatch.setattr(lars_front.Front, "_corrected", fails)
    path = run(as_rows(X, t), hinge, 0.0)
    assert path.ended == "digits"
    assert path.knots[-1] >= calls[2]
    assert_allclose(path.knots, whole.knots[: len(path.knots)], rtol=1e-9)
    assert_array_equal(path.order, whole.order[: len(path.order)])
    assert_allclose(path.coef(-1), whole.coef(len(path.knots) - 1), atol=1e-9)


@pytest.mark.parametrize("lasso", [False, True])
def test_until_no_more_rows_are_active_than_columns_selected(lasso):
    """alpha = 0 and separable classes: the end of the path, where no active row may leave."""
    X, t = data(150, 220, True, seed=4, sparse=True)
    path = run(as_rows(sp.csr_array(X), t), True, 0.0, lasso=lasso)
    assert path.ended == "zero"
    gaps = t * (t - X @ path.coef(-1))
    assert gaps.max() < 1e-6
    for knot in range(0, len(path.knots), 5):
        level = path.knots[knot]
        c, _ = gradients(X, t, path.coef(knot), 0.0, 0.0, hinge=True)
        assert (np.abs(c) <= level + 1e-9 * path.knots[0]).all()


@pytest.mark.parametrize("factor", [1e-7, 1e9])
@pytest.mark.parametrize("hinge", [False, True])
def test_other_units_are_the_same_path(hinge, factor):
    """Columns times f: coefficients over f, knots times f, alpha times f^2."""
    X, t = data(80, 15, hinge, seed=3)
    one = run(as_rows(X, t), hinge, 1.0, True)
    other = run(as_rows(X * factor, t), hinge, factor**2, True)
    assert_allclose(other.knots, one.knots * factor, rtol=1e-9, atol=1e-9 * other.knots[0])
    assert_allclose(other.coefs.toarray() * factor, one.coefs.toarray(), atol=1e-9)
    assert_allclose(other.intercepts, one.intercepts, atol=1e-9)
