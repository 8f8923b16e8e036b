"""Held-out errors of rows, from leave-one-out residuals.

A leave-one-out residual is that of the weighted row, ``sqrt(w_j)`` times the raw error.
Losses come weighted: summed over rows, and divided by the sum of the error weights, they are
the error of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from holdfast.rows.ledger import TIE
from holdfast.rows.sums import Array, State

Loss = Callable[[Array, Array, State, slice], Array]


def squared(residuals: Array, targets: Array, state: State, rows: slice) -> Array:
    """Squared errors, mean over targets: (views, models, targets, m) -> (views, models, m)."""
    mean = np.einsum("vplm,vplm->vpm", residuals, residuals) / residuals.shape[2]
    return mean * state["importance"][:, None, rows]


def zero_one(residuals: Array, targets: Array, state: State, rows: slice) -> Array:
    """Whether the classifier would get the row wrong.

    One output above zero means the second class; of several the largest wins, the first of
    equals. Outputs within 1e-10 are equal, so that a tie is decided by the rule and not by
    rounding.
    """
    root = state["root"][:, None, None, rows]
    raw = np.divide(residuals, root, out=np.zeros_like(residuals), where=root > 0)
    outputs, truth = targets[:, rows] - raw, targets[:, rows]
    if len(truth) == 1:
        wrong = (outputs[:, :, 0] > TIE) != (truth[0] > 0)
    else:
        leading = outputs >= outputs.max(axis=2, keepdims=True) - TIE
        wrong = leading.argmax(axis=2) != truth.argmax(axis=0)
    return wrong * (state["importance"] * state["root"] ** 2)[:, None, rows]


LOSSES: Mapping[str, Loss] = {"squared": squared, "zero_one": zero_one}
