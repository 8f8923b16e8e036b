"""Maps in front of the models that choose penalties and columns, and as transformers with names."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from holdfast import (
    BackwardRidge,
    ForwardRidge,
    KernelBasis,
    PrunedRidge,
    RandomLayer,
    Reservoir,
    RidgeCV,
    TimeWindows,
    nested_score,
)

ALPHAS = [0.01, 1.0]
MAPS = [
    KernelBasis(n_basis=12, gamma=0.3, random_state=0),
    RandomLayer(n_units=10, include_inputs=True, random_state=0),
    RandomLayer(n_units=10, activation="rbf", random_state=0),
    Reservoir(n_units=12, density=0.4, leak=0.5, random_state=0),
    TimeWindows(lags=4),
]
MODELS = [
    RidgeCV(alphas=ALPHAS, cv=4),
    ForwardRidge(alphas=ALPHAS, cv=4),
    BackwardRidge(alphas=ALPHAS, cv=4),
    ForwardRidge(alphas=1.0, n_features_to_select=3),
    PrunedRidge(alphas=ALPHAS, cv=4),
]


def table():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 3))
    return X, np.tanh(X[:, 0]) + 0.5 * np.roll(X[:, 1], 1) + 0.1 * rng.standard_normal(90)


@pytest.mark.parametrize("made", MAPS, ids=str)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_pipeline_is_its_parts(made, model):
    X, y = table()
    fitted = make_pipeline(clone(made), clone(model)).fit(X, y)
    features = clone(made).fit_transform(X, y)
    expected = clone(model).fit(features, y)
    assert_array_equal(fitted.predict(X), expected.predict(features))
    assert fitted[-1].best_score_ == expected.best_score_


@pytest.mark.parametrize("made", MAPS, ids=str)
def test_selected_columns_keep_the_names_of_the_map(made):
    X, y = table()
    search = ForwardRidge(alphas=1.0, n_features_to_select=3)
    fitted = make_pipeline(clone(made), search).fit(pd.DataFrame(X, columns=list("abc")), y)
    names = fitted[:-1].get_feature_names_out()
    assert_array_equal(fitted.get_feature_names_out(), names[fitted[-1].support_])
    assert fitted.transform(pd.DataFrame(X, columns=list("abc"))).shape == (90, 3)


@pytest.mark.parametrize("made", MAPS, ids=str)
@pytest.mark.parametrize(
    ("container", "given"), [("pandas", pd.DataFrame), ("polars", pl.DataFrame)]
)
def test_frames_come_out_with_names(made, container, given):
    X, y = table()
    frame = given({name: X[:, i] for i, name in enumerate("abc")})
    fitted = clone(made).set_output(transform=container).fit(frame, y)
    found = fitted.transform(frame)
    assert isinstance(found, given)
    assert list(found.columns) == fitted.get_feature_names_out().tolist()
    assert_allclose(found.to_numpy(), clone(made).fit_transform(X, y))
    assert len(set(found.columns)) == found.shape[1]


@pytest.mark.parametrize("made", [KernelBasis(basis="random", n_basis=12), *MAPS[1:-1]], ids=str)
def test_random_states(made):
    """The same seed gives the same map; a generator that goes on gives another."""
    X, y = table()
    first = clone(made).set_params(random_state=0).fit_transform(X, y)
    assert_array_equal(clone(made).set_params(random_state=0).fit_transform(X, y), first)
    seeded = np.random.RandomState(0)
    assert_array_equal(clone(made).set_params(random_state=seeded).fit_transform(X, y), first)
    going_on = made.__class__(**{**made.get_params(), "random_state": seeded})
    assert not np.array_equal(going_on.fit_transform(X, y), first)


@pytest.mark.parametrize("made", [MAPS[0], MAPS[1]], ids=str)
def test_nested_score_makes_the_map_anew_in_every_split(made):
    X, y = table()
    model = make_pipeline(clone(made), ForwardRidge(alphas=ALPHAS, cv=4))
    found = nested_score(model, X, y, outer_cv=3)
    squares = []
    for held in np.array_split(np.arange(90), 3):
        train = np.setdiff1d(np.arange(90), held)
        squares.append((clone(model).fit(X[train], y[train]).predict(X[held]) - y[held]) ** 2)
    assert_allclose(found.error, np.concatenate(squares).mean(), rtol=1e-9)
