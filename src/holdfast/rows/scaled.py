"""Rows whose columns are divided by numbers of their own, without a copy of X.

Every sum over scaled columns is the sum over the columns as they are, divided: only what is told of
columns - centres, coefficients - is multiplied before and what is reported of them divided after.
The few columns that a state holds are copies, and are divided themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from holdfast.rows.narrow import Narrow
from holdfast.rows.sums import Array, Block, Parts, Rows, State, States, Step, Totals

_TOGETHER = 256


class ScaledRows:
    """Rows with the columns ``X / scale``; see :class:`holdfast.rows.sums.Rows`.

    Parameters
    ----------
    rows : Rows
        Rows with the columns X.
    scale : array of shape (n,)
        Positive.
    """

    def __init__(self, rows: Rows, scale: Array) -> None:
        self._rows, self._scale = rows, scale
        self.n_rows, self.n_columns, self.n_targets = rows.n_rows, rows.n_columns, rows.n_targets
        self.counts, self.kept_bytes = rows.counts, rows.kept_bytes
        self.fetch_width, self.product_width = rows.fetch_width, rows.product_width
        self.entries_per_column = rows.entries_per_column
        self.origin = rows.origin / scale
        self.joined, self.gather, self.scatter = rows.joined, rows.gather, rows.scatter

    def sweep(self, step: Step, states: States | None, shared: Any) -> tuple[Totals, States]:
        """Apply ``step`` to the scaled columns of every block; see :class:`.sums.Rows`."""
        return self._rows.sweep(partial(_on_scaled, step), states, (self._scale, shared))


def _on_scaled(step: Step, block: Block, state: State, shared: Any) -> tuple[Totals, State]:
    scale, own = shared
    return step(ScaledBlock(block, scale), state, own)


class ScaledBlock:
    """A block with scaled columns; see :class:`holdfast.rows.sums.Block`."""

    def __init__(self, block: Block, scale: Array) -> None:
        self._block, self._scale = block, scale
        self.targets, self.weights = block.targets, block.weights

    def cross(self, vectors: Array) -> Array:
        """``vectors @ X``."""
        return self._block.cross(vectors) / self._scale

    def columns(self, indices: Array) -> Array:
        """Columns as lines."""
        return self._block.columns(indices) / self._scale[indices, None]

    def outputs(self, coef: Array, chosen: Any, centre: Array) -> Array:
        """Outputs of linear models."""
        return self._block.outputs(coef / self._scale, chosen, centre * self._scale)

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """Weighted first and second sums about a centre."""
        first, second = self._block.spread(weights, centre * self._scale)
        return first / self._scale, second / self._scale**2

    def gram(self, parts: Parts, extra: Array, root: Array, centre: Array) -> Array:
        """Products of centred columns and extra lines by part."""
        lengths = np.concatenate([self._scale, np.ones(len(extra))])
        total = self._block.gram(parts, extra, root, centre * self._scale)
        total /= lengths
        total /= lengths[:, None]
        return total

    def cross_by_part(self, vectors: Array, parts: Parts, centre: Array) -> Array:
        """Products with centred columns by part."""
        return self._block.cross_by_part(vectors, parts, centre * self._scale) / self._scale

    def points(self, chosen: Any, length: int) -> Iterator[Any]:
        """Rows as float64, a piece at a time."""
        for points in self._block.points(chosen, length):
            if sparse.issparse(points):
                yield points.multiply(1 / self._scale).tocsr()
            else:
                yield points / self._scale

    def narrow(self, columns: Array, centre: Array) -> Narrow:
        """Some columns about a centre, copied."""
        scale = self._scale[columns]
        return self._block.narrow(columns, centre * scale).scaled(scale)

    def some(self, chosen: Array) -> ScaledBlock:
        """Some rows, copied."""
        return ScaledBlock(self._block.some(chosen), self._scale)

    def squares(self, centre: Array) -> Array:
        """Squared lengths of the rows about a centre, a piece at a time."""
        total = []
        for points in self.points(slice(0, len(self.weights)), _TOGETHER):
            if sparse.issparse(points):
                deviation = points.data - centre[points.indices]
                rows = np.repeat(np.arange(points.shape[0]), np.diff(points.indptr))
                total.append(np.bincount(rows, deviation**2, minlength=points.shape[0]))
            else:
                total.append(((points - centre) ** 2).sum(axis=1))
        return np.concatenate(total)
