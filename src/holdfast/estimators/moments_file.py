"""Moments of folds in a file: NumPy's ``.npz``, without pickles, with a header in JSON."""

from __future__ import annotations

import json
import zipfile
import zlib
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from holdfast.rows.moments import OF_PARTS, FullMoments, Margins
from holdfast.rows.sums import Array
from holdfast.whole_file import write_whole

_FORMAT = "holdfast fold moments"
_VERSION = 1
_NOISE = 1e-9
"""Rounding that adding and forgetting may leave, as a share of the largest products."""
_REMEDY = "expected a file as FoldMoments.save wrote it: write it again."


class StoredMoments(NamedTuple):
    """Moments of the parts of folds, and what the parts, columns and labels are called.

    ``keys`` are the (repeat, label) of the folds, -1 for rows that are never held out; every one
    is divided by class. ``flat`` targets are without an axis of their own.
    """

    moments: FullMoments
    keys: list[tuple[int, int]]
    names: list[str]
    classes: list[Any] | None
    flat: bool

    @property
    def described(self) -> dict[str, Any]:
        """What has to be the same in all batches."""
        n_targets, n_columns = self.moments.margins.cross.shape[1:]
        return {
            "columns": n_columns,
            "names of columns": self.names,
            "targets": n_targets,
            "targets without an axis": self.flat,
            "repeats of folds": len({repeat for repeat, _ in self.keys}),
            "classes": self.classes,
        }


def write_moments(path: Any, stored: StoredMoments) -> None:
    """Write a file, whole or not at all."""
    header = {"format": _FORMAT, "version": _VERSION} | stored.described
    margins = stored.moments.margins
    arrays = {name: getattr(margins, name) for name in (*OF_PARTS, "centre", "target_centre")}
    arrays |= {"gram": stored.moments.gram, "folds": np.array(stored.keys)}

    def write(unfinished: Path) -> None:
        with unfinished.open("wb") as file:
            np.savez(file, header=np.array(json.dumps(header)), **arrays)

    write_whole(Path(path), write)


def read_moments(path: Any) -> StoredMoments:
    """Read and check a file; nothing in it is executed."""
    try:
        with Path(path).open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
        header = json.loads(str(arrays.pop("header")))
        found = header["format"], header["version"]
    except FileNotFoundError:
        raise
    except (
        *(OSError, ValueError, KeyError, TypeError, AttributeError, EOFError),
        *(zipfile.BadZipFile, zlib.error, RuntimeError),
    ) as error:
        raise ValueError(f"{path} cannot be read ({error}); {_REMEDY}") from None
    if found != (_FORMAT, _VERSION):
        raise ValueError(
            f"{path} holds {found[0]!r}, version {found[1]!r}; expected {_FORMAT!r}, version "
            f"{_VERSION}: read it with the version of holdfast that wrote it."
        )
    try:
        return _checked(header, arrays)
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ValueError(f"{path} is damaged ({error}); {_REMEDY}") from None


def _checked(header: dict[str, Any], arrays: dict[str, Array]) -> StoredMoments:
    n, n_targets = int(header["columns"]), int(header["targets"])
    names, classes = header["names of columns"], header["classes"]
    folds = arrays.pop("folds")
    _expect(folds.ndim == 2 and folds.dtype.kind == "i" and folds.shape[1:] == (2,), "folds")
    keys = [(int(repeat), int(value)) for repeat, value in folds]
    _expect(keys == sorted(set(keys)) and folds.min(initial=0) >= -1, "the order of the folds")
    _expect(isinstance(names, list) and len(names) in (0, n), "the number of names")
    _expect(all(isinstance(name, str) for name in names), "a name of a column")
    _expect(classes is None or isinstance(classes, list), "classes")
    parts = len(keys) * (1 if classes is None else len(np.unique(classes)))
    shapes = {
        "centre": (n,),
        "target_centre": (n_targets,),
        "gram": (parts, n, n),
        "cross": (parts, n_targets, n),
        "squares": (parts, n_targets),
        "sums": (parts, n),
        "target_sums": (parts, n_targets),
        "mass": (parts,),
        "counts": (parts,),
    }
    for name, shape in shapes.items():
        values = arrays[name]
        kind = np.integer if name == "counts" else np.float64
        if values.shape != shape or not np.issubdtype(values.dtype, kind):
            raise ValueError(f"{name} is {values.dtype} of shape {values.shape}, not of {shape}")
        if not np.isfinite(values).all():
            raise ValueError(f"{name} holds NaN or infinity")
    _check_sums(arrays["gram"], arrays["mass"], arrays["counts"])
    margins = Margins(**{name: arrays[name] for name in shapes if name != "gram"})
    flat = bool(header["targets without an axis"])
    return StoredMoments(FullMoments(margins, arrays["gram"]), keys, names, classes, flat)


def _check_sums(gram: Array, mass: Array, counts: Array) -> None:
    """What sums of squares and of weights cannot be."""
    _expect(
        bool((counts >= 0).all() and (mass[counts > 0] > 0).all()), "a number or weight of rows"
    )
    squares = np.diagonal(gram, axis1=1, axis2=2)
    size = np.sqrt(np.abs(squares).max(axis=0, initial=0.0))
    noise = _NOISE * size[:, None] * size
    _expect(bool((squares >= -np.diagonal(noise)).all()), "a sum of squares")
    _expect(bool((np.abs(gram - gram.swapaxes(1, 2)) <= noise).all()), "a matrix of products")


def _expect(condition: bool, what: str) -> None:
    if not condition:
        raise ValueError(f"{what} cannot be so")
