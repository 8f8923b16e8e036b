"""A given order, walked through a criterion: each model is judged, none is looked for.

The features come one after the other as somebody else has ranked them - by least angle regression
for pruned ridge regression - and the ledger tells the error of every model on the way, at every
penalty. No candidate is scored: a step costs what accepting a move costs.
"""

from __future__ import annotations

from collections.abc import Sequence

from holdfast.rows.ledger import Ledger, Move
from holdfast.rows.sums import Array
from holdfast.searches.path import Patience, SizeRule, Visit, Watch, visit


def in_order(
    ledger: Ledger,
    order: Sequence[int] | Array,
    *,
    rule: SizeRule,
    patience: int | None,
    watch: Watch,
) -> list[Visit]:
    """Path of the models of the first 0, 1, 2, ... features.

    Parameters
    ----------
    ledger : Ledger
        At the starting model.
    order : sequence of int
        Different features, none of them in the starting model.
    rule : SizeRule
        How the size will be chosen; ends the walk when its choice stops changing.
    patience : int or None
        Moves without a new choice after which the walk ends.
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
    for position, feature in enumerate(order):
        watch.begin()
        ledger.expect(order[position:])
        move = Move(+1, int(feature))
        ledger.accept(move)
        path.append(visit(ledger, move))
        if watch.end(path) or patient.exhausted(path):
            break
    return path
