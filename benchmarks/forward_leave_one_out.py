"""Greedy forward selection by exact leave-one-out, measured.

Run as ``python -m benchmarks.forward_leave_one_out [--full | --quick] [--only SECTION ...]``.
Answers are judged first (`benchmarks.referee`); only accepted answers are timed in a table. One
thread, contestants interleaved, ratios first. ``--full`` runs the larger shapes and lets the slow
peers finish, ``--quick`` only shows in seconds that everything works and claims nothing. Exits
with 1 if an answer was rejected or a claim missed.
"""

from __future__ import annotations

import sys

from benchmarks.claims import (
    faster_than_algorithm2,
    grid_of_alphas,
    growth,
    memory,
    near_plain_products,
    peers_compared,
    text,
)
from benchmarks.entry import Entry

ENTRY = Entry(
    "forward_leave_one_out",
    "Greedy forward selection by exact leave-one-out",
    {
        "algorithm2": faster_than_algorithm2,
        "products": near_plain_products,
        "memory": memory,
        "text": text,
        "grid": grid_of_alphas,
        "growth": growth,
        "peers": peers_compared,
    },
)

if __name__ == "__main__":
    sys.exit(ENTRY.main())
