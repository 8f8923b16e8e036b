"""Greedy forward selection by exact leave-one-out, measured.

Run as ``python -m benchmarks.forward_leave_one_out [--full | --quick] [--only SECTION ...]``.
Answers are judged first (`benchmarks.referee`); only accepted answers are timed in a table. One
thread, contestants interleaved, ratios first. ``--full`` runs the larger shapes and lets the slow
peers finish, ``--quick`` only shows in seconds that everything works and claims nothing. Exits
with 1 if an answer was rejected or a claim missed.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.claims import (
    faster_than_algorithm2,
    grid_of_alphas,
    growth,
    memory,
    near_plain_products,
    peers_compared,
    text,
)
from benchmarks.report import Section, write
from benchmarks.timing import one_thread

NAME = "forward_leave_one_out"
TITLE = "Greedy forward selection by exact leave-one-out"
SECTIONS = {
    "algorithm2": faster_than_algorithm2,
    "products": near_plain_products,
    "memory": memory,
    "text": text,
    "grid": grid_of_alphas,
    "growth": growth,
    "peers": peers_compared,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the sections asked for, print and store them; return the exit code."""
    chosen = _parse(arguments)
    passed = True
    for key in chosen.only or SECTIONS:
        print(f"{key} ...", file=sys.stderr, flush=True)
        started = time.perf_counter()
        section, machine = _run(key, chosen.mode)
        print(section.markdown(), end="\n\n", flush=True)
        print(f"{key}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
        passed &= section.passed
        if chosen.mode != "quick" or chosen.output != _results():
            page = write(chosen.output, _file_name(chosen.mode), TITLE, {key: section}, machine)
            print(f"stored in {page}", file=sys.stderr)
    return 0 if passed else 1


def _run(key: str, mode: str) -> tuple[Section, str]:
    with one_thread() as libraries:
        section = SECTIONS[key].run(mode)
    return section, f"{_processor()}; {libraries}; {mode} run"


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{NAME}", description=TITLE)
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--full", dest="mode", action="store_const", const="full")
    modes.add_argument("--quick", dest="mode", action="store_const", const="quick")
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), help="sections to run")
    parser.add_argument("--output", type=Path, default=_results(), help="folder of the results")
    parser.set_defaults(mode="default")
    return parser.parse_args(arguments)


def _results() -> Path:
    return Path(__file__).resolve().parent / "results"


def _file_name(mode: str) -> str:
    return NAME if mode == "default" else f"{NAME}_{mode}"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return f"{line.split(':', 1)[1].strip()}, {platform.system()}"
    return f"{platform.processor() or platform.machine()}, {platform.system()}"


if __name__ == "__main__":
    sys.exit(main())
