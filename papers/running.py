"""What every ``run.py`` shares: arguments, running its parts, comparing with what is expected."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path


def main(here: Path, parts: Sequence[str], description: str, *, claims: bool = False) -> int:
    """Run the parts asked for, write their results, compare with what is expected.

    ``parts`` are modules in ``here`` with ``run(mode, output)``, which returns the title,
    the table, the quantities and the notes of its page. With ``claims`` the ranges are claims of
    the paper, which get a verdict.
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
        started = time.perf_counter()
        found = import_module(name).run(chosen.mode, chosen.output)
        page, judge = chosen.output / f"{name}.md", _verdicts if claims else _ranges
        kept &= write(page, found, *judge(found["quantities"], expected[name], chosen.mode))
        print(f"{name}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
    return 0 if kept else 1


def write(page: Path, found: dict, lines: list[str], kept: bool) -> bool:
    """Write and print one page: the table, what is said of the quantities, the notes."""
    page.write_text(
        "\n".join([f"# {found['title']}", "", found["table"], "", *lines, "", *found["notes"]])
        + "\n"
    )
    print(page.read_text())
    return kept


def _verdicts(quantities: dict, expected: dict, mode: str) -> tuple[list[str], bool]:
    """Every quantity with a range is a claim of the paper, reproduced or not."""
    lines, kept = ["## Claims of the paper", ""], True
    for name in (name for name in quantities if name in expected):
        value, (low, high) = quantities[name], expected[name]
        inside = low <= value <= high
        kept &= inside or mode == "quick"
        verdict = "reproduced" if inside else "NOT REPRODUCED"
        verdict = "too small a run to tell" if mode == "quick" else verdict
        lines.append(f"- {name}: {value:.3g}, claimed {low:g} to {high:g}: {verdict}")
    others = [
        f"- {name}: {value:.3g}" for name, value in quantities.items() if name not in expected
    ]
    return [*lines, *(["", "## Measured beside", "", *others] if others else [])], kept


def _ranges(quantities: dict, expected: dict, mode: str) -> tuple[list[str], bool]:
    """Quantities with an expectation, beside its range."""
    lines, kept = [], True
    for name, value in quantities.items():
        low, high = expected.get(name, (None, None))
        binding = mode != "quick" and low is not None
        inside = not binding or low <= value <= high
        kept &= inside
        note = f", expected {low:g} to {high:g}: {'yes' if inside else 'NO'}" if binding else ""
        lines.append(f"- {name}: {value:.3g}{note}")
    return lines, kept
