"""The squared hinge path beside liblinear at 100 values of lambda_1.

liblinear solves the L1 problem at a single lambda_1, the path with ``lasso=True`` at all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks import lars_problems, lars_referee
from benchmarks.lars_problems import TextProblem
from benchmarks.problems import data_folder
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import side_by_side

VALUES = 100
AT_MOST = 0.5


def run(mode: str) -> Section:
    """Time 20 newsgroups and Reuters to 1000 columns."""
    section = Section("Squared hinge: the path beside liblinear at 100 values of lambda_1")
    rows: list[list[str]] = []
    if mode == "quick":
        rows += _measure(section, lars_problems.small(20), every=20, binding=False)
    elif data_folder() is None:
        section.notes.append("Left out: no folder of real data (HOLDFAST_DATA).")
        return section
    else:
        every = 1 if mode == "full" else 10
        rows += _measure(section, lars_problems.news(1000), every=every, binding=True)
        rows += _measure(section, lars_problems.reuters(1000), every=every, binding=True)
    header = [
        "problem",
        "path / liblinear",
        "path",
        "liblinear",
        "knots",
        "products with X, copies",
    ]
    section.tables.append(Table("Time of the path to its last knot.", header, rows))
    return section


def _measure(
    section: Section, problem: TextProblem, *, every: int, binding: bool
) -> list[list[str]]:
    rows = []
    counts: dict[str, Any] = {}
    paths = {
        name: lambda lasso=lasso, name=name: _path(problem, lasso, counts, name)
        for name, lasso in (("lasso", True), ("LARS", False))
    }
    done = side_by_side(paths, rounds=1, warm_up=False)
    exact = done["lasso"].answer
    levels = np.geomspace(exact.knots[0], exact.knots[-1], VALUES)[every // 2 :: every]
    solver = side_by_side(
        {"liblinear": lambda: [_liblinear(problem, level) for level in levels]},
        rounds=1,
        warm_up=False,
    )["liblinear"]
    refused = lars_referee.refuse_path(problem, done["LARS"].answer, 0.0, hinge=True)
    for level, coef in zip(levels, solver.answer, strict=True):
        mine = lars_referee.l1_objective(problem, exact.at(level)[0], level)
        theirs = lars_referee.l1_objective(problem, coef, level)
        if mine > theirs * (1 + 1e-9) or theirs > mine * (1 + lars_referee.OBJECTIVE):
            refused.append(f"{problem.name}: objective {mine!r}, liblinear {theirs!r} at {level!r}")
    if refused:
        section.rejected.extend(refused)
        return []
    whole = solver.median * VALUES / len(levels)
    mark = "" if every == 1 else "~"
    for name, timing in done.items():
        ratio = timing.median / whole
        text = f"path ({name}) / liblinear on {problem.name}, {problem.n_features} columns"
        section.claims.append(Claim(text, ratio, AT_MOST, "at most", binding=binding))
        rows.append(
            [
                f"{problem.name}, {name}",
                f"{mark}{ratio:.3g}x",
                seconds(timing.median),
                f"{mark}{seconds(whole)}",
                str(len(timing.answer.knots)),
                f"{counts[name].products}, {counts[name].fetches}",
            ]
        )
    section.notes.append(
        f"{problem.name}: liblinear at {len(levels)} of {VALUES} geometric values of lambda_1, "
        "default tolerance" + (", scaled (~)." if mark else ".")
    )
    section.raw[problem.name] = {
        "path": {name: timing.seconds for name, timing in done.items()},
        "liblinear": solver.seconds,
    }
    return rows


def _path(problem: TextProblem, lasso: bool, counts: dict[str, Any], name: str) -> Any:
    from holdfast.rows import as_rows
    from holdfast.searches.hinge_lars import hinge_lars

    rows = as_rows(problem.X, problem.t)
    settings = {"alpha": 0.0, "fit_intercept": False, "limit": problem.n_features}
    path = hinge_lars(rows, lasso=lasso, **settings)
    counts[name] = rows.counts
    return path


def _liblinear(problem: TextProblem, level: float) -> np.ndarray:
    import warnings

    from sklearn.exceptions import ConvergenceWarning
    from sklearn.svm import LinearSVC

    svc = LinearSVC(penalty="l1", dual=False, C=1 / (2 * level), fit_intercept=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return svc.fit(problem.X, problem.t).coef_[0]
