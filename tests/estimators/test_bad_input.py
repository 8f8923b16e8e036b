"""Bad input: every message says what was found, what was expected, and what to do about it."""

import re
import tracemalloc

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.model_selection import GroupKFold, LeaveOneOut

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    ForwardRidge,
    ForwardRidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)
from holdfast.criteria.removals import Removals
from tests import problems

REGRESSORS = [ForwardRidge, BackwardRidge]
CLASSIFIERS = [ForwardRidgeClassifier, BackwardRidgeClassifier]
ALL = REGRESSORS + CLASSIFIERS
WITH_NUMBERS = [*REGRESSORS, RidgeCV]
WITH_LABELS = [*CLASSIFIERS, RidgeClassifierCV]
EVERY = WITH_NUMBERS + WITH_LABELS
ROWS, COLUMNS = 20, 6


def data():
    return problems.classes(ROWS, COLUMNS)


def refused(estimator, X, y, *, says, **fit_parameters):
    """Fitting raises an error of the right kind whose message has all the given parts."""
    with pytest.raises((ValueError, TypeError, MemoryError)) as caught:
        estimator.fit(X, y, **fit_parameters)
    message = str(caught.value)
    for part in says:
        assert re.search(part, message, re.IGNORECASE), f"{part!r} is not in: {message}"
    assert not hasattr(estimator, "coef_"), "a model was left behind"


# parameter, value, parts of the message: what was found, what was expected, what to do
PARAMETERS = [
    ("alphas", 0.0, ["alpha", r"0(\.0)?\b", "positive", "1e-"]),
    ("alphas", -1.0, ["alpha", r"-1(\.0)?\b", "positive", "1e-"]),
    ("alphas", [1.0, 0.0], ["alpha", r"0(\.0)?\b", "positive"]),
    ("alphas", [1.0, -2.5], ["alpha", r"-2\.5", "positive"]),
    ("alphas", [], ["alpha", "empty|no |at least one"]),
    ("alphas", np.nan, ["alpha", "nan"]),
    ("alphas", np.inf, ["alpha", "inf"]),
    ("alphas", [1.0, np.nan], ["alpha", "nan"]),
    ("alphas", [[1.0, 2.0]], ["alpha", r"\(1, 2\)|2-d|dimension|shape"]),
    ("alphas", "many", ["alpha", "many"]),
    ("alphas", True, ["alpha", "True", "numeric"]),
    ("alphas", None, ["alpha", "None"]),
    ("n_features_to_select", 7, ["n_features_to_select", "7", "6"]),
    ("n_features_to_select", 0, ["n_features_to_select", "0"]),
    ("n_features_to_select", -2, ["n_features_to_select", "-2"]),
    ("n_features_to_select", 1.5, ["n_features_to_select", r"1\.5"]),
    ("n_features_to_select", 0.0, ["n_features_to_select", r"0\.0"]),
    ("n_features_to_select", -0.5, ["n_features_to_select", r"-0\.5"]),
    ("n_features_to_select", "most", ["n_features_to_select", "most", "best", "1se"]),
    ("n_features_to_select", None, ["n_features_to_select", "None"]),
    ("n_features_to_select", True, ["n_features_to_select", "True"]),
    ("max_features", 0, ["max_features", "0"]),
    ("max_features", 2.5, ["max_features", r"2\.5"]),
    ("patience", 0, ["patience", "0"]),
    ("patience", -1, ["patience", "-1"]),
    ("fit_intercept", "yes", ["fit_intercept", "yes"]),
    ("standardize", "yes", ["standardize", "yes"]),
    ("store_cv_results", "yes", ["store_cv_results", "yes"]),
    ("feature_groups", [[0, 1], []], ["group", "empty|no column"]),
    ("feature_groups", [[0, 1], [1, 2]], ["group", r"\b1\b", "at most once"]),
    ("feature_groups", [[0, 0]], ["group", r"\b0\b"]),
    ("feature_groups", [[0, 6]], ["group", r"\b6\b", r"\b(5|6)\b"]),
    ("feature_groups", [["a", "b"]], ["group", "'a'", "name"]),
    ("feature_groups", [0, 1], ["group", "list"]),
    ("include", [6], ["include", r"\b6\b"]),
    ("include", [-7], ["include", "-7"]),
    ("include", ["age"], ["include", "age", "name"]),
    ("include", [0.5], ["include", r"0\.5"]),
    ("exclude", [17], ["exclude", r"\b17\b"]),
    ("exclude", ["age"], ["exclude", "age", "name"]),
    ("include", "age", ["include", "age", "list"]),
    ("include", 1.5, ["include", r"1\.5", "list", "expected"]),
    ("include", [True, False], ["include", "True", "flatnonzero"]),
    ("feature_groups", 5, ["feature_groups", "5", "list of lists", r"\[\[0, 1\]"]),
    ("feature_groups", "ab", ["feature_groups", "'ab'", "list of lists"]),
    ("feature_groups", [None], [r"feature_groups\[0\]", "None", "list"]),
]


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize(
    ("parameter", "value", "says"), PARAMETERS, ids=[f"{p}={v!r}" for p, v, _ in PARAMETERS]
)
def test_parameters(estimator, parameter, value, says):
    X, y = data()
    refused(estimator(**{parameter: value}), X, y, says=says)


COMBINATIONS = [
    ({"include": [1], "exclude": [1]}, ["include", "exclude", r"\b1\b"]),
    ({"include": [0], "exclude": [1], "feature_groups": [[0, 1]]}, ["include", "exclude"]),
    ({"n_features_to_select": 5, "exclude": [0, 1]}, ["n_features_to_select", "5", "4"]),
    ({"n_features_to_select": 1, "include": [0, 1]}, ["n_features_to_select", "1", "include", "2"]),
    ({"n_features_to_select": 4, "max_features": 3}, ["n_features_to_select", "max_features"]),
    ({"max_features": 1, "include": [0, 1]}, ["max_features", "include"]),
    ({"n_features_to_select": 6, "feature_groups": [[0, 1]]}, ["n_features_to_select", "6", "5"]),
]


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize(
    ("parameters", "says"), COMBINATIONS, ids=[str(p) for p, _ in COMBINATIONS]
)
def test_combinations_of_parameters(estimator, parameters, says):
    X, y = data()
    refused(estimator(**parameters), X, y, says=says)


@pytest.mark.parametrize("estimator", [ForwardRidge, ForwardRidgeClassifier])
def test_floating_is_a_bool(estimator):
    X, y = data()
    refused(estimator(floating="yes"), X, y, says=["floating", "yes"])


@pytest.mark.parametrize("estimator", CLASSIFIERS)
@pytest.mark.parametrize(
    ("parameters", "says"),
    [
        ({"error": "accuracy"}, ["error", "accuracy", "squared", "zero_one"]),
        ({"error": np.array(["squared", "zero_one"])}, ["error", "array", "choose one"]),
        ({"class_weight": "equal"}, ["class_weight", "equal", "balanced"]),
        ({"class_weight": {0: 1.0, 1: -1.0}}, ["class_weight", "-1"]),
        ({"class_weight": {0: 1.0, "c": 2.0}}, ["class_weight", "c"]),
        ({"class_weight": {0: 1.0, 1: np.nan}}, ["class_weight", "nan"]),
        ({"class_weight": {0: 1.0, 1: "heavy"}}, ["class_weight", "heavy", "positive"]),
        ({"class_weight": {0: 1.0, 1: None}}, ["class_weight", "None", "positive"]),
        ({"class_weight": [1.0, 2.0]}, ["class_weight"]),
    ],
    ids=str,
)
def test_parameters_of_classifiers(estimator, parameters, says):
    X, y = data()
    refused(estimator(**parameters), X, y, says=says)


def test_unknown_names_show_known_ones():
    X, y = data()
    frame = pd.DataFrame(X, columns=["ash", "birch", "cedar", "elm", "fir", "hazel"])
    refused(ForwardRidge(include=["bich"]), frame, y, says=["include", "bich", "birch"])
    refused(ForwardRidge(exclude=["bich"]), frame, y, says=["exclude", "bich", "birch"])
    refused(ForwardRidge(feature_groups=[["ash", "oak"]]), frame, y, says=["group", "oak", "ash"])


everything = np.arange(ROWS)
WRONG_SPLITS = {
    "a word": ("loo", ["cv", "loo", "splitter"]),
    "too many folds": (ROWS + 1, ["21|splits", "20|samples"]),
    "no splits": ([], ["no splits"]),
    "both sides": ([(everything, everything[:4])], ["split 0", "row 0", "one side"]),
    "nothing held out": ([(everything, everything[:0])], ["split 0", "holds out 0", "fewer folds"]),
    "no row to train on": ([(everything[:0], everything[1:])], ["split 0", "trains on 0"]),
    "a row too far": ([(everything[:9], [25])], ["split 0", "25", "20 rows"]),
    "a row twice": ([(everything[:9], [12, 12])], ["split 0", "more than once", "sample_weight"]),
    "a short mask": ([(np.ones(3, bool), [12])], ["split 0", "mask of 3", "20 rows"]),
}


@pytest.mark.parametrize("estimator", ALL)
@pytest.mark.parametrize("case", WRONG_SPLITS)
def test_splits(estimator, case):
    X, y = data()
    cv, says = WRONG_SPLITS[case]
    refused(estimator(cv=cv), X, y, says=says)


@pytest.mark.parametrize("estimator", ALL)
def test_groups_for_a_splitter_without(estimator):
    X, y = data()
    refused(estimator(), X, y, says=["groups", "LeaveOneGroupOut"], groups=y)
    refused(estimator(cv=GroupKFold(3)), X, y, says=["groups"])


@pytest.mark.parametrize("estimator", ALL)
def test_leave_one_out_may_be_named(estimator):
    X, y = data()
    named, default = estimator(cv=LeaveOneOut()).fit(X, y), estimator().fit(X, y)
    np.testing.assert_array_equal(named.coef_, default.coef_)


# -------------------------------------------------------------------------------------------- data


@pytest.mark.parametrize("estimator", EVERY)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csc_matrix, pd.DataFrame])
def test_nan_and_infinity_in_x(estimator, value, storage):
    X, y = data()
    X[3, 4] = value
    found = "NaN" if np.isnan(value) else "infinity.*expected finite"
    refused(estimator(), storage(X), y, says=[found, "imputer|replace"])


@pytest.mark.parametrize("estimator", WITH_NUMBERS)
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_nan_and_infinity_in_y(estimator, value):
    X, y = data()
    y = y.astype(float)
    y[0] = value
    found = "NaN" if np.isnan(value) else "infinity"
    refused(estimator(), X, y, says=[found, "expected a finite target", "drop the rows"])


@pytest.mark.parametrize("estimator", EVERY)
@pytest.mark.parametrize(
    ("X_shape", "y_length", "says"),
    [
        ((ROWS,), ROWS, ["2D", "1D", "reshape"]),
        ((ROWS, 2, 3), ROWS, ["3", "2"]),
        ((ROWS, COLUMNS), ROWS - 1, [str(ROWS), str(ROWS - 1), "one target for every row"]),
        ((0, COLUMNS), 0, ["0"]),
        ((ROWS, 0), ROWS, ["0 feature"]),
    ],
    ids=str,
)
def test_shapes(estimator, X_shape, y_length, says):
    refused(estimator(), np.ones(X_shape), np.arange(y_length) % 2, says=says)


@pytest.mark.parametrize("estimator", EVERY)
def test_one_row_cannot_be_left_out(estimator):
    X, y = data()
    refused(estimator(), X[:1], y[:1], says=["1"])
    weights = np.zeros(ROWS)
    weights[2] = 1.0
    refused(estimator(), X, y, sample_weight=weights, says=["1"])


@pytest.mark.parametrize("estimator", EVERY)
def test_y_is_missing(estimator):
    X, _ = data()
    refused(estimator(), X, None, says=["y"])


@pytest.mark.parametrize("estimator", WITH_NUMBERS)
def test_y_of_three_dimensions_and_of_text(estimator):
    X, _ = data()
    refused(estimator(), X, np.zeros((ROWS, 2, 2)), says=["3|dimension|shape"])
    refused(
        estimator(), X, np.array(["red", "blue"] * (ROWS // 2)), says=["red|blue|string|str|U4"]
    )


@pytest.mark.parametrize("estimator", WITH_LABELS)
def test_a_single_class(estimator):
    X, _ = data()
    refused(estimator(), X, np.full(ROWS, 3), says=["class", r"\b1\b|one|single", "3|two|2"])


@pytest.mark.parametrize("estimator", WITH_LABELS)
def test_a_single_class_among_rows_that_count(estimator):
    X, y = data()
    refused(estimator(), X, y, sample_weight=(y == 1) * 1.0, says=["class", "weight|one|1"])


@pytest.mark.parametrize("estimator", WITH_LABELS)
def test_continuous_labels(estimator):
    X, _ = data()
    refused(estimator(), X, np.linspace(0, 1, ROWS), says=["continuous|classif"])


@pytest.mark.parametrize("estimator", EVERY)
@pytest.mark.parametrize(
    ("weights", "says"),
    [
        (np.zeros(ROWS), ["weight", "zero|positive"]),
        (np.r_[-1.0, np.ones(ROWS - 1)], ["weight", "negative"]),
        (np.r_[np.nan, np.ones(ROWS - 1)], ["weight", "NaN"]),
        (np.r_[np.inf, np.ones(ROWS - 1)], ["weight", "infinity|inf"]),
        (np.ones(ROWS - 1), ["weight", str(ROWS)]),
        (np.ones((ROWS, 2)), ["weight", "1D|1-d|2|dimension"]),
    ],
    ids=["zeros", "negative", "nan", "inf", "short", "2d"],
)
def test_weights(estimator, weights, says):
    X, y = data()
    says = [*says, "expected one non-negative", "correct the weights"]
    refused(estimator(), X, y, sample_weight=weights, says=says)


@pytest.mark.parametrize("estimator", WITH_NUMBERS)
@pytest.mark.parametrize("scale", [1e-160, 1e160])
def test_squares_that_are_no_numbers(estimator, scale):
    X, y = data()
    says = ["squares", re.escape(f"{scale:g}"), "multiply (y|sample_weight) by a constant"]
    refused(estimator(), X, y * scale, says=says)
    refused(estimator(), X, y, sample_weight=np.full(ROWS, scale), says=says)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("standardize", [False, True])
def test_columns_whose_squares_are_no_numbers(storage, standardize):
    X, y = data()
    X[:, 2] *= 1e160
    says = ["column 2", "not finite", "divide"]
    refused(ForwardRidge(standardize=standardize), storage(X), y, says=says)


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("cv", [None, 4], ids=["leave one out", "folds"])
@pytest.mark.parametrize("standardize", [False, True])
@pytest.mark.parametrize("fit_intercept", [False, True])
@pytest.mark.parametrize("scale", [1e-157, 1e-170, 1e-300])
def test_columns_whose_squares_are_zero(storage, cv, standardize, fit_intercept, scale):
    """They tell as much as others; only a column that is constant can be left out."""
    X, y = data()
    X[:, [1, 4]] = 0.0, 7.0
    X[:, 2] *= scale
    says = ["column 2", f"{np.abs(X[:, 2]).max():g}", "1e-150", "multiply"]
    settings = {"cv": cv, "standardize": standardize, "fit_intercept": fit_intercept}
    refused(ForwardRidge(**settings), storage(X), y, says=says)


def test_constant_columns_of_any_size_are_no_error():
    X, y = data()
    X[:, [1, 2, 4]] = 0.0, 1e-170, 7.0
    X[0, 1] = 1e-200  # in a row that does not count
    weights = np.arange(ROWS) > 0
    fitted = ForwardRidge(n_features_to_select=3).fit(X, y, sample_weight=weights)
    assert not fitted.support_[[1, 2, 4]].any()


@pytest.mark.parametrize("storage", [np.asarray, sp.csr_array, sp.csc_array])
@pytest.mark.parametrize("estimator", [RidgeCV, RidgeClassifierCV])
@pytest.mark.parametrize("cv", [None, 4])
@pytest.mark.parametrize("scale", [1e200, -1e200, 1e-200])
def test_tables_whose_squares_are_no_numbers(storage, estimator, cv, scale):
    X, y = data()
    says = ["X has values up to", "squares", r"expected a size between", "multiply X by a constant"]
    refused(estimator(cv=cv), storage(X * scale), y, says=says)


@pytest.mark.parametrize("estimator", ALL)
def test_other_numbers_of_columns_at_prediction(estimator):
    X, y = data()
    fitted = estimator().fit(X, y)
    for method in (fitted.predict, fitted.transform):
        with pytest.raises(ValueError, match="6 features"):
            method(X[:, :4])


@pytest.mark.parametrize("estimator", ALL)
def test_nothing_works_before_fit(estimator):
    X, _ = data()
    for method in (
        lambda: estimator().predict(X),
        lambda: estimator().transform(X),
        lambda: estimator().truncate(2),
        lambda: estimator().get_support(),
        lambda: estimator().get_feature_names_out(),
    ):
        with pytest.raises(Exception, match="not fitted") as error:
            method()
        assert type(error.value).__name__ == "NotFittedError"


def test_bad_input_is_refused_before_any_work():
    """A hostile array that is only looked at if the search starts: parameters are checked first."""
    X, y = data()

    class Callback:
        def setup(self, estimator, context):
            raise AssertionError("work began")

        on_fit_task_begin = on_fit_task_end = teardown = setup

    estimator = ForwardRidge(alphas=-1.0)
    estimator.set_callbacks(Callback())
    with pytest.raises(ValueError, match="alpha"):
        estimator.fit(X, y)


def test_backward_says_what_memory_it_would_take():
    """The products of every alpha are rows x columns; where they do not fit, fit stops at once."""
    X = sp.random_array((60_000, 60_000), density=1e-6, rng=0, format="csr")
    y = np.arange(60_000.0)
    refused(
        BackwardRidge(alphas=np.logspace(-3, 3, 10)),
        X,
        y,
        says=["60000 x 60000", "10", "GB", "fewer alphas", "forward"],
    )


@pytest.mark.parametrize("estimator", [BackwardRidge, BackwardRidgeClassifier])
def test_excluded_columns_take_no_memory(estimator):
    """What the message advises helps: 59,997 of 60,000 columns are excluded."""
    X = sp.random_array((60, 60_000), density=0.1, rng=0, format="csr")
    fitted = estimator(exclude=range(3, 60_000)).fit(X, np.arange(60) % 2)
    assert fitted.path_sizes_[0] == 3


@pytest.mark.parametrize("shape", [(2000, 60), (200, 200), (40, 300)], ids=str)
@pytest.mark.parametrize("alphas", [1.0, [0.5, 1.0, 2.0, 4.0]], ids=["one alpha", "grid"])
@pytest.mark.parametrize("balanced", [False, True], ids=["one view", "three views"])
def test_backward_takes_the_memory_it_says(shape, alphas, balanced):
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal(shape), np.arange(shape[0]) % 2
    estimator = BackwardRidgeClassifier(
        alphas=alphas,
        class_weight="balanced" if balanced else None,
        n_features_to_select=shape[1] - 2,
    )
    said = Removals.memory(*shape, np.size(alphas), 3 if balanced else 1)
    tracemalloc.start()
    estimator.fit(X, y)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert 0.5 * said < taken < 1.25 * said + 3e6  # pieces that fit in the cache are not told


def with_entry(array, row, value):
    """The array as objects, one entry replaced."""
    changed = np.asarray(array).astype(object)
    changed[row] = value
    return changed


@pytest.mark.parametrize("classifier", CLASSIFIERS)
@pytest.mark.parametrize("row", [0, 3])
@pytest.mark.parametrize(("label", "kind"), [(None, "NoneType"), (3, "int"), (np.nan, "NaN|float")])
def test_labels_of_several_kinds(classifier, row, label, kind):
    X, y = data()
    names = with_entry(np.array(["no", "yes"])[y], row, label)
    refused(classifier(), X, names, says=["(y|Input)", kind, "expected", "drop the rows"])


@pytest.mark.parametrize("estimator", ALL)
def test_text_in_place_of_numbers(estimator):
    X, y = data()
    says = ["'x'", "expected numbers in X", "OneHotEncoder"]
    refused(estimator(), with_entry(X, (3, 1), "x"), y, says=says)
    says = ["sample_weight", "'x'", "expected one non-negative", "correct the weights"]
    refused(estimator(), X, y, sample_weight=with_entry(np.ones(ROWS), 3, "x"), says=says)


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_targets_that_are_no_numbers(estimator):
    X, y = data()
    refused(estimator(), X, with_entry(y, 3, "x"), says=["'x'", "expected numbers", "classifier"])
    refused(estimator(), X, with_entry(y, 3, None), says=["y contains nan", "finite", "drop"])


@pytest.mark.parametrize("estimator", ALL)
def test_shapes_say_what_to_do(estimator):
    X, y = data()
    refused(estimator(), X, np.empty((ROWS, 0)), says=["y has shape", r"\(20, 0\)", "at least one"])
    refused(estimator(), X[:, :0], y, says=["0 feature", "expected at least one column in X"])
    refused(estimator(), X[:1], y[:1], says=["1 sample", "expected at least two rows", "pass more"])
    refused(estimator(), X, np.zeros((ROWS, 1, 1)), says=["dim 3", "expected", "reshape"])
    refused(estimator(), X, None, says=["y is None", "expected one target", "pass y"])


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_targets_that_are_no_labels(classifier):
    X, y = data()
    refused(
        classifier(), X, y + 0.5 + X[:, 0], says=["continuous", "expected one label", "regressor"]
    )


def test_only_a_name_that_is_near_is_proposed():
    X, y = data()
    table = pd.DataFrame(X, columns=["f", "age", "height", "width", "depth", "mass"])
    refused(ForwardRidge(include=["hieght"]), table, y, says=["'hieght'", "did you mean 'height'"])
    says = ["'zz'", "expected one of 'f', 'age'", "correct the name"]
    with pytest.raises(ValueError, match="zz") as caught:
        ForwardRidge(include=["zz"]).fit(table, y)
    assert "did you mean" not in str(caught.value)
    refused(ForwardRidge(include=["zz"]), table, y, says=says)
