"""Columns by index or name, and the features they make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import Any

import numpy as np

from holdfast.estimators.checks import is_whole
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array

_SHOWN = 8
"""Names that a message lists."""


def resolve_columns(
    columns: Iterable[Any], n_columns: int, names: Sequence[str] | None, what: str
) -> list[int]:
    """Indices of columns given by index or by name.

    Raises
    ------
    ValueError
        For an index out of range or an unknown name, naming the nearest known one.
    """
    if isinstance(columns, str) or is_whole(columns):
        raise ValueError(
            f"{what} must be a list of columns, got {columns!r}; write [{columns!r}] to name one."
        )
    if not isinstance(columns, Iterable):
        raise ValueError(
            f"{what} must be a list of columns, got {columns!r}; expected indices from 0 to "
            f"{n_columns - 1} or column names: write them as a list."
        )
    return [_resolve(column, n_columns, names, what) for column in columns]


def _resolve(column: Any, n_columns: int, names: Sequence[str] | None, what: str) -> int:
    if isinstance(column, str):
        if names is None:
            raise ValueError(
                f"{what} names the column {column!r}, but X has no column names; pass X as a "
                f"DataFrame or name columns by index, 0 to {n_columns - 1}."
            )
        if column not in names:
            near = get_close_matches(column, list(names), n=1)
            some = ", ".join(repr(name) for name in names[:_SHOWN])
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            remedy = f"did you mean {near[0]!r}?" if near else "correct the name or drop it."
            raise ValueError(
                f"{what} names the column {column!r}, which X does not have; expected one of "
                f"{some}{more}: {remedy}"
            )
        return list(names).index(column)
    if is_whole(column):
        if not 0 <= column < n_columns:
            raise ValueError(
                f"{what} contains column {column}, but X has {n_columns} columns; "
                f"expected an index from 0 to {n_columns - 1}."
            )
        return int(column)
    raise ValueError(
        f"{what} contains {column!r}; expected column indices from 0 to {n_columns - 1} or "
        "column names: of a mask take np.flatnonzero(mask)."
    )


def resolve_features(
    groups: Iterable[Iterable[Any]] | None, n_columns: int, names: Sequence[str] | None
) -> Features:
    """Features of a table: the given groups, every other column on its own."""
    if groups is not None and (isinstance(groups, str) or not isinstance(groups, Iterable)):
        raise ValueError(
            f"feature_groups must be a list of lists of columns, got {groups!r}; write "
            "[[0, 1], [2, 3]] to have columns 0 and 1, and 2 and 3, enter and leave together."
        )
    resolved: list[list[int]] = []
    owner: dict[int, int] = {}
    for number, group in enumerate(groups if groups is not None else ()):
        what = f"feature_groups[{number}]"
        columns = resolve_columns(group, n_columns, names, what)
        if not columns:
            raise ValueError(
                f"{what} is empty; expected at least one column in every group: leave the "
                "group out, columns that stand in no group are features of their own."
            )
        for column in columns:
            if column in owner:
                raise ValueError(
                    f"column {column} stands in feature_groups[{owner[column]}] and again in "
                    f"{what}; expected every column at most once: merge the groups or drop it "
                    "from one."
                )
            owner[column] = number
        resolved.append(columns)
    return Features.partition(n_columns, resolved)


def resolve_constraints(
    include: Iterable[Any] | None,
    exclude: Iterable[Any] | None,
    features: Features,
    names: Sequence[str] | None,
) -> tuple[Array, Array]:
    """Features that are always in and those that never are; a column names its group."""
    n_columns = len(features.flat)
    sides = []
    for columns, what in ((include, "include"), (exclude, "exclude")):
        indices = resolve_columns(columns if columns is not None else (), n_columns, names, what)
        sides.append(np.unique(features.feature_of[np.array(indices, dtype=np.intp)]))
    both = np.intersect1d(sides[0], sides[1])
    if len(both):
        columns = features.columns(both[:1]).tolist()
        raise ValueError(
            f"columns {columns} are in include and in exclude; expected at most one of the two: "
            "drop them from one (a column names its whole group)."
        )
    return sides[0], sides[1]
