"""Leave-one-out along a path of generalised LARS, and the hybrid's refit: at a knot, no new path.

Hold the support A, the signs and the active rows I of a knot fixed, and leave out row i. If it is
not in I nothing changes. If it is, with ``u = H^-1 x_i``, ``h = W_i x_i'u``,

    lines without i = lines - u W_i e_i/(1 - h)        output = t_i - e_i/(1 - h)

which is exact for ``refit`` with the squared loss, and for every knot of the squared loss as long
as leaving the row out would change neither support nor signs. *Approximate* is what assumes that
the rest stays: another support, and for the squared hinge other active rows. Coefficients that
change their sign without the row are set to zero (not with ``refit``), the intercept being that of
columns about their means: on a path they would have stopped there. Without that the error of large
models is overstated several times over; with it, it is somewhat optimistic, the more so the more
columns there are.

The hybrid (``refit``) minimises f on the support alone: for the squared loss the end of the present
direction, ``lines + level * direction``; for the squared hinge, Newton's method from there, whose
steps are exact once the active rows no longer change.

Cost: O(|I| (k^2 + entries)), in pieces of rows. Reference: S. S. Keerthi (2005) mentions such
an approximation without printing it; the derivation is ours.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from holdfast.rows.sums import Array, Block, Rows, State, States, Totals, ranges
from holdfast.searches.lars_front import Front
from holdfast.searches.lars_model import LarsModel
from holdfast.searches.lars_sweeps import copy_columns, rows_of, system

_PIECE = 256
_LEAST = 1e-10
_NEWTON = 50
_HALVINGS = 30
_ENOUGH = 1e-9


class Knot:
    """A model of the path at the last knot of its size.

    Parameters
    ----------
    rows : Rows
    model : LarsModel
    front : Front
    hinge : bool
        Whether the loss is the squared hinge.
    refit : bool
        Whether the model is the hybrid's.
    """

    def __init__(
        self, rows: Rows, model: LarsModel, front: Front, *, hinge: bool, refit: bool
    ) -> None:
        self._rows = rows
        self._model = model
        self._front = front
        self._hinge = hinge
        self._refit = refit
        self.size = model.size
        self.columns = np.array(model.columns, dtype=np.intp)
        self._lines, self._places = model.lines, front.held.places
        front.held.mark()
        self._states = front.held.states
        if refit:
            self._lines = model.lines + front.level * model.direction
            if hinge:
                self._follow_all()
                self._lines, self._states = self._newton()

    @property
    def solution(self) -> tuple[Array, float]:
        """Coefficients of the support, and the intercept."""
        border = self._model.border
        coef = self._lines[border:]
        start = float(self._lines[0]) if border else 0.0
        return coef, start - float(self._front.support_centre @ coef)

    def _follow_all(self) -> None:
        """The support, of all rows: any of them may be active in the hybrid's model."""
        if not self._front.held.kept:
            return
        numbers = self._rows.scatter("number", np.arange(self._rows.n_rows))
        shared = (self.columns, self._front.support_centre)
        _, self._states = self._rows.sweep(copy_columns, numbers, shared)
        self._places = np.arange(self.size)

    def held_out(self) -> Array:
        """Outputs of every row by the model without it, (m,).

        Rows that the path does not follow are not active: theirs are the model's outputs.
        """
        shared = (
            self._lines,
            self._places,
            self._model.border,
            self._inverse(),
            None if self._refit else self._front.support_means,
        )
        rows = self._rows
        _, states = rows.sweep(_leave_out, self._states, shared)
        followed, numbers = rows.gather(states, "held_out"), rows.gather(states, "number")
        if len(numbers) == rows.n_rows:
            return followed
        coef, centre = np.zeros((1, rows.n_columns)), self._front.held.centre
        coef[0, self.columns] = self._lines[self._model.border :]
        _, states = rows.sweep(_all_outputs, None, (coef, centre, self._model.shift[0]))
        outputs = rows.gather(states, "outputs")
        outputs[numbers] = followed
        return outputs

    def _inverse(self) -> Array:
        """H^-1 over the active rows."""
        if self._refit and self._hinge:
            return cho_solve(cho_factor(self._system(self._states)), np.eye(len(self._lines)))
        return self._model.inverse.whole()

    def _system(self, states: States) -> Array:
        """H over the active rows; a little more, where alpha = 0 leaves it without an inverse."""
        border, model = self._model.border, self._model
        totals, _ = self._rows.sweep(system, states, self._places)
        matrix = totals["matrix"][1 - border :, 1 - border :]
        diagonal = np.diag_indices(len(matrix))
        matrix[diagonal] += np.append(np.zeros(border), np.full(model.size, model.alpha))
        matrix[diagonal] += 1e-12 * max(float(matrix.trace()), _LEAST)
        return matrix

    def _newton(self) -> tuple[Array, States]:
        """Minimise f on the support, for the squared hinge."""
        lines = self._lines
        value, gradient, states = self._value(lines)
        for _ in range(_NEWTON):
            if np.abs(gradient).max(initial=0.0) <= _ENOUGH * self._front.scale:
                break
            step = cho_solve(cho_factor(self._system(states)), gradient)
            slope, share = float(gradient @ step), 1.0
            for _ in range(_HALVINGS):
                tried = self._value(lines - share * step)
                if tried[0] <= value - 1e-4 * share * slope:
                    break
                share /= 2
            else:
                break
            lines = lines - share * step
            value, gradient, states = tried
        return lines, states

    def _value(self, lines: Array) -> tuple[float, Array, States]:
        """f, its gradient and the active rows."""
        border, alpha = self._model.border, self._model.alpha
        shared = (lines, self._places, border)
        totals, states = self._rows.sweep(_evaluate, self._states, shared)
        penalised = np.append(np.zeros(border), lines[border:])
        value = float(totals["value"][0]) / 2 + alpha / 2 * float(penalised @ penalised)
        return value, alpha * penalised - totals["pull"][1 - border :], states


# -- steps of sweeps -------------------------------------------------------------------------------


def _outputs(state: State, lines: Array, places: Array, border: int) -> Array:
    outputs: Array = state["narrow"].outputs(lines[None, border:], places)[0]
    return outputs + lines[0] if border else outputs


def _evaluate(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Squared hinge, its gradient, and the rows it is made of."""
    lines, places, border = shared
    block = rows_of(block, state)
    target = block.targets[0]
    error = target - _outputs(state, lines, places, border)
    inside = target * error > 0
    pull = block.weights * inside * error
    pulls = np.append(pull.sum(), state["narrow"].cross(pull[None], places)[0])
    totals = {"value": np.array([pull @ error]), "pull": pulls}
    return Totals(totals), state | {"inside": inside}


def _leave_out(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Outputs of rows without themselves."""
    lines, places, border, inverse, means = shared
    block, narrow = rows_of(block, state), state["narrow"]
    weights = block.weights
    outputs = _outputs(state, lines, places, border)
    error = block.targets[0] - outputs
    held_out = outputs.copy()
    active = np.flatnonzero(state["inside"] & (weights > 0))
    signs = np.sign(lines)
    signs[:border] = 0
    for piece in ranges(len(active), _PIECE):
        chosen = active[piece]
        on_support = narrow.rows(chosen)[:, places]
        rows = np.hstack([np.ones((len(chosen), border)), on_support])
        solved = narrow.rows_times(chosen, places, inverse[border:]) + inverse[:border].sum(axis=0)
        leverage = np.einsum("ij,ij->i", rows, solved)
        scale = weights[chosen] * error[chosen]
        scale /= np.maximum(1 - weights[chosen] * leverage, _LEAST)
        held_out[chosen] -= scale * leverage
        if means is not None:
            solved *= -scale[:, None]
            solved += lines
            solved *= solved * signs < 0
            held_out[chosen] -= np.einsum("ij,ij->i", on_support - means, solved[:, border:])
    return Totals(), {"held_out": held_out, "number": state["number"]}


def _all_outputs(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Outputs of all rows, from X."""
    coef, centre, shift = shared
    outputs = block.outputs(coef, slice(0, len(block.weights)), centre)[0]
    return Totals(), {"outputs": outputs + shift}
