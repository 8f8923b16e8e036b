"""Sums over blocks of rows: the one primitive every algorithm is written in.

Whatever holds the numbers - one array, a sparse matrix, files, a cluster - offers the same
thing: a *sweep* applies a pure function, the step, to every block of rows and adds up what
the blocks report. Numbers that belong to rows (duals, leverages, fetched columns) stay with
their block as its *state*, a dictionary of arrays (or of dictionaries of arrays) whose last axis
runs over the rows; some columns of the block may stand there too (:mod:`holdfast.rows.narrow`).

A step is called as ``step(block, state, shared)`` and returns ``(Totals, new_state)``. It
must not change its arguments and may ask of a block only what :class:`Block` lists, so the
same step runs on every storage. An algorithm holds states as a handle, to be passed on and
not looked into. Reading X is counted (:class:`Counts`); a step that touches
only the state costs no reading.

Vectors over rows are stored as the rows of an array, (count, rows): a batch of them is one
matrix product away from X.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

_CACHE_BYTES = 1 << 24
_KEPT_SHARE = 6
"""Fetched columns are worth a small cache, and at most that part of X as floats."""
if TYPE_CHECKING:
    from holdfast.rows.narrow import Narrow

_FEW_ROWS = 64

Array = NDArray[Any]
State = dict[str, Any]
States = Any
"""The states of all blocks: a handle that only its :class:`Rows` looks into."""


class Block(Protocol):
    """A block of rows, as a step sees it."""

    @property
    def targets(self) -> Array:
        """Targets of these rows, (targets, rows), float64."""
        ...

    @property
    def weights(self) -> Array:
        """Sample weights of these rows, (rows,), float64."""
        ...

    def cross(self, vectors: Array) -> Array:
        """Products with every column, ``vectors @ X``: (count, rows) -> (count, columns)."""
        ...

    def columns(self, indices: Array) -> Array:
        """The named columns as float64, one per line: (count, rows)."""
        ...

    def outputs(self, coef: Array, chosen: Any, centre: Array) -> Array:
        """Outputs of linear models, ``coef @ (X[chosen] - centre).T``: (count, chosen rows).

        ``coef`` is (count, columns); ``chosen`` are row numbers within the block, or a slice
        with a start and a stop.
        """
        ...

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """Weighted sums of ``x - centre`` and ``(x - centre)**2`` per column.

        ``weights`` is (count, rows) and ``centre`` (count, columns); both results are
        (count, columns). Taken about a centre near the mean they keep the digits that
        ``sum x**2 - sum(x)**2 / m`` loses.
        """
        ...

    def gram(self, parts: Parts, extra: Array, root: Array, centre: Array) -> Array:
        """Products of the columns, about a centre, with each other and with ``extra``, by part.

        With the lines ``Z = [x - centre, extra] * root``, extra being (e, rows): ``Z Z'`` over
        the rows of every part, (parts, n + e, n + e).
        """
        ...

    def cross_by_part(self, vectors: Array, parts: Parts, centre: Array) -> Array:
        """``vectors @ (X - centre)`` over the rows of every part, (parts, count, columns)."""
        ...

    def points(self, chosen: Any, length: int) -> Iterator[Any]:
        """The named rows as float64, at most ``length`` at a time: arrays, or CSR matrices.

        For what is no sum of columns: kernels, which compare rows with each other. ``chosen`` as in
        :meth:`outputs`.
        """
        ...

    def narrow(self, columns: Array, centre: Array) -> Narrow:
        """The named columns about a centre, a copy that is small beside X; a state may hold it.

        For algorithms that come back to a few columns, and to single rows of them, far more often
        than X should be read. ``centre`` is (named columns,), zero where X has zeros.
        """
        ...

    def some(self, chosen: Array) -> Block:
        """Some rows, by ascending numbers within the block, copied: a block a state may hold.

        For algorithms whose rows cease to count as they go on.
        """
        ...

    def squares(self, centre: Array) -> Array:
        """Squared length of every row about a centre that is zero where X has zeros, (rows,)."""
        ...


@dataclass(frozen=True)
class Parts:
    """A division of rows: the part of every row, -1 for rows that are in none."""

    labels: Array
    count: int

    def rows(self) -> Iterator[tuple[int, Any]]:
        """Every part with rows, and those rows: a slice where they are neighbours."""
        order = np.argsort(self.labels, kind="stable")
        ends = np.cumsum(np.bincount(self.labels + 1, minlength=self.count + 1))
        for part, (start, stop) in enumerate(pairwise(ends.tolist())):
            if start < stop:
                first, last = int(order[start]), int(order[stop - 1])
                together = last - first == stop - start - 1
                yield part, slice(first, last + 1) if together else order[start:stop]


@dataclass(frozen=True)
class Totals:
    """What a step reports of its block: arrays to be added, arrays to be maximised."""

    sums: Mapping[str, Array] = field(default_factory=dict)
    largest: Mapping[str, Array] = field(default_factory=dict)

    def __add__(self, other: Totals) -> Totals:
        return Totals(
            {name: np.asarray(value + other.sums[name]) for name, value in self.sums.items()},
            {
                name: np.asarray(np.maximum(value, other.largest[name]))
                for name, value in self.largest.items()
            },
        )

    def __getitem__(self, name: str) -> Array:
        return self.sums[name] if name in self.sums else self.largest[name]

    def absorb(self, other: Totals) -> None:
        """Add in place; only for totals that are nobody else's."""
        for name, value in self.sums.items():
            np.add(value, other.sums[name], out=value)
        for name, value in self.largest.items():
            np.maximum(value, other.largest[name], out=value)


Step = Callable[[Block, State, Any], tuple[Totals, State]]


@dataclass
class Counts:
    """How often the data were read.

    ``sweeps`` counts every visit of all blocks, ``products`` those that multiplied by X,
    ``fetches`` those that read columns, ``columns`` the columns so read; ``parts`` are the products
    that a LARS path made with all columns, of all rows or a copy of some, each for its part.
    """

    sweeps: int = 0
    products: int = 0
    fetches: int = 0
    columns: int = 0
    parts: float = 0.0


class Rows(Protocol):
    """Rows of a table with targets and weights, wherever they live."""

    n_rows: int
    n_columns: int
    n_targets: int
    counts: Counts
    fetch_width: int
    """Columns that are read in about the time of one: worth asking for together."""
    product_width: int
    """Vectors that X is multiplied by in little more time than by a few."""
    kept_bytes: int
    """Memory that fetched columns are worth: a small cache, and more where a fetch is a reading."""
    entries_per_column: float
    """Numbers stored per column, on average."""
    origin: Array
    """A point near the rows, (n,), that is cheap to know: sums about it keep their digits."""

    def sweep(self, step: Step, states: States | None, shared: Any) -> tuple[Totals, States]:
        """Apply ``step`` to every block; the totals over blocks, and the new states."""
        ...

    def joined(self, first: States, second: States) -> States:
        """Both states of every block in one; the entries of ``second`` win."""
        ...

    def gather(self, states: States, name: str) -> Array:
        """The state called ``name`` of all rows, in order, along the last axis.

        Of a state that is there for some rows only: those of one block after the other.
        """
        ...

    def scatter(self, name: str, values: Array) -> States:
        """States called ``name`` from values of all rows, in order along the last axis."""
        ...


class BlockRows:
    """Rows as a sequence of blocks visited one after the other.

    Parameters
    ----------
    blocks : sequence of Block
        In the order of the rows.
    n_columns : int
        Columns of X.
    fetch_width, product_width, kept_bytes : int
        What is worth asking for together, and keeping; see :class:`Rows`. None: what is worth it
        of an array in memory.
    entries_per_column : float
        Numbers stored per column, on average.
    origin : array of shape (n,)
        A point near the rows.
    order : int array of shape (m,), optional
        Which row of the table is where in the blocks, if not in order.
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        n_columns: int,
        *,
        fetch_width: int,
        product_width: int,
        kept_bytes: int | None = None,
        entries_per_column: float,
        origin: Array,
        order: Array | None = None,
    ) -> None:
        self.origin = origin
        self._order = order
        self.entries_per_column = entries_per_column
        self.fetch_width = fetch_width
        self.product_width = product_width
        self._blocks = blocks
        self.n_rows = sum(len(block.weights) for block in blocks)
        self.n_columns = n_columns
        share = 8 * self.n_rows * n_columns // _KEPT_SHARE
        self.kept_bytes = min(_CACHE_BYTES, share) if kept_bytes is None else kept_bytes
        self.n_targets = len(blocks[0].targets)
        self.counts = Counts()

    def sweep(self, step: Step, states: States | None, shared: Any) -> tuple[Totals, States]:
        """Apply ``step`` to every block in turn; see :class:`Rows`."""
        reading = Reading()
        new_states: list[State] = []
        totals: Totals | None = None
        for position, block in enumerate(self._blocks):
            state = states[position] if states is not None else {}
            part, state = step(Watched(block, reading), state, shared)
            if totals is None:
                totals = part
            elif position == 1:
                totals = totals + part
            else:
                totals.absorb(part)
            new_states.append(state)
        assert totals is not None  # there is always a block
        self.counts.sweeps += 1
        self.counts.products += reading.products
        self.counts.fetches += bool(reading.columns)
        self.counts.columns += reading.columns
        return totals, new_states

    def joined(self, first: States, second: States) -> States:
        """Merge the states of every block; see :class:`Rows`."""
        return [one | other for one, other in zip(first, second, strict=True)]

    def gather(self, states: States, name: str) -> Array:
        """Join one entry of the states along the rows; see :class:`Rows`."""
        values = np.concatenate([state[name] for state in states], axis=-1)
        if self._order is None or values.shape[-1] < self.n_rows:
            return values
        ordered = np.empty_like(values)
        ordered[..., self._order] = values
        return ordered

    def scatter(self, name: str, values: Array) -> States:
        """Cut values of all rows into states; see :class:`Rows`."""
        if self._order is not None:
            values = values[..., self._order]
        ends = np.cumsum([len(block.weights) for block in self._blocks])
        return [{name: part} for part in np.split(values, ends[:-1], axis=-1)]


@dataclass
class Reading:
    """What one sweep has read so far."""

    products: bool = False
    columns: int = 0


class Watched:
    """A block that notes what is read of it."""

    def __init__(self, block: Block, reading: Reading) -> None:
        self._block = block
        self._reading = reading
        self.targets = block.targets
        self.weights = block.weights

    def cross(self, vectors: Array) -> Array:
        """Products; noted."""
        self._reading.products = True
        return self._block.cross(vectors)

    def columns(self, indices: Array) -> Array:
        """Columns; noted."""
        self._reading.columns = max(self._reading.columns, len(indices))
        return self._block.columns(indices)

    def outputs(self, coef: Array, chosen: Any, centre: Array) -> Array:
        """Outputs; noted."""
        self._reading.products = True
        return self._block.outputs(coef, chosen, centre)

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """First and second sums; noted."""
        self._reading.products = True
        return self._block.spread(weights, centre)

    def gram(self, parts: Parts, extra: Array, root: Array, centre: Array) -> Array:
        """Products by part; noted."""
        self._reading.products = True
        return self._block.gram(parts, extra, root, centre)

    def cross_by_part(self, vectors: Array, parts: Parts, centre: Array) -> Array:
        """Products with vectors by part; noted."""
        self._reading.products = True
        return self._block.cross_by_part(vectors, parts, centre)

    def points(self, chosen: Any, length: int) -> Iterator[Any]:
        """Rows; noted."""
        self._reading.products = True
        return self._block.points(chosen, length)

    def narrow(self, columns: Array, centre: Array) -> Narrow:
        """Some columns, copied; noted."""
        self._reading.columns = max(self._reading.columns, len(columns))
        return self._block.narrow(columns, centre)

    def some(self, chosen: Array) -> Block:
        """Some rows, copied; noted."""
        self._reading.products = True
        return self._block.some(chosen)

    def squares(self, centre: Array) -> Array:
        """Squared lengths of rows; noted."""
        self._reading.products = True
        return self._block.squares(centre)


def few_rows(weights: Array) -> Array:
    """A few rows that count, from all over the table: their median is a point near the rows."""
    counted = np.flatnonzero(weights > 0)
    counted = counted if len(counted) else np.arange(len(weights))
    few: Array = counted[:: -(-len(counted) // _FEW_ROWS)]
    return few


def ranges(count: int, length: int) -> Iterable[slice]:
    """Consecutive slices of at most ``length`` that make up ``count``."""
    return (slice(start, min(start + length, count)) for start in range(0, count, length))


def pieces_of(rows: Any, length: int) -> Iterator[Any]:
    """Pieces of a slice with a start and a stop, or of a list of rows."""
    if isinstance(rows, slice):
        for piece in ranges(rows.stop - rows.start, length):
            yield slice(rows.start + piece.start, rows.start + piece.stop)
    else:
        for piece in ranges(len(rows), length):
            yield rows[piece]


def run_of(numbers: Array) -> Array | slice:
    """Ascending numbers, as a slice where they are neighbours: read without a copy."""
    if len(numbers) and numbers[-1] - numbers[0] == len(numbers) - 1:
        return slice(int(numbers[0]), int(numbers[-1]) + 1)
    return numbers
