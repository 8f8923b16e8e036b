"""Tables in files: CSV, TSV, Parquet, Arrow, JSON lines, each gzip'd too; svmlight for sparse rows.

What a spreadsheet writes is taken as it is meant: separators ``, ; tab |``, a decimal comma beside
the semicolon, spaces around names and values, and the usual signs of an empty cell. Anything that
cannot be read is an error that names the file, what it was taken for and what to do.
"""

from __future__ import annotations

import gzip
import io
import re
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import polars as pl
from scipy import sparse
from sklearn.datasets import load_svmlight_file

EMPTY = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")
"""What an empty cell of a text file may look like."""
SVMLIGHT = (".svm", ".svmlight", ".libsvm")
PARQUET = (".parquet", ".pq")
_FIRST_BYTES = 1 << 16
_DECIMAL_COMMA = re.compile(r"(^|;)\s*-?\d+,\d+\s*(;|$)", re.MULTILINE)
_SEPARATORS = (",", ";", "\t", "|")


def check_file(path: Path) -> None:
    """Refuse a path that cannot be read, saying what may have been meant."""
    if path.exists() or any(sign in str(path) for sign in "*?["):
        kind_of(path)
        return
    beside = path.parent
    names = [entry.name for entry in beside.iterdir()] if beside.is_dir() else []
    near = get_close_matches(path.name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else "correct the path."
    raise FileNotFoundError(f"there is no file {path}; {hint}")


def kind_of(path: Path) -> str:
    """The ending that says how the file is to be read, without that of gzip."""
    if path.is_dir() or any(sign in path.name for sign in "*?["):
        return ".parquet"
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    kind = suffixes[-1] if suffixes else ""
    if kind not in {*_READERS, *SVMLIGHT}:
        raise ValueError(
            f"{path} ends in {kind or 'nothing'!r}, which is not a kind of table that is known; "
            f"expected one of {', '.join([*_READERS, *SVMLIGHT])}, or one of these with .gz: "
            "rename or convert it."
        )
    return kind


def is_sparse(path: Path) -> bool:
    """Whether the file holds sparse rows without names."""
    return kind_of(path) in SVMLIGHT


def parquet_shape(path: Path) -> tuple[int, int] | None:
    """Rows and columns of a Parquet table, without reading them; None of other kinds."""
    if kind_of(path) not in PARQUET or path.suffix == ".gz":
        return None
    table = pl.scan_parquet(path / "**/*.parquet" if path.is_dir() else path)
    n_rows = _tried(path, lambda: int(table.select(pl.len()).collect().item()))
    return n_rows, len(table.collect_schema())


def read_table(path: Path) -> pl.DataFrame:
    """All rows of a table.

    Parameters
    ----------
    path : Path
        Its ending says what it is.

    Returns
    -------
    polars.DataFrame
        Empty cells of text files are null, and columns of nothing but numbers are numbers.
    """
    check_file(path)
    kind = kind_of(path)
    frame: pl.DataFrame = _tried(path, lambda: _READERS[kind](path))
    stripped = [name.strip() for name in frame.columns]
    if len(set(stripped)) == len(stripped):
        frame.columns = stripped
    if not len(frame) or not frame.columns:
        raise ValueError(
            f"{path} holds {len(frame)} rows and {len(frame.columns)} columns; expected at least "
            "one of each below a line of names: is it the right file?"
        )
    if kind not in (".csv", ".tsv"):
        return frame
    return frame.with_columns(_cleaned(frame[name]) for name in frame.columns)


def read_svmlight(path: Path, n_columns: int | None = None) -> tuple[Any, Any]:
    """Sparse rows and their labels; a column has the number that it has in the file.

    Parameters
    ----------
    path : Path
        Lines of ``label number:value ...``.
    n_columns : int or None
        Of the model that is to predict: columns beyond are dropped, it has no use for them.

    Returns
    -------
    tuple of sparse array (rows, columns) and array (rows,)
    """
    check_file(path)
    X, y = _tried(path, lambda: load_svmlight_file(str(path), zero_based=True))
    rows = sparse.csr_array(X)
    if n_columns is None:
        return rows, y
    known = rows[:, :n_columns]
    missing = n_columns - known.shape[1]
    if missing > 0:
        known = sparse.csr_array((known.data, known.indices, known.indptr), (len(y), n_columns))
    return known, y


def _tried(path: Path, read: Callable[[], Any]) -> Any:
    """What ``read`` returns; what it cannot read is said in one sentence."""
    try:
        return read()
    except (pl.exceptions.PolarsError, OSError, EOFError, UnicodeError, ValueError) as error:
        why = str(error).strip().splitlines()[0].rstrip(".")
        advice = "is it whole, and of the kind that its name says? Save it again"
        if "utf-8" in str(error).lower() or "utf8" in str(error).lower():
            advice = "it is not in UTF-8: save it in that encoding"
        raise ValueError(
            f"{path} cannot be read as {kind_of(path).lstrip('.')} ({why}); {advice}."
        ) from error


# -- kinds of files ------------------------------------------------------------------------


def _content(path: Path) -> Any:
    """The file, unpacked in memory where it is packed."""
    return io.BytesIO(gzip.decompress(path.read_bytes())) if path.suffix == ".gz" else path


def _read_csv(path: Path) -> pl.DataFrame:
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        first = file.read(_FIRST_BYTES).decode("utf-8", errors="replace")
    line = first.splitlines()[0] if first.strip() else ""
    outside_quotes = re.sub(r'"[^"]*"', "", line)
    separator = max(_SEPARATORS, key=outside_quotes.count)
    decimal_comma = separator == ";" and _DECIMAL_COMMA.search(first)
    frame = pl.read_csv(
        _content(path),
        separator=separator,
        null_values=list(EMPTY),
        try_parse_dates=True,
        infer_schema_length=None,
        decimal_comma=bool(decimal_comma),
    )
    # Polars leaves quotes in names doubled.
    return frame.rename({name: name.replace('""', '"') for name in frame.columns})


def _read_parquet(path: Path) -> pl.DataFrame:
    if path.is_dir():
        return pl.read_parquet(path / "**/*.parquet")
    return pl.read_parquet(_content(path))


_READERS: dict[str, Callable[[Path], pl.DataFrame]] = {
    ".csv": _read_csv,
    ".tsv": _read_csv,
    ".parquet": _read_parquet,
    ".pq": _read_parquet,
    ".arrow": lambda path: pl.read_ipc(_content(path)),
    ".feather": lambda path: pl.read_ipc(_content(path)),
    ".jsonl": lambda path: pl.read_ndjson(_content(path), infer_schema_length=None),
    ".ndjson": lambda path: pl.read_ndjson(_content(path), infer_schema_length=None),
}


def _cleaned(values: pl.Series) -> pl.Series:
    """Texts without spaces around them; empty ones are missing, numbers numbers."""
    if values.dtype != pl.String:
        return values
    texts = values.str.strip_chars()
    texts = texts.set(texts.is_in(list(EMPTY)).fill_null(value=False), None)
    numbers = texts.cast(pl.Float64, strict=False)
    if texts.null_count() < len(texts) and numbers.null_count() == texts.null_count():
        return numbers
    return texts
