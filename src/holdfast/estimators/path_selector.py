"""What every estimator with a path shares: one visited model is the fitted one."""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast.estimators.checks import is_whole
from holdfast.estimators.entering import stored_columns
from holdfast.estimators.folds import GroupsToSplitter
from holdfast.rows.row_blocks import is_elsewhere
from holdfast.rows.sums import Array
from holdfast.searches.path import SizeRule

OPTIONAL_ATTRIBUTES = ("cv_results_", "held_out_predictions_")


class PathSelector(GroupsToSplitter, SelectorMixin, CallbackSupportMixin, BaseEstimator):
    """A model on features chosen by a search, one of the models that the search visited.

    Who fits sets ``_path``, ``_n_columns``, ``alphas_`` and ``path_sizes_``, and chooses.
    """

    _coefficients = "coef_"

    @abstractmethod
    def _shape(self, coef: Array, intercept: Array) -> tuple[Array, Any]:
        """Coefficients and intercepts in the shape scikit-learn gives them."""

    @abstractmethod
    def _order(self, entry: Any) -> Array:
        """Columns in the order the search moved them."""

    # -- from a path to attributes ---------------------------------------------------------

    def _position(self, path: Sequence[Any], rule: SizeRule, *, stacklevel: int) -> int:
        """Position of the rule's choice; the nearest size, with a warning, where there is none."""
        position = rule.choose(path)
        if position is not None:
            return position
        size = path[-1].size
        wanted = rule.size if rule.kind == "size" else rule.limit
        warnings.warn(
            f"{wanted} features were asked for but the search ended at {size}: no other column "
            "can change the model (constant columns never can), or a callback ended the search. "
            f"The model of {size} features is kept; ask for at most as many.",
            DataDimensionalityWarning,
            stacklevel=stacklevel,
        )
        return len(path) - 1

    def _choose(self, position: int) -> None:
        """Make one visited model the fitted one."""
        entry = self._path[position]
        for name, value in self._solution_attributes(entry, self._n_columns).items():
            setattr(self, name, value)
        self.n_features_ = entry.size
        self.alpha_ = float(self.alphas_[entry.alpha])
        self.alpha_errors_ = entry.errors
        self.best_score_ = -entry.error
        self.selection_order_ = self._order(entry)
        self._chosen = position

    def _solution_attributes(self, entry: Any, n_columns: int) -> dict[str, Any]:
        """What predicting needs of a visited model."""
        solution = entry.solution
        coef = np.zeros((len(solution.coef), n_columns))
        coef[:, solution.columns] = solution.coef
        support = np.zeros(n_columns, dtype=bool)
        support[solution.columns] = True
        shaped, intercept = self._shape(coef, solution.intercept)
        return {"coef_": shaped, "intercept_": intercept, "support_": support}

    def truncate(self, size: int | str) -> Self:
        """The fitted model of another visited size, without data and without search.

        Parameters
        ----------
        size : int or {"best", "1se"}
            A size in ``path_sizes_``, or a rule that chooses one. Of several visited models
            of that size the one with the smallest error.

        Returns
        -------
        estimator
            A fitted copy; its ``path_*`` attributes are those of the whole search.
        """
        check_is_fitted(self)
        known = isinstance(size, str) and size in ("best", "1se")
        rule = SizeRule(str(size)) if known else SizeRule("size", size if is_whole(size) else -1)
        position = rule.choose(self._path)
        if position is None:
            visited = sorted(set(self.path_sizes_.tolist()))
            raise ValueError(
                f"size={size!r} was not visited; expected 'best', '1se' or one of {visited}: "
                "fit again with a larger n_features_to_select or patience to visit more."
            )
        shorter = copy.copy(self)
        for stale in OPTIONAL_ATTRIBUTES:
            shorter.__dict__.pop(stale, None)
        shorter._choose(position)
        return shorter

    # -- predicting ------------------------------------------------------------------------

    def _outputs(self, X: Any) -> Array:
        """Model outputs, (rows, targets)."""
        coef, selected = self._selected(X)
        return _combined(selected, coef) + np.atleast_1d(self.intercept_)

    def _outputs_and_sizes(self, X: Any) -> tuple[Array, Array]:
        """Model outputs, and the sums of the sizes of the terms they are made of.

        For labels: an intercept is a mean of -1 and +1, less what the means of columns take.
        """
        coef, selected = self._selected(X)
        intercept = np.atleast_1d(self.intercept_)
        outputs = _combined(selected, coef) + intercept
        sizes = _combined(abs(selected.astype(np.float64)), np.abs(coef)) + np.abs(intercept)
        return outputs, sizes + (intercept != 0)

    def _selected(self, X: Any) -> tuple[Array, Any]:
        """Coefficients (targets, selected columns), and these columns of validated data."""
        check_is_fitted(self)
        columns = np.flatnonzero(self.support_)
        stored = stored_columns(self, X, columns)
        if stored is not None:
            return np.atleast_2d(self.coef_)[:, columns], stored
        X = validate_data(self, X, reset=False, accept_sparse=("csr", "csc"), dtype="numeric")
        return np.atleast_2d(self.coef_)[:, columns], X[:, columns]

    def transform(self, X: Any) -> Any:
        """The selected columns.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows.

        Returns
        -------
        array, DataFrame or sparse matrix of shape (m, selected)
            In memory. Of stored rows an array of float64.
        """
        if is_elsewhere(X):
            check_is_fitted(self)
            return stored_columns(self, X, np.flatnonzero(self._get_support_mask()))
        return super().transform(X)

    def _get_support_mask(self) -> Array:
        check_is_fitted(self)
        support: Array = self.support_
        return support

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _combined(selected: Any, coef: Array) -> Array:
    """Products of rows with coefficients, dense."""
    product = selected @ coef.T
    if sparse.issparse(product):
        product = product.toarray()
    return np.asarray(product, dtype=np.float64)
