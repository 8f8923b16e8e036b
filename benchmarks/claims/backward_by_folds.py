"""Backward selection by K folds, the penalty optimised at every step, beside the paper's method."""

from __future__ import annotations

from benchmarks.claims.fold_race import Race, run_race
from benchmarks.fold_problems import NAMED, windowed
from benchmarks.peers import eigen_method, holdfast_hold_out
from benchmarks.report import Section

SIZES = {"default": [190, 150, 88], "full": [190, 170, 150, 120, 88]}
ROUNDS = {"default": 3, "full": 5}


def run(mode: str) -> Section:
    """Time ours and the eigen method from 200 columns down."""
    section = Section("Backward selection by K folds")
    if mode == "quick":
        race = Race(windowed(600, 12, 5, 6, 8), [10, 8], 4.0, rounds=1, binding=False)
    else:
        named = windowed(**NAMED, n_features=SIZES[mode][-1])
        race = Race(named, SIZES[mode], 4.0, ROUNDS[mode])
    run_race(section, race, "backward", holdfast_hold_out.BACKWARD, eigen_method.BACKWARD)
    return section
