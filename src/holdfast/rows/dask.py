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
from scipy import sparse

from holdfast.rows.chunked import MEMORY, block_of
from holdfast.rows.sums import (
    Array,
    Counts,
    Reading,
    Rows,
    State,
    States,
    Step,
    Totals,
    Watched,
    few_rows,
)

_dask: Any = dask  # has few types

_FAN_IN = 8
_FETCH_WIDTH = 64
_PRODUCT_WIDTH = 32
_WORDS = ("y", "sample_weight", "groups")


class DaskTable:
    """A table in Dask's hands; see :class:`holdfast.rows.row_blocks.Stored`.

    Parameters
    ----------
    blocks : sequence of Delayed
        Rows, every block with all columns.
    facts : sequence of Facts
        Of every block.
    names : list of str or None
        Names of the columns.
    """

    groups: list[list[int]] = []  # noqa: RUF012
    encoding = None

    def __init__(self, blocks: Sequence[Any], facts: Sequence[Facts], names: list[str] | None):
        self._blocks, self._facts, self.names = blocks, facts, names
        self.shape = sum(fact.rows for fact in facts), facts[0].columns

    def rows(self, targets: Array, weights: Array) -> Rows:
        """Rows with targets (targets, m) and weights (m,)."""
        return DaskRows(self._blocks, self._facts, targets, weights)


class Facts(NamedTuple):
    """What is found out about a block before it is used.

    ``stored`` are entries per column of a sparse block, None of a dense one; ``near`` is a point
    near its rows.
    """

    rows: int
    columns: int
    stored: Array | None
    largest: float
    near: Array


class DaskRows:
    """Rows as Dask tasks; see :class:`holdfast.rows.sums.Rows`.

    Parameters
    ----------
    blocks, facts
        See :class:`DaskTable`.
    targets, weights : arrays of shape (targets, m) and (m,)
        Sent to the workers once.
    """

    def __init__(
        self, blocks: Sequence[Any], facts: Sequence[Facts], targets: Array, weights: Array
    ) -> None:
        self._lengths = [fact.rows for fact in facts]
        ends = np.cumsum([0, *self._lengths]).tolist()
        own = [_literal((targets[:, a:b], weights[a:b])) for a, b in pairwise(ends)]
        self._blocks, self._own = blocks, _kept(own)
        self.n_rows, self.n_columns = ends[-1], facts[0].columns
        self.n_targets = len(targets)
        self.counts = Counts()
        self.fetch_width, self.product_width = _FETCH_WIDTH, _PRODUCT_WIDTH
        self.kept_bytes = max(MEMORY, 8 * _FETCH_WIDTH * self.n_rows)
        self.origin = _origin(facts)
        stored = [fact.stored for fact in facts if fact.stored is not None]
        self.entries_per_column = (
            float(np.sum(stored)) / self.n_columns if stored else float(self.n_rows)
        )

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


# -- opening -------------------------------------------------------------------------------


def open_collection(X: Any, wanted: Sequence[Any]) -> tuple[Any, ...]:
    """A Dask array or DataFrame as a table, and what belongs to its rows, in memory.

    One pass over the data finds out how long the blocks are, and that their entries are finite.
    """
    names, of_rows = None, list(wanted)
    if hasattr(X, "to_dask_array"):
        X, names, of_rows = _features(X, of_rows)
    if getattr(X, "ndim", None) != 2:
        raise ValueError(
            f"a Dask {type(X).__name__} of {getattr(X, 'ndim', 'no')} dimensions was passed as X; "
            "expected a Dask array or DataFrame of rows and columns: convert it."
        )
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})
    blocks = X.to_delayed().ravel().tolist()
    look = _dask.delayed(_look, pure=False)
    facts = _dask.compute(*(look(block) for block in blocks))
    of_rows = [np.asarray(value.compute()) if _is_lazy(value) else value for value in of_rows]
    kept = [(block, fact) for block, fact in zip(blocks, facts, strict=True) if fact.rows]
    _check(facts, kept)
    table = DaskTable([block for block, _ in kept], [fact for _, fact in kept], names)
    return table, *of_rows


def _features(X: Any, of_rows: list[Any]) -> tuple[Any, list[str], list[Any]]:
    """Of a DataFrame the columns that are not targets, weights or groups, as an array."""
    columns, others = list(X.columns), []
    for place, (word, value) in enumerate(zip(_WORDS, of_rows, strict=True)):
        if isinstance(value, str):
            if value not in columns:
                raise ValueError(
                    f"{word}={value!r} names a column that X does not have; expected one of "
                    f"{columns[:20]}: correct the name, or pass an array."
                )
            others.append(value)
            of_rows[place] = X[value]
    X = X[[column for column in columns if column not in others]]
    for name, kind in X.dtypes.items():
        if getattr(kind, "kind", "O") not in "biuf":
            raise ValueError(
                f"column {name!r} of X holds {kind}; expected numbers: drop it, or encode it, for "
                "instance by dask.dataframe.get_dummies."
            )
    return X.to_dask_array(), [str(name) for name in X.columns], of_rows


def _is_lazy(value: Any) -> bool:
    return hasattr(value, "__dask_graph__")


def _look(X: Any) -> Facts:
    """What there is to know of a block."""
    stored = None
    if sparse.issparse(X):
        stored = np.bincount(X.tocoo().coords[1], minlength=X.shape[1])
        entries = X.data
    else:
        X = entries = np.asarray(X)
    if entries.dtype.kind not in "biuf":
        raise ValueError(
            f"a block of X holds entries of type {entries.dtype}; expected real numbers: convert "
            "them, for instance by astype(float)."
        )
    largest = float(np.max([entries.max(), -entries.min()])) if entries.size else 0.0
    near = np.zeros(X.shape[1])
    if X.shape[0] and np.isfinite(largest):
        some = X.tocsr()[few_rows(np.ones(X.shape[0]))] if stored is not None else X
        some = some.toarray() if stored is not None else X[few_rows(np.ones(len(X)))]
        near = np.median(some.astype(np.float64), axis=0)
    return Facts(int(X.shape[0]), int(X.shape[1]), stored, largest, near)


def _check(facts: Sequence[Facts], kept: Sequence[Any]) -> None:
    for number, fact in enumerate(facts):
        if fact.columns != facts[0].columns:
            raise ValueError(
                f"block {number} of X has {fact.columns} columns, block 0 has {facts[0].columns}; "
                "expected the same columns in all blocks: make every block of the same columns."
            )
        if (fact.stored is None) != (facts[0].stored is None):
            raise ValueError(
                f"block {number} of X is {'dense' if fact.stored is None else 'sparse'}, block 0 "
                "is not; expected blocks of one kind: convert them to one."
            )
        if not fact.largest <= 1e150:
            raise ValueError(
                f"Input X contains NaN, infinity or a value too large to be squared, in block "
                f"{number}; expected finite numbers below 1e150: replace these entries or drop "
                "their rows or columns."
            )
    if not kept:
        raise ValueError(
            "Found array with 0 sample(s) while a minimum of 1 is required; pass rows."
        )


def _origin(facts: Sequence[Facts]) -> Array:
    """A point near the rows; of sparse columns that hold zeros zero."""
    near = np.median([fact.near for fact in facts], axis=0)
    if facts[0].stored is None:
        return np.asarray(near)
    stored = np.array([fact.stored for fact in facts]).sum(axis=0)
    full = stored == sum(fact.rows for fact in facts)
    return np.where(full, near, 0.0)
