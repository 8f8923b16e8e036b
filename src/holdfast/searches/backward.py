"""Backward selection: remove the feature whose loss leaves the criterion smallest."""

from __future__ import annotations

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
) -> list[Visit]:
    """Path of a backward search.

    Parameters
    ----------
    ledger : Ledger
        At the model to shrink.
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

    Returns
    -------
    list of Visit
        The starting model and one entry per move.
    """
    path = [visit(ledger, None)]
    patient = Patience(rule, patience)
    patient.exhausted(path)
    while path[-1].size > limit:
        watch.begin()
        proposal = ledger.best(-1, np.setdiff1d(ledger.support, fixed))
        if proposal is None:
            break
        ledger.accept(proposal.move)
        path.append(visit(ledger, proposal.move))
        if watch.end(path) or patient.exhausted(path):
            break
    return path
