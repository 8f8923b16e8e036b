"""The penalty by K folds: beside scikit-learn, and beside one product and K eigendecompositions."""

from __future__ import annotations

import numpy as np

from benchmarks import fold_referee
from benchmarks.fold_problems import NAMED, FoldProblem, windowed
from benchmarks.peers import eigen_method, holdfast_hold_out, sklearn_ridge_cv
from benchmarks.report import Claim, Section, Table, number, seconds
from benchmarks.timing import Extrapolated, Timing, ratio, side_by_side

Shape = tuple[int, int, int, int]
NAMED_SHAPE: Shape = (NAMED["m"], NAMED["n"], NAMED["splits"], NAMED["n_alphas"])
SHAPES: dict[str, list[Shape]] = {
    "quick": [(400, 12, 5, 6)],
    "default": [NAMED_SHAPE, (6900, 200, 23, 60), (20000, 20, 10, 60)],
    "full": [NAMED_SHAPE, (6900, 200, 23, 60), (20000, 20, 10, 60), (20000, 800, 10, 60)],
}
ROUNDS = {"quick": 2, "default": 7, "full": 15}
AT_LEAST, AT_MOST = 300.0, 2.0
OURS, EIGEN, YARDSTICK = "ours", "eigen method", "product and decompositions"


def run(mode: str) -> Section:
    """Time ours, the eigen method and the yardstick to the end, scikit-learn on two alphas."""
    section = Section("The penalty by K folds")
    rows = [_measure(section, windowed(*shape, 0), mode) for shape in SHAPES[mode]]
    header = ["problem", "scikit-learn / ours", f"ours / {YARDSTICK}", "eigen method / ours", OURS]
    header += [YARDSTICK, EIGEN, "scikit-learn"]
    caption = (
        f"Median and range over {ROUNDS[mode]} interleaved rounds. The yardstick is one X.T @ X "
        "and one numpy.linalg.eigh of it per fold. scikit-learn is timed once on the part stated "
        "and scaled (~)."
    )
    section.tables.append(Table(caption, header, [row for row in rows if row]))
    return section


def _measure(section: Section, problem: FoldProblem, mode: str) -> list[str]:
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
    slow = sklearn_ridge_cv.scaled(problem)
    _claim(section, problem, times, slow)
    section.raw[str(problem)] = {name: timing.seconds for name, timing in times.items()} | {
        "scikit-learn": {"scaled": slow.seconds, "part": slow.part_seconds, "stated": slow.stated}
    }
    return [
        str(problem),
        f"~{number(slow.seconds / times[OURS].median)}x",
        str(ratio(times[OURS], times[YARDSTICK])),
        str(ratio(times[EIGEN], times[OURS])),
        *(seconds(times[name].median) for name in (OURS, YARDSTICK, EIGEN)),
        f"~{seconds(slow.seconds)} ({slow.stated})",
    ]


def _claim(
    section: Section, problem: FoldProblem, times: dict[str, Timing], slow: Extrapolated
) -> None:
    binding = (*problem.X.shape, problem.splits, len(problem.alphas)) == NAMED_SHAPE
    near = ratio(times[OURS], times[YARDSTICK])
    section.claims.extend(
        [
            Claim(
                f"scikit-learn (scaled) / ours on {problem}",
                slow.seconds / times[OURS].median,
                AT_LEAST,
                "at least",
                binding=binding,
            ),
            Claim(
                f"ours / one product and {problem.splits} decompositions on {problem}",
                near.median,
                AT_MOST,
                "at most",
                binding=binding,
                spread=near.spread,
            ),
        ]
    )


def yardstick(problem: FoldProblem) -> None:
    """Do what nothing can avoid: one product X.T @ X and one decomposition per fold."""
    gram = problem.X.T @ problem.X
    for _ in range(problem.splits):
        np.linalg.eigh(gram)
