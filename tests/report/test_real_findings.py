"""Reports of what real fits of tables have found, whatever the method."""

import json

import polars as pl
import pytest

from holdfast.data import load_auto_price
from holdfast.model_file.kinds import Place
from holdfast.model_file.of_findings import FINDINGS
from holdfast.report import write_report
from holdfast.report.models import models_of
from holdfast.report.terms import Noun
from holdfast.table_models.findings import findings_of
from holdfast.table_models.fitting import fit, honest, ready
from holdfast.table_models.methods import METHODS, method_named
from holdfast.table_models.preparing import Asked, prepare

CASES = [
    (method.name, classes)
    for method in METHODS
    for classes, task in ((0, "regression"), (2, "classification"), (3, "classification"))
    if method.estimator(task) and (classes != 2 or method.name == "lars-svc")
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Cars with a category of four levels; the target a number, or a price class."""
    cars = load_auto_price()
    folder = tmp_path_factory.mktemp("tables")
    columns = ["width", "curb-weight", "horsepower", "bore"]
    frame = pl.DataFrame(cars.X, schema=list(cars.feature_names)).select(columns)
    makers = [f"maker <{k % 7 % 4}>" for k in range(len(cars.y))]
    frame = frame.with_columns(pl.Series("maker", makers))
    places = {}
    for classes in (0, 2, 3):
        target = pl.Series("target", cars.y)
        if classes:
            ranks = target.rank("ordinal") * classes // (len(target) + 1)
            target = ranks.cast(pl.Int64).cast(pl.String).alias("target")
        places[classes] = folder / f"{classes}.csv"
        frame.with_columns(target).write_csv(places[classes])
    return places


def findings(table, name, **options):
    method = method_named(name)
    prepared = prepare(Asked(table, "target", **options))
    case = ready(prepared, method, {})
    return findings_of(prepared, method, fit(case), honest(case), 1.0)


@pytest.mark.parametrize(("name", "classes"), CASES)
def test_every_method_has_a_report(tables, tmp_path, name, classes):
    task = "classification" if classes else "regression"
    found = findings(tables[classes], name, task=task, cv="5")
    # What a model file holds of it is all of it.
    assert FINDINGS.read(json.loads(json.dumps(found)), Place("findings")) == found
    write_report(found, tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert "nested" in text
    for model in models_of(found):
        columns = [row.column for row in model.rows]
        assert len(set(columns)) == len(columns)
        if name == "ridge":
            used = {j for line in found["coef"] for j, value in enumerate(line) if value}
            assert set(columns) == used
    if name in ("forward", "backward"):
        assert Noun.of_findings(found).one == "column"


@pytest.mark.browser
def test_a_report_of_a_table_in_the_browser(tables, opened):
    found = findings(tables[0], "forward", task="regression", cv="5")
    page = opened(found)
    # All columns, and eight numbers: no maker is among the rare ones, so that level is zero.
    page.fill("#size", "5")
    names = page.locator("#features tbody th").all_inner_texts()
    assert page.inner_text("#said").startswith("5 columns (8 features)")
    entry = found["path"][5]
    values = dict(zip(entry["columns"], entry["coef"][0], strict=True))
    assert sorted(names) == sorted(found["features"][j] for j, value in values.items() if value)
