"""Recipes are their parts: pipelines that equal doing it by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, LeaveOneGroupOut
from sklearn.preprocessing import StandardScaler

from holdfast import (
    KernelBasis,
    PrunedRidge,
    RandomLayer,
    Reservoir,
    RidgeClassifierCV,
    RidgeCV,
    TimeWindows,
    recipes,
    series_groups,
    series_weight,
)
from tests import problems
from tests.oracles import series as oracle

ALPHAS = [0.1, 1.0, 10.0]


@pytest.mark.parametrize(
    ("made", "by_hand", "readout"),
    [
        (
            recipes.elm_regressor(n_units=20, alphas=ALPHAS, random_state=1),
            RandomLayer(n_units=20, include_inputs=True, random_state=1),
            RidgeCV(alphas=ALPHAS, cv=10),
        ),
        (
            recipes.op_elm_regressor(n_units=20, alphas=ALPHAS, cv=4, random_state=1),
            RandomLayer(n_units=20, include_inputs=True, random_state=1),
            PrunedRidge(alphas=ALPHAS, cv=4, standardize=True),
        ),
        (
            recipes.op_elm_regressor(
                n_units=9, regularized=False, activation="rbf", random_state=1
            ),
            RandomLayer(n_units=9, include_inputs=True, activation="rbf", random_state=1),
            PrunedRidge(regularized=False, cv=10, standardize=True),
        ),
        (
            recipes.fixed_size_ls_svm_regressor(n_basis=15, alphas=ALPHAS, random_state=1),
            KernelBasis(n_basis=15, random_state=1),
            RidgeCV(alphas=ALPHAS, cv=10),
        ),
        (
            recipes.fixed_size_ls_svm_classifier(
                n_basis=15, alphas=ALPHAS, gamma=0.1, class_weight="balanced", random_state=1
            ),
            KernelBasis(n_basis=15, gamma=0.1, random_state=1),
            RidgeClassifierCV(alphas=ALPHAS, cv=10, class_weight="balanced"),
        ),
    ],
    ids=["elm", "op-elm", "op-elm without penalty", "ls-svm", "ls-svm classifier"],
)
def test_tables(made, by_hand, readout):
    X, y = problems.from_few_columns(80, 5, used=(4, 1))
    if hasattr(readout, "class_weight"):
        y = np.where(y > 5, "high", "low")
    fitted = clone(made).fit(X, y)
    features = by_hand.fit_transform(StandardScaler().fit_transform(X))
    expected = readout.fit(features, y)
    assert_array_equal(fitted.predict(X), expected.predict(features))
    assert fitted["readout"].alpha_ == expected.alpha_


def parts(n_series=5, rows=80):
    rng = np.random.default_rng(0)
    series = [rng.standard_normal((rows + i, 2)).cumsum(axis=0) / 5 for i in range(n_series)]
    lengths = [len(part) for part in series]
    labels = np.concatenate([np.full(len(p), i % 2) for i, p in enumerate(series)])
    return series, lengths, labels


@pytest.mark.parametrize(
    ("make", "by_hand"),
    [
        (
            lambda **cv: recipes.echo_state_classifier(
                n_units=20, density=0.3, washout=9, random_state=0, alphas=ALPHAS, **cv
            ),
            Reservoir(n_units=20, density=0.3, random_state=0),
        ),
        (
            lambda **cv: recipes.windowed_ridge_classifier(lags=10, alphas=ALPHAS, **cv),
            TimeWindows(lags=10),
        ),
    ],
    ids=["echo state", "windows"],
)
@pytest.mark.parametrize("cv", [None, GroupKFold(2)], ids=str)
def test_classifiers_of_series(make, by_hand, cv):
    series, lengths, labels = parts()
    fitted = make(cv=cv).fit(series, labels, **recipes.about_series(lengths, 9))
    features = clone(by_hand).fit_transform(np.vstack(series), lengths=lengths)
    expected = RidgeClassifierCV(
        alphas=ALPHAS, cv=cv or LeaveOneGroupOut(), class_weight="balanced"
    ).fit(
        features,
        labels,
        sample_weight=series_weight(lengths, 9),
        groups=series_groups(lengths),
    )
    assert_allclose(fitted["readout"].coef_, expected.coef_, rtol=1e-9)
    assert_array_equal(fitted.predict(series), expected.predict(features))


def test_windowed_ridge():
    series, lengths, _ = parts()
    y = np.vstack(series)[:, 0]
    fitted = recipes.windowed_ridge(lags=3, alphas=ALPHAS).fit(
        series, y, **recipes.about_series(lengths, 2)
    )
    windows = TimeWindows(lags=3).fit_transform(np.vstack(series), lengths=lengths)
    expected = RidgeCV(alphas=ALPHAS, cv=LeaveOneGroupOut()).fit(
        windows, y, sample_weight=series_weight(lengths, 2), groups=series_groups(lengths)
    )
    assert_allclose(fitted.predict(series), expected.predict(windows), rtol=1e-9)


@pytest.mark.parametrize("columns", [1, 2])
def test_forecasts_are_fed_back(columns):
    t = np.arange(200)[:, None]
    u = np.sin(t / np.array([5.0, 3.0])[:columns])
    made = recipes.echo_state_forecaster(
        alphas=ALPHAS, n_units=15, density=0.4, leak=0.5, washout=20, random_state=0
    )
    target = u[1:, 0] if columns == 1 else u[1:]
    fitted = made.fit([u[:-1]], target)
    ahead = recipes.run_freely(fitted, u, 6)
    assert ahead.shape == (6, columns)
    reservoir, readout, so_far = fitted["states"], fitted["readout"], u
    for step in range(6):
        states = oracle.reservoir(
            so_far,
            reservoir.recurrent_weights_.toarray(),
            reservoir.input_weights_,
            reservoir.bias_,
            0.5,
            np.zeros(15),
        )
        row = readout.predict(states[-1:]).reshape(1, -1)
        assert_allclose(ahead[step], row[0], rtol=1e-9)
        so_far = np.vstack([so_far, row])


def test_only_forecasts_of_rows_can_be_fed_back():
    u = np.random.default_rng(0).standard_normal((50, 2))
    fitted = recipes.echo_state_forecaster(alphas=1.0, n_units=10, density=0.5).fit([u], u[:, 0])
    with pytest.raises(ValueError, match=r"forecasts 1 numbers.*rows of 2.*fit"):
        recipes.run_freely(fitted, u, 3)
    with pytest.raises(ValueError, match="n_steps=0.*at least 1"):
        recipes.run_freely(fitted, u, 0)
