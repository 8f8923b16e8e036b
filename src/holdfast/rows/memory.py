"""How much memory there is, for methods that must refuse before they start."""

from __future__ import annotations

import os
from pathlib import Path

_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_LIMIT_AND_USE = (
    ("memory.max", "memory.current"),
    ("memory/memory.limit_in_bytes", "memory/memory.usage_in_bytes"),
)


def available_bytes() -> int | None:
    """Memory that can be had without swapping; None where the system does not tell.

    In a container that has a limit of its own, what is left of it if that is less.
    """
    known = [size for size in (_of_machine(), _of_container()) if size is not None]
    return min(known, default=None)


def _of_machine() -> int | None:
    meminfo = Path("/proc/meminfo")
    if meminfo.exists():
        for line in meminfo.read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None


def _of_container() -> int | None:
    """What control groups, of version 2 or 1, leave to the container."""
    for limit, use in _LIMIT_AND_USE:
        try:
            return max(0, _number(limit) - _number(use))
        except (OSError, ValueError):  # no such version, or "max": no limit
            continue
    return None


def _number(name: str) -> int:
    return int((_CONTROL_GROUPS / name).read_text(encoding="ascii"))
