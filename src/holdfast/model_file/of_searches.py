"""Selectors with a path of visited models, in a model file."""

from __future__ import annotations

from typing import Any

from holdfast.model_file.arrays import Wholes, numbers
from holdfast.model_file.kinds import Kind, Maybe, Place, Several, Whole
from holdfast.model_file.of_targets import RESULTS
from holdfast.model_file.parts import Part, optional, restore_optional
from holdfast.model_file.paths import VISIT, check_errors
from holdfast.rows.ledger import Features


class _FeaturesKind:
    """Columns that move together, all others being features of their own."""

    def write(self, value: Features) -> list[list[int]]:
        """As JSON values."""
        bounds = zip(value.starts[:-1], value.starts[1:], strict=True)
        return [value.flat[a:b].tolist() for a, b in bounds if b - a > 1]

    def read(self, value: Any, place: Place) -> Features:
        """From JSON values."""
        if not isinstance(value, list):
            raise place.wrong(value, "a list of groups of columns")
        groups = [
            Wholes("_group", below="features").read(one, place.inside(number).record()).tolist()
            for number, one in enumerate(value)
        ]
        flat = [column for group in groups for column in group]
        if len(set(flat)) < len(flat) or any(len(group) < 2 for group in groups):
            raise place.wrong(value, "different columns, at least two in a group")
        n_columns = place.size("features")
        assert n_columns is not None
        features = Features.partition(n_columns, groups)
        place.bind("units", len(features))
        return features


_SEARCH: dict[str, Kind] = {
    "n_splits": Maybe(Whole(1, binds="splits")),
    "alphas": numbers("alphas"),
    "groups": _FeaturesKind(),
    "path": Several(VISIT, "entries", least=1),
    "chosen": Whole(below="entries"),
    **RESULTS,
}


def _gathered_search(estimator: Any) -> dict[str, Any]:
    return {
        "n_splits": estimator.n_splits_,
        "alphas": estimator.alphas_,
        "groups": estimator._features,
        "path": estimator._path,
        "chosen": estimator._chosen,
        **optional(estimator, tuple(RESULTS)),
    }


def _restore_search(estimator: Any, found: dict[str, Any], place: Place) -> None:
    path = found["path"]
    check_errors(path, place.inside("path"))
    for number, entry in enumerate(path):
        if (entry.move is None) != (number == 0):
            raise place.inside("path").inside(number).refusal("a move, or none", "the other")
    estimator.n_splits_ = found["n_splits"]
    estimator._set_path(path, found["alphas"], found["groups"])
    estimator._choose(found["chosen"])
    restore_optional(estimator, found, tuple(RESULTS))


SEARCH = Part(_SEARCH, _gathered_search, _restore_search)
