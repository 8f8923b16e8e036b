"""A method together with its encoding, both learned anew by every fit.

Medians, levels, scales and widths of kernels are learned from rows. An honest error must not know
those of the rows it is judged on, so that in every outer fold the encoding is learned from the
training rows only, before the search that is repeated there.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import polars as pl
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin, with_callbacks

from holdfast.rows.sums import Array
from holdfast.table_models.methods import WIDTHS, Method, make
from holdfast.tables import learn

_MOST_BASIS_VECTORS = 300
_FEW_ROWS = 2000
"""So many kernel columns are looked at whole; beyond, they are chosen by a matrix of low rank."""


class Encoded(CallbackSupportMixin, BaseEstimator):
    """A method fitted on a table: the encoding is learned, then the estimator made and fitted.

    Parameters
    ----------
    method : Method
        Which.
    task : {"regression", "classification"}
        For which task.
    cv : splitter or None
        For the estimator.
    wishes : dict
        Parameters that a user gave a value.
    rare, impute : int, str or None
        For the encoding.
    seed : int
        For whatever is drawn at random.

    Attributes
    ----------
    encoding_ : Encoding
        Learned from the rows of the fit.
    estimator_ : estimator
        Fitted on the numbers.
    n_features_in_, n_features_, support_
        Columns of the table; how many features the model has; which columns it uses.
    """

    def __init__(
        self,
        method: Method,
        task: str = "regression",
        cv: Any = None,
        wishes: dict[str, Any] | None = None,
        rare: int = 1,
        impute: str | None = None,
        seed: int = 0,
    ) -> None:
        self.method = method
        self.task = task
        self.cv = cv
        self.wishes = wishes
        self.rare = rare
        self.impute = impute
        self.seed = seed

    @with_callbacks
    def fit(self, X: pl.DataFrame, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Learn the encoding of a table, then fit the estimator on its numbers."""
        self.encoding_ = learn(
            X.lazy(), X.columns, rare=self.rare, impute=self.impute, scale=self.method.scaled
        )
        names = self.encoding_.names
        self.estimator_ = estimator_for(
            self.method,
            self.task,
            self.wishes or {},
            cv=self.cv,
            seed=self.seed,
            shape=(len(X), len(names)),
            groups=self.encoding_.groups,
        )
        root = self._init_callback_context()
        root.call_on_fit_task_begin(estimator=self)
        has_folds = hasattr(self.estimator_, "cv")
        known = {"sample_weight": sample_weight, "groups": groups if has_folds else None}
        told = {name: values for name, values in known.items() if values is not None}
        self.estimator_.fit(self.encoding_.encode(X), y, **told)
        root.call_on_fit_task_end(estimator=self)
        model = self.estimator_
        self.n_features_in_ = X.shape[1]
        self.support_ = np.isin(X.columns, self.encoding_.needed_for(used_columns(model)))
        self.n_features_ = int(getattr(model, "n_features_", self.support_.sum()))
        for name in ("classes_", "best_score_"):
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        return self

    @property
    def chosen_(self) -> list[str]:
        """Names of the columns of numbers that the model uses."""
        return [self.encoding_.names[column] for column in used_columns(self.estimator_)]

    def predict(self, X: pl.DataFrame) -> Array:
        """Predictions for the rows of a table."""
        predictions: Array = self.estimator_.predict(self.encoding_.encode(X))
        return predictions

    def decision_function(self, X: pl.DataFrame) -> Array:
        """Decision values for the rows of a table."""
        values: Array = self.estimator_.decision_function(self.encoding_.encode(X))
        return values

    @property
    def _hinge(self) -> bool:
        """Which loss the method minimises; see :func:`holdfast.nested_score`."""
        return self.method.hinge

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.estimator_type = "regressor" if self.task == "regression" else "classifier"
        return tags


def used_columns(model: Any) -> Array:
    """Columns of numbers that a fitted model uses."""
    used = getattr(model, "support_", None)
    every = np.arange(int(model.n_features_in_))
    return every if used is None else every[used]


def estimator_for(
    method: Method,
    task: str,
    wishes: dict[str, Any],
    *,
    cv: Any,
    seed: int,
    shape: tuple[int, int],
    groups: list[list[int]],
) -> Any:
    """The estimator of a method for a table of numbers.

    Parameters
    ----------
    method, task, wishes, cv, seed
        As in :class:`Encoded`.
    shape : tuple of int
        Rows, and columns of numbers.
    groups : list of list of int
        Columns of numbers that are one column of the table.
    """
    n_rows, n_numbers = shape
    given = {
        "cv": cv,
        "random_state": seed,
        "n_basis": min(_MOST_BASIS_VECTORS, max(1, n_rows // 2)),
        "max_basis": _MOST_BASIS_VECTORS,
        "low_rank": None if n_rows <= _FEW_ROWS else _MOST_BASIS_VECTORS,
        **wishes,
    }
    if method.widths:
        given["gamma"] = tuple(width / n_numbers for width in WIDTHS)
    features = n_numbers
    if method.grouped:
        given["feature_groups"] = groups or None
        features -= sum(len(group) - 1 for group in groups)
    if given.get("max_features") is not None:
        given["max_features"] = min(given["max_features"], features)
    return make(method, task, given)
