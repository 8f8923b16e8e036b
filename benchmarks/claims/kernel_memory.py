"""Memory of sparse kernel ridge: never a matrix over all pairs of rows."""

from __future__ import annotations

from benchmarks.child import measure
from benchmarks.report import Claim, Section, Table

SHAPES = {
    "quick": {"m": 3000, "columns": 20, "n_basis": 100},
    "default": {"m": 100_000, "columns": 20, "n_basis": 1000},
}
SHAPES["full"] = SHAPES["default"]
AT_MOST = 2.5
WORK = ("leave-one-out", "10 folds", "leave-one-out, then 1000 rows held out", "streamed")


def run(mode: str) -> Section:
    """Measure the whole process of one fit of every kind, interpreter and data included."""
    section = Section("Memory of sparse kernel ridge")
    shape, rows = SHAPES[mode], []
    for work in WORK:
        record = measure(problem="kernel", work=work, trace=False, **shape)
        peak = record["process"] / 2**30
        section.claims.append(
            Claim(
                f"peak of the process, {work}",
                peak,
                AT_MOST,
                "at most",
                binding=mode != "quick",
                unit=" GiB",
            )
        )
        columns = 8 * shape["m"] * shape["n_basis"] / 2**30
        rows.append([work, f"{peak:.3g} GiB", f"{peak / columns:.3g}"])
        section.raw[work] = record
    caption = (
        "{m} x {columns} rows, {n_basis} basis vectors, 20 alphas; a process of its own, measured "
        "from its start. Streamed: as where the columns do not fit into half of the memory."
    ).format(**shape)
    section.tables.append(Table(caption, ["fit", "peak", "peak / m n numbers"], rows))
    return section
