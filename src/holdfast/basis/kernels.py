"""Kernels as in :mod:`sklearn.metrics.pairwise`, and the kernel matrix of a table, never formed.

A kernel with a width is a function of something that does not depend on it: rbf and laplacian of
distances, polynomial and sigmoid of products. :meth:`Kernel.base` is that something, made once for
a grid of ``gamma``; :meth:`Kernel.of_base` is the rest. Other kernels are their own base.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import (
    manhattan_distances,
    pairwise_kernels,
)
from sklearn.utils.extmath import safe_sparse_dot

from holdfast.rows import rows_of
from holdfast.rows.distances import squared_distances
from holdfast.rows.fetched import as_floats, some_columns
from holdfast.rows.sums import Array, ranges

PRECOMPUTED = "precomputed"
WITH_GAMMA = ("rbf", "laplacian", "poly", "polynomial", "sigmoid", "chi2")
_PRODUCTS = ("poly", "polynomial", "sigmoid")
_DIAGONAL_BLOCK = 64
_SYMMETRIC = 1e-6


@dataclass(frozen=True)
class Kernel:
    """A kernel of two rows.

    Attributes
    ----------
    metric : str or callable
        As ``metric`` of :func:`sklearn.metrics.pairwise.pairwise_kernels`.
    gamma : float or None
        Width; None is 1 / columns (chi2: 1), as there.
    degree, coef0 : float
        Of polynomial and sigmoid kernels.
    params : mapping
        What else a callable is told.
    """

    metric: Any
    gamma: float | None = None
    degree: float = 3
    coef0: float = 1
    params: Mapping[str, Any] = field(default_factory=dict)

    def with_gamma(self, gamma: float | None) -> Kernel:
        """The same kernel of another width."""
        return replace(self, gamma=gamma)

    def __call__(self, X: Any, Y: Any) -> Array:
        """Values of all pairs of rows, (rows of X, rows of Y), float64."""
        return self.of_base(self.base(X, Y), X.shape[1], in_place=True)

    def base(self, X: Any, Y: Any) -> Array:
        """What the values are a function of, whatever ``gamma``."""
        if self.metric == "rbf":
            return squared_distances(X, Y)
        if self.metric == "laplacian":
            return manhattan_distances(X, Y)
        if self.metric in _PRODUCTS:
            return safe_sparse_dot(X, Y.T, dense_output=True)
        if callable(self.metric):
            return pairwise_kernels(X, Y, metric=self.metric, **self.params)
        width = {"gamma": self.gamma, "degree": self.degree, "coef0": self.coef0}
        width = {name: value for name, value in width.items() if value is not None}
        values: Array = pairwise_kernels(X, Y, metric=self.metric, filter_params=True, **width)
        return values

    def of_base(self, base: Array, n_columns: int, *, in_place: bool = False) -> Array:
        """Values from their base, which is left as it is unless they take its place."""
        gamma = 1.0 / n_columns if self.gamma is None else self.gamma
        out = base if in_place else None
        if self.metric in ("rbf", "laplacian"):
            values: Array = np.multiply(base, -gamma, out=out)
            return np.exp(values, out=values)
        if self.metric in _PRODUCTS:
            values = np.multiply(base, gamma, out=out)
            values += self.coef0
            if self.metric == "sigmoid":
                return np.tanh(values, out=values)
            values **= self.degree
            return values
        return base

    def between(self, points: Any, centres: Any) -> Array:
        """Values of points with centres (see :class:`KernelTable`), which must be finite."""
        if self.metric == PRECOMPUTED:
            return self.checked(some_columns(points, centres))
        return self.checked(self(points, centres))

    def own(self, points: Any, rows: Array) -> Array:
        """Values of points with themselves, (points,); ``rows`` are their numbers."""
        centres = rows if self.metric == PRECOMPUTED else points
        parts = [
            np.diagonal(self.between(points[some], centres[some]))
            for some in ranges(len(rows), _DIAGONAL_BLOCK)
        ]
        return np.concatenate(parts)

    def checked(self, values: Array) -> Array:
        """Values, or an error where they are no numbers."""
        if not np.isfinite(values.sum()):
            raise ValueError(
                f"kernel={self.metric!r} gives values that are not finite numbers on these "
                "data; expected finite ones: scale the columns, or change gamma, coef0 or degree."
            )
        return values

    @property
    def shares(self) -> bool:
        """Whether values of several widths share their base."""
        return self.metric in ("rbf", "laplacian", *_PRODUCTS)


@dataclass(frozen=True)
class KernelTable:
    """The kernel matrix of the rows of a table, of which only asked-for blocks are made.

    *Points* are some rows as float64; *centres* are what they are compared with: points too, or
    of a kernel matrix that is given the numbers of its columns.

    Attributes
    ----------
    kernel : Kernel
        With the metric ``"precomputed"`` the table is the matrix.
    X : array, CSR matrix or stored table of shape (m, n)
        The table.
    """

    kernel: Kernel
    X: Any

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def points(self, rows: Any) -> Any:
        """Some rows as float64, fetched where the table is stored."""
        return as_floats(rows_of(self.X, rows))

    def centres(self, rows: Any) -> Any:
        """What points are compared with to have their values with some rows."""
        return rows if self.kernel.metric == PRECOMPUTED else self.points(rows)

    def as_centres(self, points: Any, rows: Any) -> Any:
        """Points that are the named rows, as centres."""
        return rows if self.kernel.metric == PRECOMPUTED else points

    def block(self, rows: Any, columns: Any) -> Array:
        """Values of some rows with some others, (rows, columns), float64."""
        return self.between(self.points(rows), self.centres(columns))

    def between(self, points: Any, centres: Any) -> Array:
        """Values of points with centres, (points, centres), float64."""
        return self.kernel.between(points, centres)

    def square(self, rows: Any, points: Any = None) -> Array:
        """Values of rows with each other, the same both ways; ``points`` if they are at hand."""
        points = self.points(rows) if points is None else points
        values = self.between(points, self.as_centres(points, rows))
        if self.kernel.metric == PRECOMPUTED or callable(self.kernel.metric):
            apart = np.abs(values - values.T).max(initial=0.0)
            if apart > _SYMMETRIC * np.abs(values).max(initial=0.0):
                raise ValueError(
                    f"kernel={self.kernel.metric!r} gives two rows values that differ by "
                    f"{apart:.3g}, by which of them comes first; expected a symmetric kernel: "
                    "correct it, for instance (K + K.T) / 2."
                )
        return values

    def base_between(self, points: Any, centres: Any) -> Array:
        """The base of values of points with centres, see :meth:`Kernel.base`."""
        if self.kernel.metric == PRECOMPUTED:
            return some_columns(points, centres)
        return self.kernel.base(points, centres)

    def of_base(self, base: Array) -> Array:
        """A block from its base, which is left as it is."""
        if self.kernel.metric == PRECOMPUTED:
            return self.kernel.checked(base)
        return self.kernel.checked(self.kernel.of_base(base, self.X.shape[1]))
