"""Tables 5 and 6: extreme learning machines, 100 hidden units and the inputs, seven data sets."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks.problems import data_folder
from benchmarks.report import seconds
from benchmarks.timing import one_thread
from methods import Outcome, compare
from task import Task, nrmse

from holdfast import RandomLayer

SETS = {
    "abalone": ("Abal", 2785),
    "ailerons": ("Aile", 7154),
    "bank32nh": ("Bank", 4500),
    "cancer_wpbc": ("Canc", 129),
    "elevators": ("Elev", 8752),
    "auto_price": ("Pric", 106),
    "servo": ("Serv", 111),
}
REPEATS = {"quick": 1, "default": 3, "full": 10}
MODELS = ("RR", "FFS", "BFS", "LARS", "OP-LR", "OP-RR")
TIMES = ("RR naive", "RR cov.", "RR eig.", "RR ours", "FFS cov.", "FFS eig.", "FFS ours")
TIMES += ("BFS cov.", "BFS eig.", "BFS ours", "LARS", "OP-LR", "OP-RR")
NOTE = """\
Rows are shuffled, as many as in Table 6 train, the others test;
inputs are standardised, 100 tanh units beside them. {repeats} shuffles and layers, means. Times
are means over the sets; ~ are timed on a part. {machine}."""


def run(mode: str, output: Path) -> dict:
    """Run every method on every set."""
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(
            "the regression sets were not found, expected HOLDFAST_DATA or ../shared/data; set "
            "HOLDFAST_DATA, or leave this part out with --only"
        )
    names = ["auto_price", "servo"] if mode == "quick" else list(SETS)
    with one_thread() as machine:
        found = {
            SETS[name][0]: [
                compare(_task(folder, name, seed, mode == "quick")) for seed in range(REPEATS[mode])
            ]
            for name in names
        }
    return {
        "title": "Tables 5 and 6: extreme learning machines (NRMSE x 10)",
        "table": _table(found),
        "quantities": _quantities(found),
        "notes": [NOTE.format(repeats=REPEATS[mode], machine=machine)],
    }


def _task(folder: Path, name: str, seed: int, quick: bool) -> Task:
    with np.load(folder / f"{name}.npz") as stored:
        X, y = stored["X"], stored["y"]
    order = np.random.default_rng(seed).permutation(len(y))
    training, test = order[: SETS[name][1]], order[SETS[name][1] :]
    mean, spread = X[training].mean(axis=0), X[training].std(axis=0)
    scaled = (X - mean) / np.where(spread > 0, spread, 1.0)
    layer = RandomLayer(n_units=10 if quick else 100, include_inputs=True, random_state=seed)
    layer.fit(scaled[training])
    return Task(
        SETS[name][0],
        layer.transform(scaled[training]),
        y[training] / y[training].std(),
        20,
        80,
        layer.transform(scaled[test]),
        nrmse(y[test] / y[training].std()),
    )


def _mean(outcomes: list[Outcome], of: str, name: str) -> float:
    values = [getattr(found, of)[name] for found in outcomes]
    return float(np.mean([v[0] if isinstance(v, tuple) else v for v in values]))


def _table(found: dict[str, list[Outcome]]) -> str:
    lines = ["| set | | " + " | ".join(MODELS) + " | rows x columns | condition | fixed |"]
    lines.append("|---|---|" + "---|" * (len(MODELS) + 3))
    for name, outcomes in found.items():
        task = outcomes[0].task
        errors = [f"{10 * _mean(outcomes, 'errors', model):.2f}" for model in MODELS]
        removed = [f"{100 * _mean(outcomes, 'removed', model):.0f}" for model in MODELS]
        about = [f"{task.X.shape[0]} x {task.X.shape[1]}", f"{task.condition:.1e}"]
        about.append(seconds(float(np.mean([one.fixed for one in outcomes]))))
        lines.append(f"| {name} | error x 10 | " + " | ".join([*errors, *about]) + " |")
        lines.append("| | % removed | " + " | ".join([*removed, "", "", ""]) + " |")
    every = [one for outcomes in found.values() for one in outcomes]
    lines += ["", "| | " + " | ".join(TIMES) + " |", "|---|" + "---|" * len(TIMES)]
    cells = [
        ("~" if column in every[0].scaled else "") + seconds(_mean(every, "seconds", column))
        for column in TIMES
    ]
    lines.append("| mean time to optimise | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _quantities(found: dict[str, list[Outcome]]) -> dict[str, float]:
    error = {n: {m: _mean(o, "errors", m) for m in MODELS} for n, o in found.items()}
    removed = {n: {m: _mean(o, "removed", m) for m in MODELS} for n, o in found.items()}
    every = [one for outcomes in found.values() for one in outcomes]

    def count(condition: object) -> float:
        return float(sum(condition(name) for name in found))  # type: ignore[operator]

    times = {column: _mean(every, "seconds", column) for column in TIMES}
    return {
        "runs in which cov. and eig. choose the penalty of ours, share": float(
            np.mean([one.agree for one in every])
        ),
        "cov. / eig., penalty": times["RR cov."] / times["RR eig."],
        "naive / eig., penalty": times["RR naive"] / times["RR eig."],
        "cov. / eig., backward": times["BFS cov."] / times["BFS eig."],
        "eig. / ours, forward": times["FFS eig."] / times["FFS ours"],
        "eig. / ours, backward": times["BFS eig."] / times["BFS ours"],
        "sets on which BFS is at most 1.02 x the error of RR": count(
            lambda n: error[n]["BFS"] <= 1.02 * error[n]["RR"]
        ),
        "sets on which the better of FFS and BFS beats RR, LARS, OP-LR and OP-RR": count(
            lambda n: (
                min(error[n]["FFS"], error[n]["BFS"])
                <= min(error[n][m] for m in ("RR", "LARS", "OP-LR", "OP-RR"))
            )
        ),
        "sets on which FFS removes more than BFS": count(
            lambda n: removed[n]["FFS"] > removed[n]["BFS"]
        ),
        "sets on which LARS is worse than RR": count(lambda n: error[n]["LARS"] > error[n]["RR"]),
    }
