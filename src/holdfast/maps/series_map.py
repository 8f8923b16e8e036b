"""What maps of series share: lengths beside the table, or a list of tables."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast.maps.series import bounds_of, stacked
from holdfast.rows.sums import Array


class SeriesMap(TransformerMixin, BaseEstimator):
    """A transformer of rows that follow each other in time, in one or several series."""

    @abstractmethod
    def _set_up(self, n_columns: int) -> None:
        """Check the parameters, and learn or draw what the map is made of."""

    @abstractmethod
    def _mapped(self, X: Any, bounds: Array) -> Any:
        """Features of every row; series begin at ``bounds``."""

    def fit(self, X: Any, y: Any = None, lengths: Any = None) -> Self:
        """Make the map for tables like X.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n), or list of them
            Rows of one or several series; of a list each table is a series.
        y : None
            Ignored.
        lengths : sequence of int, optional
            Rows of every series, in their order; without them the rows are one series.

        Returns
        -------
        self
        """
        checked, _ = self._checked(X, lengths, reset=True)
        self._set_up(checked.shape[1])
        return self

    def transform(self, X: Any, lengths: Any = None) -> Any:
        """Features of every row; as many rows as X has.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n), or list of them
            Rows of one or several series; of a list each table is a series.
        lengths : sequence of int, optional
            Rows of every series, in their order; without them the rows are one series.

        Returns
        -------
        array or sparse matrix of shape (m, features)
        """
        check_is_fitted(self)
        return self._mapped(*self._checked(X, lengths, reset=False))

    def fit_transform(self, X: Any, y: Any = None, lengths: Any = None) -> Any:
        """Make the map for X, and transform X.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n), or list of them
            Rows of one or several series; of a list each table is a series.
        y : None
            Ignored.
        lengths : sequence of int, optional
            Rows of every series, in their order; without them the rows are one series.

        Returns
        -------
        array or sparse matrix of shape (m, features)
        """
        checked, bounds = self._checked(X, lengths, reset=True)
        self._set_up(checked.shape[1])
        return self._mapped(checked, bounds)

    def _checked(self, X: Any, lengths: Any, *, reset: bool) -> tuple[Any, Array]:
        """A table of floats, and the bounds of its series."""
        X, lengths = stacked(X, lengths)
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=np.float64)
        return X, bounds_of(lengths, X.shape[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "n_features_in_")
