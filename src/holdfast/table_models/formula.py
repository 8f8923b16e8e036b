"""What a fitted model computes, as plain numbers: for those who write it in another language.

With z the columns of numbers that a row of a table becomes (see :mod:`holdfast.tables`), there is
one number for every output k,

    o_k = intercept_k + sum_j coef_kj z_j                          (linear models)
    o_k = intercept_k + sum_i dual_ik kernel(z, basis_i)           (kernel models)

and a rule that reads a prediction from them: of a regression the number itself; of two classes the
second where ``o > d``; of several the first whose ``o_k + d_k`` is at least ``o_l - d_l``, l being
the largest; of several labels those with ``o_k > 0``. d_k is ``rounding`` times the sum of the
sizes of the terms of o_k (and one more for an intercept): outputs that differ by less are equal,
see :mod:`holdfast.criteria.labels`. For most classifiers it is zero.

Only columns that the model uses are in a formula.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from holdfast.basis.kernels import PRECOMPUTED
from holdfast.rows.sums import Array

NOWHERE = -1
"""The place of a level that the model makes no use of: all its numbers are zero."""
_MOST_NUMBERS = 5_000_000
"""Of a basis that is written out."""


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers of a table: ``(value - centre) / scale`` at one place of z.

    ``fill`` takes the place of missing values; None: they are refused.
    """

    name: str
    place: int
    fill: float | None = None
    centre: float = 0.0
    scale: float = 1.0


@dataclass(frozen=True)
class TextColumn:
    """A column of texts of a table: one at the place of its level.

    Attributes
    ----------
    name : str
        Of the column.
    levels : tuple of str
        Levels that are known.
    places : tuple of int
        Where in z they are one, or NOWHERE.
    other, missing : int or None
        The same of all other levels, and of missing values; None: they are refused.
    """

    name: str
    levels: tuple[str, ...]
    places: tuple[int, ...]
    other: int | None
    missing: int | None


@dataclass(frozen=True)
class Basis:
    """A kernel and the rows it is taken with; ``dual`` is (basis, outputs)."""

    kernel: str
    gamma: float
    degree: float
    coef0: float
    rows: Array
    dual: Array


@dataclass(frozen=True)
class Formula:
    """What is computed of a row.

    Attributes
    ----------
    numbers : list of NumberColumn
        What is read of a row.
    texts : list of TextColumn
        And this.
    n_numbers : int
        Length of z.
    coef : array of shape (outputs, n_numbers) or None
        Of linear models.
    basis : Basis or None
        Of kernel models.
    intercept : array of shape (outputs,)
        Of either.
    classes : list or None
        Labels of a classifier; None of a regression.
    multilabel : bool
        Whether a row has any number of the labels.
    rounding : float
        See above.
    """

    numbers: list[NumberColumn]
    texts: list[TextColumn]
    n_numbers: int
    coef: Array | None
    basis: Basis | None
    intercept: Array
    classes: list[Any] | None
    multilabel: bool
    rounding: float

    @property
    def names(self) -> list[str]:
        """Columns that are read."""
        return [*(column.name for column in self.numbers), *(one.name for one in self.texts)]


def formula_of(model: Any) -> Formula:
    """The formula of a fitted estimator or of a model of a table.

    Parameters
    ----------
    model : fitted estimator of holdfast, or TableModel
        With coefficients, or with a kernel by name.

    Raises
    ------
    ValueError
        If there is no formula: the kernel is a function or a matrix that was given.
    """
    estimator = getattr(model, "estimator", model)
    check_is_fitted(estimator)
    encoding = getattr(model, "encoding", None) or getattr(estimator, "_encoding", None)
    n_features = int(estimator.n_features_in_)
    linear = hasattr(estimator, "coef_")
    used = np.arange(n_features)
    if linear and hasattr(estimator, "support_"):
        used = np.flatnonzero(estimator.support_)
    places = {int(feature): place for place, feature in enumerate(used)}
    if encoding is None:
        names = getattr(estimator, "feature_names_in_", None)
        names = [f"x{j}" for j in range(n_features)] if names is None else names
        records: list[dict[str, Any]] = [{"kind": "numeric", "name": str(one)} for one in names]
    else:
        records = [column.record() for column in encoding.columns]
    coef = np.atleast_2d(estimator.coef_)[:, used] if linear else None
    basis = None if linear else _basis_of(estimator)
    numbers, texts = _columns(records, places)
    n_outputs = len(coef) if coef is not None else basis.dual.shape[1] if basis else 0
    return Formula(
        numbers=numbers,
        texts=texts,
        n_numbers=len(used),
        coef=coef,
        basis=basis,
        intercept=np.broadcast_to(np.asarray(estimator.intercept_, dtype=np.float64), n_outputs),
        classes=estimator.classes_.tolist() if is_classifier(estimator) else None,
        multilabel=bool(getattr(estimator, "_multilabel", False)),
        rounding=float(getattr(estimator, "_rounding_of_ties", 0.0)),
    )


def _columns(
    records: list[dict[str, Any]], places: dict[int, int]
) -> tuple[list[NumberColumn], list[TextColumn]]:
    """Columns of the table that make any of the numbers in use."""
    numbers: list[NumberColumn] = []
    texts: list[TextColumn] = []
    first = 0
    for record in records:
        if record["kind"] == "numeric":
            if first in places:
                learned = {name: record[name] for name in record if name not in ("kind", "name")}
                numbers.append(NumberColumn(record["name"], places[first], **learned))
            first += 1
            continue
        levels, other, missing = record["levels"], record["other"], record["missing"]
        count = len(levels) + other + missing
        mine = [places.get(first + code, NOWHERE) for code in range(count)]
        first += count
        if set(mine) - {NOWHERE}:
            known = tuple(mine[: len(levels)])
            pooled = mine[len(levels)] if other else None
            empty = mine[-1] if missing else None
            texts.append(TextColumn(record["name"], tuple(levels), known, pooled, empty))
    return numbers, texts


def _basis_of(estimator: Any) -> Basis:
    kernel = estimator.kernel
    if not isinstance(kernel, str) or kernel == PRECOMPUTED:
        raise ValueError(
            f"kernel={kernel!r} has no formula of the columns; expected a kernel by name, such as "
            "'rbf' or 'poly': fit with one to export the model."
        )
    own = estimator.X_fit_ if hasattr(estimator, "X_fit_") else estimator.basis_vectors_
    n_rows, n_columns = own.shape
    if n_rows * n_columns > _MOST_NUMBERS:
        raise ValueError(
            f"the basis has {n_rows} rows of {n_columns} numbers; expected at most "
            f"{_MOST_NUMBERS} to write out: fit with a smaller n_basis, or use save_model."
        )
    rows = own.toarray() if sparse.issparse(own) else own
    gamma, dual = getattr(estimator, "gamma_", None), estimator.dual_coef_
    return Basis(
        kernel="polynomial" if kernel == "poly" else kernel,
        gamma=1.0 if gamma is None else float(gamma),
        degree=float(estimator.degree),
        coef0=float(estimator.coef0),
        rows=np.asarray(rows, dtype=np.float64),
        dual=dual if dual.ndim == 2 else dual[:, None],
    )
