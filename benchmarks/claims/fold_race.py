"""A search by folds beside the paper's eigen method, for several numbers of columns selected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks import fold_referee
from benchmarks.fold_problems import FoldProblem
from benchmarks.peers.centred_moments import centred_moments
from benchmarks.peers.peer import FoldPeer
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import Ratio, Timing, ratio, side_by_side

OURS, PASS = "ours", "moments"


@dataclass(frozen=True)
class Race:
    """A problem, the numbers of columns to select, and the bound claimed for the last of them."""

    problem: FoldProblem
    sizes: Sequence[int]
    at_least: float
    rounds: int
    binding: bool = True


def run_race(
    section: Section,
    race: Race,
    question: fold_referee.Question,
    ours: FoldPeer,
    baselines: Mapping[str, FoldPeer],
) -> None:
    """Time every size, claim the last; the baseline that counts is the faster at each size."""
    smallest, rows = race.problem.selecting(race.sizes[0]), []
    for peer in (ours, *baselines.values()):
        peer.solve(smallest)
    for size in race.sizes:
        problem = race.problem.selecting(size)
        contestants = {OURS: lambda problem=problem: ours.solve(problem)}
        for name, peer in baselines.items():
            contestants[name] = lambda peer=peer, problem=problem: peer.solve(problem)
        contestants[PASS] = lambda problem=problem: centred_moments(problem)
        # No untimed round but the smallest size above: the eigen method may take a minute.
        times = side_by_side(contestants, rounds=race.rounds, warm_up=False)
        answers = {name: times[name].answer for name in (*baselines, OURS)}
        verdicts = fold_referee.judge(problem, question, answers, same=list(answers))
        refused = {name: verdict for name, verdict in verdicts.items() if not verdict.accepted}
        section.rejected.extend(
            f"{problem}, {question} to {size}, {name}: {verdict.reason}"
            for name, verdict in refused.items()
        )
        if refused:
            continue
        faster = min(baselines, key=lambda name: times[name].median)
        gain = ratio(times[faster], times[OURS])
        rows.append(_row(size, gain, times, faster, list(baselines), verdicts[OURS].error))
        _claim(section, race, question, size, gain)
        key = f"{problem}, {question} to {size}"
        section.raw[key] = {name: timing.seconds for name, timing in times.items()}
    header = ["columns selected", "faster eigen method / ours", "the same without the pass", OURS]
    header += [f"eigen method, {name}" for name in baselines]
    header += ["pass (the eigen method's moments)", "K-fold error"]
    caption = f"**{race.problem}**, {question} ({race.rounds} interleaved rounds)"
    section.tables.append(Table(caption, header, rows))


def _row(
    size: int,
    gain: Ratio,
    times: Mapping[str, Timing],
    faster: str,
    baselines: list[str],
    error: float,
) -> list[str]:
    alone = [times[name].median - times[PASS].median for name in (faster, OURS)]
    # Within the noise of the pass there is nothing left to compare.
    without = f"{alone[0] / alone[1]:.3g}x" if alone[1] > 0.1 * times[PASS].median else "-"
    medians = [seconds(times[name].median) for name in (OURS, *baselines, PASS)]
    return [str(size), str(gain), without, *medians, f"{error:.6g}"]


def _claim(
    section: Section, race: Race, question: fold_referee.Question, size: int, gain: Ratio
) -> None:
    section.claims.append(
        Claim(
            f"eigen method / ours on {race.problem}, {question} to {size}",
            gain.median,
            race.at_least,
            "at least",
            binding=race.binding and size == race.sizes[-1],
            spread=gain.spread if race.rounds > 1 else "",
        )
    )
