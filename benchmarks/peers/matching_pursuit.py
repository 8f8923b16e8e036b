"""`sklearn.linear_model.OrthogonalMatchingPursuit`."""

from __future__ import annotations

import numpy as np

from benchmarks.peers.peer import Peer
from benchmarks.referee import Answer


def select(X: np.ndarray, y: np.ndarray, n_features: int, alpha: float) -> Answer:
    """Select columns by correlation with the residual; the estimator keeps no order: sorted."""
    from sklearn.linear_model import OrthogonalMatchingPursuit

    model = OrthogonalMatchingPursuit(n_nonzero_coefs=n_features).fit(X, y)
    return Answer(np.flatnonzero(model.coef_).tolist(), ordered=False)


PEER = Peer(
    name="scikit-learn OrthogonalMatchingPursuit",
    package="sklearn",
    optimises="nothing as a set: each time the column most correlated with the residual",
    select=select,
)
