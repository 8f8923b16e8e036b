"""Times measured side by side: every round runs every contestant once, then the next round.

Ratios are formed within a round, so that what slows the machine for a while slows both; their
median and range over the rounds are reported. A part of the work that stands for the whole is an
`Extrapolated` and is marked in every table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import threadpoolctl

from benchmarks.report import number


@dataclass(frozen=True)
class Timing:
    """Seconds of every round (wall clock, then this process's processor time), last answer."""

    seconds: tuple[float, ...]
    processor_seconds: tuple[float, ...]
    answer: Any

    @property
    def median(self) -> float:
        """Return the median of the wall-clock seconds."""
        return float(np.median(self.seconds))

    @property
    def processor(self) -> float:
        """Return the median of the processor seconds."""
        return float(np.median(self.processor_seconds))


@dataclass(frozen=True)
class Ratio:
    """How many times longer one contestant took than another, over the rounds."""

    median: float
    low: float
    high: float

    def __str__(self) -> str:
        middle = f"{number(self.median)}x"
        if self.low == self.high:
            return middle
        return f"{middle} ({self.spread})"

    @property
    def spread(self) -> str:
        """Return the range over the rounds."""
        return f"{number(self.low)} to {number(self.high)}"


@dataclass(frozen=True)
class Extrapolated:
    """A time that was measured on a stated part of the work and scaled to the whole."""

    seconds: float
    part_seconds: float
    stated: str


def side_by_side(
    contestants: Mapping[str, Callable[[], Any]], *, rounds: int, warm_up: bool = True
) -> dict[str, Timing]:
    """Run every contestant once per round, after one untimed round if ``warm_up``."""
    if warm_up:
        for work in contestants.values():
            work()
    laps: dict[str, list[tuple[float, float, Any]]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            laps[name].append(_lap(work))
    return {
        name: Timing(tuple(lap[0] for lap in done), tuple(lap[1] for lap in done), done[-1][2])
        for name, done in laps.items()
    }


def ratio(slow: Timing, fast: Timing, *, processor: bool = False) -> Ratio:
    """Return how many times longer ``slow`` took than ``fast``, round by round.

    ``processor``: of processor seconds, which other programs on the machine disturb less.
    """
    times = [one.processor_seconds if processor else one.seconds for one in (slow, fast)]
    quotients = np.array(times[0]) / np.array(times[1])
    return Ratio(float(np.median(quotients)), float(quotients.min()), float(quotients.max()))


def slope(sizes: list[int], seconds: list[float]) -> float:
    """Return the exponent of the growth: the least-squares slope of log time on log size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


@contextmanager
def one_thread() -> Iterator[str]:
    """Pin all loaded BLAS and OpenMP libraries to one thread; yield what they say of themselves."""
    with threadpoolctl.threadpool_limits(limits=1):
        pools = threadpoolctl.threadpool_info()
        names = {f"{pool['internal_api']} {pool['version']}" for pool in pools if pool["version"]}
        most = max((pool["num_threads"] for pool in pools), default=1)
        yield f"{', '.join(sorted(names))}; {most} thread"


def _lap(work: Callable[[], Any]) -> tuple[float, float, Any]:
    wall, processor = time.perf_counter(), time.process_time()
    answer = work()
    return time.perf_counter() - wall, time.process_time() - processor, answer
