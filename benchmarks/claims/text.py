"""Sparse text: ours beside k products of X with three columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import problems, referee
from benchmarks.problems import Problem
from benchmarks.referee import Answer
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import Timing, ratio, side_by_side

FEATURES = {"default": 200, "full": 200}
FEATURES_OF_CLASSES = {"default": 50, "full": 200}
ROUNDS = {"default": 3, "full": 5}
AT_MOST = 4.0


def run(mode: str) -> Section:
    """Time 20 newsgroups: comp.* against the rest, and the twenty classes together."""
    section = Section("Sparse text (20 newsgroups)")
    if mode == "quick" or problems.data_folder() is None:
        section.notes.append("Left out: quick mode, or no folder of real data (HOLDFAST_DATA).")
        return section
    rows = [
        _measure(section, problems.newsgroups(FEATURES[mode]), 3, ROUNDS[mode], named=True),
        _measure(
            section,
            problems.newsgroups(FEATURES_OF_CLASSES[mode], target="all"),
            22,
            1,
            named=False,
        ),
    ]
    header = ["problem", "ours (CSR) / k products", "ours (CSC) / k products", "ours, CSR"]
    header += ["ours, CSC", "k products, CSR", "k products, CSC", "leave-one-out error"]
    caption = (
        "k products X.T @ V with as many columns as the derivation's three products need (3; with "
        "20 targets 22), the faster of CSR and CSC; ours on either format."
    )
    section.tables.append(Table(caption, header, [row for row in rows if row]))
    return section


def _measure(
    section: Section, problem: Problem, columns: int, rounds: int, *, named: bool
) -> list[str]:
    by_format = {"CSR": problem.X, "CSC": sp.csc_array(problem.X)}
    V = np.random.default_rng(0).standard_normal((problem.X.shape[0], columns))
    contestants: dict[str, Any] = {}
    for name, X in by_format.items():
        contestants[f"ours, {name}"] = lambda X=X: _select(X, problem)
        contestants[f"products, {name}"] = lambda X=X: _products(X, V, problem.n_features)
    times = side_by_side(contestants, rounds=rounds, warm_up=rounds > 1)
    answers = {name: times[name].answer for name in ("ours, CSR", "ours, CSC")}
    coded = Problem(
        problem.name, problem.X, referee.one_against_rest(problem.y), problem.n_features
    )
    verdicts = referee.judge(coded, answers, same=list(answers))
    refused = [f"{problem.name}, {n}: {v.reason}" for n, v in verdicts.items() if not v.accepted]
    if refused:
        section.rejected.extend(refused)
        return []
    yardstick = min(
        times["products, CSR"], times["products, CSC"], key=lambda timing: timing.median
    )
    ratios = {name: ratio(times[f"ours, {name}"], yardstick) for name in by_format}
    for name, found in ratios.items():
        section.claims.append(
            Claim(
                f"ours ({name}) / k products with {columns} columns on {problem.name}, "
                f"k = {problem.n_features}",
                found.median,
                AT_MOST,
                "at most",
                binding=named,
                spread=found.spread,
            )
        )
    section.raw[problem.name] = {name: timing.seconds for name, timing in times.items()}
    return [
        f"{problem.name}, k = {problem.n_features}",
        *map(str, ratios.values()),
        *_medians(times),
        f"{verdicts['ours, CSR'].error:.6g}",
    ]


def _select(X: Any, problem: Problem) -> Answer:
    from holdfast import ForwardRidgeClassifier

    model = ForwardRidgeClassifier(alphas=problem.alpha, n_features_to_select=problem.n_features)
    model.fit(X, problem.y)
    return Answer(model.selection_order_.tolist(), float(model.path_errors_[-1]))


def _products(X: Any, V: np.ndarray, count: int) -> None:
    for _ in range(count):
        X.T @ V


def _medians(times: dict[str, Timing]) -> list[str]:
    names = ("ours, CSR", "ours, CSC", "products, CSR", "products, CSC")
    return [seconds(times[name].median) for name in names]
