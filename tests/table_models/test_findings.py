"""Findings are what the estimators say, as plain values; models of tables predict from tables."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone

from holdfast.table_models.applying import apply
from holdfast.table_models.findings import findings_of
from holdfast.table_models.fitting import fit, honest, ready
from holdfast.table_models.methods import (
    METHODS,
    WIDTHS,
    applicable,
    automatic,
    method_named,
)
from holdfast.table_models.preparing import Asked, prepare
from holdfast.table_models.provenance import fingerprint, provenance_of
from holdfast.table_models.table_model import TableModel
from holdfast.tables import learn
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


def by_hand(case, name, task):
    """The honest error: encoding, estimator and search made anew for every outer fold."""
    method, prepared = method_named(name), case.prepared
    frame, y = prepared.frame, prepared.y
    codes = y if task == "regression" else np.where(y == "yes", 1.0, -1.0)
    losses = np.full(len(y), np.nan)
    for train, held in prepared.plan.outer.split(frame, y):
        encoding = learn(frame[train].lazy(), prepared.columns, rare=5, scale=method.scaled)
        model = clone(case.estimator)
        if method.grouped:
            model.set_params(feature_groups=encoding.groups)
        if method.widths:
            model.set_params(gamma=tuple(width / len(encoding.names) for width in WIDTHS))
        if "n_basis" in model.get_params():
            model.set_params(n_basis=len(train) // 2)
        model.fit(encoding.encode(frame[train]), y[train])
        numbers = encoding.encode(frame[held])
        outputs = (model.predict if task == "regression" else model.decision_function)(numbers)
        gaps = codes[held] - outputs
        losses[held] = (np.maximum(codes[held] * gaps, 0) if method.hinge else gaps) ** 2
    return losses.mean()


def test_an_honest_error_learns_no_median_and_no_level_of_held_out_rows(tmp_path):
    frame = homes().with_columns(
        area=pl.when(pl.int_range(pl.len()) % 3 > 0).then(pl.int_range(pl.len()) ** 2 + 0.5),
        city=pl.concat_str(pl.lit("city "), (pl.int_range(pl.len()) // 20).cast(pl.String)),
    )
    path = write(frame, tmp_path)
    asked = Asked(path, "price", cv="series:listed", impute="median", drop=("agent", "dear"))
    nested = honest(ready(prepare(asked), method_named("ridge"), {}))
    fills = [model.encoding_.columns[0].fill for model in nested.estimators]
    assert len(set(fills)) == len(fills)
    levels = [len(model.encoding_.names) for model in nested.estimators]
    assert levels == sorted(levels)
    assert levels[0] < levels[-1]


@pytest.mark.parametrize("cv", ["loo", "5", "group:agent", "series:listed"])
def test_the_constant_is_judged_by_the_same_splits(tmp_path, cv):
    drop = ("dear", "weight", *({"agent", "listed"} - {cv.partition(":")[2]}))
    case = ready(
        prepare(Asked(write(homes(), tmp_path), "price", cv=cv, drop=drop)),
        method_named("forward"),
        {},
    )
    fitted, nested = fit(case), honest(case)
    told = findings_of(case.prepared, method_named("forward"), fitted, nested, 0.0)
    y, plan = case.prepared.y, case.prepared.plan
    pairs = list(plan.outer.split(y[:, None], y, case.prepared.groups))
    errors = [(y[held] - y[train].mean()) ** 2 for train, held in pairs]
    assert told["baseline"] == pytest.approx(np.mean(np.concatenate(errors)))
    alone = findings_of(case.prepared, method_named("forward"), fitted, "not asked", 0.0)
    assert alone["baseline"] == pytest.approx(alone["path"][0]["error"])


@pytest.mark.parametrize(("name", "task"), CASES)
def test_findings_are_what_the_model_says(tmp_path, name, task):
    case = case_of(tmp_path, name, task)
    fitted, nested = fit(case), honest(case)
    found = findings_of(case.prepared, method_named(name), fitted, nested, 1.0)
    assert json.loads(json.dumps(found, allow_nan=False)) == found

    model = fitted.estimator
    assert found["nested"]["error"] == pytest.approx(by_hand(case, name, task), rel=1e-9)
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
    assert found["baseline_wrong"] == (None if task == "regression" else 0.5)
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
    assert found["nested"]["folds"] == 10
    json.dumps(found, allow_nan=False)
    model = TableModel(fitted.estimator, fitted.encoding, "price", "regression")
    numbers = case.prepared.numbers(scaled=False)[0]
    np.testing.assert_allclose(
        model.predict(homes())["prediction"], fitted.estimator.predict(numbers)
    )


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
