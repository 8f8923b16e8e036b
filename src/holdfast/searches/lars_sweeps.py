"""What blocks of rows do for a path of generalised LARS: the steps of its sweeps.

States: ``number`` (of the row), ``root`` (square root of the weight), ``error``, its change
``rate`` as lambda_1 falls, ``inside`` (the active set), ``pull`` and ``drift`` (s and v over
``root``), those at the last reading of X (``pull0``, ``drift0``), and ``narrow`` (the held
columns). Where rows are left out for the time being, ``kept`` holds the others, copied, as a block
of their own; the states are of these rows then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.rows.sums import Array, Block, Parts, State, Totals


@dataclass(frozen=True)
class Standing:
    """What blocks are told of the model: where it stands."""

    lines: Array
    places: Array
    shift: Array
    toggled: Array
    gap: float


def rows_of(block: Block, state: State) -> Block:
    """The rows that are followed."""
    kept: Block = state.get("kept", block)
    return kept


def open_rows(block: Block, state: State, _: None) -> tuple[Totals, State]:
    """All rows are followed, and active."""
    nothing = np.zeros_like(block.weights)
    fresh = {"root": np.sqrt(block.weights), "inside": np.ones(len(nothing), dtype=bool)}
    return Totals(), state | fresh | {"pull0": nothing, "drift0": nothing}


def keep_rows(block: Block, state: State, chosen: Array) -> tuple[Totals, State]:
    """Follow some rows only, by number; the states are those of all rows."""
    here = np.flatnonzero(np.isin(state["number"], chosen, assume_unique=True))
    kept = block.some(here)
    root, fresh = np.sqrt(kept.weights), {name: values[here] for name, values in state.items()}
    pull, drift = (root * fresh["inside"] * fresh[name] for name in ("error", "rate"))
    totals = {"balance": np.array([root @ pull, root @ drift]), "square": np.array([drift @ drift])}
    return Totals(totals), fresh | {"root": root, "pull": pull, "drift": drift, "kept": kept}


def measure(block: Block, state: State, standing: Standing) -> tuple[Totals, State]:
    """Errors and their change, s and v, and how far these are from those last read."""
    block, root, inside = rows_of(block, state), state["root"], state["inside"]
    if len(standing.places):
        outputs = state["narrow"].outputs(standing.lines, standing.places)
    else:
        outputs = np.zeros((2, len(root)))
    error = block.targets[0] - (outputs[0] + standing.shift[0])
    rate = outputs[1] + standing.shift[1]
    if len(standing.toggled):
        inside = _toggled(state, standing.toggled)
    active = root * inside
    pull, drift = active * error, active * rate
    turn = drift - state["drift0"]
    far = pull - state["pull0"] + standing.gap * state["drift0"]
    totals = {
        "balance": np.array([root @ pull, root @ drift]),
        "squares": np.array([far @ far, turn @ turn, drift @ drift]),
    }
    fresh = {"error": error, "rate": rate, "inside": inside, "pull": pull, "drift": drift}
    return Totals(totals), state | fresh


def correlate(block: Block, state: State, centre: Array | None) -> tuple[Totals, State]:
    """Products of X with s and v, which become the reference."""
    block, root = rows_of(block, state), state["root"]
    vectors = np.stack([root * state["pull"], root * state["drift"]])
    if centre is not None and centre.any():
        whole = Parts(np.zeros(len(root), dtype=np.intp), 1)
        products = block.cross_by_part(vectors, whole, centre)[0]
    else:
        products = block.cross(vectors)
    reference = {"pull0": state["pull"], "drift0": state["drift"]}
    count = np.array([len(root)])
    return Totals({"products": products, "rows": count}), state | reference


def forget_columns(block: Block, state: State, _: None) -> tuple[Totals, State]:
    """Hold no columns: before others are copied, for the sake of memory."""
    return Totals(), {name: value for name, value in state.items() if name != "narrow"}


def copy_columns(block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    """Hold some columns."""
    columns, centre = shared
    narrow = rows_of(block, state).narrow(columns, centre)
    return Totals(), state | {"narrow": narrow}


def line_of(block: Block, state: State, shared: tuple[int, int]) -> tuple[Totals, State]:
    """Products of one held column with those from a place on, over the active rows."""
    place, start = shared
    weights = rows_of(block, state).weights * state["inside"]
    products, total = state["narrow"].line(place, weights, start)
    return Totals({"line": products, "mass": np.array([total])}), state


def lines_between(block: Block, state: State, shared: tuple[Array, Array]) -> tuple[Totals, State]:
    """Sums of some held columns, and their products with some others, over the active rows."""
    first, second = shared
    weights = rows_of(block, state).weights * state["inside"]
    narrow = state["narrow"]
    sums = narrow.cross(weights[None], first)[0]
    return Totals({"sums": sums, "products": narrow.between(first, second, weights)}), state


def system(block: Block, state: State, places: Array) -> tuple[Totals, State]:
    """The matrix of the support, bordered by the intercept, over the active rows."""
    weights = rows_of(block, state).weights * state["inside"]
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
    inside: Array = state["inside"] ^ np.isin(state["number"], rows)
    return inside
