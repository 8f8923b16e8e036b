"""Labels from outputs, and the outputs of left-out rows with all their digits.

A classifier names the class of the largest output, or of one output its sign. Two outputs are
equal, and the rule decides, when they differ by less than what rounding makes of the *terms* they
are sums of: 1e-13 of the sum of the terms' sizes, whatever the scale of X or the penalty. An
intercept is a mean of targets -1 and +1, a sum of terms of size one.

The model trained without row j says ``y_j - res_j / (1 - leverage_j)`` there (raw targets and
residuals). That difference keeps digits of y, not of the output: under a large penalty the output
is the mean of the others but for a trace, and the trace is what tells the classes apart. With

    fit = Q'(I - E) Q y = sum over moves of h c,        lev = sum over moves of c^2 / sigma,

the parts of the prediction and of the leverage that belong to the columns (notation of
:mod:`holdfast.criteria.additions`), allowed = 1 - w/sum w the leverage of the intercept taken from
one, and t the centred target, the same number is

    output_j = mean of the others + (fit_j - t_j lev_j / allowed_j) / (1 - leverage_j)
    mean of the others = mean - t_j (1 - allowed_j) / allowed_j

a sum of terms that are as small as the columns make them. It is used where lev is at most half of
allowed; beyond, near interpolation, residuals are what keeps its digits, and outputs are not small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from holdfast.criteria.span import Frame
from holdfast.rows.sums import Array, State

ROUNDING = 1e-13
"""Outputs that differ by less than this share of the sizes of their terms are equal."""


class LeftOut(NamedTuple):
    """Left-out rows under several models; weighted as the ledgers keep them.

    ``residual`` are leave-one-out residuals and ``fit`` what the columns predict, (views, models,
    targets, m); ``slack`` = 1 - leverage and ``leverage`` that of the columns, (views, models, m).
    """

    residual: Array
    slack: Array
    fit: Array
    leverage: Array


class Readers(NamedTuple):
    """What turns these into outputs, row by row.

    ``targets`` (targets, m) as given; ``root`` (views, m) square roots of the weights, ``allowed``
    (views, m), ``target`` (views, targets, m) centred and weighted, ``mean`` (views, targets);
    ``constant`` is the size of a mean's terms, zero without an intercept.
    """

    targets: Array
    root: Array
    allowed: Array
    target: Array
    mean: Array
    constant: float

    @classmethod
    def of(cls, targets: Array, state: State, frame: Frame) -> Readers:
        """Those of a block."""
        by_row = (targets, state["root"], state["allowed"], state["target"])
        return cls(*by_row, frame.target_mean, float(frame.fit_intercept))

    def part(self, rows: slice) -> Readers:
        """Those of some of the rows."""
        targets, root, allowed, target = (part[..., rows] for part in self[:4])
        return Readers(targets, root, allowed, target, self.mean, self.constant)


def left_out_outputs(rows: LeftOut, readers: Readers) -> tuple[Array, Array]:
    """Outputs of models trained without the row, and the sizes of their terms; like ``fit``."""
    root = np.where(readers.root > 0, readers.root, 1.0)[:, None]
    allowed = np.where(readers.allowed > 0, readers.allowed, 1.0)[:, None]
    centred = readers.target / root
    others = readers.mean[..., None] - centred * (1 - allowed) / allowed

    slack = np.where(rows.slack > 0, rows.slack, 1.0)[:, :, None]
    fit = rows.fit / (root[:, None] * slack)
    own = centred[:, None] * (rows.leverage / allowed)[:, :, None] / slack
    error = rows.residual / root[:, None]
    early = (rows.leverage <= 0.5 * allowed)[:, :, None]
    outputs = np.where(early, others[:, None] + (fit - own), readers.targets - error)
    sizes = np.where(
        early,
        readers.constant + np.abs(fit) + np.abs(own),
        np.abs(readers.targets) + np.abs(error),
    )
    return outputs, sizes


def named_classes(outputs: Array, sizes: Array) -> Array:
    """Codes of the classes that outputs (..., targets, m) name; (..., m).

    One output above zero means the second class; of several the largest wins, the first of equals.
    ``sizes`` are those of the terms of the outputs, alike in shape.
    """
    doubt = ROUNDING * sizes
    if outputs.shape[-2] == 1:
        return (outputs[..., 0, :] > doubt[..., 0, :]).astype(np.intp)
    largest = outputs.argmax(axis=-2, keepdims=True)
    least = np.take_along_axis(outputs - doubt, largest, axis=-2)
    codes: Array = (outputs + doubt >= least).argmax(axis=-2)
    return codes


def wrong_labels(outputs: Array, sizes: Array, targets: Array) -> Array:
    """1 where outputs (..., targets, m) name another class than the coded targets, else 0."""
    true = (targets[0] > 0) if len(targets) == 1 else targets.argmax(axis=0)
    return (named_classes(outputs, sizes) != true).astype(np.float64)
