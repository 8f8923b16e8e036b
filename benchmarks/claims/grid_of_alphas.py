"""A grid of ten penalties: as many sweeps over the data as one penalty, and its time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.problems import Problem, planted
from benchmarks.referee import leave_one_out_error
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import ratio, side_by_side

SHAPES = {
    "quick": [(200, 40, 5)],
    "default": [(5000, 1000, 50), (500, 5000, 50)],
    "full": [(5000, 1000, 50), (500, 5000, 50), (50000, 1000, 50)],
}
NAMED = (5000, 1000)
OPENING = 2  # sweeps for means and squared lengths
GRID = np.logspace(-2, 4, 10).tolist()
ROUNDS = {"quick": 1, "default": 3, "full": 5}
ONE, GRIDDED, SINGLES = "one alpha", "ten alphas together", "ten single fits"


def run(mode: str) -> Section:
    """Count the sweeps of one penalty and of ten, and time ten beside ten single fits."""
    section = Section("A grid of ten alphas")
    rows = [_measure(section, planted(*shape), ROUNDS[mode]) for shape in SHAPES[mode]]
    header = ["problem", "ten / one alpha", "ten single fits / ten together"]
    header += ["sweeps that multiply by X: one, ten", "columns fetched: one, ten"]
    header += [ONE, GRIDDED, SINGLES]
    caption = (
        f"alphas = logspace(-2, 4, 10), median and range over {ROUNDS[mode]} interleaved rounds. "
        "The single fits answer less: each keeps its alpha, the grid chooses one at every step. A "
        "sweep foresees columns that may win next, so that how many are needed depends on the "
        "columns chosen, and these on the alphas; at most one per selected feature."
    )
    section.tables.append(Table(caption, header, [row for row in rows if row]))
    return section


def _measure(section: Section, problem: Problem, rounds: int) -> list[str]:
    name = f"{problem.name}, k = {problem.n_features}"
    times = side_by_side(
        {
            ONE: lambda: _fit(problem, 1.0),
            GRIDDED: lambda: _fit(problem, GRID),
            SINGLES: lambda: [_fit(problem, alpha) for alpha in GRID],
        },
        rounds=rounds,
    )
    model = times[GRIDDED].answer
    found = float(model.path_errors_[-1])
    exact = leave_one_out_error(
        problem.X, problem.y, model.selection_order_, float(model.path_alphas_[-1])
    )
    if not np.isclose(found, exact, rtol=1e-9):
        section.rejected.append(f"{name}: reports the error {found!r}, found {exact!r}")
        return []
    one = _count(lambda: _fit(problem, 1.0))
    ten = _count(lambda: _fit(problem, GRID))
    section.claims.extend(
        [
            Claim(
                f"sweeps of ten alphas / of one on {name}",
                ten.products / one.products,
                1.0,
                "at most",
                binding=problem.X.shape == NAMED,
            ),
            Claim(
                f"sweeps of ten alphas / (k + 2) on {name}",
                ten.products / (problem.n_features + OPENING),
                1.0,
                "at most",
            ),
        ]
    )
    section.raw[name] = {key: timing.seconds for key, timing in times.items()} | {
        "sweeps": [one.products, ten.products]
    }
    return [
        name,
        str(ratio(times[GRIDDED], times[ONE])),
        str(ratio(times[SINGLES], times[GRIDDED])),
        f"{one.products}, {ten.products}",
        f"{one.columns}, {ten.columns}",
        *(seconds(times[key].median) for key in (ONE, GRIDDED, SINGLES)),
    ]


def _fit(problem: Problem, alphas: float | list[float]) -> Any:
    from holdfast import ForwardRidge

    model = ForwardRidge(alphas=alphas, n_features_to_select=problem.n_features)
    return model.fit(problem.X, problem.y)


def _count(fit: Callable[[], Any]) -> Any:
    """Return the counts of the rows a fit reads (`holdfast.rows.sums.Counts`)."""
    from holdfast.estimators import selection

    opened = []

    def as_rows(*arguments: Any) -> Any:
        opened.append(original(*arguments))
        return opened[-1]

    original = selection.as_rows
    with patch.object(selection, "as_rows", as_rows):
        fit()
    return opened[0].counts
