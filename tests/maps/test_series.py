"""Boundaries of series, windows and reservoirs, against loops over single rows."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.pipeline import make_pipeline

from holdfast import Reservoir, RidgeCV, TimeWindows, series_groups, series_weight
from tests.oracles import series as oracle

SPLITS = [[60], [1, 59], [20, 7, 1, 32], [15] * 4, [1] * 60]


def rows(m=60, n=3, seed=0):
    return np.random.default_rng(seed).standard_normal((m, n))


def networks(**more):
    """Every branch: leak and none, few units and so many that products are sparse."""
    given = {"n_units": 12, "density": 0.4, "random_state": 1, **more}
    return Reservoir(**given)


def literal(reservoir, X, lengths, start=None):
    start = np.zeros((len(lengths), len(reservoir.bias_))) if start is None else start
    return np.vstack(
        [
            oracle.reservoir(
                part,
                reservoir.recurrent_weights_.toarray(),
                reservoir.input_weights_,
                reservoir.bias_,
                reservoir.leak,
                state,
            )
            for part, state in zip(oracle.split(X, lengths), start, strict=True)
        ]
    )


# --------------------------------------------------------------------------------------- reservoir


@pytest.mark.parametrize("lengths", SPLITS, ids=len)
@pytest.mark.parametrize(
    "given",
    [
        {},
        {"leak": 0.3, "bias": 0.5},
        {"n_units": 500, "density": 0.02, "leak": 0.6},
        {"n_units": 1, "density": 1.0},
        {"spectral_radius": 0.0},
    ],
    ids=["plain", "leaky", "sparse product", "one unit", "no recurrence"],
)
def test_states_are_those_of_single_steps(lengths, given):
    X = rows()
    reservoir = networks(**given).fit(X)
    states = reservoir.transform(X, lengths=lengths)
    assert_allclose(states, literal(reservoir, X, lengths), rtol=0, atol=1e-12)


@pytest.mark.parametrize("cuts", [[1], [30], [10, 11, 59], list(range(1, 60))], ids=len)
def test_states_carry_on_wherever_they_are_cut(cuts):
    X = rows()
    reservoir = networks(leak=0.5, bias=0.1).fit(X)
    whole, pieces, state = reservoir.transform(X), [], None
    for piece in np.split(X, cuts):
        states, state = reservoir.run(piece, initial_state=state)
        pieces.append(states)
    assert_allclose(np.vstack(pieces), whole, rtol=0, atol=1e-12)
    assert_allclose(whole, literal(reservoir, X, [60]), rtol=0, atol=1e-12)
    assert_array_equal(state, pieces[-1][-1:])


def test_several_series_carry_on_together():
    """In chunks of unequal lengths, and their states are those of their own past."""
    X, lengths = rows(), [20, 7, 1, 32]
    reservoir = networks(leak=0.7).fit(X)
    _, state = reservoir.run(rows(seed=1), lengths=[5, 40, 5, 10])
    before = state.copy()
    states, final = reservoir.run(X, lengths=lengths, initial_state=state)
    assert_allclose(states, literal(reservoir, X, lengths, before), rtol=0, atol=1e-12)
    assert_array_equal(final, states[np.cumsum(lengths) - 1])
    assert_array_equal(state, before)


@pytest.mark.parametrize("many", [12, 500])
def test_sparse_inputs_give_the_same_states(many):
    X = rows() * (rows(seed=3) > 0.5)
    reservoir = networks(n_units=many, bias=0.2, density=0.03 if many > 100 else 0.4).fit(X)
    for storage in (sp.csr_array, sp.csc_array, sp.coo_array):
        states = reservoir.transform(storage(X), lengths=[25, 35])
        assert_allclose(states, reservoir.transform(X, lengths=[25, 35]), rtol=0, atol=1e-12)


@pytest.mark.parametrize("radius", [0.3, 0.9, 1.4])
def test_recurrent_weights_are_as_asked_for(radius):
    reservoir = Reservoir(n_units=300, density=0.1, spectral_radius=radius, random_state=0)
    reservoir.fit(rows())
    W = reservoir.recurrent_weights_
    assert_allclose(np.abs(np.linalg.eigvals(W.toarray())).max(), radius, rtol=1e-9)
    assert 0.09 < W.nnz / 300**2 < 0.11
    assert reservoir.input_weights_.shape == (3, 300)
    assert 0.9 < np.abs(reservoir.input_weights_).max() <= 1
    assert_array_equal(reservoir.bias_, 0)


def test_what_it_was_given_stays_as_it_is():
    X = rows()
    before, start = X.copy(), np.full((1, 12), 0.5)
    reservoir = networks(leak=0.5).fit(X)
    reservoir.run(X, initial_state=start)
    assert_array_equal(X, before)
    assert_array_equal(start, 0.5)


# ----------------------------------------------------------------------------------------- windows


@pytest.mark.parametrize("lengths", [None, *SPLITS], ids=str)
@pytest.mark.parametrize("lags", [1, 4, 70, [0, 3], [5, 1, 2], [3, 2, 1], [2]], ids=str)
@pytest.mark.parametrize("fill", [0.0, -7.5])
def test_windows_are_rows_of_the_past(lengths, lags, fill):
    X = rows()
    found = TimeWindows(lags=lags, fill_value=fill).fit(X)
    in_order = range(lags - 1, -1, -1) if isinstance(lags, int) else lags
    parts = oracle.split(X, [60] if lengths is None else lengths)
    expected = np.vstack([oracle.windows(part, in_order, fill) for part in parts])
    assert_array_equal(found.lags_, in_order)
    assert_array_equal(found.transform(X, lengths=lengths), expected)
    for order in (np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]):
        assert_array_equal(found.transform(order(X), lengths=lengths), expected)
    if fill == 0:
        sparse = found.transform(sp.csr_array(X), lengths=lengths)
        assert sp.issparse(sparse)
        assert_array_equal(sparse.toarray(), expected)


def test_windows_of_one_series_are_a_view():
    X = rows(1000)
    windows = TimeWindows(lags=50).fit_transform(X)
    assert windows.shape == (1000, 150)
    first, last = np.lib.array_utils.byte_bounds(windows)
    assert last - first == X.nbytes * 1049 / 1000
    with pytest.raises(ValueError, match="read-only"):
        windows[0, 0] = 1.0
    X[:] = 0
    assert windows.any()


def test_names_of_windows():
    frame = pd.DataFrame(rows(n=2), columns=["heat", "flow"])
    windows = TimeWindows(lags=2).fit(frame)
    names = ["heat_lag1", "flow_lag1", "heat_lag0", "flow_lag0"]
    assert windows.get_feature_names_out().tolist() == names
    assert list(windows.set_output(transform="pandas").transform(frame).columns) == names
    assert windows.set_output(transform="polars").transform(frame).columns == names
    assert networks(n_units=2, density=1.0).fit(frame).get_feature_names_out().tolist() == [
        "reservoir0",
        "reservoir1",
    ]


# ------------------------------------------------------------------------------------------ series


def maps():
    return [TimeWindows(lags=3), networks(leak=0.4)]


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    "container",
    [
        np.asarray,
        sp.csr_array,
        lambda X: pd.DataFrame(X, columns=list("abc")),
        lambda X: pl.DataFrame(X, list("abc")),
    ],
    ids=["array", "sparse", "pandas", "polars"],
)
def test_a_list_of_series_is_their_stack(number, container):
    X, lengths = rows(), [20, 7, 33]
    parts = [container(part) for part in oracle.split(X, lengths)]
    fitted = maps()[number].fit(parts)
    expected = maps()[number].fit_transform(X, lengths=lengths)
    found = fitted.transform(parts)
    found = found.toarray() if sp.issparse(found) else found
    assert_allclose(found, expected, rtol=0, atol=1e-12)
    if hasattr(parts[0], "columns"):
        assert fitted.feature_names_in_.tolist() == ["a", "b", "c"]


@pytest.mark.parametrize("number", [0, 1])
def test_lengths_are_routed(number):
    X, lengths = rows(), [20, 7, 33]
    y = X[:, 0] + np.roll(X[:, 1], 1)
    parts = oracle.split(X, lengths)
    listed = make_pipeline(maps()[number], RidgeCV(cv=3)).fit(parts, y)
    named = maps()[number]
    with sklearn.config_context(enable_metadata_routing=True):
        named.set_fit_request(lengths=True).set_transform_request(lengths=True)
        weighted = RidgeCV(cv=LeaveOneGroupOut()).set_fit_request(sample_weight=True, groups=True)
        routed = make_pipeline(named, weighted).fit(
            X,
            y,
            lengths=lengths,
            groups=series_groups(lengths),
            sample_weight=series_weight(lengths, 2),
        )
        predicted = routed.predict(X[:20], lengths=[15, 5])
    features = maps()[number].fit_transform(X, lengths=lengths)
    assert_allclose(listed.predict(parts), RidgeCV(cv=3).fit(features, y).predict(features))
    direct = RidgeCV(cv=LeaveOneGroupOut()).fit(
        features, y, sample_weight=series_weight(lengths, 2), groups=series_groups(lengths)
    )
    assert_allclose(routed[-1].coef_, direct.coef_)
    expected = maps()[number].fit(X).transform(X[:20], lengths=[15, 5])
    assert_allclose(predicted, direct.predict(expected))


def test_weights_and_groups():
    assert_array_equal(series_groups([3, 1, 2]), [0, 0, 0, 1, 2, 2])
    assert_array_equal(series_weight([3, 1, 2], 2), [0, 0, 1, 0, 0, 0])
    assert_array_equal(series_weight([3, 1], 0), [1, 1, 1, 1])
    assert_array_equal(series_weight([3, 1], 1, [5, 6, 7, 8]), [0, 6, 7, 0])


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize(
    ("lengths", "message"),
    [
        ([20, 41], "add up to 61, but X has 60 rows.*expected.*pass"),
        ([60, 0], "lengths hold 0.*expected.*leave"),
        ([60.0], "not lengths of series.*expected.*pass"),
        ([[60]], "not lengths of series.*expected.*pass"),
        ([], "not lengths of series.*expected.*pass"),
    ],
)
def test_lengths_that_are_not(number, lengths, message):
    fitted = maps()[number].fit(rows())
    with pytest.raises(ValueError, match=message):
        fitted.transform(rows(), lengths=lengths)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: TimeWindows(lags=0).fit(rows()), "lags=0.*expected.*3 stands for"),
        (lambda: TimeWindows(lags=[1, -1]).fit(rows()), "lags=.*expected"),
        (lambda: TimeWindows(lags=[1, 1]).fit(rows()), "more than once.*drop"),
        (lambda: TimeWindows(lags=1.5).fit(rows()), "lags=1.5.*expected"),
        (lambda: TimeWindows(fill_value="a").fit(rows()), "fill_value='a'.*expected.*correct"),
        (
            lambda: TimeWindows(fill_value=1.0).fit_transform(sp.csr_array(rows())),
            "fill_value=1.0 with sparse X.*expected 0.*set",
        ),
        (lambda: networks(n_units=0).fit(rows()), "n_units=0.*expected"),
        (lambda: networks(leak=0).fit(rows()), "leak=0.*more than 0, at most 1"),
        (lambda: networks(leak=1.1).fit(rows()), "leak=1.1.*more than 0, at most 1"),
        (lambda: networks(density=0.0).fit(rows()), "density=0.0.*more than 0"),
        (lambda: networks(spectral_radius=-1).fit(rows()), "spectral_radius=-1.*at least 0"),
        (lambda: networks(spectral_radius=np.inf).fit(rows()), "spectral_radius=inf"),
        (lambda: networks(washout=-1).fit(rows()), "washout=-1.*at least 0"),
        (lambda: networks(density=1e-9).fit(rows()), "no cycle.*raise density"),
        (
            lambda: networks().fit(rows()).run(rows(), initial_state=np.zeros((2, 12))),
            r"initial_state has shape \(2, 12\); expected \(1, 12\).*pass",
        ),
        (lambda: TimeWindows().fit([rows(), rows()], lengths=[60, 60]), "leave lengths out"),
        (lambda: TimeWindows().fit([rows(), rows(n=2)]), r"series of \[2, 3\] columns"),
        (
            lambda: TimeWindows().fit([pd.DataFrame({"a": [1]}), pd.DataFrame({"b": [1]})]),
            "different names.*rename",
        ),
        (lambda: series_weight([3], -1), "n_warm_up=-1.*expected"),
        (lambda: series_weight([3], 1, [1.0]), r"shape \(1,\).*3 rows.*pass"),
    ],
)
def test_what_is_wrong_is_said(call, message):
    with pytest.raises(ValueError, match=message):
        call()
