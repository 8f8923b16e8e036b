"""Ours beside other libraries: what each optimises, how good its answer is, how long it takes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial

from benchmarks import referee
from benchmarks.peers import ALL, holdfast_forward
from benchmarks.peers.peer import Peer
from benchmarks.problems import Problem, correlated, planted
from benchmarks.referee import Answer, Verdict
from benchmarks.report import Section, Table, number, seconds
from benchmarks.timing import Extrapolated, Timing, side_by_side

SMALL = {"quick": (30, 10, 3), "default": (100, 30, 5), "full": (200, 40, 8)}
LARGE = {"quick": (60, 20, 3), "default": (5000, 1000, 50), "full": (5000, 1000, 50)}
ROUNDS = {"quick": 1, "default": 3, "full": 5}


def run(mode: str) -> Section:
    """Run every peer to the end on a small problem, and on the large one those that can."""
    section = Section("Peers")
    peers = [peer for peer in ALL if peer.installed]
    absent = [peer.name for peer in ALL if not peer.installed]
    if absent:
        section.notes.append(f"Not installed, left out: {', '.join(absent)}.")
    _compare(section, planted(*SMALL[mode]), peers, [], rounds=1)
    slow = [peer for peer in peers if peer.part is not None]
    whole = [peer for peer in peers if peer not in slow]
    quick = [peer for peer in whole if not peer.once]
    _compare(section, planted(*LARGE[mode]), whole, slow, rounds=ROUNDS[mode])
    _compare(section, correlated(*LARGE[mode]), quick, [], rounds=ROUNDS[mode])
    section.notes.append(
        "Error: the exact leave-one-out error of ridge regression (alpha = 1) on the columns "
        "returned, computed by the referee; it is what ours and those marked = optimise, the "
        "others answer another question. Times marked (once) are of one whole run after the "
        "rounds, not within them. Scaled times (~) come from a first step over the number "
        "of columns stated, times the number of candidates of the whole search; later steps cost "
        "more, so they are lower bounds, and there is no answer to judge."
    )
    return section


def _compare(
    section: Section, problem: Problem, peers: list[Peer], slow: list[Peer], *, rounds: int
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what peers warn of is not ours to mend
        in_rounds, once = _contestants(problem, peers, rounds)
        times = side_by_side(in_rounds, rounds=rounds)
        times |= side_by_side(once, rounds=1, warm_up=False)
        parts = {peer.name: _scaled(peer, problem) for peer in slow}
    answers = {name: timing.answer for name, timing in times.items()}
    same = [peer.name for peer in peers if peer.same_criterion]
    verdicts = referee.judge(problem, answers, same)
    title = f"{problem.name}, k = {problem.n_features}"
    for name, verdict in verdicts.items():
        if not verdict.accepted:
            section.rejected.append(f"{title}, {name}: {verdict.reason}")
    accepted = [peer for peer in peers if verdicts[peer.name].accepted]
    ours = times[holdfast_forward.PEER.name].median
    best = verdicts[holdfast_forward.PEER.name].error
    rows = [
        _row(peer, times[peer.name], verdicts[peer.name], ours, best, peer.name in once)
        for peer in accepted
    ]
    rows += [_scaled_row(peer, parts[peer.name], ours) for peer in slow]
    header = ["method", "time / ours", "error / ours", "optimises", "time", "error"]
    section.tables.append(Table(f"**{title}** ({rounds} interleaved rounds)", header, rows))
    section.raw[title] = {name: timing.seconds for name, timing in times.items()} | {
        name: {"scaled": part.seconds, "part": part.part_seconds, "stated": part.stated}
        for name, part in parts.items()
    }


def _contestants(
    problem: Problem, peers: list[Peer], rounds: int
) -> tuple[dict[str, Callable[[], Answer]], dict[str, Callable[[], Answer]]]:
    """Those that run in every round, and those of which several runs would take too long."""
    single = {peer.name for peer in peers if peer.once and rounds > 1}
    work = {peer.name: partial(peer.solve, problem) for peer in peers}
    in_rounds = {name: solve for name, solve in work.items() if name not in single}
    return in_rounds, {name: solve for name, solve in work.items() if name in single}


def _scaled(peer: Peer, problem: Problem) -> Extrapolated:
    columns = min(peer.part or 1, problem.X.shape[1])
    piece = problem.prefix(problem.X.shape[0], columns, 1)
    work = {"part": lambda: peer.solve(piece)}
    part = side_by_side(work, rounds=1, warm_up=False)["part"].median
    n, k = problem.X.shape[1], problem.n_features
    candidates = sum(n - step for step in range(k))
    stated = f"first step over {columns} columns, x {candidates / columns:g}"
    return Extrapolated(part * candidates / columns, part, stated)


def _row(
    peer: Peer, timing: Timing, verdict: Verdict, ours: float, best: float, once: bool
) -> list[str]:
    mark = "= " if peer.same_criterion else ""
    relative = f"{number(timing.median / ours)}x"
    quality = f"{verdict.error / best:.6g}"
    time = seconds(timing.median) + (" (once)" if once else "")
    values = [relative, quality, peer.optimises, time, f"{verdict.error:.6g}"]
    return [mark + peer.name, *values]


def _scaled_row(peer: Peer, part: Extrapolated, ours: float) -> list[str]:
    mark = "= " if peer.same_criterion else ""
    relative, time = f"~{number(part.seconds / ours)}x", f"~{seconds(part.seconds)} ({part.stated})"
    return [mark + peer.name, relative, "-", peer.optimises, time, "-"]
