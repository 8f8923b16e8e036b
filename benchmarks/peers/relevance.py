"""Relevance vector machines, ours and others: fit, then relevant rows and predictions."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib.util import find_spec

import numpy as np


@dataclass(frozen=True)
class Machine:
    """A contestant: ``fit(X, y, gamma)`` returns relevant rows and a function that predicts.

    ``largest`` is the number of rows up to which it is run by default.
    """

    name: str
    package: str
    fit: Callable[[np.ndarray, np.ndarray, float], tuple[np.ndarray, Callable]]
    largest: int = 10**9

    @property
    def installed(self) -> bool:
        """Return whether the package can be imported."""
        return find_spec(self.package) is not None


def _ours(**params) -> Callable:
    def fit(X, y, gamma):
        from holdfast import EvidenceRegressor, RelevanceVectorRegressor

        kind = RelevanceVectorRegressor if "algorithm" in params else EvidenceRegressor
        model = kind(gamma=gamma, **params).fit(X, y)
        return model.basis_indices_, model.predict

    return fit


def _fastrvm(X, y, gamma):
    from fastrvm import RVR

    model = RVR(gamma=gamma)
    model.fit(X, y)
    return np.asarray(model.relevance_), model.predict


def _sklearn_rvm(X, y, gamma):
    from sklearn_rvm import EMRVR

    model = EMRVR(gamma=gamma, bias_used=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    return np.asarray(model.relevance_), model.predict


MACHINES = (
    Machine("holdfast RelevanceVectorRegressor, fast", "holdfast", _ours(algorithm="fast")),
    Machine("holdfast RelevanceVectorRegressor, em", "holdfast", _ours(algorithm="em"), 2000),
    Machine("holdfast EvidenceRegressor, auto, rank 300", "holdfast", _ours(low_rank=300)),
    Machine("fastrvm RVR", "fastrvm", _fastrvm),
    Machine("sklearn-rvm EMRVR", "sklearn_rvm", _sklearn_rvm, 1000),
)
