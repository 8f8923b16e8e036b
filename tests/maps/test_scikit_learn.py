"""Maps as transformers of scikit-learn: its own checks."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import holdfast
from holdfast import KernelBasis, RandomLayer, Reservoir, TimeWindows

X = np.random.default_rng(0).standard_normal((40, 5))

# Features of a row are made of the rows before it.
ORDER_MATTERS = dict.fromkeys(
    ("check_methods_subset_invariance", "check_methods_sample_order_invariance"),
    "rows follow each other in time: features of a row depend on those before it",
)

MAPS = [
    KernelBasis(),
    KernelBasis(n_basis=5, basis="random", kernel="laplacian"),
    KernelBasis(n_basis=5, basis="greedy"),
    TimeWindows(),
    TimeWindows(lags=[3, 0]),
    Reservoir(n_units=20, density=0.3),
    Reservoir(n_units=20, density=0.3, leak=0.3, bias=0.5),
    RandomLayer(n_units=10, include_inputs=True),
    RandomLayer(activation="rbf"),
]


def expected_failures(estimator):
    return ORDER_MATTERS if hasattr(estimator, "set_transform_request") else {}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(MAPS, expected_failed_checks=expected_failures)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("given", MAPS, ids=str)
def test_clone_pickle_and_parameters(given):
    fitted = clone(given).set_params(**{"random_state": 0} if "random_state" in vars(given) else {})
    fitted.fit(X, X[:, 0])
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.transform(X), fitted.transform(X))
    assert_array_equal(clone(fitted).fit_transform(X, X[:, 0]), fitted.transform(X))
    assert type(given).__name__ in fitted._repr_html_()
    assert type(given).__name__ in holdfast.__all__
    with pytest.raises(TypeError):
        type(given)(1)
