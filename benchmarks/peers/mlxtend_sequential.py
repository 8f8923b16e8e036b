"""`mlxtend.feature_selection.SequentialFeatureSelector` around scikit-learn's `Ridge`."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.peers.peer import Peer
from benchmarks.referee import Answer


def select(
    X: np.ndarray, y: np.ndarray, n_features: int, alpha: float, *, folds: int | None
) -> Answer:
    """Select columns; ``folds=None`` is leave-one-out (as many folds as rows)."""
    from mlxtend.feature_selection import SequentialFeatureSelector
    from sklearn.linear_model import Ridge

    selector = SequentialFeatureSelector(
        Ridge(alpha=alpha),
        k_features=n_features,
        forward=True,
        floating=False,
        scoring="neg_mean_squared_error",
        cv=len(y) if folds is None else folds,
    ).fit(X, y)
    return Answer(_order(selector.subsets_))


def _order(subsets: dict[int, dict[str, tuple[int, ...]]]) -> list[int]:
    visited: list[int] = []
    for size in sorted(subsets):
        visited += [int(i) for i in subsets[size]["feature_idx"] if i not in visited]
    return visited


LEAVE_ONE_OUT = Peer(
    name="mlxtend SequentialFeatureSelector, leave-one-out",
    package="mlxtend",
    optimises="leave-one-out error of ridge regression, greedily (every refit done)",
    select=partial(select, folds=None),
    same_criterion=True,
    part=2,
)
FIVE_FOLDS = Peer(
    name="mlxtend SequentialFeatureSelector, 5 folds",
    package="mlxtend",
    optimises="5-fold error of ridge regression, greedily",
    select=partial(select, folds=5),
    once=True,
)
