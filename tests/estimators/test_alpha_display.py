"""The picture of the choice of a penalty."""

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.exceptions import NotFittedError

from holdfast import (
    AlphaDisplay,
    BackwardRidge,
    ForwardRidge,
    PathDisplay,
    RidgeClassifierCV,
    RidgeCV,
)
from tests import problems

mpl.use("Agg")


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def test_error_against_penalty_with_the_chosen_one_marked():
    X, y = problems.correlated(40, 6)
    model = RidgeCV([10.0, 0.1, 1.0], cv=5).fit(X, y)
    display = AlphaDisplay.from_estimator(model)
    line, marker = display.ax_.lines
    assert_array_equal(line.get_xdata(), [0.1, 1.0, 10.0])
    assert_array_equal(line.get_ydata(), model.alpha_errors_[[1, 2, 0]])
    assert_array_equal(marker.get_xydata(), [[model.alpha_, -model.best_score_]])
    assert display.ax_.get_xscale() == "log"
    assert display.ax_.get_ylabel() == "exact hold-out error (5 splits)"
    assert display.ax_.get_title() == ""
    assert display.figure_ is display.ax_.figure


def test_leave_one_out_and_scores_are_named():
    X, y = problems.classes(40, 6)
    model = RidgeClassifierCV([0.1, 1.0], scoring="accuracy").fit(X, y)
    label = AlphaDisplay.from_estimator(model).ax_.get_ylabel()
    assert label == "exact leave-one-out minus accuracy"


def test_a_line_for_every_target_with_its_own_penalty():
    X, Y = problems.several_targets(40, 6, targets=3)
    model = RidgeCV([0.1, 1.0, 10.0], alpha_per_target=True).fit(X, Y)
    display = AlphaDisplay.from_estimator(model)
    assert len(display.lines_) == 3
    marked = [line.get_xdata()[0] for line in display.ax_.lines if line not in display.lines_]
    assert_array_equal(marked, model.alpha_)


@pytest.mark.parametrize("search", [ForwardRidge, BackwardRidge])
def test_of_a_search_it_says_that_it_is_optimistic(search):
    X, y = problems.correlated(40, 6)
    model = search(alphas=[0.1, 1.0, 10.0], cv=4).fit(X, y)
    _, ax = plt.subplots()
    display = AlphaDisplay.from_estimator(model, ax=ax, color="C2")
    assert display.ax_ is ax
    assert "optimistic, see nested_score" in ax.get_title()
    assert display.lines_[0].get_color() == "C2"


def test_no_penalty_has_its_place_on_the_axis():
    X, y = problems.correlated(40, 6)
    display = AlphaDisplay.from_estimator(RidgeCV([0.0, 0.1, 1.0], cv=4).fit(X, y))
    assert display.ax_.get_xscale() == "symlog"
    assert display.lines_[0].get_xdata()[0] == 0.0


def test_it_has_to_be_fitted():
    with pytest.raises(NotFittedError):
        AlphaDisplay.from_estimator(RidgeCV())


def test_a_path_by_folds_is_named_and_has_their_standard_errors():
    X, y = problems.correlated(40, 6)
    search = ForwardRidge(cv=4).fit(X, y)
    display = PathDisplay.from_estimator(search)
    assert display.ax_.get_ylabel() == "exact hold-out error (4 splits)"
    spread = search.path_fold_errors_.std(axis=1, ddof=1) / np.sqrt(4)
    (band,) = display.ax_.collections
    low, high = band.get_datalim(display.ax_.transData).intervaly
    assert low == pytest.approx(np.min(search.path_errors_ - spread))
    assert high == pytest.approx(np.max(search.path_errors_ + spread))
