"""The pictures of a path show its numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import Ridge

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
    PathDisplay,
)
from tests import problems

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")

ALL = [ForwardRidge, BackwardRidge, ForwardRidgeClassifier, BackwardRidgeClassifier]


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def fitted(estimator=ForwardRidge, **parameters):
    X, labels = problems.classes(40, 8)
    return estimator(**parameters).fit(X, labels)


def points(ax):
    """x and y of everything drawn on an axis as lines, markers or error bars."""
    return [np.asarray(line.get_xydata(), dtype=float) for line in ax.get_lines()]


@pytest.mark.parametrize("estimator", ALL)
def test_error_against_size(estimator):
    model = fitted(estimator)
    display = PathDisplay.from_estimator(model, kind="error")
    assert display.figure_ is display.ax_.figure
    curves = [p for p in points(display.ax_) if len(p) == len(model.path_errors_)]
    assert any(
        np.allclose(curve[np.argsort(curve[:, 0])][:, 1], sorted_by_size(model)) for curve in curves
    ), "no line shows path_errors_ against path_sizes_"
    assert display.ax_.get_xlabel()
    assert display.ax_.get_ylabel()


def sorted_by_size(model):
    return model.path_errors_[np.argsort(model.path_sizes_, kind="stable")]


def test_the_chosen_size_is_marked():
    model = fitted()
    ax = PathDisplay.from_estimator(model).ax_
    marks = [p for p in points(ax) if len(p) and np.all(p[:, 0] == model.n_features_)]
    scatters = [c.get_offsets() for c in ax.collections if len(c.get_offsets()) == 1]
    assert marks or any(offset[0, 0] == model.n_features_ for offset in scatters)


def test_standard_errors_are_drawn():
    model = fitted()
    ax = PathDisplay.from_estimator(model).ax_
    heights = np.concatenate(
        [
            np.concatenate([path.vertices[:, 1] for path in collection.get_paths()])
            for collection in ax.collections
            if collection.get_paths()
        ]
    )
    top = model.path_errors_ + model.path_std_errors_
    bottom = model.path_errors_ - model.path_std_errors_
    for height in (*top, *bottom):
        assert np.isclose(heights, height).any(), f"nothing is drawn at {height}"


def test_standard_errors_of_a_floating_search_are_those_of_the_best_of_each_size():
    X, y = problems.correlated(50, 10, seed=1)
    X[:, 0] = X[:, 3] + X[:, 5] + 0.1 * X[:, 0]
    model = ForwardRidge(
        floating=True, cv=5, alphas=0.01, n_features_to_select=8, patience=None
    ).fit(X, X[:, 3] + X[:, 5] + 0.01 * y)
    assert len(set(model.path_sizes_)) < len(model.path_sizes_), "the search never dropped"
    ax = PathDisplay.from_estimator(model).ax_
    assert "of the best of each size" in ax.get_title()
    (band,) = (c for c in ax.collections if c.get_paths())
    vertices = band.get_paths()[0].vertices
    for size in set(model.path_sizes_):
        visits = np.flatnonzero(model.path_sizes_ == size)
        best = visits[model.path_errors_[visits].argmin()]
        at_size = vertices[vertices[:, 0] == size, 1]
        for sign in (-1, 1):
            height = model.path_errors_[best] + sign * model.path_std_errors_[best]
            assert np.isclose(at_size, height).any()


@pytest.mark.parametrize("estimator", ALL)
def test_coefficients_along_the_path(estimator):
    model = fitted(estimator)
    display = PathDisplay.from_estimator(model, kind="coefficients")
    drawn = np.concatenate([p[:, 1] for p in points(display.ax_) if len(p)])
    for size in set(model.path_sizes_):
        for value in np.ravel(model.truncate(size).coef_):
            assert np.isclose(drawn, value, atol=1e-12).any(), f"nothing is drawn at {value}"


def test_it_draws_where_it_is_told():
    _, ax = plt.subplots()
    display = PathDisplay.from_estimator(fitted(), ax=ax)
    assert display.ax_ is ax
    assert display.figure_ is ax.figure


@pytest.mark.parametrize("kind", ["error", "coefficients"])
@pytest.mark.parametrize("storage", ["floating", "targets", "start only", "names"])
def test_paths_of_every_kind(kind, storage):
    X, Y = problems.several_targets(40, 8)
    if storage == "floating":
        model = ForwardRidge(floating=True, alphas=[1.0, 0.1]).fit(X, Y[:, 0])
    elif storage == "targets":
        model = ForwardRidge(feature_groups=[[0, 1]]).fit(X, Y)
    elif storage == "start only":
        with pytest.warns(UserWarning, match="candidate|constant"):
            model = ForwardRidge().fit(np.ones((40, 2)), Y)
    else:
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X, columns=[f"name {i}" for i in range(8)])
        model = ForwardRidge().fit(frame, Y[:, 0])
    display = PathDisplay.from_estimator(model, kind=kind)
    display.figure_.canvas.draw()
    if storage == "names" and kind == "coefficients":
        texts = [text.get_text() for text in display.ax_.findobj(matplotlib.text.Text)]
        assert any("name " in text for text in texts)


def test_unknown_kind_and_unfitted_and_other_estimators():
    from sklearn.exceptions import NotFittedError
    from sklearn.linear_model import Ridge

    with pytest.raises(ValueError, match=r"kind.*bars|bars.*kind"):
        PathDisplay.from_estimator(fitted(), kind="bars")
    with pytest.raises(NotFittedError):
        PathDisplay.from_estimator(ForwardRidge())
    with pytest.raises((TypeError, ValueError, AttributeError), match=r"Ridge|path"):
        PathDisplay.from_estimator(Ridge().fit(np.eye(3), np.arange(3.0)))


def test_drawing_twice_gives_the_same_numbers():
    model = fitted()
    display = PathDisplay.from_estimator(model)
    _, ax = plt.subplots()
    again = display.plot(ax=ax)
    assert again.ax_ is ax
    for one, other in zip(points(PathDisplay.from_estimator(model).ax_), points(ax), strict=True):
        assert_allclose(one, other)


def test_what_has_no_path_is_refused():
    X, y = problems.from_few_columns()
    with pytest.raises(TypeError, match="Ridge has no path; expected a selector"):
        PathDisplay.from_estimator(Ridge().fit(X, y))
