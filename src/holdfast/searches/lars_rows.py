"""The rows of a path of generalised LARS, and the columns that are held of them.

What :class:`holdfast.searches.lars_front.Front` asks of rows: s and v, products of all columns with
them, a copy of the columns in and near the support and products among these. Rows that cannot
become active soon may be left out (:meth:`HeldRows.keep`): s and v are zero there, and X is then a
copy of the other rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast.rows.sums import Array, Rows
from holdfast.searches.lars_model import LarsModel, without
from holdfast.searches.lars_sweeps import (
    Standing,
    copy_columns,
    correlate,
    forget_columns,
    keep_rows,
    line_of,
    lines_between,
    mark_moved,
    measure,
    open_rows,
    system,
)


class Measured(NamedTuple):
    """The sums of s and v, and lengths: E, ``||v - v0||`` and ``||v||``."""

    balance: Array
    far: float
    turn: float
    drift: float


class HeldRows:
    """Rows, their active set, and the held columns: the support and those near it.

    Parameters
    ----------
    rows : Rows
        One target.
    model : LarsModel
        Where the path stands.

    Attributes
    ----------
    states : States
        Of the rows that are followed; entries ``narrow``, ``error``, ``inside`` and more.
    toggled : list of int
        Rows that have moved an odd number of times since the states were marked.
    centre : array of shape (n,)
        What columns are about.
    columns : int array
        The held columns.
    places : int array
        Where the columns of the support are among these.
    line_of_place : int array
        And the other way round, by line of the model; -1 for columns that are not in it.
    place_of : int array of shape (n,)
        Where a column is held, -1 for nowhere.
    kept : bool
        Whether some rows are left out.
    """

    def __init__(self, rows: Rows, model: LarsModel) -> None:
        self._rows = rows
        self._model = model
        self.centre = rows.origin if model.border else np.zeros_like(rows.origin)
        self._numbers = rows.scatter("number", np.arange(rows.n_rows))
        _, self.states = rows.sweep(open_rows, self._numbers, None)
        self.toggled: list[int] = []
        self.kept = False
        self.columns = self.places = np.empty(0, dtype=np.intp)
        self.place_of = np.full(rows.n_columns, -1, dtype=np.int32)

    # -- rows -----------------------------------------------------------------------------------

    def toggle(self, row: int) -> None:
        """A row has moved."""
        if row in self.toggled:
            self.toggled.remove(row)
        else:
            self.toggled.append(row)

    def mark(self) -> None:
        """Mark rows that have moved."""
        if self.toggled:
            toggled = np.array(self.toggled, dtype=np.intp)
            _, self.states = self._rows.sweep(mark_moved, self.states, toggled)
            self.toggled.clear()

    def keep(self, chosen: Array, inside: Array, error: Array, rate: Array) -> Measured:
        """Follow only some rows from here on; ``inside`` and the others are those of all rows."""
        rows, states = self._rows, self._numbers
        for name, values in (("inside", inside), ("error", error), ("rate", rate)):
            states = rows.joined(states, rows.scatter(name, values))
        self.states = None  # not two copies at a time
        totals, self.states = rows.sweep(keep_rows, states, chosen)
        self.kept = True
        return Measured(totals["balance"], 0.0, 0.0, float(np.sqrt(totals["square"][0])))

    def measure(self, gap: float) -> Measured:
        """S and v, ``gap`` below the last reading."""
        model = self._model
        lines = np.stack([model.coef, model.slope])
        toggled = np.array(self.toggled, dtype=np.intp)
        standing = Standing(lines, self.places, model.shift, toggled, gap)
        totals, self.states = self._rows.sweep(measure, self.states, standing)
        self.toggled.clear()
        return Measured(totals["balance"], *np.sqrt(totals["squares"]).tolist())

    def read(self) -> Array:
        """Products of all columns with (s, v), which become the reference."""
        centre = self._rows.origin if self._model.border else None
        totals, self.states = self._rows.sweep(correlate, self.states, centre)
        self._rows.counts.parts += float(totals["rows"][0]) / self._rows.n_rows
        products: Array = totals["products"]
        return products

    # -- held columns ---------------------------------------------------------------------------

    @property
    def support(self) -> Array:
        """The columns of the support, in the order of the model."""
        return self.columns[self.places]

    def hold(self, near: Array) -> None:
        """Hold the support and some columns more."""
        support = np.array(self._model.columns, dtype=np.intp)
        self.columns = np.concatenate([support, near])
        self.place_of[:] = -1
        self.place_of[self.columns] = np.arange(len(self.columns))
        self.places = np.arange(len(support))
        self.line_of_place = np.full(len(self.columns), -1)
        self.line_of_place[self.places] = self.places + self._model.border
        self.copy()

    def copy(self) -> None:
        """Copy the held columns, of the rows that are followed."""
        _, self.states = self._rows.sweep(forget_columns, self.states, None)
        shared = (self.columns, self.centre[self.columns])
        _, self.states = self._rows.sweep(copy_columns, self.states, shared)

    def entered(self, column: int) -> None:
        """A held column is the last line of the model."""
        place = int(self.place_of[column])
        self.places = np.append(self.places, place)
        self.line_of_place[place] = len(self._model.lines) - 1

    def left(self, position: int) -> int:
        """A column has left the model, the last in its place; where it is held."""
        place = int(self.places[position])
        self.places = without(self.places, position)
        self.line_of_place[place] = -1
        if position < len(self.places):
            self.line_of_place[self.places[position]] = position + self._model.border
        return place

    def on_lines(self, entries: tuple[Array, Array]) -> Array:
        """A row, given by places and values, on the lines of the model."""
        x = np.zeros(len(self._model.lines))
        x[: self._model.border] = 1
        lines = self.line_of_place[entries[0]]
        x[lines[lines >= 0]] = entries[1][lines >= 0]
        return x

    def products_of(self, places: Array) -> Array:
        """Products of held columns with the lines of the model."""
        self.mark()
        totals, _ = self._rows.sweep(lines_between, self.states, (places, self.places))
        products: Array = totals["products"]
        return np.column_stack([totals["sums"], products]) if self._model.border else products

    def products_from(self, place: int, start: int) -> Array:
        """Products of a held column with those from a place on."""
        self.mark()
        totals, _ = self._rows.sweep(line_of, self.states, (place, start))
        products: Array = totals["line"]
        return products

    def system(self) -> Array:
        """The matrix H."""
        self.mark()
        totals, _ = self._rows.sweep(system, self.states, self.places)
        border = self._model.border
        matrix: Array = totals["matrix"][1 - border :, 1 - border :]
        matrix[np.diag_indices(len(matrix))] += np.append(
            np.zeros(border), np.full(self._model.size, self._model.alpha)
        )
        return matrix
