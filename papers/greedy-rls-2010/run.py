"""Regenerate the tables and figures of greedy-rls-2010 with holdfast's public estimators.

``python papers/greedy-rls-2010/run.py`` (about five minutes) writes ``results/``. ``--full`` runs
every step of the quadratic baseline and five repeats of the outer folds, ``--quick`` tiny sizes in
seconds. Exits with 1 if what was found leaves the ranges of ``expected.json``.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("scaling", "gene_expression")

if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    from running import main

    sys.exit(main(HERE, PARTS, __doc__))
