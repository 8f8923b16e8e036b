"""Memory of forward selection beside X: what the docstring says, traced."""

import tracemalloc

import numpy as np
import pytest

from holdfast import ForwardRidge, ForwardRidgeClassifier
from tests import problems

ROWS, COLUMNS = 10000, 400
FIXED = 8e6
"""Bytes for pieces of rows that are worked on at a time."""


def traced(estimator, X, y):
    """Peak of what a fit allocates."""
    estimator.fit(X[:100], y[:100])  # imports happen here
    tracemalloc.start()
    estimator.fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak


def stated(X, selected, *, group=1, views=1, outputs=1):
    """The docstring's sum: columns selected, candidates at hand, those passing by, products."""
    m, n = X.shape
    at_hand = max(32, min(2**24 // (8 * m * views), n // (6 * views)), group)
    lines = views * (selected + at_hand + 32) + 12 * views * outputs
    return 8 * m * lines + 8 * n * (selected + 64 + 10 * group) + FIXED


def table(m, n, used):
    return problems.from_few_columns(m, n, used=used, noise=1.0)


def test_a_quarter_of_the_table():
    X, y = table(20000, 500, range(0, 500, 25))
    assert traced(ForwardRidge(n_features_to_select=20), X, y) < 0.25 * X.nbytes


@pytest.mark.parametrize("used", [range(0, 400, 10), (3, 50, 100)], ids=["planted", "noise"])
def test_single_columns(used):
    X, y = table(ROWS, COLUMNS, used)
    assert traced(ForwardRidge(n_features_to_select=40), X, y) < stated(X, 40)


@pytest.mark.parametrize(("size", "chosen"), [(10, 8), (40, 2)])
def test_groups(size, chosen):
    X, y = table(ROWS, COLUMNS, range(0, 400, 10))
    groups = [list(range(start, start + size)) for start in range(0, COLUMNS, size)]
    estimator = ForwardRidge(n_features_to_select=chosen, feature_groups=groups)
    assert traced(estimator, X, y) < stated(X, size * chosen, group=size)


@pytest.mark.parametrize(
    ("n_classes", "class_weight"),
    [
        (2, None),
        (3, None),
        (2, "balanced"),
        pytest.param(3, "balanced", marks=pytest.mark.slow),
    ],
)
def test_zero_one_error(n_classes, class_weight):
    X, y = table(ROWS, COLUMNS, range(0, 400, 10))
    labels = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    views = 1 if class_weight is None else n_classes + 1
    estimator = ForwardRidgeClassifier(
        error="zero_one", class_weight=class_weight, n_features_to_select=2
    )
    outputs = 1 if n_classes == 2 else n_classes
    assert traced(estimator, X, labels) < stated(X, 2, views=views, outputs=outputs)
