"""How often the outer folds chose what the model has chosen."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from holdfast.report.terms import Noun

MOST = 30


@dataclass(frozen=True)
class Share:
    """One column or feature: share of the folds that chose it, and whether the model has it."""

    name: str
    share: float
    chosen: bool


def shares(findings: Mapping[str, Any], noun: Noun) -> list[Share]:
    """Shares of everything chosen at least once, or in the model, most often chosen first."""
    names = findings["feature_columns" if noun.one == "column" else "features"]
    supports = findings["nested"]["supports"]
    counted: dict[str, int] = {}
    for support in supports:
        for name in {names[column] for column in support}:
            counted[name] = counted.get(name, 0) + 1
    path = findings["path"]
    chosen = [names[j] for j in path[findings["chosen"]]["columns"]] if path else []
    for name in chosen:
        counted.setdefault(name, 0)
    all_of_them = [
        Share(name, number / len(supports), name in set(chosen)) for name, number in counted.items()
    ]
    return sorted(all_of_them, key=lambda share: (-share.share, not share.chosen, share.name))
