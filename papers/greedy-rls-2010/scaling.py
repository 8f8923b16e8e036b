"""Figure 3: running time against the number of examples, 50 of 1000 features selected.

Left and middle: 500 to 5000 examples, holdfast, Algorithm 2 and the low-rank updated LS-SVM whose
time grows with the square. Right: up to 50000 examples, without the LS-SVM, as in the paper.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import low_rank_ls_svm
import matplotlib.pyplot as plt
import numpy as np
from benchmarks import referee
from benchmarks.peers import algorithm2
from benchmarks.problems import Problem
from benchmarks.referee import Answer
from benchmarks.timing import one_thread, side_by_side, slope

from holdfast import ForwardRidgeClassifier

N_FEATURES = {"quick": 40, "default": 1000, "full": 1000}
N_SELECTED = {"quick": 5, "default": 50, "full": 50}
SMALL = {"quick": [100, 200], "default": list(range(500, 5001, 500))}
SMALL["full"] = SMALL["default"]
LARGE = {"quick": [200, 400], "default": [1000, 5000, 10000, 20000, 30000, 40000, 50000]}
LARGE["full"] = LARGE["default"]
ALPHA = 1.0
BASELINE_STEPS = 4  # every step costs the same; all of them with --full and for small m
BASELINE_ALL_BELOW = 1000
ROUNDS = {"quick": 1, "default": 3, "full": 5}
OURS, LINEAR, QUADRATIC = "holdfast", "Algorithm 2 (NumPy)", "low-rank updated LS-SVM"
STYLE = {OURS: ("C0", "o"), LINEAR: ("C1", "s"), QUADRATIC: ("C3", "^")}
NOTE = """\
All methods chose the same features at every m, and every error reported is the exact leave-one-out
error of its features: the referee of `benchmarks/` compares them before a time is shown.

~ timed on {steps} steps and scaled: a step of the LS-SVM costs the same whatever has been selected.
Exponents are slopes of log time on log m, for holdfast and Algorithm 2 over the right panel. For
m = 50000 the paper (2.4 GHz Core 2 Duo, 2010) took a bit less than twelve minutes.

Best of {rounds} interleaved rounds (one where the LS-SVM runs on more than 2000 examples);
{machine}."""


@dataclass(frozen=True)
class Point:
    """One running time: of all steps, measured on ``timed_steps`` of them."""

    panel: str
    method: str
    examples: int
    seconds: float
    timed_steps: int


def two_normals(m: int, n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Draw two classes from two normal distributions whose means differ in every feature."""
    random = np.random.default_rng(seed)
    y = np.where(random.random(m) < 0.5, -1.0, 1.0)
    shift = 0.1 * random.standard_normal(n)
    X = np.empty((m, n))
    for start in range(0, m, 1000):
        rows = slice(start, min(start + 1000, m))
        X[rows] = random.standard_normal((rows.stop - start, n)) + y[rows, None] * shift
    return X, y


def run(mode: str, output: Path) -> dict:
    """Time all methods, write figure3.csv and figure3.png, return what to report."""
    k = N_SELECTED[mode]
    with one_thread() as machine:
        small = [point for m in SMALL[mode] for point in _time_all(m, mode, "left")]
        large = [point for m in LARGE[mode] for point in _time_all(m, mode, "right")]
    points = small + large
    with (output / "figure3.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(asdict(points[0])))
        writer.writeheader()
        writer.writerows(asdict(point) for point in points)
    _draw(points, k, N_FEATURES[mode], output / "figure3.png")
    last, largest = SMALL[mode][-1], LARGE[mode][-1]
    quantities = {
        "exponent in m of the low-rank updated LS-SVM": _exponent(small, QUADRATIC),
        "exponent in m of Algorithm 2": _exponent(large, LINEAR),
        "exponent in m of holdfast": _exponent(large, OURS),
        f"LS-SVM / holdfast at m = {last}": _ratio(small, QUADRATIC, OURS, last),
        f"Algorithm 2 / holdfast at m = {last}": _ratio(small, LINEAR, OURS, last),
        f"Algorithm 2 / holdfast at m = {largest}": _ratio(large, LINEAR, OURS, largest),
        f"holdfast, seconds at m = {largest}": _seconds(large, OURS, largest),
    }
    return {
        "title": f"Figure 3: {k} of {N_FEATURES[mode]} features",
        "table": _table(points),
        "quantities": quantities,
        "notes": [NOTE.format(steps=BASELINE_STEPS, rounds=ROUNDS[mode], machine=machine)],
    }


def _time_all(m: int, mode: str, panel: str) -> list[Point]:
    X, y = two_normals(m, N_FEATURES[mode])
    k = N_SELECTED[mode]
    whole = mode != "default" or m < BASELINE_ALL_BELOW
    steps = k if whole else BASELINE_STEPS
    contestants: dict[str, Callable[[], Answer]] = {
        OURS: lambda: _ours(X, y, k),
        LINEAR: lambda: algorithm2.select_by_rows(X, y, k, ALPHA),
    }
    if panel == "left":
        contestants[QUADRATIC] = lambda: Answer(*low_rank_ls_svm.select(X, y, steps, ALPHA))
    times = side_by_side(contestants, rounds=1 if m > 2000 and panel == "left" else ROUNDS[mode])
    _check(Problem("two normals", X, y, k, ALPHA), {n: t.answer for n, t in times.items()}, steps)
    timed = dict.fromkeys(contestants, k) | {QUADRATIC: steps}
    return [
        Point(panel, name, m, min(timing.seconds) * k / timed[name], timed[name])
        for name, timing in times.items()
    ]


def _ours(X: np.ndarray, y: np.ndarray, k: int) -> Answer:
    model = ForwardRidgeClassifier(alphas=ALPHA, n_features_to_select=k).fit(X, y)
    return Answer(model.selection_order_.tolist(), float(model.path_errors_[-1]))


def _check(problem: Problem, answers: dict[str, Answer], steps: int) -> None:
    """Refuse to report times of answers that are not the greedy ones."""
    verdicts = referee.judge(
        problem, {name: answers[name] for name in (OURS, LINEAR)}, same=[LINEAR, OURS]
    )
    wrong = {name: verdict.reason for name, verdict in verdicts.items() if not verdict.accepted}
    if QUADRATIC in answers and answers[QUADRATIC].columns != answers[LINEAR].columns[:steps]:
        wrong[QUADRATIC] = "selects other features than Algorithm 2"
    if wrong:
        raise ValueError(
            f"answers at m = {len(problem.y)} were rejected: {wrong}; expected the same greedy "
            "selection from every method; no time is reported before they agree"
        )


def _table(points: list[Point]) -> str:
    lines = ["| m | " + " | ".join(f"{name}, s" for name in STYLE) + " |", "|---|---|---|---|"]
    for panel in ("left", "right"):
        for m in dict.fromkeys(point.examples for point in points if point.panel == panel):
            here = {p.method: p for p in points if p.examples == m and p.panel == panel}
            steps = here[OURS].timed_steps
            cells = [_cell(here.get(name), steps) for name in STYLE]
            lines.append(f"| {m} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(point: Point | None, steps: int) -> str:
    if point is None:
        return "-"
    return f"{'~' if point.timed_steps < steps else ''}{point.seconds:.3g}"


def _line(points: list[Point], method: str) -> tuple[list[int], list[float]]:
    chosen = [point for point in points if point.method == method]
    return [point.examples for point in chosen], [point.seconds for point in chosen]


def _exponent(points: list[Point], method: str) -> float:
    return slope(*_line(points, method))


def _seconds(points: list[Point], method: str, m: int) -> float:
    return dict(zip(*_line(points, method), strict=True))[m]


def _ratio(points: list[Point], slow: str, fast: str, m: int) -> float:
    return _seconds(points, slow, m) / _seconds(points, fast, m)


def _draw(points: list[Point], k: int, n: int, path: Path) -> None:
    figure, axes = plt.subplots(1, 3, figsize=(13, 4.2), layout="constrained")
    left = [point for point in points if point.panel == "left"]
    right = [point for point in points if point.panel == "right"]
    for ax, shown in ((axes[0], left), (axes[1], left), (axes[2], right)):
        for method, (colour, marker) in STYLE.items():
            m, seconds = _line(shown, method)
            if m:
                ax.plot(m, seconds, color=colour, marker=marker, ms=4.5, label=method)
        ax.set_xlabel("training examples m")
        ax.grid(alpha=0.3, which="major")
    axes[0].set(ylabel="running time in seconds", title="linear axes")
    axes[1].set(title="logarithmic axes", xscale="log", yscale="log")
    axes[1].set_xticks([500, 1000, 2000, 5000], ["500", "1000", "2000", "5000"])
    axes[1].minorticks_off()
    axes[1].set_ylabel("running time in seconds")
    axes[2].set(title="more examples, without the LS-SVM", ylabel="running time in seconds")
    axes[0].legend(frameon=False, loc="upper left")
    for method in STYLE:
        m, seconds = _line(left, method)
        _annotate(axes[1], m, seconds, STYLE[method][0], f"slope {slope(m, seconds):.2f}")
        m, seconds = _line(right, method)
        if m:
            text = f"{seconds[-1]:.2g} s"
            _annotate(axes[2], m, seconds, STYLE[method][0], text)
    for ax in axes[1:]:
        ax.margins(y=0.12)  # room for what is written above the last points
    figure.suptitle(f"Selecting {k} of {n} features by exact leave-one-out, one thread")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _annotate(ax: plt.Axes, m: list[int], seconds: list[float], colour: str, text: str) -> None:
    ax.annotate(
        text, (m[-1], seconds[-1]), (-6, 8), textcoords="offset points", color=colour, ha="right"
    )
