"""Which column enters next, with X read only when bounds leave it open.

``s`` are the residuals of the active rows times their weights, ``v`` their change as lambda_1 falls
by one, ``c_k = x_k's`` and ``a_k = x_k'v``. Along one direction ``c_k`` falls by ``a_k`` for every
unit of lambda_1, so column k enters with sign z after the step ``(lambda - z c_k)/(1 - z a_k)``, if
``z a_k < 1``. The direction changes at every event, but ``s`` is continuous, and by Cauchy and
Schwarz, since a level lambda_0 where s, v and with them c and a were computed exactly,

    |c_k - (c0_k - (lambda_0 - lambda) a0_k)| <= nu_k E,     E = ||s - s0 - (lambda_0 - lambda) v0||

with ``nu_k`` the length of the column (with an intercept ``1's = 0``, so of the centred column;
with weights, of ``W^1/2 x_k``, and E is in ``W^-1/2``). E grows only by what the direction changes,
and the length of every change of v is known in O(1): with J their sum and S = sum of steps times J,

    E <= (S - S_0) - J_0 (lambda_0 - lambda)          values with _0: at the level lambda_0

The bound is used twice.

- **Near columns** stand in a narrow copy beside the support. Each has a level of its own at
  which it was looked at; only those that the bound lets in within the next step are looked at
  again: most events need no look at any column.
- **All columns** were looked at when X was last read. Chosen there: a level ``floor``, down to
  which a few columns are expected to enter, and as near columns those few hundred that the bound
  would let in soonest. All others cannot enter before lambda < floor or E > reach; E is measured
  at every look, and bounded from there.

Exact: a column enters only after c and a of all that could precede it were computed. X is
read twice when the near columns are renewed: a product with (s, v), and the copy.

Reference: the algorithm is of Keerthi (2005), section 2; the bounds are not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast.rows.sums import Array, Rows
from holdfast.searches.lars_columns import Columns
from holdfast.searches.lars_model import LarsModel
from holdfast.searches.lars_sweeps import (
    Look,
    copy_columns,
    correlate,
    forget_columns,
    line_of,
    look_at,
    open_rows,
    system,
)

_FEW = 12
"""Columns expected to enter until the next reading of X, to begin with."""

_MANY = 256
"""Columns held beside the support; an eighth as many as the support has are added."""

_LOST = 1e-9
_DEPENDENT = 1e-10
_TIE = 1e-10


class Entry(NamedTuple):
    """A column that enters."""

    step: float
    column: int
    sign: float


class Line(NamedTuple):
    """A candidate's line of the system: ``P h``, and what is left of its square."""

    inner: Array
    schur: float
    square: float

    @property
    def dependent(self) -> bool:
        """Whether the column is a combination of those in the support, to 1e-10."""
        return not self.schur > _DEPENDENT * self.square


class Front:
    """The columns that may enter a path of generalised LARS.

    Parameters
    ----------
    rows : Rows
        One target.
    model : LarsModel
        Where the path starts, without columns.
    columns : Columns
        What is known of all columns.
    recurrent : bool
        Whether rows never leave or enter (squared loss): residuals are then carried along.

    Attributes
    ----------
    level : float
        lambda_1.
    just_left : dict of int to float
        Columns that left the support at this level, and their signs: they do not come back with it.
    skipped : list of int
        Columns that reached the level but are combinations of the support.
    toggled : list of int
        Rows that have moved an odd number of times since the states were marked.
    states : States
        Of the rows; entries ``narrow``, ``error``, ``inside`` and more.
    """

    def __init__(self, rows: Rows, model: LarsModel, columns: Columns, *, recurrent: bool) -> None:
        self._rows = rows
        self._model = model
        self._recurrent = recurrent
        self._centre = rows.origin
        self.toggled: list[int] = []
        start = rows.scatter("number", np.arange(rows.n_rows))
        _, self.states = rows.sweep(open_rows, start, model.lines[0] if model.border else 0.0)
        self._lengths, self._means = columns.lengths, columns.means
        self._root_mass = float(np.sqrt(columns.mass))
        self.open = ~columns.inert
        self._few, self._size_at_reading = _FEW, 0
        self.just_left: dict[int, float] = {}
        self.skipped: list[int] = []
        self._barred: list[int] = []
        self.columns = self.places = np.empty(0, dtype=np.intp)
        self._places_of = np.full(rows.n_columns, -1, dtype=np.int32)
        self._turned, self._swept = 0.0, 0.0
        self._read_level = self._measured_level = self._measured = 0.0
        self._read(first=True)
        self.level = float(np.abs(self._all[0] * self.open).max(initial=0.0))
        self.scale = self.level
        self._renew()

    # -- reading X ------------------------------------------------------------------------------

    def _read(self, *, first: bool = False) -> None:
        """Correlations of all columns, and their changes; here and now become the reference."""
        shared = (first, self._centre if self._model.border else None)
        totals, states = self._rows.sweep(correlate, self.states, shared)
        self.states = states
        self._all = totals["products"]

    def _choose_near(self) -> None:
        """The level and the reach until which only the near columns can enter."""
        self._read_level = level = self.level
        c, a = self._all
        candidates = np.flatnonzero(self.open)
        c, a, lengths = c[candidates], a[candidates], self._lengths[candidates]
        steps = _steps(level, c, a)[0]
        few = min(self._few, len(steps))
        later = float(np.partition(steps, few - 1)[few - 1]) if few else level
        self._floor = max(level - later, 0.0) if few < len(steps) else 0.0
        if not self._floor > 0:
            self._floor = 0.0
        ahead = level - self._floor
        slack = np.minimum(level - np.abs(c), self._floor - np.abs(c - ahead * a)) / lengths
        # All that are expected to enter down to the floor are near, and more.
        many = max(_MANY + self._model.size // 8, int(np.count_nonzero(slack <= 0)))
        if many < len(slack):
            order = np.argpartition(slack, many)
            chosen, self._reach = order[:many], float(max(slack[order[many]], 0.0))
        else:
            chosen, self._reach = np.arange(len(slack)), np.inf
        if self._reach == np.inf:
            self._floor = 0.0
        near = candidates[chosen]
        support = np.array(self._model.columns, dtype=np.intp)
        self.columns = np.concatenate([support, near])
        self._places_of[:] = -1
        self._places_of[self.columns] = np.arange(len(self.columns))
        self.places = np.arange(len(support))
        centre = self._centre[self.columns]
        self._held_centre = centre if self._model.border else np.zeros_like(centre)
        self._near_lengths = self._lengths[self.columns]
        self._known = np.zeros((5, len(self.columns)))  # c, a, level, J and S when looked at
        shared = (self.columns, self._held_centre)
        _, self.states = self._rows.sweep(forget_columns, self.states, None)
        _, self.states = self._rows.sweep(copy_columns, self.states, shared)

    @property
    def support_centre(self) -> Array:
        """What the columns of the support are about."""
        return self._held_centre[self.places]

    @property
    def support_means(self) -> Array:
        """Means of the columns of the support, about that; without an intercept, zero."""
        return self._means[self.columns[self.places]]

    # -- looking at near columns ----------------------------------------------------------------

    def _renew(self) -> None:
        """Choose the near columns, and look at all that is held; rounding is taken out."""
        self._choose_near()
        held = np.arange(len(self.columns))
        self._straight = False
        for attempt in range(3):
            balance = self._look(held)
            if not self._corrected(balance, attempt):
                break

    def _look(self, places: Array) -> Array:
        """Exact c and a of some held columns, and how far s and v are from the last reading."""
        model = self._model
        since = None
        if self._recurrent and self._straight:
            since = self._measured_level - self.level
        lines = np.stack([model.coef, model.slope] if since is None else [model.slope])
        gap = self._read_level - self.level
        toggled = np.array(self.toggled, dtype=np.intp)
        look = Look(lines, self.places, model.shift, since, toggled, gap, places)
        totals, self.states = self._rows.sweep(look_at, self.states, look)
        self.toggled.clear()
        self._far, self._turn, self._drift = np.sqrt(totals["squares"])
        self._known[:2, places] = totals["products"]
        self._known[2:, places] = np.array([[self.level], [self._turned], [self._swept]])
        self._measured, self._measured_level = self._turned, self.level
        self._measured_swept = self._swept
        self._straight = True
        return totals["balance"]

    def _corrected(self, balance: Array, attempt: int) -> bool:
        """Whether rounding had to be taken out of the direction, and all is to be looked at again.

        Direction and coefficients are those of the system's solution, exactly, if a and c of the
        support are what they should be.
        """
        model, border = self._model, self._model.border
        c, a = self._known[:2, self.places]
        missing, off = model.signs.copy(), -self.level * model.signs
        missing[border:] -= a + model.alpha * model.slope
        off[border:] += c - model.alpha * model.coef
        missing[:border] -= balance[1]
        off[:border] += balance[0]
        model.lines = model.lines + model.inverse.times(off)
        # The intercept's share is in the units of v.
        lost = np.abs(missing[border:]).max(initial=0.0) > _LOST
        lost |= bool((np.abs(missing[:border]) > _LOST * self._root_mass * self._drift).any())
        if not lost:
            return False
        if attempt:
            self._rebuild()
            model.direction = model.inverse.times(model.signs)
        else:
            model.direction = model.direction + model.inverse.times(missing)
        self._straight = False
        return True

    def _rebuild(self) -> None:
        """The inverse afresh."""
        totals, _ = self._rows.sweep(system, self.states, self.places)
        border = self._model.border
        matrix = totals["matrix"][1 - border :, 1 - border :]
        matrix[np.diag_indices(len(matrix))] += np.append(
            np.zeros(border), np.full(self._model.size, self._model.alpha)
        )
        self._model.inverse.replace(matrix)

    # -- the path's questions -------------------------------------------------------------------

    def entry(self, step: float) -> Entry | None:
        """The first column that enters within ``step``, if any."""
        doubtful = self._doubtful(step)
        if len(doubtful):
            self._look(doubtful)
        found = self._first(doubtful, step)
        until = found.step if found else step
        if self._within_reach(until):
            return found
        if not len(doubtful):
            self._look(doubtful)
            if self._within_reach(until):
                return found
        self._adapt()
        self._read()
        self._renew()
        return self._first(self._doubtful(step), step)

    def _doubtful(self, step: float) -> Array:
        """Held candidates, by place, that their bounds would let in within ``step``."""
        until = self.level - step
        c, a, level, turned, swept = self._known
        ahead = level - until
        error = self._swept + step * self._turned - swept - turned * ahead
        highest = np.abs(c - ahead * a) + self._near_lengths * np.maximum(error, 0)
        doubtful: Array = np.flatnonzero((highest >= until) & self.open[self.columns])
        if self._barred:
            doubtful = doubtful[~np.isin(self.columns[doubtful], self._barred)]
        return doubtful

    def _first(self, places: Array, step: float) -> Entry | None:
        """The first of some columns, just looked at, within ``step``; of equals the lowest."""
        if not len(places):
            return None
        c, a = self._known[:2, places]
        columns = self.columns[places]
        steps, signs = _steps(self.level, c, a)
        for column, sign in self.just_left.items():
            here = np.flatnonzero(columns == column)
            rate = 1 + sign * a[here]
            steps[here] = np.where(rate > _TIE, (self.level + sign * c[here]) / rate, np.inf)
            signs[here] = -sign
        alongside = (np.abs(self.level - np.abs(c)) <= _TIE * self.scale) & (
            np.abs(1 - np.sign(c) * a) <= _TIE
        )
        for column in columns[alongside].tolist():
            if column not in self.just_left:
                self._note(column)
                steps[columns == column] = np.inf
        first = float(steps.min())
        if not first < step:
            return None
        tied = np.flatnonzero(steps <= first + _TIE * self.scale)
        chosen = int(tied[columns[tied].argmin()])
        return Entry(float(steps[chosen]), int(columns[chosen]), float(signs[chosen]))

    def _within_reach(self, step: float) -> bool:
        """Whether no column but the near ones can enter within ``step``."""
        if self._reach == np.inf:
            return True
        until = self.level - step
        ahead = self._measured_level - until
        error = self._swept + step * self._turned - self._measured_swept
        error += self._far + ahead * (self._turn - self._measured)
        return until >= self._floor and error <= self._reach

    def _adapt(self) -> None:
        """Expect about as many columns from the next reading as from the last."""
        entered = self._model.size - self._size_at_reading
        self._few = int(np.clip(entered + entered // 2 + 4, 8, 128))
        self._size_at_reading = self._model.size

    def advance(self, step: float) -> None:
        """lambda_1 falls by ``step``."""
        self.level -= step
        self._straight &= self._turned == self._measured
        self._swept += step * self._turned

    def moved(self, row: int, length: float) -> None:
        """A row has moved, and v has changed by a vector of at most that length."""
        self._turned += length
        if row in self.toggled:
            self.toggled.remove(row)
        else:
            self.toggled.append(row)

    def line(self, column: int) -> Line:
        """A candidate's line of the system."""
        model = self._model
        place = int(self._places_of[column])
        totals, _ = self._rows.sweep(line_of, self.states, place)
        products = totals["line"]
        square = float(products[place]) + model.alpha
        line = np.concatenate([totals["mass"][: model.border], products[self.places]])
        inner = model.inverse.times(line)
        return Line(inner, square - float(line @ inner), square)

    def skip(self, column: int) -> None:
        """A column is a combination of the support: it stays out as long as it is."""
        self._barred.append(column)
        self._note(column)

    def _note(self, column: int) -> None:
        """Remember a column that was skipped."""
        if column not in self.skipped:
            self.skipped.append(column)

    def release(self) -> None:
        """The support has lost a column, or a row has entered: combinations may end there."""
        self._barred.clear()

    def entered(self, column: int, length: float) -> None:
        """A column is in the support now, and v has changed by at most that length."""
        self.places = np.append(self.places, self._places_of[column])
        self.open[column] = False
        if column in self.skipped:
            self.skipped.remove(column)
        self._turned += length

    def left(self, position: int, column: int, sign: float, length: float) -> None:
        """A column of that sign has left the support, and v has changed by at most that length."""
        self.just_left[column] = sign
        self.open[column] = True
        self.release()
        place = self.places[position]
        self._known[:, place] = (sign * self.level, 0.0, self.level, self._turned, self._swept)
        self._known[1, place] = sign  # doubtful until it is looked at
        self.places = np.delete(self.places, position)
        self._turned += length


def _steps(level: float, c: Array, a: Array) -> tuple[Array, Array]:
    """Steps after which columns enter, infinite for never, and their signs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(a < 1 - _TIE, np.maximum(level - c, 0) / (1 - a), np.inf)
        down = np.where(-a < 1 - _TIE, np.maximum(level + c, 0) / (1 + a), np.inf)
    return np.minimum(up, down), np.where(up <= down, 1.0, -1.0)
