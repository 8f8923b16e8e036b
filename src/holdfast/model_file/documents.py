"""From a fitted model to the content of a file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from holdfast.model_file.encodings import TABLE, EncodingKind, rooms_of_tables
from holdfast.model_file.kinds import Choice, Kind, Maybe, Place, Record, Several, Text, Whole
from holdfast.model_file.parameters import constructed, parameters_of
from holdfast.model_file.parts import Schema
from holdfast.model_file.schemas import SCHEMAS
from holdfast.parameters import check_flags
from holdfast.rows.memory import available_bytes

_TABLE_MODEL = "TableModel"


def is_of_table(model: Any) -> bool:
    """Whether a model is one of a table: it has all that a file keeps of such a model.

    Parameters
    ----------
    model : fitted estimator of holdfast, or TableModel
        As it is saved or was loaded.
    """
    return all(hasattr(model, name) for name in _KEPT_OF_TABLE)


class ModelKind:
    """A fitted estimator, or a model of a table."""

    def write(self, value: Any) -> dict[str, Any]:
        """As JSON values."""
        if not is_of_table(value):
            return ESTIMATOR.write(value)
        parts = {name: getattr(value, name) for name in _KEPT_OF_TABLE}
        return _TABLE_RECORD.write({"class": _TABLE_MODEL, **parts})

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        if isinstance(value, dict) and value.get("class") == _TABLE_MODEL:
            return _table_model(value, place)
        return ESTIMATOR.read(value, place)


class EstimatorKind:
    """A fitted estimator: its class, parameters, columns, and what its schema keeps."""

    def write(self, value: Any) -> dict[str, Any]:
        """As JSON values."""
        schema = SCHEMAS.get(type(value).__name__)
        if schema is None or schema.cls is not type(value):
            raise TypeError(
                f"{type(value).__name__} is not kept in model files; expected one of "
                f"{', '.join(SCHEMAS)} or a TableModel: of a pipeline or a search save the "
                "estimator inside."
            )
        check_is_fitted(value)
        try:
            gathered = schema.gather(value)
        except AttributeError as error:  # a fit that was interrupted before it had a model
            raise NotFittedError(
                f"{type(value).__name__} has no model yet ({error}); expected a fitted one: call "
                "fit."
            ) from None
        return _record(schema).write({**_head_of(value), **gathered})

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        name = value.get("class") if isinstance(value, dict) else None
        if not isinstance(name, str) or name not in SCHEMAS:
            raise place.refusal(f"the class {name!r}", "one of " + ", ".join(SCHEMAS))
        schema = SCHEMAS[name]
        found = _record(schema).parts(value, place)
        estimator = found["parameters"]
        _restore_head(estimator, found)
        schema.restore(estimator, found, place)
        return estimator


ESTIMATOR = EstimatorKind()


@dataclass(frozen=True)
class _Features:
    """Number of columns, with room in memory for coefficients of all of them."""

    def write(self, value: Any) -> int:
        """As JSON values."""
        return int(value)

    def read(self, value: Any, place: Place) -> int:
        """From JSON values."""
        count = Whole(1, binds="features").read(value, place)
        available = available_bytes()
        if available is not None and 64 * count > available:
            raise place.wrong(count, "as many columns as fit into memory")
        return count


def _head_of(estimator: Any) -> dict[str, Any]:
    return {
        "class": type(estimator).__name__,
        "parameters": estimator,
        "features": estimator.n_features_in_,
        "feature_names": getattr(estimator, "feature_names_in_", None),
        "table": getattr(estimator, "_encoding", None),
        "set_output": getattr(estimator, "_sklearn_output_config", {}).get("transform"),
    }


def _restore_head(estimator: Any, found: dict[str, Any]) -> None:
    estimator.n_features_in_ = found["features"]
    if found["feature_names"] is not None:
        estimator.feature_names_in_ = np.array(found["feature_names"], dtype=object)
    if found["table"] is not None:
        estimator._encoding = found["table"]
    if found["set_output"] is not None and hasattr(estimator, "set_output"):
        estimator.set_output(transform=found["set_output"])


@dataclass(frozen=True)
class _Parameters:
    """Constructor parameters; read, they are the unfitted estimator."""

    schema: Schema

    def write(self, value: Any) -> dict[str, Any]:
        """As JSON values."""
        return parameters_of(value)

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        estimator = constructed(self.schema.cls, value, place)
        try:
            check_flags(fit_intercept=estimator.fit_intercept)
        except ValueError as error:
            raise place.refusal(f"a parameter that is not known ({error})", "another") from None
        return estimator


def _record(schema: Schema) -> Record:
    """What a file says of an estimator: what all have, and what its schema keeps."""
    return Record(
        {
            "class": Choice((schema.cls.__name__,)),
            "features": _Features(),
            "feature_names": Maybe(Several(Text(), "features")),
            "table": Maybe(EncodingKind("features")),
            "set_output": Maybe(Choice(("default", "pandas", "polars"))),
            "parameters": _Parameters(schema),
            **schema.fields,
        }
    )


# -------------------------------------------------------------------------------- models of tables

_TABLE_FIELDS: Mapping[str, Kind] = {
    "class": Choice((_TABLE_MODEL,)),
    **TABLE,
    "encoding": Maybe(EncodingKind("table_columns")),
    "estimator": ESTIMATOR,
}
_TABLE_RECORD = Record(_TABLE_FIELDS)
_KEPT_OF_TABLE = [name for name in _TABLE_FIELDS if name != "class"]


def _table_model(value: Any, place: Place) -> Any:
    found = _TABLE_RECORD.parts(value, place)
    del found["class"]
    estimator, encoding = found["estimator"], found["encoding"]
    if encoding is not None and len(encoding.names) != estimator.n_features_in_:
        raise place.inside("encoding").refusal(
            f"{len(encoding.names)} columns of numbers", f"the {estimator.n_features_in_} features"
        )
    if is_classifier(estimator) != (found["task"] == "classification"):
        raise place.inside("task").wrong(found["task"], "what the estimator is for")
    if found["findings"] and found["findings"]["task"] != found["task"]:
        raise place.inside("findings").refusal(
            f"those of a {found['findings']['task']}", f"those of a {found['task']}"
        )
    return rooms_of_tables().TableModel(**found)
