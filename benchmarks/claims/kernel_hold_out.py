"""Growth of ``holdout_predict`` in held-out rows and basis vectors, beside the claim.

The claim: once fitted, O(min(f^2 n, f n^2)) for f held-out rows and n basis vectors.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks import kernel_referee
from benchmarks.kernel_problems import KernelProblem, smooth
from benchmarks.report import Claim, Section, Table, number, seconds
from benchmarks.timing import side_by_side, slope
from holdfast import SparseKernelRidge

ROWS = {"quick": 300, "default": 5000, "full": 20000}
ROUNDS = {"quick": 2, "default": 9, "full": 15}
ALPHA = 1.0
SLACK = 0.15
OURS, REFIT = "ours", "literal refit"


class Growth(NamedTuple):
    """What grows, what the other is, and the exponent claimed."""

    letter: str
    sizes: list[int]
    other: int
    claimed: int


GROWTHS = {
    "quick": [Growth("f", [4, 8], 20, 2), Growth("n", [10, 20], 100, 2)],
    "default": [
        Growth("f", [60, 120, 240, 480], 500, 2),
        Growth("f", [1000, 2000, 4000], 500, 1),
        Growth("n", [250, 500, 1000], 200, 1),
        Growth("n", [125, 250, 500], 4000, 2),
    ],
}
GROWTHS["full"] = GROWTHS["default"]


def run(mode: str) -> Section:
    """Time predictions of held-out sets while their size or the basis grows."""
    section = Section("Growth of holdout_predict in held-out rows f and basis vectors n")
    for growth in GROWTHS[mode]:
        _grow(section, growth, mode)
    section.notes.append(
        "Processor seconds of one thread, best of "
        f"{ROUNDS[mode]} interleaved rounds. Half of the held-out rows, or of the basis, are basis "
        "vectors and leave it with them. The fit is not timed, nor is the first call, which turns "
        "the columns of all rows, once. The refit is given the kernel columns and makes one "
        "product and one Cholesky factorization of the rows and basis vectors that are left. "
        f"Exponents are slopes of log time on log size; the bound is the claim and {SLACK}, for "
        "data that leave the cache."
    )
    return section


def _grow(section: Section, growth: Growth, mode: str) -> None:
    shapes = [
        (size, growth.other) if growth.letter == "f" else (growth.other, size)
        for size in growth.sizes
    ]
    contestants, held, problems = {}, [], []
    for (count, n_basis), size in zip(shapes, growth.sizes, strict=True):
        problem = smooth(ROWS[mode], n_basis)
        rows = _held_out(problem, count)
        model = SparseKernelRidge(alphas=ALPHA, gamma=problem.gamma, basis=problem.basis)
        model.fit(problem.X, problem.y)
        K = rbf_kernel(problem.X, problem.X[problem.basis], gamma=problem.gamma)
        contestants[size, OURS] = lambda model=model, rows=rows: model.holdout_predict(rows)
        contestants[size, REFIT] = lambda problem=problem, K=K, rows=rows: (
            kernel_referee.refitted_without(problem, K, rows, ALPHA)
        )
        held.append(rows)
        problems.append(problem)
    times = side_by_side(contestants, rounds=ROUNDS[mode])
    for size, problem in zip(growth.sizes, problems, strict=True):
        why = kernel_referee.apart(times[size, OURS].answer, times[size, REFIT].answer)
        if why:
            section.rejected.append(f"{problem}, {growth.letter} = {size}: {why}")
    best = {key: min(timing.processor_seconds) for key, timing in times.items()}
    ours = [best[size, OURS] for size in growth.sizes]
    other = f"{'n' if growth.letter == 'f' else 'f'} = {growth.other}"
    section.claims.append(
        Claim(
            f"exponent in {growth.letter} from {growth.sizes[0]} to {growth.sizes[-1]}, {other}",
            slope(growth.sizes, ours),
            growth.claimed + SLACK,
            "at most",
            binding=mode != "quick",
            unit="",
        )
    )
    rows = [
        [
            str(size),
            "-" if i == 0 else f"{slope(growth.sizes[i - 1 : i + 1], ours[i - 1 : i + 1]):.2f}",
            f"{number(best[size, REFIT] / best[size, OURS])}x",
            seconds(best[size, OURS]),
            seconds(best[size, REFIT]),
        ]
        for i, size in enumerate(growth.sizes)
    ]
    caption = (
        f"{growth.letter} grows, {other}, {ROWS[mode]} rows; claimed exponent: {growth.claimed}."
    )
    header = [growth.letter, "exponent since the row above", f"{REFIT} / {OURS}", OURS, REFIT]
    section.tables.append(Table(caption, header, rows))
    section.raw[f"{growth.letter}, {other}"] = {
        f"{size}, {name}": timing.processor_seconds for (size, name), timing in times.items()
    }


def _held_out(problem: KernelProblem, count: int) -> np.ndarray:
    """Rows to hold out, half of them or of the basis basis vectors."""
    random = np.random.default_rng(1)
    own = random.choice(problem.basis, min(count, len(problem.basis)) // 2, replace=False)
    others = np.setdiff1d(np.arange(len(problem.y)), problem.basis)
    return np.concatenate([own, random.choice(others, count - len(own), replace=False)])
