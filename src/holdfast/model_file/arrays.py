"""Arrays in a model file: numbers in nested lists, rows of training data dense or sparse.

Products of the same numbers in another memory order may differ in the last bit, so that tables that
predict keep theirs. NaN is null, infinities are texts, and only where a kind allows them.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from scipy import sparse

from holdfast.model_file.kinds import LARGEST, Place, read_float, written_float
from holdfast.rows.sums import Array

_DTYPES = (
    *("float64", "float32", "float16", "bool"),
    *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
)
_SPARSE = {"csr_array": sparse.csr_array, "csr_matrix": sparse.csr_matrix}


@dataclass(frozen=True)
class Numbers:
    """An array of floats whose shape is one of several, by names of dimensions.

    ``open_ended``: NaN and infinities too.
    """

    shapes: tuple[tuple[str, ...], ...]
    open_ended: bool = False
    most: float = np.inf

    def write(self, value: Any) -> list[Any]:
        """As JSON values."""
        array = np.asarray(value, dtype=np.float64)
        numbers: list[Any] = array.tolist()
        return numbers if np.isfinite(array).all() else _special(numbers)

    def read(self, value: Any, place: Place) -> Array:
        """From JSON values."""
        flat, shape = _flattened(value, self.shapes, place)
        if self.open_ended:
            flat = [read_float(one) for one in flat]
        if not set(map(type, flat)) <= {float}:
            raise place.wrong(value, "numbers")
        array = np.array(flat, dtype=np.float64).reshape(shape)
        if not self.open_ended and np.abs(array).max(initial=0.0) > self.most:
            raise place.wrong(value, f"numbers of size at most {self.most:g}")
        return array


def numbers(*dimensions: str, open_ended: bool = False, most: float = np.inf) -> Numbers:
    """Numbers of one shape."""
    return Numbers((dimensions,), open_ended, most)


def predicting(*dimensions: str) -> Numbers:
    """Numbers that predictions are made of."""
    return Numbers((dimensions,), most=LARGEST)


def _special(value: Any) -> Any:
    return [_special(one) for one in value] if isinstance(value, list) else written_float(value)


@dataclass(frozen=True)
class Wholes:
    """Whole numbers from zero on, below a dimension; ``distinct``: each at most once."""

    dimension: str
    below: str | None = None
    distinct: bool = True

    def write(self, value: Any) -> list[int]:
        """As JSON values."""
        found: list[int] = np.asarray(value, dtype=np.intp).tolist()
        return found

    def read(self, value: Any, place: Place) -> Array:
        """From JSON values."""
        flat, _ = _flattened(value, ((self.dimension,),), place)
        limit = 2**53 if self.below is None else place.size(self.below)
        assert limit is not None, self.below
        if not set(map(type, flat)) <= {int} or (flat and not 0 <= min(flat) <= max(flat) < limit):
            raise place.wrong(value, f"whole numbers from 0 to {limit - 1}")
        if self.distinct and len(set(flat)) < len(flat):
            raise place.wrong(value, "different numbers")
        return np.array(flat, dtype=np.intp)


def _flattened(
    value: Any, shapes: tuple[tuple[str, ...], ...], place: Place
) -> tuple[list[Any], tuple[int, ...]]:
    """Entries of nested lists, and their shape, whose dimensions are bound."""
    depth, inner = 0, value
    while isinstance(inner, list) and depth < 8:
        depth, inner = depth + 1, inner[0] if inner else None
    names = next((shape for shape in shapes if len(shape) == depth), shapes[0])
    flat: list[Any] = [value]
    sizes: list[int] = []
    for name in names:
        if not all(isinstance(one, list) for one in flat):
            raise place.wrong(value, "nested lists, (" + ", ".join(names).replace("_", "") + ")")
        lengths = set(map(len, flat))
        if len(lengths) > 1:
            raise place.wrong(value, "lists of the same length")
        known = place.size(name)
        sizes.append(lengths.pop() if lengths else 0 if known is None else known)
        place.bind(name, sizes[-1])
        flat = list(chain.from_iterable(flat))
    return flat, tuple(sizes)


@dataclass(frozen=True)
class Matrix:
    """A matrix of floats that predictions are made of, in the memory order it has."""

    rows: str
    columns: str
    most: float = LARGEST

    def write(self, value: Any) -> Any:
        """As JSON values: rows, in an object where columns are contiguous in memory."""
        rows = np.asarray(value, dtype=np.float64).tolist()
        return {"order": "F", "rows": rows} if _by_columns(value) else rows

    def read(self, value: Any, place: Place) -> Array:
        """From JSON values."""
        by_columns = isinstance(value, dict)
        if by_columns:
            _check_fields(value, {"order": "F", "rows": None}, place)
            value = value["rows"]
        found = numbers(self.rows, self.columns, most=self.most).read(value, place)
        return np.asfortranarray(found) if by_columns else found


@dataclass(frozen=True)
class Triangle:
    """An upper triangular matrix: its rows from the diagonal on."""

    dimension: str

    def write(self, value: Any) -> list[list[float]]:
        """As JSON values."""
        return [row[number:].tolist() for number, row in enumerate(np.asarray(value))]

    def read(self, value: Any, place: Place) -> Array:
        """From JSON values."""
        if not isinstance(value, list):
            raise place.wrong(value, "rows of a triangle")
        place.bind(self.dimension, len(value))
        whole = np.zeros((len(value), len(value)))
        for number, row in enumerate(value):
            here = place.inside(number).record()
            here.bind("_columns", len(value) - number)
            whole[number, number:] = predicting("_columns").read(row, here)
        return whole


@dataclass(frozen=True)
class Rows:
    """Rows of training data as the fit has kept them: dense of any real type, or CSR."""

    rows: str
    columns: str

    def write(self, value: Any) -> dict[str, Any]:
        """As JSON values."""
        if sparse.issparse(value):
            return {
                "storage": type(value).__name__,
                "dtype": _dtype(value.data),
                "rows": int(value.shape[0]),
                "columns": int(value.shape[1]),
                "indptr": value.indptr.tolist(),
                "indices": value.indices.tolist(),
                "data": _entries(value.data),
            }
        return {
            "storage": "columns" if _by_columns(value) else "rows",
            "dtype": _dtype(value),
            "rows": _entries(value),
        }

    def read(self, value: Any, place: Place) -> Any:
        """From JSON values."""
        if not isinstance(value, dict) or not isinstance(value.get("storage"), str):
            raise place.wrong(value, "rows, dense or sparse")
        if value["storage"] in _SPARSE:
            return self._sparse(value, place)
        if value["storage"] not in ("rows", "columns"):
            raise place.wrong(value["storage"], "'rows', 'columns', 'csr_array' or 'csr_matrix'")
        _check_fields(value, {"storage": None, "dtype": None, "rows": None}, place)
        flat, shape = _flattened(value["rows"], ((self.rows, self.columns),), place)
        array = _of_type(flat, value["dtype"], place).reshape(shape)
        return np.asfortranarray(array) if value["storage"] == "columns" else array

    def _sparse(self, value: Any, place: Place) -> Any:
        names = ("storage", "dtype", "rows", "columns", "indptr", "indices", "data")
        _check_fields(value, dict.fromkeys(names), place)
        shape = value["rows"], value["columns"]
        if not all(type(size) is int and 0 <= size < 2**31 for size in shape):
            raise place.wrong(shape, "numbers of rows and columns")
        place.bind(self.rows, shape[0])
        place.bind(self.columns, shape[1])
        place = place.record()
        place.bind("_ends", shape[0] + 1)
        place.bind("_places", shape[1])
        ends = Wholes("_ends", distinct=False).read(value["indptr"], place.inside("indptr"))
        places = Wholes("_entries", below="_places", distinct=False)
        indices = places.read(value["indices"], place.inside("indices"))
        flat, _ = _flattened(value["data"], (("_entries",),), place.inside("data"))
        data = _of_type(flat, value["dtype"], place)
        if ends[0] != 0 or ends[-1] != len(indices) or (np.diff(ends) < 0).any():
            raise place.inside("indptr").wrong(value["indptr"], "ends that ascend")
        index = np.int32 if len(indices) < 2**31 else np.int64
        parts = (data, indices.astype(index), ends.astype(index))
        return _SPARSE[value["storage"]](parts, shape=shape)


def _dtype(array: Any) -> str:
    """The type as it is kept; of one that is not, its values as float64."""
    name = array.dtype.name
    return name if name in _DTYPES else "float64"


def _entries(array: Any) -> Any:
    found: Any = array.astype(_dtype(array)).tolist()
    return found


def _of_type(flat: list[Any], dtype: Any, place: Place) -> Array:
    """Finite entries of a stated type."""
    if not isinstance(dtype, str) or dtype not in _DTYPES:
        raise place.wrong(dtype, "a type of numbers")
    kind = {"f": float, "b": bool}.get(np.dtype(dtype).kind, int)
    if not set(map(type, flat)) <= {kind}:
        raise place.wrong(flat, f"numbers of type {dtype}")
    try:
        with np.errstate(over="raise"):
            array = np.array(flat, dtype=dtype)
    except (OverflowError, FloatingPointError):
        raise place.wrong(flat, f"numbers of type {dtype}") from None
    if kind is float and not (np.abs(array.astype(np.float64)) < LARGEST).all():
        raise place.wrong(flat, f"numbers of size below {LARGEST:g}")
    return array


def _by_columns(value: Any) -> bool:
    """Whether columns, not rows, are contiguous in memory."""
    array = np.asarray(value)
    if array.flags.c_contiguous:
        return False
    return array.flags.f_contiguous or array.strides[0] < array.strides[1]


def _check_fields(value: dict[str, Any], expected: dict[str, Any], place: Place) -> None:
    """Exactly these fields, with the values that are stated."""
    if value.keys() != expected.keys():
        raise place.refusal(", ".join(value), "the fields " + ", ".join(expected))
    for name, one in expected.items():
        if one is not None and value[name] != one:
            raise place.inside(name).wrong(value[name], repr(one))
