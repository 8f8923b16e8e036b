"""A fitted estimator together with how a table becomes its columns."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from scipy import sparse
from sklearn.base import is_classifier

from holdfast.rows.sums import Array, ranges
from holdfast.table_models.encoded import used_columns
from holdfast.tables import Encoding

_BLOCK_NUMBERS = 1 << 22


@dataclass(frozen=True)
class TableModel:
    """What ``holdfast fit`` leaves behind, and what is needed to predict the rows of another table.

    Attributes
    ----------
    estimator : estimator
        Fitted, one of holdfast's.
    encoding : Encoding or None
        How the columns of a table become those of the estimator; None where rows are sparse
        vectors that have no names.
    target : str
        Name of the column that is predicted.
    task : {"regression", "classification"}
        What kind of column that is.
    findings : dict
        What a report shows, as plain JSON values; see :mod:`holdfast.table_models.findings`.
    provenance : dict
        When, by which command and versions, from which data.
    """

    estimator: Any
    encoding: Encoding | None
    target: str
    task: str
    findings: dict[str, Any] = field(default_factory=dict)
    provenance: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def _used(self) -> Array:
        """Columns of numbers that the predictions depend on."""
        return used_columns(self.estimator)

    @property
    def needed(self) -> list[str]:
        """Columns that a table must have to be predicted."""
        return [] if self.encoding is None else self.encoding.needed_for(self._used)

    def predict(self, table: Any) -> pl.DataFrame:
        """Predictions for the rows of a table.

        Parameters
        ----------
        table : polars.DataFrame, or sparse matrix for a model of sparse rows
            With the columns that :attr:`needed` names, in any order.

        Returns
        -------
        polars.DataFrame
            The column ``prediction``; of two classes ``decision`` too, the value that is compared
            with the threshold, and of Bayesian models ``std``, the standard deviation.
        """
        n_columns = int(self.estimator.n_features_in_)
        length = max(1, _BLOCK_NUMBERS // max(1, n_columns))
        n_rows = table.shape[0]
        parts = [self._predicted(self._numbers(table, rows)) for rows in ranges(n_rows, length)]
        return pl.concat(parts) if parts else self._predicted(np.zeros((1, n_columns))).clear()

    def _numbers(self, table: Any, rows: slice) -> Any:
        """Rows as the estimator takes them; columns that it does not use are zero."""
        if self.encoding is None:
            return sparse.csr_array(table[rows]) if sparse.issparse(table) else table[rows]
        some = table.slice(rows.start, rows.stop - rows.start)
        numbers = np.zeros((len(some), int(self.estimator.n_features_in_)))
        numbers[:, self._used] = self.encoding.encode(some, self._used)
        # A model that was fitted on a table in a file knows the names of its columns.
        named = getattr(self.estimator, "feature_names_in_", None)
        return numbers if named is None else pl.DataFrame(numbers, schema=list(named))

    def _predicted(self, numbers: Any) -> pl.DataFrame:
        if not is_classifier(self.estimator):
            if hasattr(self.estimator, "log_evidence_"):
                mean, deviation = self.estimator.predict(numbers, return_std=True)
                return pl.DataFrame({"prediction": mean, "std": deviation})
            return pl.DataFrame({"prediction": self.estimator.predict(numbers)})
        labels = self.estimator.predict(numbers).tolist()
        found = {"prediction": pl.Series(labels, dtype=None if labels else pl.String)}
        decisions = self.estimator.decision_function(numbers)
        if decisions.ndim == 1:
            found["decision"] = pl.Series(decisions)
        return pl.DataFrame(found)
