"""Other libraries and the paper's methods choosing a penalty by folds: answers, then times."""

from __future__ import annotations

import warnings

from benchmarks import fold_referee
from benchmarks.fold_problems import NAMED, FoldProblem, windowed
from benchmarks.peers import PENALTY, holdfast_hold_out
from benchmarks.peers.peer import FoldPeer
from benchmarks.report import Section, Table, number, seconds
from benchmarks.timing import side_by_side

SMALL = {"quick": (200, 12, 5, 6), "default": (2000, 40, 5, 20), "full": (4000, 60, 8, 40)}
ROUNDS = {"quick": 1, "default": 3, "full": 7}
OURS = holdfast_hold_out.PENALTY
DEFINITION = "naive method of the paper"


def run(mode: str) -> Section:
    """Run every peer to the end on a small problem; on the named one, the slow ones in part."""
    section = Section("Choosing a penalty by folds: peers")
    peers = [peer for peer in PENALTY if peer.installed]
    absent = [peer.name for peer in PENALTY if not peer.installed]
    if absent:
        section.notes.append(f"Not installed, left out: {', '.join(absent)}.")
    _compare(section, windowed(*SMALL[mode], 0), peers, [], rounds=1)
    if mode != "quick":
        named = windowed(**NAMED, n_features=0)
        whole = [peer for peer in peers if peer.scaled is None and peer.name != DEFINITION]
        slow = [peer for peer in peers if peer.scaled is not None]
        _compare(section, named, whole, slow, rounds=ROUNDS[mode])
    section.notes.append(
        "All of them minimise the same error, so all must choose the same alpha. cvmatrix computes "
        "training moments only; the decompositions and predictions on top are ours. himalaya is "
        "made for many targets and forms a matrix of held-out by training rows per alpha, which "
        "with one target is most of its time. Scaled times (~) are measured on the part stated."
    )
    return section


def _compare(
    section: Section,
    problem: FoldProblem,
    peers: list[FoldPeer],
    slow: list[FoldPeer],
    *,
    rounds: int,
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what peers warn of is not ours to mend
        contestants = {peer.name: lambda peer=peer: peer.solve(problem) for peer in peers}
        times = side_by_side(contestants, rounds=rounds)
        parts = {peer.name: peer.scaled(problem) for peer in slow if peer.scaled}
    answers = {name: timing.answer for name, timing in times.items()}
    # The first is whom the others have to agree with: not ours.
    same = [peer.name for peer in reversed(peers) if peer.same_criterion]
    verdicts = fold_referee.judge(problem, "penalty", answers, same)
    refused = {name: verdict.reason for name, verdict in verdicts.items() if not verdict.accepted}
    section.rejected.extend(f"{problem}, {name}: {reason}" for name, reason in refused.items())
    ours = times[OURS.name].median
    rows = [
        [
            peer.name,
            f"{number(times[peer.name].median / ours)}x",
            peer.optimises,
            seconds(times[peer.name].median),
            f"{verdicts[peer.name].error:.6g}",
        ]
        for peer in peers
        if peer.name not in refused
    ]
    for peer in slow:
        part = parts[peer.name]
        time = f"~{seconds(part.seconds)} ({part.stated})"
        rows.append([peer.name, f"~{number(part.seconds / ours)}x", peer.optimises, time, "-"])
    header = ["method", "time / ours", "optimises", "time", "K-fold error"]
    section.tables.append(Table(f"**{problem}** ({rounds} interleaved rounds)", header, rows))
    section.raw[str(problem)] = {name: timing.seconds for name, timing in times.items()} | {
        name: {"scaled": part.seconds, "part": part.part_seconds, "stated": part.stated}
        for name, part in parts.items()
    }
