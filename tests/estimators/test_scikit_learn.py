"""The conventions of scikit-learn: its own checks, pipelines, names, metadata, callbacks."""

import pickle
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.callback import ProgressBar
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning
from sklearn.feature_selection import SelectFromModel
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import holdfast
from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    EvidenceRegressor,
    ForwardRidge,
    ForwardRidgeClassifier,
    KernelRidgeCV,
    LarsRidge,
    LarsSVC,
    PrunedRidge,
    RelevanceVectorRegressor,
    RidgeClassifierCV,
    RidgeCV,
    SparseKernelRidge,
    SparseKernelRidgeClassifier,
)
from tests import problems

REGRESSORS = [ForwardRidge, BackwardRidge]
CLASSIFIERS = [ForwardRidgeClassifier, BackwardRidgeClassifier]
ALL = REGRESSORS + CLASSIFIERS

# The check holds out groups, so that copies of a row go together and weigh as one row does.
# Balanced class weights count rows, and so they count copies.
COPIES_COUNT = "class_weight='balanced' counts rows, not their weights"


# A basis of fewer vectors than rows is chosen among rows: a row of weight 2 is one, its copies two.
ROWS_ARE_CHOSEN = "the choice of a basis counts rows, not their weights"

# The check wants the heavy class named everywhere; a kernel model without intercept is zero
# far from its basis, whatever the weights. With an intercept it passes.
ZERO_FAR_AWAY = "a local kernel without intercept says nothing far from its basis"


# A weight is a precision: one row of weight 2 tells less about the noise than two of weight 1; nor
# is it two basis functions. With fixed variances, on columns, the check passes.
WEIGHTS_ARE_PRECISIONS = "weights are precisions, not numbers of rows"


def expected_failures(estimator):
    if isinstance(estimator, EvidenceRegressor | RelevanceVectorRegressor):
        if estimator.kernel is None and estimator.noise_variance != "auto":
            return {}
        return {
            "check_sample_weight_equivalence_on_dense_data": WEIGHTS_ARE_PRECISIONS,
            "check_sample_weight_equivalence_on_sparse_data": WEIGHTS_ARE_PRECISIONS,
        }
    if isinstance(estimator, SparseKernelRidge | SparseKernelRidgeClassifier):
        checks = {}
        # Of few rows greedy sees all; entropy ends at one basis, copies or not.
        if estimator.n_basis < 100 and estimator.basis == "random":
            checks = dict.fromkeys(
                (
                    "check_sample_weight_equivalence_on_dense_data",
                    "check_sample_weight_equivalence_on_sparse_data",
                ),
                ROWS_ARE_CHOSEN,
            )
        if not estimator.fit_intercept and is_classifier(estimator):
            checks["check_class_weight_classifiers"] = ZERO_FAR_AWAY
        return checks
    if getattr(estimator, "class_weight", None) != "balanced":
        return {}
    return {
        "check_sample_weight_equivalence_on_dense_data": COPIES_COUNT,
        "check_sample_weight_equivalence_on_sparse_data": COPIES_COUNT,
    }


@pytest.mark.filterwarnings("ignore:.*candidate")
@pytest.mark.filterwarnings("ignore:No features were selected")
@pytest.mark.filterwarnings("ignore:the best penalty lies on the edge")
@pytest.mark.filterwarnings("ignore:.*skipped. a combination")
@pytest.mark.filterwarnings("ignore:.*the model interpolates")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(
    [
        *(estimator() for estimator in ALL),
        ForwardRidge(floating=True, alphas=[0.1, 1.0], standardize=True),
        ForwardRidgeClassifier(error="zero_one", class_weight="balanced"),
        ForwardRidge(cv=3),
        BackwardRidgeClassifier(cv=3),
        LarsRidge(),
        LarsRidge(cv=3, alpha=[1.0, 0.0], refit=True),
        LarsSVC(),
        LarsSVC(refit=True, lasso=True, threshold="f1"),
        PrunedRidge(),
        PrunedRidge(cv=3, alphas=[0.1, 1.0], standardize=True),
        PrunedRidge(regularized=False),
        RidgeCV(),
        RidgeCV(cv=3, alphas="auto", standardize=True),
        RidgeClassifierCV(),
        RidgeClassifierCV(cv=3),
        SparseKernelRidge(),
        SparseKernelRidge(
            n_basis=30, basis="entropy", alphas="auto", gamma=[0.1, 1.0], cv=3, fit_intercept=True
        ),
        SparseKernelRidge(n_basis=12, basis="greedy", cv=3, basis_per_split=True),
        SparseKernelRidgeClassifier(),
        SparseKernelRidgeClassifier(
            n_basis=20, held_out_basis="keep", cv=3, fit_intercept=True, class_weight="balanced"
        ),
        KernelRidgeCV(),
        KernelRidgeCV(kernel="rbf", alphas="auto", cv=3, fit_intercept=True),
        EvidenceRegressor(),
        EvidenceRegressor(
            kernel=None, fit_intercept=True, noise_variance=1.0, weight_precision=1.0
        ),
        EvidenceRegressor(low_rank=10, n_candidates=5, random_state=0, fit_intercept=True),
        RelevanceVectorRegressor(),
        RelevanceVectorRegressor(
            algorithm="em", kernel=None, fit_intercept=True, noise_variance=1.0
        ),
    ],
    expected_failed_checks=expected_failures,
)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ALL)
def test_what_it_is(estimator):
    assert is_classifier(estimator()) == (estimator in CLASSIFIERS)
    assert is_regressor(estimator()) == (estimator in REGRESSORS)
    tags = estimator().__sklearn_tags__()
    assert tags.input_tags.sparse
    assert tags.target_tags.multi_output == (estimator in REGRESSORS)
    assert tags.transformer_tags is not None


@pytest.mark.parametrize("estimator", ALL)
def test_parameters_are_stored_as_given_and_keyword_only(estimator):
    alphas = [1.0, 2.0]
    built = estimator(alphas=alphas, include=("a",))
    assert built.alphas is alphas
    assert built.include == ("a",)
    assert "store_cv_results" in built.get_params()
    with pytest.raises(TypeError):
        estimator(1.0)


@pytest.mark.parametrize("estimator", ALL)
def test_clone_and_pickle(estimator):
    X, labels = problems.classes(40, 6)
    fitted = estimator(alphas=[1.0, 0.1], feature_groups=[[0, 1]]).fit(X, labels)
    copied = clone(fitted)
    assert copied.get_params() == fitted.get_params()
    assert not hasattr(copied, "coef_")
    again = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(again.predict(X), fitted.predict(X))
    assert_array_equal(again.transform(X), fitted.transform(X))
    assert_array_equal(again.truncate(2).coef_, fitted.truncate(2).coef_)


@pytest.mark.parametrize("estimator", ALL)
def test_a_pickle_holds_no_data(estimator):
    """A fitted model is small: neither X nor anything as long as its rows is kept."""
    X, labels = problems.classes(4000, 6)
    fitted = estimator().fit(X, labels)
    assert len(pickle.dumps(fitted)) < 8 * len(X)


@pytest.mark.parametrize("estimator", ALL)
def test_refitting_forgets(estimator):
    X, labels = problems.classes(40, 6)
    frame = pd.DataFrame(X, columns=list("abcdef"))
    fitted = estimator(alphas=[1.0, 2.0], store_cv_results=True).fit(frame, labels)
    fitted.set_params(alphas=1.0, store_cv_results=False).fit(X[:, :4], labels)
    fresh = estimator().fit(X[:, :4], labels)
    assert vars(fitted).keys() == vars(fresh).keys()
    assert fitted.coef_.shape[-1] == fitted.n_features_in_ == 4


# ------------------------------------------------------------------------------------------- names


def frames():
    X, y = problems.from_few_columns(60, 6, used=(4, 1))
    names = ["ash", "birch", "cedar", "elm", "fir", "hazel"]
    return X, y, names


@pytest.mark.parametrize(
    "container",
    [lambda X, names: pd.DataFrame(X, columns=names), lambda X, names: pl.DataFrame(X, names)],
    ids=["pandas", "polars"],
)
@pytest.mark.parametrize("estimator", REGRESSORS)
def test_names_survive(container, estimator):
    X, y, names = frames()
    frame = container(X, names)
    fitted = estimator(n_features_to_select=2, exclude=["ash"]).fit(frame, y)
    assert_array_equal(fitted.feature_names_in_, names)
    assert_array_equal(fitted.get_feature_names_out(), ["birch", "fir"])
    assert_allclose(fitted.predict(frame), fitted.predict(frame), rtol=0)
    assert_array_equal(np.asarray(fitted.transform(frame)), X[:, [1, 4]])


def test_a_frame_with_other_columns_is_refused():
    X, y, names = frames()
    fitted = ForwardRidge().fit(pd.DataFrame(X, columns=names), y)
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(pd.DataFrame(X, columns=names[::-1]))


def test_without_names_they_are_made_up_as_everywhere():
    X, y, _ = frames()
    fitted = ForwardRidge(n_features_to_select=2).fit(X, y)
    assert not hasattr(fitted, "feature_names_in_")
    assert_array_equal(fitted.get_feature_names_out(), ["x1", "x4"])


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_set_output(estimator):
    X, y, names = frames()
    frame = pd.DataFrame(X, columns=names)
    fitted = estimator(n_features_to_select=2).fit(frame, y)
    out = fitted.set_output(transform="pandas").transform(frame)
    assert isinstance(out, pd.DataFrame)
    assert list(out.columns) == ["birch", "fir"]
    out = fitted.set_output(transform="polars").transform(frame)
    assert isinstance(out, pl.DataFrame)
    assert out.columns == ["birch", "fir"]
    assert isinstance(fitted.set_output(transform="default").transform(frame), np.ndarray)


def test_inverse_transform_fills_zeros():
    X, y, _ = frames()
    fitted = ForwardRidge(n_features_to_select=2).fit(X, y)
    back = fitted.inverse_transform(fitted.transform(X))
    assert_array_equal(back, X * fitted.support_)


def test_transform_keeps_sparse_and_dtype():
    X, y, _ = frames()
    fitted = ForwardRidge(n_features_to_select=2).fit(X, y)
    out = fitted.transform(sp.csr_array(X))
    assert sp.issparse(out)
    assert_array_equal(out.toarray(), X[:, [1, 4]])
    assert fitted.transform(X.astype(np.float32)).dtype == np.float32


# --------------------------------------------------------------------------------- meta-estimators


@pytest.mark.parametrize("estimator", REGRESSORS)
def test_in_a_pipeline_at_the_end_and_in_the_middle(estimator):
    X, y = load_diabetes(return_X_y=True)
    end = make_pipeline(StandardScaler(), estimator(n_features_to_select=4)).fit(X, y)
    assert 0.4 < end.score(X, y) < 0.6
    middle = make_pipeline(
        StandardScaler(), estimator(n_features_to_select=4), sklearn.linear_model.Ridge()
    ).fit(X, y)
    assert_allclose(middle.predict(X), end.predict(X), rtol=1e-9)
    assert middle[:-1].get_feature_names_out().tolist() == [
        f"x{i}" for i in np.flatnonzero(end[-1].support_)
    ]


@pytest.mark.parametrize("estimator", ALL)
def test_grid_search(estimator):
    X, y = load_iris(return_X_y=True)
    grid = {"alphas": [0.1, [1.0, 10.0]], "n_features_to_select": [1, "best", "1se", 0.5]}
    search = GridSearchCV(estimator(), grid, cv=3).fit(X, y)
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()
    assert search.best_score_ > 0 or estimator in REGRESSORS
    assert search.best_estimator_.n_features_ in range(1, 5)


def test_cross_val_score_and_select_from_model():
    X, y = load_diabetes(return_X_y=True)
    assert cross_val_score(ForwardRidge(alphas=1e-3), X, y, cv=3).mean() > 0.4
    selector = SelectFromModel(ForwardRidge(n_features_to_select=3), threshold=1e-9).fit(X, y)
    assert_array_equal(selector.get_support(), selector.estimator_.support_)


@pytest.mark.parametrize("routing", [False, True])
def test_sample_weight_is_routed(routing):
    X, y = load_diabetes(return_X_y=True)
    weights = problems.weights(len(X), "zeros")
    direct = ForwardRidge(alphas=1e-3).fit(X, y, sample_weight=weights)
    with sklearn.config_context(enable_metadata_routing=routing):
        step = ForwardRidge(alphas=1e-3)
        if routing:
            step.set_fit_request(sample_weight=True)
            routed = make_pipeline(step).fit(X, y, sample_weight=weights)
        else:
            routed = make_pipeline(step).fit(X, y, forwardridge__sample_weight=weights)
    assert_allclose(routed[-1].coef_, direct.coef_)
    assert np.abs(direct.coef_ - ForwardRidge(alphas=1e-3).fit(X, y).coef_).max() > 1


@pytest.mark.parametrize("estimator", ALL)
def test_groups_are_routed_but_leave_one_out_has_no_use_for_them(estimator):
    X, labels = problems.classes(30, 5)
    groups = np.arange(30) // 3
    with sklearn.config_context(enable_metadata_routing=True):
        grouped = make_pipeline(estimator().set_fit_request(groups=True))
        with pytest.raises(ValueError, match="groups.*leave-one-out"):
            grouped.fit(X, labels, groups=groups)


# --------------------------------------------------------------------------------------- callbacks


class Recorder:
    """A callback that writes down what happened and may stop the search."""

    def __init__(self, stop_after=None):
        self.stop_after = stop_after
        self.events = []
        self.moves = []
        self.max_subtasks = None

    def setup(self, estimator, context):
        self.events.append("setup")
        self.max_subtasks = context.max_subtasks

    def on_fit_task_begin(self, estimator, context):
        if context.parent is not None:
            self.events.append("begin")

    def on_fit_task_end(self, estimator, context):
        if context.parent is None:
            return False
        self.events.append("end")
        self.moves.append(context.task_id)
        return self.stop_after is not None and len(self.moves) >= self.stop_after

    def teardown(self, estimator, context):
        self.events.append("teardown")


@pytest.mark.parametrize("estimator", ALL)
def test_a_callback_sees_one_task_per_move(estimator):
    X, labels = problems.classes(40, 8)
    recorder = Recorder()
    fitted = estimator(n_features_to_select=3)
    fitted.set_callbacks(recorder)
    fitted.fit(X, labels)
    assert len(recorder.moves) == len(fitted.path_moves_)
    assert recorder.moves == list(range(len(recorder.moves)))
    assert recorder.events == ["setup", *["begin", "end"] * len(recorder.moves), "teardown"]
    assert recorder.max_subtasks in (None, len(fitted.path_moves_))


@pytest.mark.parametrize("estimator", ALL)
def test_a_callback_may_stop_the_search(estimator):
    X, labels = problems.classes(40, 8)
    recorder = Recorder(stop_after=2)
    fitted = estimator(patience=None)
    fitted.set_callbacks(recorder)
    fitted.fit(X, labels)
    assert len(fitted.path_moves_) == 2
    assert len(fitted.path_errors_) == 3
    whole = estimator(patience=None).fit(X, labels)
    assert_allclose(fitted.path_errors_, whole.path_errors_[:3])
    assert fitted.n_features_ in fitted.path_sizes_


@pytest.mark.parametrize("estimator", ALL)
def test_a_callback_is_shown_the_model_of_every_move(estimator):
    X, labels = problems.classes(40, 8, 3)

    class Models(Recorder):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            if context.parent is not None:
                self.moves.append(fitted_estimator)

    models = Models()
    fitted = estimator(n_features_to_select=3, standardize=True)
    fitted.set_callbacks(models)
    fitted.fit(X, labels)
    for model, size in zip(models.moves, fitted.path_sizes_[1:], strict=True):
        truncated = fitted.truncate(size)
        assert_array_equal(model.coef_, truncated.coef_)
        assert_array_equal(model.predict(X), truncated.predict(X))
        assert_array_equal(model.transform(X), truncated.transform(X))


KERNEL_MODELS = [SparseKernelRidge, SparseKernelRidgeClassifier, KernelRidgeCV]


@pytest.mark.parametrize("estimator", [RidgeCV, RidgeClassifierCV, *KERNEL_MODELS])
def test_one_decomposition_is_one_task(estimator):
    """No part of it could be counted: a callback sees the beginning and the fitted model."""
    X, labels = problems.classes(40, 8)

    class Whole(Recorder):
        def on_fit_task_begin(self, estimator, context):
            self.events.append("begin")

        def on_fit_task_end(self, estimator, context, *, X=None, fitted_estimator=None):
            self.events.append(fitted_estimator.predict(X))

    whole = Whole()
    fitted = estimator(alphas=[0.1, 1.0])
    fitted.set_callbacks(whole)
    fitted.fit(X, labels)
    setup, begin, predicted, teardown = whole.events
    assert (setup, begin, teardown) == ("setup", "begin", "teardown")
    assert whole.max_subtasks == 0
    assert_array_equal(predicted, fitted.predict(X))
    assert_array_equal(predicted, estimator(alphas=[0.1, 1.0]).fit(X, labels).predict(X))


@pytest.mark.parametrize("estimator", KERNEL_MODELS)
def test_every_width_is_a_task(estimator):
    X, labels = problems.classes(40, 8)
    parameters = {"kernel": "rbf", "gamma": [0.01, 0.1, 1.0]}
    recorder = Recorder()
    fitted = estimator(**parameters)
    fitted.set_callbacks(recorder)
    fitted.fit(X, labels)
    assert recorder.max_subtasks == 3
    assert recorder.moves == [0, 1, 2]
    assert recorder.events == ["setup", *["begin", "end"] * 3, "teardown"]
    stopped = estimator(**parameters)
    stopped.set_callbacks(Recorder(stop_after=2))
    stopped.fit(X, labels)
    first_two = estimator(**{**parameters, "gamma": [0.01, 0.1]}).fit(X, labels)
    assert_array_equal(stopped.gammas_, [0.01, 0.1])
    assert_array_equal(stopped.gamma_errors_, fitted.gamma_errors_[:2])
    assert stopped.gamma_ == first_two.gamma_
    assert_array_equal(stopped.predict(X), first_two.predict(X))


def test_every_task_that_begins_ends():
    """Also where candidates run out, or there are none."""
    X, y, _ = problems.with_constant_columns()
    for columns, moves in ((range(8), 6), ([0, 5], 0)):
        recorder = Recorder()
        fitted = ForwardRidge(patience=None)
        fitted.set_callbacks(recorder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            fitted.fit(X[:, list(columns)], y)
        assert recorder.events == ["setup", *["begin", "end"] * moves, "teardown"]


def test_callbacks_are_torn_down_when_fit_fails():
    X, y, _ = frames()

    class Failing(Recorder):
        def on_fit_task_end(self, estimator, context):
            raise RuntimeError("on purpose")

    recorder = Failing()
    estimator = ForwardRidge()
    estimator.set_callbacks(recorder)
    with pytest.raises(RuntimeError, match="on purpose"):
        estimator.fit(X, y)
    assert recorder.events[-1] == "teardown"


def test_progress_bar(capsys):
    X, y, _ = frames()
    estimator = ForwardRidge(n_features_to_select=3)
    estimator.set_callbacks(ProgressBar())
    estimator.fit(X, y)
    assert "ForwardRidge" in capsys.readouterr().out
    assert_allclose(estimator.coef_, ForwardRidge(n_features_to_select=3).fit(X, y).coef_)


# ----------------------------------------------------------------------------------- other manners


@pytest.mark.parametrize("estimator", ALL)
def test_html_and_text(estimator):
    X, labels = problems.classes(30, 5)
    fitted = estimator(alphas=[1.0, 2.0]).fit(X, labels)
    assert estimator.__name__ in fitted._repr_html_()
    assert repr(fitted) == f"{estimator.__name__}(alphas=[1.0, 2.0])"


@pytest.mark.parametrize("estimator", ALL)
def test_shapes_of_attributes(estimator):
    X, labels = problems.classes(40, 7)
    fitted = estimator(n_features_to_select=3).fit(X, labels)
    entries = len(fitted.path_errors_)
    for name in ("path_sizes_", "path_std_errors_", "path_alphas_"):
        assert len(getattr(fitted, name)) == entries
        assert isinstance(getattr(fitted, name), np.ndarray)
    assert len(fitted.path_moves_) == entries - 1
    assert fitted.support_.dtype == bool
    assert fitted.support_.shape == (7,)
    assert fitted.selection_order_.dtype.kind == "i"
    assert isinstance(fitted.n_features_, int)
    assert isinstance(fitted.alpha_, float)
    assert isinstance(fitted.best_score_, float)
    assert not hasattr(fitted, "path_fold_errors_")
    assert not hasattr(fitted, "cv_results_")


@pytest.mark.parametrize("estimator", REGRESSORS)
@pytest.mark.parametrize("targets", [None, 1, 3])
def test_shapes_are_those_of_ridge(estimator, targets):
    X, Y = problems.several_targets(40, 7)
    y = Y[:, 0] if targets is None else Y[:, :targets]
    reference = sklearn.linear_model.Ridge().fit(X, y)
    fitted = estimator(n_features_to_select=7).fit(X, y)
    assert np.shape(fitted.coef_) == np.shape(reference.coef_)
    assert np.shape(fitted.intercept_) == np.shape(reference.intercept_)
    assert fitted.predict(X).shape == reference.predict(X).shape


def test_store_cv_results_of_a_regressor():
    X, Y = problems.several_targets(30, 6)
    fitted = ForwardRidge(alphas=[1.0, 0.1], store_cv_results=True, n_features_to_select=3)
    fitted.fit(X, Y)
    assert fitted.held_out_predictions_.shape == Y.shape
    assert_allclose(np.mean((Y - fitted.held_out_predictions_) ** 2), -fitted.best_score_)
    assert hasattr(fitted, "cv_results_")
    single = ForwardRidge(store_cv_results=True).fit(X, Y[:, 0])
    assert single.held_out_predictions_.shape == (30,)


def test_everything_public_is_exported():
    for estimator in ALL:
        assert estimator.__name__ in holdfast.__all__
    assert isinstance(holdfast.__version__, str)


@pytest.mark.parametrize("estimator", ALL)
def test_docstrings_say_what_is_exact_and_what_it_costs(estimator):
    text = estimator.__doc__
    for section in ("Parameters", "Attributes", "Notes", "References", "Examples"):
        assert f"{section}\n    {'-' * len(section)}" in text
    for parameter in estimator().get_params():
        assert re.search(rf"^    (\w+, )*{parameter}(, \w+)* : ", text, re.MULTILINE), parameter


def test_a_size_not_reached_is_told_where_fit_was_called():
    X, y, _ = frames()
    stopped = ForwardRidge(n_features_to_select=5)
    stopped.set_callbacks(Recorder(stop_after=2))
    with pytest.warns(DataDimensionalityWarning, match=r"5 .* ended at 2.*callback") as caught:
        stopped.fit(X, y)
    assert caught[0].filename == __file__
    X[:, 2:] = 1.0
    with pytest.warns(DataDimensionalityWarning, match=r"5 .* ended at 2.*constant") as caught:
        ForwardRidge(n_features_to_select=5).fit(X, y)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "estimator",
    [
        EvidenceRegressor(noise_variance=0.1, weight_precision=1.0, fit_intercept=True),
        EvidenceRegressor(
            noise_variance=0.1, weight_precision=1.0, fit_intercept=True, low_rank=30
        ),
        RelevanceVectorRegressor(noise_variance=0.1, fit_intercept=True),
        RelevanceVectorRegressor(noise_variance=0.1, algorithm="em", kernel=None),
    ],
)
def test_callbacks_of_models_with_a_posterior(estimator):
    X, y = problems.from_few_columns(40, 5, used=(1, 3))

    class Models(Recorder):
        def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
            if context.parent is not None:
                self.moves.append(fitted_estimator)
                return len(self.moves) == 3
            return False

    models = Models()
    fitted = clone(estimator)
    fitted.set_callbacks(models)
    fitted.fit(X, y)
    assert len(models.moves) == 3
    assert models.events[-1] == "teardown"
    last = models.moves[-1]
    if isinstance(estimator, EvidenceRegressor):
        # The order is that of the rank; models on the way are those of its approximate kernel.
        tolerance = 1e-8 if estimator.low_rank is None else 0.5
        assert_array_equal(last.basis_indices_, fitted.selection_order_)
        assert_allclose(last.predict(X), fitted.truncate(3).predict(X), atol=tolerance)
    else:
        assert_allclose(last.predict(X), fitted.predict(X), rtol=1e-9)
    whole = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(whole))
    assert_array_equal(again.predict(X), whole.predict(X))
    with pytest.raises(TypeError):
        type(estimator)("rbf")


@pytest.mark.parametrize("estimator", [RidgeCV, *KERNEL_MODELS[:1], KernelRidgeCV])
def test_an_edge_of_the_grid_is_told_once_where_fit_was_called(estimator):
    """Of the chosen width, also where there are several."""
    X, _ = problems.classes(40, 8)
    parameters = {"alphas": "auto"}
    if estimator is not RidgeCV:
        parameters |= {"kernel": "laplacian", "gamma": [1e-12, 1e-11]}
    y = X @ np.arange(8.0)
    with pytest.warns(ConvergenceWarning, match="on the edge") as caught:
        estimator(**parameters).fit(X, y)
    assert len(caught) == 1
    assert caught[0].filename == __file__
