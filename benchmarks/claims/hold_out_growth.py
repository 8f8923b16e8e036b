"""Growth of the choice of a penalty, in rows and in alphas, beside the paper's claims.

The paper: beyond the covariance matrices the time depends neither on the number of rows nor, while
R < N, on the number of alphas R.
"""

from __future__ import annotations

from benchmarks import fold_referee
from benchmarks.fold_problems import NAMED, FoldProblem, grid, windowed
from benchmarks.peers import holdfast_hold_out
from benchmarks.report import Claim, Section, Table, number, seconds
from benchmarks.timing import Timing, side_by_side

ROWS = {
    "quick": [300, 600],
    "default": [17250, 34500, 69000],
    "full": [17250, 34500, 69000, 138000, 276000],
}
ALPHAS = {"quick": [1, 4], "default": [1, 10, 60, 200], "full": [1, 10, 60, 200, 1000]}
COLUMNS = {"quick": 12, "default": NAMED["n"], "full": NAMED["n"]}
SPLITS = {"quick": 5, "default": NAMED["splits"], "full": NAMED["splits"]}
ROUNDS = {"quick": 2, "default": 7, "full": 15}
AT_MOST = 1.5
"""What the search without data may take at the largest size, beside the smallest."""


def run(mode: str) -> Section:
    """Time whole fits, the pass alone and the search alone, while rows or alphas grow."""
    section = Section("Growth of the choice of a penalty, in rows and in alphas")
    n, splits, few = COLUMNS[mode], SPLITS[mode], ALPHAS[mode][-2]
    by_rows = [windowed(m, n, splits, few, 0) for m in ROWS[mode]]
    _grow(section, "m", ROWS[mode], by_rows, mode)
    largest = windowed(ROWS[mode][0], n, splits, few, 0)
    by_alphas = [largest.with_alphas(grid(size)) for size in ALPHAS[mode]]
    _grow(section, "R", ALPHAS[mode], by_alphas, mode)
    section.notes.append(
        "Pass: `FoldMoments.update`. Search: `RidgeCV.fit_moments`, which has no data. The "
        "difference of fit and pass is the same search measured indirectly. Best of the rounds."
    )
    return section


def _grow(
    section: Section, letter: str, sizes: list[int], problems: list[FoldProblem], mode: str
) -> None:
    times = [_time(problem, ROUNDS[mode]) for problem in problems]
    for problem, timing in zip(problems, times, strict=True):
        answers = {"ours": timing["fit"].answer}
        verdict = fold_referee.judge(problem, "penalty", answers, same=[])["ours"]
        if not verdict.accepted:
            section.rejected.append(f"{problem}: {verdict.reason}")
    best = [{name: min(timing.seconds) for name, timing in lap.items()} for lap in times]
    first = best[0]["search"]
    # Rows: all of them. Alphas: the paper's condition is R < N.
    last = max(i for i, size in enumerate(sizes) if letter == "m" or size < COLUMNS[mode])
    section.claims.append(
        Claim(
            f"time of the search as {letter} grows from {sizes[0]} to {sizes[last]}",
            best[last]["search"] / first,
            AT_MOST,
            "at most",
            binding=mode != "quick",
        )
    )
    rows = [
        [
            str(size),
            f"{number(lap['search'] / first)}x",
            seconds(lap["search"]),
            seconds(max(0.0, lap["fit"] - lap["pass"])),
            seconds(lap["pass"]),
            seconds(lap["fit"]),
        ]
        for size, lap in zip(sizes, best, strict=True)
    ]
    header = [letter, "search, beside the first row", "search", "fit minus pass", "pass", "fit"]
    others = str(problems[-1]) if letter == "m" else problems[-1].name
    caption = f"{letter} grows; last: {others} (best of {ROUNDS[mode]} rounds)."
    section.tables.append(Table(caption, header, rows))
    section.raw[letter] = dict(zip(map(str, sizes), best, strict=True))


def _time(problem: FoldProblem, rounds: int) -> dict[str, Timing]:
    found = holdfast_hold_out.moments(problem)
    return side_by_side(
        {
            "fit": lambda: holdfast_hold_out.PENALTY.solve(problem),
            "pass": lambda: holdfast_hold_out.moments(problem),
            "search": lambda: holdfast_hold_out.choose_alpha_from(found, problem.alphas),
        },
        rounds=rounds,
    )
