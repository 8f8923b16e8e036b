"""The paper's tables from outcomes: one column per method, times, removals, errors."""

from __future__ import annotations

from benchmarks.report import seconds
from methods import Outcome

COLUMNS = {
    "RR naive": "RR",
    "RR cov.": "RR",
    "RR eig.": "RR",
    "RR ours": "RR",
    "FFS cov.": "FFS",
    "FFS eig.": "FFS",
    "FFS ours": "FFS",
    "BFS cov.": "BFS",
    "BFS eig.": "BFS",
    "BFS ours": "BFS",
    "LARS": "LARS",
    "OP-LR": "OP-LR",
    "OP-RR": "OP-RR",
}
READING = ("ours", "OP-LR", "OP-RR")
"""Columns whose time includes reading the data."""


def one_task(found: Outcome, scale: float, unit: str) -> str:
    """Table of one task; test errors times ``scale``."""
    models = COLUMNS.values()
    rows = {
        "fixed": [_fixed(found, column) for column in COLUMNS],
        "optimise": [
            ("~" if column in found.scaled else "") + seconds(found.seconds[column])
            for column in COLUMNS
        ],
        "% removed": [f"{100 * found.removed[model]:.0f}" for model in models],
        "held-out error": [f"{found.held_out[model]:.4f}" for model in models],
        f"error, {unit}": [f"{scale * found.errors[model][0]:.2f}" for model in models],
        "deviation": [f"{scale * found.errors[model][1]:.2f}" for model in models],
    }
    lines = ["| | " + " | ".join(COLUMNS) + " |", "|---|" + "---|" * len(COLUMNS)]
    lines += [f"| {name} | " + " | ".join(cells) + " |" for name, cells in rows.items()]
    rows_of, columns_of = found.task.X.shape
    between = "series" if found.task.labels is not None else "ten parts of the test rows"
    lines += [
        "",
        f"{rows_of} training rows, {columns_of} columns, {found.task.splits} folds, "
        f"{len(found.task.alphas)} penalties; condition number {found.task.condition:.1e}. "
        "Times are of the processor, one thread; those of our own columns and of OP-LR and OP-RR "
        "include reading the data; ~ scaled from a part. Held-out error: what the methods "
        "minimise, root mean square over the spread of the targets. "
        f"Error: on test rows, with its deviation between {between}.",
    ]
    return "\n".join(lines)


def _fixed(found: Outcome, column: str) -> str:
    if column.endswith("ours") or column in READING:
        return "(in it)"
    return seconds(found.fixed_lars if column == "LARS" else found.fixed)


def quantities(found: Outcome) -> dict[str, float]:
    """What the claims of one table are about."""
    error = {name: value[0] for name, value in found.errors.items()}
    times = found.seconds
    chosen = {
        "cov. / eig., penalty": times["RR cov."] / times["RR eig."],
        "naive / eig., penalty": times["RR naive"] / times["RR eig."],
        "cov. / eig., forward": times["FFS cov."] / times["FFS eig."],
        "cov. / eig., backward": times["BFS cov."] / times["BFS eig."],
        "eig. (with reading) / ours, forward": (times["FFS eig."] + found.fixed)
        / times["FFS ours"],
        "eig. (with reading) / ours, backward": (times["BFS eig."] + found.fixed)
        / times["BFS ours"],
        "error of BFS / RR": error["BFS"] / error["RR"],
        "error of FFS / RR": error["FFS"] / error["RR"],
        "error of LARS / RR": error["LARS"] / error["RR"],
        "error of the better of FFS and BFS / the best of LARS, OP-LR and OP-RR": min(
            error["FFS"], error["BFS"]
        )
        / min(error["LARS"], error["OP-LR"], error["OP-RR"]),
        "% removed by BFS": 100 * found.removed["BFS"],
        "% removed by FFS less by BFS": 100 * (found.removed["FFS"] - found.removed["BFS"]),
    }
    if found.task.labels is None:
        chosen["cov. and eig. choose the penalty of ours (1: yes)"] = float(found.agree)
    return chosen
