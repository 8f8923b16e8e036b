"""From a file to a fit: which columns are used for what, and how they become numbers.

All that can be wrong with a table is found here, before any work: unknown columns, dates, missing
values, a target that cannot be predicted. What is merely doubtful is a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from holdfast.rows import RowBlocks
from holdfast.rows.memory import available_bytes
from holdfast.rows.sums import Array
from holdfast.table_models.splits import Plan, ordering_column, plan_of
from holdfast.tables import Encoding, learn
from holdfast.tables.reading import (
    check_file,
    is_sparse,
    parquet_shape,
    read_svmlight,
    read_table,
)
from holdfast.tables.suspects import date_format, identifiers, leaks, nearly_numbers

_LARGE = 0.15
"""Share of the memory that a table of numbers may take before it is read in chunks."""
_MOST_OF_MEMORY = 0.5
_MOST_CLASSES = 100
_SHOWN = 12


@dataclass(frozen=True)
class Asked:
    """What a user asks for of a table, as on the command line.

    Attributes
    ----------
    table : Path
        The file.
    target : str or None
        The column to predict; None of sparse rows, whose lines begin with it.
    task, cv, weight, drop, keep, impute, rare, seed
        As in ``holdfast fit --help``.
    """

    table: Path
    target: str | None
    task: str = "auto"
    cv: str = "loo"
    weight: str | None = None
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    impute: str = "none"
    rare: int = 5
    seed: int = 0


@dataclass(frozen=True)
class Prepared:
    """A table, ready for any method.

    Attributes
    ----------
    asked : Asked
        What was asked for.
    frame : polars.DataFrame or None
        The rows in use; None where they are sparse or stay in their file.
    stored : sparse array, RowBlocks or None
        The rows that are no frame.
    columns : list of str
        Columns of the table that are features.
    y, classes : array (rows,), list of str
        Numbers and no classes, or labels and what they are called.
    weights, groups : array (rows,) or None
        Of the rows.
    row_numbers : array (rows,)
        Where every row stands in the file, from 1.
    plan : Plan
        How rows are held out.
    left_out : int
        Rows without a target.
    warnings : list of str
        What is doubtful.
    is_sparse, is_stored : bool
        Whether rows are sparse vectors, or are read from their file in chunks.
    """

    asked: Asked
    frame: pl.DataFrame | None
    stored: Any
    columns: list[str]
    task: str
    target: str
    y: Array
    classes: list[str]
    weights: Array | None
    groups: Array | None
    row_numbers: Array
    plan: Plan
    left_out: int = 0
    warnings: list[str] = field(default_factory=list)
    is_sparse: bool = False
    is_stored: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        """Rows, and columns of the table that are features."""
        n_columns = self.stored.shape[1] if self.is_sparse else len(self.columns)
        return len(self.y), n_columns

    @property
    def n_outer(self) -> int:
        """Folds of the honest error."""
        count: int = self.plan.outer.get_n_splits(self.y[:, None], self.y, self.groups)
        return count

    def numbers(self, *, scaled: bool) -> tuple[Any, Encoding | None]:
        """What an estimator is fitted on, and the encoding that made it.

        Parameters
        ----------
        scaled : bool
            Whether columns have mean 0 and deviation 1. Sparse rows and those in a file are never
            scaled.
        """
        if self.frame is None:
            return self.stored, None
        encoding = learn(
            self.frame.lazy(),
            self.columns,
            rare=self.asked.rare,
            impute=imputing(self.asked),
            scale=scaled,
        )
        _check_memory(len(self.y), len(encoding.names))
        return encoding.encode(self.frame), encoding


def _check_memory(n_rows: int, n_numbers: int) -> None:
    """Refuse a table whose columns of numbers do not fit, before they are made."""
    available = available_bytes()
    if available is not None and 8 * n_rows * n_numbers > _MOST_OF_MEMORY * available:
        raise ValueError(
            f"{n_rows} rows of {n_numbers} columns of numbers take {8e-9 * n_rows * n_numbers:.1f} "
            f"GB, more than half of the memory that is free ({1e-9 * available:.1f} GB); expected "
            "less: pool levels of texts with --rare, leave columns out with --drop, or store the "
            "table as Parquet, which is read in chunks."
        )


def imputing(asked: Asked) -> str | None:
    """What the encoding is told of missing values."""
    return None if asked.impute == "none" else asked.impute


def prepare(asked: Asked) -> Prepared:
    """Read a table and find out what is what.

    Raises
    ------
    ValueError, FileNotFoundError
        In one sentence: what was found, what was expected, what to do.
    """
    check_file(asked.table)
    if is_sparse(asked.table):
        return _sparse_rows(asked)
    if asked.target is None:
        raise ValueError(
            f"no target was named for {asked.table}; expected the column to predict: --target NAME."
        )
    if _is_large(asked.table):
        return _rows_in_a_file(asked)
    frame = read_table(asked.table)
    columns = _features(asked, frame, frame.columns)
    target = frame[asked.target]
    target = target.fill_nan(None) if target.dtype.is_float() else target
    has_target = target.is_not_null()
    known, rows = frame.filter(has_target), np.flatnonzero(has_target.to_numpy())
    if not len(known):
        raise ValueError(
            f"target {asked.target!r} is empty in all {len(frame)} rows; expected values: choose "
            "another target."
        )
    left_out = len(frame) - len(known)
    _check_missing(asked, known, columns)
    warnings = identifiers(known, columns) + nearly_numbers(known, columns)
    order = ordering_column(asked.cv)
    if order is not None:
        places = known[order].to_physical().to_numpy().argsort(kind="stable")
        known, rows = known[places], rows[places]
    task, y, classes = _target(asked, known[asked.target])
    weights = _weights(asked, known)
    positions = y if task == "regression" else np.unique(y, return_inverse=True)[1]
    warnings += leaks(known, columns, positions, classes=task == "classification")
    if left_out:
        warnings.append(
            f"{left_out} of {len(frame)} rows have no {asked.target!r} and are left out"
        )
    plan, groups = plan_of(asked.cv, known, task, y, asked.seed)
    warnings += plan.notes
    return Prepared(
        asked=asked,
        frame=known,
        stored=None,
        columns=columns,
        task=task,
        target=asked.target,
        y=y,
        classes=classes,
        weights=weights,
        groups=groups,
        row_numbers=rows + 1,
        plan=plan,
        left_out=left_out,
        warnings=warnings,
    )


def _is_large(path: Path) -> bool:
    """Whether the numbers of a table should not all be in memory at once."""
    shape, available = parquet_shape(path), available_bytes()
    if shape is None or available is None:
        return False
    return 8 * shape[0] * shape[1] > _LARGE * available


def _sparse_rows(asked: Asked) -> Prepared:
    """Rows of an svmlight file."""
    for option, value in (
        ("--drop", asked.drop),
        ("--keep", asked.keep),
        ("--weight", asked.weight),
        ("--target", asked.target),
    ):
        if value:
            raise ValueError(
                f"{option} names a column, but the columns of {asked.table} have no names; "
                "expected a table with a line of names: leave the option out."
            )
    if ":" in asked.cv:
        raise ValueError(
            f"--cv {asked.cv} names a column, but the columns of {asked.table} have no names; "
            "expected loo or a number of folds."
        )
    X, labels = read_svmlight(asked.table)
    task, y, classes = _target(asked, pl.Series("the label of every line", labels))
    plan, groups = plan_of(asked.cv, pl.DataFrame({"row": np.arange(len(y))}), task, y, asked.seed)
    return Prepared(
        asked=asked,
        frame=None,
        stored=X,
        columns=[],
        task=task,
        target="label",
        y=y,
        classes=classes,
        weights=None,
        groups=groups,
        row_numbers=np.arange(1, len(y) + 1),
        plan=plan,
        is_sparse=True,
    )


def _rows_in_a_file(asked: Asked) -> Prepared:
    """Rows of a Parquet table that stays where it is; only target, weights and groups are read."""
    pattern = asked.table / "**/*.parquet" if asked.table.is_dir() else asked.table
    lazy = pl.scan_parquet(pattern)
    target = str(asked.target)
    some = lazy.head(1000).collect()
    columns = _features(asked, some, some.columns)
    if ordering_column(asked.cv) is not None:
        raise ValueError(
            f"{asked.table} is too large to be put in order in memory; expected --cv loo, a number "
            "of folds or group:COLUMN: write it in the order of time and use --cv 10, or fit a "
            "sample."
        )
    group = asked.cv.partition(":")[2]
    beside = lazy.select({target, *filter(None, [asked.weight, group])}).collect()
    if beside[target].dtype.is_float():
        beside = beside.with_columns(pl.col(target).fill_nan(None))
    if beside[target].null_count():
        raise ValueError(
            f"column {target!r} has {beside[target].null_count()} missing values; expected a value "
            "in every row of a table that is read in chunks: write it without these rows."
        )
    task, y, classes = _target(asked, beside[target])
    plan, groups = plan_of(asked.cv, beside, task, y, asked.seed)
    return Prepared(
        asked=asked,
        frame=None,
        stored=RowBlocks(asked.table, columns=columns, rare=asked.rare, impute=imputing(asked)),
        columns=columns,
        task=task,
        target=target,
        y=y,
        classes=classes,
        weights=_weights(asked, beside),
        groups=groups,
        row_numbers=np.arange(1, len(y) + 1),
        plan=plan,
        warnings=[
            "the table is larger than the memory it may have: it is read in chunks, levels and "
            "medians are those of all rows, and columns are not looked at for what gives the "
            "target away",
            *plan.notes,
        ],
        is_stored=True,
    )


# -- columns -------------------------------------------------------------------------------


def named_columns(given: Sequence[str], columns: Sequence[str]) -> list[str]:
    """Names given one by one or with commas between them; a name may have a comma itself."""
    found: list[str] = []
    for text in given:
        found += [text] if text in columns else [part.strip() for part in text.split(",")]
    return [name for name in dict.fromkeys(found) if name]


def check_known(wanted: Sequence[str], columns: Sequence[str], option: str) -> None:
    """Refuse names of columns that a table does not have, saying which may be meant."""
    for name in wanted:
        if name not in columns:
            near = get_close_matches(name, columns, n=1, cutoff=0.5)
            folded = [other for other in columns if other.casefold() == name.strip().casefold()]
            meant = next(iter([*folded, *near]), None)
            shown = ", ".join(columns[:_SHOWN]) + (", ..." if len(columns) > _SHOWN else "")
            hint = f"did you mean {meant!r}?" if meant else f"expected one of {shown}."
            raise ValueError(f"{option}: there is no column {name!r}; {hint}")


def _features(asked: Asked, frame: pl.DataFrame, names: list[str]) -> list[str]:
    """Columns that are features: all that serve no other purpose, if their kind can be used."""
    check_known([str(asked.target)], names, "--target")
    drop, keep = (named_columns(given, names) for given in (asked.drop, asked.keep))
    check_known(drop, names, "--drop")
    check_known(keep, names, "--keep")
    purpose, _, by = asked.cv.partition(":")
    check_known([by] if by else [], names, f"--cv {purpose}")
    check_known([asked.weight] if asked.weight else [], names, "--weight")
    for option, used in (("--drop", drop), ("--weight", [asked.weight]), ("--cv", [by])):
        if asked.target in used:
            raise ValueError(
                f"{option} names {asked.target!r}, which is the target; expected another column."
            )
    if purpose == "series" and by:
        _check_order(frame[by])
    others = {asked.target, asked.weight, by, *drop}
    columns = [name for name in keep or names if name not in others]
    if not columns:
        raise ValueError(
            f"no column is left to predict {asked.target!r} from; expected at least one: see "
            "--drop and --keep."
        )
    for name in columns:
        kind, written = frame.schema[name], date_format(frame[name])
        if kind.is_temporal() or written is not None:
            how = kind if written is None else f"texts like {frame[name].drop_nulls()[0]}"
            raise ValueError(
                f"column {name!r} holds dates or times ({how}), and a model needs numbers: leave "
                f"it out with --drop, or put what matters (year, month, days since) in columns of "
                "numbers; rows in the order of time are held out by --cv series:COLUMN."
            )
        if not (kind.is_numeric() or kind in (pl.Boolean, pl.String, pl.Categorical, pl.Enum)):
            raise ValueError(
                f"column {name!r} holds {kind}; expected numbers or texts: leave it out with "
                "--drop, or convert it."
            )
    return columns


def _check_order(column: pl.Series) -> None:
    """Refuse to put rows in the order of texts: 10/2020 is not before 9/2020."""
    kind = column.dtype
    if not (kind.is_temporal() or kind.is_numeric()):
        raise ValueError(
            f"--cv series: column {column.name!r} holds texts, which have no order in time; "
            "expected dates that are written 2025-01-31, or numbers: rewrite them."
        )


def _check_missing(asked: Asked, frame: pl.DataFrame, columns: list[str]) -> None:
    """Refuse missing values all at once, not column by column."""
    if asked.impute != "none":
        return
    counts = {name: frame[name].null_count() for name in columns}
    empty = [f"{name!r} ({count})" for name, count in counts.items() if count]
    if empty:
        shown = ", ".join(empty[:_SHOWN]) + (", ..." if len(empty) > _SHOWN else "")
        raise ValueError(
            f"cells are empty in {len(empty)} of {len(columns)} columns of {len(frame)} rows: "
            f"{shown}; use --impute median to fill them with the median of their column (texts: a "
            "level of their own), or --drop these columns."
        )


def _weights(asked: Asked, frame: pl.DataFrame) -> Array | None:
    if asked.weight is None:
        return None
    values = frame[asked.weight]
    if not values.dtype.is_numeric():
        raise ValueError(
            f"--weight: column {asked.weight!r} holds {values.dtype}; expected numbers."
        )
    if values.null_count() or (values < 0).any() or not values.is_finite().all():
        raise ValueError(
            f"--weight: column {asked.weight!r} has empty, negative or infinite cells; expected "
            "a number of at least 0 in every row: correct it."
        )
    return values.cast(pl.Float64).to_numpy()


# -- the target ----------------------------------------------------------------------------


def _target(asked: Asked, values: pl.Series) -> tuple[str, Array, list[str]]:
    """The task, and the target as the estimators take it."""
    name = f"target {values.name!r}"
    if values.dtype.is_temporal() or values.dtype.is_nested():
        raise ValueError(
            f"{name} holds {values.dtype}; expected numbers or labels: convert it, or choose "
            "another target."
        )
    numeric = values.dtype.is_numeric()
    distinct = values.n_unique()
    task = asked.task
    if task == "auto":
        task = "regression" if numeric and distinct > 2 else "classification"
    if task == "regression" and not numeric:
        numbers = values.cast(pl.String).cast(pl.Float64, strict=False)
        bad = values.filter(numbers.is_null())
        example = f", such as {str(bad[0])!r}" if len(bad) else ""
        raise ValueError(
            f"{name} does not hold numbers in {len(bad)} of {len(values)} rows{example}; expected "
            "numbers for --task regression: correct them, or use --task classification."
        )
    if distinct < 2:
        raise ValueError(
            f"{name} has the same value {values[0]!r} in all {len(values)} rows; expected at least "
            "two different ones: there is nothing to predict."
        )
    if task == "regression":
        y = values.cast(pl.Float64).to_numpy()
        if not np.isfinite(y).all():
            raise ValueError(f"{name} holds infinite numbers; expected finite ones: correct them.")
        return task, y, []
    if distinct > min(_MOST_CLASSES, len(values) / 2):
        raise ValueError(
            f"{name} has {distinct} different labels in {len(values)} rows; expected at most "
            f"{_MOST_CLASSES}, and several rows of each: "
            + ("use --task regression." if numeric else "choose another target.")
        )
    counts = values.value_counts(sort=True)
    least = counts.row(-1)
    if least[1] < 2:
        raise ValueError(
            f"{name} has only one row of the class {str(least[0])!r}; expected at least two of "
            "each: leave that row out, or join the class with another."
        )
    if numeric and bool((values == values.round(0)).all()):
        labels: Array = values.cast(pl.Int64).to_numpy()
    elif numeric:
        labels = values.to_numpy()
    else:
        labels = np.array(values.cast(pl.String).to_list())
    return task, labels, [str(label) for label in np.unique(labels)]
