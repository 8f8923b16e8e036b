"""Plain values - texts, finite numbers, truth values, null, lists, objects - in a model file.

They say where a model comes from and what was found when it was fitted. Nothing predicts by them,
so a file may hold more of them than a schema names; what it names has to be there and of its kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from holdfast.model_file.kinds import SHOWN, Kind, Place, Record, encodable

LARGEST_FOUND = 1e300
"""Of numbers that tell about a model: a sum or ratio of a few of them is finite."""
MOST_LEVELS = 50
"""Of lists and objects inside each other; a file of ours has about ten."""
_WORD = re.compile(r"[\w.-]{1,60}")


@dataclass(frozen=True)
class Plain:
    """Plain values of any shape, as they are."""

    def write(self, value: Any) -> Any:
        """As JSON values: what is none is refused, naming where it stands."""
        where = not_plain(value)
        if where is not None:
            raise ValueError(
                f"findings or provenance hold, at {where}, what no file can say; expected plain "
                "values (texts, finite numbers, true, false, null, lists, objects with texts as "
                "keys): convert it."
            )
        return value

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        if not_plain(value) is not None:
            raise place.wrong(value, "plain values")
        return value


def not_plain(value: Any) -> str | None:
    """Where something stands that is no plain value, and what it is; None for nowhere."""
    waiting: list[tuple[Any, str, int]] = [(value, "", 0)]
    while waiting:
        one, where, level = waiting.pop()
        inner = _inside(one)
        if inner is None or level > MOST_LEVELS:
            found = "lists of lists without end" if inner is not None else repr(one)
            return f"{where or 'the top'}: {found[:SHOWN].splitlines()[0]}"
        waiting += [(more, f"{where}[{name!r}]", level + 1) for name, more in inner]
    return None


def _inside(value: Any) -> list[tuple[Any, Any]] | None:
    """What a plain value holds, with its places; None of what is not plain."""
    if value is None or isinstance(value, bool) or type(value) is int:
        return []
    if isinstance(value, str):
        return [] if encodable(value) else None
    if type(value) is float:
        return [] if np.isfinite(value) else None
    if isinstance(value, list):
        return list(enumerate(value))
    named = isinstance(value, dict) and all(isinstance(k, str) and encodable(k) for k in value)
    return list(value.items()) if named else None


def too_deep(value: Any) -> bool:
    """Whether lists and objects stand inside each other beyond all reason."""
    inner = [value]
    for _ in range(MOST_LEVELS):
        inner = [more for one in inner for more in _of_container(one)]
        if not inner:
            return False
    return True


def _of_container(value: Any) -> Iterator[Any]:
    entries = value.values() if isinstance(value, dict) else value
    yield from (one for one in entries if isinstance(one, (dict, list)))


@dataclass(frozen=True)
class Open:
    """An object with these fields, those of ``may`` where it has them, and any plain values."""

    fields: Mapping[str, Kind]
    may: Mapping[str, Kind] = field(default_factory=dict)

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return Plain().write(value)

    def read(self, value: Any, place: Place) -> dict[str, Any]:
        """From JSON values."""
        if not isinstance(value, dict):
            raise place.wrong(value, "an object with the fields " + ", ".join(self.fields))
        known = {**self.fields, **{name: kind for name, kind in self.may.items() if name in value}}
        named = Record(known).read({name: value[name] for name in known if name in value}, place)
        return {
            name: named[name] if name in known else Plain().read(one, place.inside(name))
            for name, one in value.items()
        }


@dataclass(frozen=True)
class NothingOr:
    """An empty object, of a model nobody has told about, or a full one."""

    kind: Kind

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return Plain().write(value)

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        return value if value == {} else self.kind.read(value, place)


@dataclass(frozen=True)
class Quantity:
    """A number, whole or not."""

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return value

    def read(self, value: Any, place: Place) -> float:
        """From JSON values."""
        number: float = value
        if type(value) not in (int, float) or not abs(value) <= LARGEST_FOUND:
            raise place.wrong(value, f"a number of size at most {LARGEST_FOUND:g}")
        return number


@dataclass(frozen=True)
class Word:
    """A name of letters, digits, dots and dashes."""

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return value

    def read(self, value: Any, place: Place) -> str:
        """From JSON values."""
        if not isinstance(value, str) or _WORD.fullmatch(value) is None:
            raise place.wrong(value, "a name of letters, digits, dots and dashes")
        return value


@dataclass(frozen=True)
class Named:
    """An object of values of one kind by names that are not known beforehand."""

    kind: Kind

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return value

    def read(self, value: Any, place: Place) -> dict[str, Any]:
        """From JSON values."""
        if not isinstance(value, dict) or not all(map(encodable, value)):
            raise place.wrong(value, "an object")
        return {name: self.kind.read(one, place.inside(name)) for name, one in value.items()}
