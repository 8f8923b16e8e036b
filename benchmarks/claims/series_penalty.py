"""The penalty by leave-one-series-out on reservoir states."""

from __future__ import annotations

import numpy as np

from benchmarks import fold_referee
from benchmarks.claims.penalty_by_folds import yardstick
from benchmarks.fold_problems import FoldProblem, grid
from benchmarks.peers import eigen_method, holdfast_hold_out
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import ratio, side_by_side

Shape = tuple[int, int, int, int]
NAMED: Shape = (23, 15000, 200, 60)
SHAPES: dict[str, list[Shape]] = {
    "quick": [(4, 80, 10, 6)],
    "default": [NAMED, (23, 1500, 200, 60)],
    "full": [NAMED, (23, 1500, 200, 60), (23, 15000, 400, 60)],
}
ROUNDS = {"quick": 1, "default": 5, "full": 9}
AT_MOST = 2.0
OURS, EIGEN, YARDSTICK = "ours", "eigen method", "product and decompositions"


def run(mode: str) -> Section:
    """Time the search over 60 penalties, leaving out one series after the other."""
    section = Section("The penalty by leave-one-series-out on reservoir states")
    rows = [_measure(section, shape, mode) for shape in SHAPES[mode]]
    header = ["series x steps x units", f"ours / {YARDSTICK}", "eigen method / ours", OURS]
    header += [YARDSTICK, EIGEN]
    caption = (
        f"Median and range over {ROUNDS[mode]} interleaved rounds; the states are made beforehand. "
        "The yardstick is one X.T @ X of the states and one numpy.linalg.eigh of it per series."
    )
    section.tables.append(Table(caption, header, [row for row in rows if row]))
    return section


def echoes(n_series: int, n_steps: int, n_units: int, n_alphas: int) -> FoldProblem:
    """States of a reservoir, and a target made of past inputs with gains of every series."""
    from holdfast import Reservoir

    random = np.random.default_rng(0)
    U = random.standard_normal((n_series * n_steps, 1))
    reservoir = Reservoir(n_units=n_units, leak=0.5, bias=0.2, random_state=0)
    states = reservoir.fit_transform(U, lengths=[n_steps] * n_series)
    y = np.empty(len(U))
    for part in np.split(np.arange(len(U)), n_series):
        u = U[part, 0]
        gains = np.array([0.5, 0.0, 1.0, -0.7]) * (1 + 0.3 * random.standard_normal(4))
        y[part] = np.convolve(u, gains)[: len(u)] + random.standard_normal(len(u))
    name = f"echoes {n_series} x {n_steps} x {n_units}"
    return FoldProblem(name, states, y, n_series, grid(n_alphas), 1)


def _measure(section: Section, shape: Shape, mode: str) -> list[str]:
    problem = echoes(*shape)
    times = side_by_side(
        {
            OURS: lambda: holdfast_hold_out.PENALTY.solve(problem),
            YARDSTICK: lambda: yardstick(problem),
            EIGEN: lambda: eigen_method.PENALTY.solve(problem),
        },
        rounds=ROUNDS[mode],
    )
    answers = {name: times[name].answer for name in (OURS, EIGEN)}
    verdicts = fold_referee.judge(problem, "penalty", answers, same=[EIGEN, OURS])
    refused = [f"{problem}, {name}: {v.reason}" for name, v in verdicts.items() if not v.accepted]
    if refused:
        section.rejected.extend(refused)
        return []
    near = ratio(times[OURS], times[YARDSTICK])
    section.claims.append(
        Claim(
            f"ours / one product and {shape[0]} decompositions on {problem}",
            near.median,
            AT_MOST,
            "at most",
            binding=shape == NAMED,
            spread=near.spread,
        )
    )
    section.raw[str(problem)] = {name: timing.seconds for name, timing in times.items()}
    return [
        f"{shape[0]} x {shape[1]} x {shape[2]}",
        str(near),
        str(ratio(times[EIGEN], times[OURS])),
        *(seconds(times[name].median) for name in (OURS, YARDSTICK, EIGEN)),
    ]
