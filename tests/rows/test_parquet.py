"""Parquet gives what the same table, encoded by hand, gives in memory."""

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.model_selection import GroupKFold

from holdfast import (
    BackwardRidge,
    FoldMoments,
    ForwardRidge,
    ForwardRidgeClassifier,
    LarsRidge,
    LarsSVC,
    RidgeCV,
    RowBlocks,
)
from holdfast.estimators.selection import as_rows
from holdfast.rows import parquet
from holdfast.rows.row_blocks import Wanted, opened
from tests.rows.test_chunked import assert_same

CITIES = np.array(["Rome", "Oslo", "Kyoto", "Lima"])


def table_of(m=90, seed=0):
    """A table with texts, whole numbers and truth values; the same as numbers, and groups."""
    rng = np.random.default_rng(seed)
    city = rng.integers(4, size=m)
    numbers = rng.standard_normal((m, 4))
    count, flag = rng.integers(0, 9, m), rng.random(m) < 0.5
    y = numbers[:, 1] - count + np.array([0.0, 2.0, -1.0, 1.0])[city] + rng.standard_normal(m)
    table = pl.DataFrame(
        {
            "price": y,
            "city": CITIES[city],
            **{f"x{i}": column for i, column in enumerate(numbers.T)},
            "count": count,
            "flag": flag,
            "weight": rng.uniform(0.5, 2, m),
            "owner": [f"owner {i}" for i in rng.integers(12, size=m)],
            "label": np.where(y > np.median(y), "dear", "cheap"),
        }
    )
    one_hot = (CITIES[city][:, None] == np.sort(CITIES)).astype(float)
    X = np.column_stack([one_hot, numbers, count, flag])
    return table, X, y


FEATURES = ["city", "x0", "x1", "x2", "x3", "count", "flag"]


def write(folder, table, files=1, row_group_size=None):
    """One file, or several."""
    cuts = np.linspace(0, len(table), files + 1).astype(int)
    for number, (start, stop) in enumerate(pairwise(cuts)):
        part = table[int(start) : int(stop)]
        part.write_parquet(folder / f"part-{number}.parquet", row_group_size=row_group_size)
    return folder / "part-0.parquet"


PLACES = {
    "file": lambda folder, table: write(folder, table),
    "string": lambda folder, table: str(write(folder, table)),
    "folder": lambda folder, table: write(folder, table, 3).parent,
    "pattern": lambda folder, table: str(write(folder, table, 3).parent / "part-*.parquet"),
    "row groups": lambda folder, table: write(folder, table, 2, row_group_size=10),
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("chunk_rows", [None, 7])
@pytest.mark.parametrize(
    "model",
    [
        ForwardRidge(standardize=True),
        ForwardRidge(cv=4),
        BackwardRidge(n_features_to_select=2),
        LarsRidge(),
        RidgeCV(alphas="auto"),
    ],
    ids=str,
)
def test_a_column_is_the_target(model, place, chunk_rows, tmp_path):
    table, X, y = table_of()
    table = table.select("price", *FEATURES)
    where = PLACES[place](tmp_path, table)
    if place == "row groups":
        where = where.parent
    plain = clone(model)
    if hasattr(model, "feature_groups"):
        plain.set_params(feature_groups=[[0, 1, 2, 3]])
    plain.fit(X, y)
    data = where if chunk_rows is None else RowBlocks(where, chunk_rows=chunk_rows)
    stored = clone(model).fit(data, "price")
    assert_same(stored, plain)
    names = [f"city={city}" for city in np.sort(CITIES)] + FEATURES[1:]
    assert stored.feature_names_in_.tolist() == names
    assert_allclose(stored.predict(where), plain.predict(X), rtol=1e-9)


def test_weights_groups_and_columns_by_name(tmp_path):
    table, X, y = table_of()
    path = write(tmp_path, table)
    model = ForwardRidge(cv=GroupKFold(3), n_features_to_select=3)
    data = RowBlocks(path, columns=FEATURES, chunk_rows=20)
    stored = clone(model).fit(data, "price", sample_weight="weight", groups="owner")
    model.set_params(feature_groups=[[0, 1, 2, 3]])
    weights, owners = table["weight"].to_numpy(), table["owner"].to_list()
    assert_same(stored, model.fit(X, y, sample_weight=weights, groups=owners))


def test_several_targets_and_labels(tmp_path):
    table, X, _ = table_of()
    path = write(tmp_path, table)
    data = RowBlocks(path, columns=["x0", "x1", "x2", "count"])
    stored = RidgeCV().fit(data, ["price", "weight"])
    plain = RidgeCV().fit(X[:, [4, 5, 6, 8]], table.select("price", "weight").to_numpy())
    assert_same(stored, plain)
    labelled = ForwardRidgeClassifier(n_features_to_select=2).fit(data, "label")
    assert labelled.classes_.tolist() == ["cheap", "dear"]
    assert set(labelled.predict(data)) == {"cheap", "dear"}


def test_support_vectors_of_a_file(tmp_path):
    table, X, y = table_of()
    labels = y > np.median(y)
    where = write(tmp_path, table.select(*FEATURES))
    stored = LarsSVC().fit(RowBlocks(where, chunk_rows=13), labels)
    assert_same(stored, LarsSVC().fit(X, labels))


def test_targets_may_be_arrays(tmp_path):
    table, X, y = table_of()
    path = write(tmp_path, table.select(FEATURES))
    assert_same(RidgeCV().fit(path, y), RidgeCV().fit(X, y))


def test_names_constrain_the_search(tmp_path):
    table, _, _ = table_of()
    path = write(tmp_path, table.select("price", *FEATURES))
    model = ForwardRidge(include=["city=Rome"], exclude=["count"], n_features_to_select=2)
    model.fit(path, "price")
    assert model.support_[:4].all()
    assert not model.support_[8]


def test_the_encoding_is_kept_with_the_model(tmp_path):
    table, _, _ = table_of()
    path = write(tmp_path, table.select("price", *FEATURES))
    model = ForwardRidge(n_features_to_select=3).fit(path, "price")
    # Other columns in another order, and not all cities.
    later = table.filter(pl.col("city") != "Rome").select(["flag", *FEATURES[:-1], "owner"])
    later.write_parquet(tmp_path / "later.parquet")
    expected = model.predict(path)[table["city"] != "Rome"]
    assert_allclose(model.predict(tmp_path / "later.parquet"), expected)
    later.drop("x1").write_parquet(tmp_path / "narrow.parquet")
    with pytest.raises(ValueError, match="does not have the column 'x1'"):
        model.predict(tmp_path / "narrow.parquet")
    strange = later.with_columns(city=pl.lit("Paris"))
    strange.write_parquet(tmp_path / "strange.parquet")
    with pytest.raises(ValueError, match="level 'Paris', which was not there"):
        model.predict(tmp_path / "strange.parquet")


def test_batches_of_moments_share_the_first_encoding(tmp_path):
    table, X, y = table_of()
    folds = np.arange(90) % 3
    moments, plain = FoldMoments(), FoldMoments().update(X, y, folds)
    for number, rows in enumerate((slice(0, 50), slice(50, 90))):
        part = table[rows].select("price", *FEATURES)
        part.write_parquet(tmp_path / f"{number}.parquet")
        moments = moments.update(tmp_path / f"{number}.parquet", "price", folds[rows])
    assert_same(RidgeCV().fit_moments(moments), RidgeCV().fit_moments(plain))


def test_only_the_columns_that_are_asked_for_are_read(tmp_path, monkeypatch):
    table, _, y = table_of()
    path = write(tmp_path, table.select("price", *FEATURES))
    found = opened(RowBlocks(path), Wanted(y="price"))
    asked = []
    read = parquet.ParquetFiles.read
    monkeypatch.setattr(
        parquet.ParquetFiles, "read", lambda *a: asked.append(list(a[2])) or read(*a)
    )
    from holdfast.rows import columns_of

    columns_of(found.table, np.array([1, 3, 5]))
    assert asked == [["city", "x1"]]
    assert as_rows(found.table, y).n_columns == 10


def test_imputing_and_rare_levels(tmp_path):
    table, X, y = table_of()
    holes = table.select("price", *FEATURES).with_columns(
        x0=pl.when(pl.int_range(pl.len()) % 9 == 0).then(None).otherwise(pl.col("x0"))
    )
    path = write(tmp_path, holes)
    with pytest.raises(ValueError, match="'x0' has 10 missing values in 90 rows.*impute='median'"):
        RidgeCV().fit(path, "price")
    X[::9, 4] = np.delete(X[:, 4], np.s_[::9]).mean()
    stored = RidgeCV().fit(RowBlocks(path, impute="mean"), "price")
    with_no_city_missing = np.insert(X, 4, 0.0, axis=1)
    assert_same(stored, RidgeCV().fit(with_no_city_missing, y))
    stored = RidgeCV().fit(RowBlocks(path, impute="mean", rare=1000), "price")
    assert stored.feature_names_in_[:2].tolist() == ["city=(other)", "city=(missing)"]


# -------------------------------------------------------------------------------- what is refused


def test_damaged_files(tmp_path):
    table, _, _ = table_of()
    path = write(tmp_path, table.select("price", *FEATURES))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="cannot be read as Parquet.*truncated"):
        RidgeCV().fit(path, "price")
    path.write_bytes(b"PAR1" + bytes(500))
    with pytest.raises(ValueError, match="cannot be read as Parquet"):
        RidgeCV().fit(path, "price")


def test_files_of_other_columns(tmp_path):
    table, _, _ = table_of()
    write(tmp_path, table.select("price", *FEATURES), 2)
    table.select("price", *FEATURES[:-1]).write_parquet(tmp_path / "part-2.parquet")
    with pytest.raises(ValueError, match="has other columns than.*'flag'"):
        RidgeCV().fit(tmp_path, "price")
    table.select(*FEATURES, "price").write_parquet(tmp_path / "part-2.parquet")
    with pytest.raises(ValueError, match="in another order"):
        RidgeCV().fit(tmp_path, "price")


def test_a_file_that_changes(tmp_path):
    table, _, y = table_of()
    path = write(tmp_path, table.select("price", *FEATURES))
    rows = as_rows(opened(RowBlocks(path), Wanted(y="price")).table, y)
    write(tmp_path, table[:80].select("price", *FEATURES))

    def step(block, state, shared):
        raise AssertionError(block.cross(np.ones((1, 90))))

    with pytest.raises(ValueError, match="as it was opened"):
        rows.sweep(step, None, None)


@pytest.mark.parametrize(
    ("data", "y", "error", "message"),
    [
        ("nothing.parquet", "price", FileNotFoundError, "there is no file"),
        ("nothing-*.parquet", "price", FileNotFoundError, "no file matches"),
        ("empty", "price", FileNotFoundError, "holds no .parquet files"),
        ("part-0.parquet", "cost", ValueError, "y='cost' names a column"),
        ("part-0.parquet", None, ValueError, "requires y to be passed"),
    ],
)
def test_what_is_not_there(data, y, error, message, tmp_path):
    table, _, _ = table_of()
    write(tmp_path, table.select("price", *FEATURES))
    (tmp_path / "empty").mkdir()
    with pytest.raises(error, match=message):
        RidgeCV().fit(tmp_path / data, y)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"columns": ["size"]}, "columns names 'size'"),
        ({"impute": "mode"}, "impute='mode' is not known"),
        ({"rare": 0}, "rare=0 is not a size"),
    ],
)
def test_parameters_are_checked(parameters, message, tmp_path):
    table, _, _ = table_of()
    path = write(tmp_path, table.select("price", *FEATURES))
    with pytest.raises(ValueError, match=message):
        RidgeCV().fit(RowBlocks(path, **parameters), "price")
