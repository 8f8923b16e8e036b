"""The same results from a storage that offers nothing but the interface."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
)
from holdfast.estimators import selection
from tests import problems
from tests.rows.seven_blocks import SevenBlocks

CLASSIFIERS = [
    {},
    {"error": "zero_one"},
    {"class_weight": "balanced"},
    {"class_weight": "balanced", "error": "zero_one", "alphas": [0.1, 10.0]},
]
REGRESSORS = [
    {},
    {"alphas": [0.1, 1.0, 10.0]},
    {"feature_groups": [[0, 3], [1, 2, 5]], "include": [4], "exclude": [6]},
    {"standardize": True, "fit_intercept": False, "alphas": "auto"},
    {"store_cv_results": True},
]


def fit_both(estimator, X, y, weights, monkeypatch):
    """The estimator fitted on the array, and on seven blocks; the rows of both."""
    rows = []

    def remember(build):
        def as_rows(*data):
            rows.append(build(*data))
            return rows[-1]

        return as_rows

    usual = selection.as_rows
    monkeypatch.setattr(selection, "as_rows", remember(usual))
    plain = type(estimator)(**estimator.get_params()).fit(X, y, sample_weight=weights)
    monkeypatch.setattr(selection, "as_rows", remember(SevenBlocks))
    split = estimator.fit(X, y, sample_weight=weights)
    return plain, split, *rows


def assert_equal_models(plain, split):
    assert np.array_equal(plain.selection_order_, split.selection_order_)
    for name in ("path_errors_", "path_std_errors_", "path_alphas_", "coef_", "intercept_"):
        assert_allclose(getattr(split, name), getattr(plain, name), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("parameters", REGRESSORS)
@pytest.mark.parametrize("search", [ForwardRidge, BackwardRidge])
@pytest.mark.parametrize("shape", [(80, 20), (25, 60)])  # by a history, and by multiplying anew
def test_regression(search, parameters, shape, monkeypatch):
    X, Y = problems.several_targets(*shape, targets=2, seed=1)
    weights = problems.weights(shape[0], "random")
    plain, split, _, rows = fit_both(search(**parameters), X, Y, weights, monkeypatch)
    assert_equal_models(plain, split)
    assert rows.counts.sweeps > 0
    if parameters.get("store_cv_results"):
        assert_allclose(split.held_out_predictions_, plain.held_out_predictions_, rtol=1e-9)


@pytest.mark.parametrize("parameters", CLASSIFIERS)
@pytest.mark.parametrize("search", [ForwardRidgeClassifier, BackwardRidgeClassifier])
def test_classification(search, parameters, monkeypatch):
    X, labels = problems.classes(60, 12, 3)
    plain, split, *_ = fit_both(search(**parameters), X, labels, None, monkeypatch)
    assert_equal_models(plain, split)


def test_floating(monkeypatch):
    X, y = problems.correlated(50, 14, seed=3)
    model = ForwardRidge(floating=True, n_features_to_select=8)
    plain, split, *_ = fit_both(model, X, y, None, monkeypatch)
    assert_equal_models(plain, split)
    assert any(sign < 0 for sign, _ in split.path_moves_)


def test_readings_are_counted_alike(monkeypatch):
    X, y = problems.from_few_columns(200, 50, used=tuple(range(10)))
    _, _, plain, split = fit_both(ForwardRidge(n_features_to_select=10), X, y, None, monkeypatch)
    assert split.counts == plain.counts
    # One reading opens the frame, one the bounds, and a move takes at most one.
    assert split.counts.products <= 2 + 10
    assert split.counts.columns <= X.shape[1]


def test_ten_penalties_read_no_more_than_one(monkeypatch):
    X, y = problems.from_few_columns(400, 80, used=tuple(range(12)), noise=1.0)
    for alphas in (1.0, np.logspace(-3, 2, 10)):
        model = ForwardRidge(alphas=alphas, n_features_to_select=12)
        _, _, _, rows = fit_both(model, X, y, None, monkeypatch)
        assert rows.counts.products <= 2 + 12


def test_nothing_else_is_offered():
    rows = SevenBlocks(np.eye(30), np.arange(30.0))
    with pytest.raises(AttributeError, match="not in the interface"):
        _ = rows.X
    with pytest.raises(AttributeError, match="not to be changed"):
        rows.n_rows = 3
