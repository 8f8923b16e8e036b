"""Rows on disk and in Dask's hands: what reading costs beside the arithmetic, what travels.

Run as ``python -m benchmarks.larger_than_memory [--full | --quick] [--only SECTION ...]``. Answers
are judged first, against those of the same data in memory; only accepted answers are timed. One
thread, contestants interleaved, ratios first.
"""

from __future__ import annotations

import sys

from benchmarks.claims import chunked_reading, dask_sweeps, large_file
from benchmarks.entry import Entry

ENTRY = Entry(
    "larger_than_memory",
    "Rows on disk and in Dask's hands",
    {
        "chunks": chunked_reading,
        "dask": dask_sweeps,
        "large_penalty": large_file.PENALTY,
        "large_forward": large_file.FORWARD,
        "large_kernel": large_file.KERNEL,
    },
)

if __name__ == "__main__":
    sys.exit(ENTRY.main())
