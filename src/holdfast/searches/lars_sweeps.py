"""What blocks of rows do for a path of generalised LARS: the steps of its sweeps.

States: ``number`` (of the row), ``root`` (square root of the weight), ``error``, its change
``rate`` as lambda_1 falls, ``inside`` (the active set), ``pull`` and ``drift`` (s and v over
``root``), those at the last reading of X (``pull0``, ``drift0``), ``narrow`` (the held columns) and
their ``squares`` by row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.rows.sums import Array, Block, Parts, State, Totals


@dataclass(frozen=True)
class Look:
    """What blocks are told when columns are looked at."""

    lines: Array
    support: Array
    shift: Array
    step: float | None
    toggled: Array
    gap: float
    places: Array


def open_rows(block: Block, state: State, start: float) -> tuple[Totals, State]:
    """Errors of the model without columns."""
    root = np.sqrt(block.weights)
    error = block.targets[0] - start
    nothing = np.zeros_like(error)
    inside = np.ones(len(error), dtype=bool)
    fresh = {"root": root, "error": error, "rate": nothing, "inside": inside}
    return Totals(), state | fresh | {"pull": root * error, "drift": nothing}


def correlate(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
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


def forget_columns(block: Block, state: State, _: None) -> tuple[Totals, State]:
    """Hold no columns: before others are copied, for the sake of memory."""
    return Totals(), {name: value for name, value in state.items() if name != "narrow"}


def copy_columns(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Hold some columns."""
    columns, centre = shared
    narrow = block.narrow(columns, centre)
    return Totals(), state | {"narrow": narrow, "squares": narrow.squares()}


def look_at(block: Block, state: State, look: Look) -> tuple[Totals, State]:
    """Errors and their change, and the products of some held columns with s and v."""
    narrow, root, inside = state["narrow"], state["root"], state["inside"]
    outputs = narrow.outputs(look.lines, look.support)
    if look.step is None:
        error = block.targets[0] - (outputs[0] + look.shift[0])
    else:
        error = state["error"] - look.step * state["rate"]
    rate = outputs[-1] + look.shift[1]
    if len(look.toggled):
        inside = _toggled(state, look.toggled)
    active = root * inside
    pull, drift = active * error, active * rate
    vectors = np.stack([root * pull, root * drift])
    turn = drift - state["drift0"]
    far = pull - state["pull0"] + look.gap * state["drift0"]
    totals = {
        "products": narrow.cross(vectors, look.places),
        "balance": vectors.sum(axis=1),
        "squares": np.array([far @ far, turn @ turn, drift @ drift]),
    }
    fresh = {"error": error, "rate": rate, "inside": inside, "pull": pull, "drift": drift}
    return Totals(totals), state | fresh


def line_of(block: Block, state: State, place: int) -> tuple[Totals, State]:
    """Products of one held column with all, over the active rows."""
    weights = block.weights * state["inside"]
    products, total = state["narrow"].line(place, weights)
    return Totals({"line": products, "mass": np.array([total])}), state


def system(block: Block, state: State, places: Array) -> tuple[Totals, State]:
    """The matrix of the support, bordered by the intercept, over the active rows."""
    weights = block.weights * state["inside"]
    narrow = state["narrow"]
    sums = narrow.cross(weights[None], places)[0]
    gram = narrow.gram(places, weights)
    mass = np.array([[weights.sum()]])
    return Totals({"matrix": np.block([[mass, sums[None]], [sums[:, None], gram]])}), state


def mark_moved(block: Block, state: State, rows: Array) -> tuple[Totals, State]:
    """Rows that have moved change sides."""
    return Totals(), state | {"inside": _toggled(state, rows)}


def _toggled(state: State, rows: Array) -> Array:
    """The active set after moves of some rows, of whatever block."""
    inside: Array = state["inside"].copy()
    local = rows - state["number"][0]
    local = local[(local >= 0) & (local < len(inside))]
    inside[local] = ~inside[local]
    return inside
