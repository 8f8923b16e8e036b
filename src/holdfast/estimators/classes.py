"""Classes as -1 / +1 targets, and back."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from holdfast.criteria.weighting import ClassWeights, plain_classes
from holdfast.estimators.checks import with_remedies
from holdfast.rows.sums import Array


def code_classes(y: Any, sample_weight: Array) -> tuple[Array, Array, Array]:
    """Classes, targets and class counts.

    Parameters
    ----------
    y : array of shape (m,)
        Labels.
    sample_weight : array of shape (m,)
        Rows of weight zero are not counted.

    Returns
    -------
    classes : array of shape (classes,)
        Sorted labels.
    targets : array of shape (m,) or (m, classes)
        +1 for the class of the column (of two classes the second), else -1.
    counts : int array of shape (classes,)
        Rows of positive weight.
    """
    _check_kinds(y)
    with with_remedies():
        check_classification_targets(y)
    if type_of_target(y).startswith("multilabel"):
        raise ValueError(
            "y is a multilabel indicator; expected one label per row: fit one classifier per "
            "label, for instance by sklearn.multioutput.MultiOutputClassifier."
        )
    with with_remedies():
        labels = column_or_1d(y, warn=True)
    classes, codes = np.unique(labels, return_inverse=True)
    counts = np.bincount(codes[sample_weight > 0], minlength=len(classes))
    if np.count_nonzero(counts) < 2:
        raise ValueError(
            f"y holds one class only, {classes.tolist()[counts.argmax()]!r} (counting rows of "
            "positive weight); expected at least two classes: check the labels and the weights."
        )
    return classes, coded_labels(codes, len(classes)), counts


def _check_kinds(y: Any) -> None:
    """Labels that cannot be sorted, since some are no texts, or no numbers."""
    labels = np.asarray(y)
    if labels.dtype != object:
        return
    kinds = {type(label) for label in labels.ravel().tolist()}
    if len(kinds) > 1 and not all(issubclass(kind, Real) for kind in kinds):
        names = ", ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(
            f"y holds labels of several kinds ({names}); expected a label in every row, all texts "
            "or all numbers: convert them to one kind, and drop the rows without one, from X too."
        )


def coded_labels(codes: Array, n_classes: int) -> Array:
    """Targets (m,) for the second of two classes, (m, classes) of more: +1 for it, else -1."""
    if n_classes == 2:
        return np.where(codes == 1, 1.0, -1.0)
    return np.where(codes[:, None] == np.arange(n_classes), 1.0, -1.0)


def class_weights(class_weight: Any, classes: Array, counts: Array) -> ClassWeights:
    """How rows count by class: alike, by given factors, or balanced in every training set."""
    if class_weight is None:
        return plain_classes(counts.sum(keepdims=True))
    if isinstance(class_weight, str) and class_weight == "balanced":
        return ClassWeights(counts, None)
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"class_weight={class_weight!r} is not known; expected None, 'balanced' or a dict "
            "from class label to weight."
        )
    known = classes.tolist()
    for label, weight in class_weight.items():
        if label not in known:
            raise ValueError(
                f"class_weight names the class {label!r}, which y does not have; expected "
                f"labels among {known}: drop it."
            )
        if not (isinstance(weight, Real) and 0 < float(weight) < np.inf):
            raise ValueError(
                f"class_weight[{label!r}] must be positive and finite, got {weight!r}; to leave "
                "rows out give them a sample_weight of zero."
            )
    return ClassWeights(counts, np.array([float(class_weight.get(c, 1.0)) for c in known]))
