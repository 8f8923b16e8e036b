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
reach it soon: since the gaps were last computed,

    |g_i - g0_i| <= rho_i ||lines - lines0||,    rho_i^2 = ||x_i||^2 (+ 1 for the intercept)

on the held columns. The few examples with the least ``|g0_i| / rho_i`` are *near*: their rows are
held here and their gaps followed exactly; all others wait until the lines have moved by the
least of theirs. Then the gaps of all rows are computed anew: a product with the held columns.

A row moves once at a level, so that rounding cannot make it go back and forth; if it has to move
again it does after the next step. Cost per move: O(k (entries of the row + waiting terms)), one
product with the near rows. Exact.

Reference: Keerthi (2005), algorithm SVM-LARS. Corrected: its step 2(a) lacks the restriction of
the gradients' change to I, and 2(h) compares with the wrong level.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.rows.sums import Array, Block, Rows, State, Totals
from holdfast.searches.lars import Watch, follow, start, unwatched
from holdfast.searches.lars_columns import Columns, measure_columns
from holdfast.searches.lars_front import Front
from holdfast.searches.lars_model import LarsModel
from holdfast.searches.lars_path import LarsPath

_NEAR = 128
_MOST = 512
_FEW_MOVES = 16
"""Fewer moves than this between two looks at all rows make the near ones twice as many.

Up to _MOST, or twice the support where hardly more rows are active than columns are selected: all
active gaps go to zero with lambda_1 then, and the near rows have to go beyond them.
"""

_ROOM = 32
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
    model = start(rows, alpha, fit_intercept=fit_intercept)
    if columns is None:
        columns = measure_columns(rows, fit_intercept=fit_intercept)
    front = Front(rows, model, columns, recurrent=False)
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
        self._n_active = rows.n_rows
        self._look_again()

    # -- the near rows --------------------------------------------------------------------------

    def _look_again(self) -> None:
        """Gaps of all rows, and the near ones' rows."""
        model, front = self._model, self._front
        shared = (model.coef[None], front.places, model.shift[0], model.border)
        _, states = self._rows.sweep(_measure_gaps, front.states, shared)
        keys = self._rows.gather(states, "key")
        if self._moves < _FEW_MOVES:
            scarce = self._n_active <= model.size + model.size // 8
            most = 2 * model.size if scarce else _MOST
            self._many = min(2 * self._many, max(most, _MOST))
        self._moves = 0
        self._near, self._reach = _smallest(keys, self._many)
        toggled = np.array(front.toggled, dtype=np.intp)
        self._held = self._lines = np.empty((0, 0))  # room for what comes
        totals, _ = self._rows.sweep(_fetch, states, (self._near, toggled))
        self._held = totals["rows"]
        self._targets, self._weights, self._gaps, inside = totals["about"]
        self._inside = inside > 0
        self._settle()
        self._columns = front.columns
        self._anchor, self._lost = model.lines, 0.0
        self._lines = np.zeros((len(self._near), len(model.lines) + _ROOM))
        self._lines[:, : model.border] = 1
        self._lines[:, model.border : len(model.lines)] = self._held[:, front.places]

    def _settle(self) -> None:
        """Rows that may not move at this level any more."""
        self._settled = (self._weights == 0) | np.isin(self._near, self._at_this_level)
        self._settled |= np.isin(self._near, self._needed)

    def _safe(self) -> float:
        """The step after which a row that is not near may reach its margin."""
        if self._reach == np.inf:
            return np.inf
        since = self._model.lines.copy()
        since[: len(self._anchor)] -= self._anchor
        left = max(self._reach - self._lost, 0.0)
        square = float(self._model.direction @ self._model.direction)
        across = float(since @ self._model.direction)
        room = left**2 - float(since @ since)
        if not room > 0 or not square > 0:
            return 0.0 if square > 0 else np.inf
        return room / (across + float(np.sqrt(across**2 + square * room)))

    # -- the path's questions -------------------------------------------------------------------

    def next(self, step: float) -> tuple[float, int]:
        """The first row that moves within ``step``, by position, and when; -1 for none till then.

        A shorter step with -1 says that until then none does, and to ask again there.
        """
        if self._columns is not self._front.columns:
            self._look_again()
        found, safe = self._first(step), self._safe()
        if safe < found[0] and safe < _SHORT * self._front.level:
            self._look_again()
            found, safe = self._first(step), self._safe()
        return found if found[0] <= safe else (safe, -1)

    def _first(self, step: float) -> tuple[float, int]:
        """The first near row that moves within ``step``, and when."""
        lines = self._lines[:, : len(self._model.lines)]
        self._rates = self._targets * (lines @ self._model.direction)
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
        if not still and self._at_this_level:
            self._at_this_level.clear()
            self._settle()

    def move(self, row: int) -> None:
        """A near row, by position, enters or leaves the active set.

        Unless the system would have no inverse without it: then only this row tells of a
        combination of columns, its s is a multiple of lambda_1, and it leaves at zero. That it
        seems to leave before is rounding. It stays until something else has happened.
        """
        model = self._model
        x = self._lines[row, : len(model.lines)]
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
        self._front.moved(number, abs(rate) * float(np.sqrt(weight / left)))
        self._inside[row] = not self._inside[row]
        self._n_active += int(sign)
        if sign > 0:
            self._front.release()
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
        """A column has entered the support: one entry more in every near row."""
        self._released()
        if self._columns is not self._front.columns:
            return
        size = len(self._model.lines)
        if size > self._lines.shape[1]:
            self._lines = np.hstack([self._lines, np.zeros((len(self._lines), _ROOM))])
        self._lines[:, size - 1] = self._held[:, self._front.places[-1]]

    def left(self, position: int) -> None:
        """A column has left the support."""
        self._released()
        line = position + self._model.border
        self._lines = np.delete(self._lines, line, axis=1)
        if line < len(self._anchor):
            self._lost += abs(float(self._anchor[line]))
            self._anchor = np.delete(self._anchor, line)


def _smallest(keys: Array, many: int) -> tuple[Array, float]:
    """The places of the smallest keys, and the least of the others, which is positive."""
    while many < len(keys):
        order = np.argpartition(keys, many)
        if keys[order[many]] > 0:
            return np.sort(order[:many]), float(keys[order[many]])
        many *= 2
    return np.arange(len(keys)), np.inf


# -- steps of sweeps -------------------------------------------------------------------------------


def _measure_gaps(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Gaps to the margin, and how far the lines must move before a row can reach it."""
    coef, places, shift, border = shared
    target = block.targets[0]
    gap = target * (target - (state["narrow"].outputs(coef, places)[0] + shift))
    lengths = np.sqrt(state["squares"] + border)
    with np.errstate(divide="ignore", invalid="ignore"):
        key = np.where((block.weights > 0) & (lengths > 0), np.abs(gap) / lengths, np.inf)
    return Totals(), state | {"gap": gap, "key": key}


def _fetch(block: Block, state: State, shared: tuple[Array, Array]) -> tuple[Totals, State]:
    """Single rows of the held columns, with what else is known of them."""
    near, toggled = shared
    places = near - state["number"][0]
    here = (places >= 0) & (places < len(state["number"]))
    chosen = places[here]
    rows = state["narrow"].rows(chosen)
    inside = state["inside"][chosen] ^ (np.isin(near[here], toggled))
    about = np.zeros((4, len(near)))
    held = rows
    if not here.all():
        held = np.zeros((len(near), rows.shape[1]))
        held[here] = rows
    about[:, here] = (block.targets[0][chosen], block.weights[chosen], state["gap"][chosen], inside)
    return Totals({"rows": held, "about": about}), state
