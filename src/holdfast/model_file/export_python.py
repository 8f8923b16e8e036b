"""A model as a Python module that needs nothing but the standard library.

Its ``predict(row)`` takes a mapping from names of columns to values. What the model refuses - a
missing value or a level that nothing was learned for - is a ``ValueError``, as in ``predict``.
"""

from __future__ import annotations

from typing import Any

from holdfast.table_models.formula import Formula, NumberColumn, TextColumn

_HEAD = '''"""A model written out by holdfast.

predict(row) takes a mapping from the names in COLUMNS to values, None where they are missing.
"""

import math

COLUMNS = {columns}
{tables}

def _number(row, name, fill, centre, scale):
    value = row[name]
    if isinstance(value, str):
        raise ValueError(f"column {{name!r}} holds the text {{value!r}}; expected a number")
    if value is None or value != value:
        if fill is None:
            raise ValueError(f"column {{name!r}} is missing; expected a number")
        value = fill
    if math.isinf(value):
        raise ValueError(f"column {{name!r}} holds {{value!r}}; expected a finite number")
    return (float(value) - centre) / scale


def _place(row, name, places, other, missing):
    value = row[name]
    place = missing if value is None else places.get(str(value), other)
    if place is None:
        raise ValueError(f"column {{name!r}} holds {{value!r}}; expected one of {{list(places)}}")
    return place


def _numbers(row):
    """The columns of numbers that the row becomes."""
    z = [0.0] * {n_numbers}
{read}    return z


'''
_LINEAR = '''def _terms(z):
    """What every output is a sum of."""
    return [
        [intercept] + [c * v for c, v in zip(line, z)]
        for intercept, line in zip(INTERCEPT, COEF)
    ]


'''
_KERNEL = '''def _kernel(x, y):
    """How alike two rows are."""
{kernel}

def _terms(z):
    """What every output is a sum of."""
    values = [_kernel(z, row) for row in BASIS]
    return [
        [intercept] + [d * v for d, v in zip(line, values)]
        for intercept, line in zip(INTERCEPT, DUAL)
    ]


'''
_DOT = "sum(a * b for a, b in zip(x, y))"
_CHI2 = "sum((a - b) ** 2 / (a + b) for a, b in zip(x, y) if a + b)"
_KERNELS = {
    "linear": f"    return {_DOT}\n",
    "polynomial": f"    return (GAMMA * {_DOT} + COEF0) ** DEGREE\n",
    "sigmoid": f"    return math.tanh(GAMMA * {_DOT} + COEF0)\n",
    "rbf": "    return math.exp(-GAMMA * sum((a - b) ** 2 for a, b in zip(x, y)))\n",
    "laplacian": "    return math.exp(-GAMMA * sum(abs(a - b) for a, b in zip(x, y)))\n",
    "cosine": (
        "    lengths = math.sqrt(sum(a * a for a in x)) * math.sqrt(sum(b * b for b in y))\n"
        f"    return {_DOT} / lengths if lengths else 0.0\n"
    ),
    "additive_chi2": f"    return -{_CHI2}\n",
    "chi2": f"    return math.exp(-GAMMA * {_CHI2})\n",
}
_OUTPUTS = '''def outputs(row):
    """The numbers that a prediction is read from."""
    return [sum(terms) for terms in _terms(_numbers(row))]


def predict(row):
'''
_NUMBER = '''    """The prediction for a row."""
    return outputs(row)[0]
'''
_SEVERAL = '''    """The predictions for a row, one for every target."""
    return outputs(row)
'''
_LABELS = '''    """Zeros and ones, one for every label."""
    return [int(output > 0) for output in outputs(row)]
'''
_CLASS = '''    """The class of a row."""
    terms = _terms(_numbers(row))
    found = [sum(some) for some in terms]
    # Outputs that differ by less than the rounding of their terms are equal: the first wins.
    doubts = [ROUNDING * (sum(map(abs, some)) + (some[0] != 0)) for some in terms]
'''
_OF_TWO = "    return CLASSES[found[0] > doubts[0]]\n"
_OF_SEVERAL = """    largest = found.index(max(found))
    least = found[largest] - doubts[largest]
    return next(c for c, o, d in zip(CLASSES, found, doubts) if o + d >= least)
"""


def python_of(formula: Formula) -> str:
    """The module."""
    tables: dict[str, Any] = {"INTERCEPT": formula.intercept.tolist()}
    if formula.basis is None:
        assert formula.coef is not None
        tables["COEF"] = formula.coef.tolist()
        body = _LINEAR
    else:
        basis = formula.basis
        tables |= {"GAMMA": basis.gamma, "DEGREE": basis.degree, "COEF0": basis.coef0}
        tables |= {"BASIS": basis.rows.tolist(), "DUAL": basis.dual.T.tolist()}
        body = _KERNEL.format(kernel=_KERNELS[basis.kernel])
    if formula.classes is not None:
        tables |= {"CLASSES": formula.classes, "ROUNDING": formula.rounding}
    if formula.texts:
        tables["PLACES"] = {
            column.name: dict(zip(column.levels, column.places, strict=True))
            for column in formula.texts
        }
    read = [*map(_of_number, formula.numbers), *map(_of_text, formula.texts)]
    head = _HEAD.format(
        columns=_rows(formula.names),
        tables="".join(f"{name} = {_rows(value)}\n" for name, value in tables.items()),
        n_numbers=formula.n_numbers,
        read="".join(f"    {one}\n" for one in read),
    )
    return head + body + _OUTPUTS + _reading(formula)


def _of_number(column: NumberColumn) -> str:
    learned = f"{column.fill!r}, {column.centre!r}, {column.scale!r}"
    return f"z[{column.place}] = _number(row, {column.name!r}, {learned})"


def _of_text(column: TextColumn) -> str:
    known = f"PLACES[{column.name!r}], {column.other!r}, {column.missing!r}"
    found = f"_place(row, {column.name!r}, {known})"
    return f"place = {found}\n    if place >= 0:\n        z[place] = 1.0"


def _reading(formula: Formula) -> str:
    """How a prediction is read from outputs."""
    if formula.classes is None:
        return _NUMBER if len(formula.intercept) == 1 else _SEVERAL
    if formula.multilabel:
        return _LABELS
    return _CLASS + (_OF_TWO if len(formula.intercept) == 1 else _OF_SEVERAL)


def _rows(value: Any) -> str:
    """Lists and dicts with one entry a line."""
    if isinstance(value, dict):
        return "{\n" + "".join(f"    {name!r}: {one!r},\n" for name, one in value.items()) + "}"
    if not isinstance(value, list):
        return repr(value)
    return "[\n" + "".join(f"    {one!r},\n" for one in value) + "]"
