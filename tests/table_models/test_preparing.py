"""What a table is used for, and everything that can be wrong with it."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import dump_svmlight_file
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    TimeSeriesSplit,
)

from holdfast.table_models import preparing
from holdfast.table_models.preparing import Asked, named_columns, prepare
from tests.table_models.tables import homes, write

USED = ("area", "rooms", "city", "noise")


@pytest.fixture
def path(tmp_path):
    return write(homes(), tmp_path)


def test_columns_serve_one_purpose(path):
    asked = Asked(path, "price", weight="weight", cv="group:agent", drop=("listed", "dear"))
    prepared = prepare(asked)
    assert prepared.columns == list(USED)
    assert prepared.shape == (120, 4)
    np.testing.assert_allclose(prepared.weights, homes()["weight"])
    np.testing.assert_allclose(prepared.y, homes()["price"])
    assert len(np.unique(prepared.groups)) == 7
    numbers, encoding = prepared.numbers(scaled=False)
    cities = ["city=Oslo", "city=Paris", "city=Rome", "city=(other)"]
    assert encoding.names == ["area", "rooms", *cities, "noise"]
    np.testing.assert_allclose(numbers[:, 0], homes()["area"])
    assert numbers[:2, 5].tolist() == [1.0, 1.0]


def test_keep_names_the_only_columns(path):
    assert prepare(Asked(path, "price", keep=("rooms", "area"))).columns == ["rooms", "area"]


@pytest.mark.parametrize(
    ("target", "task", "expected"),
    [
        ("price", "auto", "regression"),
        ("dear", "auto", "classification"),
        ("rooms", "auto", "regression"),
        ("rooms", "classification", "classification"),
    ],
)
def test_the_task_is_that_of_the_target(path, target, task, expected):
    prepared = prepare(Asked(path, target, task, drop=("listed",)))
    assert prepared.task == expected
    if target == "rooms" and task == "classification":
        assert prepared.classes == ["1", "2", "3", "4", "5"]
        assert prepared.y.dtype.kind == "i"


@pytest.mark.parametrize(
    ("cv", "task", "inner", "outer"),
    [
        ("loo", "regression", type(None), KFold),
        ("loo", "classification", type(None), StratifiedKFold),
        ("5", "regression", KFold, KFold),
        ("5", "classification", StratifiedKFold, StratifiedKFold),
        ("group:agent", "regression", LeaveOneGroupOut, LeaveOneGroupOut),
        ("group:noise", "regression", GroupKFold, GroupKFold),
        ("series:listed", "regression", TimeSeriesSplit, TimeSeriesSplit),
    ],
)
def test_splits(path, cv, task, inner, outer):
    target = "price" if task == "regression" else "dear"
    drop = () if "listed" in cv else ("listed",)
    plan = prepare(Asked(path, target, cv=cv, drop=drop)).plan
    assert (type(plan.inner), type(plan.outer)) == (inner, outer)


def test_a_series_is_put_in_order(path):
    prepared = prepare(Asked(path, "price", cv="series:listed"))
    np.testing.assert_allclose(prepared.y, homes()["price"][::-1])
    assert prepared.row_numbers[0] == 120
    assert "listed" not in prepared.columns


def test_rows_without_a_target_are_left_out_and_told(tmp_path):
    frame = homes().with_columns(
        price=pl.when(pl.int_range(pl.len()) < 3).then(None).otherwise("price")
    )
    prepared = prepare(Asked(write(frame, tmp_path), "price", drop=("listed",)))
    assert prepared.left_out == 3
    assert prepared.row_numbers[0] == 4
    assert any("3 of 120 rows have no 'price'" in text for text in prepared.warnings)


def test_a_suspect_is_a_warning(tmp_path):
    frame = homes().with_columns(euros=pl.col("price") * 1.1)
    prepared = prepare(Asked(write(frame, tmp_path), "price", drop=("listed",)))
    assert any("'euros' all but determines the target" in text for text in prepared.warnings)


def test_a_large_table_stays_in_its_file(tmp_path, monkeypatch):
    path = tmp_path / "homes.parquet"
    homes().write_parquet(path)
    asked = Asked(path, "price", drop=("listed", "dear"), cv="group:agent", weight="weight")
    whole = prepare(asked)
    monkeypatch.setattr(preparing, "available_bytes", lambda: 1000)
    prepared = prepare(asked)
    assert prepared.is_stored
    assert not whole.is_stored
    assert prepared.columns == whole.columns
    for name in ("y", "weights", "groups"):
        assert np.array_equal(getattr(prepared, name), getattr(whole, name))
    with pytest.raises(ValueError, match="too large to be put in order"):
        prepare(replace(asked, cv="series:listed"))


def test_sparse_rows(tmp_path):
    path = tmp_path / "rows.svm"
    X = np.eye(6)[:, :5]
    dump_svmlight_file(X, np.arange(6), str(path), zero_based=True)
    prepared = prepare(Asked(path, None))
    assert prepared.is_sparse
    assert prepared.shape == (6, 5)
    for wrong in ({"target": "y"}, {"weight": "w"}, {"drop": ("a",)}, {"cv": "group:a"}):
        with pytest.raises(ValueError, match="have no names"):
            prepare(replace(Asked(path, None), **wrong))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"target": None}, "no target was named"),
        ({"target": "prize"}, "--target: there is no column 'prize'; did you mean 'price'"),
        ({"target": " PRICE"}, "did you mean 'price'"),
        ({"target": "xyz"}, "expected one of area, rooms, city"),
        ({"drop": ("ara",)}, "--drop: there is no column 'ara'; did you mean 'area'"),
        ({"keep": ("romos",)}, "--keep: there is no column 'romos'"),
        ({"weight": "weigth"}, "--weight: there is no column 'weigth'"),
        ({"cv": "group:agnt"}, "--cv group: there is no column 'agnt'"),
        ({"drop": ()}, "column 'listed' holds dates or times"),
        ({"weight": "city"}, "--weight: column 'city' holds String"),
        ({"keep": ("price",)}, "no column is left to predict 'price'"),
        ({"target": "city", "task": "regression"}, "does not hold numbers in 120 of 120 rows"),
        ({"target": "listed", "drop": ()}, "target 'listed' holds Date"),
        ({"target": "city"}, "only one row of the class"),
        ({"target": "noise", "task": "classification"}, "120 different labels .* --task regres"),
        ({"drop": ("listed", "price")}, "--drop names 'price', which is the target"),
        ({"weight": "price"}, "--weight names 'price', which is the target"),
        ({"cv": "group:price"}, "--cv names 'price', which is the target"),
        ({"cv": "series:city"}, "'city' holds texts, which have no order in time"),
        ({"cv": "1"}, "--cv 1 is not known"),
        ({"cv": "121"}, "folds from 2 to 120"),
        ({"cv": "group:"}, "--cv group: is not known"),
        ({"cv": "group:dear"}, "'dear' has 2 different values; expected at least three"),
    ],
)
def test_what_is_wrong_is_said_before_any_work(path, wrong, says):
    asked = replace(Asked(path, "price", drop=("listed",)), **wrong)
    with pytest.raises(ValueError, match=says):
        prepare(asked)


@pytest.mark.parametrize(
    ("change", "wrong", "says"),
    [
        ({"price": pl.lit(3.0)}, {}, "has the same value 3.0 in all 120 rows"),
        ({"weight": -pl.col("weight")}, {"weight": "weight"}, "empty, negative or infinite"),
        ({"price": pl.lit(np.inf)}, {}, "has the same value|infinite"),
        (
            {"agent": pl.when(pl.col("rooms") > 1).then("agent")},
            {"cv": "group:agent"},
            "'agent' has empty cells",
        ),
        (
            {"area": pl.when(pl.col("rooms") > 1).then("area"), "city": pl.lit(None)},
            {},
            r"cells are empty in 2 of 7 columns of 120 rows: 'area' \(\d+\), 'city' \(120\)",
        ),
    ],
)
def test_cells_that_cannot_be_used(tmp_path, change, wrong, says):
    path = write(homes().with_columns(**change), tmp_path)
    with pytest.raises(ValueError, match=says):
        prepare(replace(Asked(path, "price", drop=("listed",)), **wrong))


def test_names_with_commas_between_and_inside():
    columns = ["a", "b", "a, b", "c"]
    assert named_columns(["a, b", "c"], columns) == ["a, b", "c"]
    assert named_columns(["a,c", "b"], columns) == ["a", "c", "b"]
    assert named_columns(["a, c,"], columns) == ["a", "c"]


def test_dates_as_texts_are_dates(tmp_path):
    frame = homes().with_columns(listed=pl.col("listed").dt.strftime("%m/%d/%Y"))
    with pytest.raises(ValueError, match="'listed' holds dates or times .texts like"):
        prepare(Asked(write(frame, tmp_path), "price"))


def test_fewer_folds_than_asked_for_are_told(tmp_path):
    frame = homes().with_columns(
        dear=pl.when(pl.int_range(pl.len()) < 3).then(pl.lit("rare")).otherwise("dear")
    )
    prepared = prepare(Asked(write(frame, tmp_path), "dear", drop=("listed",), cv="10"))
    assert prepared.plan.inner.n_splits == 3
    assert any("there are 3 folds, not 10" in text for text in prepared.warnings)


def test_what_is_missing_in_rows_that_are_left_out_does_not_matter(tmp_path):
    first = pl.int_range(pl.len()) < 3
    frame = homes().with_columns(
        price=pl.when(~first).then("price"), area=pl.when(~first).then("area")
    )
    assert prepare(Asked(write(frame, tmp_path), "price", drop=("listed",))).left_out == 3


def test_a_target_of_nan_is_missing(tmp_path):
    path = tmp_path / "nan.parquet"
    y = pl.when(pl.int_range(pl.len()) < 3).then(float("nan")).otherwise(pl.col("rooms") > 3)
    homes().with_columns(price=y.cast(pl.Float64)).write_parquet(path)
    for task in ("regression", "classification"):
        assert prepare(Asked(path, "price", task, drop=("listed",))).left_out == 3


def test_numbers_that_do_not_fit_into_memory_are_refused(tmp_path, monkeypatch):
    prepared = prepare(Asked(write(homes(), tmp_path), "price", drop=("listed",)))
    monkeypatch.setattr(preparing, "available_bytes", lambda: 10_000)
    with pytest.raises(ValueError, match="more than half of the memory that is free"):
        prepared.numbers(scaled=False)
