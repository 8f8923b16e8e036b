"""``cv_results_``: one definition for all estimators, that of scikit-learn's ``RidgeCV``.

The weighted squared held-out errors of every row under every penalty, mean over the splits that
hold it out, NaN where none does; weights are those of the error, sample weight times the class
weight of all rows. Of shape (m, alphas), for tables of targets (m, targets, alphas), for classes
(m, 1 or classes, alphas). Of a selector they are those of ``RidgeCV`` on the columns it has chosen.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.criteria.penalty import PenaltyProblem, held_out_results
from holdfast.criteria.penalty_routes import cheapest
from holdfast.criteria.weighting import ClassWeights
from holdfast.rows import as_rows
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array


def in_shape(results: Array, flat: bool) -> Array:
    """Results of rows (penalties, targets, rows) as scikit-learn has them, ``flat`` (m, alphas)."""
    shaped = results.transpose(2, 1, 0)
    return shaped[:, 0] if flat else shaped


def errors_of_rows(
    X: Any,
    targets: Array,
    weights: Array,
    splits: Splits | None,
    classes: ClassWeights,
    alphas: Array,
    *,
    fit_intercept: bool,
    standardize: bool,
) -> Array:
    """Weighted squared held-out errors of a model of all columns of X, (penalties, targets, m)."""
    if X.shape[1] == 0:
        X = np.zeros((len(weights), 1))  # a column of zeros changes no model
    problem = PenaltyProblem(
        as_rows(X, targets, weights),
        splits,
        classes,
        fit_intercept=fit_intercept,
        standardize=standardize,
    )
    penalties = cheapest(problem, len(alphas)).take(problem)
    return held_out_results(penalties, problem, alphas)[1]
