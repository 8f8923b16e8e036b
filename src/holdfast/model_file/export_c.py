"""A model as C99: one file, the standard library, nothing allocated.

A row is a struct with a field for every column the model reads: a double, NAN where it is missing,
or a text, NULL where it is missing. What the model refuses - a missing value or a level that
nothing was learned for - gives NAN, or the class -1.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from holdfast.table_models.formula import Formula, NumberColumn, TextColumn

_HEAD = """/* A model written out by holdfast.
 *
 * Fill in a struct holdfast_row: missing numbers are NAN, missing texts NULL.
{uses} */

#include <math.h>
#include <stddef.h>
#include <string.h>

struct holdfast_row {{
{fields}}};

{tables}
"""
_NUMBER = """static double holdfast_number(double value, int filled, double fill, double centre,
                              double scale)
{
    if (isnan(value))
        value = filled ? fill : NAN;
    return isfinite(value) ? (value - centre) / scale : NAN;
}

"""
_PLACE = """/* The place of a level, -1 for one that adds nothing, -2 for one that is refused. */
static int holdfast_place(const char *value, const char *const *levels, const int *places,
                          int count, int other, int missing)
{
    int i;
    if (value == NULL)
        return missing;
    for (i = 0; i < count; i++)
        if (strcmp(value, levels[i]) == 0)
            return places[i];
    return other;
}

"""
_READ = """/* The columns of numbers that a row becomes; 0 if a value is refused, else 1. */
static int holdfast_numbers(const struct holdfast_row *row, double *z)
{{
    int i;
{place}    for (i = 0; i < HOLDFAST_NUMBERS; i++)
        z[i] = 0.0;
    (void)row;
{read}    return 1;
}}

"""
_LINEAR = """/* The numbers that a prediction is read from, and the sizes of their terms. */
static int holdfast_sums(const struct holdfast_row *row, double *outputs, double *sizes)
{
    double z[HOLDFAST_NUMBERS + 1];
    int k, j;
    if (!holdfast_numbers(row, z))
        return 0;
    for (k = 0; k < HOLDFAST_OUTPUTS; k++) {
        outputs[k] = holdfast_intercept[k];
        sizes[k] = fabs(holdfast_intercept[k]) + (holdfast_intercept[k] != 0.0);
        for (j = 0; j < HOLDFAST_NUMBERS; j++) {
            double term = holdfast_coef[k][j] * z[j];
            outputs[k] += term;
            sizes[k] += fabs(term);
        }
    }
    return 1;
}

"""
_KERNEL = """/* How alike two rows are. */
static double holdfast_kernel(const double *x, const double *y)
{{
    double total = 0.0{more};
    int j;
    for (j = 0; j < HOLDFAST_NUMBERS; j++)
        {add}
    return {value};
}}

/* The numbers that a prediction is read from, and the sizes of their terms. */
static int holdfast_sums(const struct holdfast_row *row, double *outputs, double *sizes)
{{
    double z[HOLDFAST_NUMBERS + 1];
    int k, i;
    if (!holdfast_numbers(row, z))
        return 0;
    for (k = 0; k < HOLDFAST_OUTPUTS; k++) {{
        outputs[k] = holdfast_intercept[k];
        sizes[k] = fabs(holdfast_intercept[k]) + (holdfast_intercept[k] != 0.0);
    }}
    for (i = 0; i < HOLDFAST_BASIS; i++) {{
        double value = holdfast_kernel(z, holdfast_basis[i]);
        for (k = 0; k < HOLDFAST_OUTPUTS; k++) {{
            outputs[k] += holdfast_dual[i][k] * value;
            sizes[k] += fabs(holdfast_dual[i][k] * value);
        }}
    }}
    return 1;
}}

"""
_SQUARES = "{ double d = x[j] + y[j]; if (d != 0.0) total += (x[j] - y[j]) * (x[j] - y[j]) / d; }"
_GAMMA, _COEF0, _DEGREE = "HOLDFAST_GAMMA", "HOLDFAST_COEF0", "HOLDFAST_DEGREE"
_KERNELS = {
    "linear": ("", "total += x[j] * y[j];", "total"),
    "polynomial": ("", "total += x[j] * y[j];", f"pow({_GAMMA} * total + {_COEF0}, {_DEGREE})"),
    "sigmoid": ("", "total += x[j] * y[j];", f"tanh({_GAMMA} * total + {_COEF0})"),
    "rbf": ("", "total += (x[j] - y[j]) * (x[j] - y[j]);", f"exp(-{_GAMMA} * total)"),
    "laplacian": ("", "total += fabs(x[j] - y[j]);", f"exp(-{_GAMMA} * total)"),
    "cosine": (
        ", xx = 0.0, yy = 0.0",
        "{ total += x[j] * y[j]; xx += x[j] * x[j]; yy += y[j] * y[j]; }",
        "xx > 0.0 && yy > 0.0 ? total / (sqrt(xx) * sqrt(yy)) : 0.0",
    ),
    "additive_chi2": ("", _SQUARES, "-total"),
    "chi2": ("", _SQUARES, f"exp(-{_GAMMA} * total)"),
}
_OUTPUTS = """/* Outputs; 0 if a value is refused, else 1. */
int holdfast_outputs(const struct holdfast_row *row, double *outputs)
{
    double sizes[HOLDFAST_OUTPUTS];
    return holdfast_sums(row, outputs, sizes);
}
"""
_PREDICT = """
/* The prediction; NAN if a value is refused. */
double holdfast_predict(const struct holdfast_row *row)
{
    double outputs[HOLDFAST_OUTPUTS];
    return holdfast_outputs(row, outputs) ? outputs[0] : NAN;
}
"""
_LABELS = """
/* Zeros and ones, one for every label; returns 0 if a value is refused, else 1. */
int holdfast_predict(const struct holdfast_row *row, int *labels)
{
    double outputs[HOLDFAST_OUTPUTS];
    int k;
    if (!holdfast_outputs(row, outputs))
        return 0;
    for (k = 0; k < HOLDFAST_OUTPUTS; k++)
        labels[k] = outputs[k] > 0.0;
    return 1;
}
"""
_CLASS = """
/* The place of the class in holdfast_classes; -1 if a value is refused. Outputs that differ by less
 * than the rounding of their terms are equal: the first of them wins. */
int holdfast_predict(const struct holdfast_row *row)
{
    double outputs[HOLDFAST_OUTPUTS], sizes[HOLDFAST_OUTPUTS];
"""
_OF_TWO = """    if (!holdfast_sums(row, outputs, sizes))
        return -1;
    return outputs[0] > HOLDFAST_ROUNDING * sizes[0];
}
"""
_OF_SEVERAL = """    int k, largest = 0;
    if (!holdfast_sums(row, outputs, sizes))
        return -1;
    for (k = 1; k < HOLDFAST_OUTPUTS; k++)
        if (outputs[k] > outputs[largest])
            largest = k;
    for (k = 0; k < largest; k++)
        if (outputs[k] + HOLDFAST_ROUNDING * sizes[k]
            >= outputs[largest] - HOLDFAST_ROUNDING * sizes[largest])
            return k;
    return largest;
}
"""
_TAKEN = """auto break case char const continue default do double else enum extern float for goto
if inline int long register restrict return short signed sizeof static struct switch typedef union
unsigned void volatile while asm bool true false nullptr class new delete template this private
public protected virtual try catch throw operator namespace using linux unix"""
"""Words of C and C++, and what compilers define."""
_REFUSED = -2


def c_of(formula: Formula) -> str:
    """The file.

    Raises
    ------
    ValueError
        For a level or label with a NUL in it, where a text of C ends.
    """
    fields = _fields(formula.names)
    numbers = list(zip(formula.numbers, fields[: len(formula.numbers)], strict=True))
    texts = list(zip(formula.texts, fields[len(numbers) :], strict=True))
    kinds = ["double "] * len(numbers) + ["const char *"] * len(texts)
    declared = [
        f"    {kind}{field}; /* {_comment(name)} */\n"
        for kind, field, name in zip(kinds, fields, formula.names, strict=True)
    ]
    read = [_of_number(*one) for one in numbers] + [_of_text(*one) for one in texts]
    levels = [_levels(*one) for one in texts]
    parts = [
        _HEAD.format(
            uses=_uses(formula),
            # A struct without fields is no C.
            fields="".join(declared) or "    char holdfast_no_columns;\n",
            tables="".join([*_tables(formula), *levels]).rstrip("\n") + "\n",
        ),
        _NUMBER if numbers else "",
        _PLACE if texts else "",
        _READ.format(place="    int place;\n" if texts else "", read="".join(read)),
        _LINEAR if formula.basis is None else _kernel(formula.basis.kernel),
        _OUTPUTS,
        _reading(formula),
    ]
    return "".join(parts)


def _uses(formula: Formula) -> str:
    """What the function is called and gives back."""
    if formula.classes is None and len(formula.intercept) > 1:
        return " * holdfast_outputs gives one number for every target.\n"
    if formula.multilabel:
        return " * holdfast_predict gives a zero or one for every label.\n"
    if formula.classes is not None:
        return " * holdfast_predict gives the place of the class in holdfast_classes.\n"
    return " * holdfast_predict gives the prediction.\n"


def _tables(formula: Formula) -> list[str]:
    """Numbers, and labels as texts."""
    defined: dict[str, Any] = {
        "HOLDFAST_NUMBERS": formula.n_numbers,
        "HOLDFAST_OUTPUTS": len(formula.intercept),
    }
    tables = [_array("double holdfast_intercept[HOLDFAST_OUTPUTS]", formula.intercept.tolist())]
    if formula.basis is None:
        assert formula.coef is not None
        size = "[HOLDFAST_OUTPUTS][HOLDFAST_NUMBERS + 1]"
        tables.append(_array(f"double holdfast_coef{size}", formula.coef.tolist()))
    else:
        basis = formula.basis
        defined |= {"HOLDFAST_BASIS": len(basis.rows)}
        wanted = {_GAMMA: basis.gamma, _COEF0: basis.coef0, _DEGREE: basis.degree}
        used = _KERNELS[basis.kernel][2]
        defined |= {name: f"({value!r})" for name, value in wanted.items() if name in used}
        size = "[HOLDFAST_BASIS + 1]"
        rows, dual = basis.rows.tolist() or [[]], basis.dual.tolist() or [[]]
        tables.append(_array(f"double holdfast_basis{size}[HOLDFAST_NUMBERS + 1]", rows))
        tables.append(_array(f"double holdfast_dual{size}[HOLDFAST_OUTPUTS]", dual))
    if formula.classes is not None and not formula.multilabel:
        defined |= {"HOLDFAST_ROUNDING": repr(formula.rounding)}
        labels = [_string(_told(label)) for label in formula.classes]
        listed = "".join(f"    {label},\n" for label in labels)
        tables.append(f"const char *const holdfast_classes[{len(labels)}] = {{\n{listed}}};\n")
    return [*(f"#define {name} {value}\n" for name, value in defined.items()), "\n", *tables]


def _array(declared: str, value: list[Any]) -> str:
    return f"static const {declared} = {_braces(value)};\n"


def _braces(value: Any) -> str:
    if not isinstance(value, list):
        return repr(value)
    rows = bool(value) and isinstance(value[0], list)
    inner = (",\n    " if rows else ", ").join(_braces(one) for one in value)
    return "{" + (("\n    " + inner + "\n") if rows else inner or "0.0") + "}"


def _of_number(column: NumberColumn, field: str) -> str:
    filled = f"{int(column.fill is not None)}, {column.fill or 0.0!r}"
    value = f"holdfast_number(row->{field}, {filled}, {column.centre!r}, {column.scale!r})"
    place = f"z[{column.place}]"
    return f"    {place} = {value};\n    if (isnan({place}))\n        return 0;\n"


def _levels(column: TextColumn, field: str) -> str:
    """The known levels of a column of texts, and their places."""
    count = max(1, len(column.levels))
    texts = "".join(f"    {_string(level)},\n" for level in column.levels) or "    NULL,\n"
    places = ", ".join(map(str, column.places)) or "0"
    return (
        f"static const char *const holdfast_levels_{field}[{count}] = {{\n{texts}}};\n"
        f"static const int holdfast_places_{field}[{count}] = {{{places}}};\n"
    )


def _of_text(column: TextColumn, field: str) -> str:
    other, missing = (
        _REFUSED if place is None else place for place in (column.other, column.missing)
    )
    known = f"holdfast_levels_{field}, holdfast_places_{field}, {len(column.levels)}"
    return (
        f"    place = holdfast_place(row->{field}, {known}, {other}, {missing});\n"
        "    if (place == -2)\n        return 0;\n"
        "    if (place >= 0)\n        z[place] = 1.0;\n"
    )


def _kernel(name: str) -> str:
    more, add, value = _KERNELS[name]
    return _KERNEL.format(more=more, add=add, value=value)


def _reading(formula: Formula) -> str:
    """How a prediction is read from outputs."""
    if formula.classes is None:
        return _PREDICT if len(formula.intercept) == 1 else ""
    if formula.multilabel:
        return _LABELS
    return _CLASS + (_OF_TWO if len(formula.intercept) == 1 else _OF_SEVERAL)


def _fields(names: Iterable[str]) -> list[str]:
    """Different identifiers that look like the names."""
    fields: list[str] = []
    for name in names:
        plain = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_").lower()[:40]
        if not plain or plain[0].isdigit() or plain in _TAKEN.split():
            plain = f"column_{plain}".rstrip("_")
        field, number = plain, 2
        while field in fields:
            field, number = f"{plain}_{number}", number + 1
        fields.append(field)
    return fields


def _told(label: Any) -> str:
    return str(label).lower() if isinstance(label, bool) else str(label)


def _string(text: str) -> str:
    """A string of C in UTF-8: everything but plain characters as octal escapes."""
    if "\0" in text:
        raise ValueError(
            f"{text!r} holds a NUL, where a text of C ends; expected none: rename it and fit again."
        )
    plain = "".join(
        chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\?' else f"\\{byte:03o}"
        for byte in text.encode("utf-8")
    )
    return f'"{plain}"'


def _comment(text: str) -> str:
    """A name in a comment, where no character of it can end the comment."""
    shown = ascii(text)
    return re.sub(r"[*/?\\]", lambda found: f"%{ord(found[0]):02x}", shown)
