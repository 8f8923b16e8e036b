"""Checks of parameters: what was found, what was expected, what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from holdfast.estimators.extents import SMALLEST
from holdfast.parameters import check_choice as check_choice
from holdfast.parameters import check_flags as check_flags
from holdfast.parameters import is_whole as is_whole
from holdfast.rows.sums import Array
from holdfast.searches.path import SizeRule


def check_alphas(alphas: Any) -> Array | None:
    """Penalties as an array; None for ``"auto"``."""
    if isinstance(alphas, str):
        if alphas == "auto":
            return None
        raise ValueError(
            f"alphas={alphas!r} is not known; expected a positive number, a sequence of them, "
            'or "auto" for a grid made from the data.'
        )
    if alphas is None:
        raise ValueError(
            'alphas is None; expected a positive number, a sequence of them, or "auto" for a '
            "grid made from the data."
        )
    grid = _as_grid(alphas, "alphas", "a positive number", ', or "auto"')
    wrong = grid[~(np.isfinite(grid) & (grid > 0))]
    if len(wrong):
        raise ValueError(
            f"alphas must be positive and finite, got {wrong[0]}; for an almost unregularised "
            "fit use a small value such as 1e-8."
        )
    return grid


def _as_grid(value: Any, name: str, number: str, more: str = "") -> Array:
    """A number, or a sequence of them, as an array."""
    try:
        if np.asarray(value).dtype == bool:
            raise TypeError
        grid = np.atleast_1d(np.asarray(value, dtype=np.float64))
    except (TypeError, ValueError):
        raise ValueError(
            f"{name}={value!r} is not numeric; expected {number}, a sequence of them{more}."
        ) from None
    if grid.ndim != 1 or len(grid) == 0:
        raise ValueError(
            f"{name} has shape {grid.shape}; expected {number} or a one-dimensional, "
            "non-empty sequence of them: pass at least one penalty."
        )
    return grid


def check_l2(alpha: Any) -> Array:
    """L2 penalties, zero among them, as an array."""
    grid = _as_grid(alpha, "alpha", "a number of at least 0")
    wrong = grid[~(np.isfinite(grid) & (grid >= 0))]
    if len(wrong):
        raise ValueError(
            f"alpha must be finite and at least 0, got {wrong[0]}; 0 leaves only the L1 penalty, "
            "whose strength is the place on the path."
        )
    return grid


def check_size(
    n_features_to_select: Any,
    max_features: Any,
    *,
    n_included: int,
    n_available: int,
) -> SizeRule:
    """The rule that chooses a size, its limit filled in.

    Parameters
    ----------
    n_features_to_select, max_features
        As the estimators take them.
    n_included, n_available : int
        Features that are always in, and all that are not excluded.
    """
    limit = _check_max_features(max_features, n_included)
    value = n_features_to_select
    what = "n_features_to_select"
    if isinstance(value, str):
        if value not in ("best", "1se"):
            raise ValueError(
                f"{what}={value!r} is not known; expected an integer, a fraction, 'best' "
                "(smallest error) or '1se' (smallest within one standard error of it)."
            )
        return SizeRule(value, limit=limit)
    size = _size_of(value, n_available)
    if size > n_available:
        raise ValueError(
            f"{what}={value!r} asks for {size} features, but only {n_available} can be selected "
            f"(groups count as one, excluded ones not); choose at most {n_available}."
        )
    if size < n_included:
        raise ValueError(
            f"{what}={value!r} asks for {size} features, but include holds {n_included}; choose "
            f"at least {n_included} or include fewer."
        )
    if limit is not None and size > limit:
        raise ValueError(
            f"{what}={value!r} asks for {size} features, but max_features={limit}; raise "
            "max_features or leave it out."
        )
    return SizeRule("size", size, limit)


def _size_of(value: Any, n_available: int) -> int:
    if is_whole(value):
        if value >= 1:
            return int(value)
    elif isinstance(value, (float, np.floating)) and 0 < value <= 1:
        return max(1, int(n_available * value))
    raise ValueError(
        f"n_features_to_select={value!r} is not a size; expected an integer of at least 1, a "
        "fraction of the features (above 0, at most 1.0), 'best' or '1se'."
    )


def _check_max_features(value: Any, n_included: int) -> int | None:
    if value is None:
        return None
    if not is_whole(value) or value < 1:
        raise ValueError(
            f"max_features={value!r} is not a size; expected None or an integer of at least 1."
        )
    if value < n_included:
        raise ValueError(
            f"max_features={value} is smaller than the {n_included} features of include; raise "
            "it or include fewer."
        )
    return int(value)


def check_patience(value: Any) -> None:
    """A number of moves, or None."""
    if value is not None and not (is_whole(value) and value >= 1):
        raise ValueError(
            f"patience={value!r} is not a number of moves; expected an integer of at least 1, "
            "or None to search to the end."
        )


def check_weights(sample_weight: Array) -> None:
    """At least two rows must count."""
    counted = int(np.count_nonzero(sample_weight))
    if counted < 2:
        raise ValueError(
            f"{counted} of the {len(sample_weight)} sample weights are positive; holding "
            "rows out needs at least 2 that count: give more rows a positive weight."
        )


def check_magnitude(name: str, values: Any) -> None:
    """The square of the largest value must be a number, and not zero; dense or sparse, no copy."""
    largest = max(abs(float(values.max())), abs(float(values.min())))
    if not np.isfinite(largest):
        raise ValueError(
            f"{name} contains {largest:g}; expected a finite number in every row: drop the rows "
            "without one, from X too."
        )
    if largest != 0 and not SMALLEST < largest < 1 / SMALLEST:
        raise ValueError(
            f"{name} has values up to {largest:g} in size, whose squares float64 cannot hold; "
            f"expected a size between {SMALLEST:g} and {1 / SMALLEST:g}: multiply {name} by a "
            "constant."
        )


def check_targets(y: Any) -> None:
    """Targets of no column are not to be taken for features of no column."""
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 0:
        raise ValueError(
            f"y has shape {tuple(shape)}, no target; expected (m,) or (m, targets): pass at least "
            "one column of targets."
        )


_REMEDIES = (
    (
        r"sample.weight",
        "expected one non-negative, finite number for every row of X, two of them positive: "
        "correct the weights or leave sample_weight out.",
    ),
    (
        r"Input (y )?contains",
        "expected a finite target in every row: drop the rows without one, from X too.",
    ),
    (
        r"could not convert string|bytes/strings",
        "expected numbers in X, and in the y of a regressor: encode texts, for instance by "
        "sklearn.preprocessing.OneHotEncoder, or drop their columns; for labels use a classifier.",
    ),
    (
        r"Unknown label type",
        "expected one label for every row, all texts or all whole numbers: correct the labels, or "
        "use a regressor for numeric targets.",
    ),
    (
        r"0 feature\(s\)",
        "expected at least one column in X: pass a table that has one.",
    ),
    (
        r"sample\(s\)",
        "expected at least two rows, for holding one out leaves none otherwise: pass more rows.",
    ),
    (
        r"should be a 1d array",
        "expected one label for every row, of shape (m,): pass one column.",
    ),
    (
        r"with dim \d",
        "expected a table X of shape (m, n) and targets of shape (m,) or (m, targets): reshape.",
    ),
    (
        r"but the target y is None",
        "expected one target for every row of X: pass y.",
    ),
    (
        r"infinity or a value too large",
        "expected finite numbers: replace these entries or drop their rows or columns.",
    ),
    (
        r"inconsistent numbers of samples",
        "expected one target for every row of X: pass X and y of the same rows.",
    ),
)


@contextmanager
def with_remedies(name: str = "") -> Iterator[None]:
    """Add what was expected and what to do to scikit-learn's messages about data.

    ``name`` is what the data are called, for messages that do not say it.
    """
    try:
        yield
    except ValueError as error:
        found = str(error).rstrip(".!")
        if name not in found:
            found = f"{name}: {found}"
        for about, remedy in _REMEDIES:
            if re.search(about, found, re.IGNORECASE):
                raise ValueError(f"{found}; {remedy}") from error
        raise
