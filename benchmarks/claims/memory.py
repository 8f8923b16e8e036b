"""Peak memory of a fit, beside the size of X."""

from __future__ import annotations

from typing import Any

from benchmarks import problems
from benchmarks.child import measure
from benchmarks.report import Claim, Section, Table

DENSE: dict[str, list[tuple[int, int, int]]] = {
    "quick": [(2000, 200, 5)],
    "default": [(50000, 1000, 50)],
    "full": [(50000, 1000, 50), (1000, 50000, 50)],
}
NAMED = (50000, 1000, 50)
AT_MOST_OF_X = 0.25
TEXT_FEATURES = {"default": 200, "full": 200}
TEXT_AT_MOST = 1.5e9


def run(mode: str) -> Section:
    """Measure the memory of one fit per problem, each in a process of its own."""
    section = Section("Memory")
    rows = [_dense(section, shape, order) for shape in DENSE[mode] for order in ("C", "F")]
    rows += [_dense(section, DENSE[mode][0], "C", of) for of in ("correlated", "mostly_noise")]
    if mode in TEXT_FEATURES and problems.data_folder() is not None:
        rows.append(_text(section, TEXT_FEATURES[mode]))
    elif mode in TEXT_FEATURES:
        section.notes.append("20 newsgroups left out: no folder of real data (HOLDFAST_DATA).")
    header = ["problem", "extra / X (traced)", "extra / X (resident)", "X", "extra, traced"]
    header += ["extra, resident", "whole process"]
    caption = (
        "Extra: what the fit took beside X, by tracemalloc (which NumPy reports to) and by the "
        "resident memory of the process. Whole process: interpreter, libraries and data too."
    )
    section.tables.append(Table(caption, header, rows))
    return section


def _dense(
    section: Section, shape: tuple[int, int, int], order: str, problem: str = "planted"
) -> list[str]:
    m, n, k = shape
    record = measure(problem=problem, rows=m, columns=n, n_features=k, order=order)
    name, size = f"{problem.replace('_', ' ')} {m} x {n}, {order} order, k = {k}", 8.0 * m * n
    worst = max(record["traced"], record["resident"] or 0)
    binding = problem == "planted" and shape == NAMED
    section.claims.append(
        Claim(f"extra memory / X on {name}", worst / size, AT_MOST_OF_X, "at most", binding)
    )
    section.raw[name] = record
    return _row(name, size, record)


def _text(section: Section, n_features: int) -> list[str]:
    X = problems.newsgroups(n_features).X
    size = float(X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)
    # The high-water mark of the process must not hold what tracing needs: two processes.
    record = measure(problem="newsgroups", n_features=n_features, trace=False)
    record["traced"] = measure(problem="newsgroups", n_features=n_features)["traced"]
    name = f"20 newsgroups, k = {n_features}"
    section.claims.append(
        Claim(
            f"whole process on {name}",
            record["process"] / 1e9,
            TEXT_AT_MOST / 1e9,
            "at most",
            unit=" GB",
        )
    )
    section.raw[name] = record
    return _row(name, size, record)


def _row(name: str, size: float, record: dict[str, Any]) -> list[str]:
    extra = [record["traced"], record["resident"]]
    ratios = ["-" if value is None else f"{value / size:.3g}" for value in extra]
    sizes = ["-" if value is None else _bytes(value) for value in [size, *extra, record["process"]]]
    return [name, *ratios, *sizes]


def _bytes(value: float) -> str:
    return f"{value / 1e6:.3g} MB" if value < 1e9 else f"{value / 1e9:.3g} GB"
