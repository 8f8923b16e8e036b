"""How the held-out predictions of any estimator are judged: as its own errors are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.multiclass import type_of_target

from holdfast.estimators.classes import class_weights, coded_labels
from holdfast.rows.sums import Array


class Judge(Protocol):
    """Knows the targets of all rows and how an error is counted."""

    weights: Array
    """Weight of every row in the error."""
    shape: tuple[int, ...]
    """Of one prediction."""
    labelled: bool
    """Whether a prediction can be wrong."""

    def outputs(self, model: Any, X: Any) -> Array:
        """Predictions of a model, of classifiers before they are read as labels."""
        ...

    def wrong(self, model: Any, X: Any, held: Array) -> Array:
        """1 where a model names the wrong label of a held-out row; of several labels the share."""
        ...

    def errors(self, outputs: Array, wrong: Array, held: Array) -> Array:
        """Error of every held-out row."""
        ...


def judge_of(models: list[Any], y: Array, weights: Array) -> Judge:
    """The judge of fitted models that were asked for the same."""
    if not is_classifier(models[0]):
        return _Numbers(y, weights)
    if type_of_target(y).startswith("multilabel"):
        return _SeveralLabels(models, y, weights)
    return _Labels(models, y, weights)


class _Numbers:
    """Squared errors of predictions, mean over targets."""

    labelled = False

    def __init__(self, y: Array, weights: Array) -> None:
        self._y, self.weights, self.shape = y.astype(np.float64), weights, y.shape[1:]

    def outputs(self, model: Any, X: Any) -> Array:
        outputs = np.asarray(model.predict(X), dtype=np.float64)
        return outputs.reshape(len(outputs), *self.shape)

    def wrong(self, model: Any, X: Any, held: Array) -> Array:
        return np.zeros(len(held))

    def errors(self, outputs: Array, wrong: Array, held: Array) -> Array:
        return _squares(self._y[held] - outputs)


class _Labels:
    """Losses of decision values, or wrong labels where those are what is minimised."""

    labelled = True

    def __init__(self, models: list[Any], y: Array, weights: Array) -> None:
        self._classes, self._codes = np.unique(y, return_inverse=True)
        for number, model in enumerate(models):
            missing = np.setdiff1d(self._classes, model.classes_)
            if len(missing):
                raise ValueError(
                    f"outer split {number} trains on no row of class {missing.tolist()[0]!r}; "
                    "expected all classes in every training set: stratify the splits, or use fewer."
                )
        counts = np.bincount(self._codes[weights > 0], minlength=len(self._classes))
        given = getattr(models[0], "class_weight", None)
        known = class_weights(given, self._classes, counts)
        factors = known.views.train[-1]
        self.weights = weights * (factors[self._codes] if len(factors) > 1 else factors[0])
        self._decides = hasattr(models[0], "decision_function")
        self._counts_wrong = getattr(models[0], "error", None) == "zero_one" or not self._decides
        self._targets = coded_labels(self._codes, len(self._classes))
        self._losses = _losses_of(models[0])
        self.shape = self._targets.shape[1:] if self._decides else ()

    def outputs(self, model: Any, X: Any) -> Array:
        if self._decides:
            return np.asarray(model.decision_function(X), dtype=np.float64)
        return np.searchsorted(self._classes, model.predict(X)).astype(np.float64)

    def wrong(self, model: Any, X: Any, held: Array) -> Array:
        return (model.predict(X) != self._classes[self._codes[held]]).astype(np.float64)

    def errors(self, outputs: Array, wrong: Array, held: Array) -> Array:
        return wrong if self._counts_wrong else self._losses(self._targets[held], outputs)


class _SeveralLabels:
    """Losses of the decision values of several labels."""

    labelled = True

    def __init__(self, models: list[Any], y: Array, weights: Array) -> None:
        self._targets, self.weights = np.where(y > 0, 1.0, -1.0), weights
        self._losses = _losses_of(models[0])
        self.shape = y.shape[1:]

    def outputs(self, model: Any, X: Any) -> Array:
        return np.asarray(model.decision_function(X), dtype=np.float64)

    def wrong(self, model: Any, X: Any, held: Array) -> Array:
        wrong: Array = (np.asarray(model.predict(X)) != (self._targets[held] > 0)).mean(axis=1)
        return wrong

    def errors(self, outputs: Array, wrong: Array, held: Array) -> Array:
        return self._losses(self._targets[held], outputs)


def _losses_of(model: Any) -> Callable[[Array, Array], Array]:
    """What a classifier minimises: of LARS with the hinge what is short of the margin, squared."""
    return _hinges if getattr(model, "_hinge", False) else _squared_gaps


def _squared_gaps(targets: Array, outputs: Array) -> Array:
    return _squares(targets - outputs)


def _hinges(targets: Array, outputs: Array) -> Array:
    return _squares(np.maximum(1 - targets * outputs, 0))


def _squares(deviations: Array) -> Array:
    """Squares, mean over targets."""
    squares: Array = np.square(deviations).reshape(len(deviations), -1).mean(axis=1)
    return squares
