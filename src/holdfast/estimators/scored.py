"""The score of scikit-learn, of rows wherever they are."""

from __future__ import annotations

from typing import Any

from holdfast.estimators.entering import encoding_of
from holdfast.rows.row_blocks import Wanted, opened


class ScoredWhereStored:
    """Opens a table before scikit-learn's mixin scores it; stands before that mixin."""

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Coefficient of determination of a regressor, accuracy of a classifier.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows to predict.
        y : array of shape (m,) or (m, targets)
            What there was to be predicted; the name of a column where the rows have names, None
            where blocks bring it.
        sample_weight : array of shape (m,), optional
            Weights of the rows.

        Returns
        -------
        float
            As in scikit-learn; 1 is best.
        """
        found = opened(X, Wanted(y, sample_weight), encoding_of(self))
        if found is not None:
            X, y, sample_weight = found.table, found.y, found.sample_weight
        value: float = super().score(X, y, sample_weight)  # type: ignore[misc]
        return value
