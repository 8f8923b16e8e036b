"""Moments of folds: as good as the data, in any order, from any machine."""

import json
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.callback import ProgressBar
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_no_attributes_set_in_init

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    FoldMoments,
    ForwardRidge,
    ForwardRidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from tests import problems
from tests.oracles.penalty_choice import alpha_errors
from tests.oracles.ridge_refit import regression

REGRESSORS = [RidgeCV, ForwardRidge, BackwardRidge]
CLASSIFIERS = [RidgeClassifierCV, ForwardRidgeClassifier, BackwardRidgeClassifier]
ALPHAS = [0.1, 5.0]


def fold_splits(folds):
    """(training rows, held-out rows) of labels (m,) or (m, repeats), -1 never held out."""
    columns = folds.reshape(len(folds), -1).T
    return [
        (np.flatnonzero(column != label), np.flatnonzero(column == label))
        for column in columns
        for label in np.unique(column[column >= 0])
    ]


def assert_same_fit(fitted, expected):
    size = np.abs(expected.coef_).max()
    assert_allclose(fitted.coef_, expected.coef_, rtol=1e-9, atol=1e-10 * size)
    assert_allclose(fitted.intercept_, expected.intercept_, rtol=1e-8, atol=1e-10)
    assert np.shape(fitted.coef_) == np.shape(expected.coef_)
    assert np.shape(fitted.intercept_) == np.shape(expected.intercept_)
    assert_allclose(fitted.alpha_errors_, expected.alpha_errors_, rtol=1e-9)
    assert fitted.alpha_ == expected.alpha_
    assert fitted.n_splits_ == expected.n_splits_
    if hasattr(expected, "path_errors_"):
        assert_array_equal(fitted.selection_order_, expected.selection_order_)
        assert_allclose(fitted.path_fold_errors_, expected.path_fold_errors_, rtol=1e-8)
        assert_allclose(fitted.path_std_errors_, expected.path_std_errors_, rtol=1e-8)


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("standardize", [False, True], ids=["as given", "standardised"])
@pytest.mark.parametrize("fit_intercept", [True, False], ids=["intercept", "through 0"])
@pytest.mark.parametrize("repeats", [1, 3])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_in_batches_as_from_the_data(estimator, standardize, fit_intercept, repeats, storage):
    X, Y = problems.several_targets(60, 9, targets=2)
    X = X * (np.abs(X) > 0.3)
    weights = problems.weights(60, "zeros")
    folds = np.random.default_rng(1).integers(-1, 4, size=(60, repeats))
    options = {"alphas": ALPHAS, "standardize": standardize, "fit_intercept": fit_intercept}
    moments = FoldMoments()
    for batch in np.array_split(np.random.default_rng(2).permutation(60), 4):
        moments.update(storage(X[batch]), Y[batch], folds[batch], weights[batch])
    expected = estimator(cv=fold_splits(folds), **options).fit(X, Y, sample_weight=weights)
    assert_same_fit(estimator(**options).fit_moments(moments), expected)
    assert len(moments.folds_) == expected.n_splits_
    assert moments.n_rows_ == np.count_nonzero(weights)


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("column", [False, True], ids=["flat", "one column"])
def test_one_target_keeps_its_shape(estimator, column):
    X, y = problems.correlated(50, 6)
    y = y[:, None] if column else y
    folds = np.arange(50) % 5
    moments = FoldMoments().update(X, y, folds)
    expected = estimator(cv=fold_splits(folds)).fit(X, y)
    fitted = estimator().fit_moments(moments)
    assert_same_fit(fitted, expected)
    assert fitted.predict(X).shape == expected.predict(X).shape


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize("class_weight", [None, "balanced", {"a": 0.5, "b": 3.0}])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_classes(estimator, class_weight, n_classes):
    """One set of moments serves every class weight."""
    X, codes = problems.classes(60, 6, n_classes, separation=0.7)
    labels = np.array(["a", "b", "c"])[codes]
    folds = np.arange(60) % 4
    weights = problems.weights(60, "random")
    moments = FoldMoments(classes=np.unique(labels))
    moments.update(X[:25], labels[:25], folds[:25], weights[:25])
    moments.update(X[25:], labels[25:], folds[25:], weights[25:])
    options = {"alphas": ALPHAS, "class_weight": class_weight}
    expected = estimator(cv=fold_splits(folds), **options).fit(X, labels, sample_weight=weights)
    fitted = estimator(**options).fit_moments(moments)
    assert_same_fit(fitted, expected)
    assert_array_equal(fitted.predict(X), expected.predict(X))


def test_groups_of_features_names_and_constraints_need_no_data():
    X, y, groups = problems.one_hot_blocks(60)
    folds = np.arange(60) % 5
    table = pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])
    named = [[f"c{i}" for i in group] for group in groups]
    options = {"feature_groups": named, "include": ["c9"], "exclude": ["c10"], "alphas": ALPHAS}
    moments = FoldMoments().update(table, y, folds)
    for estimator in (ForwardRidge, BackwardRidge):
        expected = estimator(cv=fold_splits(folds), **options).fit(table, y)
        fitted = estimator(**options).fit_moments(moments)
        assert_same_fit(fitted, expected)
        assert_array_equal(fitted.feature_names_in_, table.columns)
        assert_array_equal(fitted.predict(table), fitted.predict(table))


def test_merged_moments_are_those_of_all_rows():
    X, y = problems.correlated(60, 6)
    folds = np.arange(60) % 6
    one, other = FoldMoments(), FoldMoments()
    one.update(X[folds < 4], y[folds < 4], folds[folds < 4])
    other.update(X[folds > 2], y[folds > 2], folds[folds > 2])
    one.forget(X[folds == 3], y[folds == 3], folds[folds == 3])
    merged = FoldMoments().merge(one).merge(FoldMoments()).merge(other)
    whole = FoldMoments().update(X, y, folds)
    assert merged.folds_ == whole.folds_
    assert_allclose(RidgeCV().fit_moments(merged).coef_, RidgeCV().fit_moments(whole).coef_)
    assert one.n_rows_ == 30  # left as it was


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_what_is_forgotten_was_never_there(estimator):
    X, y = problems.correlated(80, 6)
    weights = problems.weights(80, "random")
    folds = np.arange(80) % 5
    moments = FoldMoments().update(X, y, folds, weights)
    moments.forget(X[50:], y[50:], folds[50:], weights[50:])
    kept = FoldMoments().update(X[:50], y[:50], folds[:50], weights[:50])
    assert_same_fit(
        estimator(alphas=ALPHAS).fit_moments(moments), estimator(alphas=ALPHAS).fit_moments(kept)
    )


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_a_fold_that_is_forgotten_is_no_fold(estimator):
    """A window that slides over days, each a fold; rows of weight zero are absent."""
    X, y = problems.correlated(80, 6)
    day = np.arange(80) // 16
    moments = FoldMoments().update(X, y, day)
    for old in (0, 1):
        moments.forget(X[day == old], y[day == old], day[day == old])
    assert moments.folds_ == [(0, 2), (0, 3), (0, 4)]
    kept = FoldMoments().update(X, y, day, (day > 1).astype(float))
    assert kept.folds_ == moments.folds_
    assert_same_fit(
        estimator(alphas=ALPHAS).fit_moments(moments),
        estimator(alphas=ALPHAS, cv=fold_splits(day[day > 1])).fit(X[day > 1], y[day > 1]),
    )
    moments.forget(X[day > 1], y[day > 1], day[day > 1])
    with pytest.raises(ValueError, match="no rows yet"):
        estimator().fit_moments(moments)
    moments.update(X, y, day)
    assert_same_fit(estimator().fit_moments(moments), estimator(cv=fold_splits(day)).fit(X, y))


def test_years_and_timestamps_keep_their_digits():
    """Sums of squares of a timestamp have no digit left of its seconds."""
    X, y = problems.big_means(60, 5, ratio=1e8)
    y = y + 1e7
    folds = np.arange(60) % 4
    moments = FoldMoments()
    for batch in np.array_split(np.arange(60), 3):
        moments.update(X[batch], y[batch], folds[batch])
    errors = alpha_errors(regression(X, y, splits=fold_splits(folds)), ALPHAS)
    assert_allclose(RidgeCV(ALPHAS).fit_moments(moments).alpha_errors_, errors, rtol=1e-6)
    raw = np.sum(X**2, axis=0) - np.sum(X, axis=0) ** 2 / len(X)
    assert not np.allclose(raw, np.sum((X - X.mean(axis=0)) ** 2, axis=0), rtol=0.1)


def test_memory_does_not_depend_on_the_number_of_rows():
    rng = np.random.default_rng(0)
    moments = FoldMoments()
    sizes = []
    for _ in range(3):
        moments.update(rng.standard_normal((500, 10)), rng.standard_normal(500), np.arange(500) % 5)
        sizes.append(moments._stored.moments.gram.nbytes)
    assert sizes == [5 * 10 * 10 * 8] * 3


def test_a_file_gives_back_the_same_bits(tmp_path):
    X, codes = problems.classes(40, 5, 3)
    labels = np.array(["one", "two", "three"])[codes]
    moments = FoldMoments(classes=["one", "two", "three"]).update(X, labels, np.arange(40) % 4)
    path = tmp_path / "moments"
    moments.save(path)
    assert [file.name for file in tmp_path.iterdir()] == ["moments"]
    loaded = FoldMoments.load(path)
    assert loaded.folds_ == moments.folds_
    options = {"alphas": ALPHAS, "class_weight": "balanced"}
    for estimator in CLASSIFIERS:
        before = estimator(**options).fit_moments(moments)
        after = estimator(**options).fit_moments(loaded)
        assert_array_equal(after.coef_, before.coef_)
        assert_array_equal(after.predict(X), before.predict(X))
    assert loaded.update(X, labels, np.arange(40) % 4).n_rows_ == 80


def test_a_damaged_file_is_named(tmp_path):
    X, y = problems.correlated(40, 5)
    path = tmp_path / "moments.npz"
    FoldMoments().update(X, y, np.arange(40) % 4).save(path)
    good = path.read_bytes()
    for bad in (b"", b"hello", good[:200], good[: len(good) // 2], good[:-30]):
        path.write_bytes(bad)
        with pytest.raises(ValueError, match=r"moments\.npz .*write it again"):
            FoldMoments.load(path)
    with pytest.raises(FileNotFoundError):
        FoldMoments.load(tmp_path / "nothing")
    np.savez(path, header=np.array(json.dumps({"format": "holdfast fold moments", "version": 99})))
    with pytest.raises(ValueError, match=r"version 99; expected .* version 1"):
        FoldMoments.load(path)


@pytest.mark.parametrize("name", ["gram", "mass", "counts", "folds", "centre"])
@pytest.mark.parametrize("how", ["gone", "shape", "nan"])
def test_an_edited_file_is_named(tmp_path, name, how):
    X, y = problems.correlated(40, 5)
    path = tmp_path / "moments.npz"
    FoldMoments().update(X, y, np.arange(40) % 4).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    if how == "gone":
        del arrays[name]
    elif how == "shape":
        arrays[name] = arrays[name][:-1]
    else:
        arrays[name] = np.full(arrays[name].shape, np.nan)
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="write it again"):
        FoldMoments.load(path)


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("gram", np.negative),
        ("gram", lambda gram: gram + np.triu(np.ones(gram.shape), 1)),
        ("mass", np.negative),
        ("mass", np.zeros_like),
        ("counts", np.negative),
        ("folds", lambda folds: folds + 0.5),
        ("folds", lambda folds: folds - [0, 2]),
        ("folds", lambda folds: folds[::-1]),
    ],
)
def test_numbers_that_cannot_be_are_named(tmp_path, name, change):
    X, y = problems.correlated(40, 5)
    path = tmp_path / "moments.npz"
    FoldMoments().update(X, y, np.arange(40) % 4).save(path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays[name] = change(arrays[name])
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="is damaged .* write it again"):
        FoldMoments.load(path)


def test_any_byte_may_be_damaged(tmp_path):
    """Either nothing was lost, or it is said: never another exception, never other numbers."""
    X, y = problems.correlated(40, 5)
    path = tmp_path / "moments.npz"
    FoldMoments().update(X, y, np.arange(40) % 4).save(path)
    coef = RidgeCV().fit_moments(FoldMoments.load(path)).coef_
    good, rng, named = path.read_bytes(), np.random.default_rng(0), 0
    for _ in range(300):
        bad = bytearray(good)
        bad[rng.integers(len(bad))] = rng.integers(256)
        path.write_bytes(bad)
        try:
            loaded = FoldMoments.load(path)
        except ValueError:
            named += 1
        else:
            assert_array_equal(RidgeCV().fit_moments(loaded).coef_, coef)
    assert named > 200


def test_nothing_in_a_file_is_executed(tmp_path):
    path = tmp_path / "moments.npz"
    np.savez(path, header=np.array([{"format": "pickle"}], dtype=object))
    with pytest.raises(ValueError, match="write it again"):
        FoldMoments.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("header", "{}")
    with pytest.raises(ValueError, match="write it again"):
        FoldMoments.load(path)


def test_callbacks_hear_of_every_move(capsys):
    X, y = problems.correlated(40, 6)
    moments = FoldMoments().update(X, y, np.arange(40) % 4)
    search = ForwardRidge(n_features_to_select=3)
    search.set_callbacks(ProgressBar())
    assert search.fit_moments(moments).n_features_ == 3


# ---------------------------------------------------------------------------------------- bad input


def some():
    X, y = problems.correlated(30, 4)
    return X, y, np.arange(30) % 3


@pytest.mark.parametrize(
    ("folds", "message"),
    [
        (np.arange(7), r"folds has shape \(7,\), X has 30 rows"),
        (np.full(30, 0.5), "expected integers from 0 on"),
        (np.full(30, -2), "expected integers from 0 on"),
        (np.full(30, np.nan), "expected integers from 0 on"),
        (np.full(30, "a"), "expected integers from 0 on"),
        (np.full(30, 1e300), r"such as 1e\+300; expected integers from 0 on"),
        (np.arange(30) - 5, "such as -5; expected integers from 0 on"),
    ],
)
def test_bad_folds(folds, message):
    X, y, _ = some()
    with pytest.raises(ValueError, match=message):
        FoldMoments().update(X, y, folds)


def test_batches_that_do_not_fit_leave_the_moments_alone():
    X, y, folds = some()
    moments = FoldMoments().update(X, y, folds)
    before = RidgeCV().fit_moments(moments).coef_
    for args, message in (
        ((X[:, :3], y, folds), "3 features"),
        ((X, np.column_stack([y, y]), folds), "this batch has targets 2, earlier ones 1"),
        ((X, y, np.column_stack([folds, folds])), "repeats of folds 2"),
        ((np.where(X > 1, np.nan, X), y, folds), "NaN"),
        ((X, y, folds, -np.ones(30)), "[Nn]egative"),
    ):
        with pytest.raises(ValueError, match=message):
            moments.update(*args)
    assert_array_equal(RidgeCV().fit_moments(moments).coef_, before)


def test_rows_that_were_never_added_cannot_be_forgotten():
    X, y, folds = some()
    moments = FoldMoments()
    with pytest.raises(ValueError, match="no rows yet"):
        moments.forget(X, y, folds)
    moments.update(X, y, folds)
    with pytest.raises(ValueError, match="never added: fold"):
        moments.forget(X, y, folds + 5)
    with pytest.raises(ValueError, match="never added: a fold has fewer"):
        moments.forget(np.vstack([X, X]), np.append(y, y), np.append(folds, folds))


def test_merging_what_does_not_fit():
    X, y, folds = some()
    moments = FoldMoments().update(X, y, folds)
    with pytest.raises(TypeError, match="merge takes FoldMoments, got ndarray"):
        moments.merge(X)
    with pytest.raises(ValueError, match="the other moments have columns 3"):
        moments.merge(FoldMoments().update(X[:, :3], y, folds))
    labelled = FoldMoments(classes=[0, 1]).update(X, y > 0, folds)
    with pytest.raises(ValueError, match=r"FoldMoments\(classes=\.\.\.\)"):
        FoldMoments().merge(labelled)


def test_unknown_labels():
    X, _, folds = some()
    with pytest.raises(ValueError, match="y holds the label 2, classes are"):
        FoldMoments(classes=[0, 1]).update(X, np.arange(30) % 3, folds)
    with pytest.raises(ValueError, match="fewer than two labels"):
        FoldMoments(classes=[1]).update(X, np.ones(30), folds)


@pytest.mark.parametrize("estimator", REGRESSORS + CLASSIFIERS)
def test_what_needs_rows_says_so(estimator):
    X, y, folds = some()
    y = y > 0 if estimator in CLASSIFIERS else y
    moments = FoldMoments(classes=[False, True] if estimator in CLASSIFIERS else None)
    moments.update(X, y, folds)
    with pytest.raises(ValueError, match="held-out predictions, which need the rows"):
        estimator(store_cv_results=True).fit_moments(moments)
    if "scoring" in estimator().get_params():
        with pytest.raises(ValueError, match="scoring='r2' asks for held-out predictions"):
            estimator(scoring="r2").fit_moments(moments)
    if "error" in estimator().get_params():
        with pytest.raises(ValueError, match="counts labels, which needs the rows"):
            estimator(error="zero_one").fit_moments(moments)
    with pytest.raises(TypeError, match="fit_moments takes FoldMoments, got ndarray"):
        estimator().fit_moments(X)
    with pytest.raises(ValueError, match="no rows yet to fit"):
        estimator().fit_moments(FoldMoments(classes=moments.classes))
    other = FoldMoments(classes=None if estimator in CLASSIFIERS else [0, 1])
    other.update(X, y > 0, folds)
    with pytest.raises(ValueError, match="moments of labels for classifiers"):
        estimator().fit_moments(other)
    whole = FoldMoments(classes=moments.classes).update(X, y, np.full(30, -1))
    with pytest.raises(ValueError, match="all rows are labelled -1"):
        estimator().fit_moments(whole)


def test_it_is_a_scikit_learn_object():
    assert FoldMoments(classes=[1, 2]).get_params() == {"classes": [1, 2]}
    check_no_attributes_set_in_init("FoldMoments", FoldMoments())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y, w: (X * 1e200, y, w), "X has values up to .* multiply X by a constant"),
        (lambda X, y, w: (X, y * 1e200, w), "y has values up to .* multiply y by a constant"),
        (lambda X, y, w: (X, y, w * 1e-200), "sample_weight has values .* by a constant"),
        (lambda X, y, w: (X + np.inf, y, w), "infinity .* expected finite numbers"),
        (lambda X, y, w: (X, y + np.nan, w), "NaN.* expected a finite target in every row"),
        (lambda X, y, w: (X, y, -w), "expected one non-negative, finite number"),
        (lambda X, y, w: (X, y[1:], w), "expected one target for every row of X"),
    ],
)
def test_numbers_that_cannot_be_summed_are_refused(change, message):
    X, y = problems.correlated(20, 4)
    X, y, weights = change(X, y, np.ones(20))
    with pytest.raises(ValueError, match=message):
        FoldMoments().update(X, y, np.arange(20) % 4, weights)


def rolling(steps, distance, window=5, rows=20):
    """(moments, X, y, folds): a window rolls over batches whose mean moves on, and its rows."""
    rng = np.random.default_rng(0)
    moments, batches = FoldMoments(), []
    for step in range(steps):
        X = rng.standard_normal((rows, 3)) + distance * step
        y = X[:, 0] + rng.standard_normal(rows)
        batches.append((X, y, np.arange(rows) % 4))
        moments.update(*batches[-1])
        if step >= window:
            moments.forget(*batches.pop(0))
    return moments, *(np.concatenate(parts) for parts in zip(*batches, strict=True))


@pytest.mark.parametrize("distance", [1.0, 30.0])
def test_the_centre_follows_rows_that_move_on(distance):
    """2000 spreads from where it began, and further: no digit may depend on the first batch."""
    steps = 2000 if distance == 1 else 200
    moments, X, y, folds = rolling(steps, distance)
    fitted = RidgeCV().fit_moments(moments)
    direct = RidgeCV(cv=fold_splits(folds)).fit(X, y)
    assert_allclose(fitted.alpha_errors_, direct.alpha_errors_, rtol=1e-9)
    assert_allclose(fitted.coef_, direct.coef_, rtol=1e-8)


@pytest.mark.parametrize("estimator", [RidgeCV, ForwardRidge, BackwardRidge])
def test_digits_that_lie_beside_rows_far_away_are_warned_of(estimator):
    """The floor: (distance / spread)^2 * 1e-16. Below a distance of 1e3 nothing is said."""
    X, y = problems.correlated(60, 4)
    folds = np.arange(60) % 4
    zeros = (np.zeros((3, 4)), np.zeros(3), np.zeros(3, int))
    direct = estimator(cv=fold_splits(folds)).fit(X, y)
    for distance in (1e2, 1e3, 1e4, 1e5, 1e6):
        moments = FoldMoments().update(*zeros).update(X + distance, y, folds)
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            moments.forget(*zeros)
        off = np.abs(estimator().fit_moments(moments).best_score_ / direct.best_score_ - 1)
        assert off < max(1e-15, 1e-15 * distance**2)
        assert bool(seen) == (distance >= 1e4)
        if seen:
            assert seen[0].category is ConvergenceWarning
            assert "beside what was forgotten" in str(seen[0].message)


@pytest.mark.parametrize("estimator", [RidgeCV, ForwardRidge, BackwardRidge])
def test_a_fold_far_from_the_others_is_warned_of(estimator):
    X, y = problems.correlated(60, 4)
    folds = np.arange(60) % 4
    moments = FoldMoments().update(np.zeros((30, 4)), np.zeros(30), np.full(30, 9))
    moments.update(X + 1e6, y, folds)
    with pytest.warns(ConvergenceWarning, match="of 4 columns, among them 0.* far away"):
        estimator().fit_moments(moments)
