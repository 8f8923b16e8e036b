"""`sklearn.feature_selection.SequentialFeatureSelector` around `Ridge`."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.peer import Peer
from benchmarks.referee import Answer


def select(X: np.ndarray, y: np.ndarray, n_features: int, alpha: float, *, folds: Any) -> Answer:
    """Select columns; ``folds=None`` is leave-one-out. The selector keeps no order: sorted."""
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.linear_model import Ridge
    from sklearn.model_selection import LeaveOneOut

    selector = SequentialFeatureSelector(
        Ridge(alpha=alpha),
        n_features_to_select=n_features,
        scoring="neg_mean_squared_error",
        cv=LeaveOneOut() if folds is None else folds,
    )
    return Answer(np.flatnonzero(selector.fit(X, y).support_).tolist(), ordered=False)


LEAVE_ONE_OUT = Peer(
    name="scikit-learn SequentialFeatureSelector, leave-one-out",
    package="sklearn",
    optimises="leave-one-out error of ridge regression, greedily (every refit done)",
    select=partial(select, folds=None),
    same_criterion=True,
    part=2,
)
FIVE_FOLDS = Peer(
    name="scikit-learn SequentialFeatureSelector, 5 folds",
    package="sklearn",
    optimises="5-fold error of ridge regression, greedily",
    select=partial(select, folds=5),
    once=True,
)
