"""Everything with everything: splits, weights, centring, scaling, targets, storages, groups.

Elsewhere one of these is varied at a time. Here every kind of splits meets a balanced draw of all
the others, so that each value of each meets each value of every other one several times.
"""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

from holdfast import BackwardRidge, ForwardRidge
from holdfast.estimators import selection
from tests import problems
from tests.estimators.agreement import assert_chosen_entry, assert_same_search, is_decided
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import forward
from tests.oracles.ridge_refit import (
    mean_predictions,
    refitted_predictions,
    regression,
    split_errors,
)
from tests.rows.seven_blocks import SevenBlocks

RTOL = 1e-8
ALPHAS = [0.5, 20.0]
SEARCHES = {ForwardRidge: forward, BackwardRidge: backward}
SPLITTERS = list(problems.splitters(30, np.arange(30) % 2, np.arange(30) % 5))
FACTORS = {
    "weights": ["none", "random", "zeros"],
    "fit_intercept": [True, False],
    "standardize": [False, True],
    "targets": [1, 3],
    "storage": ["C", "F", "csr", "csc", "seven blocks"],
    "groups": [False, True],
}
STORAGES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "csr": sp.csr_array,
    "csc": sp.csc_array,
    "seven blocks": np.asarray,
}


def draws(count, seed):
    """Values of all factors, ``count`` times, every value of a factor about equally often."""
    rng = np.random.default_rng(seed)
    columns = {
        name: [values[i % len(values)] for i in rng.permutation(count)]
        for name, values in FACTORS.items()
    }
    return [
        dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)
    ]


def cases(columns, each, seed):
    """(estimator, splitter, columns, factors), ``each`` for both estimators and all splitters."""
    pairs = itertools.product(SEARCHES, SPLITTERS, range(each))
    drawn = draws(len(SEARCHES) * len(SPLITTERS) * each, seed)
    return [
        pytest.param(
            estimator,
            splitter,
            columns,
            factors,
            id="-".join([estimator.__name__, splitter, str(columns), *map(str, factors.values())]),
        )
        for (estimator, splitter, _), factors in zip(pairs, drawn, strict=True)
    ]


def sparse_table(columns, targets, seed):
    """(X, Y): a third of the entries are zero; every target is made of the same four columns."""
    X, Y = problems.several_targets(48, columns, targets, seed)
    zero = np.random.default_rng(seed + 1).random(X.shape) < 1 / 3
    return np.where(zero, 0.0, X), Y


def decided(estimator, splitter, columns, factors):
    """(X, y, weights, problem, groups, record): the first data that do not leave a move open."""
    for seed in range(5):
        X, Y = sparse_table(columns, factors["targets"], seed)
        weights = problems.weights(len(X), factors["weights"], seed)
        splits = problems.splitters(len(X), Y, problems.groups_of_rows(len(X)))[splitter]
        if weights is not None:
            weights[[held[0] for _, held in splits]] = 1.0  # every split holds a row out
        problem = regression(
            X, Y, weights, factors["fit_intercept"], factors["standardize"], splits=splits
        )
        groups = [[0, 3], [1, columns - 1, 4]] if factors["groups"] else None
        steps = 4 if columns < 10 else 2
        record = SEARCHES[estimator](problem, ALPHAS, steps, feature_groups=groups)
        if is_decided(record):
            return X, Y if factors["targets"] > 1 else Y[:, 0], weights, problem, groups, record
    raise AssertionError("every one of these data leaves open which move is the best")


@pytest.mark.parametrize(
    ("estimator", "splitter", "columns", "factors"),
    [*cases(8, each=6, seed=0), *cases(60, each=1, seed=1)],
)
def test_a_search_by_splits_equals_refitting(estimator, splitter, columns, factors, monkeypatch):
    X, y, weights, problem, groups, record = decided(estimator, splitter, columns, factors)
    if factors["storage"] == "seven blocks":
        monkeypatch.setattr(selection, "as_rows", SevenBlocks)
    search = estimator(
        alphas=ALPHAS,
        cv=problem.splits,
        fit_intercept=factors["fit_intercept"],
        standardize=factors["standardize"],
        feature_groups=groups,
        n_features_to_select=record.sizes[-1],
        store_cv_results=True,
    ).fit(STORAGES[factors["storage"]](X), y, sample_weight=weights)
    assert_same_search(search, record, RTOL)
    last = len(record.sizes) - 1
    assert_chosen_entry(search, problem, record, last, RTOL)
    predictions = refitted_predictions(problem, record.columns(last), record.alphas[last])
    held_out = search.held_out_predictions_.reshape(problem.Y.shape)
    assert_allclose(held_out, mean_predictions(problem, predictions), rtol=1e-7, atol=1e-9)
    assert_allclose(search.path_fold_errors_[-1], split_errors(problem, predictions), rtol=RTOL)
