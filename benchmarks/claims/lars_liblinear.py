"""The squared hinge path beside liblinear at 100 values of lambda_1.

liblinear solves the L1 problem at a single lambda_1, the path with ``lasso=True`` at all of them.
Beside the times stands what no algorithm of this kind can do without: one product of the inverse of
the system with a vector per event, k^2 multiplications, at the size in the square mean over events.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import lars_problems, lars_referee
from benchmarks.lars_problems import TextProblem
from benchmarks.problems import data_folder
from benchmarks.report import Claim, Section, Table, number, seconds
from benchmarks.timing import Timing, side_by_side

VALUES = 100
AT_MOST = 0.5


@dataclass(frozen=True)
class Liblinear:
    """The question for one collection of text, to 1000 columns."""

    collection: str

    def run(self, mode: str) -> Section:
        """Time both paths and liblinear."""
        section = Section("Squared hinge: the path beside liblinear at 100 values of lambda_1")
        if mode == "quick":
            rows = _measure(section, lars_problems.small(20), every=20, binding=False)
        elif data_folder() is None:
            section.notes.append("Left out: no folder of real data (HOLDFAST_DATA).")
            return section
        else:
            problem = getattr(lars_problems, self.collection)(1000)
            every = 1 if mode == "full" else 10
            rows = _measure(section, problem, every=every, binding=True)
        header = ["problem", "path / liblinear", "path", "liblinear", "events", "columns left"]
        header += ["size at an event", "k^2 products alone", "readings of X, in parts"]
        header += ["with all of X, copies"]
        caption = "Processor time of the path to its last knot."
        section.tables.append(Table(caption, header, rows))
        return section


NEWS, REUTERS = Liblinear("news"), Liblinear("reuters")


def _measure(
    section: Section, problem: TextProblem, *, every: int, binding: bool
) -> list[list[str]]:
    rows = []
    counts: dict[str, Any] = {}
    paths = {"LARS": lambda: _path(problem, False, 0.0, counts, "LARS")}
    done = side_by_side(paths, rounds=1, warm_up=False)
    # With lasso columns leave, and there may never be so many: it ends at the same lambda_1.
    last = float(done["LARS"].answer.knots[-1])
    paths = {"lasso": lambda: _path(problem, True, last, counts, "lasso")}
    done |= side_by_side(paths, rounds=1, warm_up=False)
    exact = done["lasso"].answer
    last = max(last, float(exact.knots[-1]))
    levels = np.geomspace(exact.knots[0], last, VALUES)[every // 2 :: every]
    solver = side_by_side(
        {"liblinear": lambda: [_liblinear(problem, level) for level in levels]},
        rounds=1,
        warm_up=False,
    )["liblinear"]
    refused = lars_referee.refuse_path(problem, done["LARS"].answer, 0.0, hinge=True)
    short: list[str] = []
    for level, coef in zip(levels, solver.answer, strict=True):
        mine = lars_referee.l1_objective(problem, exact.at(level)[0], level)
        theirs = lars_referee.l1_objective(problem, coef, level)
        if mine > theirs * (1 + 1e-9):
            refused.append(f"{problem.name}: objective {mine!r}, liblinear {theirs!r} at {level!r}")
        elif theirs > mine * (1 + lars_referee.OBJECTIVE):
            short.append(f"{theirs / mine - 1:.1%} at {level:.3g}")
    if refused:
        section.rejected.extend(refused)
        return []
    whole = solver.processor * VALUES / len(levels)
    mark = "" if every == 1 else "~"
    for name, timing in done.items():
        ratio = timing.processor / whole
        text = f"path ({name}) / liblinear on {problem.name}, {problem.n_features} columns"
        section.claims.append(Claim(text, ratio, AT_MOST, "at most", binding=binding))
        row = [f"{problem.name}, {name}", f"{mark}{ratio:.3g}x", seconds(timing.processor)]
        row += [f"{mark}{seconds(whole)}", *_floor(timing)]
        row += [number(counts[name].parts)]
        row += [f"{counts[name].products}, {counts[name].fetches}"]
        rows.append(row)
    section.notes.append(
        f"{problem.name}: liblinear at {len(levels)} of {VALUES} geometric values of lambda_1 from "
        f"the first knot to {last:.3g}, default tolerance" + (", scaled (~)." if mark else ".")
    )
    if short:
        section.notes.append(
            "liblinear stopped short of the optimum, at its default number of iterations, with its "
            f"objective above that of the path by {', '.join(short)}. Its time counts as it is."
        )
    ended = {name: f"{t.answer.knots[-1]:.3g} ({t.answer.ended})" for name, t in done.items()}
    section.notes.append(f"Last knots: {ended['lasso']} with lasso, {ended['LARS']} without.")
    section.raw[problem.name] = {
        "path": {name: timing.processor_seconds for name, timing in done.items()},
        "liblinear": solver.processor_seconds,
    }
    return rows


def _floor(timing: Timing) -> list[str]:
    """Events, columns that left, the size in the square mean, and the time of k^2 products."""
    path = timing.answer
    events, size = len(path.knots) - 1, int(np.sqrt(np.mean(path.sizes.astype(float) ** 2)))
    matrix, vector = np.ones((size, size)), np.ones(size)
    laps = []
    for _ in range(5):
        started = time.process_time()
        for _ in range(20):
            matrix @ vector
        laps.append((time.process_time() - started) / 20)
    left = len(path.order) - int(path.sizes[-1])
    return [str(events), str(left), str(size), seconds(events * min(laps))]


def _path(problem: TextProblem, lasso: bool, last: float, counts: dict[str, Any], name: str) -> Any:
    from holdfast.rows import as_rows
    from holdfast.searches.hinge_lars import hinge_lars

    rows = as_rows(problem.X, problem.t)
    settings = {"alpha": 0.0, "fit_intercept": False, "limit": problem.n_features}
    path = hinge_lars(rows, lasso=lasso, watch=lambda _, front: front.level <= last, **settings)
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
