"""Growth of forward regression by evidence in rows and functions, low rank, everything included."""

from __future__ import annotations

import numpy as np

from benchmarks import evidence_referee
from benchmarks.kernel_problems import smooth
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import side_by_side, slope
from holdfast import EvidenceRegressor

ROWS = {"quick": [200, 400], "default": [5000, 10000, 20000, 40000]}
ROWS["full"] = [*ROWS["default"], 80000]
FUNCTIONS = {"quick": [5, 10], "default": [50, 100, 200, 400], "full": [50, 100, 200, 400, 800]}
BASE = {"quick": (300, 8), "default": (10000, 200), "full": (10000, 200)}
ROUNDS = {"quick": 1, "default": 2, "full": 3}
COLUMNS = 5
AT_MOST = {"m": 1.15, "k": 2.1}


def run(mode: str) -> Section:
    """Time ours while m, then k = p, grows and the other stays."""
    section = Section("Growth in rows and functions")
    m, k = BASE[mode]
    _grow(section, "m", [(size, k) for size in ROWS[mode]], mode)
    _grow(section, "k", [(m, size) for size in FUNCTIONS[mode]], mode)
    section.notes.append(
        "Whole fits with low_rank = max_basis = k at fixed variances: factor, rotation, k moves, "
        "and the QR of the exact functions. Exponents are slopes of log time on log size; 1 is "
        "linear."
    )
    return section


def fitted(X: np.ndarray, y: np.ndarray, k: int) -> EvidenceRegressor:
    """Choose k functions by a kernel matrix of rank k."""
    return EvidenceRegressor(
        gamma=1 / X.shape[1],
        noise_variance=0.1,
        weight_precision=0.1,
        low_rank=k,
        max_basis=k,
        tol=-np.inf,
    ).fit(X, y)


def _grow(section: Section, letter: str, shapes: list[tuple[int, int]], mode: str) -> None:
    problems = {shape: smooth(shape[0], 1, 1, COLUMNS) for shape in shapes}
    contestants = {
        str(shape): lambda shape=shape: fitted(problems[shape].X, problems[shape].y, shape[1])
        for shape in shapes
    }
    times = side_by_side(contestants, rounds=ROUNDS[mode])
    for shape in shapes:
        reason = evidence_referee.judge(
            times[str(shape)].answer, problems[shape].X, problems[shape].y
        )
        if reason:
            section.rejected.append(f"m, k = {shape}: {reason}")
    best = [min(times[str(shape)].seconds) for shape in shapes]
    sizes = [shape[letter == "k"] for shape in shapes]
    section.claims.append(
        Claim(
            f"exponent in {letter} from {sizes[0]} to {sizes[-1]}",
            slope(sizes, best),
            AT_MOST[letter],
            "at most",
            binding=mode != "quick",
            unit="",
        )
    )
    steps = ["-"] + [
        f"{slope(sizes[i : i + 2], best[i : i + 2]):.2f}" for i in range(len(sizes) - 1)
    ]
    rows = [
        [str(size), step, seconds(value)]
        for size, step, value in zip(sizes, steps, best, strict=True)
    ]
    m, k = BASE[mode]
    other = f"k = p = {k}" if letter == "m" else f"m = {m}, p = k"
    caption = f"{letter} grows, {other} (best of {ROUNDS[mode]} rounds)."
    section.tables.append(Table(caption, [letter, "exponent since the row above", "ours"], rows))
    section.raw[letter] = {str(shape): times[str(shape)].seconds for shape in shapes}
