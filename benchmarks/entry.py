"""What every entry of the benchmarks shares: the arguments, running sections, writing results.

An entry names its sections and calls `main`; see ``forward_leave_one_out.py`` and ``hold_out.py``.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from benchmarks.report import Section, write
from benchmarks.timing import one_thread

RESULTS = Path(__file__).resolve().parent / "results"


class Question(Protocol):
    """A module of `benchmarks.claims`."""

    def run(self, mode: str) -> Section:
        """Measure in the mode ``quick``, ``default`` or ``full``."""


@dataclass(frozen=True)
class Entry:
    """One command: its module name, its title and its sections in the order they run."""

    name: str
    title: str
    sections: Mapping[str, Question]

    def main(self, arguments: Sequence[str] | None = None) -> int:
        """Run the sections asked for, print and store them; return the exit code."""
        chosen = self._parse(arguments)
        passed = True
        for key in chosen.only or self.sections:
            print(f"{key} ...", file=sys.stderr, flush=True)
            started = time.perf_counter()
            section, machine = self._run(key, chosen.mode)
            print(section.markdown(), end="\n\n", flush=True)
            print(f"{key}: {time.perf_counter() - started:.0f} s", file=sys.stderr, flush=True)
            passed &= section.passed
            if chosen.mode != "quick" or chosen.output != RESULTS:
                name = self._file_name(chosen.mode)
                page = write(chosen.output, name, self.title, {key: section}, machine)
                print(f"stored in {page}", file=sys.stderr)
        return 0 if passed else 1

    def _run(self, key: str, mode: str) -> tuple[Section, str]:
        with one_thread() as libraries:
            section = self.sections[key].run(mode)
        return section, f"{_processor()}; {libraries}; {mode} run"

    def _parse(self, arguments: Sequence[str] | None) -> argparse.Namespace:
        parser = argparse.ArgumentParser(
            prog=f"python -m benchmarks.{self.name}", description=self.title
        )
        modes = parser.add_mutually_exclusive_group()
        modes.add_argument("--full", dest="mode", action="store_const", const="full")
        modes.add_argument("--quick", dest="mode", action="store_const", const="quick")
        parser.add_argument(
            "--only", nargs="+", choices=list(self.sections), help="sections to run"
        )
        parser.add_argument("--output", type=Path, default=RESULTS, help="folder of the results")
        parser.set_defaults(mode="default")
        return parser.parse_args(arguments)

    def _file_name(self, mode: str) -> str:
        return self.name if mode == "default" else f"{self.name}_{mode}"


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                return f"{line.split(':', 1)[1].strip()}, {platform.system()}"
    return f"{platform.processor() or platform.machine()}, {platform.system()}"
