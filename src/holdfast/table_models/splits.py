"""How rows are held out, as it is written on the command line.

======================  ==========================================================================
``loo``                 every row in turn (exact leave-one-out)
``10``                  ten folds of rows drawn at random; of labels, in equal shares
``group:COLUMN``        rows with the same value in the column go together: every group in turn, or
                        ten folds of groups where there are more than thirty
``series:COLUMN``       rows in the order of the column (dates or numbers): five stretches of equal
                        length, each predicted from all rows before it
======================  ==========================================================================

The honest estimate uses the same for its outer splits; for ``loo`` ten random folds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedKFold,
    TimeSeriesSplit,
)

from holdfast.rows.sums import Array

_FOLDS = 10
_STRETCHES = 5
_MOST_GROUPS = 30


@dataclass(frozen=True)
class Plan:
    """The splits of a fit and of its honest estimate.

    Attributes
    ----------
    inner : splitter or None
        For the estimator's ``cv``; None is leave-one-out.
    outer : splitter
        For :func:`holdfast.nested_score`.
    words, outer_words : str
        What they are, for people.
    notes : tuple of str
        Where they are not what was asked for.
    """

    inner: Any
    outer: Any
    words: str
    outer_words: str
    notes: tuple[str, ...] = ()


def ordering_column(cv: str) -> str | None:
    """The column that rows are put in order by."""
    kind, _, column = cv.partition(":")
    return column if kind == "series" and column else None


def plan_of(
    cv: str, frame: pl.DataFrame, task: str, y: Array, seed: int
) -> tuple[Plan, Array | None]:
    """The splits that were asked for, and the groups of the rows.

    Parameters
    ----------
    cv : str
        As above.
    frame : polars.DataFrame
        Holds the column of groups; in the order of time for ``series``.
    task, y, seed
        Of labels, folds have equal shares; the seed says which rows go together.
    """
    kind, _, column = cv.partition(":")
    if kind == "group" and column:
        return _by_groups(frame[column])
    if kind == "series" and column:
        if frame[column].null_count():
            raise ValueError(
                f"--cv series: column {column!r} has empty cells; expected a time or number in "
                "every row."
            )
        if len(y) < 4 * (_STRETCHES + 1):
            raise ValueError(
                f"--cv {cv} needs {4 * (_STRETCHES + 1)} rows at least, but there are {len(y)}; "
                "use --cv loo."
            )
        splitter = TimeSeriesSplit(_STRETCHES)
        words = f"{_STRETCHES} stretches in the order of {column!r}, each from the rows before"
        return Plan(splitter, splitter, words, words), None
    if kind == "loo" and not column:
        outer = _folds(min(_FOLDS, len(y)), task, y, seed)
        words = f"{outer.n_splits} random folds"
        return Plan(None, outer, "leave-one-out", words, _fewer(outer, _FOLDS, y)), None
    if not column and kind.isdigit() and 2 <= int(kind) <= len(y):
        inner = _folds(int(kind), task, y, seed)
        outer = _folds(int(kind), task, y, seed + 1)
        words = f"{inner.n_splits} random folds"
        return Plan(inner, outer, words, words, _fewer(inner, int(kind), y)), None
    raise ValueError(
        f"--cv {cv} is not known; expected loo, a number of folds from 2 to {len(y)} (the rows), "
        "group:COLUMN or series:COLUMN."
    )


def _folds(count: int, task: str, y: Array, seed: int) -> Any:
    if task == "regression":
        return KFold(count, shuffle=True, random_state=seed)
    least = int(np.unique(y, return_counts=True)[1].min())  # at least two
    return StratifiedKFold(min(count, least), shuffle=True, random_state=seed)


def _fewer(folds: Any, wanted: int, y: Array) -> tuple[str, ...]:
    """A note where there are fewer folds than was asked for."""
    if folds.n_splits >= min(wanted, len(y)):
        return ()
    return (
        f"there are {folds.n_splits} folds, not {wanted}: the rarest class has that many rows, "
        "and every fold needs one",
    )


def _by_groups(column: pl.Series) -> tuple[Plan, Array]:
    if column.null_count():
        raise ValueError(
            f"--cv group: column {column.name!r} has empty cells; expected a group in every row."
        )
    groups = np.unique(column.cast(pl.String).to_numpy(), return_inverse=True)[1]
    count = int(groups.max()) + 1
    if count < 3:
        raise ValueError(
            f"--cv group: column {column.name!r} has {count} different values; expected at least "
            "three groups, to hold one out of those that remain."
        )
    if count <= _MOST_GROUPS:
        words = f"{count} groups of {column.name!r}, each in turn"
        return Plan(LeaveOneGroupOut(), LeaveOneGroupOut(), words, words), groups
    words = f"{_FOLDS} folds of the {count} groups of {column.name!r}"
    return Plan(GroupKFold(_FOLDS), GroupKFold(_FOLDS), words, words), groups
