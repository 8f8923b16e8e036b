"""Regenerate Tables 1-6 of ridge-cv-selection-2013 with holdfast's public estimators.

``python papers/ridge-cv-selection-2013/run.py`` (about ten minutes, one thread) writes
``results/``. ``--full`` runs the paper's methods to the end, which takes days (the README says how
long every part), and repeats the random layers of Tables 5 and 6 ten times; ``--quick`` tiny sizes
in seconds. Exits with 1 if what was found leaves the ranges of ``expected.json``: every range is
one claim.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("reservoir", "windows", "adult", "exchanger", "layers")

if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    from running import main

    sys.exit(main(HERE, PARTS, __doc__, claims=True))
