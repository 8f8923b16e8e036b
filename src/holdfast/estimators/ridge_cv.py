"""Ridge models of all columns with their penalty chosen by exact hold-out: scikit-learn's faces."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.callback import with_callbacks
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from holdfast.criteria.weighting import plain_classes
from holdfast.estimators.all_columns import AllColumns
from holdfast.estimators.classes import class_weights, code_classes
from holdfast.estimators.faces import ClassifierFace, RegressorFace
from holdfast.estimators.scoring import HeldOutClassifier, HeldOutRegressor
from holdfast.estimators.selection import Targets
from holdfast.rows.sums import Array


class RidgeCV(RegressorFace, AllColumns):
    """Ridge regression with its penalty chosen by exact hold-out, for any splits.

    Takes the place of :class:`sklearn.linear_model.RidgeCV`: leave-one-out by default, K-fold,
    groups, time series or any other splits at about the cost of one fit.

    Parameters
    ----------
    alphas : array-like of shape (alphas,), float or "auto", default=(0.1, 1.0, 10.0)
        Penalties to choose from, or the one to use. Positive, under splits zero too. ``"auto"``
        makes a grid from the mean squared length of the columns, which grows while the best
        value lies on its edge. Never rescaled by the number of rows.
    fit_intercept : bool, default=True
        Whether to fit an unpenalised intercept.
    scoring : None, str or callable, default=None
        None is the pooled error ``sum w e^2 / sum w`` over all pairs of a split and a row it
        holds out, mean over targets. Otherwise any scorer of scikit-learn,
        computed from the exact held-out predictions: of all rows together under leave-one-out,
        the mean over splits otherwise.
    cv : None, int, splitter or iterable, default=None
        None or ``LeaveOneOut()`` is exact leave-one-out; otherwise exact hold-out for a number
        of folds, any splitter of scikit-learn (overlapping, repeated, groups, time series) or a
        list of (train, test) rows.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_`` and ``held_out_predictions_``, for any ``cv``.
    alpha_per_target : bool, default=False
        Whether every target has a penalty of its own, for any ``cv``.
    standardize : bool, default=False
        Whether to divide columns by their weighted standard deviation: of every training set
        under splits, under leave-one-out once of all rows (left-out rows take part in the scales,
        an effect of order 1/m on the error). ``coef_`` is for the columns as given.

    Attributes
    ----------
    coef_ : array of shape (n,) or (targets, n)
        Coefficients.
    intercept_ : float or array of shape (targets,)
        Intercept.
    alpha_ : float or array of shape (targets,)
        The chosen penalty, of every target with ``alpha_per_target``.
    best_score_ : float or array of shape (targets,)
        Minus the error of it, or its score; an array with ``alpha_per_target`` and y (m, targets).
    alphas_ : array of shape (alphas,)
        The grid.
    alpha_errors_ : array of shape (alphas,) or (alphas, targets)
        The error, or minus the score, of every penalty.
    cv_results_ : array of shape (m, alphas) or (m, targets, alphas)
        With ``store_cv_results=True``: weighted squared held-out errors of every row under every
        penalty, or with a ``scoring`` its held-out predictions; mean over the splits that hold it
        out, NaN where none does.
    held_out_predictions_ : array of shape (m,) or (m, targets)
        Predictions at the chosen penalty by models trained without the row, mean over the splits
        that hold it out, NaN where none does.
    n_splits_ : int or None
        Number of splits; None for leave-one-out.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    RidgeClassifierCV : The same for classes.
    ForwardRidge : A few columns, chosen by the same errors.

    Notes
    -----
    The objective is ``||y - Xw - b||^2 + alpha ||w||^2``. Exact: every error
    and held-out prediction equals refitting from scratch, up to rounding; ties (1e-10, or
    closer than the rounding of the targets) go to the first penalty.
    ``best_score_`` is that of the chosen penalty, slightly optimistic.

    Weights (``sample_weight``) count in training and in the error; a row of
    weight zero is absent. A scorer sees the weights of the error if it takes
    them, as in scikit-learn; under metadata routing if it asks for them.

    The cheapest way is taken by a count of flops and bytes, for m rows, n columns, K splits of f
    rows, R penalties: moments of the splits, O(m n^2 + K n^3 + K R n^2); for small held-out sets
    and leave-one-out one n x n decomposition, O(m n^2 + n^3 + m n R) and O(R f^2 n) for each set;
    for more columns than rows m x m kernel matrices in place of n x n ones. When none fits into
    memory, a MemoryError says what each would need. X is read in place a few times, never
    copied or densified as a whole.

    Large means keep their digits, with an intercept. Products of columns in 16 digits cannot tell
    what lies below n * 2e-16 of the largest eigenvalue of X'X: under a penalty below that floor
    such directions are left out of the model, and a ConvergenceWarning is given if it is chosen.
    Rows of high leverage, of any size, are judged by models trained without them, which costs
    another reading of X and O(n^3) where there are such rows. With s^2 the ratio of the largest
    eigenvalue to that of the directions that matter, plus alpha, as where rows s times the others
    stay in a training set, an error has a relative rounding of 3e-16 s^2.

    References
    ----------
    .. [1] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized
       parameter search for large datasets of the regularization parameter and feature selection
       for ridge regression", Neural Processing Letters 38 (2013), section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from holdfast import RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RidgeCV(alphas=[0.01, 0.1, 1.0], cv=10).fit(X, y)
    >>> model.alpha_
    0.01
    """

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
        standardize: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target
        self.standardize = standardize

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, **params: Any
    ) -> Self:
        """Choose the penalty and fit the model.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Dense arrays of any order and real type, CSR and CSC are read in place; ``.npy`` and
            Parquet files, memory-mapped arrays and blocks (:class:`RowBlocks`) chunk by chunk.
        y : array of shape (m,) or (m, targets)
            Targets.
        sample_weight : float or array of shape (m,), optional
            Non-negative weights, in training and in the error. Zero leaves a row out.
        groups : array of shape (m,), optional
            Groups of rows, for a ``cv`` that holds out groups.
        **params : dict
            For the scorer, with metadata routing.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups, params)

    def _shape(self, coef: Array, intercept: Array) -> tuple[Array, Any]:
        shaped, offset = super()._shape(coef, intercept)
        return shaped, np.float64(offset) if self.fit_intercept and np.ndim(offset) == 0 else offset

    def _scored_model(self) -> HeldOutRegressor:
        return HeldOutRegressor()


class RidgeClassifierCV(ClassifierFace, AllColumns):
    """Ridge classifier with its penalty chosen by exact hold-out, for any splits.

    Takes the place of :class:`sklearn.linear_model.RidgeClassifierCV`: targets coded -1 / +1, one
    column per class beyond two, one penalty for all.

    Parameters
    ----------
    alphas : array-like of shape (alphas,), float or "auto", default=(0.1, 1.0, 10.0)
        Penalties to choose from, or the one to use. Positive, under splits zero too. ``"auto"``
        makes a grid from the mean squared length of the columns, which grows while the best
        value lies on its edge. Never rescaled by the number of rows.
    fit_intercept : bool, default=True
        Whether to fit an unpenalised intercept.
    scoring : None, str or callable, default=None
        None is the pooled error ``sum w e^2 / sum w`` over all pairs of a split and a row it
        holds out, mean over targets, of the coded targets. Otherwise any scorer of scikit-learn,
        computed from the exact held-out predictions: of all rows together under leave-one-out,
        the mean over splits otherwise.
    cv : None, int, splitter or iterable, default=None
        None or ``LeaveOneOut()`` is exact leave-one-out; otherwise exact hold-out for a number
        of folds, any splitter of scikit-learn (overlapping, repeated, groups, time series) or a
        list of (train, test) rows.
    class_weight : None, dict or "balanced", default=None
        Weights of the classes, by label; ``"balanced"`` weighs a class by rows / (classes *
        rows of the class), recomputed in every training set, under leave-one-out too: exact.
    store_cv_results : bool, default=False
        Whether to keep ``cv_results_`` and ``held_out_predictions_``, for any ``cv``.
    standardize : bool, default=False
        Whether to divide columns by their weighted standard deviation: of every training set
        under splits, under leave-one-out once of all rows (left-out rows take part in the scales,
        an effect of order 1/m on the error). ``coef_`` is for the columns as given.

    Attributes
    ----------
    coef_ : array of shape (n,) or (classes, n)
        Coefficients of the decision function.
    intercept_ : array of shape (1,) or (classes,)
        Intercept.
    classes_ : array
        Labels.
    alpha_ : float
        The chosen penalty.
    best_score_ : float
        Minus the error of it, or its score.
    alphas_ : array of shape (alphas,)
        The grid.
    alpha_errors_ : array of shape (alphas,)
        The error, or minus the score, of every penalty.
    cv_results_ : array of shape (m, 1 or classes, alphas)
        With ``store_cv_results=True``: weighted squared held-out errors of every row under every
        penalty, or with a ``scoring`` its held-out predictions; mean over the splits that hold it
        out, NaN where none does.
    held_out_predictions_ : array of shape (m,) or (m, classes)
        Decision values at the chosen penalty by models trained without the row, mean over the
        splits that hold it out, NaN where none does.
    n_splits_ : int or None
        Number of splits; None for leave-one-out.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    RidgeCV : The same for numbers.
    ForwardRidgeClassifier : A few columns, chosen by the same errors.

    Notes
    -----
    The objective is ``||y - Xw - b||^2 + alpha ||w||^2``, targets coded -1 / +1. Exact: every error
    and held-out prediction equals refitting from scratch, up to rounding; ties (1e-10, or
    closer than the rounding of the targets) go to the first penalty.
    ``best_score_`` is that of the chosen penalty, slightly optimistic.

    Weights (``sample_weight`` times class weight) count in training and in the error, there the
    class weights of all rows; a row of
    weight zero is absent. A scorer sees the weights of the error if it takes
    them, as in scikit-learn; under metadata routing if it asks for them.

    The cheapest way is taken by a count of flops and bytes, for m rows, n columns, K splits of f
    rows, R penalties: moments of the splits, O(m n^2 + K n^3 + K R n^2); for small held-out sets
    and leave-one-out one n x n decomposition, O(m n^2 + n^3 + m n R) and O(R f^2 n) for each set;
    for more columns than rows m x m kernel matrices in place of n x n ones. When none fits into
    memory, a MemoryError says what each would need. X is read in place a few times, never
    copied or densified as a whole.

    Large means keep their digits, with an intercept. Products of columns in 16 digits cannot tell
    what lies below n * 2e-16 of the largest eigenvalue of X'X: under a penalty below that floor
    such directions are left out of the model, and a ConvergenceWarning is given if it is chosen.
    Rows of high leverage, of any size, are judged by models trained without them, which costs
    another reading of X and O(n^3) where there are such rows. With s^2 the ratio of the largest
    eigenvalue to that of the directions that matter, plus alpha, as where rows s times the others
    stay in a training set, an error has a relative rounding of 3e-16 s^2.

    References
    ----------
    .. [1] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized
       parameter search for large datasets of the regularization parameter and feature selection
       for ridge regression", Neural Processing Letters 38 (2013), section 2.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from holdfast import RidgeClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = RidgeClassifierCV(alphas="auto", standardize=True, cv=5).fit(X, y)
    >>> round(model.score(X, y), 2)
    0.97
    """

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        class_weight: Any = None,
        store_cv_results: bool = False,
        standardize: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results
        self.standardize = standardize

    @with_callbacks
    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None, **params: Any
    ) -> Self:
        """Choose the penalty and fit the classifier.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Dense arrays of any order and real type, CSR and CSC are read in place; ``.npy`` and
            Parquet files, memory-mapped arrays and blocks (:class:`RowBlocks`) chunk by chunk.
        y : array of shape (m,) or (m, labels)
            Labels of two or more classes, or indicators of several labels.
        sample_weight : float or array of shape (m,), optional
            Non-negative weights, in training and in the error. Zero leaves a row out.
        groups : array of shape (m,), optional
            Groups of rows, for a ``cv`` that holds out groups.
        **params : dict
            For the scorer, with metadata routing.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight, groups, params)

    def fit_moments(self, moments: Any) -> Self:
        """Choose the penalty and fit the classifier from moments of folds instead of data.

        Parameters
        ----------
        moments : FoldMoments
            Made with ``classes``; their folds take the place of ``cv``.

        Returns
        -------
        self
        """
        self._multilabel = False
        return super().fit_moments(moments)

    def decision_function(self, X: Any) -> Array:
        """Outputs of the model before they are read as classes.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n)
            Rows to score.

        Returns
        -------
        array of shape (m,) or (m, classes)
            For two classes positive values speak for the second.
        """
        outputs: Array = self._outputs(X)
        return outputs[:, 0] if self.coef_.ndim == 1 and not self._multilabel else outputs

    def predict(self, X: Any) -> Array:
        """Labels.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n)
            Rows to classify.

        Returns
        -------
        array of shape (m,) or (m, labels)
        """
        return self._labels(self.decision_function(X))

    def _labels(self, outputs: Array, sizes: Any = 0.0) -> Array:
        """Labels that outputs stand for."""
        if self._multilabel:
            return (outputs > 0).astype(np.intp)
        return super()._labels(outputs, sizes)

    def _code(self, y: Any, sample_weight: Array) -> Targets:
        self._multilabel = type_of_target(y) == "multilabel-indicator"
        if not self._multilabel:
            self.classes_, targets, counts = code_classes(y, sample_weight)
            return Targets(targets, class_weights(self.class_weight, self.classes_, counts))
        if self.class_weight is not None:
            raise ValueError(
                f"class_weight={self.class_weight!r} was given with a multilabel y; expected "
                "None: a row has several labels there, say how much it counts by sample_weight."
            )
        self.classes_ = np.arange(y.shape[1])
        counts = np.array([np.count_nonzero(sample_weight)])
        return Targets(np.where(np.asarray(y) > 0, 1.0, -1.0), plain_classes(counts))

    def _read_labels(self, y: Any) -> Array:
        return np.asarray(y) if self._multilabel else column_or_1d(y)

    def _scored_model(self) -> HeldOutClassifier:
        return HeldOutClassifier(self)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags
