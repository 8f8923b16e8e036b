"""Held-out errors of rows, from leave-one-out residuals.

A leave-one-out residual is that of the weighted row, ``sqrt(w_j)`` times the raw error. A
loss gives a number per row and the weight with which rows are added up; that sum, divided by
the sum of the error weights, is the error of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from holdfast.rows.ledger import TIE
from holdfast.rows.sums import Array, State


class Loss(NamedTuple):
    """How a row's error is read from its leave-one-out residuals.

    ``of_rows(residuals, targets, root)`` takes residuals (views, models, targets, m), which
    it may overwrite, to losses (views, models, m); ``weights(state)`` is (views, m).
    """

    of_rows: Callable[[Array, Array, Array], Array]
    weights: Callable[[State], Array]


def _squared(residuals: Array, targets: Array, root: Array) -> Array:
    """Squared errors of the weighted rows, mean over targets."""
    np.square(residuals, out=residuals)
    return residuals[:, :, 0] if residuals.shape[2] == 1 else residuals.mean(axis=2)


def _zero_one(residuals: Array, targets: Array, root: Array) -> Array:
    """Whether the classifier would get the row wrong."""
    residuals /= np.where(root > 0, root, 1.0)[:, None, None]
    return wrong_labels(targets - residuals, targets)


def wrong_labels(outputs: Array, targets: Array) -> Array:
    """1 where outputs (..., targets, m) name another class than the targets, else 0; (..., m).

    One output above zero means the second class; of several the largest wins, the first of
    equals. Outputs within 1e-10 are equal, so that a tie is decided by the rule and not by
    rounding.
    """
    if len(targets) == 1:
        wrong = (outputs[..., 0, :] > TIE) != (targets[0] > 0)
    else:
        leading = outputs >= outputs.max(axis=-2, keepdims=True) - TIE
        wrong = leading.argmax(axis=-2) != targets.argmax(axis=0)
    return wrong.astype(np.float64)


def _importance(state: State) -> Array:
    importance: Array = state["importance"]
    return importance


def row_weights(state: State) -> Array:
    """Weights of the rows in the error, zero in views that do not read them."""
    weights: Array = state["importance"] * state["root"] ** 2
    return weights


LOSSES: Mapping[str, Loss] = {
    "squared": Loss(_squared, _importance),
    "zero_one": Loss(_zero_one, row_weights),
}
