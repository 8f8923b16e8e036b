"""A model as an SQL expression: ``SELECT <expression> FROM table``.

Plain expressions of standard SQL: quoted names, ``CASE``, ``COALESCE``, ``ABS``. Of several
outputs a list of named expressions; of several classes a scalar subquery, in which every output is
computed once. What the model refuses - a missing value or a level that nothing was learned for -
gives NULL.

A long sum is written as a tree, since databases limit the depth of expressions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.table_models.formula import NOWHERE, Formula, NumberColumn, TextColumn

_IN_A_ROW = 50
_LINE = 80


def sql_of(formula: Formula, table: str | None = None) -> str:
    """The expression; columns are those of ``table``, if it is named.

    Raises
    ------
    ValueError
        For a kernel model, and for names and levels that SQL cannot quote.
    """
    if formula.coef is None:
        raise ValueError(
            "a kernel model has no expression in SQL: it compares a row with every row of its "
            "basis. Expected a linear model: export to 'python' or 'c', or fit a selector such as "
            "ForwardRidge."
        )
    of = "" if table is None else f"{_name(table)}."
    outputs = [_output(formula, line, of) for line in range(len(formula.coef))]
    if formula.classes is None:
        return _listed([_sum(terms) for terms in outputs])
    if formula.multilabel:
        return _listed(
            [_when(f"{_sum(terms)} > 0", "1", f"{_sum(terms)} <= 0", "0") for terms in outputs]
        )
    labels = [_literal(label) for label in formula.classes]
    if len(outputs) == 1:
        output, bound = _sum(outputs[0]), _doubt(formula, outputs[0])
        return _when(f"{output} > {bound}", labels[1], f"{output} <= {bound}", labels[0]) + "\n"
    return _largest(formula, outputs, labels)


def _output(formula: Formula, line: int, of: str) -> list[str]:
    """The terms of one output; ``of`` stands before every name of a column."""
    assert formula.coef is not None
    coef = formula.coef[line].tolist()
    numbers = (_of_number(column, coef, of) for column in formula.numbers)
    texts = (_of_text(column, coef, of) for column in formula.texts)
    return [_number(float(formula.intercept[line])), *numbers, *texts]


def _of_number(column: NumberColumn, coef: list[float], of: str) -> str:
    value = of + _name(column.name)
    if column.fill is not None:
        value = f"COALESCE({value}, {_number(column.fill)})"
    if column.centre != 0:
        value = f"({value} - {_number(column.centre)})"
    if column.scale != 1:
        value = f"({value} / {_number(column.scale)})"
    return f"{_number(coef[column.place])} * {value}"


def _of_text(column: TextColumn, coef: list[float], of: str) -> str:
    """What the level of a row adds; NULL for one that is refused."""

    def at(place: int | None) -> str:
        if place is None:
            return "NULL"
        return _number(0.0 if place == NOWHERE else coef[place])

    name, otherwise = of + _name(column.name), at(column.other)
    cases = [(f"{name} IS NULL", at(column.missing))]
    for level, place in zip(column.levels, column.places, strict=True):
        cases.append((f"{name} = {_text(level)}", at(place)))
    # NULL equals nothing: what adds the same as all else needs no case.
    told = "".join(f" WHEN {what} THEN {adds}" for what, adds in cases if adds != otherwise)
    return f"CASE{told} ELSE {otherwise} END" if told else otherwise


def _doubt(formula: Formula, terms: Sequence[str]) -> str:
    """Below which outputs are equal."""
    if formula.rounding == 0:
        return "0.0"
    sizes = [f"ABS({term})" for term in terms]
    if terms[0] != _number(0.0):
        sizes.append("1.0")
    return f"{_number(formula.rounding)} * {_sum(sizes)}"


def _largest(formula: Formula, outputs: list[list[str]], labels: list[str]) -> str:
    """The first class whose output is not below the largest, rounding apart."""
    count = len(outputs)
    computed = [
        f"{_sum(terms)} AS holdfast_o{k}, {_doubt(formula, terms)} AS holdfast_d{k}"
        for k, terms in enumerate(outputs)
    ]
    largest = " ".join(
        "WHEN "
        + " AND ".join(f"holdfast_o{k} >= holdfast_o{j}" for j in range(count) if j != k)
        + f" THEN holdfast_o{k} - holdfast_d{k}"
        for k in range(count)
    )
    every = ", ".join(f"holdfast_o{k}, holdfast_d{k}" for k in range(count))
    cases = " ".join(
        f"WHEN holdfast_o{k} + holdfast_d{k} >= holdfast_least THEN {label}"
        for k, label in enumerate(labels)
    )
    inner = ",\n    ".join(computed)
    return (
        f"(SELECT CASE {cases} END\n"
        f"  FROM (SELECT {every}, CASE {largest} END AS holdfast_least\n"
        f"  FROM (SELECT\n    {inner}\n  ) AS holdfast_outputs) AS holdfast_compared)\n"
    )


def _when(one: str, label: str, other: str, second: str) -> str:
    """A label for each of two conditions, NULL where neither holds."""
    return f"CASE WHEN {one} THEN {label} WHEN {other} THEN {second} END"


def _listed(expressions: list[str]) -> str:
    """One expression, or several with names."""
    if len(expressions) == 1:
        return expressions[0] + "\n"
    return ",\n".join(f"{one} AS output_{k}" for k, one in enumerate(expressions)) + "\n"


def _sum(terms: Sequence[str]) -> str:
    """A sum in parentheses, of long ones the sum of sums."""
    while len(terms) > _IN_A_ROW:
        parts = (terms[first : first + _IN_A_ROW] for first in range(0, len(terms), _IN_A_ROW))
        terms = [_sum(part) for part in parts]
    joined = "(" + " + ".join(terms) + ")"
    return joined if len(joined) <= _LINE else "(" + "\n + ".join(terms) + ")"


def _number(value: float) -> str:
    """Digits that give the same bits; a negative number in parentheses."""
    digits = repr(value)
    return f"({digits})" if digits.startswith("-") else digits


def _literal(label: Any) -> str:
    if isinstance(label, bool):
        return "TRUE" if label else "FALSE"
    return _text(label) if isinstance(label, str) else f"({label!r})"


def _text(value: str) -> str:
    return "'" + _quotable(value).replace("'", "''") + "'"


def _name(value: str) -> str:
    return '"' + _quotable(value).replace('"', '""') + '"'


def _quotable(value: str) -> str:
    if "\0" in value:
        raise ValueError(
            f"{value!r} holds a NUL, which SQL cannot quote; expected none: rename it and fit "
            "again."
        )
    return value
