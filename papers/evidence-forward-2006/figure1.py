"""Figure 1: time and test error on California housing as the training set grows."""

from __future__ import annotations

import csv
import sys
from dataclasses import astuple, dataclass
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from benchmarks.problems import data_folder
from benchmarks.timing import one_thread, slope
from methods import FORWARD, METHODS, NEW, OLD, Choice, choose, judged

SIZES = {"quick": [200, 300], "default": list(range(1000, 10001, 1000))}
SIZES["full"] = SIZES["default"]
LARGEST = {
    "quick": {OLD: 200, NEW: 300, FORWARD: 300},
    "default": {OLD: 3000, NEW: 5000, FORWARD: 10000},
    "full": {OLD: 4000, NEW: 10000, FORWARD: 10000},
}
N_TEST = {"quick": 500, "default": 10640, "full": 10640}
SUBSET = {"quick": 150, "default": 500, "full": 1000}
CV_SIZES = {"quick": (20,), "default": (100,), "full": (100,)}
MOST = 500
STYLE = {FORWARD: ("C0", "o"), OLD: ("C3", "^"), NEW: ("C1", "s")}
NOTE = """\
At most min(10 %, {most}) functions for Forward, chosen by a kernel matrix of that rank; processor
seconds of the whole fit, factor included. The relevance vector machines run up to {old} rows (the
paper: 2500) and {new} (4500). NMSE: squared error over the variance of the test targets.
Parameters by five-fold cross-validation on {subset} rows, once. {machine}."""


@dataclass(frozen=True)
class Point:
    """One fit."""

    method: str
    rows: int
    seconds: float
    error: float
    functions: int


def run(mode: str, output: Path) -> dict:
    """Fit every method at every size it reaches, draw, return what to report."""
    stored = np.load(data_folder() / "california_housing.npz", allow_pickle=False)
    X, y = stored["X"].astype(float), stored["y"].astype(float)
    y = (y - y.mean()) / y.std()
    order = np.random.RandomState(0).permutation(len(y))
    test, rest = order[: N_TEST[mode]], order[N_TEST[mode] :]
    points = []
    with one_thread() as machine:
        subset = rest[: SUBSET[mode]]
        choices = {
            method: choose(method, X[subset], y[subset], CV_SIZES[mode], mode) for method in METHODS
        }
        for size in SIZES[mode]:
            points += [
                _fit(method, choices[method], X, y, rest[:size], test)
                for method in METHODS
                if size <= LARGEST[mode][method]
            ]
    with (output / "figure1.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["method", "rows", "seconds", "nmse", "functions"])
        writer.writerows(astuple(point) for point in points)
    _draw(points, output / "figure1.png")
    chosen = "; ".join(f"{method}: {choice}" for method, choice in choices.items())
    note = NOTE.format(
        most=MOST,
        old=LARGEST[mode][OLD],
        new=LARGEST[mode][NEW],
        subset=SUBSET[mode],
        machine=machine,
    )
    return {
        "title": "Figure 1: California housing",
        "table": _table(points, SIZES[mode]),
        "quantities": _quantities(points),
        "notes": [note, "", chosen + ".", "", "![Time and error](figure1.png)"],
    }


def _fit(
    method: str,
    choice: Choice,
    X: np.ndarray,
    y: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
) -> Point:
    low_rank = None
    if method == FORWARD:
        low_rank = min(len(train) // 10, MOST)
        choice = Choice(choice.width, choice.penalty, low_rank)
    result = judged(method, choice, X, y, train, test, low_rank)
    error = result.error / float(np.var(y[test]))
    print(
        f"  {method} {len(train)}: {result.seconds:.1f} s, NMSE {error:.3f}, {result.n_basis}",
        file=sys.stderr,
        flush=True,
    )
    return Point(method, len(train), result.seconds, error, result.n_basis)


def _at(points: list[Point], method: str, rows: int) -> Point | None:
    found = [point for point in points if point.method == method and point.rows == rows]
    return found[0] if found else None


def _table(points: list[Point], sizes: list[int]) -> str:
    header = "| rows | " + " | ".join(f"{m}: s, NMSE, functions" for m in METHODS) + " |"
    lines = [header, "|---|---|---|---|"]
    for rows in sizes:
        cells = []
        for method in METHODS:
            point = _at(points, method, rows)
            cells.append(
                f"{point.seconds:.3g}, {point.error:.3f}, {point.functions}" if point else "-"
            )
        lines.append(f"| {rows} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _quantities(points: list[Point]) -> dict[str, float]:
    forward = [point for point in points if point.method == FORWARD]
    full = [point for point in forward if point.functions == MOST] or forward
    quantities = {
        "exponent in m of the time of Forward at 500 functions": slope(
            [point.rows for point in full], [point.seconds for point in full]
        ),
    }
    for method in (OLD, NEW):
        last = [point for point in points if point.method == method][-1]
        ours = _at(points, FORWARD, last.rows)
        quantities[f"time of {method} / Forward at its largest size"] = last.seconds / ours.seconds
        quantities[f"NMSE of Forward / {method} at its largest size"] = ours.error / last.error
    quantities["NMSE of Forward at the largest size / at the smallest"] = (
        forward[-1].error / forward[0].error
    )
    return quantities


def _draw(points: list[Point], path: Path) -> None:
    figure, axes = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    for method, (colour, marker) in STYLE.items():
        line = [point for point in points if point.method == method]
        rows = [point.rows for point in line]
        axes[0].plot(rows, [p.seconds for p in line], color=colour, marker=marker, label=method)
        axes[1].plot(rows, [p.error for p in line], color=colour, marker=marker)
    axes[0].set(xlabel="training rows", ylabel="processor time in seconds", yscale="log")
    axes[1].set(xlabel="training rows", ylabel="test NMSE")
    axes[0].legend(frameon=False)
    for ax in axes:
        ax.grid(alpha=0.3)
    figure.suptitle("California housing, one thread")
    figure.savefig(path, dpi=150)
    plt.close(figure)
