"""The span of the selected columns: an orthonormal basis kept with the rows.

Every ridge model on a support S, whatever its penalty, lives in the span of the columns of
S. With an orthonormal basis Q of it and the triangle ``X_S = T Q`` (columns of X as lines,
as everywhere in this package) all that a penalty changes is a small matrix, and

    res = y - fit = beyond + E' ...         1 - leverage = free + ...

split into a part outside the span, which no penalty touches, and a part inside. The outside
part of y (``beyond``) and of the unit vectors (``free``) are kept here, and so are the
outside parts of a few dozen candidate columns (``kept``), fetched in batches.

===========  ============  =================================================================
here         ALGORITHMS    shape and meaning
===========  ============  =================================================================
root         sqrt(w)       (views, m) square root of the training weights
target       y             (views, targets, m) weighted, centred
basis        -             (views, k, m) orthonormal lines; a line of zeros for a selected
                           column that already lay in the span
beyond       -             (views, targets, m) target outside the span
free         -             (views, m) 1 - leverage at penalty 0
kept         -             (views, slots, m) columns outside the span
triangle     -             (views, k, k) selected columns in the basis, one per column
===========  ============  =================================================================

An unpenalised intercept centres every column and the target; in exact arithmetic all basis
lines are then orthogonal to ``root``, so that products with X need no centred copy of it.
In floats the lines carry a trace of it, which is subtracted, and columns are centred about
two-pass means when they are fetched.

Adding a column: Gram-Schmidt, twice. A column whose outside part is below 1e-13 of its length
lies in the span. When the basis spans all there is (rank m - 1 with an intercept),
``beyond`` and ``free`` are zero exactly, and are set so: an interpolating model keeps its
digits.

Cost of adding a column: O(m (k + slots)) per view, no reading of X. Fetching: one reading
of the columns asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.criteria.weighting import Weighting
from holdfast.rows.sums import Array, Block, Rows, State, Totals

IN_SPAN = 1e-13
"""A column with a smaller relative part outside the span is taken to lie in it."""

_CONSTANT = 64 * np.finfo(float).eps
"""A column with a smaller relative spread is constant up to the rounding of its mean."""


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

    @property
    def inert(self) -> Array:
        """Columns that cannot change a model: zero after centring."""
        return self.squares[-1] == 0


def frame_of(
    rows: Rows, weighting: Weighting, *, fit_intercept: bool, standardize: bool
) -> Frame:
    """Means, scales and squared lengths, in two readings of X.

    The second reading is about the means of the first and corrects them, so that columns
    like years keep their digits.
    """
    first, _ = rows.sweep(_first_sums, None, weighting)
    mass = first["mass"][:, None]
    shared = (weighting, first["columns"] / mass, first["targets"] / mass)
    second, _ = rows.sweep(_second_sums, None, shared)

    shift = second["first"] / mass
    mean = shared[1] + shift
    squares = np.maximum(second["second"] - mass * shift**2, 0)
    squares[squares <= mass * (_CONSTANT * mean) ** 2] = 0
    spread = np.sqrt(squares[-1] / mass[-1])
    noise = 1 + np.abs(mean[-1]) / np.where(spread > 0, spread, 1)
    scale = np.where(spread > 0, spread, 1.0) if standardize else np.ones(rows.n_columns)
    target_mean = shared[2] + second["targets"] / mass
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
        float(first["loss_mass"]),
        int(first["counted"]),
        fit_intercept,
    )


def _first_sums(block: Block, state: State, weighting: Weighting) -> tuple[Totals, State]:
    train, loss = weighting.of_rows(block)
    return Totals(
        {
            "mass": train.sum(axis=1),
            "loss_mass": loss.sum(),
            "counted": np.count_nonzero(block.weights),
            "columns": block.cross(train),
            "targets": train @ block.targets.T,
        }
    ), state


def _second_sums(
    block: Block, state: State, shared: tuple[Weighting, Array, Array]
) -> tuple[Totals, State]:
    weighting, means, target_means = shared
    train, _ = weighting.of_rows(block)
    first, second = block.spread(train, means)
    deviation = block.targets - target_means[:, :, None]
    return Totals(
        {"first": first, "second": second, "targets": np.einsum("vm,vlm->vl", train, deviation)}
    ), state


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
    """

    def __init__(self, rows: Rows, frame: Frame, weighting: Weighting) -> None:
        self.rows = rows
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
        self.kept = np.empty(0, dtype=np.intp)
        self.rank = np.zeros(self.n_views, dtype=np.intp)
        self._inside = np.empty((self.n_views, 0, 0))
        _, self.states = self.rows.sweep(_clear, self.states, None)

    @property
    def triangle(self) -> Array:
        """Selected columns in the basis, (views, k, k)."""
        size = len(self.extensions)
        triangle = np.zeros((self.n_views, size, size))
        for position, extension in enumerate(self.extensions):
            triangle[:, :position, position] = extension.inside
            triangle[:, position, position] = extension.outside
        return triangle

    @property
    def target(self) -> Array:
        """The target in the basis, (views, targets, k)."""
        parts = [extension.target for extension in self.extensions]
        empty = np.empty((self.n_views, self.rows.n_targets, 0))
        return np.stack(parts, axis=-1) if parts else empty

    def coordinates(self, columns: Array) -> Array:
        """Kept columns in the basis, (views, k, count)."""
        return self._inside[:, :, self._slots(columns)]

    def slots(self, columns: Array) -> Array:
        """Where among the kept columns the named ones are."""
        return self._slots(columns)

    def _slots(self, columns: Array) -> Array:
        order = np.argsort(self.kept)
        return order[np.searchsorted(self.kept, columns, sorter=order)]

    def keep(self, columns: Array, retain: Array) -> None:
        """Fetch columns, and of those kept before go on keeping only ``retain``.

        Their inside part is removed twice: the first time leaves a rounding error of the
        size of the column, the second of the size of what is outside.
        """
        survivors = self._slots(retain)
        shared: Any = {
            "columns": columns,
            "centre": self.frame.centre[:, columns],
            "scale": self.frame.scale[columns],
            "survivors": survivors,
        }
        totals, self.states = self.rows.sweep(_fetch, self.states, shared)
        inside = totals["inside"]
        shared = totals["inside"]
        totals, self.states = self.rows.sweep(_project_out, self.states, shared)
        _, self.states = self.rows.sweep(_project_out, self.states, totals["inside"])
        inside = inside + totals["inside"]
        self.kept = np.concatenate([self.kept[survivors], columns])
        self._inside = np.concatenate([self._inside[:, :, survivors], inside], axis=2)

    def extend(self, column: int) -> Extension:
        """Add a kept column to the basis."""
        slot = int(self._slots(np.array([column]))[0])
        totals, _ = self.rows.sweep(_meet, self.states, slot)
        correction = totals["basis"]
        square = totals["kept"][:, slot] - (correction**2).sum(axis=1)
        length = np.sqrt(np.maximum(square, 0))
        new = length > IN_SPAN * np.sqrt(self.frame.squares[:, column])
        new &= self.rank < self.full_rank
        outside = np.where(new, length, 0.0)
        inverse = np.divide(1.0, length, out=np.zeros_like(length), where=new)
        self.rank = self.rank + new

        extension = Extension(
            self._inside[:, :, slot] + correction, outside, totals["target"] * inverse[:, None]
        )
        along = totals["kept"] * inverse[:, None]
        shared = {
            "slot": slot,
            "correction": correction,
            "inverse": inverse,
            "target": extension.target,
            "along": np.delete(along, slot, axis=1),
            "complete": self.rank == self.full_rank,
        }
        _, self.states = self.rows.sweep(_join, self.states, shared)
        self._inside = np.concatenate([self._inside, along[:, None, :]], axis=1)
        self._inside = np.delete(self._inside, slot, axis=2)
        self.kept = np.delete(self.kept, slot)
        self.extensions.append(extension)
        self.columns.append(column)
        return extension


def _start(
    block: Block, _: State, shared: tuple[Weighting, Frame]
) -> tuple[Totals, State]:
    """Weighted, centred targets; weights of the squared weighted errors."""
    weighting, frame = shared
    train, loss = weighting.of_rows(block)
    root = np.sqrt(train)
    target = (block.targets - frame.target_mean[:, :, None]) * root[:, None, :]
    importance = np.divide(loss, train, out=np.zeros_like(loss), where=train > 0)
    constant = train / frame.mass[:, None] if frame.fit_intercept else np.zeros_like(train)
    state = {"root": root, "target": target, "importance": importance, "allowed": 1 - constant}
    return Totals(), state


def _clear(block: Block, state: State, _: None) -> tuple[Totals, State]:
    """The empty model: nothing selected, nothing kept."""
    views, rows = state["root"].shape
    empty = np.empty((views, 0, rows))
    return Totals(), state | {
        "basis": empty,
        "kept": empty,
        "beyond": state["target"],
        "free": state["allowed"],
    }


def _fetch(block: Block, state: State, shared: dict[str, Array]) -> tuple[Totals, State]:
    """Weighted, centred and scaled columns beside the kept ones."""
    raw = block.columns(shared["columns"])
    columns = raw - shared["centre"][:, :, None]
    columns *= state["root"][:, None, :]
    columns /= shared["scale"][:, None]
    inside = state["basis"] @ columns.transpose(0, 2, 1)
    kept = np.concatenate([state["kept"][:, shared["survivors"]], columns], axis=1)
    return Totals({"inside": inside}), state | {"kept": kept}


def _project_out(block: Block, state: State, inside: Array) -> tuple[Totals, State]:
    """Subtract the inside part of the columns fetched last; report what is left of it."""
    fresh = inside.shape[2]
    kept = state["kept"].copy()
    newest = kept[:, kept.shape[1] - fresh :]
    newest -= inside.transpose(0, 2, 1) @ state["basis"]
    return Totals({"inside": state["basis"] @ newest.transpose(0, 2, 1)}), state | {"kept": kept}


def _meet(block: Block, state: State, slot: int) -> tuple[Totals, State]:
    """Products of a kept column with the basis, the kept columns and the target."""
    column = state["kept"][:, slot, :, None]
    return Totals(
        {
            "basis": (state["basis"] @ column)[..., 0],
            "kept": (state["kept"] @ column)[..., 0],
            "target": (state["beyond"] @ column)[..., 0],
        }
    ), state


def _join(block: Block, state: State, shared: dict[str, Any]) -> tuple[Totals, State]:
    """Make a kept column the next basis line, and take its part out of all the others."""
    slot = shared["slot"]
    line = state["kept"][:, slot] - (shared["correction"][:, None, :] @ state["basis"])[:, 0]
    line *= shared["inverse"][:, None]
    others = np.delete(state["kept"], slot, axis=1)
    others -= shared["along"][:, :, None] * line[:, None, :]
    beyond = state["beyond"] - shared["target"][:, :, None] * line[:, None, :]
    free = np.maximum(state["free"] - line**2, 0)
    complete = shared["complete"][:, None] & (state["root"] > 0)
    return Totals(), state | {
        "basis": np.concatenate([state["basis"], line[:, None, :]], axis=1),
        "kept": others,
        "beyond": np.where(complete[:, None, :], 0.0, beyond),
        "free": np.where(complete, 0.0, free),
    }
