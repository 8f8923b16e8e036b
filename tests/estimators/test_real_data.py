"""Real tables: agreement with refits where the numbers are not made up."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge
from sklearn.model_selection import LeaveOneOut, cross_val_predict

from holdfast import BackwardRidge, ForwardRidge, ForwardRidgeClassifier
from tests.estimators.agreement import assert_same_search
from tests.oracles.backward_wrapper import backward
from tests.oracles.forward_wrapper import forward
from tests.oracles.greedy_rls_paper import greedy_rls
from tests.oracles.ridge_refit import classification, leverage_predictions, regression

pytestmark = pytest.mark.data


def table(folder, name):
    with np.load(folder / f"{name}.npz") as file:
        return file["X"], file["y"]


@pytest.mark.parametrize("name", ["boston_housing", "auto_price", "ozone_la330", "servo"])
def test_small_tables_in_their_own_units(data_folder, name):
    """Columns of very different sizes, some of them nearly collinear."""
    X, y = table(data_folder, name)
    problem = regression(X, y, standardize=True)
    alphas = [0.1, 10.0]
    record = forward(problem, alphas, 5, predict=leverage_predictions)
    fitted = ForwardRidge(alphas=alphas, standardize=True, n_features_to_select=record.sizes[-1])
    assert_same_search(fitted.fit(X, y), record)
    record = backward(problem, alphas, 5, predict=leverage_predictions)
    fitted = BackwardRidge(alphas=alphas, standardize=True, n_features_to_select=record.sizes[-1])
    if record.sizes[-1]:
        assert_same_search(fitted.fit(X, y), record)


@pytest.mark.parametrize("name", ["colon_alon", "leukemia_golub", "gasoline_nir"])
def test_many_more_columns_than_rows_is_algorithm_2(data_folder, name):
    X, y = table(data_folder, name)
    X = (X - X.mean(axis=0)) / X.std(axis=0)
    y = y - y.mean()
    order, coef, errors = greedy_rls(X.T, y, 6, 5.0)
    fitted = ForwardRidge(alphas=5.0, fit_intercept=False, n_features_to_select=6).fit(X, y)
    assert list(fitted.selection_order_) == order
    assert_allclose(fitted.path_errors_[1:], np.array(errors) / len(y), rtol=1e-9)
    assert_allclose(fitted.coef_[order], coef, rtol=1e-8)


@pytest.mark.parametrize("name", ["srbct_khan", "lymphoma_spls"])
def test_gene_expression_with_several_classes(data_folder, name):
    """Every error of the path by scikit-learn's own leave-one-out of the coded targets."""
    X, y = table(data_folder, name)
    fitted = ForwardRidgeClassifier(alphas=1.0, n_features_to_select=8).fit(X, y)
    Y = classification(X, y).Y
    for size in (1, 4, 8):
        support = fitted.truncate(size).support_
        held_out = cross_val_predict(Ridge(alpha=1.0), X[:, support], Y, cv=LeaveOneOut())
        assert_allclose(fitted.path_errors_[size], np.mean((Y - held_out) ** 2), rtol=1e-9)


def test_counts_of_words(data_folder):
    """The first steps on sparse counts, every candidate scored by one product per column."""
    X = sp.load_npz(data_folder / "oh0_X.npz").tocsc()
    with np.load(data_folder / "oh0_labels.npz") as file:
        y = (file["y"] == file["y"][0]) * 2.0 - 1
    fitted = ForwardRidge(alphas=1.0, n_features_to_select=4).fit(X, y)
    dense = ForwardRidge(alphas=1.0, n_features_to_select=4).fit(X.toarray(), y)
    assert list(fitted.selection_order_) == list(dense.selection_order_)
    frequent = np.flatnonzero(np.diff(X.indptr) > 60)
    frequent = np.union1d(frequent, fitted.selection_order_)
    assert set(fitted.selection_order_) <= set(frequent)
    part = X[:, frequent].toarray()
    record = forward(regression(part, y), [1.0], 1, predict=fast_single)
    assert frequent[record.order[0]] == fitted.selection_order_[0]
    assert_allclose(fitted.path_errors_[1], record.errors[1], rtol=1e-9)


def fast_single(problem, columns, alpha):
    """Held-out predictions of a model of at most one column, without an n x n hat matrix."""
    y = problem.Y
    if not columns:
        return (y.sum(axis=0) - y) / (len(y) - 1)
    x = problem.X[:, list(columns)] - problem.X[:, list(columns)].mean(axis=0)
    h = 1 / len(y) + x**2 / (np.sum(x**2) + alpha)
    fit = y.mean(axis=0) + x @ (x.T @ (y - y.mean(axis=0))) / (np.sum(x**2) + alpha)
    return (fit - h * y) / (1 - h)
