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

_LANGUAGES = {"sql": sql_of, "python": python_of, "c": c_of}


def exported(model: Any, to: str) -> str:
    """The text of a model in another language.

    Parameters
    ----------
    model : fitted estimator of holdfast, or TableModel
        A linear model, or for Python and C a kernel model too.
    to : {"sql", "python", "c"}
        An expression, a module, or a file of C99.

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
    check_choice(to, "to", tuple(_LANGUAGES))
    return _LANGUAGES[to](formula_of(model))


def export_model(model: Any, path: Any, *, to: str) -> None:
    """Write a model in another language to a file, whole or not at all.

    Parameters
    ----------
    model : fitted estimator of holdfast, or TableModel
        A linear model, or for Python and C a kernel model too.
    path : str or Path
        Where to.
    to : {"sql", "python", "c"}
        The language; see :func:`exported`.
    """
    text = exported(model, to).encode("utf-8")
    write_whole(Path(path), lambda unfinished: unfinished.write_bytes(text))
