"""Forward selection by K folds, the penalty optimised at every step, beside the paper's method."""

from __future__ import annotations

from benchmarks.claims.fold_race import Race, run_race
from benchmarks.fold_problems import NAMED, windowed
from benchmarks.peers import eigen_method, holdfast_hold_out
from benchmarks.report import Section

ROUNDS = {"quick": 1, "default": 3, "full": 7}
SIZES = [5, 11, 22, 33, 44, 66]
BEYOND = [100, 132, 200]
WIDE_SIZES = [10, 25, 50, 100]


def run(mode: str) -> Section:
    """Time ours and the eigen method on 200 and on 1000 columns."""
    section = Section("Forward selection by K folds")
    for race in _races(mode):
        run_race(section, race, "forward", holdfast_hold_out.FORWARD, eigen_method.FORWARD)
    section.notes.append(
        "Without the pass: both times less that of the eigen method's moments, as if both read the "
        "data alike; from whole fits, so a bound on neither."
    )
    return section


def _races(mode: str) -> list[Race]:
    if mode == "quick":
        narrow = windowed(600, 12, 5, 6, 4)
        return [Race(narrow, [2, 4], 3.0, rounds=1, binding=False)]
    named = windowed(**NAMED, n_features=SIZES[-1])
    wide = windowed(20000, 1000, 10, 20, WIDE_SIZES[-1], signals=20)
    races = [Race(named, SIZES, 3.0, ROUNDS[mode]), Race(wide, WIDE_SIZES, 5.0, ROUNDS[mode])]
    if mode == "full":
        races.append(Race(named, BEYOND, 3.0, rounds=1, binding=False))
    return races
