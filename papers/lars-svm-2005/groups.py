"""One problem, one repeat, one testing group: the unit of work of Figure 1, and where it is stored.

``python papers/lars-svm-2005/groups.py PROBLEM REPEAT GROUP`` measures one by itself, so that a run
can be taken in pieces; ``run.py`` measures what is not stored yet. Delete ``results/groups`` to
measure everything anew.
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import methods
import problems

STORE = Path(__file__).resolve().parent / "results" / "groups"
REPEATS = {"quick": 1, "default": 1, "full": 10}
LARGEST = {"quick": 8, "default": 2000, "full": 2000}
TESTED = {"La1-2": 2, "La1-4": 2, "Ohscal-7": 1, "News-3": 1}
"""Groups of these problems that the default run tests on, of four; of Fbis-4 all."""


def units(mode: str, names: tuple[str, ...]) -> list[tuple[str, int, int]]:
    """Problem, repeat and group of everything that a run needs."""
    return [
        (name, repeat, group)
        for name in names
        for repeat in range(REPEATS[mode] if problems.is_random(name) else 1)
        for group in range(_count(mode, name))
    ]


def _count(mode: str, name: str) -> int:
    """Groups that are tested on."""
    if mode == "quick" or not problems.is_random(name):
        return 1
    return TESTED.get(name, 4) if mode == "default" else 4


def measured(
    unit: tuple[str, int, int], largest: int, folder: Path
) -> Iterator[tuple[str, int, float]]:
    """Method, size (-1: all columns) and F-measure; what is not in the store is measured first."""
    name, repeat, group = unit
    path = folder / f"{name}-{repeat}-{group}-{largest}.csv"
    known = {line["method"] for line in _stored(path)}
    missing = [m for m in (*methods.METHODS, *methods.ALL_COLUMNS) if m not in known]
    if missing:
        _measure(unit, missing, largest, path)
    for line in _stored(path):
        yield line["method"], int(line["columns"]), float(line["F"])


def _stored(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(newline="") as stream:
        return list(csv.DictReader(stream))


def _measure(unit: tuple[str, int, int], missing: list[str], largest: int, path: Path) -> None:
    """Measure some methods; each is stored when it is done."""
    name, repeat, group = unit
    problem = problems.load(name)
    train, test = list(problem.groups(repeat))[group]
    tables = problem.tables(train, test)
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists():
        path.write_text("method,columns,F,seconds\n")
    for method in missing:
        started = time.process_time()
        found = methods.f_measures(
            method, (tables[0], problem.y[train]), (tables[1], problem.y[test]), largest
        )
        seconds = time.process_time() - started
        print(f"{name} {repeat} {group} {method}: {seconds:.0f} s", file=sys.stderr, flush=True)
        with path.open("a", newline="") as stream:
            csv.writer(stream, lineterminator="\n").writerows(
                [method, size, f"{value:.4f}", f"{seconds:.1f}"] for size, value in found.items()
            )


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    wanted = (sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    print(sum(1 for _ in measured(wanted, LARGEST["default"], STORE)), "values stored")
