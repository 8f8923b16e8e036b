"""Regenerate the tables and figures of greedy-rls-2010 with holdfast's public estimators.

``python papers/greedy-rls-2010/run.py`` (about five minutes) writes ``results/``. ``--full`` runs
every step of the quadratic baseline and five repeats of the outer folds, ``--quick`` tiny sizes in
seconds. Exits with 1 if what was found leaves the ranges of ``expected.json``.
"""

from __future__ import annotations

import argparse
import json
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
PARTS = ("scaling", "gene_expression")


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
    # The baselines live in benchmarks/, which also pins one thread if imported before NumPy.
    sys.path[:0] = [str(HERE), str(HERE.parents[1])]
    import_module("benchmarks")
    import_module("matplotlib").use("agg")
    expected = json.loads((HERE / "expected.json").read_text())
    kept = True
    for name in chosen.only or PARTS:
        print(f"{name} ...", file=sys.stderr, flush=True)
        found = import_module(name).run(chosen.mode, chosen.output)
        kept &= _report(chosen.output / f"{name}.md", found, expected[name], chosen.mode)
    return 0 if kept else 1


def _report(page: Path, found: dict, expected: dict, mode: str) -> bool:
    """Write one page: the table, and every quantity with an expectation beside its range."""
    lines, kept = [f"# {found['title']}", "", found["table"], ""], True
    for name, value in found["quantities"].items():
        low, high = expected.get(name, (None, None))
        binding = mode != "quick" and low is not None
        inside = not binding or low <= value <= high
        kept &= inside
        note = f", expected {low:g} to {high:g}: {'yes' if inside else 'NO'}" if binding else ""
        lines.append(f"- {name}: {value:.3g}{note}")
    page.write_text("\n".join([*lines, "", *found["notes"]]) + "\n")
    print(page.read_text())
    return kept


if __name__ == "__main__":
    sys.exit(main())
