"""Table 1: leave-one-out and the choice of the penalty, beside the method of Cawley and Talbot."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from benchmarks import kernel_referee
from benchmarks.kernel_problems import smooth
from benchmarks.peers import cawley_talbot
from benchmarks.timing import one_thread
from sklearn.metrics.pairwise import rbf_kernel

from holdfast import SparseKernelRidge

M = {"quick": 300, "default": 5000, "full": 5000}
SIZES = {"quick": [30, 60], "default": [500, 1000, 1500, 2000, 2500]}
SIZES["full"] = SIZES["default"]
BASELINE_ALPHAS = {"quick": 20, "default": 4, "full": 20}
MANY = 1001
ROUNDS = {"quick": 1, "default": 1, "full": 5}
PAPER = {
    "RLS+LOOCV Method 1": [0.707, 2.482, 5.435, 9.625, 15.891],
    "RLS+LOOCV Method 2": [1.287, 5.119, 11.813, 22.558, 38.589],
    "LOOCV Method 2": [0.007, 0.014, 0.022, 0.029, 0.036],
    "MS Method 1": [14.163, 49.652, 108.732, 192.529, 317.873],
    "MS Method 2": [1.428, 5.402, 12.258, 23.139, 39.326],
}
NOTE = """\
CPU seconds as in the paper, the least of {rounds} round(s), one thread ({machine}). Method 1 is
Cawley and Talbot's leave-one-out by the Cholesky factor, in NumPy and SciPy, K_B given; MS
Method 1 is every penalty from scratch, measured on {baseline} of 20 penalties and scaled.
Method 2 is `SparseKernelRidge` with the basis kept, from X to the fitted model, K_B included.
Its leave-one-out after training is the difference of fits with 1001 and 1 penalties, for one:
it is the O(mn) part. Errors of both methods agree to 1e-5 before a time is written. Kernel: rbf
on 10 standard normal columns."""


def run(mode: str, output: Path) -> dict:
    """Time both methods, write table1.csv, return what to report."""
    with one_thread() as machine:
        columns = [_measure(smooth(M[mode], n), mode) for n in SIZES[mode]]
    with (output / "table1.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["line", *SIZES[mode]])
        for line in PAPER:
            writer.writerow([line, *(column[line] for column in columns)])
    lines = ["| | " + " | ".join(f"n = {n}" for n in SIZES[mode]) + " |"]
    lines.append("|---" * (1 + len(SIZES[mode])) + "|")
    for line, paper in PAPER.items():
        lines.append(f"| {line} | " + " | ".join(f"{c[line]:.3g}" for c in columns) + " |")
        lines.append(f"| (the paper) | {' | '.join(map(str, paper[: len(columns)]))} |")
    ratios = [c["MS Method 1"] / c["MS Method 2"] for c in columns]
    lines.append("| MS: Method 1 / Method 2 | " + " | ".join(f"{r:.3g}" for r in ratios) + " |")
    at = SIZES[mode].index(2000) if 2000 in SIZES[mode] else -1
    last = columns[at]
    slope = np.polyfit(np.log(SIZES[mode]), np.log([c["RLS+LOOCV Method 2"] for c in columns]), 1)
    return {
        "title": f"Table 1: m = {M[mode]}, 20 penalties",
        "table": "\n".join(lines),
        "quantities": {
            "MS Method 1 / MS Method 2 at n = 2000 (paper: 8.3)": ratios[at],
            "leave-one-out once trained / training, at n = 2000": last["LOOCV Method 2"]
            / last["RLS+LOOCV Method 2"],
            "MS Method 2 / RLS+LOOCV Method 2 at n = 2000 (paper: 1.03)": last["MS Method 2"]
            / last["RLS+LOOCV Method 2"],
            "RLS+LOOCV Method 2 / Method 1 at n = 2000 (paper: 2.3)": last["RLS+LOOCV Method 2"]
            / last["RLS+LOOCV Method 1"],
            "exponent of RLS+LOOCV Method 2 in n (paper: 2.1)": float(slope[0]),
        },
        "notes": [
            NOTE.format(rounds=ROUNDS[mode], machine=machine, baseline=BASELINE_ALPHAS[mode])
        ],
    }


def _measure(problem, mode: str) -> dict[str, float]:
    K = rbf_kernel(problem.X, problem.X[problem.basis], gamma=problem.gamma)
    step = len(problem.alphas) // BASELINE_ALPHAS[mode]
    part = problem.alphas[::step]

    def baseline(alphas: np.ndarray) -> np.ndarray:
        solve = cawley_talbot.by_cholesky
        return cawley_talbot.errors(K, problem.basis, problem.y, alphas, solve, share=False)

    def ours(alphas: np.ndarray) -> np.ndarray:
        model = SparseKernelRidge(
            alphas=alphas, gamma=problem.gamma, basis=problem.basis, held_out_basis="keep"
        )
        return model.fit(problem.X, problem.y).alpha_errors_

    rounds = ROUNDS[mode]
    many = np.geomspace(problem.alphas[0], problem.alphas[-1], MANY)
    ours(problem.alphas[:1])  # the first of a size is slower
    one, _ = _least(lambda: ours(problem.alphas[:1]), rounds)
    thousand, _ = _least(lambda: ours(many), rounds)
    scratch, first = _least(lambda: baseline(part), rounds)
    selection, second = _least(lambda: ours(problem.alphas), rounds)
    rejected = kernel_referee.judge({"1": first, "2": second[::step]})
    if rejected:
        raise ValueError(f"answers differ: {rejected}; no time is reported before they agree")
    return {
        "RLS+LOOCV Method 1": scratch / len(part),
        "RLS+LOOCV Method 2": one,
        "LOOCV Method 2": (thousand - one) / (len(many) - 1),
        "MS Method 1": scratch / len(part) * len(problem.alphas),
        "MS Method 2": selection,
    }


def _least(work: Callable[[], np.ndarray], rounds: int) -> tuple[float, np.ndarray]:
    """The least time of some rounds, and the answer."""
    laps = []
    for _ in range(rounds):
        started = time.process_time()
        answer = work()
        laps.append(time.process_time() - started)
    return min(laps), answer
