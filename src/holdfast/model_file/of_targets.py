"""What is predicted, in a model file: numbers, classes, or several labels."""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.model_file.arrays import Numbers
from holdfast.model_file.kinds import Flag, Kind, Maybe, Place, Several, Whole
from holdfast.model_file.labels import Labels
from holdfast.model_file.parts import Part

RESULTS: dict[str, Kind] = {
    "cv_results": Maybe(
        Numbers((("rows", "alphas"), ("rows", "outputs", "alphas")), open_ended=True)
    ),
    "held_out_predictions": Maybe(Numbers((("rows",), ("rows", "outputs")), open_ended=True)),
}
"""What ``store_cv_results=True`` keeps."""


def _gathered_targets(estimator: Any) -> dict[str, Any]:
    shape = estimator._target_shape
    return {"target_shape": shape, "outputs": int(np.prod(shape, dtype=int))}


def _restore_targets(estimator: Any, found: dict[str, Any], place: Place) -> None:
    shape = tuple(found["target_shape"])
    if len(shape) > 1 or found["outputs"] != (shape or (1,))[0]:
        raise place.inside("target_shape").wrong(list(shape), "[] or [outputs]")
    estimator._target_shape = shape


def _gathered_classes(estimator: Any) -> dict[str, Any]:
    return {"classes": estimator.classes_, "outputs": _n_outputs(estimator)}


def _n_outputs(classifier: Any) -> int:
    n_classes = len(classifier.classes_)
    several = n_classes > 2 or getattr(classifier, "_multilabel", False)
    return n_classes if several else 1


def _restore_classes(estimator: Any, found: dict[str, Any], place: Place) -> None:
    estimator.classes_ = found["classes"]
    multilabel = found.get("multilabel")
    if multilabel is not None:
        estimator._multilabel = multilabel
    numbered = np.array_equal(found["classes"], np.arange(len(found["classes"])))
    if found["outputs"] != _n_outputs(estimator) or (multilabel and not numbered):
        raise place.inside("classes").wrong(found["classes"].tolist(), "those of the outputs")
    if not multilabel and len(found["classes"]) < 2:
        raise place.inside("classes").wrong(found["classes"].tolist(), "at least two")


def _gathered_labels(estimator: Any) -> dict[str, Any]:
    return {"multilabel": estimator._multilabel, **_gathered_classes(estimator)}


def _restore_shape(estimator: Any, found: dict[str, Any], place: Place) -> None:
    """Kernel models tell one column of duals from a table by the shape of their targets."""
    estimator._target_shape = () if found["outputs"] == 1 else (found["outputs"],)


_OUTPUTS: dict[str, Kind] = {"outputs": Whole(1, binds="outputs")}

ONE_TARGET = Part(_OUTPUTS, lambda estimator: {"outputs": 1}, lambda estimator, found, place: None)
TARGETS = Part({"target_shape": Several(Whole(1)), **_OUTPUTS}, _gathered_targets, _restore_targets)
CLASSES = Part({"classes": Labels("classes"), **_OUTPUTS}, _gathered_classes, _restore_classes)
CLASSES_OR_LABELS = Part(
    {"multilabel": Flag(), **CLASSES.fields}, _gathered_labels, _restore_classes
)
SHAPE_OF_CLASSES = Part({}, lambda estimator: {}, _restore_shape)
