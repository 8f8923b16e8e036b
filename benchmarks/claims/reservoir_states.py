"""Reservoir states of many series: beside their matrix products alone, and beside reservoirpy."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.peers import reservoirpy_states
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import Timing, ratio, side_by_side

Shape = tuple[int, int, int]
NAMED: Shape = (23, 15000, 200)
SHAPES: dict[str, list[Shape]] = {
    "quick": [(3, 60, 10)],
    "default": [NAMED, (1, 50000, 200), (23, 5000, 50), (100, 200, 1000)],
    "full": [NAMED, (1, 345000, 200), (23, 15000, 50), (100, 500, 1000)],
}
ROUNDS = {"quick": 1, "default": 3, "full": 7}
AT_MOST = 4.0
AGREE = 1e-12
OURS, PRODUCTS = "ours", "products alone"


def run(mode: str) -> Section:
    """Time series of one length, leak 0.3, density 0.1."""
    section = Section("Reservoir states")
    rows = [_measure(section, shape, mode) for shape in SHAPES[mode]]
    header = ["series x steps x units", "ours / products", "reservoirpy / ours", OURS, PRODUCTS]
    header += ["reservoirpy, the faster"]
    caption = (
        f"Median and range over {ROUNDS[mode]} interleaved rounds (reservoirpy, with the same "
        "weights, in the first round). Products alone: for every step one (series x units) @ "
        "(units x units), dense, and one product for the inputs of all rows. All states equal to "
        "1e-9 between contestants; ours to 1e-12 a literal loop over the first 200 rows of two "
        "series."
    )
    section.tables.append(Table(caption, header, [row for row in rows if row]))
    if not reservoirpy_states.installed():
        section.notes.append("Not installed, left out: reservoirpy.")
    return section


def _measure(section: Section, shape: Shape, mode: str) -> list[str]:
    from holdfast import Reservoir

    n_series, n_steps, n_units = shape
    U = np.random.default_rng(0).standard_normal((n_series * n_steps, 1))
    reservoir = Reservoir(n_units=n_units, leak=0.3, bias=0.2, density=0.1, random_state=0).fit(U)
    lengths = [n_steps] * n_series
    series = np.split(U, n_series)
    dense = reservoir.recurrent_weights_.toarray()
    times = side_by_side(
        {
            OURS: lambda: reservoir.transform(U, lengths=lengths),
            PRODUCTS: lambda: _products(U, dense, reservoir.input_weights_, n_series, n_steps),
        },
        rounds=ROUNDS[mode],
    )
    recurrent = {"dense": dense, "sparse": reservoir.recurrent_weights_}
    if not reservoirpy_states.installed():
        recurrent = {}
    peers = side_by_side(
        {
            name: lambda W=W: reservoirpy_states.states(reservoir, series, W)
            for name, W in recurrent.items()
        },
        rounds=1,
        warm_up=False,
    )
    refused = _judge(shape, reservoir, series, times[OURS].answer, peers)
    if refused:
        section.rejected.extend(refused)
        return []
    fastest = min((timing.median for timing in peers.values()), default=float("nan"))
    near = ratio(times[OURS], times[PRODUCTS])
    name = f"{n_series} x {n_steps} x {n_units}"
    section.claims.append(
        Claim(
            f"ours / products alone, {name}",
            near.median,
            AT_MOST,
            "at most",
            binding=shape == NAMED,
            spread=near.spread,
        )
    )
    section.raw[name] = {key: timing.seconds for key, timing in (times | peers).items()}
    return [
        name,
        str(near),
        f"{fastest / times[OURS].median:.3g}x" if peers else "-",
        seconds(times[OURS].median),
        seconds(times[PRODUCTS].median),
        seconds(fastest) if peers else "-",
    ]


def _products(
    U: np.ndarray, W: np.ndarray, V: np.ndarray, n_series: int, n_steps: int
) -> np.ndarray:
    """Every product the states need, and nothing else."""
    states, out = np.ones((n_series, len(W))), np.empty((n_series, len(W)))
    transposed = np.ascontiguousarray(W.T)
    drive = U @ V
    for _ in range(n_steps):
        np.matmul(states, transposed, out=out)
    return drive


def _judge(
    shape: Shape,
    reservoir: Any,
    series: list[np.ndarray],
    states: np.ndarray,
    peers: dict[str, Timing],
) -> list[str]:
    refused = []
    n_steps = shape[1]
    for number in {0, shape[0] - 1}:
        state = np.zeros(shape[2])
        W, V = reservoir.recurrent_weights_.toarray(), reservoir.input_weights_
        for step, row in enumerate(series[number][:200]):
            new = np.tanh(W @ state + row @ V + reservoir.bias_)
            state = (1 - reservoir.leak) * state + reservoir.leak * new
            if np.abs(state - states[number * n_steps + step]).max() > AGREE:
                refused.append(f"{shape}, series {number}, step {step}: not the literal state")
                break
    refused += [
        f"{shape}: reservoirpy ({name} W) has other states"
        for name, timing in peers.items()
        if np.abs(timing.answer - states).max() > 1e-9
    ]
    return refused
