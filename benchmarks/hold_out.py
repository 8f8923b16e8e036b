"""Ridge regression by exact K-fold error: the penalty, forward and backward selection, measured.

Run as ``python -m benchmarks.hold_out [--full | --quick] [--only SECTION ...]``. Answers are judged
first (`benchmarks.fold_referee`); only accepted answers are timed in a table. One thread,
contestants interleaved, ratios first. ``--full`` repeats more often and adds shapes, ``--quick``
only shows in seconds that everything works and claims nothing. Exits with 1 if an answer was
rejected or a claim missed.
"""

from __future__ import annotations

import sys

from benchmarks.claims import (
    backward_by_folds,
    forward_by_folds,
    hold_out_growth,
    hold_out_memory,
    penalty_by_folds,
    penalty_peers,
)
from benchmarks.entry import Entry

ENTRY = Entry(
    "hold_out",
    "Ridge regression by exact K-fold error",
    {
        "penalty": penalty_by_folds,
        "forward": forward_by_folds,
        "backward": backward_by_folds,
        "growth": hold_out_growth,
        "memory": hold_out_memory,
        "peers": penalty_peers,
    },
)

if __name__ == "__main__":
    sys.exit(ENTRY.main())
