"""The lazily bounded path beside the literal one, event by event."""

from __future__ import annotations

from typing import Any

from benchmarks import lars_problems, lars_referee
from benchmarks.lars_problems import TextProblem
from benchmarks.peers.literal_lars import literal_path
from benchmarks.problems import data_folder
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import ratio, side_by_side

AT_LEAST = 5.0


def run(mode: str) -> Section:
    """Time 20 newsgroups to 150 columns, both losses."""
    section = Section("The literal algorithm, event by event, in NumPy and SciPy")
    if mode == "quick":
        problem = lars_problems.small(20)
    elif data_folder() is None:
        section.notes.append("Left out: no folder of real data (HOLDFAST_DATA).")
        return section
    else:
        problem = lars_problems.news(150)
    rows = [
        row for hinge in (True, False) for row in _measure(section, problem, hinge, mode != "quick")
    ]
    header = ["problem", "literal / ours", "ours", "literal", "events", "products with X: literal"]
    header += ["ours: products, copies"]
    section.tables.append(Table("The same knots and the same order; processor time.", header, rows))
    return section


def _measure(section: Section, problem: TextProblem, hinge: bool, binding: bool) -> list[list[str]]:
    counts: dict[str, Any] = {}
    done = side_by_side(
        {
            "ours": lambda: _ours(problem, hinge, counts),
            "literal": lambda: literal_path(
                problem.X, problem.t, 1.0, problem.n_features, hinge=hinge
            ),
        },
        rounds=1,
        warm_up=False,
    )
    path = done["ours"].answer
    refused = lars_referee.refuse_path(problem, path, 1.0, hinge=hinge)
    refused += lars_referee.refuse_other(problem, path, done["literal"].answer)
    if refused:
        section.rejected.extend(refused)
        return []
    loss = "squared hinge" if hinge else "squared loss"
    found = ratio(done["literal"], done["ours"], processor=True)
    section.claims.append(
        Claim(
            f"literal / ours, {loss}, {problem.name}, {problem.n_features} columns",
            found.median,
            AT_LEAST,
            "at least",
            binding=binding and hinge,
        )
    )
    section.raw[loss] = {name: timing.seconds for name, timing in done.items()}
    return [
        [
            f"{loss}, {problem.name}, {problem.n_features} columns",
            str(found),
            seconds(done["ours"].processor),
            seconds(done["literal"].processor),
            str(len(path.knots) - 1),
            str(len(path.knots)),
            f"{counts['ours'].products}, {counts['ours'].fetches}",
        ]
    ]


def _ours(problem: TextProblem, hinge: bool, counts: dict[str, Any]) -> Any:
    from holdfast.rows import as_rows
    from holdfast.searches.hinge_lars import hinge_lars
    from holdfast.searches.lars import lars

    rows = as_rows(problem.X, problem.t)
    search = hinge_lars if hinge else lars
    path = search(rows, alpha=1.0, fit_intercept=False, limit=problem.n_features, lasso=False)
    counts["ours"] = rows.counts
    return path
