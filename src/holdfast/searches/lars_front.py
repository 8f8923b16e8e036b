"""Which column enters next, with X read only when bounds leave it open.

``s`` are the residuals of the active rows times their weights, ``v`` their change as lambda_1 falls
by one, ``c_k = x_k's`` and ``a_k = x_k'v``. Along one direction ``c_k`` falls by ``a_k`` for every
unit of lambda_1, so column k enters with sign z after the step ``(lambda - z c_k)/(1 - z a_k)``, if
``z a_k < 1``. The direction changes at every event, but ``s`` is continuous.

- **Near columns**, a few hundred, stand in a narrow copy beside the support; their c and a are
  followed exactly (:mod:`holdfast.searches.lars_near`), at every event, without a look at the rows.
- **All others** were looked at when X was last read, at a level lambda_0. By Cauchy and Schwarz

      |c_k - (c0_k - (lambda_0 - lambda) a0_k)| <= nu_k E,   E = ||s - s0 + (lambda_0 - lambda) v0||

  with ``nu_k`` the length of the column (with an intercept ``1's = 0``, so of the centred column;
  with weights, of ``W^1/2 x_k``, and E is in ``W^-1/2``). Chosen at the reading: a level ``floor``,
  down to which a few columns are expected to enter, and as near columns those that the bound would
  let in soonest. None of the others can enter before lambda < floor or E > reach.

E grows only by what the direction changes, and the length of every change of v is known in O(1):
since E and ``||v - v0||`` were measured, at lambda_1', with J the sum of those lengths and S that of
steps times J (with ' at lambda_1'),

    E <= E' + (lambda_1' - lambda) (||v' - v0|| - J') + S - S'

Where that is not enough E is measured: a product of the support with two vectors. Where that is not
either, X is read and the near columns are renewed: a product with (s, v), the copy, and the
products with the support of the columns that were not near before.

Rows that cannot become active soon may be left out (:meth:`Front.keep`): s and v are zero there, X
is then a copy of the other rows, and ``nu_k`` is shorter.

Rounding: at every reading the correlations of the support tell how good direction and coefficients
are; what is off is taken out. Exact: a column enters only after c and a of all that could precede
it were computed.

Reference: the algorithm is of Keerthi (2005), section 2; the bounds are not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast.rows.sums import Array, Rows
from holdfast.searches.lars_columns import Columns, measure_columns
from holdfast.searches.lars_model import LarsModel, without
from holdfast.searches.lars_near import TIE, Entry, NearColumns, entering_steps
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

_FEW = 12
"""Columns expected to enter until the next reading of X, to begin with."""

_FEWEST_NEAR, _MOST_NEAR = 256, 1024
_NEAR_PRODUCTS = 1 << 17
"""Near columns: as many as have so many products with the support, within these bounds."""

_LOST = 1e-9
_DEPENDENT = 1e-10


class Line(NamedTuple):
    """A candidate's line of the system: ``P h``, and what is left of its square."""

    inner: Array
    schur: float
    square: float
    near: Array
    """Its products with the near columns."""

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

    Attributes
    ----------
    level : float
        lambda_1.
    just_left : dict of int to float
        Columns that left the support at this level, and their signs: they do not come back with it.
    skipped : list of int
        Columns that reached the level as combinations of the support, and are not in it.
    toggled : list of int
        Rows that have moved an odd number of times since the states were marked.
    states : States
        Of the rows that are followed; entries ``narrow``, ``error``, ``inside`` and more.
    places : int array
        Where the columns of the support are among the held ones.
    line_of_place : int array
        And the other way round, by line of the model; -1 for columns that are not in it.
    centre : array of shape (n,)
        What columns are about.
    kept : bool
        Whether some rows are left out.
    readings : float
        Products of all columns with (s, v), each for its part of the rows.
    """

    def __init__(self, rows: Rows, model: LarsModel, columns: Columns) -> None:
        self._rows = rows
        self._model = model
        self._centre = rows.origin
        self.centre = rows.origin if model.border else np.zeros_like(rows.origin)
        self._numbers = rows.scatter("number", np.arange(rows.n_rows))
        _, self.states = rows.sweep(open_rows, self._numbers, None)
        self._means, self._root_mass = columns.means, float(np.sqrt(columns.mass))
        self._lengths = columns.lengths
        self.open = ~columns.inert
        self.toggled: list[int] = []
        self.just_left: dict[int, float] = {}
        self.skipped: list[int] = []
        self._barred: list[int] = []
        self.kept, self.readings = False, 0.0
        self._few, self._size_at_reading = _FEW, 0
        self._near = NearColumns()
        self.columns = self.places = np.empty(0, dtype=np.intp)
        self._place_of = np.full(rows.n_columns, -1, dtype=np.int32)
        self._turned = self._swept = 0.0
        self.level = self._read_level = 0.0
        self._measure()
        self._read()
        self.level = self.scale = float(np.abs(self._all[0] * self.open).max(initial=0.0))
        self._choose_near(np.zeros(model.border))

    # -- reading X ------------------------------------------------------------------------------

    def _measure(self) -> Array:
        """s and v on all rows, and E and ``||v - v0||``; returns the sums of s and v."""
        model = self._model
        lines = np.stack([model.coef, model.slope])
        toggled = np.array(self.toggled, dtype=np.intp)
        gap = self._read_level - self.level
        standing = Standing(lines, self.places, model.shift, toggled, gap)
        totals, self.states = self._rows.sweep(measure, self.states, standing)
        self.toggled.clear()
        self._far, self._turn, self._drift = np.sqrt(totals["squares"])
        self._measured_level = self.level
        self._measured, self._measured_swept = self._turned, self._swept
        return totals["balance"]

    def _read(self) -> None:
        """Correlations of all columns, and their changes; here and now become the reference."""
        centre = self._centre if self._model.border else None
        totals, self.states = self._rows.sweep(correlate, self.states, centre)
        self._all = totals["products"]
        self.readings += float(totals["rows"][0]) / self._rows.n_rows
        self._read_level = self.level
        self._far = self._turn = 0.0

    def _renew(self, balance: Array) -> None:
        """Read X, take rounding out, and choose the near columns; s and v were just measured."""
        for attempt in range(3):
            self._read()
            nudge, lost = self._corrected(balance, attempt)
            if not lost:
                break
            if attempt == 0:
                self._copy()
            balance = self._measure()
        self._choose_near(nudge)

    def _corrected(self, balance: Array, attempt: int) -> tuple[Array, bool]:
        """What was off of the lines, and whether the direction was: then all is to be read again.

        Direction and coefficients are those of the system's solution, exactly, if a and c of the
        support are what they should be.
        """
        model, border = self._model, self._model.border
        c, a = self._all[:, np.array(model.columns, dtype=np.intp)]
        missing, off = model.signs.copy(), -self.level * model.signs
        missing[border:] -= a + model.alpha * model.slope
        off[border:] += c - model.alpha * model.coef
        missing[:border] -= balance[1]
        off[:border] += balance[0]
        nudge = model.inverse.times(off)
        model.lines = model.lines + nudge
        # The intercept's share is in the units of v.
        lost = np.abs(missing[border:]).max(initial=0.0) > _LOST
        lost |= bool((np.abs(missing[:border]) > _LOST * self._root_mass * self._drift).any())
        if not lost:
            return nudge, False
        if attempt:
            self._rebuild()
            model.direction = model.inverse.times(model.signs)
        else:
            model.direction = model.direction + model.inverse.times(missing)
        return nudge, True

    def _rebuild(self) -> None:
        """The inverse afresh."""
        totals, _ = self._rows.sweep(system, self.states, self.places)
        border = self._model.border
        matrix = totals["matrix"][1 - border :, 1 - border :]
        matrix[np.diag_indices(len(matrix))] += np.append(
            np.zeros(border), np.full(self._model.size, self._model.alpha)
        )
        self._model.inverse.replace(matrix)

    # -- choosing near columns ------------------------------------------------------------------

    def _choose_near(self, nudge: Array) -> None:
        """The level and the reach until which only the near columns can enter."""
        level = self.level
        candidates = np.flatnonzero(self.open)
        c, a = self._all[:, candidates]
        steps = entering_steps(level, c, a)[0]
        few = min(self._few, len(steps))
        later = float(np.partition(steps, few - 1)[few - 1]) if few else level
        self._floor = max(level - later, 0.0) if few < len(steps) else 0.0
        ahead = level - self._floor
        slack = np.minimum(level - np.abs(c), self._floor - np.abs(c - ahead * a))
        slack /= self._lengths[candidates]
        # All that are expected to enter down to the floor are near, and more.
        many = _NEAR_PRODUCTS // max(len(self._model.lines), 1)
        many = min(max(many, _FEWEST_NEAR), _MOST_NEAR)
        many = max(many, int(np.count_nonzero(slack <= 0)))
        if many < len(slack):
            order = np.argpartition(slack, many)
            chosen, self._reach = order[:many], float(max(slack[order[many]], 0.0))
        else:
            chosen, self._reach, self._floor = np.arange(len(slack)), np.inf, 0.0
        self._hold(candidates[chosen], c[chosen], nudge)

    def _hold(self, near: Array, c: Array, nudge: Array) -> None:
        """Copy the support and the near columns, and multiply those that are new by the former."""
        support = np.array(self._model.columns, dtype=np.intp)
        self._base = len(support)
        self.columns = np.concatenate([support, near])
        self._place_of[:] = -1
        self._place_of[self.columns] = np.arange(len(self.columns))
        self.places = np.arange(self._base)
        self.line_of_place = np.full(len(self.columns), -1)
        self.line_of_place[self.places] = np.arange(self._base) + self._model.border
        self._held_centre = self.centre[self.columns]
        self._copy()
        products = np.empty((len(near), len(self._model.lines)))
        slots = np.full(self._rows.n_columns, -1, dtype=np.int32)
        slots[self._near.columns] = np.arange(len(self._near.columns))
        slots = slots[near]
        known = slots >= 0
        if known.any():
            products[known] = self._near.products[slots[known]]
        if not known.all():
            products[~known] = self._products_of(self._base + np.flatnonzero(~known))
        self._near.renew(near, c - products @ nudge, products)
        self._slot_of_place = np.full(len(self.columns), -1)
        self._slot_of_place[self._base :] = np.arange(len(near))

    def _copy(self) -> None:
        """Copy the held columns, of the rows that are followed."""
        shared = (self.columns, self._held_centre)
        _, self.states = self._rows.sweep(forget_columns, self.states, None)
        _, self.states = self._rows.sweep(copy_columns, self.states, shared)

    def _products_of(self, places: Array) -> Array:
        """Products of held columns with the lines of the model."""
        self.mark()
        totals, _ = self._rows.sweep(lines_between, self.states, (places, self.places))
        sums = totals["sums"][:, None]
        return np.hstack([sums, totals["products"]])[:, 1 - self._model.border :]

    @property
    def support_centre(self) -> Array:
        """What the columns of the support are about."""
        return self._held_centre[self.places]

    @property
    def support_means(self) -> Array:
        """Means of the columns of the support, about that; without an intercept, zero."""
        return self._means[self.columns[self.places]]

    # -- rows ------------------------------------------------------------------------------------

    def mark(self) -> None:
        """Mark rows that have moved."""
        if self.toggled:
            toggled = np.array(self.toggled, dtype=np.intp)
            _, self.states = self._rows.sweep(mark_moved, self.states, toggled)
            self.toggled.clear()

    def keep(self, chosen: Array, inside: Array, error: Array, rate: Array) -> None:
        """Follow only some rows from here on, all active ones among them.

        ``inside``, ``error`` and its change ``rate`` are those of all rows.
        """
        rows, states = self._rows, self._numbers
        for name, values in (("inside", inside), ("error", error), ("rate", rate)):
            states = rows.joined(states, rows.scatter(name, values))
        self.states = None  # not two copies at a time
        totals, self.states = rows.sweep(keep_rows, states, chosen)
        self._drift = float(np.sqrt(totals["square"][0]))
        self._measured, self._measured_swept = self._turned, self._swept
        self._measured_level = self.level
        self.kept = True
        fit_intercept = bool(self._model.border)
        columns = measure_columns(self._rows, fit_intercept=fit_intercept, states=self.states)
        self._lengths, self.open = columns.lengths, ~columns.inert
        self.open[self._model.columns] = False
        self._renew(totals["balance"])

    # -- the path's questions -------------------------------------------------------------------

    def entry(self, step: float) -> Entry | None:
        """The first column that enters within ``step``, if any."""
        found = self._first(step)
        until = found.step if found else step
        if self._within_reach(until):
            return found
        balance = self._measure()
        if self._within_reach(until):
            return found
        self._adapt()
        self._renew(balance)
        return self._first(step)

    def _first(self, step: float) -> Entry | None:
        """The first near column that enters within ``step``; of equals the lowest."""
        near, level, tie = self._near, self.level, TIE * self.scale
        rates = near.changes(self._model.direction)
        reached = np.abs(near.c - step * rates) >= level - step - tie
        slots = np.flatnonzero(reached & near.free)
        if not len(slots):
            return None
        c, a, columns = near.c[slots], rates[slots], near.columns[slots]
        steps, signs = entering_steps(level, c, a)
        for column, sign in self.just_left.items():
            here = np.flatnonzero(columns == column)
            rate = 1 + sign * a[here]
            steps[here] = np.where(rate > TIE, (level + sign * c[here]) / rate, np.inf)
            signs[here] = -sign
        self._note(columns[(np.abs(level - np.abs(c)) <= tie) & (np.abs(1 - np.sign(c) * a) <= TIE)])
        if self._barred:
            steps[np.isin(columns, self._barred)] = np.inf
        first = float(steps.min())
        if not first < step:
            return None
        tied = np.flatnonzero(steps <= first + tie)
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

    # -- what happens ---------------------------------------------------------------------------

    def advance(self, step: float) -> None:
        """lambda_1 falls by ``step``, along the model's direction."""
        self._near.advance(step, self._model.direction)
        self.level -= step
        self._swept += step * self._turned

    def moved(self, row: int, length: float, entries: tuple[Array, Array], change: float) -> None:
        """A row has moved, and v has changed by a vector of at most that length.

        ``entries`` are its places among the held columns and its values there, ``change`` the
        change of its weight in H.
        """
        self._turned += length
        if row in self.toggled:
            self.toggled.remove(row)
        else:
            self.toggled.append(row)
        x = self.on_lines(entries)
        slots = self._slot_of_place[entries[0]]
        self._near.moved(slots[slots >= 0], entries[1][slots >= 0], x, change)
        if change > 0:
            self._barred.clear()

    def on_lines(self, entries: tuple[Array, Array]) -> Array:
        """A row on the lines of the model."""
        x = np.zeros(len(self._model.lines))
        x[: self._model.border] = 1
        lines = self.line_of_place[entries[0]]
        x[lines[lines >= 0]] = entries[1][lines >= 0]
        return x

    def line(self, column: int) -> Line:
        """A candidate's line of the system."""
        model, place = self._model, int(self._place_of[column])
        slot = int(self._slot_of_place[place])
        line = self._near.products[slot].copy()
        near = self._place_of[self._near.columns]
        start = int(near.min())
        self.mark()
        totals, _ = self._rows.sweep(line_of, self.states, (place, start))
        products = totals["line"]
        square = float(products[place - start]) + model.alpha
        inner = model.inverse.times(line)
        return Line(inner, square - float(line @ inner), square, products[near - start])

    def skip(self, column: int) -> None:
        """A column is a combination of the support: it stays out as long as it is."""
        self._barred.append(column)
        self._note(np.array([column]))

    def _note(self, columns: Array) -> None:
        """Remember columns that were skipped."""
        for column in columns.tolist():
            if column not in self.skipped and column not in self.just_left:
                self.skipped.append(column)

    def entered(self, column: int, length: float, line: Line) -> None:
        """A column is in the support now, and v has changed by at most that length."""
        place = int(self._place_of[column])
        self.places = np.append(self.places, place)
        self.line_of_place[place] = len(self._model.lines) - 1
        self._near.entered(int(self._slot_of_place[place]), line.near)
        self.open[column] = False
        self._turned += length
        if column in self.skipped:
            self.skipped.remove(column)

    def left(self, position: int, column: int, sign: float, length: float) -> None:
        """A column of that sign has left the support, and v has changed by at most that length."""
        self.just_left[column] = sign
        self._barred.clear()
        self.open[column] = True
        self._turned += length
        place = int(self.places[position])
        self.places = without(self.places, position)
        self.line_of_place[place] = -1
        if position < len(self.places):
            self.line_of_place[self.places[position]] = position + self._model.border
        self._near.lost(position + self._model.border)
        products = self._products_of(np.array([place]))[0]
        slot = self._near.freed(column, sign * self.level, products)
        self._slot_of_place[place] = slot
        if slot < 0:
            self._reach = -1.0  # no room: X is read before anything else happens
