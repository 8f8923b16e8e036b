"""From a prepared table to a fitted model and its honest error."""

from __future__ import annotations

import time
import warnings
from typing import Any, NamedTuple

import numpy as np

from holdfast.rows.sums import Array
from holdfast.table_models.encoded import Encoded, estimator_for
from holdfast.table_models.methods import Method
from holdfast.table_models.preparing import Prepared, imputing
from holdfast.tables import Encoding


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
        return self.encoding.owners


class Ready(NamedTuple):
    """An estimator that has not been fitted, with its numbers.

    ``whole`` is what the honest error repeats: where there are names and levels, the estimator
    together with the learning of its encoding, and the table it is fitted on.
    """

    estimator: Any
    numbers: Any
    encoding: Encoding | None
    prepared: Prepared
    whole: tuple[Any, Any]
    method: Method

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
    common = {"cv": prepared.plan.inner, "seed": prepared.asked.seed}
    estimator = estimator_for(
        method,
        prepared.task,
        wishes,
        shape=(n_rows, n_columns if encoding is None else len(encoding.names)),
        groups=[] if encoding is None else encoding.groups,
        **common,
    )
    if prepared.frame is None:
        return Ready(estimator, numbers, encoding, prepared, (estimator, numbers), method)
    encoded = Encoded(
        method,
        prepared.task,
        wishes=wishes,
        rare=prepared.asked.rare,
        impute=imputing(prepared.asked),
        **common,
    )
    whole = (encoded, prepared.frame.select(prepared.columns))
    return Ready(estimator, numbers, encoding, prepared, whole, method)


def fit(case: Ready) -> Fitted:
    """Fit on all rows."""
    start = time.perf_counter()
    prepared = case.prepared
    target = prepared.target if prepared.is_stored else prepared.y
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimator = case.estimator.fit(case.numbers, target, **case.of_rows)
    said = [str(warning.message) for warning in caught]
    if prepared.is_sparse and case.method.scaled:
        said.append("the method wants columns of equal scale, and sparse columns are not scaled")
    seconds = time.perf_counter() - start
    encoding = case.encoding or getattr(estimator, "_encoding", None)
    n_columns = int(estimator.n_features_in_)
    features = [f"column {j}" for j in range(n_columns)] if encoding is None else encoding.names
    return Fitted(estimator, encoding, features, _deviations(case), seconds, _once(said))


def honest(case: Ready) -> Any:
    """The nested score: everything repeated without the rows that judge it.

    Rows that are read from their file in chunks keep the encoding of all rows.
    """
    from holdfast import nested_score

    prepared, (estimator, rows) = case.prepared, case.whole
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the fit on all rows has said them
        return nested_score(
            estimator,
            rows,
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
