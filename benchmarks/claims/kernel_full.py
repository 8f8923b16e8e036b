"""Full kernel ridge by leave-one-out beside one eigendecomposition."""

from __future__ import annotations

import numpy as np
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks import kernel_referee
from benchmarks.kernel_problems import KernelProblem, smooth
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import ratio, side_by_side
from holdfast import KernelRidgeCV

SIZES = {"quick": [100], "default": [2000, 1000], "full": [2000, 1000, 3000]}
NAMED = 2000
ROUNDS = {"quick": 1, "default": 5, "full": 9}
AT_MOST = 1.5
OURS, EIGH = "ours", "numpy.linalg.eigh"


def run(mode: str) -> Section:
    """Time leave-one-out over 20 penalties, kernel matrix included, and one decomposition."""
    section = Section("Full kernel ridge by leave-one-out")
    rows = [_measure(section, smooth(m, 1), mode) for m in SIZES[mode]]
    caption = (
        f"Median and range over {ROUNDS[mode]} interleaved rounds; leave-one-out errors of 20 "
        "penalties and the fitted model, from X, beside one decomposition of the kernel matrix."
    )
    header = ["rows", f"{OURS} / one {EIGH}", OURS, EIGH]
    section.tables.append(Table(caption, header, [row for row in rows if row]))
    return section


def _measure(section: Section, problem: KernelProblem, mode: str) -> list[str]:
    K = rbf_kernel(problem.X, gamma=problem.gamma)
    times = side_by_side(
        {
            OURS: lambda: (
                KernelRidgeCV(problem.alphas, kernel="rbf", gamma=problem.gamma)
                .fit(problem.X, problem.y)
                .alpha_errors_
            ),
            EIGH: lambda: np.linalg.eigh(K),
        },
        rounds=ROUNDS[mode],
    )
    rejected = kernel_referee.judge(
        {"definition": _by_inverse(K, problem), OURS: times[OURS].answer}
    )
    section.rejected.extend(f"{len(K)} rows, {name}: {why}" for name, why in rejected.items())
    if rejected:
        return []
    beside = ratio(times[OURS], times[EIGH])
    section.claims.append(
        Claim(
            f"{OURS} / one {EIGH} on {len(K)} rows",
            beside.median,
            AT_MOST,
            "at most",
            binding=len(K) == NAMED,
            spread=beside.spread,
        )
    )
    section.raw[str(len(K))] = {name: timing.seconds for name, timing in times.items()}
    return [str(len(K)), str(beside), *(seconds(timing.median) for timing in times.values())]


def _by_inverse(K: np.ndarray, problem: KernelProblem) -> np.ndarray:
    """Leave-one-out errors by an inverse for every penalty."""
    errors = []
    for alpha in problem.alphas:
        inverse = np.linalg.inv(K + alpha * np.eye(len(K)))
        errors.append(np.mean((inverse @ problem.y / np.diag(inverse)) ** 2))
    return np.array(errors)
