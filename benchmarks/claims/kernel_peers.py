"""scikit-learn's grid searches over kernel models by folds: answers, then times."""

from __future__ import annotations

import numpy as np
from sklearn.model_selection import KFold

from benchmarks import kernel_referee
from benchmarks.kernel_problems import KernelProblem, smooth
from benchmarks.peers import sklearn_kernels
from benchmarks.report import Section, Table, seconds
from benchmarks.timing import ratio, side_by_side
from holdfast import KernelRidgeCV, SparseKernelRidge

SPARSE = {"quick": (200, 20, 4), "default": (5000, 300, 20), "full": (20000, 500, 20)}
FULL = {"quick": (100, 1, 4), "default": (1000, 1, 20), "full": (2000, 1, 20)}
ROUNDS = {"quick": 1, "default": 3, "full": 5}


def run(mode: str) -> Section:
    """Compare on a basis, and on all rows."""
    section = Section("Kernel models by folds: scikit-learn's grid searches")
    folds = KFold(sklearn_kernels.SPLITS)
    sparse = {
        "GridSearchCV(Nystroem, Ridge)": sklearn_kernels.pipeline,
        "Nystroem once, GridSearchCV(Ridge)": sklearn_kernels.mapped_once,
        "SparseKernelRidge": lambda problem: (
            SparseKernelRidge(
                alphas=problem.alphas,
                gamma=problem.gamma,
                basis=problem.basis,
                held_out_basis="keep",
                cv=folds,
            )
            .fit(problem.X, problem.y)
            .alpha_errors_
        ),
    }
    full = {
        "GridSearchCV(KernelRidge)": sklearn_kernels.kernel_ridge,
        "KernelRidgeCV": lambda problem: (
            KernelRidgeCV(problem.alphas, kernel="rbf", gamma=problem.gamma, cv=folds)
            .fit(problem.X, problem.y)
            .alpha_errors_
        ),
    }
    problem = smooth(*SPARSE[mode])
    _compare(section, str(problem), problem, sparse, mode)
    problem = smooth(*FULL[mode])
    m, columns = problem.X.shape
    named = f"{m} x {columns}, all rows as basis, {len(problem.alphas)} alphas"
    _compare(section, named, problem, full, mode)
    section.notes.append(
        "Equal answers: all minimise the same K-fold error with the same basis, which is kept in "
        "every fold (Nystroem is given its rows); errors agree to 1e-5, relatively, Nystroem's "
        "whitening cutting eigenvalues where ours adds to them."
    )
    return section


def _compare(section: Section, name: str, problem: KernelProblem, peers: dict, mode: str) -> None:
    times = side_by_side(
        {name: lambda solve=solve: np.asarray(solve(problem)) for name, solve in peers.items()},
        rounds=ROUNDS[mode],
    )
    rejected = kernel_referee.judge({name: timing.answer for name, timing in times.items()})
    section.rejected.extend(f"{name}, {peer}: {why}" for peer, why in rejected.items())
    ours = list(times)[-1]
    rows = [
        [
            peer,
            str(ratio(timing, times[ours])),
            seconds(timing.median),
            f"{timing.answer.min():.6g}",
        ]
        for peer, timing in times.items()
        if peer not in rejected
    ]
    caption = f"**{name}**, {sklearn_kernels.SPLITS} folds ({ROUNDS[mode]} interleaved rounds)"
    section.tables.append(Table(caption, ["method", "time / ours", "time", "least error"], rows))
    section.raw[name] = {peer: timing.seconds for peer, timing in times.items()}
