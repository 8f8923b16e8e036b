"""scikit-learn's scorers on held-out predictions.

A scorer asks an estimator for its predictions; here these are at hand. It is handed an estimator
that gives back what it is shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.metrics import check_scoring
from sklearn.utils.validation import _check_method_params

from holdfast.criteria.penalty import HeldOut
from holdfast.rows.sums import Array


def resolve_scorer(estimator: Any, scoring: Any) -> Any:
    """A scorer from ``scoring``: a name or a callable."""
    if not (isinstance(scoring, str) or callable(scoring)):
        raise ValueError(
            f"scoring={scoring!r} is not a scorer; expected None for the squared error, a name as "
            "'r2' or a callable (estimator, X, y): pass a single one, as one penalty is chosen."
        )
    return check_scoring(estimator, scoring=scoring)


def accepts_weights(scorer: Any) -> bool:
    """Whether a scorer can be told sample weights."""
    if hasattr(scorer, "_accept_sample_weight"):
        return bool(scorer._accept_sample_weight())
    try:
        return "sample_weight" in signature(scorer).parameters
    except (TypeError, ValueError):
        return False


class HeldOutRegressor(RegressorMixin, BaseEstimator):
    """Gives back the predictions it is shown."""

    def predict(self, X: Array) -> Array:
        """What it is shown."""
        return X

    def __sklearn_is_fitted__(self) -> bool:
        return True


class HeldOutClassifier(ClassifierMixin, BaseEstimator):
    """Gives back the outputs it is shown, or the labels that they stand for.

    Parameters
    ----------
    model : fitted classifier
        Knows the classes and reads labels from outputs.
    """

    def __init__(self, model: Any) -> None:
        self.model = model
        self.classes_ = model.classes_

    def decision_function(self, X: Array) -> Array:
        """What it is shown."""
        return X

    def predict(self, X: Array) -> Array:
        """Labels."""
        labels: Array = self.model._labels(X)
        return labels

    def __sklearn_is_fitted__(self) -> bool:
        return True


@dataclass(frozen=True)
class HeldOutScores:
    """Errors of penalties, minus the mean score over splits.

    Attributes
    ----------
    scorer : callable
        Of scikit-learn.
    model : HeldOutRegressor or HeldOutClassifier
        What it is shown.
    y : array
        As the scorer knows it: numbers or labels.
    outputs_shape : tuple of int
        Of one prediction: () where it is a number.
    params : dict
        What else the scorer is told, by row.
    per_target : bool
        Whether every target is scored by itself.
    """

    scorer: Any
    model: Any
    y: Array
    outputs_shape: tuple[int, ...]
    params: dict[str, Any]
    per_target: bool

    def errors(self, held_out: Iterator[HeldOut]) -> Array:
        """Minus the mean score, (penalties, choices)."""
        return -np.mean([self._scores(*one) for one in held_out], axis=0)

    def _scores(self, rows: Array, predictions: Array) -> Array:
        params = _check_method_params(self.y, self.params, indices=rows)
        y = self.y[rows]
        scores = []
        for of_alpha in predictions:
            outputs = of_alpha.T.reshape(len(rows), *self.outputs_shape)
            if self.per_target:
                columns = range(of_alpha.shape[0])
                whole = y.reshape(len(y), -1)
                scores.append([self._score(outputs[:, c], whole[:, c], params) for c in columns])
            else:
                scores.append([self._score(outputs, y, params)])
        return np.array(scores, dtype=np.float64)

    def _score(self, outputs: Array, y: Array, params: dict[str, Any]) -> float:
        try:
            return float(self.scorer(self.model, outputs, y, **params))
        except (AttributeError, IndexError) as error:
            raise ValueError(
                f"scoring={self.scorer!r} asks for what there is not ({error}); expected a scorer "
                "of held-out predictions or decision values, which has no use for X, coefficients "
                "or probabilities: choose another, or use GridSearchCV."
            ) from error
        except (TypeError, ValueError) as error:
            raise ValueError(
                f"scoring={self.scorer!r} cannot judge these targets: {str(error).rstrip('.')}; "
                "expected a scorer for numbers or labels as they are in y: choose another."
            ) from error
