"""The bundled table: complete, as published, and with its licence beside it."""

import dataclasses

import numpy as np
import pytest

from holdfast.data import load_auto_price


def test_the_table_has_the_published_shape_and_no_gaps():
    cars = load_auto_price()
    assert cars.X.shape == (159, 15)
    assert cars.y.shape == (159,)
    assert len(cars.feature_names) == 15
    assert np.isfinite(cars.X).all()
    assert cars.X.dtype == cars.y.dtype == np.float64
    assert cars.X.flags.c_contiguous


def test_columns_hold_what_their_names_say():
    cars = load_auto_price()
    column = {name: cars.X[:, i] for i, name in enumerate(cars.feature_names)}
    assert set(column["symboling"]) <= {-3, -2, -1, 0, 1, 2, 3}
    assert column["highway-mpg"].mean() > column["city-mpg"].mean()
    assert np.corrcoef(column["engine-size"], cars.y)[0, 1] > 0.8
    assert (cars.y.min(), cars.y.max()) == (5118, 35056)


def test_source_and_licence_travel_with_the_table():
    description = load_auto_price().description
    assert "https://doi.org/10.24432/C5B01C" in description
    assert "CC BY 4.0" in description
    for name in load_auto_price().feature_names:
        assert name in description


def test_the_record_is_frozen_and_its_arrays_are_the_callers():
    cars = load_auto_price()
    with pytest.raises(dataclasses.FrozenInstanceError):
        cars.y = cars.y + 1
    cars.X[0, 0] = 99.0
    assert load_auto_price().X[0, 0] == 2.0


@pytest.mark.data
def test_the_table_is_the_one_of_the_data_folder(data_folder):
    cars = load_auto_price()
    with np.load(data_folder / "auto_price.npz") as original:
        np.testing.assert_array_equal(cars.X, original["X"])
        np.testing.assert_array_equal(cars.y, original["y"])
        assert cars.feature_names == tuple(original["feature_names"])
