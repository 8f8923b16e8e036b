"""What is read from a file is what was written: every class, bit for bit."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier

from holdfast import (
    EvidenceRegressor,
    ForwardRidge,
    KernelRidgeCV,
    RidgeCV,
    RowBlocks,
    SparseKernelRidge,
    load_model,
    save_model,
)
from tests.model_file import cases
from tests.model_file.alike import assert_alike, assert_same


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="module", params=cases.CASES)
def pair(request, folder):
    """A fitted model, and what became of it in a file."""
    model = cases.fitted(request.param)
    save_model(model, folder / "model.json")
    return model, load_model(folder / "model.json")


def layouts(rows):
    """The same rows as they may lie in memory."""
    if isinstance(rows, pd.DataFrame):
        return [rows]
    if sp.issparse(rows):
        return [rows, rows.tocsc(), rows.toarray()]
    every = np.zeros((2 * len(rows), 2 * rows.shape[1]))
    every[::2, ::2] = rows
    single = rows.astype(np.float32)
    return [rows, np.asfortranarray(rows), every[::2, ::2], single, sp.csr_array(rows)]


def outputs(model, rows):
    """Everything the model says of rows; the message of an error counts too."""
    told = []
    for name in ("predict", "decision_function", "transform"):
        if hasattr(model, name):
            try:
                told.append(np.asarray(getattr(model, name)(rows)))
            except (ValueError, TypeError) as error:
                told.append(str(error))
    if hasattr(model, "log_evidence_"):
        told.extend(model.predict(rows, return_std=True))
    return told


def assert_same_outputs(model, loaded, rows):
    for layout in layouts(rows):
        for mine, theirs in zip(outputs(model, layout), outputs(loaded, layout), strict=True):
            if isinstance(mine, np.ndarray) and sp.issparse(mine.item() if mine.ndim == 0 else 0):
                mine, theirs = mine.item().toarray(), theirs.item().toarray()
            assert_same(mine, theirs, "outputs")


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.filterwarnings("ignore:No features were selected")
def test_attributes_and_predictions(pair):
    model, loaded = pair
    assert_alike(model, loaded)
    assert_same_outputs(model, loaded, cases.rows_for(model))


def test_parameters(pair):
    model, loaded = pair
    assert repr(clone(loaded)) == repr(clone(model))


def test_what_scikit_learn_offers(pair):
    model, loaded = pair
    assert "fitted" in loaded._repr_html_()
    if hasattr(model, "get_feature_names_out"):
        assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert is_classifier(loaded) == is_classifier(model)
    assert pickle.loads(pickle.dumps(loaded)).n_features_in_ == model.n_features_in_


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.filterwarnings("ignore:No features were selected")
def test_truncated(pair):
    model, loaded = pair
    if not hasattr(model, "truncate"):
        return
    rows = cases.rows_for(model)
    sizes = getattr(model, "path_sizes_", np.arange(len(model.selection_order_) + 1))
    for size in ("best", *np.unique(sizes).tolist()):
        mine, theirs = model.truncate(size), loaded.truncate(size)
        if hasattr(model, "log_evidence_"):  # its posteriors are made anew
            assert np.allclose(theirs.predict(rows), mine.predict(rows), rtol=1e-9, atol=1e-9)
        else:
            assert_alike(mine, theirs)
            assert_same_outputs(mine, theirs, rows)


def test_saved_again_it_is_the_same_file(pair, folder):
    model, loaded = pair
    save_model(model, folder / "first.json")
    save_model(loaded, folder / "second.json")
    assert (folder / "second.json").read_bytes() == (folder / "first.json").read_bytes()


def test_held_out_predictions_need_the_fit(folder):
    model = cases.fitted("kernel ridge")
    save_model(model, folder / "model.json")
    with pytest.raises(AttributeError, match="one from a file.*call fit"):
        load_model(folder / "model.json").holdout_predict([0])


def test_results_that_were_not_stored_are_not_there(folder):
    save_model(cases.fitted("forward"), folder / "model.json")
    assert not hasattr(load_model(folder / "model.json"), "cv_results_")


def test_of_a_table_on_disk(tmp_path):
    blocks = cases.parquet(tmp_path)
    model = ForwardRidge().fit(blocks, "y")
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert_alike(model, loaded)
    assert np.array_equal(loaded.predict(blocks), model.predict(blocks))


STORED = [
    RidgeCV(),
    ForwardRidge(cv=3),
    EvidenceRegressor(kernel=None),
    EvidenceRegressor(low_rank=20, max_basis=5),
    SparseKernelRidge(n_basis=5, random_state=0),
]


@pytest.mark.parametrize("model", STORED, ids=str)
def test_of_rows_on_disk(model, tmp_path):
    np.save(tmp_path / "X.npy", cases.X)
    blocks = RowBlocks(tmp_path / "X.npy")
    model.fit(blocks, cases.y)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert_alike(model, loaded)
    assert np.array_equal(loaded.predict(blocks), model.predict(blocks))


def test_displays(pair):
    pytest.importorskip("matplotlib").use("agg")
    from holdfast import AlphaDisplay, PathDisplay

    model, loaded = pair
    if hasattr(model, "_path"):
        mine, theirs = PathDisplay.from_estimator(model), PathDisplay.from_estimator(loaded)
        assert_same(mine.coefs, theirs.coefs, "coefs")
    if hasattr(model, "alpha_errors_"):
        mine, theirs = AlphaDisplay.from_estimator(model), AlphaDisplay.from_estimator(loaded)
        assert mine.error_label == theirs.error_label
    from matplotlib import pyplot

    pyplot.close("all")


def test_a_person_can_read_it(folder):
    save_model(cases.fitted("forward of names"), folder / "model.json")
    text = (folder / "model.json").read_text(encoding="utf-8")
    content = json.loads(text)["model"]
    assert content["class"] == "ForwardRidge"
    assert content["feature_names"][3] == "column 3"
    assert max(map(len, text.splitlines())) < 400


def test_memory_order_of_coefficients(folder):
    rng = np.random.default_rng(0)
    X, Y = rng.standard_normal((30, 17)), rng.standard_normal((30, 5))
    model = RidgeCV().fit(X, Y)
    for coef in (np.asfortranarray(model.coef_), np.ascontiguousarray(model.coef_)):
        model.coef_ = coef
        save_model(model, folder / "model.json")
        loaded = load_model(folder / "model.json")
        assert loaded.coef_.flags.f_contiguous == coef.flags.f_contiguous
        assert_same_outputs(model, loaded, X)


def test_rows_that_lie_apart_in_memory(folder):
    every = np.random.default_rng(0).standard_normal((60, 40))
    for X in (every[::2], every[:, ::2], every.T[::3]):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = KernelRidgeCV(kernel="rbf").fit(X, X[:, 0])
        save_model(model, folder / "model.json")
        loaded = load_model(folder / "model.json")
        # They are kept together, and their products may be rounded otherwise.
        assert np.array_equal(loaded.X_fit_, X)
        assert np.allclose(loaded.predict(X), model.predict(X), rtol=1e-12, atol=0)
