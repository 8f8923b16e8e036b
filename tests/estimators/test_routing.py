"""Groups find the splitter and weights the model, with metadata routing and without it."""

import numpy as np
import pytest
import sklearn
from numpy.testing import assert_array_equal
from sklearn import linear_model
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from tests import problems

SELECTORS = [ForwardRidge, BackwardRidge, ForwardRidgeClassifier, BackwardRidgeClassifier]
ALL = [RidgeCV, RidgeClassifierCV, *SELECTORS]
GROUPS = problems.groups_of_rows(60, 6)


class ByHalves:
    """A splitter that has groups but knows nothing of metadata."""

    def split(self, X, y=None, groups=None):
        """Even groups, then odd ones."""
        for odd in (0, 1):
            yield np.flatnonzero(groups % 2 != odd), np.flatnonzero(groups % 2 == odd)

    def get_n_splits(self, X=None, y=None, groups=None):
        """Two."""
        return 2


def data():
    return problems.classes(60, 5, separation=0.5)


BY_GROUPS = GroupKFold(3)


def by_hand(estimator, X, y, cv=BY_GROUPS):
    """Fitted with the splits themselves."""
    return estimator(cv=list(cv.split(X, y, GROUPS))).fit(X, y)


@pytest.mark.parametrize("estimator", ALL)
def test_groups_go_through_a_pipeline(estimator):
    X, y = data()
    expected = by_hand(estimator, X, y).coef_
    with sklearn.config_context(enable_metadata_routing=True):
        silent = make_pipeline(estimator(cv=GroupKFold(3)))
        assert_array_equal(silent.fit(X, y, groups=GROUPS)[-1].coef_, expected)
        asks = estimator(cv=GroupKFold(3)).set_fit_request(groups=True)
        assert_array_equal(make_pipeline(asks).fit(X, y, groups=GROUPS)[-1].coef_, expected)
        assert_array_equal(asks.fit(X, y, groups=GROUPS).coef_, expected)
    plain = make_pipeline(estimator(cv=GroupKFold(3)))
    plain.fit(X, y, **{f"{estimator.__name__.lower()}__groups": GROUPS})
    assert_array_equal(plain[-1].coef_, expected)


@pytest.mark.parametrize("estimator", SELECTORS)
def test_groups_reach_a_selector_in_the_middle(estimator):
    X, y = data()
    with sklearn.config_context(enable_metadata_routing=True):
        steps = make_pipeline(estimator(cv=GroupKFold(3)), linear_model.Ridge())
        steps.fit(X, y, groups=GROUPS)
    assert_array_equal(steps[0].support_, by_hand(estimator, X, y).support_)


@pytest.mark.parametrize("estimator", [linear_model.RidgeCV, *ALL])
def test_groups_go_through_cross_validation(estimator):
    X, y = data()
    outer = GroupKFold(2)
    with sklearn.config_context(enable_metadata_routing=True):
        model = make_pipeline(StandardScaler(), estimator(cv=GroupKFold(3)))
        found = cross_validate(
            model, X, y, cv=outer, params={"groups": GROUPS}, return_estimator=True
        )
    for fitted, (train, _) in zip(found["estimator"], outer.split(X, y, GROUPS), strict=True):
        inner = list(GroupKFold(3).split(X[train], y[train], GROUPS[train]))
        scaled = StandardScaler().fit_transform(X[train])
        assert_array_equal(fitted[-1].coef_, estimator(cv=inner).fit(scaled, y[train]).coef_)


@pytest.mark.parametrize("estimator", [RidgeCV, ForwardRidge])
def test_groups_of_a_search_do_not_reach_folds_that_have_no_use_for_them(estimator):
    X, y = data()
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(estimator(cv=4), {"fit_intercept": [True, False]}, cv=GroupKFold(3))
        search.fit(X, y, groups=GROUPS)
        scores = cross_val_score(estimator(), X, y, cv=GroupKFold(3), params={"groups": GROUPS})
    assert len(scores) == 3
    assert search.best_estimator_.n_splits_ == 4


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("routing", [False, True])
def test_groups_given_to_fit_itself(estimator, routing):
    X, y = data()
    with sklearn.config_context(enable_metadata_routing=routing):
        for cv in (GroupKFold(3), LeaveOneGroupOut()):
            fitted = estimator(cv=cv).fit(X, y, groups=GROUPS)
            assert_array_equal(fitted.coef_, by_hand(estimator, X, y, cv).coef_)
        with pytest.raises(ValueError, match="groups were given but cv is leave-one-out"):
            estimator().fit(X, y, groups=GROUPS)


@pytest.mark.parametrize("estimator", [linear_model.RidgeCV, *ALL])
def test_groups_that_nothing_asks_for_are_refused_under_routing(estimator):
    X, y = data()
    with sklearn.config_context(enable_metadata_routing=True):
        for cv in (KFold(3), GroupKFold(3).set_split_request(groups=False)):
            with pytest.raises(TypeError, match="unexpected argument.*groups"):
                estimator(cv=cv).fit(X, y, groups=GROUPS)


@pytest.mark.parametrize("estimator", ALL)
def test_a_splitter_without_requests_is_told_groups_if_the_estimator_asks(estimator):
    X, y = data()
    expected = by_hand(estimator, X, y, ByHalves()).coef_
    assert_array_equal(estimator(cv=ByHalves()).fit(X, y, groups=GROUPS).coef_, expected)
    with sklearn.config_context(enable_metadata_routing=True):
        asks = estimator(cv=ByHalves()).set_fit_request(groups=True)
        assert_array_equal(make_pipeline(asks).fit(X, y, groups=GROUPS)[-1].coef_, expected)


@pytest.mark.parametrize("estimator", ALL)
def test_weights_are_still_a_request_of_the_estimator(estimator):
    X, y = data()
    weights = problems.weights(60, "random")
    with sklearn.config_context(enable_metadata_routing=True):
        silent = make_pipeline(estimator(cv=GroupKFold(3)))
        with pytest.raises(UnsetMetadataPassedError):
            silent.fit(X, y, sample_weight=weights, groups=GROUPS)
        asks = make_pipeline(estimator(cv=GroupKFold(3)).set_fit_request(sample_weight=True))
        asks.fit(X, y, sample_weight=weights, groups=GROUPS)
    splits = list(GroupKFold(3).split(X, y, GROUPS))
    direct = estimator(cv=splits).fit(X, y, sample_weight=weights)
    assert_array_equal(asks[-1].coef_, direct.coef_)


@pytest.mark.parametrize("estimator", SELECTORS)
def test_a_selector_inside_select_from_model(estimator):
    X, y = data()
    with sklearn.config_context(enable_metadata_routing=True):
        inside = SelectFromModel(estimator(cv=GroupKFold(3)), threshold=1e-9)
        inside.fit(X, y, groups=GROUPS)
    assert_array_equal(inside.get_support(), by_hand(estimator, X, y).support_)
