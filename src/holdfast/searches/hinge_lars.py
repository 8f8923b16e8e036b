"""Generalised LARS for the squared hinge: examples enter and leave the active set.

``I = {i : g_i > 0}`` with the gap ``g_i = t_i e_i`` to the margin. As the level falls by a step g_i
falls by ``t_i rate_i`` times it; at zero an example of I with ``t_i rate_i > 0`` leaves, one
outside with ``t_i rate_i < 0`` enters. Then H changes by ``-+ W_i x x'``, x being the row on the
support (and a one for the intercept), and with ``u = H^-1 x, h = x'u, r = x'direction``

    leaves    H^-1 += W_i u u'/(1 - W_i h)    direction += u W_i r/(1 - W_i h)
    enters    H^-1 -= W_i u u'/(1 + W_i h)    direction -= u W_i r/(1 + W_i h)

and v, the change of s, by a vector of (weighted) length at most ``|r| sqrt(W_i / (1 -+ W_i h))``:
the squares of the other rows are ``u'H u <= h`` times the factor squared, and row i adds its own.
That is all that :class:`~holdfast.searches.lars_front.Front` needs to know of most moves.

There are far more moves of examples than of columns, but an example far from its margin cannot
reach it soon (:mod:`holdfast.searches.lars_horizon`):

- **near** rows, a few hundred, are held here, sparse, and their gaps followed exactly;
- rows that are **kept** wait until the lines have moved far enough for one of them: then the gaps
  of all of these are computed anew, two products with the held columns;
- all others, which are most of the rows sooner or later, wait for a product with X
  (:mod:`holdfast.searches.lars_kept`).

A row moves once at a level, so that rounding cannot make it go back and forth; if it has to move
again it does after the next step. Cost per move: O(k (entries of the row + waiting terms)), one
product with the near rows and one with near columns times k. Exact.

Reference: Keerthi (2005), algorithm SVM-LARS. Corrected: its step 2(a) lacks the restriction of
the gradients' change to I, and 2(h) compares with the wrong level.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from holdfast.rows.sums import Array, Block, Rows, State, Totals
from holdfast.searches.lars import Watch, follow, start, unwatched
from holdfast.searches.lars_columns import Columns, measure_columns
from holdfast.searches.lars_front import Front
from holdfast.searches.lars_horizon import Horizon, choose_rows
from holdfast.searches.lars_kept import KeptRows
from holdfast.searches.lars_model import LarsModel
from holdfast.searches.lars_path import LarsPath
from holdfast.searches.lars_sweeps import rows_of

_NEAR = 128
_MOST = 512
_FEW_MOVES = 16
"""Fewer moves than this between two looks at all rows make the near ones twice as many."""

_FLAT = 1e-12
_SHORT = 1e-6
_SINGULAR = 1e-10


def hinge_lars(
    rows: Rows,
    *,
    alpha: float,
    fit_intercept: bool,
    limit: int,
    lasso: bool,
    watch: Watch = unwatched,
    columns: Columns | None = None,
) -> LarsPath:
    """The path of the squared hinge loss.

    Parameters
    ----------
    rows : Rows
        With one target, -1 and +1.
    alpha : float
        L2 penalty, non-negative.
    fit_intercept : bool
        Whether there is an intercept, not penalised.
    limit : int
        Columns after which the path ends, where the next one would enter.
    lasso : bool
        Whether columns leave when their coefficient becomes zero.
    watch : Watch
        Shown the model of every size.
    columns : Columns, optional
        What other paths on the same rows have measured.
    """
    model = start(rows, alpha, limit, fit_intercept=fit_intercept)
    if columns is None:
        columns = measure_columns(rows, fit_intercept=fit_intercept)
    front = Front(rows, model, columns)
    margins = Margins(rows, model, front)
    return follow(model, front, margins, limit, lasso=lasso, watch=watch)


class Margins:
    """The examples of a path, those near their margin followed exactly.

    Parameters
    ----------
    rows : Rows
    model : LarsModel
    front : Front
        Holds the states of the rows; told of every move.
    """

    def __init__(self, rows: Rows, model: LarsModel, front: Front) -> None:
        self._rows = rows
        self._model = model
        self._front = front
        self._many = _NEAR
        self._moves = _FEW_MOVES
        self._at_this_level: list[int] = []
        self._needed: list[int] = []
        self._kept = KeptRows(rows, model, front)
        self._columns: Array | None = None
        self._look_again()

    # -- the near rows --------------------------------------------------------------------------

    def _look_again(self) -> bool:
        """Gaps of all rows that are kept, and the near ones' rows; False if digits are lost."""
        if self._kept.too_many():
            self._kept.choose()
        rows, model, front = self._rows, self._model, self._front
        if front.lost:
            return False
        front.held.mark()
        lines = np.stack([model.coef, model.slope])
        shared = (
            lines,
            front.held.places,
            model.shift,
            model.border,
            self._columns is not front.held.columns,
        )
        _, states = rows.sweep(_measure_gaps, front.held.states, shared)
        front.held.states = states
        if self._moves < _FEW_MOVES:
            self._many = min(2 * self._many, _MOST)
        gaps, rates, lengths, targets, weights, inside, numbers = (
            rows.gather(states, name)
            for name in ("gap", "speed", "length", "target", "weight", "inside", "number")
        )
        few = max(self._many // 4, min(2 * self._moves, self._many // 2))
        chosen = choose_rows(gaps, rates, lengths, few, self._many, front.level)
        self._horizon = Horizon(model, chosen.until, chosen.reach)
        self._moves = 0
        self._near, self._gaps = numbers[chosen.rows], gaps[chosen.rows]
        self._targets, self._weights = targets[chosen.rows], weights[chosen.rows]
        self._inside = inside[chosen.rows]
        self._hold()
        self._settle()
        self._columns = front.held.columns
        return True

    def _hold(self) -> None:
        """Copy the near rows of the columns that are held."""
        rows, front = self._rows, self._front
        _, fetched = rows.sweep(_fetch, front.held.states, self._near)
        counts, places, values = (
            rows.gather(fetched, name) for name in ("counts", "places", "values")
        )
        ends = np.append(0, np.cumsum(counts))
        shape = (len(self._near), len(front.held.columns))
        self._held = sparse.csr_array((values, places, ends), shape=shape)

    def _settle(self) -> None:
        """Rows that may not move at this level any more."""
        self._settled = (self._weights == 0) | np.isin(self._near, self._at_this_level)
        self._settled |= np.isin(self._near, self._needed)

    # -- the path's questions -------------------------------------------------------------------

    def next(self, step: float) -> tuple[float, int]:
        """The first row that moves within ``step``, by position, and when; -1 for none till then.

        A shorter step with -1 says that until then none does, and to ask again there.
        """
        if self._columns is not self._front.held.columns and not self._look_again():
            return step, -1
        found, safe = self._first(step), self._safe()
        if safe < found[0] and safe < _SHORT * self._front.level:
            if self._kept.horizon.safe() <= safe:
                self._kept.choose()
            if not self._look_again():
                return step, -1
            found, safe = self._first(step), self._safe()
        return found if found[0] <= safe else (safe, -1)

    def _safe(self) -> float:
        """The step after which a row that is not near may reach its margin."""
        return min(self._horizon.safe(), self._kept.horizon.safe())

    def _first(self, step: float) -> tuple[float, int]:
        """The first near row that moves within ``step``, and when."""
        model = self._model
        direction = np.zeros(self._held.shape[1])
        direction[self._front.held.places] = model.slope
        self._rates = self._targets * (self._held @ direction + model.shift[1])
        crossing = np.where(self._inside, self._rates, -self._rates) * self._front.scale > _FLAT
        crossing &= ~self._settled
        candidates = np.flatnonzero(crossing)
        if not len(candidates):
            return step, -1
        steps = np.maximum(self._gaps[candidates] / self._rates[candidates], 0)
        first = int(steps.argmin())
        return (float(steps[first]), int(candidates[first])) if steps[first] < step else (step, -1)

    def advance(self, step: float, *, still: bool) -> None:
        """The level falls by ``step``."""
        self._gaps -= step * self._rates
        self._horizon.advance(step)
        self._kept.horizon.advance(step)
        if not still and self._at_this_level:
            self._at_this_level.clear()
            self._settle()

    def move(self, row: int) -> None:
        """A near row, by position, enters or leaves the active set.

        Unless the system would have no inverse without it: then only this row tells of a
        combination of columns, its s is a multiple of lambda_1, and it leaves at zero. That it
        seems to leave before is rounding. It stays until something else has happened.
        """
        model, front = self._model, self._front
        if self._columns is not front.held.columns:
            self._hold()
        stored = slice(self._held.indptr[row], self._held.indptr[row + 1])
        entries = (self._held.indices[stored], self._held.data[stored])
        x = front.held.on_lines(entries)
        line = model.inverse.times(x)
        weight, rate = float(self._weights[row]), float(x @ model.direction)
        sign = -1.0 if self._inside[row] else 1.0
        left = 1 + sign * weight * float(x @ line)
        number = int(self._near[row])
        if not left > _SINGULAR:
            self._needed.append(number)
            self._settled[row] = True
            return
        self._released()
        model.change(line, -sign * weight / left, rate)
        length = abs(rate) * float(np.sqrt(weight / left))
        front.moved(number, length, left, entries, sign * weight)
        self._inside[row] = not self._inside[row]
        self._kept.n_active += int(sign)
        self._gaps[row] = 0.0
        self._settled[row] = True
        self._at_this_level.append(number)
        self._moves += 1

    def _released(self) -> None:
        """Rows that could not leave are asked again."""
        if self._needed:
            self._needed.clear()
            self._settle()

    def entered(self) -> None:
        """A column has entered the support."""
        self._released()

    def left(self, position: int) -> None:
        """A column has left the support."""
        self._released()
        self._horizon.left(position + self._model.border)
        self._kept.horizon.left(position + self._model.border)


# -- steps of sweeps -------------------------------------------------------------------------------


def _measure_gaps(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Gaps to the margin, their change, and the lengths of the rows on the held columns."""
    lines, places, shift, border, anew = shared
    block, narrow = rows_of(block, state), state["narrow"]
    outputs = narrow.outputs(lines, places)
    counted, target = block.weights > 0, block.targets[0]
    fresh = {
        "gap": target * (target - (outputs[0] + shift[0])),
        "speed": np.where(counted, target * (outputs[1] + shift[1]), 0.0),
        "target": target,
        "weight": block.weights,
    }
    if anew:
        fresh["length"] = np.where(counted, np.sqrt(narrow.squares() + border), 0.0)
    return Totals(), state | fresh


def _fetch(block: Block, state: State, near: Array) -> tuple[Totals, State]:
    """Single rows of the held columns."""
    chosen = np.flatnonzero(np.isin(state["number"], near, assume_unique=True))
    counts, places, values = state["narrow"].entries(chosen)
    return Totals(), {"counts": counts, "places": places, "values": values}
