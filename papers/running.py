"""What every ``run.py`` shares: arguments, running its parts, comparing with what is expected."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path


def main(here: Path, parts: Sequence[str], description: str) -> int:
    """Run the parts asked for, write their results, compare with what is expected.

    ``parts`` are modules in ``here`` with ``run(mode, output)``, which returns the title,
    the table, the quantities and the notes of its page.
    """
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--full", dest="mode", action="store_const", const="full")
    modes.add_argument("--quick", dest="mode", action="store_const", const="quick")
    parser.add_argument("--only", nargs="+", choices=parts)
    parser.add_argument("--output", type=Path, default=here / "results")
    parser.set_defaults(mode="default")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    # The baselines live in benchmarks/, which also pins one thread if imported before NumPy.
    sys.path[:0] = [str(here), str(here.parents[1])]
    import_module("benchmarks")
    import_module("matplotlib").use("agg")
    expected = json.loads((here / "expected.json").read_text())
    kept = True
    for name in chosen.only or parts:
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
