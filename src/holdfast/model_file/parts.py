"""Parts of a schema: fields, what is gathered for them, and what is restored from them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from holdfast.model_file.kinds import Kind, Place


class Part(NamedTuple):
    """What estimators of one sort have in common.

    Attributes
    ----------
    fields : mapping
        Kinds of what is kept, in the order in which it is read.
    gather : callable
        What is kept of a fitted estimator, by field.
    restore : callable
        Sets it in an unfitted estimator, and checks what concerns several fields.
    """

    fields: Mapping[str, Kind]
    gather: Callable[[Any], dict[str, Any]]
    restore: Callable[[Any, dict[str, Any], Place], None]


@dataclass(frozen=True)
class Schema:
    """How one class is kept: part by part."""

    cls: Any
    parts: tuple[Part, ...]

    @property
    def fields(self) -> dict[str, Kind]:
        """Those of all parts."""
        return {name: kind for part in self.parts for name, kind in part.fields.items()}

    def gather(self, estimator: Any) -> dict[str, Any]:
        """What is kept of a fitted estimator."""
        return {
            name: value for part in self.parts for name, value in part.gather(estimator).items()
        }

    def restore(self, estimator: Any, found: dict[str, Any], place: Place) -> None:
        """Make an unfitted estimator a fitted one."""
        for part in self.parts:
            part.restore(estimator, found, place)


def optional(estimator: Any, names: Sequence[str]) -> dict[str, Any]:
    """Attributes that may be missing, by their names without underscore."""
    return {name: getattr(estimator, f"{name}_", None) for name in names}


def restore_optional(estimator: Any, found: dict[str, Any], names: Sequence[str]) -> None:
    """Set those that were there."""
    for name in names:
        if found[name] is not None:
            setattr(estimator, f"{name}_", found[name])
