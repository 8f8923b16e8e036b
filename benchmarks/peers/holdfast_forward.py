"""`holdfast.ForwardRidge` with exact leave-one-out."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.peers.peer import Peer
from benchmarks.referee import Answer


def select(X: Any, y: np.ndarray, n_features: int, alpha: float) -> Answer:
    """Select columns through the public estimator."""
    from holdfast import ForwardRidge

    model = ForwardRidge(alphas=alpha, n_features_to_select=n_features).fit(X, y)
    return Answer(model.selection_order_.tolist(), float(model.path_errors_[-1]))


PEER = Peer(
    name="holdfast ForwardRidge",
    package="holdfast",
    optimises="leave-one-out error of ridge regression, greedily (exact bounds, few scored)",
    select=select,
    same_criterion=True,
)
