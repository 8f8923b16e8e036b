"""p and q of every candidate, carried from move to move.

    p_i = x_i' res        q_i = x_i' alpha G x_i        (res = alpha G y)

start as the products of the columns with the target and with themselves, and follow a move that
adds x_b by v = X'c, c = alpha G x_b before it (:mod:`holdfast.criteria.inner`):

    p -= h v        q -= v^2 / sigma

Features of several columns keep blocks of q: all products within a feature, as flat pairs of
columns. ``h = (alpha I + q)^-1 p`` is the weight that a candidate would get.

q is a difference: (alpha + q at the start) / (alpha + q now) of its digits are lost, times those a
large mean has taken. Beyond a factor of 1e8 a candidate is *doubtful*, and its p and q must not
decide.

Cost of a move: O(R l n), besides what v costs.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from holdfast.criteria.pairs import Pairs
from holdfast.criteria.span import Span
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array

_TRUSTED = 1e8


class SameSize(NamedTuple):
    """Features of one size s, their pairs, and p (views, R, targets, count, s) and q.

    ``q`` is (views, R, count, s, s).
    """

    size: int
    features: Any
    columns: Any
    pairs: Any
    p: Array
    q: Array


class Carried:
    """The numbers p and q of every column.

    Parameters
    ----------
    span : Span
        Gives the frame.
    features : Features
        Candidates.
    pairs : Pairs
        Of the features.
    start : array of shape (views, pairs)
        Products of columns within features.
    alphas : array of shape (R,)
        Penalties.
    """

    def __init__(
        self, span: Span, features: Features, pairs: Pairs, start: Array, alphas: Array
    ) -> None:
        self._features, self._pairs, self._alphas = features, pairs, alphas
        self.q = np.repeat(start[:, None], len(alphas), axis=1)
        trusted = (alphas[:, None] + start[:, None, pairs.diagonal]) / _TRUSTED
        self._least = trusted * span.frame.noise - alphas[:, None]
        self._p: Array | None = None

    @property
    def is_open(self) -> bool:
        """Whether the products with the target are known."""
        return self._p is not None

    @property
    def p(self) -> Array:
        """Products with the residuals, (views, R, targets, n)."""
        assert self._p is not None
        return self._p

    def open(self, on_target: Array) -> None:
        """Products of the columns with the target, (views, targets, n)."""
        self._p = np.repeat(on_target[:, None], len(self._alphas), axis=1)

    def follow(self, h: Array, v: Array, sigma: Array) -> None:
        """Follow a column whose v is (views, R, n)."""
        first, second = self._pairs.first, self._pairs.second
        p = self.p
        p -= h[..., None] * v[:, :, None]
        # Divided first: products of squares would overflow at half the exponent.
        self.q -= v[..., first] * (v[..., second] / sigma[..., None])

    @property
    def doubtful(self) -> Array:
        """Whose q has lost too many digits, (R, n)."""
        lost: Array = np.asarray((self.q[..., self._pairs.diagonal] < self._least).any(axis=0))
        return lost

    def by_size(self) -> Iterator[SameSize]:
        """All candidates, those of one size together."""
        for size, chosen, pairs in self._pairs.by_size:
            columns = self._features.columns(chosen) if not self._pairs.single else slice(None)
            p = self.p[..., columns]
            p = p.reshape(*p.shape[:3], -1, size)
            q = self.q[..., pairs].reshape(*self.q.shape[:2], -1, size, size)
            yield SameSize(size, chosen, columns, pairs, p, q)

    def weights(self, q: Array, p: Array) -> Array:
        """``h = (alpha I + q)^-1 p`` of features of one size, in the shape of p."""
        size = q.shape[-1]
        if size == 1:
            weights: Array = (
                p / (self._alphas[:, None] + np.maximum(q[..., 0, 0], 0))[:, :, None, :, None]
            )
            return weights
        ridge = self._alphas[:, None, None, None] * np.eye(size)
        solved = np.linalg.solve(ridge + q, np.moveaxis(p, 2, -1))
        return np.moveaxis(solved, -1, 2)

    def any_doubtful(self, columns: Any, size: int) -> Array:
        """Which features of one size have a doubtful column, (R, count)."""
        doubtful = self.doubtful[:, columns]
        return np.asarray(doubtful.reshape(len(doubtful), -1, size).any(axis=-1))
