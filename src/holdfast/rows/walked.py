"""Chunks handed out by an iterable of blocks that can be walked again.

Blocks are ``(X, y)``, ``(X, y, sample_weight)`` or ``(X, y, sample_weight, groups)``, X an array or
a sparse matrix. A first walk counts the rows and keeps what belongs to them; every reading is a
walk of its own, which must bring the same blocks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from holdfast.rows.chunked import Raw
from holdfast.rows.sums import Array, few_rows

_WORDS = ("X", "y", "sample_weight", "groups")


class Walked:
    """Blocks of an iterable as a source; see :class:`holdfast.rows.chunked.Source`.

    Parameters
    ----------
    blocks : iterable
        Of tuples (X, y[, sample_weight[, groups]]); every ``iter(blocks)`` begins anew.

    Attributes
    ----------
    given : dict
        Arrays ``y``, ``sample_weight`` and ``groups`` over all rows, as far as blocks have them.
    """

    where = "the blocks"

    def __init__(self, blocks: Iterable[Any]) -> None:
        if not hasattr(blocks, "__iter__") or hasattr(blocks, "__next__"):
            raise TypeError(
                f"data of type {type(blocks).__name__} can be walked only once, or not at all; "
                "expected a path, a memory-mapped array, or an iterable of blocks that begins anew "
                "with every loop, since the data are read several times: pass a list, or an object "
                "whose __iter__ makes a new generator."
            )
        self._blocks = blocks
        self.lengths: list[int] = []
        self._targets: list[Array] = []
        kept: list[tuple[Array, ...]] = []
        stored: Array | None = None
        first: Raw = None
        for number, block in enumerate(blocks):
            X, *others = _parts(block, number)
            if first is None:
                first, stored = X, np.zeros(X.shape[1])
            self._check_like(X, first, number)
            for word, values in zip(_WORDS[1:], others, strict=False):
                if len(values) != X.shape[0]:
                    raise ValueError(
                        f"block {number} has {X.shape[0]} rows but {len(values)} entries of "
                        f"{word}; expected one for every row: correct the block."
                    )
            if kept and len(others) != len(kept[0]):
                raise ValueError(
                    f"block {number} has {len(others) + 1} parts, earlier ones have "
                    f"{len(kept[0]) + 1}; expected the same in all: (X, y[, sample_weight[, "
                    "groups]])."
                )
            if X.shape[0] == 0:
                raise ValueError(
                    f"block {number} has no rows; expected at least one in every block: leave "
                    "empty blocks out."
                )
            self.lengths.append(X.shape[0])
            kept.append(tuple(others))
            assert stored is not None
            if sparse.issparse(X):
                stored += np.bincount(X.tocoo().coords[1], minlength=X.shape[1])
        if first is None or stored is None:
            raise ValueError("there are no blocks; expected at least one: (X, y).")
        self.given = {
            word: np.concatenate(values)
            for word, values in zip(_WORDS[1:], zip(*kept, strict=True), strict=False)
        }
        self._kept = kept
        self.n_columns = int(first.shape[1])
        self.entries_per_column, self.origin = self._about(first, stored)
        self._walk: Iterator[Any] = iter(())
        self._position = -1
        self._current: Raw = None

    def read(self, number: int, columns: Array | None) -> Raw:
        """A block, or some columns of it; walks on, or anew."""
        if number != self._position:
            if number < self._position or self._position < 0:
                self._walk, self._position = iter(self._blocks), -1
            while self._position < number:
                self._current = self._next()
        X = self._current
        return X if columns is None else X[:, columns]

    def read_rows(self, number: int, chosen: Array) -> Raw:
        """Some rows of a block."""
        rows: Raw = by_rows(self.read(number, None))[chosen]
        return rows

    def _next(self) -> Raw:
        number = self._position + 1
        try:
            X, *others = _parts(next(self._walk), number)
        except StopIteration:
            raise ValueError(
                f"the blocks ended after {number}, where there were {len(self.lengths)} before; "
                "expected the same blocks with every walk: leave the data as they are while a "
                "model is fitted."
            ) from None
        known = self._kept[number]
        same = len(known) == len(others) and all(map(np.array_equal, known, others))
        if X.shape != (self.lengths[number], self.n_columns) or not same:
            raise ValueError(
                f"block {number} is not what it was in the first walk (shape {X.shape}, then "
                f"{(self.lengths[number], self.n_columns)}); expected the same blocks, in the same "
                "order, with every walk: no shuffling, and no changes while a model is fitted."
            )
        self._position = number
        return X

    def _check_like(self, X: Raw, first: Raw, number: int) -> None:
        if X.shape[1] != first.shape[1]:
            raise ValueError(
                f"block {number} has {X.shape[1]} columns, block 0 has {first.shape[1]}; expected "
                "the same columns in all blocks: make every block of the same columns."
            )
        if sparse.issparse(X) != sparse.issparse(first):
            raise ValueError(
                f"block {number} is {'sparse' if sparse.issparse(X) else 'dense'}, block 0 is not; "
                "expected blocks of one kind: convert them to one."
            )

    def _about(self, first: Raw, stored: Array) -> tuple[float, Array]:
        """Entries per column; a point near the rows, zero in sparse columns that hold zeros."""
        some = first[few_rows(np.ones(first.shape[0]))]
        if not sparse.issparse(first):
            with np.errstate(invalid="ignore"):  # what is not finite is refused when it is read
                origin = np.median(np.asarray(some, dtype=np.float64), axis=0)
            return float(sum(self.lengths)), np.nan_to_num(origin, posinf=0.0, neginf=0.0)
        origin = np.zeros(self.n_columns)
        full = np.flatnonzero(stored == sum(self.lengths))
        if len(full):
            origin[full] = np.median(some[:, full].toarray().astype(np.float64), axis=0)
        return float(stored.sum()) / max(self.n_columns, 1), origin


def by_rows(X: Raw) -> Raw:
    """An array as it is, a matrix in CSR format."""
    return X.tocsr() if sparse.issparse(X) else X


def as_block(X: Any) -> Raw:
    """An array, or a matrix in CSR or CSC format."""
    if not sparse.issparse(X):
        return np.asarray(X)
    return X if X.format in ("csr", "csc") else X.tocsr()


def _parts(block: Any, number: int) -> tuple[Any, ...]:
    """X, and what belongs to its rows, as arrays."""
    if not isinstance(block, (tuple, list)) or not 2 <= len(block) <= len(_WORDS):
        raise ValueError(
            f"block {number} is of type {type(block).__name__}; expected a tuple (X, y), (X, y, "
            "sample_weight) or (X, y, sample_weight, groups)."
        )
    X, *others = block
    X = as_block(X)
    if X.ndim != 2:
        raise ValueError(
            f"block {number} holds an X of shape {X.shape}; expected rows and columns: reshape it."
        )
    return X, *(np.asarray(other) for other in others)
