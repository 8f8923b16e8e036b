"""Numbers for people: four significant digits, thousands apart, a real minus sign.

The page shows numbers that it was given by :func:`rounded`; its script only adds separators
(``report.js``, ``shown``), so that what is rounded is decided here alone.
"""

from __future__ import annotations

DIGITS = 4
MINUS, NOTHING, _TIMES = "\N{MINUS SIGN}", "\N{EN DASH}", "\N{MULTIPLICATION SIGN}"
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def rounded(number: float, digits: int = DIGITS) -> float:
    """A number rounded to so many significant digits."""
    return float(f"{number:.{digits}g}")


def shown(number: float | None, digits: int = DIGITS) -> str:
    """A number as text: ``12,350``, ``0.1235``, powers of ten beyond; a dash for None."""
    if number is None:
        return NOTHING
    value = rounded(number, digits)
    if value == 0:
        return "0"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    power = int(exponent)
    if -5 <= power < 12:
        text = _without_zeros(f"{value:,.{max(digits - 1 - power, 0)}f}")
    else:
        text = f"{_without_zeros(mantissa)} {_TIMES} 10{str(power).translate(_SUPERSCRIPTS)}"
    return text.replace("-", MINUS)


def percent(share: float) -> str:
    """A share in percent, with one decimal where it is not a whole number."""
    return f"{_without_zeros(f'{100 * share:.1f}')}%".replace("-", MINUS)


def count(number: int, one: str, many: str | None = None) -> str:
    """``1 column``, ``1,200 columns``."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _without_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text
