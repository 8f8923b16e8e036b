"""Backward selection: remove the feature whose loss leaves the criterion smallest."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from holdfast.rows.ledger import Ledger
from holdfast.rows.sums import Array
from holdfast.searches.path import Patience, SizeRule, Visit, Watch, visit


def backward(
    ledger: Ledger,
    fixed: Array,
    *,
    rule: SizeRule,
    limit: int,
    patience: int | None,
    watch: Watch,
    visited: Sequence[Visit] = (),
) -> list[Visit]:
    """Path of a backward search.

    Parameters
    ----------
    ledger : Ledger
        At the model to shrink, or where an earlier search has come to.
    fixed : int array
        Features that stay in.
    rule : SizeRule
        How the size will be chosen; ends the search when its choice stops changing.
    limit : int
        Size at which the search ends.
    patience : int or None
        Moves without a new choice after which the search ends.
    watch : Watch
        Told of every move.
    visited : sequence of Visit, default=()
        What an earlier search of the same problem has visited: this one goes on from there.

    Returns
    -------
    list of Visit
        The starting model and one entry per move.
    """
    path = list(visited) or [visit(ledger, None)]
    patient = Patience(rule, patience)
    ended = patient.follow(path, -1)
    while not ended and path[-1].size > limit:
        watch.begin()
        proposal = ledger.best(-1, np.setdiff1d(ledger.support, fixed))
        if proposal is None:
            break
        ledger.accept(proposal.move)
        path.append(visit(ledger, proposal.move))
        if watch.end(path) or patient.exhausted(path):
            break
    return path
