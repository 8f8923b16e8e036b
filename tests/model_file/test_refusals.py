"""What is refused, when it is written and when it is read, and what is said about it."""

import json
import os
import sys

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import Ridge
from sklearn.metrics import make_scorer, mean_absolute_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from holdfast import (
    ForwardRidge,
    KernelRidgeCV,
    RidgeClassifierCV,
    RidgeCV,
    SparseKernelRidge,
    load_model,
    save_model,
)
from holdfast.model_file import ModelFileError
from holdfast.model_file.text import checksum, to_text
from holdfast.table_models.table_model import TableModel
from tests.model_file import cases, table_models
from tests.model_file.mutations import nested

X, y = cases.X, cases.y


@pytest.fixture
def saved(tmp_path):
    """A small file."""
    save_model(ForwardRidge(n_features_to_select=2).fit(X, y), tmp_path / "model.json")
    return tmp_path / "model.json"


# ---------------------------------------------------------------------------------- when written


def kernel(a, b):
    return float(a @ b)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SparseKernelRidge(kernel=kernel, n_basis=4), "kernel=.*no functions.*precomputed"),
        (RidgeCV(scoring=make_scorer(mean_absolute_error)), "scoring=.*use its name"),
        (KernelRidgeCV(scoring=lambda model, X, y: 0.0), "scoring=.*no functions"),
        (
            SparseKernelRidge(n_basis=4, random_state=np.random.RandomState(0)),
            "random_state=.*a seed",
        ),
    ],
)
def test_what_no_file_can_say(model, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        save_model(model.fit(X, y), tmp_path / "model.json")
    assert os.listdir(tmp_path) == []


def test_splits_that_are_used_up(tmp_path):
    model = ForwardRidge(cv=iter([(np.arange(20), np.arange(20, 40))]))
    model.fit(X, y)
    with pytest.raises(ValueError, match="cv=.*a splitter of sklearn.model_selection"):
        save_model(model, tmp_path / "model.json")


def test_an_own_splitter(tmp_path):
    class Own(type(cases.KFold())):
        pass

    with pytest.raises(ValueError, match="cv=.*a splitter of sklearn.model_selection"):
        save_model(ForwardRidge(cv=Own(3)).fit(X, y), tmp_path / "model.json")


def test_not_fitted(tmp_path):
    with pytest.raises(NotFittedError):
        save_model(ForwardRidge(), tmp_path / "model.json")


def test_interrupted_before_there_was_a_model(tmp_path, monkeypatch):
    monkeypatch.setattr(ForwardRidge, "_search", lambda model, problem: 1 / 0)
    model = ForwardRidge()
    with pytest.raises(ZeroDivisionError):
        model.fit(X, y)
    with pytest.raises(NotFittedError, match="no model yet.*call fit"):
        save_model(model, tmp_path / "model.json")


class Mine(ForwardRidge):
    """A class that no file knows."""


@pytest.mark.parametrize(
    "model", [Ridge(), make_pipeline(StandardScaler(), ForwardRidge()), Mine()], ids=str
)
def test_models_of_others(model, tmp_path):
    with pytest.raises(TypeError, match="not kept in model files.*the estimator inside"):
        save_model(model.fit(X, y), tmp_path / "model.json")
    assert os.listdir(tmp_path) == []


def test_labels_of_bytes(tmp_path):
    model = RidgeClassifierCV().fit(X, cases.CODES)
    model.classes_ = np.array([b"a", b"b", b"c"])
    with pytest.raises(ValueError, match="classes_ are.*expected texts, whole numbers"):
        save_model(model, tmp_path / "model.json")


@pytest.mark.parametrize("finding", [np.float64(1.0) * np.nan, {1: 2}, (1, 2), "\ud800", X])
def test_findings_that_are_no_plain_values(finding, tmp_path):
    model = ForwardRidge().fit(X, y)
    table = TableModel(model, None, "y", "regression", {"a": [0, {"b": finding}]}, {})
    with pytest.raises(ValueError, match=r"at \['a'\]\[1\]\['b'\].*expected plain values"):
        save_model(table, tmp_path / "model.json")


def test_coefficients_that_overflow(tmp_path):
    model = RidgeCV().fit(X, y)
    model.coef_ = model.coef_ * 1e200
    with pytest.raises(ValueError, match="coef.*size at most"):
        save_model(model, tmp_path / "model.json")
    assert os.listdir(tmp_path) == []


def test_what_stood_there_stays_until_all_is_written(saved):
    before = saved.read_bytes()
    with pytest.raises(ValueError, match="no functions"):
        save_model(SparseKernelRidge(kernel=kernel, n_basis=4).fit(X, y), saved)
    assert saved.read_bytes() == before


# ------------------------------------------------------------------------------------- when read


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"PK\x03\x04", "not JSON"),
        (b"[1, 2]", "not a 'holdfast model' file"),
        (b'{"format": "other"}', "not a 'holdfast model' file"),
        (b'{"format": "holdfast model"}', "schema version is None"),
        (b'{"format": "holdfast model", "schema": true}', "schema version is True"),
        (b'{"format": "holdfast model", "schema": 2}', "newer than 1.*later one"),
        (b'{"format": "holdfast model", "schema": 1}', "checksum"),
        (b'{"format": "a", "format": "holdfast model"}', "stands twice"),
        (b'{"format": NaN}', "NaN is no JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'{"format": "holdfast model", "schema": 1, "x": 1e999}', "what no model file does"),
        (b"9" * 10_000, "not JSON"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_what_is_no_model_file(raw, message, tmp_path):
    (tmp_path / "model.json").write_bytes(raw)
    with pytest.raises(ModelFileError, match=message) as raised:
        load_model(tmp_path / "model.json")
    assert str(tmp_path / "model.json") in str(raised.value)


def test_truncated(saved):
    saved.write_bytes(saved.read_bytes()[:-20])
    with pytest.raises(ModelFileError, match="not JSON"):
        load_model(saved)


def test_edited(saved):
    text = saved.read_text()
    changed = text.replace('"fit_intercept": true', '"fit_intercept": false')
    assert changed != text
    saved.write_text(changed)
    with pytest.raises(ModelFileError, match="changed since it was written"):
        load_model(saved)


def test_laid_out_anew_it_is_the_same(saved):
    expected = load_model(saved).predict(X)
    saved.write_text(json.dumps(json.loads(saved.read_text())))
    assert np.array_equal(load_model(saved).predict(X), expected)


def edited(saved, edit):
    """The file with an edit, and the checksum that goes with it."""
    content = json.loads(saved.read_text())
    for name in ("format", "schema", "checksum"):
        del content[name]
    edit(content["model"])
    saved.write_text(to_text(content))


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda m: m.update({"class": "Ridge"}), "class 'Ridge'; expected one of ForwardRidge"),
        (lambda m: m.update({"class": "os.system"}), "class 'os.system'"),
        (lambda m: m.update(more=1), "unknown field 'more'"),
        (lambda m: m.pop("path"), "no field 'path'"),
        (lambda m: m["parameters"].pop("cv"), "model.parameters.*expected the parameters"),
        (
            lambda m: m["parameters"].update(cv={"splitter": "eval", "parameters": {}}),
            "parameters.cv holds 'eval'; expected one of the splitters",
        ),
        (
            lambda m: m["parameters"].update(
                cv={
                    "splitter": "KFold",
                    "parameters": {"n_splits": -1, "shuffle": False, "random_state": None},
                }
            ),
            "KFold that cannot be made",
        ),
        (lambda m: m["parameters"].update(fit_intercept="yes"), "fit_intercept='yes'"),
        (lambda m: m["path"][1]["solution"]["columns"].append(0), "coef|columns"),
        (lambda m: m["path"][1]["solution"]["columns"].__setitem__(0, 8), r"from 0 to 7"),
        (lambda m: m["path"][1].update(errors=["nan"]), "errors"),
        (lambda m: m["path"][1].update(errors=[None]), "an error that is no number"),
        (lambda m: m["path"][1].update(move=None), "a move, or none"),
        (lambda m: m["path"][1].update(fold_errors=[[1.0]]), "fold_errors|errors of splits"),
        (lambda m: m.update(chosen=3), "chosen holds 3; expected a whole number from 0 to 2"),
        (lambda m: m.update(features=10**13), "fit into memory"),
        (lambda m: m.update(target_shape=[2]), "target_shape"),
        (lambda m: m.update(feature_names=["a"]), "1 features; expected 8"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_valid_checksum_is_not_enough(edit, message, saved):
    edited(saved, edit)
    with pytest.raises(ModelFileError, match=message):
        load_model(saved)


def test_checksum_does_not_depend_on_order():
    assert checksum({"a": 1, "b": [1.0]}) == checksum({"b": [1.0], "a": 1})
    assert checksum({"a": 1.0}) != checksum({"a": 1})


def test_numbers_and_arrays_of_other_kinds_as_parameters(tmp_path):
    model = ForwardRidge(
        n_features_to_select=np.int64(2), alphas=np.array([0.5, 2.0]), include=range(1), cv=(3)
    ).fit(X, y)
    save_model(model, tmp_path / "model.json")
    loaded = load_model(tmp_path / "model.json")
    assert loaded.n_features_to_select == 2
    assert loaded.alphas.tolist() == [0.5, 2.0]
    assert loaded.include == [0]
    assert np.array_equal(loaded.fit(X, y).coef_, model.coef_)


# --------------------------------------------------------------------------- findings and origin


@pytest.fixture
def fitted(tmp_path):
    """A file as ``holdfast fit`` writes it."""
    save_model(table_models.made()["fitted"], tmp_path / "model.json")
    return tmp_path / "model.json"


@pytest.mark.parametrize("depth", [2, 30, 48])
def test_more_than_the_schema_names_is_kept(fitted, depth):
    more = json.loads(nested(depth))

    def edit(model):
        model["findings"]["nested"]["more"] = model["provenance"]["more"] = {"a": more}
        model["findings"]["approximate"] = True

    edited(fitted, edit)
    if depth > 40:
        with pytest.raises(ModelFileError, match="inside each other without end"):
            load_model(fitted)
        return
    loaded = load_model(fitted)
    assert loaded.provenance["more"] == {"a": more}
    assert loaded.findings["nested"]["more"] == {"a": more}
    assert loaded.findings["approximate"] is True


@pytest.mark.parametrize("depth", range(60, 960, 60))
@pytest.mark.parametrize("place", ["findings", "provenance", "parameters"])
def test_nesting_without_end(fitted, place, depth):
    document = json.loads(fitted.read_text())
    content = {name: document[name] for name in ("written_by", "model")}
    part = content["model"] if place != "parameters" else content["model"]["estimator"]
    part[place]["more"] = DEEP
    text = json.dumps(content).replace(json.dumps(DEEP), nested(depth))
    head = f'{{"format": "holdfast model", "schema": 1, "checksum": "{checksum_of(text)}", '
    fitted.write_text(head + text[1:])
    with pytest.raises(ModelFileError, match="without end"):
        load_model(fitted)


def checksum_of(text):
    """Of a content that may be nested deeper than this interpreter likes to go."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        return checksum(json.loads(text))
    finally:
        sys.setrecursionlimit(limit)


DEEP = "something deep"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda f: f.pop("held_out"), "findings holds no field 'held_out'"),
        (lambda f: f.update(version=2), "findings of version 2; expected version 1"),
        (lambda f: f.update(error="0.5"), "findings.error holds '0.5'; expected a number"),
        (lambda f: f.update(approximate=1), "approximate holds 1; expected true or false"),
        (lambda f: f.update(task="classification"), "0 classes; expected those of a class"),
        (lambda f: f.update(classes=["a", "b"]), "2 classes; expected those of a regression"),
        (lambda f: f.update(path=[]), "path holds .*at least 1"),
        (lambda f: f.update(chosen=99), "the chosen model 99; expected one of the path"),
        (lambda f: f.update(chosen=None), "the chosen model None"),
        (lambda f: f["path"][1]["columns"].append(99), "columns.* holds 99; expected a whole"),
        (lambda f: f["path"][1]["coef"][0].append(0.0), "coef"),
        (lambda f: f["path"][1].update(effects=None), "effects of some models"),
        (
            lambda f: f["features"].pop(),
            "feature_columns holds [0-9]+ features; expected [0-9]+ of",
        ),
        (lambda f: f.update(coef=None), "half a linear model"),
        (lambda f: f["nested"]["sizes"].pop(), "nested.sizes"),
        (lambda f: f.update(nested=None, nested_reason=None), "neither a nested estimate nor why"),
        (lambda f: f["held_out"]["truth"].pop(), "held_out.truth"),
        (lambda f: f["held_out"]["outputs"][0].append(1.0), "held_out.outputs"),
        (lambda f: f["data"]["columns"][0].pop("pooled"), "a part of levels, n_levels, pooled"),
        (lambda f: f["data"]["target"].pop("kind"), "target holds no field 'kind'"),
        (lambda f: f.update(method="[/b]"), r"method holds '\[/b\]'; expected a name"),
        (lambda f: f["warnings"].append(None), "warnings.* holds None; expected a text"),
        (lambda f: f.update(seconds=10**400), "size at most 1e"),
    ],
)
def test_findings_that_contradict_themselves(fitted, edit, message):
    edited(fitted, lambda model: edit(model["findings"]))
    with pytest.raises(ModelFileError, match=message):
        load_model(fitted)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda p: p.pop("command"), "provenance holds no field 'command'"),
        (lambda p: p.update(versions=[]), r"versions holds \[\]; expected an object"),
        (lambda p: p["versions"].update(python=3), "versions.python holds 3; expected a text"),
        (lambda p: p["data"].pop("fingerprint"), "no field 'fingerprint'"),
    ],
)
def test_an_origin_that_is_none(fitted, edit, message):
    edited(fitted, lambda model: edit(model["provenance"]))
    with pytest.raises(ModelFileError, match=message):
        load_model(fitted)


def test_findings_or_origin_may_be_empty(fitted):
    for name in ("findings", "provenance"):
        edited(fitted, lambda model, name=name: model[name].clear())
        assert getattr(load_model(fitted), name) == {}


def test_findings_of_another_task(fitted):
    other = table_models.made()["fitted, backward"].findings
    edited(fitted, lambda model: model.update(findings=other))
    with pytest.raises(ModelFileError, match="expected"):
        load_model(fitted)


def test_findings_nested_without_end_are_not_written(tmp_path):
    model = ForwardRidge().fit(X, y)
    table = TableModel(model, None, "y", "regression", {"a": json.loads(nested(400))}, {})
    with pytest.raises(ValueError, match="lists of lists without end"):
        save_model(table, tmp_path / "model.json")
    assert os.listdir(tmp_path) == []
