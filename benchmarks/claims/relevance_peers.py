"""Relevance vector machines on Friedman data: error, number of functions, time."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.datasets import make_friedman1

from benchmarks.peers.relevance import MACHINES
from benchmarks.report import Section, Table, seconds
from benchmarks.timing import side_by_side

ROWS = {"quick": [150], "default": [1000, 2000, 5000], "full": [1000, 2000, 3000, 4000, 5000]}
N_TEST = 2000
GAMMA, NOISE = 0.3, 1.0
WORST = 0.9
"""A contestant whose error is this share of the variance of the targets has learnt nothing."""


def run(mode: str) -> Section:
    """Fit every contestant that is installed at every size it reaches."""
    section = Section("Relevance vector machines on Friedman data")
    X_test, truth = make_friedman1(N_TEST, 10, noise=0.0, random_state=1)
    rows = []
    for m in ROWS[mode]:
        X, y = make_friedman1(m, 10, noise=NOISE, random_state=0)
        machines = [
            machine
            for machine in MACHINES
            if machine.installed and (m <= machine.largest or mode == "full")
        ]
        times = side_by_side(
            {machine.name: partial(machine.fit, X, y, GAMMA) for machine in machines},
            rounds=1,
            warm_up=False,
        )
        first = times[machines[0].name].median
        for machine in machines:
            timing = times[machine.name]
            used, predict = timing.answer
            error = float(np.mean((np.ravel(predict(X_test)) - truth) ** 2))
            if not error < WORST * np.var(truth):
                section.rejected.append(f"{machine.name}, m = {m}: test error {error:.3g}")
            rows.append(
                [
                    str(m),
                    machine.name,
                    f"{timing.median / first:.3g}",
                    f"{error:.3g}",
                    str(len(used)),
                    seconds(timing.median),
                ]
            )
            section.raw[f"{machine.name}, m = {m}"] = [timing.median, error, len(used)]
    caption = (
        f"Friedman 1, 10 columns, noise {NOISE:g}, rbf kernel with gamma = {GAMMA:g}, parameters "
        f"as they come. Error: mean square from the noiseless targets of {N_TEST} new rows."
    )
    header = ["m", "contestant", "time / ours (fast)", "error", "functions", "time"]
    section.tables.append(Table(caption, header, rows))
    absent = [machine.name for machine in MACHINES if not machine.installed]
    if absent:
        section.notes.append(f"Not installed, left out: {', '.join(absent)}.")
    section.notes.append(
        "All maximise an evidence, each to a local maximum of its own: answers differ, and the "
        "referee rejects only what has learnt nothing. By default em and sklearn-rvm run up to "
        "2000 and 1000 rows."
    )
    return section
