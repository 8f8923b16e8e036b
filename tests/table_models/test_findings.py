"""Findings are what the estimators say, as plain values; models of tables predict from tables."""

import json

import numpy as np
import polars as pl
import pytest

from holdfast import nested_score
from holdfast.table_models.applying import apply
from holdfast.table_models.findings import findings_of
from holdfast.table_models.fitting import fit, honest, ready
from holdfast.table_models.methods import METHODS, applicable, automatic, method_named
from holdfast.table_models.preparing import Asked, prepare
from holdfast.table_models.provenance import fingerprint, provenance_of
from holdfast.table_models.table_model import TableModel
from tests.table_models.tables import homes, write

CASES = [
    (method.name, task)
    for method in METHODS
    for task in ("regression", "classification")
    if method.estimator(task)
]


def case_of(folder, name, task, **options):
    target, other = ("price", "dear") if task == "regression" else ("dear", "price")
    drop = ("listed", "agent", "weight", other)
    asked = Asked(write(homes(), folder), target, drop=drop, **options)
    return ready(prepare(asked), method_named(name), {})


@pytest.mark.parametrize(("name", "task"), CASES)
def test_findings_are_what_the_model_says(tmp_path, name, task):
    case = case_of(tmp_path, name, task)
    fitted, nested = fit(case), honest(case)
    found = findings_of(case.prepared, method_named(name), fitted, nested, 1.0)
    assert json.loads(json.dumps(found, allow_nan=False)) == found

    model = fitted.estimator
    again = nested_score(case.estimator, case.numbers, case.prepared.y, case.prepared.plan.outer)
    assert found["nested"]["error"] == pytest.approx(again.error, rel=1e-9)
    assert found["features"] == case.encoding.names
    if found["path"] is None:
        assert found["chosen"] is None
    else:
        entry = found["path"][found["chosen"]]
        assert entry["size"] == model.n_features_
        assert entry["error"] == found["error"] == -model.best_score_
        for entry in found["path"]:
            coef = np.zeros_like(np.atleast_2d(model.coef_))
            coef[:, entry["columns"]] = entry["coef"]
            shorter = model.truncate(entry["size"])
            assert np.array_equal(coef, np.atleast_2d(shorter.coef_))
        columns = found["path"][-1]["columns"]
        deviations = case.numbers[:, columns].std(axis=0)
        effects = np.array(found["path"][-1]["coef"]) * deviations
        np.testing.assert_allclose(found["path"][-1]["effects"], effects, rtol=1e-9, atol=1e-12)
    codes = case.prepared.y
    if task == "classification":
        codes = np.where(codes == "yes", 1.0, -1.0)
    left_out = [(y - np.delete(codes, i).mean()) ** 2 for i, y in enumerate(codes)]
    assert found["baseline"] == pytest.approx(np.mean(left_out))
    rows = np.array(found["held_out"]["rows"]) - 1
    assert np.array_equal(rows, np.arange(120))
    assert found["data"]["rows"] == 120
    city = next(column for column in found["data"]["columns"] if column["name"] == "city")
    assert city["pooled"] == 2


@pytest.mark.parametrize(("name", "task"), CASES)
def test_a_table_is_predicted_as_its_numbers_are(tmp_path, name, task):
    case = case_of(tmp_path, name, task)
    fitted = fit(case)
    model = TableModel(fitted.estimator, fitted.encoding, case.prepared.target, task)
    shuffled = homes().select(reversed(model.needed))
    predictions = model.predict(shuffled)["prediction"].to_numpy()
    expected = fitted.estimator.predict(case.numbers)
    if task == "regression":
        np.testing.assert_allclose(predictions, expected, rtol=1e-10)
    else:
        assert predictions.tolist() == expected.tolist()


def test_only_columns_that_are_used_are_needed(tmp_path):
    case = case_of(tmp_path, "forward", "regression")
    fitted = fit(case)
    model = TableModel(fitted.estimator.truncate(1), fitted.encoding, "price", "regression")
    assert model.needed == ["area"]
    path = write(homes().select("area", "price"), tmp_path, "few.csv")
    found = apply(model, path)
    gaps = homes()["price"].to_numpy() - found.predictions["prediction"].to_numpy()
    assert found.judged["rmse"] == pytest.approx(np.sqrt(np.mean(gaps**2)))
    empty = apply(model, write(homes()[:1].select("area"), tmp_path, "one.csv"))
    assert len(empty.predictions) == 1
    assert empty.judged == {}


def test_what_is_odd_about_rows_is_counted(tmp_path):
    case = case_of(tmp_path, "ridge", "regression", impute="median")
    fitted = fit(case)
    model = TableModel(fitted.estimator, fitted.encoding, "price", "regression")
    odd = homes()[:10].with_columns(
        city=pl.lit("Atlantis"), rooms=pl.when(pl.int_range(10) < 4).then("rooms")
    )
    found = apply(model, write(odd, tmp_path, "odd.csv"))
    assert "'city': 10 of 10 rows have a level that was rare or not there" in found.notes[1]
    assert "'rooms': 6 of 10 cells are empty" in found.notes[0]
    with pytest.raises(ValueError, match=r"lacks 1 of the 4 columns .*: 'area'; is it 'areas'\?"):
        apply(model, write(odd.rename({"area": "areas"}), tmp_path, "named.csv"))


def test_large_numbers_of_rows_are_a_sample(tmp_path, monkeypatch):
    from holdfast.table_models import findings

    monkeypatch.setattr(findings, "_MOST_ROWS_SHOWN", 50)
    case = case_of(tmp_path, "ridge", "regression")
    found = findings_of(case.prepared, method_named("ridge"), fit(case), honest(case), 0.0)
    rows = np.array(found["held_out"]["rows"])
    assert len(rows) == 50
    np.testing.assert_allclose(found["held_out"]["truth"], homes()["price"].to_numpy()[rows - 1])


def test_a_stored_table_is_fitted_from_its_file(tmp_path, monkeypatch):
    from holdfast.table_models import preparing

    path = tmp_path / "homes.parquet"
    homes().write_parquet(path)
    asked = Asked(path, "price", drop=("listed", "dear", "agent"), weight="weight")
    method = method_named("forward")
    whole = fit(ready(prepare(asked), method, {}))
    monkeypatch.setattr(preparing, "available_bytes", lambda: 1000)
    case = ready(prepare(asked), method, {})
    fitted = fit(case)
    assert fitted.features == whole.features
    np.testing.assert_allclose(fitted.estimator.coef_, whole.estimator.coef_, rtol=1e-8)
    found = findings_of(case.prepared, method, fitted, honest(case), 0.0)
    assert found["nested"] is None
    assert "fit a sample" in found["nested_reason"]
    json.dumps(found, allow_nan=False)


def test_the_list_of_methods():
    assert automatic(20, sparse=False, task="regression").name == "forward"
    assert automatic(10**5, sparse=True, task="classification").name == "lars-svc"
    assert automatic(10**5, sparse=True, task="regression").name == "lars-ridge"
    sparse = [method.name for method in applicable("regression", sparse=True)]
    assert "backward" not in sparse
    assert "forward" in sparse
    assert all(method.regression or method.classification for method in METHODS)


def test_where_a_model_comes_from(tmp_path):
    path = write(homes(), tmp_path)
    origin = provenance_of(path, 120)
    assert origin["data"]["rows"] == 120
    assert origin["data"]["fingerprint"] == fingerprint(path)
    write(homes(seed=1), tmp_path)
    assert fingerprint(path) != origin["data"]["fingerprint"]
    homes().write_parquet(tmp_path / "part.parquet")
    assert fingerprint(tmp_path) == fingerprint(tmp_path / "part.parquet")
    assert fingerprint(tmp_path / "p*.parquet") == fingerprint(tmp_path / "part.parquet")
