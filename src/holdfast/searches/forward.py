"""Forward selection: add the feature that makes the criterion smallest, again and again.

With ``floating`` an addition is followed by removals for as long as one gives a model
better than the best seen of that size (Pudil, Novovicova, Kittler, 1994). Seen is what was visited
and what was promised: where columns nearly depend on each other rounding tells them apart, and a
promise that is not kept must not be believed twice. So every removal improves on the best of its
size, and the search always ends.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from holdfast.rows.ledger import TIE, Ledger
from holdfast.rows.sums import Array
from holdfast.searches.path import Patience, SizeRule, Visit, Watch, visit


def forward(
    ledger: Ledger,
    candidates: Array,
    *,
    rule: SizeRule,
    limit: int,
    patience: int | None,
    floating: bool,
    watch: Watch,
    fixed: Collection[int] = (),
    visited: Sequence[Visit] = (),
    offered: Callable[[Array], Array] | None = None,
) -> list[Visit]:
    """Path of a forward search.

    Parameters
    ----------
    ledger : Ledger
        At the starting model, or where an earlier search has come to.
    candidates : int array
        Features that may be added, ascending.
    rule : SizeRule
        How the size will be chosen; ends the search when its choice stops changing.
    limit : int
        Size at which the search ends.
    patience : int or None
        Moves without a new choice after which the search ends.
    floating : bool
        Whether features may be dropped again.
    watch : Watch
        Told of every move.
    fixed : collection of int, default=()
        Features that stay in.
    visited : sequence of Visit, default=()
        What an earlier search of the same problem has visited: this one goes on from there.
    offered : callable, optional
        Which of the candidates a move looks at, for instance a few drawn at random; without it all.

    Returns
    -------
    list of Visit
        The starting model and one entry per move.
    """
    path = list(visited) or [visit(ledger, None)]
    patient = Patience(rule, patience)
    ended = patient.follow(path, +1)
    seen: dict[int, float] = {}
    for entry in path:
        seen[entry.size] = min(seen.get(entry.size, np.inf), entry.error)
    candidates = np.setdiff1d(candidates, ledger.support)
    while not ended and path[-1].size < limit:
        if len(candidates) == 0:
            break
        watch.begin()
        proposal = ledger.best(+1, candidates if offered is None else offered(candidates))
        if proposal is None:
            break
        ledger.accept(proposal.move)
        path.append(visit(ledger, proposal.move))
        candidates = candidates[candidates != proposal.move.feature]
        seen[path[-1].size] = min(seen.get(path[-1].size, np.inf), path[-1].error)
        if floating:
            dropped = _drop_while_better(ledger, path, fixed, seen)
            candidates = np.union1d(candidates, dropped).astype(np.intp)
        if watch.end(path) or patient.exhausted(path):
            break
    return path


def _drop_while_better(
    ledger: Ledger, path: list[Visit], fixed: Collection[int], seen: dict[int, float]
) -> list[int]:
    """Drop features for as long as it pays; those dropped. ``seen`` is the best error by size."""
    dropped: list[int] = []
    while True:
        droppable = np.array([f for f in ledger.support if f not in fixed], dtype=np.intp)
        proposal = ledger.best(-1, droppable)
        if proposal is None:
            return dropped
        size = len(ledger.support) - 1
        best = seen.get(size, np.inf)
        if not proposal.error < best - TIE * abs(best):
            return dropped
        ledger.accept(proposal.move)
        dropped.append(proposal.move.feature)
        path.append(visit(ledger, proposal.move))
        seen[size] = min(proposal.error, path[-1].error)
