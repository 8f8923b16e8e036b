"""What a fitted procedure chose: how many features, which columns, what it believed of itself.

A procedure may be a search in a grid search in a pipeline. Columns are followed through the steps
of a pipeline for as long as every step selects some or leaves them as they are; where one makes
new columns (scaled ones are the old ones, principal components are not) none of those of X is
chosen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from sklearn.pipeline import Pipeline

from holdfast.rows.sums import Array


class Choice(NamedTuple):
    """What one fitted model chose.

    ``size`` features (a group counts as one), the columns of X, (n,) bools or None where they are
    not columns of X, and the error the model believed to have, NaN where it does not say.
    """

    size: int
    support: Array | None
    believed: float


def choice_of(model: Any, n_columns: int) -> Choice:
    """What a fitted model chose of ``n_columns`` columns."""
    *before, last = _steps(model)
    columns: Array | None = np.arange(n_columns)
    for step in before:
        columns = _after(step, columns)
    seen = int(getattr(last, "n_features_in_", n_columns if columns is None else len(columns)))
    selected = np.asarray(getattr(last, "support_", np.ones(seen, dtype=bool)))
    support = None
    if columns is not None and len(columns) == len(selected):
        support = np.zeros(n_columns, dtype=bool)
        support[columns[selected]] = True
    size = int(getattr(last, "n_features_", selected.sum()))
    return Choice(size, support, -float(np.mean(getattr(last, "best_score_", np.nan))))


def _steps(model: Any) -> list[Any]:
    """The fitted estimators that X goes through, the best of every search."""
    while hasattr(model, "best_estimator_"):
        model = model.best_estimator_
    if not isinstance(model, Pipeline):
        return [model]
    steps = [step for _, step in model.steps if step is not None and step != "passthrough"]
    return [inner for step in steps for inner in _steps(step)]


def _after(step: Any, columns: Array | None) -> Array | None:
    """Columns of X that a transformer passes on; None where it makes others."""
    if columns is None:
        return None
    if hasattr(step, "get_support"):
        chosen: Array = columns[step.get_support()]
        return chosen
    names = np.array([f"x{column}" for column in columns], dtype=object)
    names = getattr(step, "feature_names_in_", names)
    try:
        same = np.array_equal(step.get_feature_names_out(names), names)
    except (AttributeError, ValueError):
        return None
    return columns if same else None
