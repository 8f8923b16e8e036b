"""Growth in rows, columns and selected features, beside the docstring's claim: linear."""

from __future__ import annotations

from benchmarks import referee
from benchmarks.peers import holdfast_forward
from benchmarks.problems import Problem, mostly_noise, planted
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import side_by_side, slope

ROWS = {
    "quick": [200, 400, 800],
    "default": [5000, 10000, 20000, 40000, 80000],
    "full": [5000, 10000, 20000, 40000, 80000, 160000],
}
COLUMNS = {
    "quick": [40, 80, 160],
    "default": [500, 1000, 2000, 4000, 8000],
    "full": [500, 1000, 2000, 4000, 8000, 16000],
}
FEATURES = {
    "quick": [2, 4, 8],
    "default": [10, 20, 40, 80, 160],
    "full": [10, 20, 40, 80, 160, 320],
}
BASE = {"quick": (200, 40, 4), "default": (5000, 1000, 40), "full": (5000, 1000, 40)}
ROUNDS = {"quick": 1, "default": 3, "full": 5}
AT_MOST = 1.15


def run(mode: str) -> Section:
    """Time ours while one of m, n and k grows and the other two stay."""
    section = Section("Growth in m, n and k")
    m, n, k = BASE[mode]
    _grow(section, "m", ROWS[mode], [planted(size, n, k) for size in ROWS[mode]], mode)
    _grow(section, "n", COLUMNS[mode], [planted(m, size, k) for size in COLUMNS[mode]], mode)
    for build in (planted, mostly_noise):
        largest = build(m, n, FEATURES[mode][-1])
        fewer = [Problem(largest.name, largest.X, largest.y, size) for size in FEATURES[mode]]
        _grow(section, "k", FEATURES[mode], fewer, mode, noise=build is mostly_noise)
    section.notes.append(
        "Exponents are slopes of log time on log size by least squares; 1 is linear. Below 1: "
        "fixed costs at the small end; a little above 1: the data no longer fit in the cache. "
        "Of mostly noise five columns matter: beyond them ever more candidates pass their bounds, "
        "each scored in O(m k), and the time grows faster than k."
    )
    return section


def _grow(
    section: Section,
    letter: str,
    sizes: list[int],
    problems: list[Problem],
    mode: str,
    *,
    noise: bool = False,
) -> None:
    contestants = {
        str(size): lambda problem=problem: holdfast_forward.PEER.solve(problem)
        for size, problem in zip(sizes, problems, strict=True)
    }
    times = side_by_side(contestants, rounds=ROUNDS[mode])
    for size, problem in zip(sizes, problems, strict=True):
        answer = times[str(size)].answer
        verdict = referee.judge(problem, {"ours": answer}, same=[])["ours"]
        if not verdict.accepted:
            section.rejected.append(f"{problem.name}, k = {problem.n_features}: {verdict.reason}")
    best = [min(times[str(size)].seconds) for size in sizes]
    steps = [slope(sizes[i : i + 2], best[i : i + 2]) for i in range(len(sizes) - 1)]
    section.claims.append(
        Claim(
            f"exponent in {letter} from {sizes[0]} to {sizes[-1]}{', mostly noise' * noise}",
            slope(sizes, best),
            AT_MOST,
            "at most",
            binding=mode != "quick" and not noise,
            unit="",
        )
    )
    m, n, k = BASE[mode]
    others = {"m": f"n = {n}, k = {k}", "n": f"m = {m}, k = {k}", "k": f"m = {m}, n = {n}"}[letter]
    rows = [
        [str(size), "-" if i == 0 else f"{steps[i - 1]:.2f}", seconds(best[i])]
        for i, size in enumerate(sizes)
    ]
    others += ", mostly noise" * noise
    caption = f"{letter} grows, {others} (best of {ROUNDS[mode]} rounds)."
    section.tables.append(Table(caption, [letter, "exponent since the row above", "ours"], rows))
    section.raw[letter + " of mostly noise" * noise] = {
        str(size): times[str(size)].seconds for size in sizes
    }
