"""Regenerate Figure 1 of lars-svm-2005 with holdfast's public estimators.

``python papers/lars-svm-2005/run.py`` (some 15 minutes on two processors) writes ``results/``; what
``results/groups`` holds already is not measured again. ``--full`` repeats the random groups ten
times, ``--quick`` runs one problem with eight columns. Exits with 1 if what was found leaves the
ranges of ``expected.json``.
"""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("figure1",)

if __name__ == "__main__":
    sys.path.insert(0, str(HERE.parent))
    from running import main

    sys.exit(main(HERE, PARTS, __doc__))
