"""How the columns of a table become numbers: learned once, applied batch by batch, kept as JSON.

A numeric column is one column; missing values take the value that was learned for them. A
categorical column is one column of zeros and ones for every level that was learned, a *group*: they
enter and leave a model together. Levels that were too rare share one column, ``name=(other)``, and
levels that were not there when the encoding was learned are counted among them. What the encoding
cannot say - a missing value or a level that nothing was learned for - is refused, never guessed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

OTHER = "(other)"
MISSING = "(missing)"
_LEVELS_TOLD = 30

Array = NDArray[Any]


class Column(Protocol):
    """A column of the table as one or more columns of numbers."""

    @property
    def name(self) -> str:
        """Its name in the table."""
        ...

    @property
    def names(self) -> list[str]:
        """Names of the columns of numbers."""
        ...

    def encode(self, values: pl.Series, chosen: Sequence[int]) -> Array:
        """Some of its columns of numbers, (rows, chosen)."""
        ...

    def record(self) -> dict[str, Any]:
        """What is needed to make it again."""
        ...

    def summary(self, values: pl.Series) -> dict[str, Any]:
        """What the column of a table holds, in a few plain values."""
        ...


@dataclass(frozen=True)
class Numeric:
    """A column of numbers; ``fill`` takes the place of missing ones, None where there were none.

    The column of numbers is ``(value - centre) / scale``.
    """

    name: str
    fill: float | None = None
    centre: float = 0.0
    scale: float = 1.0

    @property
    def names(self) -> list[str]:
        """Itself."""
        return [self.name]

    def encode(self, values: pl.Series, chosen: Sequence[int]) -> Array:
        """The numbers, moved and scaled as was learned."""
        known = values.dtype.is_numeric() or values.dtype == pl.Boolean
        if not known and values.null_count() < len(values):
            raise ValueError(
                f"column {self.name!r} holds {values.dtype}, but numbers when the model was "
                "fitted; expected numbers: convert the column."
            )
        numbers = values.cast(pl.Float64).fill_nan(None)
        if numbers.is_infinite().any():
            raise ValueError(
                f"column {self.name!r} holds an infinite number; expected finite ones: correct it."
            )
        if numbers.null_count():
            if self.fill is None:
                raise missing(self.name, numbers.null_count(), len(numbers))
            numbers = numbers.fill_null(self.fill)
        encoded = (numbers.to_numpy() - self.centre) / self.scale
        return encoded.reshape(-1, 1)[:, list(chosen)]

    def record(self) -> dict[str, Any]:
        """Kind, name and what was learned."""
        return {"kind": "numeric", **asdict(self)}

    def summary(self, values: pl.Series) -> dict[str, Any]:
        """How many are missing and what takes their place; mean, deviation, extremes."""
        told = {"name": self.name, "kind": "numeric", "missing": values.null_count()}
        return {**told, "fill": self.fill, **spread(values)}


@dataclass(frozen=True)
class Categorical:
    """A column of texts: one column of zeros and ones for every level, the special ones last."""

    name: str
    levels: tuple[str, ...]
    other: bool = False
    missing: bool = False

    @property
    def names(self) -> list[str]:
        """``name=level`` for every level."""
        special = [OTHER] * self.other + [MISSING] * self.missing
        return [f"{self.name}={level}" for level in (*self.levels, *special)]

    def encode(self, values: pl.Series, chosen: Sequence[int]) -> Array:
        """Zeros, and one where a row has the level."""
        codes = self._codes(values)
        encoded: Array = (codes[:, None] == np.asarray(chosen, dtype=np.intp)).astype(np.float64)
        return encoded

    def _codes(self, values: pl.Series) -> Array:
        """The number of the level of every row."""
        texts = as_texts(values)
        places = {level: place for place, level in enumerate(self.levels)}
        codes = texts.replace_strict(places, default=-1, return_dtype=pl.Int64).to_numpy().copy()
        empty = texts.is_null().to_numpy()
        if empty.any():
            if not self.missing:
                raise missing(self.name, int(empty.sum()), len(texts))
            codes[empty] = len(self.levels) + self.other
        unknown = codes < 0
        if unknown.any():
            if not self.other:
                raise ValueError(
                    f"column {self.name!r} holds the level {texts[int(unknown.argmax())]!r}, which "
                    f"was not there when the encoding was learned; expected one of "
                    f"{list(self.levels)[:10]}: correct it, or fit with rare=2, which counts new "
                    "levels among the rare ones."
                )
            codes[unknown] = len(self.levels)
        return codes

    def unseen(self, values: pl.Series) -> int:
        """How many rows have a level that was not there when the encoding was learned.

        Levels that are pooled were there, but are not known by name: they count too.
        """
        texts = as_texts(values).drop_nulls()
        return int((~texts.is_in(list(self.levels))).sum())

    def record(self) -> dict[str, Any]:
        """Kind, name and levels."""
        return {"kind": "categorical", **asdict(self)}

    def summary(self, values: pl.Series) -> dict[str, Any]:
        """How many are missing, the most frequent levels, and how many rows are pooled."""
        texts = as_texts(values).drop_nulls()
        counts = [(str(level), int(rows)) for level, rows in texts.value_counts().iter_rows()]
        counts.sort(key=lambda pair: (-pair[1], pair[0]))
        return {
            "name": self.name,
            "kind": "categorical",
            "missing": values.null_count(),
            "levels": [list(pair) for pair in counts[:_LEVELS_TOLD]],
            "n_levels": len(counts),
            "pooled": self.unseen(values) if self.other else 0,
        }


def as_texts(values: pl.Series) -> pl.Series:
    """Levels as texts; whole numbers are written without a point, however they are stored."""
    if values.dtype.is_float() and bool((values.drop_nulls() == values.drop_nulls().round()).all()):
        values = values.cast(pl.Int64, strict=False)
    return values.cast(pl.String)


def spread(values: pl.Series) -> dict[str, float | None]:
    """Mean, standard deviation and extremes of numbers, None where there are none."""
    known = values.cast(pl.Float64).drop_nulls().drop_nans()
    found: dict[str, Any] = {
        "mean": known.mean(),
        "std": known.std(ddof=0),
        "min": known.min(),
        "max": known.max(),
    }
    return {what: None if number is None else float(number) for what, number in found.items()}


_KINDS: dict[str, Any] = {"numeric": Numeric, "categorical": Categorical}


@dataclass(frozen=True)
class Encoding:
    """Columns of a table in the order of their columns of numbers."""

    columns: tuple[Column, ...]

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns of numbers."""
        return [name for column in self.columns for name in column.names]

    @property
    def needed(self) -> list[str]:
        """Columns that the table must have."""
        return [column.name for column in self.columns]

    @cached_property
    def _owners(self) -> tuple[Array, Array]:
        """For every column of numbers its column, and its place in it."""
        widths = [len(column.names) for column in self.columns]
        owners = np.repeat(np.arange(len(widths)), widths)
        starts = np.cumsum([0, *widths])[:-1]
        return owners, np.arange(len(owners)) - starts[owners]

    @cached_property
    def owners(self) -> list[str]:
        """The column of the table that every column of numbers is made of."""
        return [column.name for column in self.columns for _ in column.names]

    @property
    def groups(self) -> list[list[int]]:
        """Columns of numbers that are one column of the table, where they are several."""
        owners, _ = self._owners
        together = [np.flatnonzero(owners == place) for place in range(len(self.columns))]
        return [columns.tolist() for columns in together if len(columns) > 1]

    def needed_for(self, chosen: Array) -> list[str]:
        """Columns that some columns of numbers are made of."""
        owners, _ = self._owners
        return [self.columns[place].name for place in np.unique(owners[chosen])]

    def encode(self, frame: pl.DataFrame, chosen: Array | None = None) -> Array:
        """Numbers of a batch of rows, (rows, columns), or of some of its columns."""
        owners, places = self._owners
        chosen = np.arange(len(owners)) if chosen is None else np.asarray(chosen, dtype=np.intp)
        encoded = np.empty((len(frame), len(chosen)))
        for owner in np.unique(owners[chosen]):
            column, mine = self.columns[owner], np.flatnonzero(owners[chosen] == owner)
            encoded[:, mine] = column.encode(frame[column.name], places[chosen[mine]].tolist())
        return encoded

    def records(self) -> list[dict[str, Any]]:
        """What is needed to make it again, as plain values."""
        return [column.record() for column in self.columns]

    @classmethod
    def of_records(cls, records: Sequence[dict[str, Any]]) -> Encoding:
        """The encoding that :meth:`records` tells of; who reads a file has checked them."""
        columns = []
        for record in records:
            values = {k: tuple(v) if isinstance(v, list) else v for k, v in record.items()}
            del values["kind"]
            columns.append(_KINDS[record["kind"]](**values))
        return cls(tuple(columns))


def missing(name: str, count: int, rows: int) -> ValueError:
    """What to say of missing values that nothing was learned for."""
    return ValueError(
        f"column {name!r} has {count} missing values in {rows} rows; expected none: drop these "
        "rows or the column, or fit with impute='median' (holdfast fit --impute median), which "
        "takes the median of the other rows, and a level of its own for texts."
    )
