"""Kernel columns of a few centres, made of the points of blocks: for any rows, wherever they are.

What a block makes of its points is one :class:`.made.Maker`; rows with these columns, the columns
as lines, and the diagonal of the kernel matrix are sweeps over the rows of a table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.basis.kernels import PRECOMPUTED, Kernel
from holdfast.basis.made import MadeRows
from holdfast.basis.whitening import Whitening
from holdfast.rows.sums import Array, Block, Rows, State, Totals

_BLOCK_NUMBERS = 1 << 20
_FEWEST_ROWS = 256


@dataclass(frozen=True)
class KernelColumns:
    """Kernel columns, made of the points of a block; see :class:`.made.Maker`.

    Attributes
    ----------
    kernel : Kernel
        The kernel.
    centres : array, CSR matrix or int array
        What points are compared with, see :class:`.kernels.KernelTable`.
    whitening : Whitening or None
        What is made of the columns before they are handed out.
    """

    kernel: Kernel
    centres: Any
    whitening: Whitening | None = None

    def __call__(self, block: Block, chosen: Any) -> Iterator[Array]:
        """Columns of some rows, (rows, n), a piece at a time."""
        values = self._values(block, chosen)
        return values if self.whitening is None else map(self.whitening, values)

    def _values(self, block: Block, chosen: Any) -> Iterator[Array]:
        if self.kernel.metric == PRECOMPUTED:
            yield self.kernel.checked(block.columns(self.centres).T[chosen])
            return
        for points in block.points(chosen, piece_rows(self.centres.shape[0])):
            yield self.kernel.between(points, self.centres)


def piece_rows(n_columns: int) -> int:
    """Rows whose columns fit into a piece of memory."""
    return max(_FEWEST_ROWS, _BLOCK_NUMBERS // max(1, n_columns))


def basis_rows(rows: Rows, kernel: Kernel, centres: Any) -> Rows:
    """The kernel columns of a basis, as they are, made of the rows of a table."""
    count = int(centres.shape[0])
    return MadeRows(rows, KernelColumns(kernel, centres), count, np.zeros(count))


def kernel_lines(rows: Rows, kernel: Kernel, centres: Any) -> Array:
    """Kernel columns of a few centres as lines, (centres, m); one reading."""
    made = basis_rows(rows, kernel, centres)
    _, states = made.sweep(_lines, None, np.arange(made.n_columns))
    return made.gather(states, "lines")


def _lines(block: Block, state: State, columns: Array) -> tuple[Totals, State]:
    return Totals(), {"lines": block.columns(columns)}


def kernel_diagonal(rows: Rows, kernel: Kernel) -> Array:
    """Values of all rows with themselves, (m,); one reading."""
    numbers = rows.scatter("number", np.arange(rows.n_rows))
    _, states = rows.sweep(_own, numbers, kernel)
    return rows.gather(states, "own")


def _own(block: Block, state: State, kernel: Kernel) -> tuple[Totals, State]:
    every, start, parts = slice(0, len(block.weights)), 0, []
    for points in block.points(every, _FEWEST_ROWS):
        stop = start + points.shape[0]
        parts.append(kernel.own(points, state["number"][start:stop]))
        start = stop
    return Totals(), {"own": np.concatenate(parts)}
