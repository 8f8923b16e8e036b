"""Rows whose columns are made of the rows of a table whenever they are read.

A sweep over :class:`MadeRows` is a sweep over the table: the step that it is given is applied to
every block as if the made columns were the columns of the block. They are made a piece of rows at a
time, from the points of the block (:meth:`holdfast.rows.sums.Block.points`), so that a block of any
length costs a piece of memory beside what is summed; rows of which nothing is asked are not made.
Where the table lives - in memory, in files, on a cluster - is no concern of this page: targets,
weights and states are those of the table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Protocol

import numpy as np

from holdfast.rows.dense import DenseBlock
from holdfast.rows.narrow import DenseNarrow, Narrow
from holdfast.rows.sums import (
    Array,
    Block,
    Parts,
    Rows,
    State,
    States,
    Step,
    Totals,
    run_of,
)


class Maker(Protocol):
    """How columns are made of a block; it goes to wherever the block is."""

    def __call__(self, block: Block, chosen: Any) -> Iterator[Array]:
        """The columns of some rows, (rows, n), a piece at a time."""
        ...


class MadeRows:
    """Rows with columns of their own; see :class:`holdfast.rows.sums.Rows`.

    Parameters
    ----------
    rows : Rows
        The table.
    maker : Maker
        Makes the columns.
    n_columns : int
        How many.
    origin : array of shape (n,)
        A point near the rows.
    """

    def __init__(self, rows: Rows, maker: Maker, n_columns: int, origin: Array) -> None:
        self._rows, self._maker = rows, maker
        self.n_rows, self.n_targets = rows.n_rows, rows.n_targets
        self.counts, self.kept_bytes = rows.counts, rows.kept_bytes
        self.n_columns = self.fetch_width = self.product_width = n_columns
        self.entries_per_column = float(rows.n_rows)
        self.origin = origin
        self.joined, self.gather, self.scatter = rows.joined, rows.gather, rows.scatter

    def sweep(self, step: Step, states: States | None, shared: Any) -> tuple[Totals, States]:
        """Apply ``step`` to the made columns of every block; see :class:`.sums.Rows`."""
        return self._rows.sweep(partial(_on_made, step), states, (self._maker, shared))


def _on_made(step: Step, block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    maker, own = shared
    return step(MadeBlock(partial(maker, block), block.targets, block.weights), state, own)


class MadeBlock:
    """A block whose columns are made when they are read; see :class:`holdfast.rows.sums.Block`.

    Parameters
    ----------
    made : callable
        From row numbers within the block, or a slice with a start and a stop, to their columns
        (rows, n), a piece at a time.
    targets, weights : arrays of shape (targets, rows) and (rows,)
        Of the block.
    entries : callable, optional
        From columns to lines (columns, rows), where a few columns cost less than all.
    """

    def __init__(
        self,
        made: Callable[[Any], Iterator[Array]],
        targets: Array,
        weights: Array,
        entries: Callable[[Array], Array] | None = None,
    ) -> None:
        self._made, self._entries = made, entries
        self.targets, self.weights = targets, weights

    def _pieces(self, chosen: Any = None) -> Iterator[tuple[Any, DenseBlock]]:
        """Pieces of some rows, all without ``chosen``, and which of the block's rows they are."""
        if chosen is None:
            chosen = slice(0, len(self.weights))
        start = 0
        for piece in self._made(chosen):
            stop = start + len(piece)
            if isinstance(chosen, slice):
                rows: Any = slice(chosen.start + start, chosen.start + stop)
            else:
                rows = chosen[start:stop]
            yield rows, DenseBlock(piece, self.targets[:, rows], self.weights[rows])
            start = stop

    def cross(self, vectors: Array) -> Array:
        """``vectors @ X``."""
        return _sum(piece.cross(vectors[:, rows]) for rows, piece in self._pieces())

    def columns(self, indices: Array) -> Array:
        """Columns as lines."""
        if self._entries is not None:
            return self._entries(indices)
        lines = [piece.T[indices] for piece in self._made(slice(0, len(self.weights)))]
        return np.ascontiguousarray(lines[0] if len(lines) == 1 else np.concatenate(lines, axis=1))

    def outputs(self, coef: Array, chosen: Any, centre: Array) -> Array:
        """Outputs of linear models."""
        parts = [
            piece.outputs(coef, slice(0, len(piece.weights)), centre)
            for _, piece in self._pieces(chosen)
        ]
        return np.concatenate([np.empty((len(coef), 0)), *parts], axis=1)

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """Weighted first and second sums about a centre."""
        sums = _sum(
            np.array(piece.spread(weights[:, rows], centre)) for rows, piece in self._pieces()
        )
        return sums[0], sums[1]

    def gram(self, parts: Parts, extra: Array, root: Array, centre: Array) -> Array:
        """Products of centred columns and extra lines by part, of rows that count."""
        lines = len(centre) + len(extra)
        total = np.zeros((parts.count, lines, lines))
        counted = run_of(np.flatnonzero((parts.labels >= 0) & (root != 0)))
        for rows, piece in self._pieces(counted):
            own = Parts(parts.labels[rows], parts.count)
            total += piece.gram(own, extra[:, rows], root[rows], centre)
        return total

    def cross_by_part(self, vectors: Array, parts: Parts, centre: Array) -> Array:
        """Products with centred columns by part, of rows that are in one."""
        total = np.zeros((parts.count, len(vectors), len(centre)))
        for rows, piece in self._pieces(run_of(np.flatnonzero(parts.labels >= 0))):
            own = Parts(parts.labels[rows], parts.count)
            total += piece.cross_by_part(vectors[:, rows], own, centre)
        return total

    def points(self, chosen: Any, length: int) -> Iterator[Array]:
        """Made rows, as they are made."""
        return self._made(chosen)

    def narrow(self, columns: Array, centre: Array) -> Narrow:
        """Some columns about a centre."""
        return DenseNarrow(self.columns(columns).T - centre)

    def some(self, chosen: Array) -> DenseBlock:
        """Some rows, made and kept."""
        rows = np.concatenate([np.asarray(piece) for piece in self._made(chosen)])
        return DenseBlock(rows, self.targets[:, chosen], self.weights[chosen])

    def squares(self, centre: Array) -> Array:
        """Squared lengths of the rows."""
        return np.concatenate([piece.squares(centre) for _, piece in self._pieces()])


def _sum(parts: Iterator[Array]) -> Array:
    total = next(parts)
    for part in parts:
        total += part
    return total
