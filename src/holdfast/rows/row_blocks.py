"""Data that are not arrays in memory: how they are named, and how they are opened."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from holdfast.rows.array_file import ArrayFile, open_array
from holdfast.rows.chunked import MEMORY, Table
from holdfast.rows.sums import Array, Rows
from holdfast.rows.walked import Walked


class Stored(Protocol):
    """A table that is not an array in memory."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        ...

    @property
    def names(self) -> list[str] | None:
        """Names of the columns."""
        ...

    @property
    def groups(self) -> list[list[int]]:
        """Columns that enter and leave together."""
        ...

    @property
    def encoding(self) -> Any:
        """How a model reads other tables of the kind; None where columns are what they are."""
        ...

    @property
    def memory(self) -> int:
        """Bytes that numbers made of all rows may take in this process."""
        ...

    @property
    def fetch_rows(self) -> int:
        """Rows worth fetching together."""
        ...

    def rows(self, targets: Array, weights: Array) -> Rows:
        """Rows with targets (targets, m) and weights (m,)."""
        ...

    def fetch(self, numbers: Any) -> Any:
        """Rows by number, an array or a slice of numbers, in their order, in memory."""
        ...


class Opened(NamedTuple):
    """A stored table, and what belongs to its rows, in memory."""

    table: Stored
    y: Any
    sample_weight: Any
    groups: Any


class Wanted(NamedTuple):
    """What a fit was given beside X: arrays, or names of columns, or nothing."""

    y: Any = None
    sample_weight: Any = None
    groups: Any = None


class RowBlocks:
    """Rows that are read block by block, for data larger than memory.

    ``fit``, ``predict``, ``score``, ``transform`` and :func:`nested_score` take one in place of X,
    but for models that compare all rows with all rows. Paths and memory-mapped arrays are taken as
    they are too; this class says how much memory their blocks may have, and takes blocks from
    anywhere.

    Parameters
    ----------
    data : str, path, numpy.memmap or iterable of tuples
        A ``.npy`` file, a memory-mapped array, Parquet (a file, a folder of files, or a pattern
        such as ``"part-*.parquet"``; y, weights and groups may be columns named in ``fit``:
        ``fit(path, "price")``), or blocks ``(X, y)``, ``(X, y, sample_weight)`` or
        ``(X, y, sample_weight, groups)`` with dense or sparse X, in an iterable that begins anew
        with every loop (a list, or an object whose ``__iter__`` makes a generator). Blocks bring
        their y: it is left out of ``fit``.
    chunk_rows : int or None, default=None
        Rows that are read at a time. None: as many as ``memory`` allows. Blocks of an iterable are
        read as they come.
    memory : int, default=268435456
        Bytes for the rows that are read - two chunks are held at a time, the one that is worked on
        and the next - and as many for the few dozen columns that selection keeps at hand, or for
        kernel columns if they fit.
    columns : list of str or None, default=None
        Of Parquet: the columns that are features. None: all that are not targets, weights or
        groups. Columns of texts become groups of columns of zeros and ones that enter and leave a
        model together (``feature_groups=None``), named ``"column=level"``.
    rare : int, default=1
        Of Parquet: levels with fewer rows share one column. From 2 on, levels that are new when
        predicting are counted among them; otherwise they are refused.
    impute : None, "mean" or "median", default=None
        Of Parquet: missing numbers become the mean or median of the others, missing texts a level
        of their own. None: they are refused. Means are those of all rows, held out or not.

    Notes
    -----
    Results are those of the same numbers in memory, up to rounding, whatever the chunks. Memory
    beside the chunks: what the estimator keeps for every row and every column. A file is read once
    for every reading that the estimator's notes speak of, in another thread than the arithmetic.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import ForwardRidge, RowBlocks
    >>> class Days:
    ...     def __iter__(self):
    ...         for day in range(5):
    ...             rng = np.random.default_rng(day)
    ...             X = rng.standard_normal((100, 8))
    ...             yield X, X[:, 2] - X[:, 5] + rng.standard_normal(100)
    >>> ForwardRidge(n_features_to_select=2).fit(RowBlocks(Days())).selection_order_.tolist()
    [2, 5]
    """

    def __init__(
        self,
        data: Any,
        *,
        chunk_rows: int | None = None,
        memory: int = MEMORY,
        columns: Sequence[str] | None = None,
        rare: int = 1,
        impute: str | None = None,
    ) -> None:
        self.data = data
        self.chunk_rows = chunk_rows
        self.memory = memory
        self.columns = columns
        self.rare = rare
        self.impute = impute

    def __repr__(self) -> str:
        what = repr(str(self.data)) if _is_path(self.data) else type(self.data).__name__
        return f"RowBlocks({what}, chunk_rows={self.chunk_rows}, memory={self.memory})"

    def _open(self, wanted: Wanted, encoding: Any) -> Opened:
        """Open the data; what is wanted by name is read."""
        self._check()
        files = self._parquet() if _is_path(self.data) else None
        if files is not None:
            return self._open_parquet(files, wanted, encoding)
        if not (_is_path(self.data) or is_memory_map(self.data)):
            walked = Walked(self.data)
            twice = [
                word
                for word, value in wanted._asdict().items()
                if value is not None and word in walked.given
            ]
            if twice:
                raise ValueError(
                    f"{twice[0]} was given to fit, and by the blocks; expected it once: leave it "
                    "out of one of them."
                )
            of_rows = {**wanted._asdict(), **walked.given}
            return Opened(Table(walked, memory=self.memory), **of_rows)
        array = open_array(_existing(self.data)) if _is_path(self.data) else self.data
        for word, value in wanted._asdict().items():
            if isinstance(value, str):
                raise ValueError(
                    f"{word}={value!r} names a column, but an array file has no column names; "
                    "expected an array: pass the values."
                )
        source = ArrayFile(array, self.chunk_rows, self.memory)
        return Opened(Table(source, memory=self.memory), *wanted)

    def _parquet(self) -> Any:
        """The Parquet files that are named; None for files of another kind."""
        if Path(self.data).suffix == ".npy":
            return None
        try:
            from holdfast.rows import parquet
        except ImportError as error:
            raise ImportError(
                f"{self.data} needs polars, which is not installed ({error}); expected the extra "
                "'tables': pip install 'holdfast[tables]'."
            ) from error
        found = parquet.find_files(self.data)
        return None if found is None else parquet.ParquetFiles(found)

    def _open_parquet(self, files: Any, wanted: Wanted, encoding: Any) -> Opened:
        """Columns by name become targets, weights and groups, all others features."""
        from holdfast.rows import parquet

        of_rows, others = wanted._asdict(), []
        for word, value in of_rows.items():
            if _names_columns(value):
                others += [value] if isinstance(value, str) else list(value)
                of_rows[word] = files.values(word, value)
        source, encoding = parquet.encoded_source(
            files,
            parquet.features_of(files, self.columns, others),
            encoding,
            chunk_rows=self.chunk_rows,
            memory=self.memory,
            rare=self.rare,
            impute=self.impute,
        )
        table = Table(source, encoding.names, encoding.groups, encoding, self.memory)
        return Opened(table, **of_rows)

    def _check(self) -> None:
        if self.impute not in (None, "mean", "median"):
            raise ValueError(
                f"impute={self.impute!r} is not known; expected None, 'mean' or 'median': choose "
                "one of them."
            )
        for name in ("chunk_rows", "memory", "rare"):
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not (whole and value >= 1) and not (name == "chunk_rows" and value is None):
                raise ValueError(
                    f"{name}={value!r} is not a size; expected an integer of at least 1"
                    f"{', or None' if name == 'chunk_rows' else ''}: give a number of "
                    f"{'bytes' if name == 'memory' else 'rows'}."
                )


def opened(X: Any, wanted: Wanted, encoding: Any = None) -> Opened | None:
    """The table that ``X`` names, opened; None for what is in memory.

    Parameters
    ----------
    X : array, sparse matrix, DataFrame, path, memory-mapped array, Dask collection or RowBlocks
        As estimators take it; or a table that was opened.
    wanted : Wanted
        Targets, weights and groups, as arrays or by name.
    encoding : object
        What the fitted model kept of the table it was fitted on.
    """
    if hasattr(X, "_open"):
        result: Opened = X._open(wanted, encoding)
        return result
    if hasattr(X, "fetch_rows"):
        return Opened(X, *wanted)  # it is open
    if _is_path(X) or is_memory_map(X):
        return RowBlocks(X)._open(wanted, encoding)
    if hasattr(X, "__dask_graph__"):
        from holdfast.rows.dask_table import open_collection

        return Opened(*open_collection(X, wanted))
    return None


def is_elsewhere(X: Any) -> bool:
    """Whether the rows are not in memory and cannot be looked at like an array."""
    named = hasattr(X, "_open") or _is_path(X) or hasattr(X, "__dask_graph__")
    return named or hasattr(X, "fetch_rows")


def is_memory_map(X: Any) -> bool:
    """Whether an array lies in a file."""
    return isinstance(X, np.memmap) and X.ndim == 2 and X.dtype.kind in "biuf"


def _is_path(X: Any) -> bool:
    return isinstance(X, (str, os.PathLike))


def _names_columns(value: Any) -> bool:
    """Whether targets, weights or groups are given by name: a text, or a list of texts."""
    if isinstance(value, str):
        return True
    return isinstance(value, (list, tuple)) and bool(value) and isinstance(value[0], str)


def _existing(path: Any) -> Path:
    found = Path(path)
    if found.suffix != ".npy":
        raise ValueError(
            f"{found} is of a kind that cannot be read; expected a file ending in .npy or "
            ".parquet, a folder or a pattern of Parquet files: save the table as one."
        )
    if not found.is_file():
        raise FileNotFoundError(f"there is no file {found}; expected the .npy file of X.")
    return found
