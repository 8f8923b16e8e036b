"""What was found of a model of a table, and where it comes from, in a model file.

The fields are those of :func:`holdfast.table_models.findings.findings_of` and
:func:`holdfast.table_models.provenance.provenance_of`; what reads them, the report and
``holdfast inspect``, relies on what is checked here. A model that was put together in Python may
have neither: then both are empty objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from holdfast.model_file.kinds import Choice, Flag, Kind, Maybe, Place, Several, Text, Whole
from holdfast.model_file.plain import Named, NothingOr, Open, Quantity, Word

VERSION = 1
_OUTPUTS = "outputs of the findings"
_NUMBER, _MAYBE, _TEXTS = Quantity(), Maybe(Quantity()), Several(Text())
_COLUMNS = Several(Whole(below="features"), "_columns")
_SPREAD: Mapping[str, Kind] = {"mean": _MAYBE, "std": _MAYBE, "min": _MAYBE, "max": _MAYBE}


class _Pair:
    """A level and how many rows have it."""

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return value

    def read(self, value: Any, place: Place) -> list[Any]:
        """From JSON values."""
        if not isinstance(value, list) or len(value) != 2:
            raise place.wrong(value, "a level and its number of rows")
        return [Text().read(value[0], place), Whole().read(value[1], place)]


class _Described:
    """A column of the table; what was counted of it is told as a whole or not at all."""

    _together = (tuple(_SPREAD), ("levels", "n_levels", "pooled"))

    def __init__(self, *needed: tuple[str, ...]) -> None:
        kinds: dict[str, Kind] = {
            "missing": Whole(),
            "fill": _MAYBE,
            "levels": Several(_Pair()),
            "n_levels": Whole(),
            "pooled": Whole(),
            **_SPREAD,
        }
        self._kind = Open({"name": Text(), "kind": Text()}, kinds)
        self._groups = needed or self._together

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return value

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        found = self._kind.read(value, place)
        for names in self._groups:
            told = [name in found for name in names]
            if any(told) and not all(told):
                raise place.refusal("a part of " + ", ".join(names), "all of them or none")
        return found


class _Target(_Described):
    """The target: its numbers, or its classes."""

    def __init__(self) -> None:
        super().__init__(tuple(_SPREAD))

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        found = super().read(value, place)
        if "levels" not in found and "mean" not in found:
            raise place.refusal("neither levels nor a mean", "one of them")
        return found


_PATH = Several(
    Open(
        {
            "size": Whole(),
            "error": _NUMBER,
            "std_error": _MAYBE,
            "alpha": _NUMBER,
            "sign": Whole(-1),
            "moved": Several(Whole(below="features")),
            "columns": _COLUMNS,
            "coef": Several(Several(_NUMBER, "_columns"), _OUTPUTS, 1),
            "intercept": Several(_NUMBER, _OUTPUTS),
            "effects": Maybe(Several(Several(_NUMBER, "_columns"), _OUTPUTS)),
        }
    ),
    least=1,
)
_LINES = Maybe(Several(Several(_NUMBER, "features"), _OUTPUTS, 1))
_NESTED = Open(
    {
        "error": _NUMBER,
        "std_error": _MAYBE,
        "wrong": _MAYBE,
        "folds": Whole(1, binds="_folds"),
        "fold_errors": Several(_MAYBE, "_folds"),
        "sizes": Several(Whole(), "_folds"),
        "supports": Several(Several(Whole(below="features"))),
        "splits": Text(),
    }
)
_HELD_OUT = Open(
    {
        "kind": Choice(("nested", "hold-out")),
        "rows": Several(Whole(), "_rows"),
        "truth": Several(_NUMBER, "_rows"),
        "outputs": Several(Several(_NUMBER, _OUTPUTS), "_rows"),
    }
)
_DATA = Open(
    {
        "source": Text(),
        "rows": Whole(),
        "rows_left_out": Whole(),
        "columns": Several(_Described()),
        "target": _Target(),
    }
)
_ALPHAS = Open(
    {
        "alphas": Several(_NUMBER, "_alphas"),
        "errors": Several(_NUMBER, "_alphas"),
        "chosen": _NUMBER,
    }
)
_CURVE = Open(
    {
        "x_name": Text(),
        "y_name": Text(),
        "x": Several(_NUMBER, "_points"),
        "y": Several(_NUMBER, "_points"),
        "chosen": Maybe(Whole(below="_points")),
    }
)
_FINDINGS = Open(
    {
        "version": Whole(),
        "task": Choice(("regression", "classification")),
        "method": Word(),
        "method_words": Text(),
        "target": Text(),
        "classes": _TEXTS,
        "weight": Maybe(Text()),
        "error_name": Text(),
        "hold_out": Text(),
        "features": Several(Text(), "features"),
        "feature_columns": Several(Text(), "features"),
        "path": Maybe(_PATH),
        "chosen": Maybe(Whole()),
        "coef": _LINES,
        "effects": _LINES,
        "intercept": Maybe(Several(_NUMBER, _OUTPUTS)),
        "basis": Maybe(Open({"kernel": Word(), "gamma": _MAYBE, "size": Whole()})),
        "curve": Maybe(_CURVE),
        "alphas": Maybe(_ALPHAS),
        "error": _MAYBE,
        "std_error": _MAYBE,
        "optimistic": Flag(),
        "baseline": _NUMBER,
        "nested": Maybe(_NESTED),
        "nested_reason": Maybe(Text()),
        "held_out": Maybe(_HELD_OUT),
        "threshold": _MAYBE,
        "data": _DATA,
        "warnings": _TEXTS,
        "seconds": _MAYBE,
    },
    may={"approximate": Flag()},
)


class _Findings:
    """Findings whose parts agree."""

    def write(self, value: Any) -> Any:
        """As JSON values."""
        return _FINDINGS.write(value)

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        found = _FINDINGS.read(value, place)
        for wrong, what, expected in _contradictions(found, place.size(_OUTPUTS)):
            if wrong:
                raise place.refusal(what, expected)
        return found


def _contradictions(
    found: Mapping[str, Any], outputs: int | None
) -> Iterable[tuple[bool, str, str]]:
    """Whether something is wrong, what it is, and what is expected; in order, the rest unasked."""
    version, classes, path = found["version"], found["classes"], found["path"]
    yield version != VERSION, f"findings of version {version}", f"version {VERSION}"
    several = found["task"] == "classification"
    enough = len(classes) >= 2 if several else not classes
    yield not enough, f"{len(classes)} classes", f"those of a {found['task']}"
    width = len(classes) if len(classes) > 2 else 1
    yield outputs not in (None, width), f"{outputs} lines of coefficients", str(width)
    chosen = found["chosen"]
    fits = chosen is None if path is None else chosen is not None and chosen < len(path)
    yield not fits, f"the chosen model {chosen}", "one of the path"
    linear = found["coef"] is not None
    yield linear != (found["intercept"] is not None), "half a linear model", "all of it"
    yield not linear and found["effects"] is not None, "effects without coefficients", "both"
    known = {entry["effects"] is not None for entry in path or []}
    whole = known <= {found["effects"] is not None}
    yield not whole, "effects of some models", "those of all or of none"
    distinct = all(len({*entry["columns"]}) == len(entry["columns"]) for entry in path or [])
    yield not distinct, "a column twice in a model", "each once"
    unsaid = found["nested"] is None and found["nested_reason"] is None
    yield unsaid, "neither a nested estimate nor why there is none", "one of them"
    truth = (found["held_out"] or {"truth": []})["truth"] if classes else []
    places = all(type(one) is int and 0 <= one < len(classes) for one in truth)
    yield not places, "rows held out of unknown classes", "places of classes"


FINDINGS = NothingOr(_Findings())
PROVENANCE = NothingOr(
    Open(
        {
            "created": Text(),
            "command": _TEXTS,
            "versions": Named(Text()),
            "data": Open({"source": Text(), "rows": Whole(), "fingerprint": Text()}),
        }
    )
)
