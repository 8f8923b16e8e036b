"""CSV and TSV as spreadsheets write them.

Separators ``, ; tab |`` are found, a decimal comma beside the semicolon, spaces around names and
values, and the usual signs of an empty cell. A column of nothing but numbers is numbers, unless
the caller knows it to be texts, or some begin with a zero: ``01`` is the code of something.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any

import polars as pl

EMPTY = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
"""What an empty cell of a text file may look like."""
_FIRST_BYTES = 1 << 16
_SEPARATORS = (",", ";", "\t", "|")
_ISO_AND_GERMAN_DATES = ("%Y-%m-%d", "%d.%m.%Y")
_COMMA_NUMBER = r"-?(?:\d+|\d{1,3}(?:\.\d{3})+)(?:,\d+)?"
"""A number with a decimal comma, and perhaps points between thousands."""
_DATE = r"\d{1,2}\.\d{1,2}\.\d{2,4}"
_ONE_CELL = re.compile(r"(?:^|;)[ ]*\"?(-?[\d.,]*\d)\"?[ ]*(?=;|$)", re.MULTILINE)


def unpacked(path: Path) -> Any:
    """The file, unpacked in memory where it is packed."""
    return io.BytesIO(gzip.decompress(path.read_bytes())) if path.suffix == ".gz" else path


def read_csv(path: Path, texts: Collection[str] = ()) -> pl.DataFrame:
    """All rows of a table.

    Parameters
    ----------
    path : Path
        The file.
    texts : collection of str
        Columns that are texts, whatever they look like.

    Raises
    ------
    ValueError, polars.exceptions.PolarsError
        Where it cannot be read.
    """
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        first = file.read(_FIRST_BYTES)
    line = first.splitlines()[0].decode("utf-8-sig") if first.strip() else ""
    separator = max(_SEPARATORS, key=re.sub(r'"[^"]*"', "", line).count)
    options: dict[str, Any] = {
        "glob": False,
        "separator": separator,
        "null_values": list(EMPTY),
    }
    content = unpacked(path)
    head = pl.read_csv(content, n_rows=0, **options)
    named = {raw: _name(raw) for raw in head.columns}
    _check_names(list(named.values()))
    commas = separator == ";" and _has_decimal_commas(first)
    frame = pl.read_csv(
        content if content is path else unpacked(path),
        try_parse_dates=True,
        infer_schema_length=0 if commas else None,  # 0: all are texts
        schema_overrides={raw: pl.String for raw, name in named.items() if name in texts},
        **options,
    ).rename(named)
    convert = _with_commas if commas else _with_points
    codes = _codes(frame, content if content is path else unpacked(path), named, options)
    frame = frame.with_columns(codes)
    texts = {*texts, *(values.name for values in codes)}
    return frame.with_columns(
        _cleaned(frame[name], None if name in texts else convert) for name in frame.columns
    )


def _codes(
    frame: pl.DataFrame, content: Any, named: dict[str, str], options: dict[str, Any]
) -> list[pl.Series]:
    """Columns of whole numbers of which some begin with a zero, such as 01: codes, as texts."""
    whole = [raw for raw, name in named.items() if frame[name].dtype.is_integer()]
    if not whole:
        return []
    written = pl.read_csv(content, columns=whole, infer_schema_length=0, **options)
    return [
        values.alias(named[values.name])
        for values in written.get_columns()
        if values.str.contains(r"^\s*-?0\d").any()
    ]


def _has_decimal_commas(first: bytes) -> bool:
    """Whether commas stand where points would.

    Not in 1,234, which may be a thousand and more; nor where a point stands for less than a
    thousand elsewhere: such columns stay texts, and are told of.
    """
    cells = _ONE_CELL.findall(first.decode("utf-8", errors="replace"))
    with_comma = [cell for cell in cells if "," in cell]
    sure = any(len(cell.rpartition(",")[2]) != 3 or "." in cell for cell in with_comma)
    return sure and all(re.fullmatch(f"{_COMMA_NUMBER}|{_DATE}", cell) for cell in cells)


def _name(raw: str) -> str:
    """A name as it was meant: polars leaves quotes doubled."""
    return raw.replace('""', '"').strip()


def _check_names(names: list[str]) -> None:
    for name in names:
        original, marked, number = name.rpartition("_duplicated_")
        if (marked and number.isdigit() and original.strip() in names) or names.count(name) > 1:
            raise ValueError(
                f"two columns are called {(original if marked else name).strip()!r}; expected "
                "names that differ: rename one"
            )


def _cleaned(values: pl.Series, convert: Callable[[pl.Series], pl.Series] | None) -> pl.Series:
    """Texts without spaces around them; empty ones are missing, numbers numbers."""
    if values.dtype != pl.String:
        return values
    texts = values.str.strip_chars()
    texts = texts.set(texts.is_in(list(EMPTY)).fill_null(value=False), None)
    if convert is None or texts.null_count() == len(texts):
        return texts
    converted = convert(texts)
    return converted if converted.null_count() == texts.null_count() else texts


def _with_points(texts: pl.Series) -> pl.Series:
    return texts.cast(pl.Float64, strict=False)


def _with_commas(texts: pl.Series) -> pl.Series:
    """Numbers with decimal commas, or dates."""
    for form in _ISO_AND_GERMAN_DATES:
        dates = texts.str.to_date(form, strict=False)
        if dates.null_count() == texts.null_count():
            return dates
    whole = texts.str.contains(f"^{_COMMA_NUMBER}$")
    plain = texts.str.replace_all(".", "", literal=True).str.replace(",", ".", literal=True)
    return plain.set(~whole.fill_null(value=True), None).cast(pl.Float64, strict=False)
