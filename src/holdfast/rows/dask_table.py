"""A Dask array or DataFrame, opened: what its blocks are, and what belongs to its rows.

One pass over the data finds out how long the blocks are and that their entries are finite, so that
nothing has to be asked of them later.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import dask
import numpy as np
from scipy import sparse

from holdfast.rows.chunked import MEMORY
from holdfast.rows.dask import DaskRows
from holdfast.rows.fetched import by_block, in_order
from holdfast.rows.sums import Array, Rows, few_rows
from holdfast.rows.walked import by_rows

_dask: Any = dask  # has few types

_WORDS = ("y", "sample_weight", "groups")
_LARGEST = 1e150


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
    memory = 0

    def __init__(self, blocks: Sequence[Any], facts: Sequence[Facts], names: list[str] | None):
        self._blocks, self._facts, self.names = blocks, facts, names
        self.shape = sum(fact.rows for fact in facts), facts[0].columns
        self.fetch_rows = max(1, MEMORY // (8 * self.shape[1]))

    def fetch(self, numbers: Any) -> Any:
        """Rows by number, in the order given, in memory; only blocks that have some are made."""
        wishes, places = by_block(numbers, [fact.rows for fact in self._facts])
        take = _dask.delayed(_taken, pure=False)
        return in_order(
            _dask.compute(*(take(self._blocks[at], rows) for at, rows in wishes)), places
        )

    def rows(self, targets: Array, weights: Array) -> Rows:
        """Rows with targets (targets, m) and weights (m,)."""
        stored = [fact.stored for fact in self._facts if fact.stored is not None]
        entries = float(np.sum(stored)) / self.shape[1] if stored else float(self.shape[0])
        return DaskRows(
            self._blocks,
            [fact.rows for fact in self._facts],
            targets,
            weights,
            entries_per_column=entries,
            origin=_origin(self._facts),
        )


def _taken(X: Any, chosen: Array) -> Any:
    return by_rows(X if sparse.issparse(X) else np.asarray(X))[chosen]


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


def open_collection(X: Any, wanted: Sequence[Any]) -> tuple[Any, ...]:
    """A Dask array or DataFrame as a table, and what belongs to its rows, in memory.

    Parameters
    ----------
    X : Dask array or DataFrame
        Rows.
    wanted : sequence of 3
        Targets, weights and groups: arrays, Dask collections, names of columns, or None.
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
        if not fact.largest <= _LARGEST:
            raise ValueError(
                f"Input X contains NaN, infinity or a value too large to be squared, in block "
                f"{number}; expected finite numbers below {_LARGEST:g}: replace these entries or "
                "drop their rows or columns."
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
