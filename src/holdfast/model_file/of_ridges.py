"""Linear models of all columns, and the choice of a penalty, in a model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.criteria.penalty import Model
from holdfast.model_file.arrays import Matrix, Numbers, numbers, predicting
from holdfast.model_file.kinds import LARGEST, Kind, Maybe, Place, Whole
from holdfast.model_file.of_targets import RESULTS
from holdfast.model_file.parts import Part, optional

CHOICE: dict[str, Kind] = {
    "n_splits": Maybe(Whole(1, binds="splits")),
    "alphas": numbers("alphas"),
    "alpha_errors": Numbers((("alphas",), ("alphas", "outputs")), open_ended=True),
    "alpha": Numbers(((), ("outputs",)), most=LARGEST),
    "best_score": Numbers(((), ("outputs",)), open_ended=True),
    **RESULTS,
}


def gathered_choice(estimator: Any) -> dict[str, Any]:
    """The choice of a penalty."""
    kept = {name: getattr(estimator, f"{name}_") for name in CHOICE if name not in RESULTS}
    return {**kept, **optional(estimator, tuple(RESULTS))}


def restore_choice(estimator: Any, found: dict[str, Any]) -> None:
    """Set the choice of a penalty."""
    for name in CHOICE:
        value = found[name]
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = float(value)
        if value is not None or name == "n_splits":
            setattr(estimator, f"{name}_", value)


_LINEAR: dict[str, Kind] = {
    **CHOICE,
    "coef": Matrix("outputs", "features"),
    "intercept": predicting("outputs"),
}


def _gathered_linear(estimator: Any) -> dict[str, Any]:
    coef = np.atleast_2d(estimator.coef_)
    return {
        **gathered_choice(estimator),
        "coef": coef,
        "intercept": np.broadcast_to(estimator.intercept_, len(coef)),
    }


def _restore_linear(estimator: Any, found: dict[str, Any], place: Place) -> None:
    restore_choice(estimator, found)
    estimator._set_model(Model(found["coef"], found["intercept"]))


LINEAR = Part(_LINEAR, _gathered_linear, _restore_linear)
