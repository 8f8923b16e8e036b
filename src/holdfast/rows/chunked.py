"""Rows that are read in chunks, as often as the algorithm asks, and are never all in memory.

A *source* - an array file, Parquet, blocks that somebody hands out - reads one chunk at a time,
whole or only some of its columns. A chunk in memory is a dense or a sparse block like any other,
so that integers and float32 are converted a piece at a time, as everywhere; the numbers of its
rows (targets, weights, and the states of the algorithm) stay in memory, O(m) for every vector over
the rows.

A chunk is read only when a step asks something of X: sweeps over states alone read nothing. What
the step asked of one chunk it will ask of the next, so a second thread reads that while the step
works: at any time at most two chunks are in memory. Every chunk is checked when it comes: its
shape, and, the first time it is read whole, that its entries are finite real numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from holdfast.rows.dense import DenseBlock
from holdfast.rows.fetched import Wish, by_block, in_order
from holdfast.rows.narrow import Narrow
from holdfast.rows.products import pieces
from holdfast.rows.sparse import SparseBlock
from holdfast.rows.sums import Array, Block, BlockRows, Parts, Rows, ranges

MEMORY = 1 << 28
"""Bytes for chunks, unless something else is asked for."""

_FETCH_WIDTH = 64
"""A fetch is a reading: so many columns come with it, and so many are kept at least."""
_PRODUCT_WIDTHS = (4, 32)
_PRODUCT_SHARE = 1 / 8
"""Part of the memory for chunks that products of vectors with all columns may take."""

_MOST_ROWS = 1 << 16
_BUFFERS = 4
"""Chunks that would fill the memory for chunks: two are held, what is made of them takes more."""

_LARGEST = 1e150
"""Squares of what is larger are not numbers of full precision."""

Raw = Any
"""Entries of a chunk: an array, or a CSR or CSC matrix."""


class Source(Protocol):
    """Chunks of rows that can be read again and again."""

    where: str
    """What error messages call it."""
    lengths: list[int]
    """Rows of every chunk."""
    n_columns: int
    entries_per_column: float
    origin: Array
    """See :class:`holdfast.rows.sums.Rows`."""

    def read(self, number: int, columns: Array | None) -> Raw:
        """A chunk, or some of its columns; called in ascending order, by one thread at a time."""
        ...

    def read_rows(self, number: int, chosen: Array) -> Raw:
        """Some rows of a chunk, by the same thread; only these, where the source can seek."""
        ...


@dataclass(frozen=True)
class Table:
    """A source with names and groups of its columns.

    Attributes
    ----------
    source : Source
        Where the rows come from.
    names : list of str or None
        Names of the columns.
    groups : list of lists of int
        Columns that enter and leave together.
    encoding : object
        How a model reads other files of the kind; None where columns are what they are.
    memory : int
        Bytes for chunks, and as many for columns that are fetched and kept, a few dozen at least.
    """

    source: Source
    names: list[str] | None = None
    groups: list[list[int]] = field(default_factory=list)
    encoding: Any = None
    memory: int = MEMORY

    @cached_property
    def _reader(self) -> _Reader:
        return _Reader(self.source)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return sum(self.source.lengths), self.source.n_columns

    @property
    def fetch_rows(self) -> int:
        """Rows worth fetching together: as many as the memory holds as floats."""
        return max(1, self.memory // (8 * self.source.n_columns))

    def rows(self, targets: Array, weights: Array) -> Rows:
        """Rows with targets (targets, m) and weights (m,)."""
        ends = np.cumsum([0, *self.source.lengths]).tolist()
        chunks = [
            Chunk(self._reader, number, targets[:, start:stop], weights[start:stop])
            for number, (start, stop) in enumerate(pairwise(ends))
        ]
        return BlockRows(
            chunks,
            self.source.n_columns,
            fetch_width=_FETCH_WIDTH,
            product_width=_product_width(self.source.n_columns, self.memory),
            kept_bytes=max(self.memory, 8 * _FETCH_WIDTH * self.shape[0]),
            entries_per_column=self.source.entries_per_column,
            origin=self.source.origin,
        )

    def fetch(self, numbers: Any) -> Raw:
        """Rows by number, in the order given, in memory."""
        wishes, places = by_block(numbers, self.source.lengths)
        return in_order(self._reader.fetch(wishes), places)


def _product_width(n_columns: int, memory: int) -> int:
    """A reading costs more than many products, but these are as long as there are columns."""
    fewest, most = _PRODUCT_WIDTHS
    return int(np.clip(_PRODUCT_SHARE * memory / (8 * max(n_columns, 1)), fewest, most))


def chunk_length(n_rows: int, row_bytes: float, chunk_rows: int | None, memory: float) -> int:
    """Rows of a chunk: as asked, or as fit into the memory for chunks."""
    if chunk_rows is None:
        chunk_rows = min(int(memory / (_BUFFERS * max(row_bytes, 1))), _MOST_ROWS)
    return max(1, min(chunk_rows, n_rows))


def chunk_lengths(n_rows: int, length: int) -> list[int]:
    """Chunks of equal length but the last."""
    return [rows.stop - rows.start for rows in ranges(n_rows, length)]


def block_of(X: Raw, targets: Array, weights: Array) -> Block:
    """Rows in memory as a block."""
    if not sparse.issparse(X):
        return DenseBlock(np.asarray(X), targets, weights)
    X = X if X.format in ("csr", "csc") else X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return SparseBlock(X, targets, weights)


class Chunk:
    """Rows that are read when something is asked of X; see :class:`holdfast.rows.sums.Block`."""

    def __init__(self, reader: _Reader, number: int, targets: Array, weights: Array) -> None:
        self._reader, self._number = reader, number
        self.targets = targets
        self.weights = weights

    def _read(self, columns: Array | None = None) -> Block:
        return block_of(self._reader.get(self._number, columns), self.targets, self.weights)

    def cross(self, vectors: Array) -> Array:
        """``vectors @ X``."""
        return self._read().cross(vectors)

    def columns(self, indices: Array) -> Array:
        """Columns as float64 lines; only these are read, where the source can do so."""
        return self._read(indices).columns(np.arange(len(indices)))

    def outputs(self, coef: Array, chosen: Any, centre: Array) -> Array:
        """Outputs of linear models."""
        return self._read().outputs(coef, chosen, centre)

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """Weighted first and second sums about a centre."""
        return self._read().spread(weights, centre)

    def gram(self, parts: Parts, extra: Array, root: Array, centre: Array) -> Array:
        """Products of centred columns and extra lines by part."""
        return self._read().gram(parts, extra, root, centre)

    def cross_by_part(self, vectors: Array, parts: Parts, centre: Array) -> Array:
        """Products with centred columns by part."""
        return self._read().cross_by_part(vectors, parts, centre)

    def points(self, chosen: Any, length: int) -> Iterator[Any]:
        """Rows as float64, a piece at a time; the chunk is read once for all pieces."""
        return self._read().points(chosen, length)

    def narrow(self, columns: Array, centre: Array) -> Narrow:
        """Some columns, copied; only these are read, where the source can do so."""
        return self._read(columns).narrow(np.arange(len(columns)), centre)

    def some(self, chosen: Array) -> Block:
        """Some rows, copied: they stay in memory."""
        return self._read().some(chosen)

    def squares(self, centre: Array) -> Array:
        """Squared lengths of the rows."""
        return self._read().squares(centre)


class _Reader:
    """Reads chunks of a source one ahead of the algorithm, and checks them.

    A request is a chunk's number and the columns wanted of it, None for all. What is requested of
    one chunk is at once requested of the next.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="holdfast-reader")
        self._requests: dict[tuple[int, bytes | None], Future[Raw]] = {}
        self._seen = np.zeros(len(source.lengths), dtype=bool)

    def get(self, number: int, columns: Array | None) -> Raw:
        """A chunk, or some of its columns."""
        key = None if columns is None else np.asarray(columns, dtype=np.intp).tobytes()
        for request in [old for old in self._requests if old[0] not in (number, number + 1)]:
            self._requests.pop(request).cancel()
        whole = self._requests.get((number, None))
        if columns is not None and whole is not None and whole.done():
            return whole.result()[:, columns]
        try:
            raw = self._request(number, key, columns).result()
        except BaseException:
            self._requests.clear()
            raise
        if number + 1 < len(self._source.lengths):
            self._request(number + 1, key, columns)
        return raw

    def fetch(self, wishes: Sequence[Wish]) -> list[Raw]:
        """Some rows of some chunks, in ascending order; what was read ahead is let go."""
        for request in self._requests.values():
            request.cancel()
        self._requests.clear()
        submit = self._thread.submit
        parts = [submit(self._source.read_rows, *wish) for wish in wishes]
        rows = []
        for part, wish in zip(parts, wishes, strict=True):
            raw = part.result()
            self._check(raw, wish.block)
            rows.append(raw)
        return rows

    def _request(self, number: int, key: bytes | None, columns: Array | None) -> Future[Raw]:
        if (number, key) not in self._requests:
            self._requests[number, key] = self._thread.submit(self._read, number, columns)
        return self._requests[number, key]

    def _read(self, number: int, columns: Array | None) -> Raw:
        source = self._source
        raw = source.read(number, columns)
        expected = source.lengths[number], source.n_columns if columns is None else len(columns)
        if raw.shape != expected:
            raise ValueError(
                f"chunk {number} of {source.where} has shape {raw.shape} now; expected {expected}, "
                "as when it was opened: leave the data as they are while a model is fitted."
            )
        if columns is None and not self._seen[number]:
            self._check(raw, number)
            self._seen[number] = True
        return raw

    def _check(self, raw: Raw, number: int) -> None:
        """Refuse what is not a finite real number."""
        if raw.dtype.kind not in "biuf":
            raise ValueError(
                f"chunk {number} of {self._source.where} holds entries of type {raw.dtype}; "
                "expected real numbers: convert them, for instance by astype(float)."
            )
        if raw.dtype.kind != "f":
            return
        largest = _largest(raw)
        if largest <= _LARGEST:
            return
        start = sum(self._source.lengths[:number])
        rows = f"rows {start} to {start + self._source.lengths[number] - 1} of {self._source.where}"
        if np.isfinite(largest):
            raise ValueError(
                f"X has values up to {largest:g} in size, in {rows}, whose squares float64 cannot "
                f"hold; expected sizes below {_LARGEST:g}: multiply X by a constant."
            )
        raise ValueError(
            f"Input X contains NaN or infinity, in {rows}; expected finite numbers: replace these "
            "entries or drop their rows or columns."
        )


def _largest(raw: Raw) -> float:
    """The largest size of an entry, NaN where one is."""
    entries = raw.data.reshape(1, -1) if sparse.issparse(raw) else raw
    if entries.size == 0:
        return 0.0
    return float(np.max([(piece.max(), -piece.min()) for _, _, piece in pieces(entries)]))
