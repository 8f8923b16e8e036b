"""Numbers for people."""

import numpy as np
import pytest

from holdfast.report.numbers import MINUS, count, percent, rounded, shown

TIMES = "\N{MULTIPLICATION SIGN}"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (0.31, "0.31"),
        (0.123449999, "0.1234"),
        (-2.5, f"{MINUS}2.5"),
        (99.995, "100"),
        (999.96, "1,000"),
        (1234.5, "1,234"),
        (12346.0, "12,350"),
        (34567890.0, "34,570,000"),
        (1.5e12, f"1.5 {TIMES} 10¹²"),
        (0.00001234, "0.00001234"),
        (-1.23e-7, f"{MINUS}1.23 {TIMES} 10⁻⁷"),
        (None, "\N{EN DASH}"),
    ],
)
def test_shown(number, text):
    assert shown(number) == text


def test_rounded_keeps_four_digits():
    numbers = np.random.default_rng(0).lognormal(0, 20, 200)
    for number in numbers:
        assert abs(rounded(number) / number - 1) <= 5e-4


def test_shown_is_the_rounded_number():
    for number in np.random.default_rng(1).lognormal(0, 5, 200):
        assert shown(rounded(number)) == shown(number)


def test_words_of_numbers():
    assert [percent(share) for share in (0, 0.125, 1 / 3, 1)] == [
        "0%",
        "12.5%",
        "33.3%",
        "100%",
    ]
    assert count(1, "column") == "1 column"
    assert count(1200, "penalty", "penalties") == "1,200 penalties"
