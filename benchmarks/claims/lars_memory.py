"""Peak memory of a path beside X and the path that is returned."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

from benchmarks import lars_problems
from benchmarks.lars_problems import TextProblem
from benchmarks.problems import data_folder
from benchmarks.report import Claim, Section, Table, number

AT_MOST = 2.0


def run(mode: str) -> Section:
    """Trace both losses on 20 newsgroups and Reuters."""
    section = Section("Working memory, beside X and the path that is returned")
    if mode == "quick":
        problems = [lars_problems.small(20)]
    elif data_folder() is None:
        section.notes.append("Left out: no folder of real data (HOLDFAST_DATA).")
        return section
    else:
        problems = [lars_problems.news(1000), lars_problems.reuters(1000)]
    rows = [
        _measure(section, problem, hinge, mode) for problem in problems for hinge in (False, True)
    ]
    header = ["problem", "working memory / X", "X", "peak", "the path"]
    section.tables.append(Table("By tracemalloc, in megabytes.", header, rows))
    return section


def _measure(section: Section, problem: TextProblem, hinge: bool, mode: str) -> list[str]:
    from holdfast.rows import as_rows
    from holdfast.searches.hinge_lars import hinge_lars
    from holdfast.searches.lars import lars

    X = problem.X
    size = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    search = hinge_lars if hinge else lars
    settings: dict[str, Any] = {"alpha": 1.0, "fit_intercept": False, "lasso": False}
    rows = as_rows(X, problem.t)
    tracemalloc.start()
    path = search(rows, limit=problem.n_features, **settings)
    _, peak = tracemalloc.get_traced_memory()
    gc.collect()
    returned, _ = tracemalloc.get_traced_memory()  # the path is all that is left
    tracemalloc.stop()
    assert len(path.knots) > 1
    found = (peak - returned) / size
    loss = "squared hinge" if hinge else "squared loss"
    section.claims.append(
        Claim(
            f"working memory / X, {loss}, {problem.name}, {problem.n_features} columns",
            found,
            AT_MOST,
            "at most",
            binding=mode != "quick",
        )
    )
    parts = (size, peak, returned)
    return [f"{loss}, {problem.name}", f"{found:.3g}", *(number(p / 1e6) for p in parts)]
