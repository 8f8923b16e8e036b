"""A decision threshold that makes a metric of held-out outputs largest.

Between two neighbouring outputs every threshold gives the same labels, so the candidates are the
midpoints, and the two ends. A metric of labels depends on them through four numbers, the weights
of true and false, positive and negative labels; it is asked once for every quadruple, on four rows
that carry them as weights. Of F1 and accuracy, which have closed forms, all candidates are tried,
of other metrics up to 128 of them, evenly spread over the rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.metrics import get_scorer

from holdfast.rows.ledger import TIE
from holdfast.rows.sums import Array

_CANDIDATES = 128


def check_threshold(name: Any) -> Any:
    """The scorer of a metric of labels; None for none."""
    if name is None:
        return None
    try:
        if not isinstance(name, str):
            raise ValueError
        scorer = get_scorer(name)
        if scorer._response_method != "predict":
            raise ValueError
        _score(scorer, np.array([[1.0, 2.0, 3.0, 4.0]]))
    except (ValueError, TypeError, AttributeError):
        raise ValueError(
            f"threshold={name!r} is not a metric of labels; expected None for zero, or the name of "
            "a metric that compares labels and takes weights, such as 'f1', 'balanced_accuracy' "
            "or 'precision': see sklearn.metrics.get_scorer_names()."
        ) from None
    return scorer


def best_threshold(scorer: Any, targets: Array, outputs: Array, weights: Array) -> float:
    """The threshold with the best score; of equals the one nearest to zero.

    Parameters
    ----------
    scorer : callable
        From :func:`check_threshold`.
    targets : array of shape (m,)
        -1 and +1.
    outputs, weights : arrays of shape (m,)
        Outputs above the threshold are labelled +1. Rows without an output (NaN) or a weight do
        not count.
    """
    counted = np.isfinite(outputs) & (weights > 0)
    order = np.argsort(-outputs[counted], kind="stable")
    outputs = outputs[counted][order]
    positive = targets[counted][order] > 0
    weights = weights[counted][order]
    ends = np.flatnonzero(np.append(np.diff(outputs) < 0, True))
    hits = np.append(0.0, np.cumsum(weights * positive)[ends])
    alarms = np.append(0.0, np.cumsum(weights * ~positive)[ends])
    middles = (outputs[ends[:-1]] + outputs[ends[:-1] + 1]) / 2
    margin = max(1.0, float(np.abs(outputs).max()))
    thresholds = np.concatenate([[outputs[0] + margin], middles, [outputs[-1] - margin]])
    counts = np.column_stack([alarms[-1] - alarms, alarms, hits[-1] - hits, hits])
    if scorer._score_func.__name__ not in _CLOSED and len(counts) > _CANDIDATES:
        few = np.unique(np.linspace(0, len(counts) - 1, _CANDIDATES).astype(np.intp))
        nearest = int(np.abs(thresholds).argmin())
        few = np.union1d(few, [nearest])
        counts, thresholds = counts[few], thresholds[few]
    scores = _score(scorer, counts)
    best = np.flatnonzero(scores >= scores.max() - TIE * abs(scores.max()))
    # Zero itself, where it labels like the best.
    if (thresholds[best].min() <= 0 <= thresholds[best].max()) and _labels_alike(
        outputs, thresholds[best]
    ):
        return 0.0
    return float(thresholds[best[np.abs(thresholds[best]).argmin()]])


def _labels_alike(outputs: Array, thresholds: Array) -> bool:
    """Whether zero divides the outputs as one of the thresholds does."""
    above = np.count_nonzero(outputs > 0)
    return any(np.count_nonzero(outputs > threshold) == above for threshold in thresholds)


def _f1(counts: Array) -> Array:
    _, alarms, misses, hits = counts.T
    return 2 * hits / np.maximum(2 * hits + alarms + misses, 1e-300)


def _accuracy(counts: Array) -> Array:
    return (counts[:, 0] + counts[:, 3]) / counts.sum(axis=1)


_CLOSED = {"f1_score": _f1, "accuracy_score": _accuracy}


def _score(scorer: Any, counts: Array) -> Array:
    """Scores of quadruples: true negatives, false positives, false negatives, true positives."""
    function = scorer._score_func
    # Scikit-learn's own "f1" says average="binary"; other averages are other metrics.
    if function.__name__ in _CLOSED and scorer._kwargs.get("average", "binary") == "binary":
        return scorer._sign * _CLOSED[function.__name__](counts)
    truth, labels = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    options = {"zero_division": 0.0} if "zero_division" in _parameters(function) else {}
    options |= scorer._kwargs
    return np.array(
        [scorer._sign * function(truth, labels, sample_weight=some, **options) for some in counts]
    )


def _parameters(function: Any) -> Any:
    from inspect import signature

    return signature(function).parameters
