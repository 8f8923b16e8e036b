"""Regenerate the tables and figures of sparse-rls-holdout-2012 with holdfast's public estimators.

``python papers/sparse-rls-holdout-2012/run.py`` (about ten minutes, one thread) writes
``results/``. ``--full`` takes the repetitions of the paper, 100 and 1000, ``--quick`` tiny sizes in
seconds. Exits with 1 if what was found leaves the ranges of ``expected.json``: every range is one
claim.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("speed", "variance", "sinusoid", "greedy", "clustered")

if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    from running import main

    sys.exit(main(HERE, PARTS, __doc__, claims=True))
