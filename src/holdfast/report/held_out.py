"""What held-out predictions say: a confusion table, thresholds, the ROC curve."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.metrics import confusion_matrix, roc_auc_score, roc_curve

from holdfast.report.numbers import rounded

MOST_STEPS = 200
MOST_POINTS = 400


def predicted_classes(findings: Mapping[str, Any]) -> Any:
    """Position of the class predicted for every held-out row."""
    outputs = np.asarray(findings["held_out"]["outputs"], dtype=np.float64)
    if len(findings["classes"]) == 2:
        return (outputs[:, 0] > (findings["threshold"] or 0.0)).astype(int)
    return outputs.argmax(axis=1)


def confusion(findings: Mapping[str, Any]) -> list[list[int]]:
    """Number of held-out rows of every true class (lines) taken for every class (columns)."""
    table = confusion_matrix(
        np.asarray(findings["held_out"]["truth"], dtype=int),
        predicted_classes(findings),
        labels=range(len(findings["classes"])),
    )
    return [[int(number) for number in line] for line in table]


def wrong_share(findings: Mapping[str, Any]) -> float:
    """Share of held-out rows that get the wrong label."""
    truth = np.asarray(findings["held_out"]["truth"], dtype=int)
    return float(np.mean(predicted_classes(findings) != truth))


def roc(findings: Mapping[str, Any]) -> tuple[list[dict[str, float]], float] | None:
    """Points of the ROC curve and the area below it; None where one class has no row."""
    truth, values = _of_two(findings)
    if len(np.unique(truth)) < 2:
        return None
    false_share, true_share, _ = roc_curve(truth, values)
    places = _spread(len(false_share), MOST_POINTS)
    points = [
        {
            "index": index,
            "x": rounded(float(false_share[place]), 6),
            "y": rounded(float(true_share[place]), 6),
        }
        for index, place in enumerate(places)
    ]
    return points, float(roc_auc_score(truth, values))


def threshold_steps(findings: Mapping[str, Any]) -> tuple[list[dict[str, Any]], int]:
    """What becomes of the rows at thresholds in rising order, and where the model's own is.

    Thresholds lie half-way between neighbouring decision values, one below and one above all;
    of very many an even choice, and the model's own among them.
    """
    truth, values = _of_two(findings)
    own = float(findings["threshold"] or 0.0)
    levels = np.unique(values)
    between = (levels[:-1] + levels[1:]) / 2
    room = max(float(np.ptp(levels)), abs(float(levels[0])), 1e-12) * 0.01
    all_of_them = np.concatenate([[levels[0] - room], between, [levels[-1] + room]])
    some = all_of_them[_spread(len(all_of_them), MOST_STEPS)]
    thresholds = np.unique(np.append(some, own))
    return [_step(truth, values, float(t)) for t in thresholds], int(
        np.searchsorted(thresholds, own)
    )


def _step(truth: Any, values: Any, threshold: float) -> dict[str, Any]:
    taken = values > threshold
    true_positive = int(np.sum(taken & (truth == 1)))
    false_positive = int(np.sum(taken & (truth == 0)))
    positive, negative = int(np.sum(truth == 1)), int(np.sum(truth == 0))
    return {
        "threshold": threshold,
        "true_positive": true_positive,
        "false_negative": positive - true_positive,
        "false_positive": false_positive,
        "true_negative": negative - false_positive,
        "sensitivity": true_positive / positive if positive else 0.0,
        "specificity": 1 - false_positive / negative if negative else 0.0,
    }


def _of_two(findings: Mapping[str, Any]) -> tuple[Any, Any]:
    held_out = findings["held_out"]
    truth = np.asarray(held_out["truth"], dtype=int)
    return truth, np.asarray(held_out["outputs"], dtype=np.float64)[:, 0]


def _spread(number: int, most: int) -> Any:
    """Places of at most so many of a number of things, first and last among them."""
    return np.unique(np.linspace(0, number - 1, min(number, most)).round().astype(int))
