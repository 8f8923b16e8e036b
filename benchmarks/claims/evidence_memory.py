"""Memory of forward regression by evidence: the kernel matrix is never formed."""

from __future__ import annotations

from benchmarks.child import measure
from benchmarks.report import Claim, Section, Table

SHAPES = {"quick": {"m": 3000, "columns": 5, "k": 30}}
SHAPES["default"] = SHAPES["full"] = {"m": 100_000, "columns": 5, "k": 300}
AT_MOST = 1.5


def run(mode: str) -> Section:
    """Measure the whole process of one fit, interpreter and data included."""
    section, shape = Section("Memory"), SHAPES[mode]
    record = measure(problem="evidence", trace=False, **shape)
    peak = record["process"] / 1e9
    section.claims.append(
        Claim("peak of the process", peak, AT_MOST, "at most", binding=mode != "quick", unit=" GB")
    )
    numbers = 8e-9 * shape["m"] * shape["k"]
    caption = "{m} x {columns} rows, k = p = {k}; a process of its own, from its start.".format(
        **shape
    )
    header = ["peak", "peak / m k numbers"]
    section.tables.append(Table(caption, header, [[f"{peak:.3g} GB", f"{peak / numbers:.3g}"]]))
    section.raw["record"] = record
    return section
