"""Metrics with a closed form are not asked one threshold after the other."""

from functools import wraps

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import f1_score, get_scorer

from holdfast.estimators import threshold


@pytest.mark.parametrize("name", ["f1", "accuracy"])
def test_closed_forms_are_used(name, monkeypatch):
    scorer = threshold.check_threshold(name)
    usual, calls = scorer._score_func, []

    @wraps(usual)
    def counted(*arguments, **options):
        calls.append(arguments)
        return usual(*arguments, **options)

    counts = np.random.default_rng(0).uniform(1, 9, (50, 4))
    truth, labels = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    literal = [usual(truth, labels, sample_weight=some) for some in counts]
    monkeypatch.setattr(scorer, "_score_func", counted)
    assert_allclose(threshold._score(scorer, counts), literal, rtol=1e-12)
    assert calls == []


def test_another_average_is_another_metric():
    scorer = get_scorer("f1_macro")
    counts = np.array([[3.0, 1.0, 2.0, 5.0]])
    truth, labels = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    expected = f1_score(truth, labels, sample_weight=counts[0], average="macro")
    assert_allclose(threshold._score(scorer, counts), [expected])
