"""Which column enters next, with X read only when bounds leave it open.

``s`` are the residuals of the active rows times their weights, ``v`` their change as lambda_1 falls
by one, ``c_k = x_k's`` and ``a_k = x_k'v``. Along one direction ``c_k`` falls by ``a_k`` for every
unit of lambda_1, so column k enters with sign z after the step ``(lambda - z c_k)/(1 - z a_k)``, if
``z a_k < 1``. The direction changes at every event, but ``s`` is continuous.

- **Near columns**, a few hundred, stand in a narrow copy beside the support; their c and a are
  followed exactly (:mod:`holdfast.searches.lars_near`), at every event, without a look at the rows.
- **All others** are bounded since X was last read (:mod:`holdfast.searches.lars_reach`). Where that
  is not enough, s and v are measured: products of the support with two vectors. Where that is not
  either, X is read and the near columns are renewed: a product with (s, v), the copy, and the
  products with the support of those columns that were not near before.

Rounding: at every reading the correlations of the support tell how good direction and coefficients
are; what is off is taken out. Exact: a column enters only after c and a of all that could precede
it were computed.

A column that is a combination of the support, on the active rows and to 1e-10 of its square, is
skipped. Where it is one exactly, ``c_k = z lambda`` and ``a_k = z`` for good reason and it does not
enter. When a column leaves, or a row enters, it may be none any more: it is asked again then.

Reference: the algorithm is of Keerthi (2005), section 2; the bounds are not.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast.rows.sums import Array, Rows, ranges
from holdfast.searches.lars_columns import Columns, measure_columns
from holdfast.searches.lars_model import LarsModel
from holdfast.searches.lars_near import TIE, Entry, NearColumns, entering_steps
from holdfast.searches.lars_reach import Reach
from holdfast.searches.lars_rows import HeldRows, Measured

_TOGETHER = 64
_LOST = 1e-9
_HOPELESS = 1e-6
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
    scale : float
        The first lambda_1.
    held : HeldRows
        The rows, and the columns that are held of them.
    open : bool array of shape (n,)
        Columns that are not in the support, and may come in.
    just_left : dict of int to float
        Columns that left the support at this level, and their signs: they do not come back with it.
    skipped : list of int
        Columns that reached the level as combinations of the support, and are not in it.
    verified : bool
        Whether direction and coefficients have been found right at the last reading of X.
    lost : bool
        Whether they could not be corrected: the columns are too nearly dependent.
    """

    def __init__(self, rows: Rows, model: LarsModel, columns: Columns) -> None:
        self._rows = rows
        self._model = model
        self.held = HeldRows(rows, model)
        self._means, self._root_mass = columns.means, float(np.sqrt(columns.mass))
        self._lengths = columns.lengths
        self.open = ~columns.inert
        self.just_left: dict[int, float] = {}
        self.skipped: list[int] = []
        self._barred: list[int] = []
        self._near, self._reach = NearColumns(model.border, model.most), Reach()
        self.verified, self.lost = True, False
        self.level = 0.0
        self._measure()
        self._all = self.held.read()
        self.level = self.scale = float(np.abs(self._all[0] * self.open).max(initial=0.0))
        self._reach.read(self.level)
        self._choose_near(np.zeros(model.border))

    @property
    def support_centre(self) -> Array:
        """What the columns of the support are about."""
        return self.held.centre[self.held.support]

    @property
    def support_means(self) -> Array:
        """Means of the columns of the support, about that; without an intercept, zero."""
        return self._means[self.held.support]

    # -- reading X ------------------------------------------------------------------------------

    def _measure(self) -> Measured:
        """S and v, and how far they are from those last read."""
        measured = self.held.measure(self._reach.read_level - self.level)
        self._reach.measured(self.level, measured.far, measured.turn)
        return measured

    def _renew(self, measured: Measured) -> None:
        """Read X, take rounding out, and choose the near columns; s and v were just measured."""
        for _ in range(3):
            self._all = self.held.read()
            self._reach.read(self.level)
            nudge, lost = self._corrected(measured)
            if not lost:
                break
            measured = self._measure()
        self.verified, self.lost = not lost, self._missing > _HOPELESS
        if not self.lost:
            self._choose_near(nudge)

    def _corrected(self, measured: Measured) -> tuple[Array, bool]:
        """What was off of the lines, and whether the direction was: then all is to be read again.

        Direction and coefficients are those of the system's solution, exactly, if a and c of the
        support are what they should be.
        """
        model, border = self._model, self._model.border
        c, a = self._all[:, np.array(model.columns, dtype=np.intp)]
        missing, off = model.signs.copy(), -self.level * model.signs
        missing[border:] -= a + model.alpha * model.slope
        off[border:] += c - model.alpha * model.coef
        missing[:border] -= measured.balance[1]
        off[:border] += measured.balance[0]
        nudge = model.inverse.times(off)
        model.lines = model.lines + nudge
        self._missing = float(np.abs(missing[border:]).max(initial=0.0))
        # The intercept's share is in the units of v.
        lost = self._missing > _LOST
        most = _LOST * self._root_mass * measured.drift
        lost |= bool((np.abs(missing[:border]) > most).any())
        if not lost:
            return nudge, False
        self.held.copy()
        if model.inverse.replace(self.held.system()):
            model.direction = model.inverse.times(model.signs)
        else:
            model.direction = model.direction + model.inverse.times(missing)
        return nudge, True

    def _choose_near(self, nudge: Array) -> None:
        """Choose and copy the near columns, and multiply those that are new by the support."""
        candidates = np.flatnonzero(self.open)
        c, a = self._all[:, candidates]
        lines = len(self._model.lines)
        chosen = self._reach.choose(self.level, c, a, self._lengths[candidates], lines)
        near = candidates[chosen]
        self._base = self._model.size
        self.held.hold(near)
        new = self._near.renew(near, c[chosen], self._rows.n_columns)
        for some in ranges(len(new), _TOGETHER):
            self._near.products[new[some]] = self.held.products_of(self._base + new[some])
        self._near.c -= self._near.products @ nudge
        self._slot_of_place = np.full(len(self.held.columns), -1)
        self._slot_of_place[self._base :] = np.arange(len(near))

    def keep(self, chosen: Array, inside: Array, error: Array, rate: Array) -> None:
        """Follow only some rows from here on, all active ones among them.

        ``inside``, ``error`` and its change ``rate`` are those of all rows. The columns are
        shorter then, and bounds tighter.
        """
        measured = self.held.keep(chosen, inside, error, rate)
        fit_intercept, states = bool(self._model.border), self.held.states
        columns = measure_columns(self._rows, fit_intercept=fit_intercept, states=states)
        self._lengths, self.open = columns.lengths, ~columns.inert
        self.open[self._model.columns] = False
        self._renew(measured)

    # -- the path's questions -------------------------------------------------------------------

    def entry(self, step: float) -> Entry | None:
        """The first column that enters within ``step``, if any."""
        found = self._first(step)
        until = found.step if found else step
        if self._reach.within(self.level, until):
            return found
        measured = self._measure()
        if self._reach.within(self.level, until):
            return found
        self._reach.expect(self._model.size)
        self._renew(measured)
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
        alongside = (np.abs(level - np.abs(c)) <= tie) & (np.abs(1 - np.sign(c) * a) <= TIE)
        self._note(columns[alongside])
        if self._barred:
            steps[np.isin(columns, self._barred)] = np.inf
        first = float(steps.min())
        if not first < step:
            return None
        tied = np.flatnonzero(steps <= first + tie)
        chosen = int(tied[columns[tied].argmin()])
        return Entry(float(steps[chosen]), int(columns[chosen]), float(signs[chosen]))

    # -- what happens ---------------------------------------------------------------------------

    def advance(self, step: float) -> None:
        """lambda_1 falls by ``step``, along the model's direction."""
        self._near.advance(step, self._model.direction)
        self._reach.advance(step)
        self.level -= step

    def moved(
        self, row: int, length: float, left: float, entries: tuple[Array, Array], change: float
    ) -> None:
        """A row has moved, and v has changed by a vector of at most that length.

        ``left`` is what the inverse was divided by, ``entries`` the row's places among the held
        columns and its values there, ``change`` the change of its weight in H.
        """
        self._reach.doubt(max(left, 1 / left))
        self._reach.turned(length)
        self.held.toggle(row)
        x = self.held.on_lines(entries)
        slots = self._slot_of_place[entries[0]]
        self._near.moved(slots[slots >= 0], entries[1][slots >= 0], x, change)
        if change > 0:
            self._barred.clear()

    def line(self, column: int) -> Line:
        """A candidate's line of the system."""
        model, place = self._model, int(self.held.place_of[column])
        slot = int(self._slot_of_place[place])
        line = self._near.products[slot].copy()
        near = self.held.place_of[self._near.columns]
        start = int(near.min())
        products = self.held.products_from(place, start)
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
        self.held.entered(column)
        self._near.entered(int(self._slot_of_place[self.held.place_of[column]]), line.near)
        self.open[column] = False
        self._reach.turned(length)
        self._reach.doubt(line.square / line.schur)
        if column in self.skipped:
            self.skipped.remove(column)

    def left(self, position: int, column: int, sign: float, turn: tuple[float, float]) -> None:
        """A column of that sign has left the support.

        ``turn``: a bound on the length of the change of v, and what stood in the inverse.
        """
        length, square = turn
        self._reach.doubt(square * float(self._lengths[column]) ** 2)
        self.just_left[column] = sign
        self._barred.clear()
        self.open[column] = True
        self._reach.turned(length)
        place = self.held.left(position)
        self._near.lost(position + self._model.border)
        products = self.held.products_of(np.array([place]))[0]
        slot = self._near.freed(column, sign * self.level, products)
        self._slot_of_place[place] = slot
        if slot < 0:
            self._reach.exhaust()
