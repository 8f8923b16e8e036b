"""Splits of rows into training and held-out sets, as sums of parts.

Rows are divided into *parts* such that every training set and every held-out set is a union of
parts: K folds are K parts, a time series cut into K + 1 pieces is K + 1 parts, pairs of G groups
are G parts. Sums over a set are then sums over its parts, one reading of the data makes all of
them, and nothing is obtained by subtraction.

Where splits cut the rows into too many pieces (repeated folds, random splits) rows are divided
several times: each *partition* holds all rows, and a split takes the parts of one partition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from holdfast.rows.sums import Array

_PARTS_PER_SPLIT = 4


@dataclass(frozen=True)
class Splits:
    """Training and held-out sets of K splits.

    Attributes
    ----------
    labels : int array of shape (partitions, m)
        Part of every row in every partition; parts are numbered across partitions.
    train, held : bool array of shape (K, parts)
        Parts that a split trains on, and that it holds out; those in neither are unused.
    """

    labels: Array
    train: Array
    held: Array

    def __len__(self) -> int:
        return len(self.train)

    @property
    def n_parts(self) -> int:
        """Number of parts of all partitions together."""
        return int(self.train.shape[1])

    @property
    def whole(self) -> Array:
        """The parts of the first partition: together they hold every row once."""
        whole = np.zeros(self.n_parts, dtype=bool)
        whole[self.labels[0]] = True
        return whole

    @classmethod
    def of(cls, pairs: Sequence[tuple[Array, Array]], n_rows: int) -> Splits:
        """Splits given as (training rows, held-out rows): numbers, no row twice in a split."""
        complements = cls._complements(pairs, n_rows)
        if complements is not None:
            return complements
        roles = np.zeros((len(pairs), n_rows), dtype=np.int8)
        for role, (train, held) in zip(roles, pairs, strict=True):
            role[train], role[held] = 1, 2
        together = cls._by_signature(roles)
        if together.n_parts <= _PARTS_PER_SPLIT * len(pairs):
            return together
        families = _families(roles)
        joined = _joined([cls._by_signature(roles[family]) for family in families])
        order = np.argsort(np.concatenate(families))
        return cls(joined.labels, joined.train[order], joined.held[order])

    @classmethod
    def _complements(cls, pairs: Sequence[tuple[Array, Array]], n_rows: int) -> Splits | None:
        """Rows are held out by one split and trained on by the others, or trained on by all.

        Counting tells, without a table of all splits and rows. None for any other splits.
        """
        if any(len(train) + len(held) < n_rows for train, held in pairs):
            return None
        labels = np.full(n_rows, len(pairs))
        for number, (_, held) in enumerate(pairs):
            labels[held] = number
        always_trained = int(np.count_nonzero(labels == len(pairs)))
        if sum(len(held) for _, held in pairs) + always_trained > n_rows:
            return None
        of_parts = np.eye(len(pairs), len(pairs) + (always_trained > 0), dtype=bool)
        return cls(labels.reshape(1, -1), ~of_parts, of_parts)

    @classmethod
    def _by_signature(cls, roles: Array) -> Splits:
        """Rows with the same role in every split make a part."""
        packed = np.ascontiguousarray(roles.T).view(np.dtype((np.void, len(roles)))).ravel()
        _, first, labels = np.unique(packed, return_index=True, return_inverse=True)
        of_parts = roles[:, first]
        return cls(labels.reshape(1, -1), of_parts == 1, of_parts == 2)


def _families(roles: Array) -> list[list[int]]:
    """Splits that can share a partition: complements whose held-out sets are disjoint."""
    families: list[list[int]] = []
    taken: list[Array | None] = []
    for number, role in enumerate(roles):
        held = role == 2
        if (role == 0).any():
            families.append([number])
            taken.append(None)
            continue
        for family, used in zip(families, taken, strict=True):
            if used is not None and not (used & held).any():
                family.append(number)
                used |= held
                break
        else:
            families.append([number])
            taken.append(held.copy())
    return families


def _joined(families: list[Splits]) -> Splits:
    """Splits of several partitions, in the order of the families."""
    counts = [family.n_parts for family in families]
    starts = np.cumsum([0, *counts])
    n_splits = sum(len(family) for family in families)
    train = np.zeros((n_splits, starts[-1]), dtype=bool)
    held = np.zeros_like(train)
    labels, row = [], 0
    for family, start in zip(families, starts, strict=False):
        lines = slice(row, row + len(family))
        parts = slice(start, start + family.n_parts)
        train[lines, parts], held[lines, parts] = family.train, family.held
        labels.append(family.labels + start)
        row += len(family)
    return Splits(np.concatenate(labels), train, held)
