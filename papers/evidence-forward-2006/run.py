"""Regenerate the table and the figure of evidence-forward-2006 with holdfast's public estimators.

``python papers/evidence-forward-2006/run.py`` (about three minutes) writes ``results/``.
``--full`` takes the sizes of the paper, ``--quick`` tiny ones in seconds. Exits with 1 if what was
found leaves the ranges of ``expected.json``: every range is one claim.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("table1", "figure1")

if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    from running import main

    sys.exit(main(HERE, PARTS, __doc__, claims=True))
