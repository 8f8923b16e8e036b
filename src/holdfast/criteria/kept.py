"""What is known of the candidate columns that are at hand, apart from the rows.

Every kept column has a slot; with it go the numbers of its parts inside and outside the first
``depth`` lines of the basis. The columns themselves, as far as they are outside, lie with the
rows. One array per number, so that many candidates are read and written at once.
"""

from __future__ import annotations

import numpy as np

from holdfast.rows.sums import Array

_ROOM = 16


class Kept:
    """Kept columns by slot.

    Parameters
    ----------
    views, n_columns, n_targets : int
        Sizes of the problem.

    Attributes
    ----------
    depth : int array of shape (slots,)
        Basis lines a column has been projected against; -1 while it is as it was fetched.
    inside : array of shape (views, slots, room)
        Coordinates in these lines, zero beyond them.
    square : array of shape (views, slots)
        Squared length outside.
    target : array of shape (views, slots, targets)
        Product of the outside part with the target's.
    """

    def __init__(self, views: int, n_columns: int, n_targets: int) -> None:
        self._slots = np.full(n_columns, -1, dtype=np.intp)
        self._columns: list[int] = []
        self.depth = np.empty(0, dtype=np.intp)
        self.inside = np.empty((views, 0, _ROOM))
        self.square = np.empty((views, 0))
        self.target = np.empty((views, 0, n_targets))

    @property
    def columns(self) -> list[int]:
        """Columns at hand, those fetched first in front."""
        return [column for column in self._columns if self._slots[column] >= 0]

    def holds(self, columns: Array) -> Array:
        """Which of the columns are at hand."""
        held: Array = self._slots[columns] >= 0
        return held

    def slots(self, columns: list[int] | Array) -> Array:
        """Slots of columns at hand."""
        slots: Array = self._slots[columns]
        return slots

    def replace(self, retain: list[int], columns: Array, squares: Array) -> None:
        """Keep ``retain`` and new columns, whose squared lengths are (views, columns)."""
        old, new = self.slots(retain), len(columns)
        views, _, room = self.inside.shape
        self.depth = np.concatenate([self.depth[old], np.full(new, -1)])
        self.inside = np.concatenate([self.inside[:, old], np.zeros((views, new, room))], axis=1)
        self.square = np.concatenate([self.square[:, old], squares], axis=1)
        unknown = np.zeros((views, new, self.target.shape[2]))
        self.target = np.concatenate([self.target[:, old], unknown], axis=1)
        self._slots[self._columns] = -1
        self._columns = [*retain, *columns.tolist()]
        self._slots[self._columns] = np.arange(len(self._columns))

    def drop(self, column: int) -> None:
        """Let go of a column; its slot stays empty until the next :meth:`replace`."""
        self._slots[column] = -1

    def make_room(self, depth: int) -> None:
        """Have room for the coordinates in ``depth`` lines."""
        room = self.inside.shape[2]
        if room < depth:
            more = max(depth - room, room)
            self.inside = np.pad(self.inside, ((0, 0), (0, 0), (0, more)))
