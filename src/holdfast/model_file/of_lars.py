"""Models from a path of generalised LARS, in a model file."""

from __future__ import annotations

from typing import Any

from holdfast.model_file.arrays import Numbers, numbers, predicting
from holdfast.model_file.kinds import Kind, Maybe, Place, Several, Whole
from holdfast.model_file.of_targets import RESULTS
from holdfast.model_file.parts import Part, optional, restore_optional
from holdfast.model_file.paths import JUDGEMENT, LarsPathKind, check_errors

_LARS: dict[str, Kind] = {
    "n_splits": Maybe(Whole(1, binds="splits")),
    "alphas": numbers("alphas"),
    "path": Several(JUDGEMENT, "entries", least=1),
    "lars_paths": Several(LarsPathKind(), "outputs"),
    "chosen": Whole(below="entries"),
    "held_out_predictions": RESULTS["held_out_predictions"],
    "path_held_out_predictions": Maybe(
        Numbers((("entries", "rows"), ("entries", "rows", "outputs")), open_ended=True)
    ),
}
_LARS_RESULTS = ("held_out_predictions", "path_held_out_predictions")


def _gathered_lars(estimator: Any) -> dict[str, Any]:
    return {
        "n_splits": estimator.n_splits_,
        "alphas": estimator.alphas_,
        "path": estimator._path,
        "lars_paths": estimator.paths_,
        "chosen": estimator._chosen,
        **optional(estimator, _LARS_RESULTS),
    }


def _restore_lars(estimator: Any, found: dict[str, Any], place: Place) -> None:
    path = found["path"]
    check_errors(path, place.inside("path"))
    if len({entry.alpha for entry in path}) > 1 or len({e.size for e in path}) < len(path):
        raise place.inside("path").refusal("entries", "models of one penalty and different sizes")
    estimator.n_splits_ = found["n_splits"]
    estimator.alphas_ = found["alphas"]
    estimator._n_columns = estimator.n_features_in_
    estimator._set_path(path, found["lars_paths"])
    estimator._choose(found["chosen"])
    restore_optional(estimator, found, _LARS_RESULTS)


def _restore_thresholds(estimator: Any, found: dict[str, Any], place: Place) -> None:
    estimator.path_thresholds_ = found["path_thresholds"]


LARS = Part(_LARS, _gathered_lars, _restore_lars)
THRESHOLDS = Part(
    {"path_thresholds": predicting("entries", "outputs")},
    lambda estimator: {"path_thresholds": estimator.path_thresholds_},
    _restore_thresholds,
)
"""Restored before the path, whose choice reads them."""
