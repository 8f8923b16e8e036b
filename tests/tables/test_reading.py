"""Files of every kind hold the same table; what cannot be read is said in one sentence."""

import gzip

import numpy as np
import polars as pl
import pytest
from sklearn.datasets import dump_svmlight_file

from holdfast.tables.reading import (
    check_file,
    kind_of,
    parquet_shape,
    read_svmlight,
    read_table,
)

TABLE = pl.DataFrame(
    {
        "size of it": [1.5, 2.0, None, 4.0],
        'the "city"': ["Rome", "New York, NY", None, "Oslo"],
        "rooms": [1, 2, 3, 4],
    }
)
WRITERS = {
    "csv": lambda table, path: table.write_csv(path),
    "tsv": lambda table, path: table.write_csv(path, separator="\t"),
    "parquet": lambda table, path: table.write_parquet(path),
    "arrow": lambda table, path: table.write_ipc(path),
    "feather": lambda table, path: table.write_ipc(path),
    "jsonl": lambda table, path: table.write_ndjson(path),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("kind", sorted(WRITERS))
def test_every_kind_holds_the_same_table(kind, packed, tmp_path):
    path = tmp_path / f"table.{kind}"
    WRITERS[kind](TABLE, path)
    if packed:
        plain, path = path, tmp_path / f"packed.{kind}.gz"
        path.write_bytes(gzip.compress(plain.read_bytes()))
    read = read_table(path)
    assert read.columns == TABLE.columns
    assert read.rows() == TABLE.rows()
    assert kind_of(path) == f".{kind}"


def test_folders_and_patterns_of_parquet(tmp_path):
    for number, part in enumerate([TABLE[:1], TABLE[1:]]):
        part.write_parquet(tmp_path / f"part-{number}.parquet")
    assert read_table(tmp_path).rows() == TABLE.rows()
    assert read_table(tmp_path / "part-*.parquet").rows() == TABLE.rows()
    assert parquet_shape(tmp_path) == parquet_shape(tmp_path / "part-*.parquet") == (4, 3)


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators_are_found(separator, tmp_path):
    path = tmp_path / "table.csv"
    TABLE.write_csv(path, separator=separator)
    assert read_table(path).rows() == TABLE.rows()


def test_a_decimal_comma_beside_the_semicolon(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a;b\n1,5;x\n2,25;y\n", encoding="utf-8")
    assert read_table(path).rows() == [(1.5, "x"), (2.25, "y")]


def test_empty_cells_and_spaces(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "\ufeffid , size,city\n1, 2.5 , Rome \n2,NA,?\n3,, \n4, 1e3,Oslo\n", encoding="utf-8"
    )
    read = read_table(path)
    assert read.columns == ["id", "size", "city"]
    assert read["size"].to_list() == [2.5, None, None, 1000.0]
    assert read["city"].to_list() == ["Rome", None, None, "Oslo"]


def test_texts_of_other_files_are_left_as_they_are(tmp_path):
    path = tmp_path / "table.parquet"
    pl.DataFrame({"country": ["NA", " DE "]}).write_parquet(path)
    assert read_table(path)["country"].to_list() == ["NA", " DE "]


def test_numbers_that_begin_late_are_numbers(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a\n" + "1\n" * 5000 + "2.5\n", encoding="utf-8")
    assert read_table(path)["a"].sum() == 5002.5


@pytest.mark.parametrize("packed", [False, True])
def test_sparse_rows_keep_the_numbers_of_their_columns(packed, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((6, 5)) * (rng.random((6, 5)) < 0.4)
    X[0, 4] = 1.0
    path = tmp_path / "rows.svm"
    dump_svmlight_file(X, np.arange(6), str(path), zero_based=True)
    if packed:
        plain, path = path, tmp_path / "rows.svm.gz"
        path.write_bytes(gzip.compress(plain.read_bytes()))
    read, labels = read_svmlight(path)
    np.testing.assert_allclose(read.toarray(), X)
    assert labels.tolist() == list(range(6))
    assert np.array_equal(read_svmlight(path, 3)[0].toarray(), read.toarray()[:, :3])
    wider = read_svmlight(path, 7)[0].toarray()
    assert np.array_equal(wider[:, :5], read.toarray())
    assert not wider[:, 5:].any()


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("table.csv", b"a,b\n1,2\n1,2,3\n", "cannot be read as csv .*is it whole"),
        ("table.csv", "a\nM\u00fcnchen\n".encode("latin-1"), "not in UTF-8: save it"),
        ("table.csv", b"", "cannot be read as csv"),
        ("table.csv", b"a,b\n", "holds 0 rows and 2 columns"),
        ("table.parquet", b"PAR1 not really", "cannot be read as parquet"),
        ("table.arrow", b"nothing", "cannot be read as arrow"),
        ("table.jsonl", b'{"a": 1}\n{"a": \n', "cannot be read as jsonl"),
        ("table.csv.gz", b"not packed", "cannot be read as csv"),
        ("rows.svm", b"1 a:b\n", "cannot be read as svm"),
        ("table.xlsx", b"", r"ends in '.xlsx', .*expected one of .csv, .tsv"),
        ("table", b"", "ends in 'nothing'"),
    ],
)
def test_what_cannot_be_read(name, content, says, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=says):
        read_svmlight(path) if name.endswith(".svm") else read_table(path)


def test_a_file_that_is_not_there(tmp_path):
    (tmp_path / "cars.csv").write_text("a\n1\n")
    with pytest.raises(FileNotFoundError, match="did you mean cars.csv?"):
        check_file(tmp_path / "cras.csv")
    with pytest.raises(FileNotFoundError, match="correct the path"):
        check_file(tmp_path / "nowhere" / "x.csv")


def test_codes_stay_what_they_are_where_they_are_known_to_be_texts(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("code,x\n1, 1\n 2 ,2\n,3\n", encoding="utf-8")
    assert read_table(path)["code"].to_list() == [1.0, 2.0, None]
    assert read_table(path, {"code"})["code"].to_list() == ["1", "2", None]


def test_numbers_that_begin_with_a_zero_are_codes(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('code,"the x",y\n01,0,0.5\n02,10,-0.25\n75,0,00.5\n,3,1\n', encoding="utf-8")
    read = read_table(path)
    assert read["code"].to_list() == ["01", "02", "75", None]
    assert read["the x"].to_list() == [0, 10, 0, 3]
    assert read["y"].to_list() == [0.5, -0.25, 0.5, 1.0]


def test_commas_that_may_part_thousands_are_no_decimal_commas(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("a;b\n1,234;x\n2,345;y\n", encoding="utf-8")
    assert read_table(path)["a"].to_list() == ["1,234", "2,345"]
    path.write_text("a;b\n1,25;0.5\n2,5;0.7\n", encoding="utf-8")
    assert read_table(path)["a"].to_list() == ["1,25", "2,5"]


def test_points_between_thousands_beside_decimal_commas(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(
        "a;preis;tag;name\n1,5;980;1.2.2025;x\n2,5;1.234;31.12.2024;y\n-3,25;12.400,5;;z\n",
        encoding="utf-8",
    )
    read = read_table(path)
    assert read["a"].to_list() == [1.5, 2.5, -3.25]
    assert read["preis"].to_list() == [980.0, 1234.0, 12400.5]
    assert read["tag"].dtype == pl.Date
    assert read["name"].to_list() == ["x", "y", "z"]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"a,b,a\n1,2,3\n", "two columns are called 'a'"),
        (b"a, a\n1,2\n", "two columns are called 'a'"),
        ("Größe,b\n1,2\n".encode("latin-1"), "not in UTF-8"),
    ],
)
def test_names_that_cannot_be_used(content, says, tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=says):
        read_table(path)


def test_a_file_whose_name_looks_like_a_pattern(tmp_path):
    path = tmp_path / "data[1].csv"
    TABLE.write_csv(path)
    assert read_table(path).rows() == TABLE.rows()
    with pytest.raises(FileNotFoundError, match="no file matches"):
        read_table(tmp_path / "none*.parquet")
