"""Learning an encoding from a table, in one query that streams through it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from holdfast.tables.encoding import Categorical, Column, Encoding, Numeric, missing

_MOST_LEVELS = 1000


def learn(
    table: pl.LazyFrame,
    columns: Sequence[str],
    *,
    rare: int = 1,
    impute: str | None = None,
    scale: bool = False,
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
    impute : None, "mean" or "median", default=None
        What missing numbers are taken to be: the mean or median of the others; missing texts are a
        level of their own then. None: they are refused.
    scale : bool, default=False
        Whether numbers are moved and scaled to mean 0 and standard deviation 1, for models whose
        answers depend on the scales of columns. Columns of zeros and ones are left as they are.

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
                "leave it out (RowBlocks(..., columns=[...]), holdfast fit --drop)."
            )
    numbers = [name for name in columns if name not in texts]
    values = [pl.col(name).cast(pl.Float64).fill_nan(None) for name in numbers]
    filled = [value.median() if impute == "median" else value.mean() for value in values]
    wanted = {"empty": [value.null_count() for value in values], "fill": filled}
    if scale:
        whole = [value.fill_null(fill) for value, fill in zip(values, filled, strict=True)]
        wanted["centre"] = [value.mean() for value in whole]
        wanted["scale"] = [value.std(ddof=0) for value in whole]
    asked = [
        query.alias(f"{what} {number}")
        for what, queries in wanted.items()
        for number, query in enumerate(queries)
    ]
    queries = [table.select(pl.len(), *asked)]
    queries += [table.group_by(pl.col(name).cast(pl.String)).len("rows") for name in texts]
    found, *levels = pl.collect_all(queries)
    n_rows = int(found["len"][0])
    learned: dict[str, Column] = {}
    for number, name in enumerate(numbers):
        learned[name] = _numeric(
            name, {what: found[f"{what} {number}"][0] for what in wanted}, n_rows, impute
        )
    for name, counts in zip(texts, levels, strict=True):
        learned[name] = _categorical(name, counts, n_rows, rare, impute)
    return Encoding(tuple(learned[name] for name in columns))


def _numeric(name: str, found: dict[str, Any], n_rows: int, impute: str | None) -> Column:
    if found["empty"] and impute is None:
        raise missing(name, found["empty"], n_rows)
    if impute is not None and found["fill"] is None:
        raise ValueError(
            f"column {name!r} has no value in any of the {n_rows} rows; expected some to learn "
            "from: leave the column out."
        )
    # The scale of a constant column says nothing: its numbers are zeros either way.
    return Numeric(
        name,
        found["fill"] if impute is not None else None,
        found.get("centre", 0.0),
        found.get("scale") or 1.0,
    )


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
            f"column; expected at most {_MOST_LEVELS}: pool rare ones by rare=..., or leave the "
            "column out (RowBlocks(..., columns=[...]), holdfast fit --drop)."
        )
    return Categorical(name, tuple(levels), other=rare > 1, missing=impute is not None)
