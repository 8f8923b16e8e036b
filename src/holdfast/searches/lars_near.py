"""The near columns of a path of generalised LARS, whose correlations are followed exactly.

With v the change of s as lambda_1 falls by one, ``a_k = x_k'v = (G d)_k``, d being the direction on
the lines of the model and G the products of the near columns with these, over the active rows:

    a column enters    one more column of G: the products of the near ones with it
    a row moves        G -+= W_i x_iN x_iA', of which few entries are not zero
    a column leaves    one column of G less, and a row of its own: it is near

so that no event needs a product with anything but G. c falls by ``step a``, and does not jump.
Memory: near columns times lines of the model.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast.rows.sums import Array

TIE = 1e-10
_SPARE = 16
_ROOM = 128


class Entry(NamedTuple):
    """A column that enters."""

    step: float
    column: int
    sign: float


class NearColumns:
    """Columns that may enter next, and those that have since these were chosen.

    Parameters
    ----------
    lines : int
        Lines that the model has, to begin with.
    most : int
        And that it has at most.

    Attributes
    ----------
    columns : int array of shape (near,)
        Their numbers.
    free : bool array of shape (near,)
        Those that are not in the support.
    c : array of shape (near,)
        Their correlations.
    """

    def __init__(self, lines: int, most: int) -> None:
        self._most = most
        self.columns = np.empty(0, dtype=np.intp)
        self.free = np.empty(0, dtype=bool)
        self.c = np.empty(0)
        self._products = np.empty((0, lines), order="F")
        self._lines = lines
        self._a: Array | None = None

    @property
    def _room(self) -> int:
        """Lines to make room for."""
        return min(self._lines + _ROOM, self._most)

    @property
    def products(self) -> Array:
        """G, a view."""
        return self._products[: len(self.columns), : self._lines]

    def renew(self, columns: Array, c: Array, n_columns: int) -> Array:
        """Other columns; the places of those whose products have to be filled in.

        ``n_columns`` is the number of all columns.
        """
        slots = np.full(n_columns, -1, dtype=np.int32)
        slots[self.columns] = np.arange(len(self.columns))
        slots = slots[columns]
        known = np.flatnonzero(slots >= 0)
        products = np.zeros((len(columns) + _SPARE, self._room), order="F")
        for line in range(self._lines):
            products[known, line] = self._products[slots[known], line]
        self.columns, self.c, self._products = columns, c, products
        self.free = np.ones(len(columns), dtype=bool)
        self._a = None
        return np.flatnonzero(slots < 0)

    def changes(self, direction: Array) -> Array:
        """``a`` along the direction."""
        if self._a is None:
            self._a = self.products @ direction
        return self._a

    def turned(self) -> None:
        """The direction is another."""
        self._a = None

    def advance(self, step: float, direction: Array) -> None:
        """The level falls by ``step``."""
        self.c -= step * self.changes(direction)

    def entered(self, slot: int, products: Array) -> None:
        """A near column is in the support now: its products with all near columns."""
        if self._lines == self._products.shape[1]:
            room = np.zeros((len(self._products), self._room), order="F")
            room[:, : self._lines] = self._products
            self._products = room
        self._products[: len(self.columns), self._lines] = products
        self._lines += 1
        self.free[slot] = False
        self._a = None

    def lost(self, line: int) -> None:
        """A line of the model less, the last in its place."""
        self._lines -= 1
        self._products[:, line] = self._products[:, self._lines]
        self._a = None

    def freed(self, column: int, c: float, products: Array) -> int:
        """A column of the support is near again; its place, -1 where there is no room."""
        found = np.flatnonzero(self.columns == column)
        if len(found):
            slot = int(found[0])
        elif len(self.columns) == len(self._products):
            return -1
        else:
            slot = len(self.columns)
            self.columns = np.append(self.columns, column)
            self.c = np.append(self.c, 0.0)
            self.free = np.append(self.free, True)
        self._products[slot, : self._lines] = products
        self.free[slot], self.c[slot], self._a = True, c, None
        return slot

    def moved(self, slots: Array, values: Array, x: Array, change: float) -> None:
        """A row has moved: ``change`` times its near entries times its entries on the lines."""
        lines = np.flatnonzero(x)
        if len(slots) and len(lines):
            self._products[slots[:, None], lines] += (change * values)[:, None] * x[lines]
        self._a = None


def entering_steps(level: float, c: Array, a: Array) -> tuple[Array, Array]:
    """Steps after which columns enter, infinite for never, and their signs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(a < 1 - TIE, np.maximum(level - c, 0) / (1 - a), np.inf)
        down = np.where(-a < 1 - TIE, np.maximum(level + c, 0) / (1 + a), np.inf)
    return np.minimum(up, down), np.where(up <= down, 1.0, -1.0)
