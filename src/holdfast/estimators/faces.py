"""Regression and classification: how targets are coded and outputs are read."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.callback import with_callbacks

from holdfast.criteria.labels import named_classes
from holdfast.criteria.weighting import plain_classes
from holdfast.estimators.checks import check_choice
from holdfast.estimators.classes import class_weights, code_classes
from holdfast.estimators.scored import ScoredWhereStored
from holdfast.estimators.selection import Targets
from holdfast.rows.sums import Array


class RegressorFace(ScoredWhereStored, RegressorMixin):
    """Numeric targets, one or several."""

    _coefficients: str
    """The attribute whose shape says whether there is one target or a line of them."""

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Select features and fit the model on them.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Dense arrays of any order and real type, CSR and CSC are read in place; ``.npy`` and
            Parquet files, memory-mapped arrays and blocks (:class:`RowBlocks`) chunk by chunk.
        y : array of shape (m,) or (m, targets)
            Targets; several share the selected features.
        sample_weight : array of shape (m,), optional
            Non-negative weights, in training and in the error. Zero leaves a row out.
        groups : array of shape (m,), optional
            Groups of rows, for a ``cv`` that holds out groups.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups)

    def predict(self, X: Any) -> Array:
        """Predictions.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows to predict.

        Returns
        -------
        array of shape (m,) or (m, targets)
        """
        outputs: Array = self._outputs(X)
        return outputs[:, 0] if getattr(self, self._coefficients).ndim == 1 else outputs

    def _code(self, y: Array, sample_weight: Array) -> Targets:
        values = np.asarray(y, dtype=np.float64)
        self._target_shape = values.shape[1:]
        return Targets(values, plain_classes(np.array([np.count_nonzero(sample_weight)])))

    def _shape(self, coef: Array, intercept: Array) -> tuple[Array, Any]:
        """As Ridge: a column vector y gives vectors but an array of one intercept."""
        shaped = coef[0] if len(coef) == 1 else coef
        if not self.fit_intercept:
            return shaped, 0.0
        return shaped, intercept if self._target_shape else float(intercept[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


class ClassifierFace(ScoredWhereStored, ClassifierMixin):
    """Labels, coded -1 / +1; one column per class beyond two."""

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Select features and fit the classifier on them.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Dense arrays of any order and real type, CSR and CSC are read in place; ``.npy`` and
            Parquet files, memory-mapped arrays and blocks (:class:`RowBlocks`) chunk by chunk.
        y : array of shape (m,)
            Labels of two or more classes, which share the selected features.
        sample_weight : array of shape (m,), optional
            Non-negative weights, in training and in the error. Zero leaves a row out.
        groups : array of shape (m,), optional
            Groups of rows, for a ``cv`` that holds out groups.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups)

    def decision_function(self, X: Any) -> Array:
        """Outputs of the model before they are read as classes.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows to score.

        Returns
        -------
        array of shape (m,) or (m, classes)
            For two classes positive values speak for the second.
        """
        outputs: Array = self._outputs(X)
        return outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X: Any) -> Array:
        """Labels.

        Outputs that differ by less than the rounding of the terms they are sums of are equal, and
        the first of equals wins: of two classes an output of zero means the first.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows to classify.

        Returns
        -------
        array of shape (m,)
        """
        outputs, sizes = self._outputs_and_sizes(X)
        return self._labels(outputs, sizes)

    def _labels(self, outputs: Array, sizes: Any = 0.0) -> Array:
        """Labels that outputs (m,) or (m, classes) stand for; ``sizes`` are of their terms."""
        columns = outputs.reshape(len(outputs), -1)
        codes = named_classes(columns.T, np.broadcast_to(sizes, columns.shape).T)
        labels: Array = self.classes_[codes]
        return labels

    def _code(self, y: Any, sample_weight: Array) -> Targets:
        check_choice(self.error, "error", ("squared", "zero_one"))
        self.classes_, targets, counts = code_classes(y, sample_weight)
        return Targets(targets, class_weights(self.class_weight, self.classes_, counts), self.error)

    def _shape(self, coef: Array, intercept: Array) -> tuple[Array, Any]:
        """As RidgeClassifier: two classes give a vector and an array of one intercept."""
        return coef[0] if len(coef) == 1 else coef, intercept if self.fit_intercept else 0.0
