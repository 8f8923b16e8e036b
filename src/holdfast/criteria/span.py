"""The span of the selected columns: an orthonormal basis kept with the rows.

Every ridge model on a support S, whatever its penalty, lives in the span of the columns of
S. With an orthonormal basis Q of it and the triangle ``X_S = T Q`` (columns of X as lines,
as everywhere in this package) all that a penalty changes is a small matrix: residuals and
leverages split into a part outside the span, which no penalty touches, and a part inside.
The outside part of y (``beyond``) and of the unit vectors (``free``) are kept here, and so
are the outside parts of candidate columns (``kept``), fetched in batches.

===========  ============  =================================================================
here         ALGORITHMS    shape and meaning
===========  ============  =================================================================
root         sqrt(w)       (views, m) square root of the training weights
target       y             (views, targets, m) weighted, centred
basis        -             (views, k, m) orthonormal lines; a line of zeros for a selected
                           column that already lay in the span
beyond       -             (views, targets, m) target outside the span
free         -             (views, m) 1 - leverage at penalty 0
kept         -             column -> (views, m), outside the first few basis lines
triangle     -             (views, k, k) selected columns in the basis, one per column
===========  ============  =================================================================

An unpenalised intercept centres every column and the target; in exact arithmetic all basis
lines are then orthogonal to ``root``, so that products with X need no centred copy of it.
In floats the lines carry a trace of it, which is subtracted, columns are centred about
two-pass means when they are fetched, and ``root`` is projected out with the basis.

Gram-Schmidt is lazy: a kept column meets the newer basis lines when it is asked for, and
meets all of them again as long as that halves its length. A column whose outside part is
below 1e-13 of its length lies in the span. When the basis spans all there is (rank m - 1
with an intercept), ``beyond`` and ``free`` are zero exactly, and are set so: an interpolating
model keeps its digits.

Cost of adding a column: O(m k) per view, no reading of X. Fetching: one reading of the
columns asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.criteria.kept import Kept
from holdfast.criteria.weighting import Weighting
from holdfast.rows.sums import Array, Block, Rows, State, Totals, ranges

IN_SPAN = 1e-13
"""A column with a smaller relative part outside the span is taken to lie in it."""

_CONSTANT = 64 * np.finfo(float).eps
"""A column with a smaller relative spread is constant up to the rounding of its mean."""

_FAR = 100.0
"""Squared distance from the origin, in squared spreads, that asks for a second reading."""

_SMALL = 1 << 18
"""A basis with fewer numbers is met whole by all columns at once."""

_TOGETHER = 16
"""Kept columns that are projected at once: what that takes beside them stays small."""

_PIECE_BYTES = 1 << 18

_HALVED = 0.25
"""Squared length below which a projected column is projected again."""


@dataclass(frozen=True)
class Frame:
    """What centring and scaling make of the columns and targets.

    Attributes
    ----------
    centre : array of shape (views, n)
        Weighted means; zero without an intercept.
    scale : array of shape (n,)
        Divisors of the columns; one without ``standardize``.
    squares : array of shape (views, n)
        Squared lengths of the columns, centred and scaled.
    noise : array of shape (n,)
        Digits of a product with the column lost to its mean: 1 + |mean| / spread.
    target_mean : array of shape (views, targets)
        Weighted means of the targets; zero without an intercept.
    mass : array of shape (views,)
        Sums of training weights.
    loss_mass : float
        Sum of the error weights.
    n_counted : int
        Rows of positive weight.
    fit_intercept, scaled : bool
        Whether columns are centred, and divided by their scales.
    """

    centre: Array
    scale: Array
    squares: Array
    noise: Array
    target_mean: Array
    mass: Array
    loss_mass: float
    n_counted: int
    fit_intercept: bool
    scaled: bool

    def of_products(self, products: Array, mass: Array) -> Array:
        """Products with centred and scaled columns from those with X, overwritten.

        ``products`` is (views, count, n), ``mass`` (views, count) what the constant gave.
        """
        if self.fit_intercept:
            for view, centre in enumerate(self.centre):
                for line, weight in zip(products[view], mass[view], strict=True):
                    line -= weight * centre
        if self.scaled:
            products /= self.scale
        return products

    @property
    def inert(self) -> Array:
        """Columns that cannot change a model: zero after centring."""
        return self.squares[-1] == 0


def frame_of(rows: Rows, weighting: Weighting, *, fit_intercept: bool, standardize: bool) -> Frame:
    """Means, scales and squared lengths, in one reading of X, seldom two.

    Sums are taken about the origin that the rows name, so that columns like years keep their
    digits. Where a column lies far from it compared with its spread - of sparse data the
    origin is zero - a second reading about the mean follows.
    """
    totals, _ = rows.sweep(_target_sums, None, (weighting, np.zeros((1, rows.n_targets))))
    mass = totals["mass"][:, None]
    target_mean = totals["targets"] / mass
    corrections, _ = rows.sweep(_target_sums, None, (weighting, target_mean))
    target_mean = target_mean + corrections["targets"] / mass

    centre = np.repeat(rows.origin[None], len(mass), axis=0)
    mean, squares, far = _about(rows, weighting, centre, mass)
    if far:
        mean, squares, _ = _about(rows, weighting, mean, mass)
    # A mean is known to the rounding of what it was reckoned from: the origin, and itself.
    known = np.maximum(np.abs(rows.origin), np.abs(mean))
    squares[squares <= mass * (_CONSTANT * known) ** 2] = 0
    spread = np.sqrt(squares[-1] / mass[-1])
    noise = 1 + np.abs(mean[-1]) / np.where(spread > 0, spread, 1)
    scale = np.where(spread > 0, spread, 1.0) if standardize else np.ones(rows.n_columns)
    if not fit_intercept:
        squares = squares + mass * mean**2
        mean, target_mean, noise = np.zeros_like(mean), np.zeros_like(target_mean), 1 + 0 * noise
    return Frame(
        mean,
        scale,
        squares / scale**2,
        noise,
        target_mean,
        mass[:, 0],
        float(totals["loss_mass"]),
        int(totals["counted"]),
        fit_intercept,
        standardize,
    )


def _about(
    rows: Rows, weighting: Weighting, centre: Array, mass: Array
) -> tuple[Array, Array, bool]:
    """Means and squared lengths from sums about a centre; whether it was too far off."""
    totals, _ = rows.sweep(_column_sums, None, (weighting, centre))
    shift = totals["first"] / mass
    squares = np.maximum(totals["second"] - mass * shift**2, 0)
    constant = totals["second"] <= mass * (_CONSTANT * centre) ** 2
    far = (mass * shift**2 > _FAR * squares) & ~constant
    return centre + shift, squares, bool(far.any())


def _target_sums(
    block: Block, state: State, shared: tuple[Weighting, Array]
) -> tuple[Totals, State]:
    weighting, centre = shared
    train, loss = weighting.of_rows(block)
    sums = {
        "mass": train.sum(axis=1),
        "loss_mass": loss.sum(),
        "counted": np.array(np.count_nonzero(block.weights)),
        "targets": np.einsum("vm,vlm->vl", train, block.targets - centre[:, :, None]),
    }
    return Totals(sums), state


def _column_sums(
    block: Block, state: State, shared: tuple[Weighting, Array]
) -> tuple[Totals, State]:
    weighting, centre = shared
    train, _ = weighting.of_rows(block)
    first, second = block.spread(train, centre)
    return Totals({"first": first, "second": second}), state


@dataclass(frozen=True)
class Extension:
    """One column in the basis before it, and what it adds.

    Attributes
    ----------
    inside : array of shape (views, k)
        Coordinates in the k basis lines before it.
    outside : array of shape (views,)
        Length of its part outside their span; zero when it lies in it.
    target : array of shape (views, targets)
        Product of the new basis line with the target.
    """

    inside: Array
    outside: Array
    target: Array


class Span:
    """An orthonormal basis of the selected columns, and a few candidates outside it.

    Parameters
    ----------
    rows : Rows
        The data.
    frame : Frame
        Centring and scaling.
    weighting : Weighting
        Views of the rows.
    room : int
        Columns that are likely to be selected: memory is set aside for so many.
    """

    def __init__(self, rows: Rows, frame: Frame, weighting: Weighting, room: int) -> None:
        self.rows = rows
        self._room = room
        self.frame = frame
        self.weighting = weighting
        self.n_views = len(frame.mass)
        self.full_rank = frame.n_counted - frame.fit_intercept
        _, self.states = rows.sweep(_start, None, (weighting, frame))
        self.reset()

    def reset(self) -> None:
        """Forget every column."""
        self.extensions: list[Extension] = []
        self.columns: list[int] = []
        self.rank = np.zeros(self.n_views, dtype=np.intp)
        self._kept = Kept(self.n_views, self.rows.n_columns, self.rows.n_targets)
        self._target = np.empty((self.n_views, self.rows.n_targets, 0))
        self._triangle = np.zeros((self.n_views, self._room, self._room))
        _, self.states = self.rows.sweep(_clear, self.states, self._room)

    @property
    def triangle(self) -> Array:
        """Selected columns in the basis, (views, k, k)."""
        size = len(self.extensions)
        return self._triangle[:, :size, :size]

    @property
    def target(self) -> Array:
        """The target in the basis, (views, targets, k)."""
        return self._target

    @property
    def kept(self) -> list[int]:
        """Columns at hand, those fetched first in front."""
        return self._kept.columns

    def is_kept(self, columns: Array) -> Array:
        """Which of the columns are at hand."""
        return self._kept.holds(columns)

    def depth(self, column: int) -> int:
        """How many basis lines a kept column has been projected against."""
        return max(int(self._kept.depth[self._kept.slots([column])[0]]), 0)

    def fetch(self, columns: Array, retain: list[int]) -> None:
        """Fetch columns, and of those kept before go on keeping only ``retain``."""
        shared: Any = {
            "columns": columns,
            "centre": self.frame.centre[:, columns],
            "scale": self.frame.scale[columns],
            "width": self.rows.fetch_width,
        }
        # First let go, then fetch: the two are not in memory together.
        _, self.states = self.rows.sweep(_retain, self.states, retain)
        _, self.states = self.rows.sweep(_fetch, self.states, shared)
        self._kept.replace(retain, columns, self.frame.squares[:, columns])

    def project(self, columns: Array) -> None:
        """Take the whole basis out of kept columns.

        Where that leaves less than half of a column, rounding errors of its former length
        have grown in proportion, and it is projected once more.
        """
        depth = len(self.extensions)
        self._kept.make_room(depth)
        known = self._kept.depth[self._kept.slots(columns)]
        if (known == depth).all():
            return
        new, behind = columns[known < 0], columns[(known >= 0) & (known < depth)]
        if len(new) and depth * self.rows.n_rows < _SMALL:
            new, behind = np.concatenate([new, behind]), behind[:0]
        for columns, first in ((new, 0), (behind, int(known[known >= 0].min(initial=depth)))):
            for some in ranges(len(columns), _TOGETHER):
                self._project(columns[some], first)

    def _project(self, columns: Array, known: int) -> None:
        """Take the basis lines from ``known`` on out of columns, then if need be all lines."""
        kept, depth = self._kept, len(self.extensions)
        while len(columns):
            slots, named = kept.slots(columns), columns.tolist()
            totals, _ = self.rows.sweep(_along, self.states, (known, named))
            along, constant = totals["along"], np.zeros_like(totals["constant"])
            if self.frame.fit_intercept:
                constant = totals["constant"] / self.frame.mass[:, None]
            shared = (known, named, along, constant)
            totals, self.states = self.rows.sweep(_project, self.states, shared)
            kept.inside[:, slots, known:depth] += along.swapaxes(-1, -2)
            square, before = totals["square"], kept.square[:, slots]
            rounding = IN_SPAN**2 * self.frame.squares[:, columns]
            again = ((square < _HALVED * before) & (square > rounding)).any(axis=0)
            kept.square[:, slots], kept.target[:, slots] = square, totals["target"]
            kept.depth[slots] = depth
            columns, known = columns[again], 0

    def coordinates(self, columns: Array) -> Array:
        """Projected columns in the basis, (views, k) at the place of every column."""
        return self._kept.inside[:, self._kept.slots(columns), : len(self.extensions)]

    def outside(self, features: Array) -> tuple[Array, Array]:
        """Products of the outside parts of projected columns, feature by feature.

        Parameters
        ----------
        features : int array of shape (count, s)
            Columns of features of one size.

        Returns
        -------
        square : array of shape (views, count, s, s)
            Products with each other.
        target : array of shape (views, count, s, targets)
            Products with the target.
        """
        slots = self._kept.slots(features)
        target = self._kept.target[:, slots]
        if features.shape[1] == 1:
            square = self._kept.square[:, slots, None]
        else:
            square = self.rows.sweep(_square, self.states, features)[0]["square"]
        # Nothing lies outside a basis that spans all there is.
        room = (self.rank < self.full_rank)[:, None, None, None]
        return square * room, target * room

    def extend(self, column: int) -> Extension:
        """Add a kept column to the basis."""
        self.project(np.array([column]))
        slot, position = self._kept.slots([column])[0], len(self.extensions)
        self._kept.drop(column)
        length = np.sqrt(self._kept.square[:, slot])
        new = length > IN_SPAN * np.sqrt(self.frame.squares[:, column])
        new &= self.rank < self.full_rank
        inverse = np.divide(1.0, length, out=np.zeros_like(length), where=new)
        self.rank = self.rank + new
        extension = Extension(
            self._kept.inside[:, slot, :position].copy(),
            np.where(new, length, 0.0),
            self._kept.target[:, slot] * inverse[:, None],
        )
        shared = (column, inverse, extension.target, self.rank == self.full_rank)
        _, self.states = self.rows.sweep(_join, self.states, shared)
        if position == self._triangle.shape[1]:
            more = max(8, position)
            self._triangle = np.pad(self._triangle, ((0, 0), (0, more), (0, more)))
        self._triangle[:, :position, position] = extension.inside
        self._triangle[:, position, position] = extension.outside
        self.extensions.append(extension)
        self.columns.append(column)
        self._target = np.concatenate([self._target, extension.target[..., None]], axis=-1)
        return extension


def _start(block: Block, _: State, shared: tuple[Weighting, Frame]) -> tuple[Totals, State]:
    """Weighted, centred targets; weights of the squared weighted errors."""
    weighting, frame = shared
    train, loss = weighting.of_rows(block)
    root = np.sqrt(train)
    target = (block.targets - frame.target_mean[:, :, None]) * root[:, None, :]
    importance = np.divide(loss, train, out=np.zeros_like(loss), where=train > 0)
    constant = train / frame.mass[:, None] if frame.fit_intercept else np.zeros_like(train)
    state = {"root": root, "target": target, "importance": importance, "allowed": 1 - constant}
    return Totals(), state


def _clear(block: Block, state: State, room: int) -> tuple[Totals, State]:
    """The empty model: nothing selected, nothing kept."""
    views, rows = state["root"].shape
    return Totals(), state | {
        "basis": np.empty((views, room, rows))[:, :0],
        "kept": {},
        "beyond": state["target"],
        "free": state["allowed"],
    }


def stacked(state: State, columns: list[int], rows: slice = slice(None)) -> Array:
    """Kept columns, or some rows of them, as one array, (views, count, rows)."""
    root = state["root"][:, rows]
    lines = np.empty((len(root), len(columns), root.shape[1]))
    for position, column in enumerate(columns):
        lines[:, position] = state["kept"][column][:, rows]
    return lines


def _retain(block: Block, state: State, columns: list[int]) -> tuple[Totals, State]:
    """Of the kept columns only these."""
    return Totals(), state | {"kept": {column: state["kept"][column] for column in columns}}


def _fetch(block: Block, state: State, shared: dict[str, Any]) -> tuple[Totals, State]:
    """Weighted, centred and scaled columns beside the retained ones."""
    kept = dict(state["kept"])
    for some in ranges(len(shared["columns"]), shared["width"]):
        columns, centre, scale = (
            shared["columns"][some],
            shared["centre"][:, some, None],
            shared["scale"][some],
        )
        # An array for every column: one that is let go of must not stay for its neighbours' sake.
        for position, line in enumerate(block.columns(columns)):
            own = line - centre[:, position]
            own *= state["root"]
            own /= scale[position]
            kept[int(columns[position])] = own
    return Totals(), state | {"kept": kept}


def _along(block: Block, state: State, shared: tuple[int, list[int]]) -> tuple[Totals, State]:
    """Products of kept columns with the basis lines from ``known`` on, and with ``root``."""
    known, columns = shared
    kept = stacked(state, columns)
    along = state["basis"][:, known:] @ kept.swapaxes(-1, -2)
    return Totals({"along": along, "constant": (kept @ state["root"][..., None])[..., 0]}), state


def _project(
    block: Block, state: State, shared: tuple[int, list[int], Array, Array]
) -> tuple[Totals, State]:
    """Subtract these products times the lines; what is left, by itself and with the target."""
    known, columns, along, constant = shared
    basis, root, beyond = state["basis"][:, known:], state["root"], state["beyond"]
    across = along.swapaxes(-1, -2)
    left = {column: np.empty_like(root) for column in columns}
    square = np.zeros(constant.shape)
    target = np.zeros((*constant.shape, beyond.shape[1]))
    length = max(64, _PIECE_BYTES // (8 * len(root) * len(columns)))
    for rows in ranges(root.shape[1], length):
        part = stacked(state, columns, rows)
        part -= constant[:, :, None] * root[:, None, rows]
        part -= across @ basis[..., rows]
        square += np.einsum("vcm,vcm->vc", part, part)
        target += part @ beyond[..., rows].swapaxes(-1, -2)
        for position, column in enumerate(columns):
            left[column][:, rows] = part[:, position]
    sums = {"square": square, "target": target}
    return Totals(sums), state | {"kept": state["kept"] | left}


def _square(block: Block, state: State, features: Array) -> tuple[Totals, State]:
    """Products of the columns of features with each other."""
    columns = stacked(state, features.ravel().tolist())
    columns = columns.reshape(len(columns), *features.shape, -1)
    return Totals({"square": columns @ columns.swapaxes(-1, -2)}), state


def _join(
    block: Block, state: State, shared: tuple[int, Array, Array, Array]
) -> tuple[Totals, State]:
    """Make a kept column the next basis line."""
    column, inverse, target, complete = shared
    kept = dict(state["kept"])
    line = kept.pop(column) * inverse[:, None]
    beyond = state["beyond"] - target[:, :, None] * line[:, None, :]
    free = np.maximum(state["free"] - line**2, 0)
    finished = complete[:, None] & (state["root"] > 0)
    if finished.any():
        beyond, free = np.where(finished[:, None, :], 0.0, beyond), np.where(finished, 0.0, free)
    return Totals(), state | {
        "basis": _grown(state["basis"], line),
        "kept": kept,
        "beyond": beyond,
        "free": free,
    }


def _grown(lines: Array, line: Array) -> Array:
    """One line more, in spare room where there is some.

    Room beyond the lines of a state is never read by that state, so writing there does not
    change it; searches go forward and never branch from an older state.
    """
    views, count, n_rows = lines.shape
    room: Any = lines.base
    # What came from another process lies in no array, or in one that is locked.
    spare = isinstance(room, np.ndarray) and room.ndim == 3 and room.flags.writeable
    if not spare or room.shape[1] <= count:
        room = np.empty((views, count + max(8, count // 2), n_rows))
        room[:, :count] = lines
    room[:, count] = line
    return room[:, : count + 1]
