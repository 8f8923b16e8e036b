"""Kernel ridge on few basis vectors and on all rows, its penalty by exact hold-out, measured.

Run as ``python -m benchmarks.kernel [--full | --quick] [--only SECTION ...]``. Answers are judged
first (`benchmarks.kernel_referee`); one thread, contestants interleaved, ratios first. Exits with 1
if an answer was rejected or a claim missed.
"""

from __future__ import annotations

import sys

from benchmarks.claims import (
    kernel_full,
    kernel_hold_out,
    kernel_memory,
    kernel_peers,
    kernel_selection,
)
from benchmarks.entry import Entry

ENTRY = Entry(
    "kernel",
    "Kernel ridge by exact hold-out",
    {
        "selection": kernel_selection,
        "full": kernel_full,
        "growth": kernel_hold_out,
        "peers": kernel_peers,
        "memory": kernel_memory,
    },
)

if __name__ == "__main__":
    sys.exit(ENTRY.main())
