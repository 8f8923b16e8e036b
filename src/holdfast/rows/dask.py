"""Rows of a Dask array or DataFrame: blocks and their states stay where Dask has them.

A sweep is one Dask computation: a task for every block, which applies the step to the block and the
state that the last sweep left, and a tree that adds up what the steps report. States are persisted,
so that they lie with the workers - on a cluster each beside its block - and only totals come back:
numbers of size O(n) for every product, O(n^2) for moments. What all blocks share goes out with the
tasks. The arithmetic is that of the blocks in memory (:mod:`holdfast.rows.dense`,
:mod:`holdfast.rows.sparse`); no step knows of Dask.

Any scheduler does: the threads of this process, or the cluster whose client is active. A state is
the result of a pure step on a block and an older state, and Dask knows from which it came: what is
lost with a worker is computed again, with the same numbers. Blocks are computed anew with every
sweep that asks for them unless the collection is persisted.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import dask
import numpy as np

from holdfast.rows.chunked import MEMORY, block_of
from holdfast.rows.sums import (
    Array,
    Counts,
    Reading,
    State,
    States,
    Step,
    Totals,
    Watched,
)

_dask: Any = dask  # has few types

_FAN_IN = 8
_FETCH_WIDTH = 64
_PRODUCT_WIDTH = 32


class DaskRows:
    """Rows as Dask tasks; see :class:`holdfast.rows.sums.Rows`.

    Parameters
    ----------
    blocks : sequence of Delayed
        Rows, every block with all columns.
    lengths : list of int
        Rows of every block.
    targets, weights : arrays of shape (targets, m) and (m,)
        Sent to the workers once.
    entries_per_column : float
        Numbers stored per column, on average.
    origin : array of shape (n,)
        A point near the rows.
    """

    def __init__(
        self,
        blocks: Sequence[Any],
        lengths: list[int],
        targets: Array,
        weights: Array,
        *,
        entries_per_column: float,
        origin: Array,
    ) -> None:
        self._lengths = lengths
        ends = np.cumsum([0, *self._lengths]).tolist()
        own = [_literal((targets[:, a:b], weights[a:b])) for a, b in pairwise(ends)]
        self._blocks, self._own = blocks, _kept(own)
        self.n_rows, self.n_columns = ends[-1], len(origin)
        self.n_targets = len(targets)
        self.counts = Counts()
        self.fetch_width, self.product_width = _FETCH_WIDTH, _PRODUCT_WIDTH
        self.kept_bytes = max(MEMORY, 8 * _FETCH_WIDTH * self.n_rows)
        self.origin, self.entries_per_column = origin, entries_per_column

    def sweep(self, step: Step, states: States | None, shared: Any) -> tuple[Totals, States]:
        """Apply ``step`` to every block where it lies; see :class:`.sums.Rows`."""
        common = _literal(shared)
        before: Any = [()] * len(self._blocks) if states is None else states
        apply, tell = _dask.delayed(_apply, pure=False), _dask.delayed(_told, pure=False)
        done = [
            apply(step, block, own, common, *left)
            for block, own, left in zip(self._blocks, self._own, before, strict=True)
        ]
        total, *after = _kept([_tree([tell(one) for one in done]), *done])
        (reported,) = _dask.compute(total)
        reading = reported.reading
        self.counts.sweeps += 1
        self.counts.products += reading.products
        self.counts.fetches += bool(reading.columns)
        self.counts.columns += reading.columns
        return _own(reported.totals), [(one,) for one in after]

    def joined(self, first: States, second: States) -> States:
        """Name both states of every block; see :class:`.sums.Rows`."""
        return [one + other for one, other in zip(first, second, strict=True)]

    def gather(self, states: States, name: str) -> Array:
        """Bring one entry of the states here; see :class:`.sums.Rows`."""
        take = _dask.delayed(_entry, pure=False)
        return np.concatenate(_dask.compute(*(take(name, *left) for left in states)), axis=-1)

    def scatter(self, name: str, values: Array) -> States:
        """Send values of all rows to their blocks; see :class:`.sums.Rows`."""
        ends = np.cumsum(self._lengths)[:-1]
        parts = np.split(values, ends, axis=-1)
        return [(left,) for left in _kept([_literal(Left(None, {name: part})) for part in parts])]


class Reported(NamedTuple):
    """What steps report, and what they have read."""

    totals: Totals
    reading: Reading


class Left(NamedTuple):
    """What a sweep leaves with a block: what was reported of it, and its state."""

    reported: Reported | None
    state: State


def _apply(step: Step, X: Any, own: tuple[Array, Array], shared: Any, *left: Left) -> Left:
    """One step on one block."""
    reading = Reading()
    totals, after = step(Watched(block_of(X, *own), reading), _merged(left), shared)
    return Left(Reported(totals, reading), after)


def _told(left: Left) -> Reported | None:
    return left.reported


def _entry(name: str, *left: Left) -> Array:
    entry: Array = _merged(left)[name]
    return entry


def _merged(left: Sequence[Left]) -> State:
    """One state of several; the entries of later ones win."""
    merged: State = {}
    for one in left:
        merged = merged | one.state
    return merged


def _tree(parts: list[Any]) -> Any:
    """Add up, a few at a time: always in the same order."""
    add = _dask.delayed(_added, pure=False)
    while len(parts) > 1:
        parts = [add(parts[start : start + _FAN_IN]) for start in range(0, len(parts), _FAN_IN)]
    return parts[0]


def _added(parts: list[Reported]) -> Reported:
    totals, reading = parts[0]
    for other in parts[1:]:
        totals = totals + other.totals
        products = reading.products or other.reading.products
        reading = Reading(products, max(reading.columns, other.reading.columns))
    return Reported(totals, reading)


def _own(totals: Totals) -> Totals:
    """Totals that may be written to: what comes from another process may be locked."""

    def unlocked(value: Array) -> Array:
        value = np.asarray(value)
        return value if value.flags.writeable else value.copy()

    return Totals(
        {name: unlocked(value) for name, value in totals.sums.items()},
        {name: unlocked(value) for name, value in totals.largest.items()},
    )


def _literal(value: Any) -> Any:
    """A value as a task of its own: sent once, whatever is made of it."""
    return _dask.delayed(value, pure=False, traverse=False)


def _kept(tasks: Sequence[Any]) -> list[Any]:
    """Have tasks done, their results staying where they are.

    Targets and what steps share are part of the tasks, which is where they belong: distributed
    would warn of more than 10 MB.
    """
    with _dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        return list(_dask.persist(*tasks))
