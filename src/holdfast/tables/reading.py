"""Tables in files: CSV, TSV, Parquet, Arrow, JSON lines, each gzip'd too; svmlight for sparse rows.

Anything that cannot be read is an error that names the file, what it was taken for and what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import polars as pl
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from holdfast.tables.text_files import read_csv, unpacked

SVMLIGHT = (".svm", ".svmlight", ".libsvm")
PARQUET = (".parquet", ".pq")


def _is_pattern(path: Path) -> bool:
    """Whether a path stands for several files."""
    return not path.exists() and any(sign in path.name for sign in "*?[")


def check_file(path: Path) -> None:
    """Refuse a path that cannot be read, saying what may have been meant."""
    if _is_pattern(path) and not list(path.parent.glob(path.name)):
        raise FileNotFoundError(f"no file matches {path}; correct the pattern.")
    if path.exists() or _is_pattern(path):
        kind_of(path)
        return
    beside = path.parent
    names = [entry.name for entry in beside.iterdir()] if beside.is_dir() else []
    near = get_close_matches(path.name, names, n=1)
    hint = f"did you mean {near[0]}?" if near else "correct the path."
    raise FileNotFoundError(f"there is no file {path}; {hint}")


def kind_of(path: Path) -> str:
    """The ending that says how the file is to be read, without that of gzip."""
    if path.is_dir() or _is_pattern(path):
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


def read_table(path: Path, texts: Collection[str] = ()) -> pl.DataFrame:
    """All rows of a table.

    Parameters
    ----------
    path : Path
        Its ending says what it is.
    texts : collection of str
        Columns that are texts, whatever they look like in a text file: those that a model knows.

    Returns
    -------
    polars.DataFrame
        Empty cells of text files are null, and columns of nothing but numbers are numbers.
    """
    check_file(path)
    reader = _READERS[kind_of(path)]
    frame: pl.DataFrame = _tried(path, lambda: reader(path, texts))
    if not len(frame) or not frame.columns:
        raise ValueError(
            f"{path} holds {len(frame)} rows and {len(frame.columns)} columns; expected at least "
            "one of each below a line of names: is it the right file?"
        )
    return frame


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


def _read_parquet(path: Path, texts: Collection[str]) -> pl.DataFrame:
    if path.is_dir():
        return pl.read_parquet(path / "**/*.parquet")
    if _is_pattern(path):
        return pl.read_parquet(path)
    return pl.read_parquet(unpacked(path), glob=False)


def _read_arrow(path: Path, texts: Collection[str]) -> pl.DataFrame:
    return pl.read_ipc(unpacked(path))


def _read_lines(path: Path, texts: Collection[str]) -> pl.DataFrame:
    return pl.read_ndjson(unpacked(path), infer_schema_length=None)


_READERS: dict[str, Callable[[Path, Collection[str]], pl.DataFrame]] = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".parquet": _read_parquet,
    ".pq": _read_parquet,
    ".arrow": _read_arrow,
    ".feather": _read_arrow,
    ".jsonl": _read_lines,
    ".ndjson": _read_lines,
}
