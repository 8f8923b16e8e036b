"""Peak memory of fits with folds, beside R K N^2 numbers, which the searches must never hold."""

from __future__ import annotations

from benchmarks.child import measure
from benchmarks.fold_problems import NAMED
from benchmarks.report import Claim, Section, Table

QUICK = {"m": 2000, "n": 40, "splits": 5, "n_alphas": 20}
TASKS = {
    "quick": {"penalty": 0, "forward": 5, "backward": 36},
    "default": {"penalty": 0, "forward": 66, "backward": 88},
    "full": {"penalty": 0, "forward": 200, "backward": 1},
}
AT_MOST = 1.0


def run(mode: str) -> Section:
    """Measure one fit of every kind, each in a process of its own."""
    section = Section("Memory of fits with folds")
    shape = QUICK if mode == "quick" else NAMED
    rows = [_measure(section, shape, search, size, mode) for search, size in TASKS[mode].items()]
    header = ["fit", "extra / R K N^2 numbers", "extra / X", "extra / 2 K N^2 numbers (moments)"]
    header += ["extra, traced", "extra, resident", "R K N^2 numbers"]
    caption = (
        "{m} x {n}, {splits} folds, {n_alphas} alphas. Extra: what the fit took beside X, the "
        "larger of tracemalloc (which NumPy reports to) and the growth of the resident memory."
    ).format(**shape)
    section.tables.append(Table(caption, header, rows))
    return section


def _measure(
    section: Section, shape: dict[str, int], search: str, size: int, mode: str
) -> list[str]:
    record = measure(problem="windowed", search=search, n_features=size, **shape)
    extra = float(max(record["traced"], record["resident"] or 0))
    moments = 16.0 * shape["splits"] * shape["n"] ** 2
    forbidden, data = moments / 2.0 * shape["n_alphas"], 8.0 * shape["m"] * shape["n"]
    name = search if search == "penalty" else f"{search} to {size}"
    section.claims.append(
        Claim(
            f"extra memory / R K N^2 numbers, {name}",
            extra / forbidden,
            AT_MOST,
            "at most",
            binding=mode != "quick",
        )
    )
    section.raw[name] = record
    ratios = [f"{extra / beside:.3g}" for beside in (forbidden, data, moments)]
    sizes = [record["traced"], record["resident"], forbidden]
    return [name, *ratios, *("-" if size is None else f"{size / 1e6:.3g} MB" for size in sizes)]
