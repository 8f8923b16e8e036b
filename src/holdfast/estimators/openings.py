"""Opening a criterion on a problem: from rows or moments to ledgers.

Both openings tell what a search needs to know of the data before it starts - which features
cannot change a model, how long the columns are - and open ledgers at any starting support.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from holdfast.criteria.held_out_rows import HeldOutRows
from holdfast.criteria.hold_out import HoldOut
from holdfast.criteria.leave_one_out import LeaveOneOut
from holdfast.criteria.pairs import Pairs
from holdfast.criteria.span import frame_of
from holdfast.criteria.training_sets import Factors, TrainingSets, factors_of
from holdfast.criteria.weighting import ClassWeights, class_codes
from holdfast.rows.ledger import Features, Ledger
from holdfast.rows.memory import available_bytes
from holdfast.rows.moments import LineMoments, Moments, divided, full_moments
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array, Block, Rows, State, Totals

_COLUMNS_PER_LINE = 50
_SHARE_OF_MEMORY = 0.25


class Opening(Protocol):
    """A criterion, ready to be opened at a starting support."""

    inert: Array
    """Columns that cannot change a model."""
    squares: Array
    """Squared lengths of the columns, centred and scaled."""
    lengths: Array
    """Lengths of the columns, centred."""

    def ledger(self, start: Sequence[int] | Array, alphas: Array, error: str, room: int) -> Ledger:
        """A ledger of ``error`` at the features ``start``; ``room`` columns may be selected."""
        ...


class LeaveOneOutOpening:
    """Exact leave-one-out on rows.

    Parameters
    ----------
    rows : Rows
        The data.
    features : Features
        What moves add and remove.
    classes : ClassWeights
        How classes count.
    fit_intercept, standardize : bool
        Centring and scaling.
    """

    def __init__(
        self,
        rows: Rows,
        features: Features,
        classes: ClassWeights,
        *,
        fit_intercept: bool,
        standardize: bool,
    ) -> None:
        self._rows, self._features, self._weighting = rows, features, classes.views
        self._frame = frame_of(
            rows, self._weighting, fit_intercept=fit_intercept, standardize=standardize
        )
        self.inert, self.squares = self._frame.inert, self._frame.squares[-1]
        self.lengths = np.sqrt(self.squares) * self._frame.scale

    def ledger(self, start: Sequence[int] | Array, alphas: Array, error: str, room: int) -> Ledger:
        """A ledger at the features ``start``; see :class:`Opening`."""
        return LeaveOneOut(
            self._rows,
            self._frame,
            alphas,
            features=self._features,
            start=[int(feature) for feature in start],
            room=room,
            error=error,
            weighting=self._weighting,
        )


class HoldOutOpening:
    """Exact hold-out from moments.

    Parameters
    ----------
    moments : Moments
        Of the parts, divided by class.
    factors, whole : Factors
        What every split, and the model on all rows, takes of the parts.
    features : Features
        What moves add and remove.
    fit_intercept, standardize : bool
        Centring and scaling, in every training set.
    held_out : HeldOutRows or None, default=None
        For what moments cannot tell.
    """

    def __init__(
        self,
        moments: Moments,
        factors: Factors,
        whole: Factors,
        features: Features,
        *,
        fit_intercept: bool,
        standardize: bool,
        held_out: HeldOutRows | None = None,
    ) -> None:
        self._moments, self._features, self._held_out = moments, features, held_out
        self._pairs = Pairs(features)
        self._sets, self._whole = (
            TrainingSets(
                moments,
                taken,
                self._pairs,
                fit_intercept=fit_intercept,
                standardize=standardize,
            )
            for taken in (factors, whole)
        )
        self.squares = self._whole.within[0][self._pairs.diagonal]
        self.inert = self.squares == 0
        self.lengths = np.sqrt(self.squares) * self._whole.scale[0]

    @classmethod
    def on_rows(
        cls,
        rows: Rows,
        splits: Splits,
        features: Features,
        classes: ClassWeights,
        *,
        fit_intercept: bool,
        standardize: bool,
        room: int,
        all_columns: bool,
    ) -> HoldOutOpening:
        """Read the moments from rows: all at once, or only lines where columns are very many.

        ``room`` columns are likely to be selected; ``all_columns`` asks for all moments.
        """
        codes = _codes_of(rows, len(classes))
        n_parts = splits.n_parts * len(classes)
        parts = divided(rows, splits.labels * len(classes) + codes)
        moments: Moments
        if all_columns or _prefers_all(rows, n_parts, room):
            moments = full_moments(rows, parts, n_parts)
        else:
            pairs = Pairs(features)
            every = np.arange(rows.n_columns)
            within = (every, every) if pairs.single else (pairs.first, pairs.second)
            moments = LineMoments(rows, parts, n_parts, within)
        counts = moments.margins.counts
        factors, whole = factors_of(splits.train, splits.held, splits.whole, classes, counts)
        return cls(
            moments,
            factors,
            whole,
            features,
            fit_intercept=fit_intercept,
            standardize=standardize,
            held_out=HeldOutRows(rows, parts, factors.held),
        )

    def ledger(self, start: Sequence[int] | Array, alphas: Array, error: str, room: int) -> Ledger:
        """A ledger at the features ``start``; see :class:`Opening`."""
        return HoldOut(
            self._moments,
            self._sets,
            self._whole,
            alphas,
            features=self._features,
            pairs=self._pairs,
            start=[int(feature) for feature in start],
            room=room,
            error=error,
            held_out=self._held_out,
        )


def bytes_of_all_moments(n_columns: int, n_parts: int, n_splits: int) -> int:
    """Memory that whole gram matrices of the parts and the training sets take."""
    return 8 * n_columns**2 * (2 * n_parts + 2 * n_splits)


def _codes_of(rows: Rows, n_classes: int) -> Array:
    """Class of every row."""
    _, states = rows.sweep(_classes, None, n_classes)
    return rows.gather(states, "class")


def _classes(block: Block, state: State, n_classes: int) -> tuple[Totals, State]:
    return Totals(), {"class": class_codes(block.targets, n_classes)}


def _prefers_all(rows: Rows, n_parts: int, room: int) -> bool:
    """Whether all moments are cheaper than a reading of X for every selected column, and fit."""
    available = available_bytes()
    fits = available is None or (
        bytes_of_all_moments(rows.n_columns, n_parts, 0) <= _SHARE_OF_MEMORY * available
    )
    return fits and rows.n_columns <= _COLUMNS_PER_LINE * max(room, 8)
