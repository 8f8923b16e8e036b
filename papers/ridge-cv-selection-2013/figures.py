"""Figures beside the tables: errors against the number of columns, and times.

The paper has tables only. What is drawn is stored beside it: ``NAME_paths.csv`` and
``NAME_times.csv``.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from pathlib import Path

import matplotlib.pyplot as plt
from benchmarks.report import seconds
from methods import Outcome

STYLE = {
    "FFS": ("C0", "o"),
    "BFS": ("C3", "s"),
    "LARS": ("C2", "^"),
    "OP-LR": ("C1", "v"),
    "OP-RR": ("C4", "D"),
}
BARS = {"naive": "0.75", "cov.": "C1", "eig.": "C0", "ours": "C3", "": "0.45"}


def store_and_draw(found: Outcome, output: Path, name: str, title: str, error: str) -> None:
    """Figure of one task: both errors along the paths, and the times."""
    _store_paths({"": [found]}, output / f"{name}_paths.csv")
    store_times(found.seconds, found.scaled, output / f"{name}_times.csv")
    figure, axes = plt.subplots(1, 3, figsize=(13.5, 4.4), layout="constrained")
    draw_paths(axes[0], axes[1], found)
    axes[0].set(ylabel="held-out error (relative)", title="what the methods minimise")
    axes[1].set(ylabel=error, title="new rows")
    for ax in axes[:2]:
        ax.set_xlabel("columns in the model")
    draw_times(axes[2], found.seconds, found.scaled)
    _legend(figure, axes[0])
    figure.suptitle(title)
    figure.savefig(output / f"{name}.png", dpi=130)
    plt.close(figure)


def draw_sets(found: Mapping[str, list[Outcome]], output: Path, name: str, title: str) -> None:
    """Both errors along the paths of several tasks, those of the first repeat."""
    _store_paths(found, output / f"{name}_paths.csv")
    width = max(len(found), 2)
    figure, axes = plt.subplots(
        2, width, figsize=(2.7 * width, 5.4), layout="constrained", squeeze=False
    )
    for (task, outcomes), (held_out, test) in zip(found.items(), axes.T, strict=False):
        draw_paths(held_out, test, outcomes[0])
        held_out.set_title(task)
        test.set_xlabel("columns in the model")
    axes[0, 0].set_ylabel("held-out error (relative)")
    axes[1, 0].set_ylabel("test error (NRMSE)")
    _legend(figure, axes[0, 0])
    figure.suptitle(title)
    figure.savefig(output / f"{name}.png", dpi=110)
    plt.close(figure)


def draw_only_times(times: Mapping[str, float], scaled: Iterable[str], path: Path) -> None:
    """Figure of the times alone."""
    figure, ax = plt.subplots(figsize=(6, 4.2), layout="constrained")
    draw_times(ax, times, scaled)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def draw_paths(held_out: plt.Axes, test: plt.Axes, found: Outcome) -> None:
    """Errors against columns; the chosen model is marked, all columns are a line across."""
    for ax, of, flat in (
        (held_out, "held_out", found.held_out["RR"]),
        (test, "test", found.errors["RR"][0]),
    ):
        ax.axhline(flat, color="0.35", ls="--", lw=1, label="RR, all columns")
        seen = [flat]  # the models that are compared, and the best ones there are
        for name, (colour, marker) in STYLE.items():
            curve = found.curves[name]
            values = getattr(curve, of)
            ax.plot(
                curve.sizes,
                values,
                color=colour,
                lw=1.2,
                marker=marker,
                ms=7,
                mec="k",
                mew=0.6,
                markevery=[curve.chosen],
                label=name,
            )
            seen += [values[curve.chosen], values.min()]
        low, high = min(seen), max(seen)
        ax.set_ylim(low - 0.08 * (high - low), high + 0.6 * (high - low))
        ax.grid(alpha=0.3)


def _legend(figure: plt.Figure, ax: plt.Axes) -> None:
    lines, names = ax.get_legend_handles_labels()
    names = [f"{name} (mark: chosen)" if name == "FFS" else name for name in names]
    figure.legend(lines, names, loc="outside lower center", ncols=len(names), frameon=False)


def draw_times(ax: plt.Axes, times: Mapping[str, float], scaled: Iterable[str]) -> None:
    """Bars of seconds on a logarithmic axis; scaled ones are hatched."""
    names = [name for name in times if name != "fixed"]
    names.sort(key=_place)
    scaled = set(scaled)
    for row, name in enumerate(names):
        kind = name.split(" ")[1] if " " in name else ""
        ax.barh(
            row,
            times[name],
            color=BARS[kind],
            hatch="///" if name in scaled else None,
            edgecolor="white",
            lw=0,
        )
        mark = "~" if name in scaled else ""
        ax.annotate(
            mark + seconds(times[name]),
            (times[name], row),
            (3, 0),
            textcoords="offset points",
            va="center",
            fontsize="small",
        )
    ax.set(xscale="log", xlabel="seconds to optimise", title="hatched: scaled from a part")
    ax.set_yticks(range(len(names)), names)
    low, high = min(times.values()), max(times.values())
    ax.set_xlim(low / 2, high * (high / low) ** 0.25)
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)


def _place(name: str) -> tuple[int, int]:
    model, _, kind = name.partition(" ")
    models = ["RR", "FFS", "BFS", "LARS", "OP-LR", "OP-RR"]
    return models.index(model), list(BARS).index(kind)


def store_times(times: Mapping[str, float], scaled: Iterable[str], path: Path) -> None:
    """Seconds by column."""
    scaled = set(scaled)
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["column", "seconds", "scaled"])
        for name in sorted(times, key=_place):
            writer.writerow([name, f"{times[name]:.6g}", int(name in scaled)])


def _store_paths(found: Mapping[str, list[Outcome]], path: Path) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerow(["set", "repeat", "method", "columns", "held_out", "test", "chosen"])
        for task, outcomes in found.items():
            for repeat, outcome in enumerate(outcomes):
                for method, curve in outcome.curves.items():
                    for at, line in enumerate(
                        zip(curve.sizes, curve.held_out, curve.test, strict=True)
                    ):
                        numbers = [int(line[0]), *(f"{value:.6g}" for value in line[1:])]
                        chosen = int(at == curve.chosen)
                        writer.writerow([task, repeat, method, *numbers, chosen])
