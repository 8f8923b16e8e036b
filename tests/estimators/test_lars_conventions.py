"""scikit-learn's conventions on LarsRidge and LarsSVC, beyond its own checks."""

import pickle
import re

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.callback import ProgressBar
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, scale

import holdfast
from holdfast import LarsRidge, LarsSVC

BOTH = [LarsRidge, LarsSVC]
X, Y = scale(load_breast_cancer().data)[:150, :8], load_breast_cancer().target[:150]
NAMES = [f"column {j}" for j in range(8)]


@pytest.mark.parametrize("estimator", BOTH)
def test_clone_pickle_and_names(estimator):
    frame = pd.DataFrame(X, columns=NAMES)
    fitted = estimator(alpha=[1.0, 0.1], n_features_to_select=3).fit(frame, Y)
    assert not hasattr(clone(fitted), "coef_")
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.predict(frame), fitted.predict(frame))
    assert_array_equal(again.truncate(2).coef_, fitted.truncate(2).coef_)
    chosen = fitted.get_feature_names_out()
    assert_array_equal(chosen, np.array(NAMES)[fitted.support_])
    out = fitted.set_output(transform="pandas").transform(frame)
    assert list(out.columns) == list(chosen)


@pytest.mark.parametrize("estimator", BOTH)
def test_storages_agree(estimator):
    reference = estimator().fit(X, Y)
    for storage in (np.asfortranarray, sp.csr_array, sp.csc_matrix, np.float32):
        other = estimator().fit(storage(X), Y)
        tolerance = 1e-5 if storage is np.float32 else 1e-9
        assert_allclose(other.coef_, reference.coef_, atol=tolerance)
        assert_allclose(other.path_errors_, reference.path_errors_, atol=tolerance)


@pytest.mark.parametrize("estimator", BOTH)
def test_in_a_pipeline_a_search_and_with_groups(estimator):
    grid = GridSearchCV(estimator(), {"alpha": [1.0, 10.0], "lasso": [False, True]}, cv=3)
    assert make_pipeline(StandardScaler(), grid).fit(X, Y).score(X, Y) > 0.3
    groups = np.repeat(np.arange(15), 10)
    fitted = estimator(cv=GroupKFold(5)).fit(X, Y, groups=groups)
    assert fitted.n_splits_ == 5
    with pytest.raises(ValueError, match="groups were given"):
        estimator().fit(X, Y, groups=groups)


@pytest.mark.parametrize("estimator", BOTH)
def test_callbacks_see_every_path(estimator, capsys):
    watched = estimator(cv=3)
    watched.set_callbacks(ProgressBar())
    assert_array_equal(watched.fit(X, Y).predict(X), estimator(cv=3).fit(X, Y).predict(X))


@pytest.mark.parametrize("estimator", BOTH)
def test_refitting_forgets(estimator):
    fitted = estimator(cv=3, store_cv_results=True, alpha=[1.0, 2.0]).fit(X, Y)
    fitted.set_params(cv=None, store_cv_results=False, alpha=1.0).fit(X[:, :4], Y)
    fresh = estimator().fit(X[:, :4], Y)
    assert vars(fitted).keys() == vars(fresh).keys()


@pytest.mark.parametrize("estimator", BOTH)
def test_docstrings_say_what_is_exact_and_what_it_costs(estimator):
    text = estimator.__doc__
    for section in ("Parameters", "Attributes", "Notes", "References", "Examples"):
        assert f"{section}\n    {'-' * len(section)}" in text
    for parameter in estimator().get_params():
        assert re.search(rf"^    (\w+, )*{parameter}(, \w+)* : ", text, re.MULTILINE), parameter
    assert estimator.__name__ in holdfast.__all__
