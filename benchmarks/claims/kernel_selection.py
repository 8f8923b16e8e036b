"""The penalty of sparse kernel ridge by leave-one-out: beside Cawley and Talbot's, per penalty."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks import kernel_referee
from benchmarks.kernel_problems import KernelProblem, smooth
from benchmarks.peers import cawley_talbot
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import Timing, ratio, side_by_side
from holdfast import SparseKernelRidge

NAMED = (5000, 2000, 20)
SHAPES = {
    "quick": [(200, 40, 5)],
    "default": [NAMED, (5000, 500, 20), (20000, 500, 20)],
    "full": [NAMED, (5000, 500, 20), (20000, 500, 20), (20000, 1000, 20)],
}
ROUNDS = {"quick": 1, "default": 3, "full": 5}
PART = 4
AT_LEAST = 8.0
CHOLESKY, INVERSE = "by Cholesky", "by inverse"
SOLVERS = {CHOLESKY: cawley_talbot.by_cholesky, INVERSE: cawley_talbot.by_inverse}
OURS, YARDSTICK = "ours", "one eigh and two products"


def run(mode: str) -> Section:
    """Time ours to the end, the baselines on some penalties."""
    section = Section("The penalty of sparse kernel ridge by leave-one-out")
    _compare_with_the_definition(section, smooth(80, 15, 5))
    rows = [_measure(section, smooth(*shape), mode) for shape in SHAPES[mode]]
    header = ["problem", "baseline, each from scratch / ours", "baseline, product shared / ours"]
    header += [f"ours / {YARDSTICK}", OURS, "from scratch", "product shared"]
    caption = (
        "Processor seconds of one thread, as in the paper's table: on a machine that others use "
        "too they tell more than the clock. "
        f"Median and range over {ROUNDS[mode]} interleaved rounds. The baseline is Cawley and "
        "Talbot's O(m n^2) leave-one-out for every penalty, by Cholesky or by inverse, whichever "
        f"was faster, timed on {PART} penalties and scaled (~): all cost the same. It is given the "
        "kernel matrix; ours makes it. The basis is kept, as the baseline keeps it. The yardstick "
        "is numpy.linalg.eigh of an n x n matrix and the products K'K and K V."
    )
    section.tables.append(Table(caption, header, [row for row in rows if row]))
    return section


def _compare_with_the_definition(section: Section, problem: KernelProblem) -> None:
    """Reject contestants that are not refitting."""
    K = rbf_kernel(problem.X, problem.X[problem.basis], gamma=problem.gamma)
    answers = {"refitting": kernel_referee.by_definition(problem), OURS: ours(problem)}
    for name, solve in SOLVERS.items():
        answers[name] = cawley_talbot.errors(
            K, problem.basis, problem.y, problem.alphas, solve, share=False
        )
    rejected = kernel_referee.judge(answers)
    section.rejected.extend(f"{problem}, {name}: {why}" for name, why in rejected.items())


def _measure(section: Section, problem: KernelProblem, mode: str) -> list[str]:
    K = rbf_kernel(problem.X, problem.X[problem.basis], gamma=problem.gamma)
    part = problem.alphas[:: max(1, len(problem.alphas) // PART)]
    contestants = {
        (name, share): lambda solve=solve, share=share: cawley_talbot.errors(
            K, problem.basis, problem.y, part, solve, share=share
        )
        for name, solve in SOLVERS.items()
        for share in (False, True)
    }
    contestants |= {OURS: lambda: ours(problem), YARDSTICK: lambda: yardstick(K)}
    clock = side_by_side(contestants, rounds=ROUNDS[mode])
    times = {
        name: Timing(timing.processor_seconds, timing.processor_seconds, timing.answer)
        for name, timing in clock.items()
    }
    answers = {CHOLESKY: times[CHOLESKY, False].answer}
    answers |= {INVERSE: times[INVERSE, False].answer, OURS: times[OURS].answer[:: _step(problem)]}
    rejected = kernel_referee.judge(answers)
    section.rejected.extend(f"{problem}, {name}: {why}" for name, why in rejected.items())
    if rejected:
        return []
    shares = len(problem.alphas) / len(part)
    fastest = {
        share: min((times[name, share] for name in SOLVERS), key=lambda timing: timing.median)
        for share in (False, True)
    }
    scaled = {share: _scaled(timing, shares) for share, timing in fastest.items()}
    speedup = ratio(scaled[False], times[OURS])
    section.claims.append(
        Claim(
            f"baseline (scaled) / ours on {problem}",
            speedup.median,
            AT_LEAST,
            "at least",
            binding=(len(problem.y), len(problem.basis), len(problem.alphas)) == NAMED,
            spread=speedup.spread,
        )
    )
    section.raw[str(problem)] = {
        str(name): {"processor": timing.processor_seconds, "clock": timing.seconds}
        for name, timing in clock.items()
    }
    return [
        str(problem),
        f"~{speedup}",
        f"~{ratio(scaled[True], times[OURS])}",
        str(ratio(times[OURS], times[YARDSTICK])),
        seconds(times[OURS].median),
        *(f"~{seconds(scaled[share].median)} ({_name(times, fastest[share])})" for share in scaled),
    ]


def _step(problem: KernelProblem) -> int:
    return max(1, len(problem.alphas) // PART)


def _scaled(timing: Timing, shares: float) -> Timing:
    seconds = tuple(second * shares for second in timing.seconds)
    return Timing(seconds, timing.processor_seconds, timing.answer)


def _name(times: dict, timing: Timing) -> str:
    return next(key[0] for key, value in times.items() if value is timing)


def ours(problem: KernelProblem) -> np.ndarray:
    """Leave-one-out errors, the basis being kept, from X to the fitted model."""
    model = SparseKernelRidge(
        alphas=problem.alphas, gamma=problem.gamma, basis=problem.basis, held_out_basis="keep"
    )
    return model.fit(problem.X, problem.y).alpha_errors_


def yardstick(K: np.ndarray) -> None:
    """Do what one model in eigen coordinates needs."""
    _, vectors = np.linalg.eigh(K.T @ K)
    K @ vectors
