"""Chunks of Parquet: one file, the files of a folder, or those that a pattern names.

Polars reads them, and of each chunk only the columns that are asked for. Texts become one-hot
groups by the room ``tables/``, learned once from all rows. Targets, weights and groups are columns
named by the user; all other columns are features.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from holdfast.rows.chunked import Raw, chunk_length, chunk_lengths
from holdfast.rows.stamped import StampedFile
from holdfast.rows.sums import Array
from holdfast.tables import Encoding, learn

_FIRST_ROWS = 64


class Piece(NamedTuple):
    """Consecutive rows of one file."""

    file: Path
    start: int
    length: int


class ParquetFiles:
    """Files of one schema.

    Parameters
    ----------
    files : sequence of paths
        In the order of the rows.
    """

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = list(files)
        self.stamps = {file: StampedFile(file) for file in self.files}
        schemas = [self._ask(file, lambda table: table.collect_schema()) for file in self.files]
        for file, schema in zip(self.files, schemas, strict=True):
            if schema != schemas[0]:
                other = sorted(set(schema.items()) ^ set(schemas[0].items()), key=str)
                raise ValueError(
                    f"{file} has other columns than {self.files[0]} (such as {other[0][0]!r}, "
                    f"{other[0][1]}); expected the same names and types in the same order in all "
                    "files: write them alike."
                    if other
                    else f"{file} has its columns in another order than {self.files[0]}; expected "
                    "the same order in all files: write them alike."
                )
        self.columns: list[str] = schemas[0].names()
        self.lengths = [
            self._ask(file, lambda table: int(table.select(pl.len()).collect().item()))
            for file in self.files
        ]

    def table(self) -> pl.LazyFrame:
        """All rows."""
        return pl.scan_parquet(self.files, glob=False)

    def pieces(self, length: int) -> list[Piece]:
        """Chunks of at most so many rows, none of them in two files."""
        return [
            Piece(file, start, rows)
            for file, n_rows in zip(self.files, self.lengths, strict=True)
            for start, rows in zip(
                range(0, n_rows, length), chunk_lengths(n_rows, length), strict=True
            )
        ]

    def read(self, piece: Piece, columns: Sequence[str]) -> pl.DataFrame:
        """Some columns of a chunk."""
        self.stamps[piece.file].check()
        frame: pl.DataFrame = self._ask(
            piece.file,
            lambda table: table.select(columns).slice(piece.start, piece.length).collect(),
        )
        self.stamps[piece.file].check()
        return frame

    def values(self, word: str, names: Any) -> Array:
        """Columns of all rows, (m,) for one name and (m, names) for a list."""
        several = not isinstance(names, str)
        wanted = list(names) if several else [names]
        for name in wanted:
            if name not in self.columns:
                raise ValueError(
                    f"{word}={name!r} names a column that {self.files[0]} does not have; expected "
                    f"one of {self.columns[:20]}: correct the name, or pass an array."
                )
        frame = self._ask(self.files[0], lambda _: self.table().select(wanted).collect())
        for name in wanted:
            empty = frame[name].null_count()
            if empty:
                raise ValueError(
                    f"column {name!r}, given as {word}, has {empty} missing values; expected a "
                    "value in every row: drop the rows without one."
                )
        return frame.to_numpy() if several else _as_array(frame[names])

    def _ask(self, file: Path, question: Any) -> Any:
        try:
            return question(pl.scan_parquet(file, glob=False))
        except (pl.exceptions.PolarsError, OSError) as error:
            raise ValueError(
                f"{file} cannot be read as Parquet ({error}); expected a whole Parquet file: it is "
                "truncated, damaged or something else, write it again."
            ) from error


class ParquetSource:
    """Encoded chunks of Parquet files; see :class:`holdfast.rows.chunked.Source`.

    Parameters
    ----------
    files : ParquetFiles
        What is read.
    encoding : Encoding
        How columns become numbers.
    chunk_rows : int or None
        Rows of a chunk.
    memory : float
        Bytes for chunks, where ``chunk_rows`` is None.
    """

    def __init__(
        self, files: ParquetFiles, encoding: Encoding, chunk_rows: int | None, memory: float
    ) -> None:
        self._files, self._encoding = files, encoding
        self.where = str(files.files[0]) if len(files.files) == 1 else f"{len(files.files)} files"
        self.n_columns = len(encoding.names)
        n_rows = sum(files.lengths)
        # What is read of the file and its numbers are in memory together.
        self._pieces = files.pieces(chunk_length(n_rows, 16 * self.n_columns, chunk_rows, memory))
        self.lengths = [piece.length for piece in self._pieces]
        self.entries_per_column = float(n_rows)
        self.origin = np.zeros(self.n_columns)
        if self._pieces:
            first = self._pieces[0]._replace(length=min(_FIRST_ROWS, self._pieces[0].length))
            few = encoding.encode(files.read(first, encoding.needed))
            self.origin = np.nan_to_num(np.median(few, axis=0), posinf=0.0, neginf=0.0)

    def read(self, number: int, columns: Array | None) -> Raw:
        """A chunk, or some of its columns, of which only what they need is read."""
        every = self._encoding.needed
        needed = every if columns is None else self._encoding.needed_for(columns)
        return self._encoding.encode(self._files.read(self._pieces[number], needed), columns)

    def read_rows(self, number: int, chosen: Array) -> Raw:
        """Some rows of a chunk, which is read."""
        return self.read(number, None)[chosen]


def find_files(path: Any) -> list[Path] | None:
    """The Parquet files that a path, a folder or a pattern names; None for paths of other kinds."""
    found = Path(path)
    if found.is_dir():
        inside = sorted(found.rglob("*.parquet"))
        if not inside:
            raise FileNotFoundError(
                f"the folder {found} holds no .parquet files; expected at least one: name the "
                "folder that has them."
            )
        return inside
    if any(sign in str(found) for sign in "*?[") and not found.exists():
        named = sorted(Path(found.anchor or ".").glob(str(found.relative_to(found.anchor))))
        if not named:
            raise FileNotFoundError(f"no file matches {found}; expected at least one: correct it.")
        return named
    if found.suffix in (".parquet", ".pq"):
        if not found.is_file():
            raise FileNotFoundError(f"there is no file {found}; expected a Parquet file.")
        return [found]
    return None


def features_of(
    files: ParquetFiles, columns: Sequence[str] | None, others: Sequence[str]
) -> list[str]:
    """Columns that are features: those asked for, or all that are nothing else."""
    if columns is None:
        return [name for name in files.columns if name not in others]
    for name in columns:
        if name not in files.columns:
            raise ValueError(
                f"columns names {name!r}, which {files.files[0]} does not have; expected some of "
                f"{files.columns[:20]}: correct the name."
            )
    return [name for name in columns if name not in others]


def encoded_source(
    files: ParquetFiles,
    features: Sequence[str],
    encoding: Encoding | None,
    *,
    chunk_rows: int | None,
    memory: float,
    rare: int,
    impute: str | None,
) -> tuple[ParquetSource, Encoding]:
    """Chunks by the encoding of a fitted model, or by one that is learned here."""
    if encoding is None:
        encoding = files._ask(
            files.files[0], lambda _: learn(files.table(), features, rare=rare, impute=impute)
        )
    lacking = [name for name in encoding.needed if name not in files.columns]
    if lacking:
        raise ValueError(
            f"{files.files[0]} does not have the column {lacking[0]!r} that the model was fitted "
            "on; expected all of its columns, in any order: add it."
        )
    return ParquetSource(files, encoding, chunk_rows, memory), encoding


def _as_array(values: pl.Series) -> Array:
    """Numbers as numbers, texts as objects."""
    if values.dtype in (pl.String, pl.Categorical, pl.Enum):
        return np.array(values.cast(pl.String).to_list(), dtype=object)
    return values.to_numpy()
