"""One path of generalised LARS and its held-out outputs: the unit of work, for any process.

A fit follows a path for every target (class, label) and L2 penalty, and with a ``cv`` one more on
every training set. Models are judged at the last knot of a size, where the next column enters: at
every size up to 64, and from there on at sizes that grow by 2 percent, because judging costs more
than following; or at the sizes asked for. The empty model and the end of the path are always
judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from holdfast.rows import as_rows
from holdfast.rows.sums import Array, Rows
from holdfast.searches.hinge_lars import hinge_lars
from holdfast.searches.lars import lars
from holdfast.searches.lars_columns import Columns
from holdfast.searches.lars_front import Front
from holdfast.searches.lars_held_out import Knot
from holdfast.searches.lars_model import LarsModel
from holdfast.searches.lars_path import LarsPath
from holdfast.searches.path import Patience, SizeRule

_EVERY = 64
_GROWTH = 1.02


@dataclass(frozen=True)
class PathOrder:
    """What path is to be followed, and how its models are to be judged.

    Attributes
    ----------
    hinge : bool
        Whether the loss is the squared hinge.
    alpha : float
        L2 penalty.
    fit_intercept, lasso, refit : bool
        As the estimators take them.
    limit : int
        Columns after which the path ends.
    judged : bool
        Whether rows are held out here, by the leave-one-out approximation.
    rule : SizeRule
        How the size will be chosen.
    patience : int or None
        Judged models without a new choice after which the path ends.
    sizes : frozenset of int or None
        Sizes to be judged; None for those of the module's rule.
    """

    hinge: bool
    alpha: float
    fit_intercept: bool
    lasso: bool
    refit: bool
    limit: int
    judged: bool
    rule: SizeRule
    patience: int | None
    sizes: frozenset[int] | None


@dataclass(frozen=True)
class Model:
    """A model of one size: columns, coefficients, intercept; outputs of rows without themselves."""

    size: int
    columns: Array
    coef: Array
    intercept: float
    held_out: Array | None
    error: float
    std_error: float

    @property
    def outputs(self) -> Array:
        """Outputs of rows without themselves, (m,)."""
        assert self.held_out is not None  # asked only of models that were judged
        return self.held_out


@dataclass
class Followed:
    """A path and the models of the sizes that were judged, by size."""

    path: LarsPath
    models: dict[int, Model]

    def model(self, size: int) -> Model:
        """The model of a size, or of the largest below it that there is."""
        return self.models[max(known for known in self.models if known <= size)]


def row_losses(targets: Array, outputs: Array, *, hinge: bool) -> Array:
    """Squared error, or squared hinge, of every row."""
    gaps = targets - outputs
    if hinge:
        gaps = np.maximum(targets * gaps, 0)
    return gaps**2


def mean_and_spread(losses: Array, weights: Array) -> tuple[float, float]:
    """Weighted mean over rows, and its standard error, every row with a weight being a split."""
    counted = weights > 0
    share = weights[counted] * np.count_nonzero(counted) / weights.sum()
    parts = share * losses[counted]
    return float(parts.mean()), float(parts.std(ddof=1) / np.sqrt(len(parts)))


def follow_path(
    X: Any, target: Array, weights: Array, columns: Columns, order: PathOrder
) -> Followed:
    """Follow one path and judge its models."""
    rows = as_rows(X, target, weights)
    judge = _Judge(rows, target, weights, order)
    search = hinge_lars if order.hinge else lars
    path = search(
        rows,
        alpha=order.alpha,
        fit_intercept=order.fit_intercept,
        limit=order.limit,
        lasso=order.lasso,
        watch=judge,
        columns=columns,
    )
    return Followed(path, judge.models)


@dataclass
class _Judge:
    """Shown the model of every size; keeps those to be judged."""

    rows: Rows
    target: Array
    weights: Array
    order: PathOrder
    models: dict[int, Model] = field(default_factory=dict)
    _next: float = 0

    def __post_init__(self) -> None:
        self._patience = Patience(self.order.rule, self.order.patience)

    def __call__(self, model: LarsModel, front: Front) -> bool:
        order, size = self.order, model.size
        if not (self._asked(size) or size in self.models or front.level == 0):
            return False
        knot = Knot(self.rows, model, front, hinge=order.hinge, refit=order.refit)
        held_out, error, spread = None, 0.0, 0.0
        if order.judged:
            held_out = knot.held_out()
            losses = row_losses(self.target, held_out, hinge=order.hinge)
            error, spread = mean_and_spread(losses, self.weights)
        coef, intercept = knot.solution
        # A lasso path may come back to a size: its last model counts, in its place at the end.
        self.models.pop(size, None)
        self.models[size] = Model(size, knot.columns, coef, intercept, held_out, error, spread)
        self._next = size + 1 if size < _EVERY else _GROWTH * size
        return order.judged and self._patience.exhausted(list(self.models.values()))

    def _asked(self, size: int) -> bool:
        """Whether this size is to be judged."""
        if size in (0, self.order.limit, self.order.rule.size):
            return True
        sizes = self.order.sizes
        return size >= self._next if sizes is None else size in sizes
