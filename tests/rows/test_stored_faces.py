"""Scores, selected columns and nested errors of rows that are not in memory."""

import dask
import dask.array as da
import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.model_selection import GroupKFold, KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from holdfast import (
    BackwardRidge,
    EvidenceRegressor,
    ForwardRidge,
    ForwardRidgeClassifier,
    KernelRidgeCV,
    LarsRidge,
    LarsSVC,
    PrunedRidge,
    RidgeClassifierCV,
    RidgeCV,
    RowBlocks,
    SparseKernelRidge,
    nested_score,
)
from tests import problems
from tests.rows.stored_tables import STORED, Blocks, saved
from tests.rows.test_chunked import whole_numbers

MODELS = [
    ForwardRidge(n_features_to_select=3),
    RidgeCV(),
    LarsRidge(n_features_to_select=3),
    LarsSVC(n_features_to_select=3),
    RidgeClassifierCV(),
    SparseKernelRidge(n_basis=5, gamma=0.01, random_state=0),
    EvidenceRegressor(kernel=None, fit_intercept=True),
    PrunedRidge(n_features_to_select=3),
]


def lazy(X):
    return da.from_array(X, chunks=((20, 31, len(X) - 51), X.shape[1]))


def targets_of(model, y):
    return np.where(y > 0, "b", "a") if hasattr(model, "decision_function") else y


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_scores_and_selected_columns(model, tmp_path):
    X, y = whole_numbers(70, 6)
    y = targets_of(model, y)
    model, weights = clone(model).fit(X, y), np.arange(70) % 3 + 1.0
    for storage in ("npy path", "F memmap", "csr blocks"):
        table, own = STORED[storage](tmp_path, X, y)
        assert_allclose(model.score(table, own), model.score(X, y), rtol=1e-12)
        if hasattr(model, "transform"):
            assert_array_equal(model.transform(table), model.transform(X))
    with dask.config.set(scheduler="threads"):
        assert_allclose(
            model.score(lazy(X), y, sample_weight=weights),
            model.score(X, y, sample_weight=weights),
            rtol=1e-12,
        )


def test_scores_and_columns_of_tables_with_names(tmp_path):
    X, y = whole_numbers(70, 4)
    table = pl.DataFrame(X, schema=list("abcd")).with_columns(price=y, weight=np.arange(70) + 1.0)
    path = tmp_path / "table.parquet"
    table.write_parquet(path)
    features = RowBlocks(path, columns=list("abcd"))
    model = ForwardRidge(n_features_to_select=2).fit(features, "price", sample_weight="weight")
    found = model.score(features, "price", sample_weight="weight")
    assert_allclose(found, model.score(table[list("abcd")], y, table["weight"].to_numpy()))
    chosen = model.set_output(transform="polars").transform(features)
    assert chosen.equals(table[chosen.columns])
    assert chosen.width == 2
    nested = nested_score(model, features, "price", 4, sample_weight="weight")
    plain = nested_score(model, X, y, 4, sample_weight=np.arange(70) + 1.0)
    assert_allclose(nested.fold_errors, plain.fold_errors, rtol=1e-9)


@pytest.mark.parametrize(
    "model",
    [
        ForwardRidge(n_features_to_select=3),
        ForwardRidge(cv=KFold(3)),
        RidgeCV(cv=KFold(3, shuffle=True, random_state=0)),
        RidgeCV(alphas=[1.0, 10.0], scoring="r2"),
        BackwardRidge(cv=3),
        LarsRidge(cv=3, n_features_to_select=3),
        LarsSVC(n_features_to_select=3),
        PrunedRidge(standardize=True),
        SparseKernelRidge(n_basis=5, gamma=0.01, random_state=0, basis="greedy", cv=4),
        RidgeClassifierCV(class_weight="balanced"),
        ForwardRidgeClassifier(cv=3, error="zero_one", n_features_to_select=3),
    ],
    ids=str,
)
def test_nested_errors(model, tmp_path):
    """Equal to refitting on the rows of every outer training set."""
    X, y = whole_numbers(72, 6)
    y = targets_of(model, y)
    plain = nested_score(model, X, y, outer_cv=3)
    for storage in ("chunks of 7", "csr blocks"):
        stored = nested_score(model, *STORED[storage](tmp_path, X, y), outer_cv=3)
        for name in ("held_out_predictions", "fold_errors", "inner_errors"):
            expected = getattr(plain, name)
            assert_allclose(getattr(stored, name), expected, rtol=1e-8, atol=1e-9, err_msg=name)
        assert_array_equal(stored.sizes, plain.sizes)
        if plain.supports is not None:
            assert_array_equal(stored.supports, plain.supports)
        assert stored.wrong == plain.wrong
        assert stored.shared_moments == plain.shared_moments
        assert [str(one) for one in stored.estimators] == [str(model)] * 3


def test_nested_errors_of_groups_and_weights():
    X, y = whole_numbers(72, 6)
    weights, groups = problems.weights(72, "zeros"), np.repeat(np.arange(12), 6)
    for model in (ForwardRidge(cv=GroupKFold(3)), RidgeCV(cv=GroupKFold(3), scoring="r2")):
        plain = nested_score(model, X, y, GroupKFold(4), sample_weight=weights, groups=groups)
        blocks = RowBlocks(Blocks(X, y, (10, 31), weights, groups))
        stored = nested_score(model, blocks, outer_cv=GroupKFold(4))
        assert_allclose(stored.fold_errors, plain.fold_errors, rtol=1e-9)


def test_nested_errors_on_dask():
    X, y = whole_numbers(72, 6)
    with dask.config.set(scheduler="threads"):
        model = ForwardRidge(cv=KFold(3))
        stored = nested_score(model, lazy(X), da.from_array(y), 3)
        assert_allclose(stored.fold_errors, nested_score(model, X, y, 3).fold_errors, rtol=1e-9)


def test_what_nested_score_refuses(tmp_path):
    X, y = whole_numbers(72, 6)
    path = saved(tmp_path, X)
    with pytest.raises(ValueError, match="n_jobs=2 was asked for, but X is not in memory"):
        nested_score(RidgeCV(), path, y, n_jobs=2)
    for model in (make_pipeline(StandardScaler(), RidgeCV()), KernelRidgeCV()):
        with pytest.raises(ValueError, match="takes arrays, but X is not in memory"):
            nested_score(model, path, y)
    with pytest.raises(ValueError, match="sample_weight of zero, and X is not in memory"):
        nested_score(EvidenceRegressor(kernel=None), path, y, 3)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        nested_score(RidgeCV(), path, y[:-1], 3)
