"""Chunks of an array in a file: ``.npy``, or any ``numpy.memmap``.

Rows that lie together are copied chunk by chunk, so that what is worked on is in memory whatever
the operating system throws out; of a few columns only the pages that hold them are read. Where
columns lie together (Fortran order) the array is one chunk that is read in place, a few columns at
a time. The file is looked at before and after every reading: if its size or its time has changed,
the numbers are not those that the fit began with.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from holdfast.rows.chunked import Raw, chunk_length, chunk_lengths
from holdfast.rows.stamped import StampedFile
from holdfast.rows.sums import Array, few_rows


class ArrayFile:
    """A memory-mapped array as a source of chunks; see :class:`holdfast.rows.chunked.Source`.

    Parameters
    ----------
    X : numpy.memmap of shape (m, n)
        Of any real type.
    chunk_rows : int or None
        Rows of a chunk.
    memory : float
        Bytes for chunks, where ``chunk_rows`` is None.
    """

    def __init__(self, X: Any, chunk_rows: int | None, memory: float) -> None:
        self.where = "the memory-mapped array" if X.filename is None else str(X.filename)
        if X.ndim != 2:
            raise ValueError(
                f"{self.where} holds an array of shape {X.shape}; expected rows and columns: "
                "reshape it."
            )
        if X.dtype.kind not in "biuf":
            raise ValueError(
                f"{self.where} holds entries of type {X.dtype}; expected real numbers: convert "
                "them, for instance by astype(float)."
            )
        self._X, self._file = X, StampedFile(X.filename)
        self._in_place = X.strides[0] < X.strides[1]
        length = chunk_length(len(X), X.shape[1] * X.itemsize, chunk_rows, memory)
        self.lengths = [len(X)] if self._in_place else chunk_lengths(len(X), length)
        self._starts = np.cumsum([0, *self.lengths])
        self.n_columns = X.shape[1]
        self.entries_per_column = float(len(X))
        self.origin = np.zeros(X.shape[1])
        if X.size:
            few = np.asarray(X[few_rows(np.ones(len(X)))], dtype=np.float64)
            with np.errstate(invalid="ignore"):  # what is not finite is refused when it is read
                self.origin = np.nan_to_num(np.median(few, axis=0), posinf=0.0, neginf=0.0)

    def read(self, number: int, columns: Array | None) -> Raw:
        """A copy of a chunk or of some columns of it, or the array where columns lie together."""
        self._file.check()
        rows = self._X[self._starts[number] : self._starts[number + 1]]
        if columns is not None:
            raw = np.asarray(rows[:, columns])
        else:
            raw = np.asarray(rows) if self._in_place else np.array(rows, subok=False)
        self._file.check()
        return raw

    def read_rows(self, number: int, chosen: Array) -> Raw:
        """Some rows of a chunk, without the others."""
        self._file.check()
        raw = np.array(self._X[self._starts[number] + chosen], subok=False)
        self._file.check()
        return raw


def open_array(path: Path) -> Any:
    """The array of an ``.npy`` file, memory-mapped."""
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(
            f"{path} cannot be read as an array ({error}); expected a whole file written by "
            "numpy.save, of numbers: it is truncated or something else, write it again."
        ) from error
