"""Figure 1: F-measure against the number of columns, six problems, six methods, and all columns.

One repeat of the four random groups by default (Reuters: the given split); ``--full`` ten. What
was measured is stored by group, so that the figure and the verdict can be read from it again.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

import groups
import methods
import numpy as np
import problems
from joblib import Parallel, delayed

Found = Mapping[tuple[str, str, int], np.ndarray]
"""By problem, method and size: F-measures, (repeats, groups)."""


def run(mode: str, output: Path) -> dict:
    """Measure what is not stored yet, write table and figure, and say what became of the claims."""
    names = problems.NAMES[:1] if mode == "quick" else problems.NAMES
    found = _found(mode, names, output / "groups")
    _write(found, output / "figure1.csv")
    _draw(found, names, output / "figure1.png")
    tested = ", ".join(f"{name} {found[name, methods.METHODS[0], 2].size}" for name in names)
    return {
        "title": "Figure 1: F-measure against the number of columns",
        "table": _peaks(found, names),
        "quantities": _findings(found, names),
        "notes": [
            f"Repeats of the random groups: {groups.REPEATS[mode]}; columns up to "
            f"{groups.LARGEST[mode]}. Groups tested on: {tested}.",
            "Min, mean and max are over the groups of a repeat, then averaged over repeats.",
        ],
    }


def _found(mode: str, names: tuple[str, ...], store: Path) -> Found:
    units = groups.units(mode, names)
    largest = groups.LARGEST[mode]
    # The last ones are the longest: first, so that both processors end at about the same time.
    done = Parallel(n_jobs=2)(delayed(_values)(unit, largest, store) for unit in reversed(units))
    by_repeat = defaultdict(lambda: defaultdict(list))
    for (name, repeat, _), values in zip(reversed(units), done, strict=True):
        for method, size, value in values:
            by_repeat[name, method, size][repeat].append(value)
    return {key: np.array(list(values.values())) for key, values in by_repeat.items()}


def _values(unit: tuple[str, int, int], largest: int, store: Path) -> list[tuple[str, int, float]]:
    return list(groups.measured(unit, largest, store))


def summary(values: np.ndarray) -> tuple[float, float, float]:
    """Average over repeats of the least, the mean and the largest over groups."""
    return float(values.min(1).mean()), float(values.mean()), float(values.max(1).mean())


def _curve(found: Found, name: str, method: str) -> tuple[list[int], np.ndarray]:
    """Sizes, and (sizes, 3) of summaries."""
    sizes = sorted(size for problem, m, size in found if problem == name and m == method)
    return sizes, np.array([summary(found[name, method, size]) for size in sizes])


def _peaks(found: Found, names: tuple[str, ...]) -> str:
    """The best mean F-measure of every method, and at how many columns."""
    columns = (*methods.METHODS, *methods.ALL_COLUMNS)
    lines = ["| problem | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for name in names:
        cells = []
        for method in columns:
            sizes, curve = _curve(found, name, method)
            best = int(curve[:, 1].argmax())
            at = "" if sizes[best] < 0 else f" at {sizes[best]}"
            cells.append(f"{curve[best, 1]:.3f}{at}")
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(
        ["Best mean F-measure, and the number of columns it is reached at.", "", *lines]
    )


def _findings(found: Found, names: tuple[str, ...]) -> dict[str, float]:
    """The paper's three headings, as numbers over the problems."""

    def mean(name: str, method: str, low: int, high: int) -> float:
        sizes, curve = _curve(found, name, method)
        inside = [low <= size <= high for size in sizes]
        return float(curve[inside, 1].mean()) if any(inside) else float("nan")

    def peak(name: str, method: str) -> float:
        return float(_curve(found, name, method)[1][:, 1].max())

    def last(name: str, method: str) -> float:
        return float(_curve(found, name, method)[1][-1, 1])

    svm = {name: max(peak(name, "SVM-LARS 1"), peak(name, "SVM-LARS 0")) for name in names}
    rls = {name: max(peak(name, "RLS-LARS 1"), peak(name, "RLS-LARS 0")) for name in names}
    return {
        "1. problems where SVM-LARS is above SVM-IG in the middle phase (16 to 350 columns)": sum(
            max(mean(n, "SVM-LARS 1", 16, 350), mean(n, "SVM-LARS 0", 16, 350))
            > mean(n, "SVM-IG", 16, 350)
            for n in names
        ),
        "1. mean lead of SVM-LARS over SVM-IG there": float(
            np.mean([mean(n, "SVM-LARS 1", 16, 350) - mean(n, "SVM-IG", 16, 350) for n in names])
        ),
        "2. problems where the peak of SVM-LARS is above that of RLS-LARS": sum(
            svm[n] > rls[n] for n in names
        ),
        "2. mean loss of RLS-LARS (lambda_2 = 1) from its peak to 2000 columns": float(
            np.mean([peak(n, "RLS-LARS 1") - last(n, "RLS-LARS 1") for n in names])
        ),
        "2. the same of SVM-LARS (lambda_2 = 1)": float(
            np.mean([peak(n, "SVM-LARS 1") - last(n, "SVM-LARS 1") for n in names])
        ),
        "3. mean difference between lambda_2 = 1 and 0 of SVM-LARS up to 32 columns": float(
            np.mean(
                [abs(mean(n, "SVM-LARS 1", 2, 32) - mean(n, "SVM-LARS 0", 2, 32)) for n in names]
            )
        ),
        "3. mean lead of lambda_2 = 1 over 0 of SVM-LARS at 2000 columns": float(
            np.mean([last(n, "SVM-LARS 1") - last(n, "SVM-LARS 0") for n in names])
        ),
        "3. problems where lambda_2 = 0 has the higher SVM-LARS peak": sum(
            peak(n, "SVM-LARS 0") > peak(n, "SVM-LARS 1") for n in names
        ),
    }


def _write(found: Found, path: Path) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["problem", "method", "columns", "min", "mean", "max", "values"])
        for (name, method, size), values in found.items():
            three = [f"{value:.4f}" for value in summary(values)]
            every = " ".join(f"{value:.4f}" for value in values.ravel())
            writer.writerow([name, method, size if size > 0 else "all", *three, every])


def _draw(found: Found, names: tuple[str, ...], path: Path) -> None:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(
        len(names), 2, figsize=(9, 2.6 * len(names)), squeeze=False, sharey="row"
    )
    for row, name in zip(axes, names, strict=True):
        for ax, loss in zip(row, ("SVM", "RLS"), strict=True):
            for penalty, style in (("1", "k-"), ("0", "b--")):
                sizes, curve = _curve(found, name, f"{loss}-LARS {penalty}")
                for line, width in zip(curve.T, (0.5, 1.5, 0.5), strict=True):
                    label = f"LARS, $\\lambda_2$ = {penalty}" if width > 1 else None
                    ax.plot(sizes, line, style, linewidth=width, label=label)
            sizes, curve = _curve(found, name, f"{loss}-IG")
            for line, mark in zip(curve.T, ("r+", "rs", "rx"), strict=True):
                label = "information gain" if mark == "rs" else None
                ax.plot(sizes, line, mark, markersize=4, fillstyle="none", label=label)
            for value, style in zip(
                summary(found[name, f"{loss} all", -1]), ("k:", "k-", "k:"), strict=True
            ):
                ax.axhline(value, color=style[0], linestyle=style[1:], linewidth=0.6)
            ax.set_xscale("log")
            ax.set_title(f"{name}, {loss}", fontsize="small")
    axes[0, 0].legend(fontsize="x-small", frameon=False)
    for ax in axes[-1]:
        ax.set_xlabel("number of columns")
    for ax in axes[:, 0]:
        ax.set_ylabel("F-measure")
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)
