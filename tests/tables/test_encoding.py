"""Columns of a table as numbers: against the same written out by hand."""

import json

import numpy as np
import polars as pl
import pytest

from holdfast.tables import Encoding, learn

TABLE = pl.DataFrame(
    {
        "size": [1, 2, None, 5],
        "city": ["Rome", "Oslo", "Rome", None],
        "new": [True, False, True, True],
        "rate": [0.5, float("nan"), 1.5, 2.5],
        "kind": pl.Series(["a", "b", "a", "c"], dtype=pl.Categorical),
    }
)
WHOLE = TABLE.select("new", "kind")


def test_numbers_texts_and_truth_values():
    encoding = learn(WHOLE.lazy(), ["kind", "new"])
    assert encoding.names == ["kind=a", "kind=b", "kind=c", "new"]
    assert encoding.groups == [[0, 1, 2]]
    expected = [[1, 0, 0, 1], [0, 1, 0, 0], [1, 0, 0, 1], [0, 0, 1, 1]]
    assert encoding.encode(WHOLE).tolist() == expected


def test_missing_values_are_imputed_when_asked():
    encoding = learn(TABLE.lazy(), ["size", "city", "rate"], impute="mean")
    assert encoding.names == ["size", "city=Oslo", "city=Rome", "city=(missing)", "rate"]
    expected = [
        [1, 0, 1, 0, 0.5],
        [2, 1, 0, 0, 1.5],
        [8 / 3, 0, 1, 0, 1.5],
        [5, 0, 0, 1, 2.5],
    ]
    np.testing.assert_allclose(encoding.encode(TABLE), expected)


@pytest.mark.parametrize("column", ["size", "city", "rate"])
def test_missing_values_are_refused_otherwise(column):
    with pytest.raises(ValueError, match=f"column '{column}' has 1 missing values in 4 rows"):
        learn(TABLE.lazy(), [column])


def test_rare_and_new_levels_share_a_column():
    encoding = learn(WHOLE.lazy(), ["kind"], rare=2)
    assert encoding.names == ["kind=a", "kind=(other)"]
    later = pl.DataFrame({"kind": ["c", "a", "z"]})
    assert encoding.encode(later).tolist() == [[0, 1], [1, 0], [0, 1]]


def test_new_levels_are_refused_without_such_a_column():
    encoding = learn(WHOLE.lazy(), ["kind"])
    with pytest.raises(ValueError, match="level 'z', which was not there"):
        encoding.encode(pl.DataFrame({"kind": ["a", "z"]}))


def test_missing_values_that_come_later_are_refused():
    encoding = learn(WHOLE.lazy(), ["kind", "new"])
    with pytest.raises(ValueError, match="'new' has 1 missing values in 2 rows"):
        encoding.encode(pl.DataFrame({"kind": ["a", "b"], "new": [True, None]}))


def test_some_columns_are_those_of_all():
    encoding = learn(TABLE.lazy(), TABLE.columns, impute="mean", rare=2)
    whole = encoding.encode(TABLE)
    chosen = np.array([5, 0, 2, 6])
    needed = encoding.needed_for(chosen)
    assert np.array_equal(encoding.encode(TABLE.select(needed), chosen), whole[:, chosen])
    assert len(needed) < len(TABLE.columns)


def test_batches_are_pieces_of_the_whole():
    encoding = learn(TABLE.lazy(), TABLE.columns, impute="mean")
    parts = [encoding.encode(TABLE[:1]), encoding.encode(TABLE[1:])]
    assert np.array_equal(np.concatenate(parts), encoding.encode(TABLE))


def test_json_and_back():
    encoding = learn(TABLE.lazy(), TABLE.columns, impute="mean", rare=2)
    again = Encoding.of_records(json.loads(json.dumps(encoding.records())))
    assert again == encoding
    assert np.array_equal(again.encode(TABLE), encoding.encode(TABLE))


def test_types_that_are_neither_numbers_nor_texts():
    table = pl.DataFrame({"when": ["2020-01-01"]}).select(pl.col("when").str.to_date())
    with pytest.raises(ValueError, match="column 'when' holds Date; expected numbers or texts"):
        learn(table.lazy(), ["when"])
    encoding = learn(pl.DataFrame({"a": [1.0]}).lazy(), ["a"])
    with pytest.raises(ValueError, match="holds String, but numbers when the model was fitted"):
        encoding.encode(pl.DataFrame({"a": ["x"]}))


def test_too_many_levels():
    table = pl.DataFrame({"name": [str(i) for i in range(1001)]})
    with pytest.raises(ValueError, match="1001 levels of 1 rows or more"):
        learn(table.lazy(), ["name"])


def test_the_median_takes_the_place_of_missing_numbers():
    encoding = learn(TABLE.lazy(), ["size", "rate"], impute="median")
    assert encoding.encode(TABLE).tolist() == [[1, 0.5], [2, 1.5], [2, 1.5], [5, 2.5]]


def test_scaled_numbers_have_mean_zero_and_deviation_one():
    table = TABLE.with_columns(constant=pl.lit(3.0))
    encoding = learn(table.lazy(), ["size", "constant", "kind"], impute="median", scale=True)
    numbers = encoding.encode(table)
    raw = np.array([1, 2, 2, 5.0])
    np.testing.assert_allclose(numbers[:, 0], (raw - raw.mean()) / raw.std())
    assert not numbers[:, 1].any()
    assert set(numbers[:, 2:].ravel()) == {0.0, 1.0}
    assert Encoding.of_records(json.loads(json.dumps(encoding.records()))) == encoding


def test_a_column_without_any_value_has_nothing_to_impute():
    table = pl.DataFrame({"empty": [None, None]}, schema={"empty": pl.Float64})
    with pytest.raises(ValueError, match="column 'empty' has no value in any of the 2 rows"):
        learn(table.lazy(), ["empty"], impute="median")


def test_rare_and_new_levels_are_counted():
    kind = learn(WHOLE.lazy(), ["kind"], rare=2).columns[0]
    assert kind.unseen(pl.Series(["c", "a", None, "z"])) == 2


def test_a_column_that_is_empty_when_predicting_is_missing_values():
    encoding = learn(TABLE.lazy(), ["size"], impute="median")
    for kind in (None, pl.String, pl.Int64):
        empty = pl.DataFrame({"size": [None, None]}, schema={"size": kind})
        assert encoding.encode(empty).tolist() == [[2.0], [2.0]]


def test_whole_numbers_are_the_same_level_however_they_are_stored():
    encoding = learn(pl.DataFrame({"code": ["1", "2", "x"]}).lazy(), ["code"])
    for stored in ([1, 2], [1.0, 2.0]):
        codes = encoding.encode(pl.DataFrame({"code": stored}))
        assert codes.tolist() == [[1, 0, 0], [0, 1, 0]]


def test_infinite_numbers_are_refused():
    encoding = learn(WHOLE.lazy(), ["new"])
    with pytest.raises(ValueError, match="column 'new' holds an infinite number"):
        encoding.encode(pl.DataFrame({"new": [1.0, float("inf")]}))
