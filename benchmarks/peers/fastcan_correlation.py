"""`fastcan.FastCan`: greedy search by the squared canonical correlation with the target."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.peer import Peer
from benchmarks.referee import Answer


def select(X: np.ndarray, y: np.ndarray, n_features: int, alpha: float) -> Answer:
    """Select columns; the penalty plays no part."""
    from fastcan import FastCan

    selector = FastCan(n_features_to_select=n_features, verbose=0).fit(X, y)
    return Answer([int(column) for column in selector.indices_])


PEER = Peer(
    name="fastcan FastCan",
    package="fastcan",
    optimises="training R2 of unpenalised least squares, greedily",
    select=select,
)
