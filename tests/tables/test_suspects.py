"""Columns that name rows, and columns that give the target away."""

import numpy as np
import polars as pl
import pytest

from holdfast.tables.suspects import date_format, identifiers, leaks, nearly_numbers

M = 40
RNG = np.random.default_rng(0)
Y = RNG.standard_normal(M)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (np.arange(M), "counts the rows"),
        (np.arange(M, 0, -1), "counts the rows"),
        ([f"car {i}" for i in range(M)], "a different text in every row"),
        (7 * RNG.permutation(M), "a different number in every row; if it is a key"),
        (RNG.standard_normal(M), None),
        (np.ones(M), "the same value in every row"),
        (["a", "b"] * (M // 2), None),
    ],
)
def test_identifiers(values, says):
    found = identifiers(pl.DataFrame({"the id": values}), ["the id"])
    assert len(found) == (says is not None)
    if says:
        assert says in found[0]
        assert says.startswith("the same") or '--drop "the id"' in found[0]


@pytest.mark.parametrize(
    ("name", "suspected"),
    [("id", True), ("customerId", True), ("row no", True), ("paid", False), ("people", False)],
)
def test_different_numbers_are_keys_by_their_name(name, suspected):
    values = 7 * RNG.permutation(M)
    assert bool(identifiers(pl.DataFrame({name: values}), [name])) == suspected


@pytest.mark.parametrize(
    ("values", "suspected"),
    [
        (Y, True),
        (np.exp(Y), True),
        (-3 * Y + 1e-9 * RNG.standard_normal(M), True),
        (Y + 0.3 * RNG.standard_normal(M), False),
        (np.ones(M), False),
        ([str(i) for i in range(M)], False),
    ],
)
def test_leaks_of_numbers(values, suspected):
    assert bool(leaks(pl.DataFrame({"x": values}), ["x"], Y, classes=False)) == suspected


def test_leaks_of_classes():
    y = np.repeat([0, 1], M // 2)
    frame = pl.DataFrame(
        {
            "apart": np.where(y == 0, -RNG.random(M), RNG.random(M)),
            "mixed": RNG.standard_normal(M) + y,
            "named": np.where(y == 0, "no", "yes"),
            "nearly": np.where(RNG.random(M) < 0.2, "no", np.where(y == 0, "no", "yes")),
        }
    )
    found = leaks(frame, frame.columns, y, classes=True)
    assert [text.split("'")[1] for text in found] == ["apart", "named"]


def test_missing_cells_are_no_trouble():
    with_holes = pl.DataFrame({"x": [None, *Y[1:].tolist()]})
    assert leaks(with_holes, ["x"], Y, classes=False)
    empty = pl.DataFrame({"x": [None] * M}, schema={"x": pl.Float64})
    assert not leaks(empty, ["x"], Y, classes=False)
    assert not leaks(empty, ["x"], np.repeat([0, 1], M // 2), classes=True)


def test_leaks_of_classes_that_are_not_quite_perfect():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 500)
    flag = y.copy()
    flag[7] = 1 - flag[7]
    three = rng.integers(0, 3, 500)
    frame = pl.DataFrame({"flag": flag, "noise": rng.standard_normal(500)})
    assert len(leaks(frame, frame.columns, y, classes=True)) == 1
    coded = pl.DataFrame({"code": np.array([5, 1, 9])[three], "half": three == 1})
    found = leaks(coded, coded.columns, three, classes=True)
    assert [text.split("'")[1] for text in found] == ["code"]


@pytest.mark.parametrize(
    ("cells", "says"),
    [
        (["1.5", "2", "1O.2"] + ["3"] * 37, "1 are not, such as '1O.2'"),
        (["1,200", "950"] * 20, "20 are not, such as '1,200'"),
        (["01", "2"] * 20, "begin with a zero, such as '01'"),
        (["a", "b"] * 20, None),
        (["1", "b"] * 20, None),
    ],
)
def test_numbers_with_a_slip(cells, says):
    found = nearly_numbers(pl.DataFrame({"x": cells}), ["x"])
    assert len(found) == (says is not None)
    if says:
        assert says in found[0]


@pytest.mark.parametrize(
    ("cells", "dates"),
    [
        (["1/15/2020", "12/31/2021"], True),
        (["15.1.2020", None], True),
        (["Apr 04 2022", "Jan 31 2021"], True),
        (["1.2.3", "a"], False),
        (["12", "13"], False),
        ([None, None], False),
    ],
)
def test_dates_in_texts(cells, dates):
    values = pl.Series(cells, dtype=pl.String)
    assert (date_format(values) is not None) == dates
