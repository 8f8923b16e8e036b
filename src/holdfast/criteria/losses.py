"""Held-out errors of rows, from what is known of rows left out.

A leave-one-out residual is that of the weighted row, ``sqrt(w_j)`` times the raw error. A
loss gives a number per row and the weight with which rows are added up; that sum, divided by
the sum of the error weights, is the error of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from holdfast.criteria.labels import LeftOut, Readers, left_out_outputs, wrong_labels
from holdfast.rows.sums import Array, State


class Loss(NamedTuple):
    """How a row's error is read from what is known of it when it is left out.

    ``of_rows(rows, readers)`` takes them to losses (views, models, m), and may overwrite the
    residuals; ``weights(state)`` is (views, m). ``reads_fits`` says whether fits and leverages
    of the columns are asked for beside residuals; ``largest`` is what no error exceeds.
    """

    of_rows: Callable[[LeftOut, Readers], Array]
    weights: Callable[[State], Array]
    reads_fits: bool
    largest: float


def _squared(rows: LeftOut, readers: Readers) -> Array:
    """Squared errors of the weighted rows, mean over targets."""
    residuals = rows.residual
    np.square(residuals, out=residuals)
    return residuals[:, :, 0] if residuals.shape[2] == 1 else residuals.mean(axis=2)


def _zero_one(rows: LeftOut, readers: Readers) -> Array:
    """Whether the classifier would get the row wrong."""
    return wrong_labels(*left_out_outputs(rows, readers), readers.targets)


def _importance(state: State) -> Array:
    importance: Array = state["importance"]
    return importance


def row_weights(state: State) -> Array:
    """Weights of the rows in the error, zero in views that do not read them."""
    weights: Array = state["importance"] * state["root"] ** 2
    return weights


LOSSES: Mapping[str, Loss] = {
    "squared": Loss(_squared, _importance, reads_fits=False, largest=np.inf),
    "zero_one": Loss(_zero_one, row_weights, reads_fits=True, largest=1.0),
}
