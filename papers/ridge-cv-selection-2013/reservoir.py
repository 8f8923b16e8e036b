"""Table 1: a reservoir of 200 units, leave-one-series-out."""

from __future__ import annotations

from pathlib import Path

import figures
import seizures
import table
from benchmarks.timing import one_thread
from methods import compare


def run(mode: str, output: Path) -> dict:
    """Run every method on the states."""
    with one_thread() as machine:
        found = compare(seizures.reservoir_task(mode == "quick"), mode)
    figures.store_and_draw(
        found, output, "reservoir", "Reservoir states, seizures", "balanced error rate"
    )
    return {
        "title": "Table 1: reservoir computing, seizure detection (balanced error rate, %)",
        "table": table.one_task(found, 100, "%"),
        "quantities": table.quantities(found),
        "notes": [seizures.__doc__.strip(), f"{machine}."],
    }
