"""Which rows a path of the squared hinge follows: most examples are soon beyond their margin.

Rows beyond their margin count nothing, and a row that cannot come back before the lines of the
model have moved far (:mod:`holdfast.searches.lars_horizon`) need not be looked at. Where at most
two rows of five are active, or in reserve, X becomes a copy of these, if that takes no more than
``rows.kept_bytes``, and what is done along the path takes so much less time; the columns are
shorter, and the bounds on them tighter. The others wait. When one of them may be near, the gaps of
all rows are measured, products of X with two vectors, and rows are chosen anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.rows.sums import Array, Block, Rows, State, Totals
from holdfast.searches.lars_front import Front
from holdfast.searches.lars_horizon import Horizon, choose_rows, slack
from holdfast.searches.lars_model import LarsModel

_RESERVE = 1024
"""Rows that are kept beside the active ones, at least; else a quarter as many."""

_SHARE = 0.4
_ENTRY_BYTES = 12
_ENOUGH = 0.5
"""Part of the reach that other rows would have, from which on those that are kept may stay."""


class KeptRows:
    """The rows that are followed, and how long the others may wait.

    Parameters
    ----------
    rows : Rows
    model : LarsModel
    front : Front
        Told which rows to follow.

    Attributes
    ----------
    n_active : int
        Rows in the active set.
    horizon : Horizon
        Of the others.
    """

    def __init__(self, rows: Rows, model: LarsModel, front: Front) -> None:
        self._rows = rows
        self._model = model
        self._front = front
        self._n_followed = self.n_active = rows.n_rows
        self.horizon = Horizon(model, front.level, np.inf)
        self._lengths = self._targets = np.empty(0)

    @property
    def _reserve(self) -> int:
        return max(self.n_active // 4, _RESERVE)

    def too_many(self) -> bool:
        """Whether there are many rows that cannot be active soon."""
        rows, wanted = self._rows, self.n_active + self._reserve
        entries = wanted * rows.entries_per_column * rows.n_columns / rows.n_rows
        return wanted <= _SHARE * self._n_followed and _ENTRY_BYTES * entries <= rows.kept_bytes

    def choose(self) -> None:
        """Follow the active rows and those that come to their margin soonest."""
        rows, model, front = self._rows, self._model, self._front
        front.held.mark()
        numbers = rows.gather(front.held.states, "number")
        active, others = np.zeros(rows.n_rows, dtype=bool), np.ones(rows.n_rows, dtype=bool)
        active[numbers], others[numbers] = rows.gather(front.held.states, "inside"), False
        gaps, rates = self._measure()
        out, reserve = np.flatnonzero(~active), self._reserve
        about = gaps[out], rates[out], self._lengths[out]
        best = choose_rows(*about, reserve // 4, reserve, front.level)
        if others.any():
            about = gaps[others], rates[others], self._lengths[others]
            reach = float(slack(*about, best.until).min())
            if reach >= _ENOUGH * best.reach:
                self.horizon = Horizon(model, best.until, reach)
                return
        self.horizon = Horizon(model, best.until, best.reach)
        kept = np.sort(np.concatenate([np.flatnonzero(active), out[best.rows]]))
        self._n_followed = len(kept)
        front.keep(kept, active, self._targets * gaps, self._targets * rates)

    def _measure(self) -> tuple[Array, Array]:
        """Gaps of all rows, and their change."""
        rows, model, centre = self._rows, self._model, self._front.held.centre
        if not len(self._lengths):
            _, states = rows.sweep(_measure_rows, None, centre)
            self._lengths = np.sqrt(rows.gather(states, "square") + model.border)
            self._targets = rows.gather(states, "target")
        lines = np.zeros((2, rows.n_columns))
        lines[:, model.columns] = model.coef, model.slope
        _, states = rows.sweep(_measure_gaps, None, (lines, model.shift, centre))
        return rows.gather(states, "gap"), rows.gather(states, "speed")


# -- steps of sweeps -------------------------------------------------------------------------------


def _measure_rows(block: Block, state: State, centre: Array) -> tuple[Totals, State]:
    """Squared lengths and targets of all rows."""
    return Totals(), {"square": block.squares(centre), "target": block.targets[0]}


def _measure_gaps(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Gaps to the margin of all rows, and their change, from X."""
    lines, shift, centre = shared
    outputs = block.outputs(lines, slice(0, len(block.weights)), centre)
    counted, target = block.weights > 0, block.targets[0]
    gap = target * (target - (outputs[0] + shift[0]))
    return Totals(), {"gap": gap, "speed": np.where(counted, target * (outputs[1] + shift[1]), 0.0)}
