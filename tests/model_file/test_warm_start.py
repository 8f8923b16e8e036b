"""A search whose path was saved goes on from there as if it had never stopped."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import KFold

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
    load_model,
    save_model,
)
from holdfast.estimators import selection
from tests import problems

FORWARD = {"max_features": 5, "patience": None, "warm_start": True}
MODELS = [
    (ForwardRidge(**FORWARD), {"max_features": 10}),
    (ForwardRidge(**FORWARD, alphas=[0.1, 1.0, 10.0], cv=KFold(4)), {"max_features": 10}),
    (ForwardRidge(**FORWARD, feature_groups=[[0, 1], [4, 7]], include=[3]), {"max_features": 10}),
    (ForwardRidge(**FORWARD, floating=True, standardize=True), {"max_features": 10}),
    (ForwardRidgeClassifier(**FORWARD, class_weight="balanced"), {"max_features": 10}),
    (BackwardRidge(n_features_to_select=10, warm_start=True), {"n_features_to_select": 5}),
    (BackwardRidge(n_features_to_select=10, cv=3, warm_start=True), {"n_features_to_select": 5}),
    (
        BackwardRidgeClassifier(n_features_to_select=10, warm_start=True),
        {"n_features_to_select": 5},
    ),
]
ENDS = ("coef_", "intercept_", "path_errors_", "path_std_errors_", "path_alphas_", "best_score_")


@pytest.mark.parametrize(("model", "more"), MODELS, ids=str)
def test_saved_loaded_and_gone_on(model, more, monkeypatch, tmp_path):
    if hasattr(model, "class_weight"):
        X, y = problems.classes(60, 14, 2, separation=0.6)
    else:
        X, y = problems.correlated(60, 14, seed=3)
    model = clone(model).fit(X, y)
    visited = len(model.path_errors_)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json").set_params(**more)

    looked_for = []
    usual = selection.MoveTasks.begin
    monkeypatch.setattr(
        selection.MoveTasks, "begin", lambda tasks: (looked_for.append(1), usual(tasks))
    )
    loaded.fit(X, y)
    in_loaded = len(looked_for)
    whole = clone(model).set_params(**more, warm_start=False).fit(X, y)
    # Nothing that the saved path says is looked for again.
    assert len(loaded.path_errors_) > visited
    assert len(looked_for) - in_loaded - in_loaded >= visited // 2
    assert in_loaded <= len(loaded.path_errors_) - visited

    assert np.array_equal(loaded.selection_order_, whole.selection_order_)
    for name in ENDS:
        assert_allclose(getattr(loaded, name), getattr(whole, name), rtol=1e-12, atol=1e-12)


def test_other_data_are_refused(tmp_path):
    X, y = problems.correlated(60, 14, seed=3)
    save_model(ForwardRidge(**FORWARD).fit(X, y), tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json").set_params(max_features=10)
    with pytest.raises(ValueError, match="not those of this problem"):
        loaded.fit(X, y + np.arange(60))
