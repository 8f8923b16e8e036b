"""`abess.LinearRegression`: best subset of a given size by splicing."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.peer import Peer
from benchmarks.referee import Answer


def select(X: np.ndarray, y: np.ndarray, n_features: int, alpha: float) -> Answer:
    """Select columns without a penalty; splicing has no order: sorted."""
    from abess import LinearRegression

    model = LinearRegression(support_size=[n_features], thread=1).fit(X, y)
    return Answer(np.flatnonzero(model.coef_).tolist(), ordered=False)


PEER = Peer(
    name="abess LinearRegression",
    package="abess",
    optimises="training error of unpenalised least squares, exchanging columns (splicing)",
    select=select,
)
