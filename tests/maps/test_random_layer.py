"""Random hidden layers, against one unit and one row at a time."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from holdfast import RandomLayer
from tests.oracles import series as oracle

X = np.random.default_rng(0).standard_normal((40, 5))


@pytest.mark.parametrize("activation", ["tanh", "sigmoid", "relu"])
@pytest.mark.parametrize("inputs", [False, True])
def test_units_are_those_of_single_rows(activation, inputs):
    layer = RandomLayer(
        n_units=9, activation=activation, include_inputs=inputs, bias=0.7, random_state=2
    ).fit(X)
    units = oracle.random_layer(X, layer.weights_, layer.bias_, activation)
    expected = np.hstack([X, units]) if inputs else units
    assert_allclose(layer.transform(X), expected, atol=1e-13)
    assert_allclose(layer.transform(sp.csr_array(X)), expected, atol=1e-13)


@pytest.mark.parametrize("gamma", [None, 0.3])
def test_rbf_units_stand_on_rows(gamma):
    layer = RandomLayer(n_units=12, activation="rbf", gamma=gamma, random_state=2).fit(X)
    assert len(np.unique(layer.centres_, axis=0)) == 12
    assert all((centre == X).all(axis=1).any() for centre in layer.centres_)
    assert gamma is None or layer.gamma_ == gamma
    expected = oracle.rbf_layer(X, layer.centres_, layer.gamma_)
    assert_allclose(layer.transform(X), expected, atol=1e-13)
    assert np.median(expected[expected < 1]) > 0.1 or gamma is not None
    sparse = RandomLayer(n_units=12, activation="rbf", gamma=gamma, random_state=2)
    assert_allclose(sparse.fit_transform(sp.csr_array(X)), expected, atol=1e-13)


def test_more_rbf_units_than_rows_are_as_many_as_rows():
    layer = RandomLayer(n_units=100, activation="rbf", random_state=0).fit(X)
    assert layer.transform(X).shape == (40, 40)
    assert len(layer.get_feature_names_out()) == 40
    flat = RandomLayer(n_units=3, activation="rbf", random_state=0).fit(np.ones((4, 2)))
    assert_array_equal(flat.transform(np.ones((2, 2))), 1.0)


def test_scales():
    wide = np.random.default_rng(0).standard_normal((500, 400))
    layer = RandomLayer(n_units=300, input_scaling=0.5, bias=2.0, random_state=0).fit(wide)
    assert_allclose((wide @ layer.weights_).std(), 0.5, rtol=0.05)
    assert_allclose(layer.bias_.std(), 2.0, rtol=0.1)
    assert_array_equal(RandomLayer(bias=0).fit(X).bias_, 0)


def test_names_and_refitting():
    frame = pd.DataFrame(X[:, :2], columns=["a", "b"])
    layer = RandomLayer(n_units=2, include_inputs=True, activation="rbf").fit(frame)
    names = ["a", "b", "randomlayer0", "randomlayer1"]
    assert layer.get_feature_names_out().tolist() == names
    assert list(layer.set_output(transform="pandas").transform(frame).columns) == names
    layer.set_params(activation="tanh").fit(frame)
    assert not hasattr(layer, "centres_")
    assert not hasattr(layer, "gamma_")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"activation": "cos"}, "activation='cos'.*expected 'tanh' or 'sigmoid'.*choose"),
        ({"n_units": 1.5}, "n_units=1.5.*expected an integer"),
        ({"input_scaling": 0}, "input_scaling=0.*more than 0"),
        ({"bias": -1}, "bias=-1.*at least 0"),
        ({"gamma": 0, "activation": "rbf"}, "gamma=0.*more than 0"),
        ({"include_inputs": "yes"}, "include_inputs='yes'.*True or False"),
    ],
)
def test_what_is_wrong_is_said(given, message):
    with pytest.raises(ValueError, match=message):
        RandomLayer(**given).fit(X)
