"""A model as an expression or a function that needs no holdfast, preprocessing included."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from holdfast.model_file.export_c import c_of
from holdfast.model_file.export_python import python_of
from holdfast.model_file.export_sql import sql_of
from holdfast.parameters import check_choice
from holdfast.table_models.formula import formula_of
from holdfast.whole_file import write_whole

_LANGUAGES = ("sql", "python", "c")


def exported(model: Any, to: str, *, table: str | None = None) -> str:
    """The text of a model in another language.

    Parameters
    ----------
    model : fitted estimator of holdfast, or TableModel
        A linear model, or for Python and C a kernel model too.
    to : {"sql", "python", "c"}
        An expression, a module, or a file of C99.
    table : str, optional
        For SQL the name of the table, which is then said with every column. SQLite takes a quoted
        name that no column has for a text, without a word, unless the table is named.

    Returns
    -------
    str

    See Also
    --------
    export_model : Writes it to a file.

    Notes
    -----
    Predictions are those of ``predict`` up to rounding, classes the same. Only the columns that
    the model uses are asked for. What ``predict`` refuses - a missing value, a level that nothing
    was learned for - is NULL in SQL, a ``ValueError`` in Python, NAN or the class -1 in C.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import ForwardRidge
    >>> from holdfast.model_file import exported
    >>> X = np.array([[-1.0, 0.0], [-1.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> model = ForwardRidge(alphas=4.0, n_features_to_select=1).fit(X, 2 * X[:, 0] + 1)
    >>> print(exported(model, "sql"), end="")
    (1.0 + 1.0 * "x0")
    """
    check_choice(to, "to", _LANGUAGES)
    if table is not None and to != "sql":
        raise ValueError(
            f"table={table!r} names a table, but to={to!r} reads none; expected to='sql': leave "
            "table out."
        )
    formula = formula_of(model)
    if to == "sql":
        return sql_of(formula, table)
    return python_of(formula) if to == "python" else c_of(formula)


def export_model(model: Any, path: Any, *, to: str, table: str | None = None) -> None:
    """Write a model in another language to a file, whole or not at all.

    Parameters
    ----------
    model : fitted estimator of holdfast, or TableModel
        A linear model, or for Python and C a kernel model too.
    path : str or Path
        Where to.
    to : {"sql", "python", "c"}
        The language; see :func:`exported`.
    table : str, optional
        For SQL the name of the table.
    """
    text = exported(model, to, table=table).encode("utf-8")
    write_whole(Path(path), lambda unfinished: unfinished.write_bytes(text))
