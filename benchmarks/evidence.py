"""Forward regression by evidence and relevance vector machines, measured.

Run as ``python -m benchmarks.evidence [--full | --quick] [--only SECTION ...]``. Evidences are
judged first (`benchmarks.evidence_referee`); one thread, ratios first. Exits with 1 if an answer
was rejected or a claim missed.
"""

from __future__ import annotations

import sys

from benchmarks.claims import evidence_growth, evidence_memory, gaussian_process, relevance_peers
from benchmarks.entry import Entry

ENTRY = Entry(
    "evidence",
    "Forward regression by evidence, relevance vector machines",
    {
        "growth": evidence_growth,
        "process": gaussian_process,
        "peers": relevance_peers,
        "memory": evidence_memory,
    },
)

if __name__ == "__main__":
    sys.exit(ENTRY.main())
