"""Feature maps: the choice of a basis, reservoir states, and a penalty on them, measured.

Run as ``python -m benchmarks.maps [--full | --quick] [--only SECTION ...]``. Answers are judged
first; one thread, contestants interleaved, ratios first. Exits with 1 if an answer was rejected or
a claim missed.
"""

from __future__ import annotations

import sys

from benchmarks.claims import entropy_trials, reservoir_states, series_penalty
from benchmarks.entry import Entry

ENTRY = Entry(
    "maps",
    "Feature maps",
    {"entropy": entropy_trials, "reservoir": reservoir_states, "penalty": series_penalty},
)

if __name__ == "__main__":
    sys.exit(ENTRY.main())
