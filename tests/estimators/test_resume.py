"""An interrupted fit leaves the path so far, and goes on from there to the same end."""

import os
import pickle
import signal

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
    RowBlocks,
    load_model,
    save_model,
)
from holdfast.criteria.hold_out import HoldOut
from holdfast.criteria.leave_one_out import LeaveOneOut
from holdfast.estimators import selection
from holdfast.searches.path import Patience, SizeRule
from tests import problems

MODELS = [
    ForwardRidge(n_features_to_select=8),
    ForwardRidge(alphas=[0.1, 1.0, 10.0], patience=3),
    ForwardRidge(floating=True, n_features_to_select=9),
    ForwardRidge(cv=KFold(4), alphas=[0.1, 1.0], include=[2], exclude=[5]),
    ForwardRidge(feature_groups=[[0, 1], [4, 7]], standardize=True, store_cv_results=True),
    BackwardRidge(n_features_to_select=2),
    BackwardRidge(cv=3, patience=2),
    ForwardRidgeClassifier(class_weight="balanced", n_features_to_select=6),
    ForwardRidgeClassifier(error="zero_one", n_features_to_select=5),
    BackwardRidgeClassifier(n_features_to_select=3),
]
ENDS = ("coef_", "intercept_", "path_errors_", "path_std_errors_", "path_alphas_", "best_score_")


class Raised(Exception):
    """Raised by a callback."""


def data_for(model):
    if hasattr(model, "class_weight"):
        return problems.classes(60, 12, 2, separation=0.6)
    return problems.correlated(50, 14, seed=3)


def interrupt(monkeypatch, after, how):
    """Interrupt the fit after so many moves."""
    usual = selection.MoveTasks.end
    ends = []

    def end(tasks, path):
        stop = usual(tasks, path)
        ends.append(len(path))
        if len(ends) == after:
            how()
        return stop

    monkeypatch.setattr(selection.MoveTasks, "end", end)


def sigint():
    os.kill(os.getpid(), signal.SIGINT)


def raised():
    raise Raised


def assert_same_end(resumed, whole):
    assert np.array_equal(resumed.selection_order_, whole.selection_order_)
    for (sign, columns), (other_sign, other) in zip(
        resumed.path_moves_, whole.path_moves_, strict=True
    ):
        assert sign == other_sign
        assert np.array_equal(columns, other)
    for name in ENDS:
        assert_allclose(getattr(resumed, name), getattr(whole, name), rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("after", [1, 3])
@pytest.mark.parametrize(("how", "error"), [(sigint, KeyboardInterrupt), (raised, Raised)])
def test_interrupted_and_resumed(model, after, how, error, monkeypatch):
    X, y = data_for(model)
    whole = clone(model).fit(X, y)
    broken = clone(model).set_params(warm_start=True)
    with monkeypatch.context() as patch:
        interrupt(patch, after, how)
        with pytest.raises(error):
            broken.fit(X, y)
    # The path so far is usable: the beginning of the whole path, and a model that predicts.
    visited = len(broken.path_errors_)
    assert 1 < visited <= len(whole.path_errors_)
    assert_allclose(broken.path_errors_, whole.path_errors_[:visited], rtol=1e-12)
    assert np.isfinite(np.asarray(broken.predict(X), dtype=float)).all()
    scored = count_of_scored_moves(monkeypatch)
    assert_same_end(broken.fit(X, y), whole)
    assert scored[0] <= len(whole.path_errors_) - visited + 1


def count_of_scored_moves(monkeypatch):
    """How often the search asks for a best move."""
    asked = [0]
    usual = selection.MoveTasks.begin

    def begin(tasks):
        asked[0] += 1
        usual(tasks)

    monkeypatch.setattr(selection.MoveTasks, "begin", begin)
    return asked


def test_from_a_stored_model(monkeypatch):
    X, y = data_for(MODELS[0])
    broken = clone(MODELS[0]).set_params(warm_start=True)
    with monkeypatch.context() as patch:
        interrupt(patch, 4, raised)
        with pytest.raises(Raised):
            broken.fit(X, y)
    resumed = pickle.loads(pickle.dumps(broken)).fit(X, y)
    assert_same_end(resumed, clone(MODELS[0]).fit(X, y))


@pytest.mark.parametrize("cv", [None, 3])
def test_from_a_saved_file(cv, monkeypatch, tmp_path):
    """The recorded moves are accepted again, without search."""
    X, y = problems.from_few_columns(300, 30, used=tuple(range(10)), noise=1.0)
    np.save(tmp_path / "X.npy", X)
    model = ForwardRidge(n_features_to_select=10, warm_start=True, cv=cv)
    with monkeypatch.context() as patch:
        interrupt(patch, 6, raised)
        with pytest.raises(Raised):
            model.fit(tmp_path / "X.npy", y)
    visited = len(model.path_moves_)
    save_model(model, tmp_path / "model.json")
    asked = []
    for ledger in (LeaveOneOut, HoldOut):
        usual = ledger.best
        monkeypatch.setattr(
            ledger, "best", lambda *told, usual=usual: asked.append(told) or usual(*told)
        )
    resumed = load_model(tmp_path / "model.json").fit(tmp_path / "X.npy", y)
    assert len(asked) == 10 - visited
    assert visited >= 5
    assert_same_end(resumed, clone(model).set_params(warm_start=False).fit(X, y))


def test_of_files(monkeypatch, tmp_path):
    X, y = problems.from_few_columns(300, 30, used=tuple(range(10)), noise=1.0)
    np.save(tmp_path / "X.npy", X)
    broken = ForwardRidge(n_features_to_select=10, warm_start=True)
    with monkeypatch.context() as patch:
        interrupt(patch, 6, sigint)
        with pytest.raises(KeyboardInterrupt):
            broken.fit(RowBlocks(tmp_path / "X.npy", chunk_rows=70), y)
    resumed = broken.fit(RowBlocks(tmp_path / "X.npy", chunk_rows=110), y)
    assert_same_end(resumed, ForwardRidge(n_features_to_select=10).fit(X, y))


def test_more_is_selected_from_where_the_last_fit_ended():
    X, y = data_for(MODELS[0])
    model = ForwardRidge(n_features_to_select=3, warm_start=True).fit(X, y)
    model.set_params(n_features_to_select=8).fit(X, y)
    assert_same_end(model, ForwardRidge(n_features_to_select=8).fit(X, y))
    fewer = model.set_params(n_features_to_select=2).fit(X, y)
    assert fewer.n_features_ == 2
    assert_allclose(fewer.coef_, ForwardRidge(n_features_to_select=2).fit(X, y).coef_)


@pytest.mark.parametrize(
    "change",
    [
        lambda model, X, y: (X, y + np.arange(len(y))),
        lambda model, X, y: (2 * X, y),
        lambda model, X, y: (model.set_params(alphas=3.0) and X, y),
        lambda model, X, y: (model.set_params(include=[9]) and X, y),
        lambda model, X, y: (model.set_params(cv=3) and X, y),
    ],
)
def test_another_problem_is_refused(change):
    X, y = data_for(MODELS[0])
    model = ForwardRidge(n_features_to_select=3, warm_start=True).fit(X, y)
    model.set_params(n_features_to_select=5)
    X, y = change(model, X, y)
    with pytest.raises(ValueError, match="not those of this problem.*warm_start=False"):
        model.fit(X, y)


def test_without_warm_start_a_fit_starts_anew():
    X, y = data_for(MODELS[0])
    model = ForwardRidge(n_features_to_select=3).fit(X, y)
    assert_same_end(model.fit(2 * X, y), ForwardRidge(n_features_to_select=3).fit(2 * X, y))


def test_an_interruption_before_the_first_move_leaves_nothing(monkeypatch):
    X, y = data_for(MODELS[0])
    monkeypatch.setattr(selection.MoveTasks, "begin", lambda tasks: raised())
    model = ForwardRidge()
    with pytest.raises(Raised):
        model.fit(X, y)
    assert not hasattr(model, "coef_")


def test_patience_is_that_of_the_whole_path():
    X, y = problems.from_few_columns(60, 15, noise=1.0)
    path = ForwardRidge(patience=4).fit(X, y)._path
    assert Patience(SizeRule("best"), 4).follow(path, +1)
    assert not Patience(SizeRule("best"), 4).follow(path[:-1], +1)
