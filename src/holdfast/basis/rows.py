"""Kernel columns as rows: what criteria read in place of a table.

The whitened kernel columns of a basis (:mod:`holdfast.basis.whitening`) are a table of m rows and
as many columns as basis vectors. It is made in row blocks, and either kept, m n numbers, or made
anew whenever a block is read, n^2 numbers and a block: the same numbers both times. The kernel
matrix of the rows is never made.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

import numpy as np
from scipy.linalg import lapack

from holdfast.basis.kernels import KernelTable
from holdfast.basis.whitening import Whitening
from holdfast.criteria.leaving import Leaving
from holdfast.rows.dense import DenseBlock, dense_blocks, dense_rows
from holdfast.rows.memory import available_bytes
from holdfast.rows.narrow import Narrow
from holdfast.rows.sums import Array, BlockRows, Parts, Rows, few_rows, ranges, run_of

_BLOCK_NUMBERS = 1 << 22
_FEWEST_ROWS = 256
_SHARE_OF_MEMORY = 0.25


class BasisColumns:
    """Whitened kernel columns of a basis.

    Parameters
    ----------
    table : KernelTable
        The kernel matrix of all rows.
    basis : int array of shape (n,)
        Rows that are basis vectors.

    Attributes
    ----------
    kept_features : array of shape (m, n) or None
        What :meth:`kept` has made, in the order of the blocks.
    order : int array of shape (m,)
        Which row is where in them.
    """

    order: Array

    def __init__(self, table: KernelTable, basis: Array) -> None:
        self.table, self.basis = table, basis
        self.kept_features: Array | None = None

    @cached_property
    def whitening(self) -> Whitening:
        """The penalty matrix, factored."""
        return Whitening.of(self.table.square(self.basis))

    @cached_property
    def leaving(self) -> Leaving:
        """The direction that leaves with every row of the basis."""
        return Leaving(self.basis, self.whitening.directions)

    def base(self) -> Array:
        """The base of all rows, (m, n), for several widths; see :meth:`KernelTable.base`."""
        base = np.empty((len(self.table), len(self.basis)))
        for rows in self.pieces(len(base)):
            base[rows] = self.table.base(rows, self.basis)
        return base

    def of_rows(self, rows: Any) -> Array:
        """Whitened columns of some rows, (rows, n)."""
        return self.whitening(self.table.block(rows, self.basis))

    def kept(
        self, targets: Array, weights: Array, base: Array | None = None, *, centred: bool = True
    ) -> Rows:
        """Rows that are made once, those of the basis first; see :class:`TriangularBlock`.

        ``base`` from :meth:`base` saves making it. Unless they will be ``centred``, sums are taken
        about zero.
        """
        count = len(self.basis)
        features = np.empty((len(self.table), count))
        others = np.delete(np.arange(len(features)), self.basis)
        self.order = np.concatenate([self.basis, others])
        made = [] if self.whitening.exact else [slice(0, count)]
        made += [slice(count + some.start, count + some.stop) for some in self.pieces(len(others))]
        for some in made:
            rows = self.order[some] if some.start < count else run_of(self.order[some])
            if base is None:
                features[some] = self.of_rows(rows)
            else:
                features[some] = self.whitening(self.table.of_base(base[rows]))
        self.kept_features = features
        targets, weights = targets[:, self.order], weights[self.order]
        first = DenseBlock
        if self.whitening.exact:
            features[:count], first = self.whitening.factor, TriangularBlock
        own = first(features[:count], targets[:, :count], weights[:count])
        rest = dense_blocks(features[count:], targets[:, count:], weights[count:])
        origin = np.median(features[few_rows(weights)], axis=0) if centred else np.zeros(count)
        return BlockRows(
            [own, *rest],
            count,
            fetch_width=count,
            product_width=count,
            entries_per_column=len(features),
            origin=origin,
            order=self.order,
        )

    def streamed(self, rows: Array, targets: Array, weights: Array) -> Rows:
        """Some rows, whose columns are made whenever they are read."""
        blocks = [
            StreamedBlock(self.of_rows, rows[some], targets[:, some], weights[some])
            for some in self.pieces(len(rows))
        ]
        few = self.of_rows(rows[few_rows(weights)])
        return BlockRows(
            blocks,
            len(self.basis),
            fetch_width=len(self.basis),
            product_width=len(self.basis),
            entries_per_column=len(rows),
            origin=np.median(few, axis=0),
        )

    def pieces(self, count: int) -> Iterator[slice]:
        """Row blocks that fit into a piece of memory."""
        length = max(_FEWEST_ROWS, _BLOCK_NUMBERS // len(self.basis))
        yield from ranges(count, length)


def kernel_rows(table: KernelTable, targets: Array, weights: Array) -> Rows:
    """All kernel columns: made once where m^2 numbers fit, else whenever they are read."""
    n_rows = len(table)
    available = available_bytes()
    every = np.arange(n_rows)
    if available is None or 8 * n_rows**2 <= _SHARE_OF_MEMORY * available:
        return dense_rows(table.block(every, every), targets, weights)

    def values(rows: Any, columns: Any = slice(None)) -> Array:
        return table.block(rows, columns)

    length = max(1, _BLOCK_NUMBERS // n_rows)
    blocks = [
        StreamedBlock(values, every[some], targets[:, some], weights[some], values)
        for some in ranges(n_rows, length)
    ]
    return BlockRows(
        blocks,
        n_rows,
        fetch_width=24,
        product_width=24,
        entries_per_column=n_rows,
        origin=np.median(values(few_rows(weights)), axis=0),
    )


class TriangularBlock(DenseBlock):
    """The whitened rows of the basis itself, ``C^-1 K_BB = C'``: row i ends at column i.

    About zero, products with them need half of the flops, and C'C a third.
    """

    def outputs(self, coef: Array, chosen: Any, centre: Array) -> Array:
        """Outputs of linear models, of neighbouring rows without their zeros."""
        if centre.any() or not isinstance(chosen, slice):
            return super().outputs(coef, chosen, centre)
        outputs = np.empty((len(coef), chosen.stop - chosen.start))
        for some in ranges(outputs.shape[1], _FEWEST_ROWS):
            rows = slice(chosen.start + some.start, chosen.start + some.stop)
            np.matmul(coef[:, : rows.stop], self._X[rows, : rows.stop].T, out=outputs[:, some])
        return outputs

    def gram(self, parts: Parts, extra: Array, root: Array, centre: Array) -> Array:
        """Products by part; of all rows together, unweighted, by the product of triangles."""
        together = np.unique(parts.labels)
        if centre.any() or (root != 1).any() or len(together) > 1 or together[0] < 0:
            return super().gram(parts, extra, root, centre)
        n, lines = len(centre), len(centre) + len(extra)
        total = np.zeros((parts.count, lines, lines))
        own = total[together[0]]
        upper, _ = lapack.dlauum(self._X.T, lower=0)
        own[:n, :n] = np.triu(upper) + np.triu(upper, 1).T
        own[n:, :n] = extra @ self._X
        own[:n, n:] = own[n:, :n].T
        own[n:, n:] = extra @ extra.T
        return total


class StreamedBlock:
    """Consecutive rows whose columns are made when they are read.

    Parameters
    ----------
    of_rows : callable
        From row numbers to columns (rows, n).
    rows : int array of shape (rows,)
        Row numbers.
    targets, weights : arrays of shape (targets, rows) and (rows,)
        As in :class:`holdfast.rows.sums.Block`.
    of_entries : callable, optional
        From row numbers and columns to entries, where few columns cost less than all.
    """

    def __init__(
        self,
        of_rows: Callable[[Any], Array],
        rows: Array,
        targets: Array,
        weights: Array,
        of_entries: Callable[[Any, Any], Array] | None = None,
    ) -> None:
        self._of_rows = of_rows
        self._of_entries = of_entries
        self._rows = rows
        self.targets = targets
        self.weights = weights

    def _made(self, chosen: Any = slice(None)) -> DenseBlock:
        return DenseBlock(
            self._of_rows(self._rows[chosen]), self.targets[:, chosen], self.weights[chosen]
        )

    def cross(self, vectors: Array) -> Array:
        """``vectors @ X``; see :class:`holdfast.rows.sums.Block`."""
        return self._made().cross(vectors)

    def columns(self, indices: Array) -> Array:
        """Columns as lines."""
        if self._of_entries is not None:
            return np.ascontiguousarray(self._of_entries(self._rows, indices).T)
        return self._made().columns(indices)

    def outputs(self, coef: Array, chosen: Any, centre: Array) -> Array:
        """Outputs of linear models."""
        made = self._made(chosen)
        return made.outputs(coef, slice(0, len(made.weights)), centre)

    def spread(self, weights: Array, centre: Array) -> tuple[Array, Array]:
        """Weighted first and second sums about a centre."""
        return self._made().spread(weights, centre)

    def gram(self, parts: Parts, extra: Array, root: Array, centre: Array) -> Array:
        """Products of centred columns and extra lines by part."""
        return self._made().gram(parts, extra, root, centre)

    def cross_by_part(self, vectors: Array, parts: Parts, centre: Array) -> Array:
        """Products with centred columns by part."""
        return self._made().cross_by_part(vectors, parts, centre)

    def narrow(self, columns: Array, centre: Array) -> Narrow:
        """Some columns about a centre."""
        return self._made().narrow(columns, centre)

    def some(self, chosen: Array) -> DenseBlock:
        """Some rows."""
        return self._made(chosen)

    def squares(self, centre: Array) -> Array:
        """Squared lengths of the rows about a centre."""
        return self._made().squares(centre)
