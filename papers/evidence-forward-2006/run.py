"""Regenerate the tables and figures of evidence-forward-2006 with holdfast's public estimators.

``python papers/evidence-forward-2006/run.py`` (about ten minutes, one thread) writes ``results/``.
``--full`` takes the sizes of the paper, ``--quick`` tiny sizes in seconds. Exits
with 1 if what was found leaves the ranges of ``expected.json``: every range is one claim.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("table1", "figure1")


def main() -> int:
    """Run the parts asked for, write their results, compare with what is expected."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--full", dest="mode", action="store_const", const="full")
    modes.add_argument("--quick", dest="mode", action="store_const", const="quick")
    parser.add_argument("--only", nargs="+", choices=PARTS)
    parser.add_argument("--output", type=Path, default=HERE / "results")
    parser.set_defaults(mode="default")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    # The baseline lives in benchmarks/, which also pins one thread if imported before NumPy.
    sys.path[:0] = [str(HERE), str(HERE.parents[1])]
    import_module("benchmarks")
    import_module("matplotlib").use("agg")
    expected = json.loads((HERE / "expected.json").read_text())
    kept = True
    for name in chosen.only or PARTS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        started = time.perf_counter()
        found = import_module(name).run(chosen.mode, chosen.output)
        kept &= _report(chosen.output / f"{name}.md", found, expected[name], chosen.mode)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return 0 if kept else 1


def _report(page: Path, found: dict, expected: dict, mode: str) -> bool:
    """Write one page: the table, and every claim with its range and verdict."""
    lines, kept = (
        [f"# {found['title']}", "", found["table"], "", "## Claims of the paper", ""],
        True,
    )
    for name, value in found["quantities"].items():
        low, high = expected[name]
        inside = low <= value <= high
        kept &= inside or mode == "quick"
        verdict = "reproduced" if inside else "NOT REPRODUCED"
        verdict = "too small a run to tell" if mode == "quick" else verdict
        lines.append(f"- {name}: {value:.3g}, claimed {low:g} to {high:g}: {verdict}")
    page.write_text("\n".join([*lines, "", *found["notes"]]) + "\n")
    print(page.read_text())
    return kept


if __name__ == "__main__":
    sys.exit(main())
