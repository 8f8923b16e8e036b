"""Moments of the parts of the rows: what every training and held-out set is made of.

For every part, with weights w, about a point near the rows (x - c, y - d):

    gram = sum w x x'   cross = sum w y x'   squares = sum w y^2
    sums = sum w x      target_sums = sum w y      mass = sum w      counts = rows with w > 0

Raw moments of columns like years lose (mean / spread)^2; about a point near the mean they keep
their digits, and the mean of a training set is taken out afterwards, exactly:

    sum w (x - u)(x - u)' = gram - sums u' - u sums' + mass u u'

Two ways to have them: all at once, O(m n^2) in one reading and parts * n^2 numbers
(:class:`FullMoments`), or only the lines of named columns, O(m n) in one reading for each
(:class:`LineMoments`), for tables with so many columns that n^2 numbers are out of the question.
With classes, a part is divided by class: class weights are factors of parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from holdfast.rows.sums import Array, Block, Parts, Rows, State, States, Totals


@dataclass(frozen=True)
class Margins:
    """What is known of every part but the products of columns with each other.

    Attributes
    ----------
    centre, target_centre : arrays of shape (n,) and (targets,)
        The point (c, d).
    cross : array of shape (parts, targets, n)
    squares, target_sums : arrays of shape (parts, targets)
    sums : array of shape (parts, n)
    mass, counts : arrays of shape (parts,)
    """

    centre: Array
    target_centre: Array
    cross: Array
    squares: Array
    sums: Array
    target_sums: Array
    mass: Array
    counts: Array


class Moments(Protocol):
    """Moments of parts, as the criteria ask for them."""

    @property
    def margins(self) -> Margins:
        """All but the products of columns with each other."""
        ...

    def lines(self, columns: Array) -> Array:
        """Lines of the gram matrices, (parts, count, n)."""
        ...

    def within(self, first: Array, second: Array) -> Array:
        """Entries of the gram matrices, (parts, pairs)."""
        ...


@dataclass(frozen=True)
class FullMoments:
    """Margins and whole gram matrices, (parts, n, n)."""

    margins: Margins
    gram: Array

    def lines(self, columns: Array) -> Array:
        """Lines of the gram matrices, (parts, count, n)."""
        lines: Array = self.gram[:, columns]
        return lines

    def within(self, first: Array, second: Array) -> Array:
        """Entries of the gram matrices, (parts, pairs)."""
        entries: Array = self.gram[:, first, second]
        return entries

    def moved(self, centre: Array, target_centre: Array) -> FullMoments:
        """The same moments about another point."""
        old = self.margins
        step, target_step = centre - old.centre, target_centre - old.target_centre
        gram = about(self.gram, old.sums, old.sums, old.mass, step, step)
        margins = Margins(
            centre,
            target_centre,
            about(old.cross, old.target_sums, old.sums, old.mass, target_step, step),
            old.squares - 2 * old.target_sums * target_step + old.mass[:, None] * target_step**2,
            old.sums - old.mass[:, None] * step,
            old.target_sums - old.mass[:, None] * target_step,
            old.mass,
            old.counts,
        )
        return FullMoments(margins, gram)

    def spread_over(self, places: Array, n_parts: int) -> FullMoments:
        """The same parts at other places among ``n_parts``, the rest being empty."""

        def spread(values: Array) -> Array:
            wider = np.zeros((n_parts, *values.shape[1:]), dtype=values.dtype)
            wider[places] = values
            return wider

        return FullMoments(_of_parts(self.margins, spread), spread(self.gram))

    def plus(self, other: FullMoments, sign: int) -> FullMoments:
        """The moments of both, or of the rows of one without those of the other (sign -1)."""
        theirs = iter(getattr(other.margins, name) for name in OF_PARTS)
        margins = _of_parts(self.margins, lambda mine: mine + sign * next(theirs))
        return FullMoments(margins, self.gram + sign * other.gram)

    def added_up(self, places: Array, groups: Array, n_parts: int) -> FullMoments:
        """Sums of some parts: the part ``places[i]`` goes into the part ``groups[i]``."""
        taken = np.zeros((n_parts, len(self.gram)))
        taken[groups, places] = 1.0

        def add(values: Array) -> Array:
            flat = taken @ values.reshape(len(values), -1)
            return flat.reshape(n_parts, *values.shape[1:]).astype(values.dtype, copy=False)

        return FullMoments(_of_parts(self.margins, add), add(self.gram))


OF_PARTS = ("cross", "squares", "sums", "target_sums", "mass", "counts")
"""Fields of :class:`Margins` with an entry for every part."""


def _of_parts(margins: Margins, change: Callable[[Array], Array]) -> Margins:
    """Margins of other parts about the same point."""
    return replace(margins, **{name: change(getattr(margins, name)) for name in OF_PARTS})


def about(
    products: Array, first: Array, second: Array, mass: Array, shift: Array, other: Array
) -> Array:
    """``sum w (a - shift)(b - other)'`` from ``sum w a b'``, (sets, a, b), and sums of a and b."""
    shift, other = shift[..., :, None], other[..., None, :]
    moved: Array = products - first[:, :, None] * other
    moved -= shift * second[:, None, :]
    moved += mass[:, None, None] * (shift * other)
    return moved


def divided(rows: Rows, labels: Array) -> States:
    """States that know the part of every row; ``labels`` is (partitions, m)."""
    return rows.scatter("parts", labels)


def full_moments(rows: Rows, parts: States, n_parts: int) -> FullMoments:
    """Moments of all columns in one reading of X.

    Cost: O(m n^2) for every partition; memory (n + targets)^2 numbers for every part, twice.
    """
    centre, target_centre = rows.origin, _target_centre(rows)
    totals, _ = rows.sweep(_full, parts, (n_parts, centre, target_centre))
    product, n = totals["gram"], rows.n_columns
    targets = slice(n, n + rows.n_targets)
    margins = Margins(
        centre,
        target_centre,
        product[:, targets, :n],
        np.diagonal(product[:, targets, targets], axis1=-2, axis2=-1).copy(),
        product[:, -1, :n],
        product[:, -1, targets],
        product[:, -1, -1],
        totals["counts"],
    )
    return FullMoments(margins, product[:, :n, :n])


def _full(block: Block, state: State, shared: tuple[int, Array, Array]) -> tuple[Totals, State]:
    """Products of columns, targets and the constant, by part."""
    n_parts, centre, target_centre = shared
    extra = np.concatenate(
        [block.targets - target_centre[:, None], np.ones((1, len(block.weights)))]
    )
    root = np.sqrt(block.weights)
    first, *others = (Parts(labels, n_parts) for labels in state["parts"])
    gram = block.gram(first, extra, root, centre)
    for parts in others:
        gram += block.gram(parts, extra, root, centre)
    return Totals({"gram": gram, "counts": _counts(block, state, n_parts)}), state


def _counts(block: Block, state: State, n_parts: int) -> Array:
    """Rows of positive weight in every part."""
    counted = block.weights > 0
    return sum(
        (np.bincount(labels[counted], minlength=n_parts) for labels in state["parts"]),
        start=np.zeros(n_parts, dtype=np.intp),
    )


def _target_centre(rows: Rows) -> Array:
    """The weighted mean of the targets, to a rounding error of their size."""
    totals, _ = rows.sweep(_target_sums, None, None)
    mean: Array = totals["targets"] / totals["mass"]
    return mean


def _target_sums(block: Block, state: State, shared: None) -> tuple[Totals, State]:
    return Totals({"targets": block.targets @ block.weights, "mass": block.weights.sum()}), state


class LineMoments:
    """Margins, and lines of the gram matrices by a reading of X for each batch.

    Parameters
    ----------
    rows : Rows
        The data.
    parts : States
        :func:`divided` rows.
    n_parts : int
        Number of parts.
    pairs : tuple of int arrays
        Pairs of columns whose products are wanted by :meth:`within` (those within features).
    """

    def __init__(self, rows: Rows, parts: States, n_parts: int, pairs: tuple[Array, Array]) -> None:
        self._rows, self._parts, self._n_parts = rows, parts, n_parts
        self._pairs = pairs
        shared = (n_parts, rows.origin, _target_centre(rows), pairs)
        totals, _ = rows.sweep(_margins, parts, shared)
        self._within = totals["within"]
        self.margins = Margins(
            rows.origin,
            shared[2],
            totals["cross"],
            totals["squares"],
            totals["sums"],
            totals["target_sums"],
            totals["mass"],
            totals["counts"],
        )

    def lines(self, columns: Array) -> Array:
        """Lines of the gram matrices, (parts, count, n)."""
        shared = (self._n_parts, self._rows.origin, columns)
        totals, _ = self._rows.sweep(_lines, self._parts, shared)
        return totals["lines"]

    def within(self, first: Array, second: Array) -> Array:
        """Entries of the gram matrices for the pairs named at the start."""
        assert np.array_equal(first, self._pairs[0])
        assert np.array_equal(second, self._pairs[1])
        return self._within


def _lines(block: Block, state: State, shared: tuple[int, Array, Array]) -> tuple[Totals, State]:
    """Products of named columns with all columns, by part."""
    n_parts, centre, columns = shared
    vectors = (block.columns(columns) - centre[columns, None]) * block.weights
    total = np.zeros((n_parts, len(columns), len(centre)))
    for labels in state["parts"]:
        total += block.cross_by_part(vectors, Parts(labels, n_parts), centre)
    return Totals({"lines": total}), state


def _margins(
    block: Block, state: State, shared: tuple[int, Array, Array, Any]
) -> tuple[Totals, State]:
    """Sums, products with the targets, and products within features, by part."""
    n_parts, centre, target_centre, (first, second) = shared
    targets = block.targets - target_centre[:, None]
    vectors = np.concatenate([targets, np.ones((1, len(block.weights)))]) * block.weights
    cross = np.zeros((n_parts, len(vectors), len(centre)))
    masks = np.zeros((n_parts, len(block.weights)))
    for labels in state["parts"]:
        cross += block.cross_by_part(vectors, Parts(labels, n_parts), centre)
        masks[labels, np.arange(len(labels))] = block.weights
    _, squares = block.spread(masks, np.broadcast_to(centre, (n_parts, len(centre))))
    within = squares[:, first]
    apart = first != second
    if apart.any():
        one = block.columns(first[apart]) - centre[first[apart], None]
        one *= block.columns(second[apart]) - centre[second[apart], None]
        within[:, apart] = masks @ one.T
    sums = {
        "cross": cross[:, :-1],
        "sums": cross[:, -1],
        "squares": masks @ (targets**2).T,
        "target_sums": masks @ targets.T,
        "mass": masks.sum(axis=1),
        "within": within,
        "counts": _counts(block, state, n_parts),
    }
    return Totals(sums), state
