"""From ``cv`` to splits of rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.model_selection import LeaveOneOut, check_cv
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _routing_enabled,
    process_routing,
)

from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array


def is_leave_one_out(cv: Any) -> bool:
    """Whether ``cv`` asks for exact leave-one-out."""
    return cv is None or isinstance(cv, LeaveOneOut)


RowPairs = list[tuple[Array, Array]]
"""Training and held-out rows of every split."""


class GroupsToSplitter:
    """An estimator whose ``cv`` is told groups: by its own request, as in scikit-learn.

    ``groups`` of ``fit`` are for the splitter. Under metadata routing they come where the splitter
    asks for them, as those of scikit-learn that hold out groups do by default. The estimator makes
    no request for them itself; ``set_fit_request(groups=True)`` hands them to a splitter that
    knows nothing of requests.
    """

    __metadata_request__fit = {"groups": False}  # noqa: RUF012

    cv: Any

    def get_metadata_routing(self) -> MetadataRouter:
        """Where metadata go: ``sample_weight`` here, groups to the splitter.

        Returns
        -------
        MetadataRouter
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        mapping = MethodMapping().add(caller="fit", callee="split")
        return router.add(splitter=self.cv, method_mapping=mapping)

    def _groups_of_splitter(self, groups: Any, routed: Any = None) -> Any:
        """Groups, where they are for the splitter to see."""
        if groups is None or not _routing_enabled() or is_leave_one_out(self.cv):
            return groups
        if routed is None:
            routed = process_routing(self, "fit", groups=groups)
        asked = self._get_metadata_request().fit.requests.get("groups")  # type: ignore[attr-defined]
        return groups if asked is True else routed.splitter.split.get("groups")


def resolve_splits(
    cv: Any, X: Any, y: Array, groups: Any, sample_weight: Array, *, classifier: bool
) -> Splits | None:
    """Splits of the rows; None for exact leave-one-out. Parameters as :func:`resolve_pairs`."""
    pairs = resolve_pairs(cv, X, y, groups, sample_weight, classifier=classifier)
    return None if pairs is None else Splits.of(pairs, len(y))


def resolve_pairs(
    cv: Any, X: Any, y: Array, groups: Any, sample_weight: Array, *, classifier: bool
) -> RowPairs | None:
    """Training and held-out rows of the splits; None for exact leave-one-out.

    Parameters
    ----------
    cv : None, int, splitter or iterable of (train, test)
        As scikit-learn's ``check_cv``, but None is leave-one-out.
    X, y, groups
        What the splitter is shown.
    sample_weight : array of shape (m,)
        A training set needs rows of positive weight, and so does what is held out.
    classifier : bool
        Whether an int stands for stratified folds.
    """
    if is_leave_one_out(cv):
        if groups is not None:
            raise ValueError(
                "groups were given but cv is leave-one-out, which has no use for them; expected "
                "groups=None: leave them out, or choose a splitter that holds out groups, for "
                "instance cv=LeaveOneGroupOut()."
            )
        return None
    if isinstance(cv, (bool, str)):
        raise ValueError(
            f"cv={cv!r} is not known; expected None or LeaveOneOut() for exact leave-one-out, a "
            "number of folds, a scikit-learn splitter, or a list of (train, test) row indices."
        )
    splitter = check_cv(cv, y, classifier=classifier)
    return check_pairs(splitter.split(X, y, groups), sample_weight, cv)


def check_pairs(pairs: Iterable[tuple[Any, Any]], sample_weight: Array, cv: Any) -> RowPairs:
    """Training and held-out rows of every split that ``cv`` makes, as row numbers."""
    n_rows = len(sample_weight)
    counted = sample_weight > 0
    checked = []
    for number, (train, test) in enumerate(pairs):
        train, in_training = _rows_of(train, n_rows, "trains on", number)
        held, is_held = _rows_of(test, n_rows, "holds out", number)
        _check_split(number, in_training, is_held, counted)
        checked.append((train, held))
    if not checked:
        raise ValueError(f"cv={cv!r} makes no splits; expected at least one: give more folds.")
    return checked


def _rows_of(rows: Any, n_rows: int, does: str, number: int) -> tuple[Array, Array]:
    """Row indices of one side of a split and their mask, from indices or a mask."""
    rows = np.asarray(rows)
    if rows.dtype == bool:
        if rows.shape != (n_rows,):
            raise ValueError(
                f"split {number} of cv is a mask of {len(rows)} rows, but X has {n_rows} rows; "
                "expected one entry for every row: make the splits for this table."
            )
        return np.flatnonzero(rows), rows
    if rows.ndim != 1 or (rows.dtype.kind not in "iu" and len(rows)):
        raise ValueError(
            f"split {number} of cv {does} rows given as {rows.dtype} of shape {rows.shape}; "
            "expected a list of row numbers or a mask of truth values: convert them."
        )
    rows = rows.astype(np.intp, copy=False)
    # As unsigned numbers negative ones are large: one reading finds all that are special.
    if len(rows) and rows.view(np.uintp).max() >= n_rows:
        rows = _from_the_end(rows, n_rows, does, number)
    mask = np.zeros(n_rows, dtype=bool)
    mask[rows] = True
    if np.count_nonzero(mask) < len(rows):
        raise ValueError(
            f"split {number} of cv {does} a row more than once; expected every row at most once: "
            "give repeated rows a larger sample_weight instead, and masks as truth values."
        )
    return rows, mask


def _from_the_end(rows: Array, n_rows: int, does: str, number: int) -> Array:
    """Negative row numbers count from the end; others outside are refused."""
    lowest, highest = int(rows.min()), int(rows.max())
    if not -n_rows <= lowest <= highest < n_rows:
        outside = highest if highest >= n_rows else lowest
        raise ValueError(
            f"split {number} of cv {does} row {outside}, but X has {n_rows} rows; expected "
            f"indices from 0 to {n_rows - 1}: make the splits for this table."
        )
    wrapped: Array = rows % n_rows
    return wrapped


def _check_split(number: int, train: Array, held: Array, counted: Array) -> None:
    """Refuse a split that trains on what it holds out, or has too few rows; masks, (m,)."""
    both = train & held
    if both.any():
        raise ValueError(
            f"split {number} of cv trains on row {both.argmax()} and holds it out; expected every "
            "row on one side only: a row that was trained on tells nothing about new rows."
        )
    for rows, does in ((train, "trains on"), (held, "holds out")):
        if not (rows & counted).any():
            raise ValueError(
                f"split {number} of cv {does} 0 rows of positive weight; expected at least 1: use "
                "fewer folds, or give more rows a positive sample_weight."
            )
