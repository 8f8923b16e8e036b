"""Columns that name rows, and columns that give the target away."""

import numpy as np
import polars as pl
import pytest

from holdfast.tables.suspects import identifiers, leaks

M = 40
RNG = np.random.default_rng(0)
Y = RNG.standard_normal(M)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (np.arange(M), "counts the rows"),
        (np.arange(M, 0, -1), "counts the rows"),
        ([f"car {i}" for i in range(M)], "a different text in every row"),
        (RNG.permutation(M), None),
        (RNG.standard_normal(M), None),
        (["a", "b"] * (M // 2), None),
    ],
)
def test_identifiers(values, says):
    found = identifiers(pl.DataFrame({"the id": values}), ["the id"])
    assert len(found) == (says is not None)
    if says:
        assert says in found[0]
        assert '--drop "the id"' in found[0]


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
    assert bool(leaks(pl.DataFrame({"x": values}), ["x"], Y)) == suspected


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
    found = leaks(frame, frame.columns, y)
    assert [text.split("'")[1] for text in found] == ["apart", "named"]


def test_missing_cells_are_no_trouble():
    with_holes = pl.DataFrame({"x": [None, *Y[1:].tolist()]})
    assert leaks(with_holes, ["x"], Y)
    assert not leaks(pl.DataFrame({"x": [None] * M}, schema={"x": pl.Float64}), ["x"], Y)
