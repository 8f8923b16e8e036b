"""Rows of high leverage: the model all but interpolates them, and 1 - leverage has no digits."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.model_selection import KFold, RepeatedKFold

from holdfast import RidgeClassifierCV, RidgeCV
from holdfast.criteria.penalty import PenaltyProblem
from holdfast.criteria.penalty_blocks import BlockPenalties
from holdfast.criteria.penalty_kernel import KernelPenalties
from holdfast.criteria.penalty_leave_one_out import LeaveOneOutPenalties
from holdfast.criteria.weighting import plain_classes
from holdfast.rows import as_rows
from holdfast.rows.splits import Splits
from tests import problems
from tests.oracles import decimal_refit
from tests.oracles.penalty_choice import alpha_errors
from tests.oracles.ridge_refit import classification, regression

RTOL = 1e-8
SCALES = [1e1, 1e2, 1e3, 1e4, 1e6, 1e7]
STORAGES = {"dense": np.asarray, "csr": sp.csr_array, "csc": sp.csc_array}
ROWS = 24


def far_out(kind, scale, rows=ROWS, columns=5):
    """(X, Y): a few rows ``scale`` times the others, together, apart, alike or not."""
    X, Y = problems.several_targets(rows, columns, targets=2, seed=3)
    if kind == "one row":
        X[7] *= scale
    elif kind == "three rows":
        X[[6, 7, 13]] *= scale
    elif kind == "rows of all sizes":
        X[:5] *= np.geomspace(10, scale, 5)[:, None]
    elif kind == "most rows":
        X[: columns + 4] *= scale
    elif kind == "twins":
        X[7] *= scale
        X[6] = X[7]
    elif kind == "twins in two blocks":
        X[7] *= scale
        X[13] = X[7]
    elif kind == "near twins in two blocks":
        X[7] *= scale
        X[13] = X[7] * (1 + 1e-6 * np.arange(columns))
    elif kind == "a column of one row":
        X[:, 4] = 0
        X[11, 4] = scale
    return X, Y


KINDS = ["one row", "three rows", "rows of all sizes", "most rows"]
ALIKE = ["twins", "twins in two blocks", "near twins in two blocks", "a column of one row"]
BLOCKS = {
    "pairs": KFold(12),
    "fours": KFold(6),
    "repeated": RepeatedKFold(n_splits=8, n_repeats=2, random_state=0),
}


def penalties_of(route, X, Y, splits=None, sample_weight=None, **centring):
    """The route itself, whatever is the cheapest, and its problem."""
    weights = np.ones(X.shape[0]) if sample_weight is None else sample_weight
    problem = PenaltyProblem(
        as_rows(X, Y, weights),
        None if splits is None else Splits.of(splits, len(weights)),
        plain_classes(np.array([np.count_nonzero(weights)])),
        **{"fit_intercept": True, "standardize": False, **centring},
    )
    return route(problem)


def errors_of(penalties, alphas):
    """Losses, and what predictions of rows make of them: they must agree."""
    errors = (penalties.losses(np.array(alphas)) / penalties.held_mass).mean(axis=1)
    problem = penalties._problem
    again = problem.losses_of(penalties.held_out(np.array(alphas)), len(alphas))
    assert_allclose(again.mean(axis=1) / penalties.held_mass, errors, rtol=1e-12)
    return errors


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weights", ["none", "zeros"])
def test_leave_one_out(kind, scale, fit_intercept, weights):
    X, Y = far_out(kind, scale)
    weights = problems.weights(len(X), weights)
    problem = regression(X, Y, weights, fit_intercept)
    penalties = penalties_of(
        LeaveOneOutPenalties, X, Y, sample_weight=weights, fit_intercept=fit_intercept
    )
    alphas = [0.3, 30.0]
    assert_allclose(errors_of(penalties, alphas), alpha_errors(problem, alphas), rtol=RTOL)


@pytest.mark.parametrize("kind", [*KINDS, "twins"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("weights", ["none", "random"])
def test_blocks(kind, scale, blocks, weights):
    X, Y = far_out(kind, scale)
    if kind == "twins" and blocks == "repeated":
        pytest.skip("one of the twins stays in the training set")
    weights = problems.weights(len(X), weights)
    splits = list(BLOCKS[blocks].split(X))
    problem = regression(X, Y, weights, splits=splits)
    penalties = penalties_of(BlockPenalties, X, Y, splits, weights)
    alphas = [0.3, 30.0]
    assert_allclose(errors_of(penalties, alphas), alpha_errors(problem, alphas), rtol=RTOL)


@pytest.mark.parametrize("kind", ["one row", "three rows", "rows of all sizes"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("by", ["leave-one-out", "pairs", "repeated"])
@pytest.mark.parametrize("weights", ["none", "zeros"])
def test_kernels(kind, scale, fit_intercept, by, weights):
    """More columns than rows."""
    X, Y = far_out(kind, scale, ROWS, 40)
    weights = problems.weights(len(X), weights)
    splits = None if by == "leave-one-out" else list(BLOCKS[by].split(X))
    if weights is not None and splits:
        weights[[held[0] for _, held in splits]] = 1.0
    problem = regression(X, Y, weights, fit_intercept, splits=splits)
    penalties = penalties_of(KernelPenalties, X, Y, splits, weights, fit_intercept=fit_intercept)
    alphas = [0.3, 30.0]
    assert_allclose(errors_of(penalties, alphas), alpha_errors(problem, alphas), rtol=1e-8)


@pytest.mark.parametrize("kind", ALIKE)
@pytest.mark.parametrize("scale", [1e2, 1e3, 1e4, 1e5, 1e6])
@pytest.mark.parametrize("by", ["leave-one-out", "pairs"])
def test_the_floor_where_large_rows_stay_in_training(kind, scale, by):
    """Products of columns have 16 digits: what is 1 / scale^2 of the largest has fewer."""
    X, Y = far_out(kind, scale)
    splits = None if by == "leave-one-out" else list(KFold(12).split(X))
    problem = regression(X, Y, splits=splits)
    route = LeaveOneOutPenalties if splits is None else BlockPenalties
    errors = errors_of(penalties_of(route, X, Y, splits), [0.3])
    expected = alpha_errors(problem, [0.3], decimal_refit.predictions).astype(float)
    assert_allclose(errors, expected, rtol=max(RTOL, 3e-16 * scale**2))


@pytest.mark.parametrize("storage", STORAGES)
@pytest.mark.parametrize("scale", [1e4, 1e7])
@pytest.mark.parametrize("standardize", [False, True])
def test_storages_and_scales(storage, scale, standardize):
    X, Y = far_out("one row", scale)
    X = X * (np.abs(X) > 0.4)
    problem = regression(X, Y, standardize=standardize)
    penalties = penalties_of(LeaveOneOutPenalties, STORAGES[storage](X), Y, standardize=standardize)
    assert_allclose(errors_of(penalties, [0.3]), alpha_errors(problem, [0.3]), rtol=RTOL)


@pytest.mark.parametrize("class_weight", [None, "balanced", {0: 0.5, 1: 3.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("scale", [1e4, 1e6])
def test_classes(class_weight, n_classes, scale):
    X, y = problems.classes(80, 6, n_classes, separation=0.5)
    X[[0, 5, 9, 40]] *= scale
    problem = classification(X, y, class_weight=class_weight)
    fitted = RidgeClassifierCV([0.5, 20.0], class_weight=class_weight).fit(X, y)
    assert_allclose(fitted.alpha_errors_, alpha_errors(problem, [0.5, 20.0]), rtol=RTOL)


@pytest.mark.parametrize("scale", [1e3, 1e5, 1e7])
@pytest.mark.parametrize("shape", [(40, 6), (900, 50)])
@pytest.mark.parametrize("by", ["leave-one-out", "threes", "tens"])
def test_whatever_the_route(scale, shape, by):
    X, Y = problems.several_targets(*shape, targets=1, seed=1)
    X[3] *= scale
    if by == "leave-one-out":
        X, Y = X[:300], Y[:300]
    folds = {"leave-one-out": None, "threes": shape[0] // 3, "tens": shape[0] // 10}[by]
    splits = None if folds is None else list(KFold(folds).split(X))
    fitted = RidgeCV(1.0, cv=splits, store_cv_results=True).fit(X, Y)
    expected = alpha_errors(regression(X, Y, splits=splits), [1.0])
    assert_allclose(fitted.alpha_errors_, expected, rtol=RTOL)
    assert_allclose(fitted.cv_results_.mean(axis=(0, 1)), expected, rtol=RTOL)


def test_no_row_is_read_twice_where_none_has_high_leverage():
    X, Y = far_out("one row", 10.0)
    penalties = penalties_of(LeaveOneOutPenalties, X, Y)
    penalties.losses(np.array([0.3]))
    assert penalties._problem.rows.counts.products == 2
    X, Y = far_out("one row", 1e5)
    penalties = penalties_of(LeaveOneOutPenalties, X, Y)
    penalties.losses(np.array([0.3]))
    assert penalties._problem.rows.counts.products == 4


def test_rows_that_all_have_high_leverage():
    """As many columns as rows left: the model interpolates, and some rows must stay."""
    for shape in ((12, 11), (12, 10), (30, 29)):
        X, Y = problems.several_targets(*shape, targets=1)
        alphas = [1e-8, 1e-5]
        expected = alpha_errors(regression(X, Y), alphas, decimal_refit.predictions).astype(float)
        penalties = penalties_of(LeaveOneOutPenalties, X, Y)
        assert_allclose(errors_of(penalties, alphas), expected, rtol=1e-6)
