"""Products of columns within features, as flat pairs.

A feature of one column has one number, its square; a feature of s columns has s x s products.
Laid out flat, feature by feature, single columns cost what they should and groups share the code:
a feature's products are found by size, and reshaped to blocks.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array


class Pairs:
    """Pairs of columns within features.

    Attributes
    ----------
    first, second : slice or int array of shape (pairs,)
        The columns of every pair.
    diagonal : slice or int array of shape (n,)
        The pair of every column with itself.
    owner : int array of shape (pairs,)
        The feature of every pair.
    by_size : list of (size, features, pairs)
        Features of one size, and their pairs, feature by feature.
    """

    def __init__(self, features: Features) -> None:
        self.single = features.single
        self.first: Any = slice(None)
        self.second: Any = slice(None)
        self.diagonal: Any = slice(None)
        everything = np.arange(len(features))
        self.owner = np.repeat(everything, features.sizes**2)
        self._starts = np.concatenate([[0], np.cumsum(features.sizes**2)])
        self.by_size: list[tuple[int, Any, Any]] = [(1, everything, slice(None))]
        if self.single:
            return
        owner = self.owner
        within, size_of = np.arange(len(owner)) - self._starts[owner], features.sizes[owner]
        self.first = features.flat[features.starts[owner] + within // size_of]
        self.second = features.flat[features.starts[owner] + within % size_of]
        on_diagonal = np.flatnonzero(self.first == self.second)
        self.diagonal = on_diagonal[np.argsort(self.first[on_diagonal])]
        self.by_size = []
        for size in np.unique(features.sizes):
            chosen = np.flatnonzero(features.sizes == size)
            pairs = (self._starts[chosen][:, None] + np.arange(size**2)).ravel()
            self.by_size.append((int(size), chosen, pairs))

    def of_features(self, features: Array) -> Array:
        """Pairs of several features of one size, feature by feature."""
        starts, stops = self._starts[features], self._starts[features + 1]
        pairs: Array = (starts[:, None] + np.arange(stops[0] - starts[0])).ravel()
        return pairs

    def touching(self, columns: Array) -> Array:
        """Pairs that some columns are part of, where there are groups."""
        return np.flatnonzero(np.isin(self.first, columns) | np.isin(self.second, columns))

    def squares_of(self, features: Array) -> Array:
        """Pairs of every column of several features with itself."""
        pairs = self.of_features(features)
        return pairs if self.single else pairs[self.first[pairs] == self.second[pairs]]


def solve_blocks(blocks: Array, right: Array) -> Array:
    """Solutions of many small symmetric systems, of singular ones the shortest.

    Columns of a feature that depend on each other are held apart by alpha alone; under an alpha
    that vanishes beside their products a block is singular in floats.
    """
    try:
        solved: Array = np.linalg.solve(blocks, right)
    except np.linalg.LinAlgError:
        known = np.where(np.isfinite(blocks), blocks, 0.0)
        solved = np.linalg.pinv(known, hermitian=True) @ right
    return solved
