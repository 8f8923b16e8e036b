"""Ours beside k plain products ``X.T @ v``: how near the reading of X that nothing can avoid."""

from __future__ import annotations

from benchmarks import referee
from benchmarks.peers import holdfast_forward
from benchmarks.problems import Problem, correlated, mostly_noise, planted
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import ratio, side_by_side

NAMED = (50000, 1000, 50)
SHAPES: dict[str, list[tuple[int, int, int]]] = {
    "quick": [(300, 40, 5)],
    "default": [NAMED, (10000, 5000, 50), (200000, 200, 50)],
    "full": [NAMED, (10000, 5000, 50), (200000, 200, 50), (2000, 25000, 50)],
}
ROUNDS = {"quick": 2, "default": 3, "full": 7}
AT_MOST = 3.0


def run(mode: str) -> Section:
    """Time ours and k products on dense problems larger than any cache, in both memory orders.

    What is claimed is claimed of planted problems; the other two are there to be seen.
    """
    section = Section("Near k plain products (dense, n >> cache)")
    rows = []
    for shape in SHAPES[mode]:
        for order in ("C", "F"):
            problem = planted(*shape, order=order)
            rows += _measure(section, problem, ROUNDS[mode], binding=shape == NAMED)
    for build in (correlated, mostly_noise):
        rows += _measure(section, build(*SHAPES[mode][0]), ROUNDS[mode], binding=False)
    header = ["problem", "ours / k products", "ours", "k products X.T @ v", "leave-one-out error"]
    caption = (
        f"Median and range over {ROUNDS[mode]} interleaved rounds. Where columns are correlated or "
        "noise, more candidates pass their bounds and are scored."
    )
    section.tables.append(Table(caption, header, rows))
    return section


def _measure(section: Section, problem: Problem, rounds: int, *, binding: bool) -> list[list[str]]:
    times = side_by_side(
        {
            "ours": lambda: holdfast_forward.PEER.solve(problem),
            "products": lambda: _products(problem),
        },
        rounds=rounds,
    )
    verdict = referee.judge(problem, {"ours": times["ours"].answer}, same=[])["ours"]
    if not verdict.accepted:
        section.rejected.append(f"{problem.name}: {verdict.reason}")
        return []
    found = ratio(times["ours"], times["products"])
    section.claims.append(
        Claim(
            f"ours / k products on {problem.name}, k = {problem.n_features}",
            found.median,
            AT_MOST,
            "at most",
            binding=binding,
            spread=found.spread,
        )
    )
    section.raw[problem.name] = {name: timing.seconds for name, timing in times.items()}
    both = [seconds(times[name].median) for name in ("ours", "products")]
    name = f"{problem.name}, k = {problem.n_features}"
    return [[name, str(found), *both, f"{verdict.error:.6g}"]]


def _products(problem: Problem) -> None:
    for _ in range(problem.n_features):
        problem.X.T @ problem.y
