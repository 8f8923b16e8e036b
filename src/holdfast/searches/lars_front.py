"""Which column enters next, with X read only when bounds leave it open.

``s`` are the residuals of the active rows times their weights, ``v`` their change as lambda_1 falls
by one, ``c_k = x_k's`` and ``a_k = x_k'v``. Along one direction ``c_k`` falls by ``a_k`` for every
unit of lambda_1, so column k enters with sign z after the step ``(lambda - z c_k)/(1 - z a_k)``, if
``z a_k < 1``. The direction changes at every event, but ``s`` is continuous, and by Cauchy and
Schwarz, since a point (lambda_0, s0, v0) where c and a were computed exactly,

    |c_k - (c0_k - (lambda_0 - lambda) a0_k)| <= nu_k E,     E = ||s - s0 - (lambda_0 - lambda) v0||

with ``nu_k`` the length of the column (with an intercept ``1's = 0``, so of the centred column;
with weights, of ``W^1/2 x_k``, and E is in ``W^-1/2``). E is small: it grows only by what the
direction has changed. The bound is used twice.

- **All columns, since the last reading of X.** Chosen there: a level ``floor`` of lambda_1, down to
  which a few columns are expected to enter, and the few hundred columns *near* it, those that
  the bound would let in soonest. All others cannot enter before lambda_1 < floor or E > reach.
- **The near columns, since they were last looked at**, with the support, in a narrow copy. An
  example that moves changes the direction by a rank-one term whose length is known in O(1), so
  most moves of examples need no look at any column.

Exact: a column enters only after c and a of all that could precede it were computed. X is
read twice when the near columns are renewed: a product with (s, v), and the copy.

Reference: the algorithm is of Keerthi (2005), section 2; the bounds are not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from holdfast.rows.sums import Array, Block, Parts, Rows, State, States, Totals
from holdfast.searches.lars_model import LarsModel

_FEW = 12
"""Columns expected to enter until the next reading of X, to begin with."""

_MANY = 256
"""Columns held beside the support; half as many again as the support has are added."""

_LENGTH_SLACK = 1 + 1e-9
_LOST = 1e-9
_DRIFT = 1e-12
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


@dataclass(frozen=True)
class _Look:
    """What blocks are told when the near columns are looked at."""

    lines: Array
    shift: Array
    step: float | None
    toggled: Array
    gap: float


class Front:
    """The columns that may enter a path of generalised LARS.

    Parameters
    ----------
    rows : Rows
        One target.
    model : LarsModel
        Where the path starts, without columns.
    recurrent : bool
        Whether rows never leave or enter (squared loss): residuals are then carried along.

    Attributes
    ----------
    level : float
        lambda_1.
    toggled : list of int
        Rows that have moved an odd number of times since the states were marked.
    states : States
        Of the rows; entries ``narrow``, ``error``, ``inside`` and more.
    """

    def __init__(self, rows: Rows, model: LarsModel, *, recurrent: bool) -> None:
        self._rows = rows
        self._model = model
        self._recurrent = recurrent
        self._centre = rows.origin
        self.toggled: list[int] = []
        start = rows.scatter("number", np.arange(rows.n_rows))
        _, self.states = rows.sweep(_open, start, model.lines[0] if model.border else 0.0)
        self._lengths, self.inert = self._measure_columns()
        self.open = ~self.inert
        self._few, self._size_at_reading = _FEW, 0
        self._stale = False
        self.just_left: dict[int, float] = {}
        self.near = np.empty(0, dtype=np.intp)
        self.columns = self.near
        self.places = np.empty(0, dtype=np.intp)
        self._places_of = np.full(rows.n_columns, -1, dtype=np.int32)
        self._read(first=True)
        self.level = float(np.abs(self._all[0] * self.open).max(initial=0.0))
        self.scale = self.level
        self._choose_near()
        self._look()

    def _measure_columns(self) -> tuple[Array, Array]:
        """Weighted lengths of the columns (of the centred ones with an intercept); inert ones."""
        totals, _ = self._rows.sweep(_spread, None, self._centre)
        first, second, mass = totals["first"], totals["second"], float(totals["mass"][0])
        around = second - first**2 / mass
        squares = around if self._model.border else _about(second, first, self._centre, mass)
        inert = squares <= 1e-20 * _about(second, first, self._centre, mass)
        return np.sqrt(np.maximum(squares, 0)) * _LENGTH_SLACK, inert

    # -- reading X ------------------------------------------------------------------------------

    def _read(self, *, first: bool = False) -> None:
        """Correlations of all columns, and their changes; here and now become the reference."""
        shared = (first, self._centre if self._model.border else None)
        totals, states = self._rows.sweep(_correlate, self.states, shared)
        self.states = states
        self._all = totals["products"]
        self._read_level = None if first else self.level

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
        many = _MANY + self._model.size // 2
        if many < len(slack):
            order = np.argpartition(slack, many)
            chosen, self._reach = order[:many], float(max(slack[order[many]], 0.0))
        else:
            chosen, self._reach = np.arange(len(slack)), np.inf
        if self._reach == np.inf:
            self._floor = 0.0
        self.near = candidates[chosen]
        self._copy()

    def _copy(self) -> None:
        """Copy the support and the near columns out of X."""
        support = np.array(self._model.columns, dtype=np.intp)
        self.columns = np.concatenate([support, self.near])
        self._places_of[:] = -1
        self._places_of[self.columns] = np.arange(len(self.columns))
        self.places = np.arange(len(support))
        self._candidate_places = np.arange(len(support), len(self.columns))
        self._candidate_lengths = self._lengths[self.near]
        shared = (self.columns, self._held_centre)
        _, self.states = self._rows.sweep(_copy_columns, self.states, shared)
        self._exact = True

    @property
    def _held_centre(self) -> Array:
        """What the held columns are about: without an intercept, zero."""
        centre = self._centre[self.columns]
        return centre if self._model.border else np.zeros_like(centre)

    @property
    def support_centre(self) -> Array:
        """What the columns of the support are about."""
        return self._held_centre[self.places]

    # -- looking at the near columns ------------------------------------------------------------

    def _look(self) -> None:
        """Exact c and a of the held columns, and how far from the reference s and v are."""
        model = self._model
        for attempt in range(3):
            self._sweep_look()
            if not model.size or not self._corrected(attempt):
                break

    def _sweep_look(self) -> None:
        model = self._model
        exact = self._exact or not self._recurrent
        lines = np.zeros((2 if exact else 1, len(self.columns)))
        lines[-1, self.places] = model.slope
        if exact:
            lines[0, self.places] = model.coef
        gap = self._read_level - self.level
        toggled = np.array(self.toggled, dtype=np.intp)
        look = _Look(lines, model.shift, None if exact else self._since_look, toggled, gap)
        totals, self.states = self._rows.sweep(_look_at, self.states, look)
        self.toggled.clear()
        self._exact = False
        products = totals["products"]
        self.c = products[0] if exact else self.c - self._since_look * self.a
        self.a = products[-1]
        self.balance = totals["balance"]
        self._far, self._turn = np.sqrt(totals["squares"])
        self._look_level = self.level
        self._since_look = 0.0
        self._error, self._jump = 0.0, 0.0

    def _corrected(self, attempt: int) -> bool:
        """Whether rounding had to be taken out of the direction or the coefficients."""
        model, border = self._model, self._model.border
        wanted = model.signs.copy()
        missing = wanted.copy()
        missing[border:] -= self.a[self.places] + model.alpha * model.slope
        missing[:border] -= self.balance[1]
        if np.abs(missing).max() > _LOST:
            if attempt == 1:
                self._rebuild()
                model.direction = model.inverse.times(model.signs)
            else:
                model.direction = model.direction + model.inverse.times(missing)
            self._exact = True
            return True
        if self._recurrent:
            return False
        off = np.zeros(len(wanted))
        off[border:] = self.c[self.places] - model.alpha * model.coef
        off[border:] -= self.level * model.signs[border:]
        off[:border] = self.balance[0]
        if np.abs(off).max() > _DRIFT * self.scale:
            model.lines = model.lines + model.inverse.times(off)
        return False

    def _rebuild(self) -> None:
        """The inverse afresh."""
        totals, _ = self._rows.sweep(_system, self.states, self.places)
        border = self._model.border
        matrix = totals["matrix"][1 - border :, 1 - border :]
        matrix[np.diag_indices(len(matrix))] += np.append(
            np.zeros(border), np.full(self._model.size, self._model.alpha)
        )
        self._model.inverse.replace(matrix)

    # -- the path's questions -------------------------------------------------------------------

    def entry(self, step: float) -> Entry | None:
        """The first column that enters within ``step``, if any."""
        if self._excluded(step):
            return None
        if self._stale or self._since_look or self._jump:
            self._look()
        found = self._first(step)
        if not self._within_reach(found.step if found else step):
            self._adapt()
            self._read()
            self._choose_near()
            self._look()
            found = self._first(step)
        self._stale = False
        return found

    def _first(self, step: float) -> Entry | None:
        """The first of the near columns within ``step``; of equals the lowest."""
        places = self._candidate_places
        c, a = self.c[places], self.a[places]
        steps, signs = _steps(self.level, c, a)
        steps[~self.open[self.near]] = np.inf
        for column, sign in self.just_left.items():
            here = np.flatnonzero(self.near == column)
            rate = 1 + sign * a[here]
            steps[here] = np.where(rate > _TIE, (self.level + sign * c[here]) / rate, np.inf)
            signs[here] = -sign
        if not len(steps):
            return None
        first = float(steps.min())
        if not first < step:
            return None
        tied = np.flatnonzero(steps <= first + _TIE * self.scale)
        position = int(tied[self.near[tied].argmin()])
        return Entry(float(steps[position]), int(self.near[position]), float(signs[position]))

    def _excluded(self, step: float) -> bool:
        """Whether bounds tell that no column enters within ``step``."""
        if self._stale:
            return False
        until = self.level - step
        error = self._error + step * self._jump
        if not self._within_reach(step):
            return False
        places = self._candidate_places
        ahead = self._look_level - until
        highest = np.abs(self.c[places] - ahead * self.a[places])
        highest += self._candidate_lengths * error
        return bool((highest < until)[self.open[self.near]].all())

    def _within_reach(self, step: float) -> bool:
        """Whether no column but the near ones can enter within ``step``."""
        if self._reach == np.inf:
            return True
        until = self.level - step
        error = self._far + (self._look_level - until) * self._turn
        error += self._error + step * self._jump
        return until >= self._floor and error <= self._reach

    def _adapt(self) -> None:
        """Expect about as many columns from the next reading as from the last."""
        entered = self._model.size - self._size_at_reading
        self._few = int(np.clip(entered + entered // 2 + 4, 8, 128))
        self._size_at_reading = self._model.size

    def advance(self, step: float) -> None:
        """lambda_1 falls by ``step``."""
        self.level -= step
        self._since_look += step
        self._error += step * self._jump

    def turned(self, length: float, row: int) -> None:
        """A row has moved, and v has changed by a vector of that length."""
        self._jump += length
        if row in self.toggled:
            self.toggled.remove(row)
        else:
            self.toggled.append(row)

    def line(self, column: int) -> Line:
        """A candidate's line of the system."""
        model = self._model
        place = int(self._places_of[column])
        totals, _ = self._rows.sweep(_line, self.states, place)
        products = totals["line"]
        square = float(products[place]) + model.alpha
        line = np.concatenate([totals["mass"][: model.border], products[self.places]])
        inner = model.inverse.times(line)
        return Line(inner, square - float(line @ inner), square)

    def entered(self, column: int) -> None:
        """A column is in the support now."""
        self.places = np.append(self.places, self._places_of[column])
        self.open[column] = False
        self._stale = True

    def left(self, position: int) -> None:
        """A column is about to leave the support."""
        column = self._model.columns[position]
        self.just_left[column] = float(self._model.signs[self._model.border + position])
        self.open[column] = True
        if column not in self.near:
            self.near = np.append(self.near, column)
            self._candidate_places = np.append(self._candidate_places, self.places[position])
            self._candidate_lengths = self._lengths[self.near]
        self.places = np.delete(self.places, position)
        self._stale = True


def _steps(level: float, c: Array, a: Array) -> tuple[Array, Array]:
    """Steps after which columns enter, infinite for never, and their signs."""
    with np.errstate(divide="ignore", invalid="ignore"):
        up = np.where(a < 1 - _TIE, np.maximum(level - c, 0) / (1 - a), np.inf)
        down = np.where(-a < 1 - _TIE, np.maximum(level + c, 0) / (1 + a), np.inf)
    return np.minimum(up, down), np.where(up <= down, 1.0, -1.0)


def _about(second: Array, first: Array, centre: Array, mass: float) -> Array:
    """Sums of squares about zero, from those about a centre."""
    return second + 2 * centre * first + mass * centre**2


# -- steps of sweeps -------------------------------------------------------------------------------


def _open(block: Block, state: State, start: float) -> tuple[Totals, State]:
    """Errors of the model without columns."""
    root = np.sqrt(block.weights)
    error = block.targets[0] - start
    nothing = np.zeros_like(error)
    inside = np.ones(len(error), dtype=bool)
    fresh = {"root": root, "error": error, "rate": nothing, "inside": inside}
    return Totals(), state | fresh | {"pull": root * error, "drift": nothing}


def _spread(block: Block, state: State, centre: Array) -> tuple[Totals, State]:
    """Weighted sums and sums of squares of all columns."""
    first, second = block.spread(block.weights[None], centre[None])
    mass = np.array([block.weights.sum()])
    return Totals({"first": first[0], "second": second[0], "mass": mass}), state


def _correlate(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Products of X with s and v, which become the reference."""
    first, centre = shared
    root = state["root"]
    vectors = np.stack([root * state["pull"], root * state["drift"]][: 1 if first else 2])
    if centre is not None and centre.any():
        whole = Parts(np.zeros(len(root), dtype=np.intp), 1)
        products = block.cross_by_part(vectors, whole, centre)[0]
    else:
        products = block.cross(vectors)
    if first:
        products = np.concatenate([products, np.zeros_like(products)])
    reference = {"pull0": state["pull"], "drift0": state["drift"]}
    return Totals({"products": products}), state | reference


def _copy_columns(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Hold some columns."""
    columns, centre = shared
    narrow = block.narrow(columns, centre)
    return Totals(), state | {"narrow": narrow, "squares": narrow.squares()}


def _look_at(block: Block, state: State, look: _Look) -> tuple[Totals, State]:
    """Errors and their change, and the products of the held columns with s and v."""
    narrow, root, inside = state["narrow"], state["root"], state["inside"]
    outputs = narrow.outputs(look.lines)
    if look.step is None:
        error = block.targets[0] - (outputs[0] + look.shift[0])
    else:
        error = state["error"] - look.step * state["rate"]
    rate = outputs[-1] + look.shift[1]
    if len(look.toggled):
        inside = inside.copy()
        local = look.toggled - state["number"][0]
        local = local[(local >= 0) & (local < len(inside))]
        inside[local] = ~inside[local]
    active = root * inside
    pull, drift = active * error, active * rate
    vectors = np.stack([root * pull, root * drift])
    turn = drift - state["drift0"]
    far = pull - state["pull0"] + look.gap * state["drift0"]
    totals = {
        "products": narrow.cross(vectors if look.step is None else vectors[1:]),
        "balance": vectors.sum(axis=1),
        "squares": np.array([far @ far, turn @ turn]),
    }
    fresh = {"error": error, "rate": rate, "inside": inside, "pull": pull, "drift": drift}
    return Totals(totals), state | fresh


def _line(block: Block, state: State, place: int) -> tuple[Totals, State]:
    """Products of one held column with all, over the active rows."""
    weights = block.weights * state["inside"]
    products, total = state["narrow"].line(place, weights)
    return Totals({"line": products, "mass": np.array([total])}), state


def _system(block: Block, state: State, places: Array) -> tuple[Totals, State]:
    """The matrix of the support, bordered by the intercept, over the active rows."""
    weights = block.weights * state["inside"]
    narrow = state["narrow"]
    sums = narrow.cross(weights[None])[0][places]
    gram = narrow.gram(places, weights)
    mass = np.array([[weights.sum()]])
    return Totals({"matrix": np.block([[mass, sums[None]], [sums[:, None], gram]])}), state
