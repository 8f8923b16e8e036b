"""What the scripts of the papers share: arguments, parts, verdicts on the claims of a paper."""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module
from pathlib import Path


def main(description: str, here: Path, parts: tuple[str, ...]) -> int:
    """Run the parts asked for, write their results, compare with ``expected.json``.

    A part is a module of the folder ``here`` whose ``run(mode, output)`` returns a title, a table,
    quantities and notes. Every quantity has a range there, which is one claim of the paper.
    """
    parser = argparse.ArgumentParser(description=description)
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--full", dest="mode", action="store_const", const="full")
    modes.add_argument("--quick", dest="mode", action="store_const", const="quick")
    parser.add_argument("--only", nargs="+", choices=parts)
    parser.add_argument("--output", type=Path, default=here / "results")
    parser.set_defaults(mode="default")
    chosen = parser.parse_args()
    chosen.output.mkdir(parents=True, exist_ok=True)
    # Baselines live in benchmarks/, which also pins one thread if imported before NumPy.
    sys.path[:0] = [str(here), str(here.parents[1])]
    import_module("benchmarks")
    import_module("matplotlib").use("agg")
    expected = json.loads((here / "expected.json").read_text())
    kept = True
    for name in chosen.only or parts:
        print(f"{name} ...", file=sys.stderr, flush=True)
        started = time.perf_counter()
        found = import_module(name).run(chosen.mode, chosen.output)
        kept &= report(chosen.output / f"{name}.md", found, expected[name], chosen.mode)
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return 0 if kept else 1


def report(page: Path, found: dict, expected: dict, mode: str) -> bool:
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
