"""Kinds of values in a model file: each says how a value is written, and what may be read.

A schema is a tree of kinds. Written and read by the same tree, a file cannot say what the schema
does not: nothing is looked up by a name from the file but in fixed tables, nothing is executed.

Sizes that must agree have names (*dimensions*): the first that is read binds the name, all others
must be the same. A name that begins with an underscore is known in its own record only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from holdfast.model_file.errors import ModelFileError

LARGEST = 1e150
"""Numbers that predict are smaller, so that no prediction of ordinary rows overflows."""
SHOWN = 120
"""Characters of a wrong value that are shown."""


@dataclass(frozen=True)
class Place:
    """Where in a file a value stands, and which dimensions are known there."""

    name: str = "model"
    shared: dict[str, int] = field(default_factory=dict)
    own: dict[str, int] = field(default_factory=dict)

    def inside(self, step: str | int) -> Place:
        """A part of the value."""
        name = f"{self.name}[{step}]" if isinstance(step, int) else f"{self.name}.{step}"
        return Place(name.removeprefix("."), self.shared, self.own)

    def record(self) -> Place:
        """The same place, with dimensions of its own."""
        return Place(self.name, self.shared, {})

    def bind(self, dimension: str, size: int) -> None:
        """Say how long a dimension is."""
        known = self._of(dimension).setdefault(dimension, size)
        if known != size:
            raise self.refusal(f"{size} {dimension.strip('_')}", f"{known} of them")

    def size(self, dimension: str) -> int | None:
        """How long a dimension is, where that is known."""
        return self._of(dimension).get(dimension)

    def _of(self, dimension: str) -> dict[str, int]:
        return self.own if dimension.startswith("_") else self.shared

    def wrong(self, value: Any, expected: str) -> ModelFileError:
        """What to raise about a value."""
        return self.refusal(repr(value), expected)

    def refusal(self, found: str, expected: str) -> ModelFileError:
        """What to raise about something in words."""
        shown = found if len(found) <= SHOWN else found[:SHOWN] + " ..."
        return ModelFileError(
            f"{self.name} holds {shown}; expected {expected}: write the file again with save_model."
        )


class Kind(Protocol):
    """How values of one kind are written and read."""

    def write(self, value: Any) -> Any:
        """As JSON values."""
        ...

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values of anybody's making."""
        ...


@dataclass(frozen=True)
class Flag:
    """True or false."""

    def write(self, value: Any) -> bool:
        """As JSON values."""
        return bool(value)

    def read(self, value: Any, place: Place) -> bool:
        """From JSON values."""
        if not isinstance(value, bool):
            raise place.wrong(value, "true or false")
        return value


@dataclass(frozen=True)
class Text:
    """Any text that can be encoded."""

    def write(self, value: Any) -> str:
        """As JSON values."""
        text = str(value)
        if not encodable(text):
            raise ValueError(
                f"the text {text!r} cannot be written in UTF-8; expected one without lone "
                "surrogates: rename it."
            )
        return text

    def read(self, value: Any, place: Place) -> str:
        """From JSON values."""
        if not isinstance(value, str) or not encodable(value):
            raise place.wrong(value, "a text")
        return value


def encodable(text: str) -> bool:
    """Whether a text has no lone surrogates."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


@dataclass(frozen=True)
class Choice:
    """One of a few texts."""

    choices: tuple[str, ...]

    def write(self, value: Any) -> str:
        """As JSON values."""
        return str(value)

    def read(self, value: Any, place: Place) -> str:
        """From JSON values."""
        if not isinstance(value, str) or value not in self.choices:
            raise place.wrong(value, "one of " + ", ".join(map(repr, self.choices)))
        return value


@dataclass(frozen=True)
class Whole:
    """A whole number, from ``least`` on, below a dimension, or itself the size of one."""

    least: int = 0
    below: str | None = None
    binds: str | None = None

    def write(self, value: Any) -> int:
        """As JSON values."""
        return int(value)

    def read(self, value: Any, place: Place) -> int:
        """From JSON values."""
        limit = 2**53 if self.below is None else place.size(self.below)
        assert limit is not None, self.below
        if type(value) is not int or not self.least <= value < limit:
            raise place.wrong(value, f"a whole number from {self.least} to {limit - 1}")
        if self.binds is not None:
            place.bind(self.binds, value)
        return value


@dataclass(frozen=True)
class Number:
    """A float; ``open_ended``: NaN (null) and infinities ("inf", "-inf") too."""

    above: float | None = None
    open_ended: bool = False
    most: float = np.inf

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return written_float(float(value))

    def read(self, value: Any, place: Place) -> float:
        """From JSON values."""
        number = read_float(value) if self.open_ended else value
        if type(number) is not float or (not self.open_ended and abs(number) > self.most):
            raise place.wrong(value, f"a number of size at most {self.most:g}")
        if self.above is not None and not number > self.above:
            raise place.wrong(value, f"a number above {self.above:g}")
        return number


_SPECIAL = {"inf": np.inf, "-inf": -np.inf}


def written_float(number: float) -> Any:
    """A float as JSON; null for NaN, texts for infinities."""
    if np.isfinite(number):
        return number
    return None if np.isnan(number) else ("inf" if number > 0 else "-inf")


def read_float(value: Any) -> Any:
    """The float that was written; anything else as it is."""
    if value is None:
        return np.nan
    return _SPECIAL.get(value, value) if isinstance(value, str) else value


@dataclass(frozen=True)
class Maybe:
    """Null, or a value."""

    kind: Kind

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return None if value is None else self.kind.write(value)

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        return None if value is None else self.kind.read(value, place)


@dataclass(frozen=True)
class Several:
    """A list; of a named length, if it has a name."""

    kind: Kind
    dimension: str | None = None
    least: int = 0

    def write(self, value: Any) -> list[Any]:
        """As JSON values."""
        return [self.kind.write(one) for one in value]

    def read(self, value: Any, place: Place) -> list[Any]:
        """From JSON values."""
        if not isinstance(value, list) or len(value) < self.least:
            raise place.wrong(value, f"a list of at least {self.least} entries")
        if self.dimension is not None:
            place.bind(self.dimension, len(value))
        return [self.kind.read(one, place.inside(number)) for number, one in enumerate(value)]


@dataclass(frozen=True)
class Record:
    """An object with exactly these fields, read in this order; ``make`` is what is made of them."""

    fields: Mapping[str, Kind]
    make: Callable[..., Any] = dict

    def write(self, value: Any) -> dict[str, Any]:
        """As JSON values, from a mapping or from attributes."""
        mapping = isinstance(value, Mapping)
        return {
            name: kind.write(value[name] if mapping else getattr(value, name))
            for name, kind in self.fields.items()
        }

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        found = self.parts(value, place)
        return self.make(**found)

    def parts(self, value: Any, place: Place) -> dict[str, Any]:
        """The fields, before anything is made of them."""
        if not isinstance(value, dict):
            raise place.wrong(value, "an object with the fields " + ", ".join(self.fields))
        for name in self.fields:
            if name not in value:
                raise place.refusal("no field " + repr(name), "it")
        for name in value:
            if name not in self.fields:
                raise place.refusal("the unknown field " + repr(name), ", ".join(self.fields))
        place = place.record()
        return {
            name: kind.read(value[name], place.inside(name)) for name, kind in self.fields.items()
        }
