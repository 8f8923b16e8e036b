"""Table 2: windows of four features, leave-one-series-out."""

from __future__ import annotations

from pathlib import Path

import figures
import seizures
import table
from benchmarks.timing import one_thread
from methods import compare


def run(mode: str, output: Path) -> dict:
    """Run every method on the windows."""
    with one_thread() as machine:
        found = compare(seizures.windows_task(mode == "quick"), mode)
    title = "Windows, seizures"
    figures.store_and_draw(found, output, "windows", title, "balanced error rate")
    return {
        "title": "Table 2: windowed ridge regression, seizure detection (balanced error rate, %)",
        "table": table.one_task(found, 100, "%"),
        "quantities": table.quantities(found),
        "notes": ["The records are joined as for Table 1.", f"{machine}."],
    }
