"""From a prepared table to a fitted model and its honest error."""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple

import numpy as np

from holdfast.rows.sums import Array
from holdfast.table_models.methods import WIDTHS, Method, make
from holdfast.table_models.preparing import Prepared
from holdfast.tables import Encoding

_MOST_BASIS_VECTORS = 300
_FEW_ROWS = 2000
"""So many kernel columns are looked at whole; beyond, they are chosen by a matrix of low rank."""


class Fitted(NamedTuple):
    """An estimator fitted on a table, the encoding, and how long that took."""

    estimator: Any
    encoding: Encoding | None
    features: list[str]
    deviations: Array | None
    seconds: float
    warnings: list[str]

    @property
    def owners(self) -> list[str]:
        """The column of the table that every column of numbers was made of."""
        if self.encoding is None:
            return self.features
        return [column.name for column in self.encoding.columns for _ in column.names]


class Ready(NamedTuple):
    """An estimator that has not been fitted, with its numbers."""

    estimator: Any
    numbers: Any
    encoding: Encoding | None
    prepared: Prepared

    @property
    def of_rows(self) -> dict[str, Any]:
        """What else a fit takes, beside the numbers and the target."""
        known = {"sample_weight": self.prepared.weights}
        if self.prepared.plan.inner is not None and hasattr(self.estimator, "cv"):
            known["groups"] = self.prepared.groups
        return {name: values for name, values in known.items() if values is not None}


def ready(prepared: Prepared, method: Method, wishes: dict[str, Any]) -> Ready:
    """Make the estimator of a method, and the numbers it is to be fitted on.

    Parameters
    ----------
    prepared : Prepared
        The table.
    method : Method
        Applicable to it.
    wishes : dict
        Parameters that the user gave a value: ``penalties``, ``max_features``,
        ``n_features_to_select``.
    """
    numbers, encoding = prepared.numbers(scaled=method.scaled)
    n_rows, n_columns = prepared.shape
    n_numbers = n_columns if encoding is None else len(encoding.names)
    given = {
        "cv": prepared.plan.inner,
        "random_state": prepared.asked.seed,
        "gamma": _widths(method, n_numbers),
        "n_basis": min(_MOST_BASIS_VECTORS, max(1, n_rows // 2)),
        "max_basis": _MOST_BASIS_VECTORS,
        "low_rank": None if n_rows <= _FEW_ROWS else _MOST_BASIS_VECTORS,
    }
    if method.regression in _GROUPED and encoding is not None:
        given["feature_groups"] = encoding.groups or None
    most = given | wishes
    if most.get("max_features") is not None:
        most["max_features"] = min(most["max_features"], _n_features(n_numbers, encoding))
    return Ready(make(method, prepared.task, most), numbers, encoding, prepared)


_GROUPED = ("ForwardRidge", "BackwardRidge")


def _widths(method: Method, n_numbers: int) -> Any:
    if method.regression == "SparseKernelRidge":
        return tuple(width / n_numbers for width in WIDTHS)
    return None


def _n_features(n_numbers: int, encoding: Encoding | None) -> int:
    """Columns of numbers, a group counting as one."""
    groups = [] if encoding is None else encoding.groups
    return n_numbers - sum(len(group) - 1 for group in groups)


def fit(case: Ready) -> Fitted:
    """Fit on all rows."""
    start = time.perf_counter()
    prepared = case.prepared
    target = prepared.target if prepared.is_stored else prepared.y
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator = case.estimator.fit(case.numbers, target, **case.of_rows)
    said = [str(warning.message) for warning in caught]
    seconds = time.perf_counter() - start
    encoding = case.encoding or getattr(estimator, "_encoding", None)
    n_columns = int(estimator.n_features_in_)
    features = [f"column {j}" for j in range(n_columns)] if encoding is None else encoding.names
    return Fitted(estimator, encoding, features, _deviations(case), seconds, _once(said))


def honest(case: Ready) -> Any:
    """The nested score, or a sentence that says why there is none."""
    from holdfast import nested_score

    prepared = case.prepared
    if prepared.is_stored:
        return (
            "the table is read in chunks, and repeating the search in outer folds would read it "
            "many times over; fit a sample of the rows to see how optimistic the error is"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit on all rows has said them
        return nested_score(
            case.estimator,
            case.numbers,
            prepared.y,
            prepared.plan.outer,
            sample_weight=prepared.weights,
            groups=prepared.groups,
        )


def _deviations(case: Ready) -> Array | None:
    """Standard deviation of every column of numbers; None where the rows stay in a file."""
    if case.prepared.is_stored:
        return None
    weights = case.prepared.weights
    shares = np.ones(len(case.prepared.y)) if weights is None else weights
    shares = shares / shares.sum()
    numbers = case.numbers
    means = numbers.T @ shares
    squares = (numbers * numbers).T @ shares if case.prepared.is_sparse else None
    if squares is None:
        variances = np.array(
            [shares @ (column - mean) ** 2 for column, mean in zip(numbers.T, means, strict=True)]
        )
    else:
        variances = squares - means**2
    deviations: Array = np.sqrt(np.maximum(variances, 0.0))
    return deviations


def _once(texts: list[str]) -> list[str]:
    """Every text once, in the order of the first time."""
    return list(dict.fromkeys(texts))
