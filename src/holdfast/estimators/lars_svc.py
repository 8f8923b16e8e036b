"""Generalised LARS with the squared hinge, as a classifier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.callback import with_callbacks
from sklearn.utils.multiclass import type_of_target

from holdfast.estimators.classes import code_classes
from holdfast.estimators.lars_selector import LarsSelector
from holdfast.estimators.scored import ScoredWhereStored
from holdfast.estimators.threshold import best_threshold, check_threshold
from holdfast.rows.sums import Array


class LarsSVC(ScoredWhereStored, ClassifierMixin, LarsSelector):
    """Linear support vector machine on the columns that generalised LARS lets in first.

    The path of :class:`LarsRidge` with the squared hinge: examples beyond their margin do not
    count, and every one that crosses it bends the path. For binary, multiclass (one path per class
    against the rest) and multilabel targets (one per label).

    Parameters
    ----------
    alpha : float or sequence of float, default=1.0
        L2 penalty, at least 0; of a sequence one path each is followed and the one with the
        smaller error kept: 1 and 0 are worth trying. Never rescaled by the number of rows.
    fit_intercept : bool, default=True
        Whether to fit an unpenalised intercept.
    lasso : bool, default=False
        Whether columns leave whose coefficient would change sign: the exact path of the squared
        hinge with L1 (and L2) penalty.
    refit : bool, default=False
        Whether to fit the classifier again on the selected columns, without the L1 penalty, instead
        of taking the coefficients of the path, which are shrunk.
    cv : None, int, splitter or iterable of (train, test), default=None
        None or ``LeaveOneOut()`` is the leave-one-out approximation described in the notes.
        Anything else, as scikit-learn's ``check_cv``, follows a path of its own on every training
        set.
    n_features_to_select : int, float, "best" or "1se", default="best"
        A number of columns for every class, a fraction of them, the smallest error (ties to the
        smaller model), or the smallest model whose error is at most the best plus its standard
        error. Of several classes all have the same number.
    max_features : int or None, default=None
        Bounds the choice of size and ends the paths. Advisable with ``cv`` for wide tables.
    patience : int or None, default=20
        For ``"best"`` and ``"1se"`` with leave-one-out: judged models without a new choice after
        which a path ends. None: never.
    sizes : list of int or None, default=None
        Sizes that are judged, and can be chosen, beside none and the last. None: every size up to
        64, and from there on sizes that grow by 2 percent.
    threshold : str or None, default=None
        Name of a metric of labels, such as ``"f1"``, that the decision threshold shall make largest
        on the held-out outputs of every judged model; class by class. None: zero.
    store_cv_results : bool, default=False
        Whether to keep ``held_out_predictions_`` and ``path_held_out_predictions_``.
    n_jobs : int or None, default=None
        Processes that follow paths (classes times penalties times splits), as in joblib.

    Attributes
    ----------
    coef_ : array of shape (1, n) or (classes, n)
        Coefficients over all columns, zero off the support; of labels (labels, n).
    intercept_ : array of shape (1,) or (classes,)
        Intercept less the threshold, so that positive decision values are labelled positive.
    threshold_ : array of shape (1,) or (classes,)
        The threshold.
    path_thresholds_ : array of shape (entries, classes)
        Those of every judged model.
    classes_ : array
        Labels.
    support_ : bool array of shape (n,)
        Columns that any class uses.
    n_features_ : int
        Columns of every class's model.
    selection_order_ : int array
        Columns in the order they entered the path, beyond the chosen size too; of several classes
        their orders one after the other, see ``paths_``.
    alpha_, alphas_ : float and array
        The chosen L2 penalty, and all of them.
    alpha_errors_ : array of shape (alphas,)
        Error of the chosen size on every penalty's path.
    best_score_ : float
        Minus the error (mean squared hinge) of the chosen model.
    path_sizes_, path_errors_, path_std_errors_, path_alphas_ : arrays of shape (entries,)
        Size, error, standard error and penalty of every judged model.
    path_fold_errors_ : array of shape (entries, splits)
        Error of every split; with ``cv`` only.
    paths_ : list of LarsPath
        The path of every class; of two classes a single one.
    held_out_predictions_ : array of shape (m,) or (m, classes)
        Decision values without their row, before the threshold (``store_cv_results=True``).
    path_held_out_predictions_ : array of shape (entries, ...)
        The same of every judged model.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    On the path ``1/2 sum_i max(0, 1 - t_i f_i)^2 + alpha/2 ||w||^2 - lambda_1 s'w`` is minimal over
    the columns in the model, with signs s, ``f = Xw + b``, t = -1 or +1; ``lasso=True``:
    ``... + lambda_1 ||w||_1`` over all columns, which for ``alpha=0`` is
    ``LinearSVC(penalty="l1", dual=False, C=1 / (2 * lambda_1))`` (whose intercept is penalised).

    *Exact*: the path, and ``refit``. *Approximate*: leave-one-out, which holds support, signs and
    the set of active examples fixed; it is somewhat optimistic, the more so the more columns
    there are. *Exact*, by new paths: ``cv``. In both cases the error of a selected size, and a
    metric at a tuned threshold, are optimistic once more: see :func:`nested_score`.

    Columns that are combinations of selected ones (duplicates, with ``alpha=0``) are skipped, with
    a warning, and come in where a column that leaves or an example that becomes active ends the
    dependence. Where selected columns become so nearly dependent that digits are lost (``alpha=0``,
    classes that are all but separated), the path ends, with a warning. Weights count in the model,
    in the error and in the metric.

    Time: X is read twice for every few dozen columns; an example that crosses its margin, of which
    there may be dozens per column, costs O(k) times the entries of its row and a product of a few
    hundred columns by k. Judging a model of k columns: O(m k^2). Memory beside X and the path:
    O(k^2), a copy of the k columns and some hundreds more, and, where at most two rows of five are
    active or nearly so and take at most 16 MB, a copy of these; X is never densified (dense of any
    order, CSR, CSC).

    References
    ----------
    .. [1] S. S. Keerthi, "Generalized LARS as an effective feature selection tool for text
       classification with SVMs", ICML 2005, section 2, algorithm SVM-LARS.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.preprocessing import scale
    >>> from holdfast import LarsSVC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LarsSVC(n_features_to_select=4, threshold="f1").fit(scale(X), y)
    >>> model.selection_order_[:4].tolist()
    [27, 22, 20, 7]
    """

    _hinge = True

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        fit_intercept: bool = True,
        lasso: bool = False,
        refit: bool = False,
        cv: Any = None,
        n_features_to_select: int | float | str = "best",
        max_features: int | None = None,
        patience: int | None = 20,
        sizes: Any = None,
        threshold: str | None = None,
        store_cv_results: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.lasso = lasso
        self.refit = refit
        self.cv = cv
        self.n_features_to_select = n_features_to_select
        self.max_features = max_features
        self.patience = patience
        self.sizes = sizes
        self.threshold = threshold
        self.store_cv_results = store_cv_results
        self.n_jobs = n_jobs

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Self:
        """Follow the paths and choose a model.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Dense arrays of any order and real type, CSR and CSC are read in place.
        y : array of shape (m,) or (m, labels)
            Labels of two or more classes, or an indicator of labels (0 and 1).
        sample_weight : array of shape (m,), optional
            Non-negative weights, in the model and in the error. Zero leaves a row out.
        groups : array of shape (m,), optional
            Groups of rows, for a ``cv`` that holds out groups.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups)

    def decision_function(self, X: Any) -> Array:
        """Outputs of the model, less the threshold.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows to score.

        Returns
        -------
        array of shape (m,), (m, classes) or (m, labels)
            For two classes positive values speak for the second.
        """
        outputs: Array = self._outputs(X)
        binary = not self._multilabel and len(self.classes_) == 2
        return outputs[:, 0] if binary else outputs

    def predict(self, X: Any) -> Array:
        """Labels.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows to classify.

        Returns
        -------
        array of shape (m,), or (m, labels) of zeros and ones
        """
        outputs = self.decision_function(X)
        if self._multilabel:
            return (outputs > 0).astype(np.intp)
        codes = (outputs > 0).astype(np.intp) if outputs.ndim == 1 else outputs.argmax(axis=1)
        labels: Array = self.classes_[codes]
        return labels

    def _checked(self) -> Array:
        self._metric = check_threshold(self.threshold)
        return super()._checked()

    def _code(self, y: Any, sample_weight: Array) -> Array:
        self._multilabel = np.ndim(y) == 2 and type_of_target(y) == "multilabel-indicator"
        if self._multilabel:
            indicator = np.asarray(y) > 0
            self.classes_ = np.arange(indicator.shape[1])
            targets = np.where(indicator.T, 1.0, -1.0)
        else:
            self.classes_, coded, _ = code_classes(y, sample_weight)
            targets = np.atleast_2d(coded.T)
        return np.ascontiguousarray(targets)

    def _learn(self, held_out: Iterator[Array], targets: Array, weights: Array) -> None:
        self.path_thresholds_ = np.zeros((len(self._path), len(targets)))
        if self._metric is not None:
            for thresholds, outputs in zip(self.path_thresholds_, held_out, strict=True):
                for line, (target, some) in enumerate(zip(targets, outputs, strict=True)):
                    thresholds[line] = best_threshold(self._metric, target, some, weights)
        del self._metric

    def _solution_attributes(self, entry: Any, n_columns: int) -> dict[str, Any]:
        position = int(np.flatnonzero(self.path_sizes_ == entry.size)[0])
        self.threshold_ = self.path_thresholds_[position]
        return super()._solution_attributes(entry, n_columns)

    def _shape(self, coef: Array, intercept: Array) -> tuple[Array, Any]:
        return coef, intercept - self.threshold_

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
