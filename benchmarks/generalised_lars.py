"""Paths of generalised LARS, measured.

Run as ``python -m benchmarks.generalised_lars [--full | --quick] [--only SECTION ...]``. Answers
are judged first (`benchmarks.lars_referee`); only accepted answers are timed in a table. One
thread, contestants interleaved, ratios first. ``--full`` runs liblinear at every value, ``--quick``
only shows in seconds that everything works and claims nothing. Exits with 1 if an answer was
rejected or a claim missed.
"""

from __future__ import annotations

import sys

from benchmarks.claims import lars_least_squares, lars_liblinear, lars_literal, lars_memory
from benchmarks.entry import Entry

ENTRY = Entry(
    "generalised_lars",
    "Paths of generalised LARS",
    {
        "liblinear": lars_liblinear.NEWS,
        "liblinear_reuters": lars_liblinear.REUTERS,
        "least_squares": lars_least_squares.PRODUCTS_OF_X,
        "scikit_learn": lars_least_squares.SCIKIT_LEARN,
        "literal": lars_literal,
        "memory": lars_memory,
    },
)

if __name__ == "__main__":
    sys.exit(ENTRY.main())
