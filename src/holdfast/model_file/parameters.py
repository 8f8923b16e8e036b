"""Constructor parameters in a model file.

Numbers, texts, truth values, None and lists stand for themselves. Everything else is an object with
one key that says what it is: ``tuple``, ``dict`` (a list of pairs, since keys may be labels of any
type), ``array``, ``number`` (an infinity or NaN), or ``splitter``, a class of
:mod:`sklearn.model_selection` from the table below with its parameters. Functions, and generators
with a state of their own, cannot be said in a file and are refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import signature
from typing import Any

import numpy as np
from sklearn import model_selection

from holdfast.model_file.errors import ModelFileError
from holdfast.model_file.kinds import Place, Text, read_float, written_float

_SPLITTERS: dict[str, Any] = {
    splitter.__name__: splitter
    for splitter in (
        model_selection.GroupKFold,
        model_selection.GroupShuffleSplit,
        model_selection.KFold,
        model_selection.LeaveOneGroupOut,
        model_selection.LeaveOneOut,
        model_selection.LeavePGroupsOut,
        model_selection.LeavePOut,
        model_selection.PredefinedSplit,
        model_selection.RepeatedKFold,
        model_selection.RepeatedStratifiedKFold,
        model_selection.ShuffleSplit,
        model_selection.StratifiedGroupKFold,
        model_selection.StratifiedKFold,
        model_selection.StratifiedShuffleSplit,
        model_selection.TimeSeriesSplit,
    )
}


def parameters_of(estimator: Any) -> dict[str, Any]:
    """The constructor parameters of an estimator as JSON values."""
    return {name: _written(value, name) for name, value in estimator.get_params(deep=False).items()}


def constructed(cls: Callable[..., Any], value: Any, place: Place) -> Any:
    """An unfitted estimator of a class, from parameters in a file."""
    if not isinstance(value, dict) or value.keys() != set(signature(cls).parameters):
        raise place.wrong(value, "the parameters " + ", ".join(signature(cls).parameters))
    return cls(**{name: _read(one, place.inside(name)) for name, one in value.items()})


def _written(value: Any, name: str) -> Any:
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return Text().write(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        number = written_float(float(value))
        return number if isinstance(number, float) else {"number": number}
    if isinstance(value, list):
        return [_written(one, name) for one in value]
    if isinstance(value, tuple):
        return {"tuple": [_written(one, name) for one in value]}
    if isinstance(value, (set, frozenset, range)):
        return _written(sorted(value), name)
    if isinstance(value, Mapping):
        pairs = [[_written(key, name), _written(one, name)] for key, one in value.items()]
        return {"dict": pairs}
    if type(value) is _SPLITTERS.get(type(value).__name__):
        return {"splitter": type(value).__name__, "parameters": _parts(value, name)}
    if hasattr(value, "__array__"):
        return {"array": _written(np.asarray(value).tolist(), name)}
    raise ValueError(_refused(value, name))


def _refused(value: Any, name: str) -> str:
    """What to say of a parameter that cannot be written."""
    if isinstance(value, (np.random.RandomState, np.random.Generator)):
        remedy = "a seed: set_params it to a whole number, or to None, which the fit is done with"
    elif callable(value):
        remedy = (
            "a name, since a file holds no functions and loading executes nothing: for a kernel "
            "of your own fit with kernel='precomputed', for a scorer use its name"
        )
    elif name == "cv":
        remedy = "a number of folds, a splitter of sklearn.model_selection or a list of splits"
    else:
        remedy = "numbers, texts, lists or dicts: convert it"
    return f"{name}={value!r} cannot be written to a model file; expected {remedy}."


def _parts(splitter: Any, name: str) -> dict[str, Any]:
    """Constructor parameters of a splitter, which repeated ones keep apart."""
    kept = {**getattr(splitter, "cvargs", {}), **vars(splitter)}
    return {part: _written(kept[part], name) for part in signature(type(splitter)).parameters}


def _read(value: Any, place: Place) -> Any:
    if isinstance(value, str):
        return Text().read(value, place)
    if isinstance(value, list):
        return [_read(one, place) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"splitter", "parameters"}:
        return _splitter(value["splitter"], value["parameters"], place)
    if len(value) == 1:
        (tag, inner), *_ = value.items()
        if tag in _TAGS:
            return _TAGS[tag](inner, place)
    raise place.wrong(value, "a value, or one of " + ", ".join(_TAGS) + ", splitter")


def _splitter(name: Any, parts: Any, place: Place) -> Any:
    cls = _SPLITTERS.get(name) if isinstance(name, str) else None
    if cls is None:
        raise place.wrong(name, "one of the splitters " + ", ".join(_SPLITTERS))
    try:
        return constructed(cls, parts, place)
    except ModelFileError:
        raise
    except (ValueError, TypeError, OverflowError) as error:
        raise place.refusal(f"a {name} that cannot be made ({error})", "other parameters") from None


def _tuple(value: Any, place: Place) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise place.wrong(value, "the entries of a tuple")
    return tuple(_read(value, place))


def _dict(value: Any, place: Place) -> dict[Any, Any]:
    if not isinstance(value, list) or not all(
        isinstance(pair, list) and len(pair) == 2 and not isinstance(pair[0], (list, dict))
        for pair in value
    ):
        raise place.wrong(value, "pairs of a key and a value")
    return {_read(key, place): _read(one, place) for key, one in value}


def _array(value: Any, place: Place) -> Any:
    try:
        return np.array(_read(value, place))
    except (ValueError, OverflowError) as error:
        raise place.refusal(f"no array ({error})", "nested lists of numbers or texts") from None


def _number(value: Any, place: Place) -> float:
    number = read_float(value)
    if not isinstance(number, float) or np.isfinite(number):
        raise place.wrong(value, "null, 'inf' or '-inf'")
    return number


_TAGS: dict[str, Callable[[Any, Place], Any]] = {
    "tuple": _tuple,
    "dict": _dict,
    "array": _array,
    "number": _number,
}
