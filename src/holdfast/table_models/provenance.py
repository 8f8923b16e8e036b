"""Where a model comes from: when, by which command and versions, from which data."""

from __future__ import annotations

import hashlib
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

_PACKAGES = ("holdfast", "numpy", "scipy", "scikit-learn", "polars")
_PIECE = 1 << 22


def provenance_of(table: Path, n_rows: int) -> dict[str, Any]:
    """The origin of a model fitted now on a table, as plain values."""
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": [Path(sys.argv[0]).name, *sys.argv[1:]],
        "versions": {
            "python": sys.version.split()[0],
            **{
                name: version(name)
                for name in ("holdfast", "numpy", "scipy", "scikit-learn", "polars")
            },
        },
        "data": {"source": table.name, "rows": n_rows, "fingerprint": fingerprint(table)},
    }


def fingerprint(table: Path) -> str:
    """SHA-256 of the bytes of a file, or of all files of a folder or pattern in their order."""
    if table.is_file():
        files = [table]
    elif table.is_dir():
        files = sorted(table.rglob("*.parquet"))
    else:
        files = sorted(Path(table.anchor or ".").glob(str(table.relative_to(table.anchor))))
    digest = hashlib.sha256()
    for file in files:
        with file.open("rb") as opened:
            while piece := opened.read(_PIECE):
                digest.update(piece)
    return f"sha256:{digest.hexdigest()}"
