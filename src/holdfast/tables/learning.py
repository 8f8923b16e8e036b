"""Learning an encoding from a table, in one query that streams through it."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from holdfast.tables.encoding import Categorical, Column, Encoding, Numeric, missing

_MOST_LEVELS = 1000


def learn(
    table: pl.LazyFrame, columns: Sequence[str], *, rare: int = 1, impute: str | None = None
) -> Encoding:
    """Learn how columns of a table become numbers.

    Parameters
    ----------
    table : polars.LazyFrame
        All rows; read once, a batch at a time.
    columns : sequence of str
        Columns to encode.
    rare : int, default=1
        Levels with fewer rows share one column. From 2 on new levels are counted among them.
    impute : None or "mean", default=None
        What missing numbers are taken to be: the mean of the others; missing texts are a level of
        their own then. None: they are refused.

    Returns
    -------
    Encoding
    """
    schema = table.select(columns).collect_schema()
    texts = [name for name in columns if schema[name] in (pl.String, pl.Categorical, pl.Enum)]
    for name in columns:
        if name not in texts and not (schema[name].is_numeric() or schema[name] == pl.Boolean):
            raise ValueError(
                f"column {name!r} holds {schema[name]}; expected numbers or texts: convert it, or "
                "name the columns to use by RowBlocks(..., columns=[...])."
            )
    numbers = [name for name in columns if name not in texts]
    values = [pl.col(name).cast(pl.Float64).fill_nan(None) for name in numbers]
    queries = [
        table.select(
            pl.len(),
            *(value.null_count().alias(f"empty {i}") for i, value in enumerate(values)),
            *(value.mean().alias(f"mean {i}") for i, value in enumerate(values)),
        )
    ]
    queries += [table.group_by(pl.col(name).cast(pl.String)).len("rows") for name in texts]
    found, *levels = pl.collect_all(queries)
    n_rows = int(found["len"][0])
    learned: dict[str, Column] = {}
    for i, name in enumerate(numbers):
        learned[name] = _numeric(
            name, found[f"empty {i}"][0], found[f"mean {i}"][0], n_rows, impute
        )
    for name, counts in zip(texts, levels, strict=True):
        learned[name] = _categorical(name, counts, n_rows, rare, impute)
    return Encoding(tuple(learned[name] for name in columns))


def _numeric(name: str, empty: int, mean: float | None, n_rows: int, impute: str | None) -> Column:
    if empty and impute is None:
        raise missing(name, empty, n_rows)
    return Numeric(name, mean if impute is not None else None)


def _categorical(
    name: str, counts: pl.DataFrame, n_rows: int, rare: int, impute: str | None
) -> Column:
    empty = int(counts.filter(pl.col(name).is_null())["rows"].sum())
    if empty and impute is None:
        raise missing(name, empty, n_rows)
    known = counts.filter(pl.col(name).is_not_null())
    levels = sorted(known.filter(pl.col("rows") >= rare)[name].to_list())
    if len(levels) > _MOST_LEVELS:
        raise ValueError(
            f"column {name!r} has {len(levels)} levels of {rare} rows or more, and each would be a "
            f"column; expected at most {_MOST_LEVELS}: pool rare ones by RowBlocks(..., rare=...), "
            "or leave the column out by columns=[...]."
        )
    return Categorical(name, tuple(levels), other=rare > 1, missing=impute is not None)
