"""Class labels in a model file: texts, whole numbers, truth values and floats stay these."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.model_file.kinds import Place, Text
from holdfast.rows.sums import Array

_TEXT = re.compile(r"<U([1-9][0-9]{0,3})")
_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
_MOST_CHARACTERS = 10**8
_FLOATS = ("float16", "float32", "float64")


@dataclass(frozen=True)
class Labels:
    """Different labels of one type; how many there are is a dimension."""

    dimension: str

    def write(self, value: Any) -> dict[str, Any]:
        """As JSON values."""
        labels: list[Any] = np.asarray(value).tolist()
        dtype = np.asarray(value).dtype
        name = dtype.str.replace(">", "<") if dtype.kind == "U" else dtype.name
        place = Place("classes_")
        if _fits(labels, name):
            labels = [Text().write(one) if isinstance(one, str) else one for one in labels]
            return {"type": name, "labels": labels}
        raise ValueError(
            f"{place.name} are {dtype.name}, {labels[:3]!r} ...; expected texts, whole numbers, "
            "truth values or floats: fit with such labels."
        )

    def read(self, value: Any, place: Place) -> Array:
        """From JSON values."""
        if not isinstance(value, dict) or value.keys() != {"type", "labels"}:
            raise place.wrong(value, "labels and their type")
        name, labels = value["type"], value["labels"]
        if not isinstance(labels, list) or not isinstance(name, str) or not _fits(labels, name):
            raise place.wrong(labels, f"labels of type {name}")
        for one in labels:
            if isinstance(one, str):
                Text().read(one, place)
        place.bind(self.dimension, len(distinct(labels, place)))
        return np.array(labels, dtype=name)


def distinct(labels: list[Any], place: Place) -> list[Any]:
    """Labels that differ from each other."""
    if len(set(labels)) < len(labels):
        raise place.wrong(labels, "different labels")
    return labels


def _fits(labels: list[Any], name: str) -> bool:
    """Whether an array of that type holds these labels and nothing is lost."""
    kinds = set(map(type, labels))
    text = _TEXT.fullmatch(name)
    if text is not None:
        width = int(text[1])
        within = width * len(labels) <= _MOST_CHARACTERS
        return within and kinds <= {str} and all(len(one) <= width for one in labels)
    if name == "object":
        return kinds in ({str}, {int}, {bool}, {float}) and _as_int64(labels)
    if name in _WHOLE:
        limits = np.iinfo(name)
        return kinds <= {int} and all(limits.min <= one <= limits.max for one in labels)
    if name in _FLOATS:
        return kinds <= {float} and all(float(np.dtype(name).type(one)) == one for one in labels)
    return name == "bool" and kinds <= {bool}


def _as_int64(labels: list[Any]) -> bool:
    return all(not isinstance(one, int) or abs(one) < 2**63 for one in labels)
