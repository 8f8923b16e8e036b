"""Rows by number: which block has them, and how what the blocks hand out is put in order.

Where a criterion sums over all rows, a kernel compares a few of them with all: these few are
fetched. Only the blocks that have them are asked, and of a file only these rows are read where it
can seek.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from holdfast.rows.sums import Array


class Wish(NamedTuple):
    """Rows that are wanted of one block, by their numbers in it, ascending."""

    block: int
    chosen: Array


def by_block(numbers: Any, lengths: Sequence[int]) -> tuple[list[Wish], Array]:
    """What is wanted of every block that has some, and where each of ``numbers`` is among it.

    Parameters
    ----------
    numbers : int array or slice
        Rows, in any order.
    lengths : sequence of int
        Rows of every block.
    """
    ends = np.cumsum([0, *lengths])
    numbers = np.arange(ends[-1])[numbers]
    different, places = np.unique(numbers, return_inverse=True)
    owners = np.searchsorted(ends, different, side="right") - 1
    asked = np.unique(owners) if len(owners) else [0]  # of no rows, which have columns
    wishes = [Wish(int(owner), different[owners == owner] - ends[owner]) for owner in asked]
    return wishes, places


def in_order(parts: Sequence[Any], places: Array | slice = slice(None)) -> Any:
    """Rows one below the other, dense or CSR, and of these the ones at ``places``."""
    if sparse.issparse(parts[0]):
        stacked: Any = sparse.vstack(parts, format="csr")
    else:
        stacked = np.concatenate(parts)
    return stacked[places]


def some_columns(rows: Any, columns: Any) -> Array:
    """Some columns of rows, dense."""
    chosen: Any = rows[:, columns]
    return chosen.toarray() if sparse.issparse(chosen) else chosen


def as_floats(rows: Any) -> Any:
    """Rows as float64, uncopied where they are."""
    return rows.astype(np.float64, copy=False)
