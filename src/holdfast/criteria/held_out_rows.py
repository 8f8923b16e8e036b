"""Held-out predictions and labels: what moments cannot tell.

The models come from the moments; here they meet the rows that their splits hold out, in one
reading of the columns they use. Labels have no moments: whether a candidate would get a row wrong
is only known from its prediction, so that the zero-one error costs O(m k) for every candidate and
penalty, O(m n k) a step.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdfast.criteria.labels import wrong_labels
from holdfast.rows.sums import Array, Block, Rows, State, States, Totals


@dataclass(frozen=True)
class Candidates:
    """Models of F candidates in every split and for every penalty.

    Attributes
    ----------
    columns : int array of shape (k,)
        Columns that all of them may use.
    coef : array of shape (K, R, F, targets, k)
        Their coefficients.
    own_columns : int array of shape (F, s)
        Columns that only one candidate uses.
    own_coef : array of shape (K, R, F, targets, s)
        Their coefficients.
    intercept : array of shape (K, R, F, targets)
        Intercepts.
    """

    columns: Array
    coef: Array
    own_columns: Array
    own_coef: Array
    intercept: Array


class HeldOutRows:
    """Rows and the splits that hold them out.

    Parameters
    ----------
    rows : Rows
        The data.
    parts : States
        Their parts, :func:`holdfast.rows.moments.divided`.
    held : array of shape (K, parts)
        How much a row of a part counts in the error of a split; zero where it is not held out.
    """

    def __init__(self, rows: Rows, parts: States, held: Array) -> None:
        self._rows, self._parts, self._held = rows, parts, held

    def predictions(self, columns: Array, coef: Array, intercept: Array) -> Array:
        """Mean over the splits that hold a row out, (rows, targets); NaN where none does.

        ``coef`` is (K, targets, columns) and ``intercept`` (K, targets).
        """
        _, states = self._rows.sweep(_predict, self._parts, (self._held, columns, coef, intercept))
        return self._rows.gather(states, "prediction").T

    def wrong(self, candidates: Candidates) -> Array:
        """Weights of the held-out rows that get a wrong label, (K, R, F)."""
        totals, _ = self._rows.sweep(_wrong, self._parts, (self._held, candidates))
        return totals["wrong"]


def _predict(block: Block, state: State, shared: tuple[Array, ...]) -> tuple[Totals, State]:
    """Sums of predictions, and how many there are."""
    held, columns, coef, intercept = shared
    lines = block.columns(columns)
    total, count = np.zeros((coef.shape[1], len(block.weights))), np.zeros(len(block.weights))
    for split, factors in enumerate(held):
        for labels in state["parts"]:
            chosen = np.flatnonzero(factors[labels] * block.weights > 0)
            total[:, chosen] += coef[split] @ lines[:, chosen] + intercept[split][:, None]
            count[chosen] += 1
    mean = np.divide(total, count, out=np.full_like(total, np.nan), where=count > 0)
    return Totals(), {"prediction": mean}


def _wrong(block: Block, state: State, shared: tuple[Array, Candidates]) -> tuple[Totals, State]:
    """Labels of all candidates, split by split and penalty by penalty."""
    held, candidates = shared
    n_splits, n_alphas, count, n_targets, _ = candidates.coef.shape
    size = candidates.own_columns.shape[1]
    lines = block.columns(candidates.columns)
    own = block.columns(candidates.own_columns.ravel()).reshape(count, size, len(block.weights))
    total = np.zeros((n_splits, n_alphas, count))
    for split, factors in enumerate(held):
        for labels in state["parts"]:
            weights = factors[labels] * block.weights
            chosen = np.flatnonzero(weights > 0)
            if len(chosen) == 0:
                continue
            targets, weights = block.targets[:, chosen], weights[chosen]
            shared_lines, own_lines = lines[:, chosen], own[..., chosen]
            shared_sizes, own_sizes = np.abs(shared_lines), np.abs(own_lines)
            for alpha in range(n_alphas):
                models = (
                    candidates.coef[split, alpha].reshape(count * n_targets, -1),
                    candidates.own_coef[split, alpha],
                    candidates.intercept[split, alpha],
                )
                outputs = _outputs(models, shared_lines, own_lines)
                sizes = _outputs([np.abs(part) for part in models], shared_sizes, own_sizes)
                # An intercept is a mean of -1 and +1.
                sizes += (models[2] != 0)[..., None]
                total[split, alpha] += wrong_labels(outputs, sizes, targets) @ weights
    return Totals({"wrong": total}), state


def _outputs(models: Sequence[Array], lines: Array, own_lines: Array) -> Array:
    """Outputs of the candidates, (F, targets, rows); of absolute numbers the terms' sizes."""
    coef, own_coef, intercept = models
    outputs: Array = (coef @ lines).reshape(*intercept.shape, -1)
    outputs += intercept[..., None]
    outputs += own_coef @ own_lines
    return outputs
