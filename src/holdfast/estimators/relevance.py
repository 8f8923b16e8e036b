"""The relevance vector machine."""

from __future__ import annotations

import copy
import warnings
from typing import Any, Self

import numpy as np
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning

from holdfast.basis.kernels import PRECOMPUTED
from holdfast.criteria.nested_models import Centred, Posterior
from holdfast.estimators.bayes_models import (
    BayesData,
    BayesModel,
    ShownFunctions,
    check_variance,
)
from holdfast.estimators.checks import check_choice, is_whole
from holdfast.estimators.evidence_search import is_constant
from holdfast.estimators.selection import MoveTasks
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array
from holdfast.searches.relevance import Functions, Relevance, re_estimate, sequential

_CONSTANT = 64 * np.finfo(float).eps
_ON_LIMIT = 1 + 1e-6


class RelevanceVectorRegressor(CallbackSupportMixin, BayesModel):
    """Sparse Bayesian regression with a prior precision of its own for every basis function.

    The precisions are those of the largest evidence; most become infinite, which removes their
    functions. Usually sparser than :class:`EvidenceRegressor`, which has one precision for all and
    adds functions greedily, and slower on many rows.

    Parameters
    ----------
    kernel : str, callable or None, default="rbf"
        As in :class:`sklearn.kernel_ridge.KernelRidge`: a name of
        :mod:`sklearn.metrics.pairwise`, a callable of two rows, or ``"precomputed"``: X is the
        kernel matrix. None: basis functions are the columns of X, which are selected.
    gamma : float or None, default=None
        Width of rbf, laplacian, polynomial, sigmoid and chi2 kernels; None is 1 / columns (chi2:
        1).
    degree : float, default=3
        Of the polynomial kernel.
    coef0 : float, default=1
        Of polynomial and sigmoid kernels.
    kernel_params : dict or None, default=None
        What else a callable is told.
    algorithm : {"fast", "em"}, default="fast"
        ``"fast"`` adds, re-estimates or deletes one function at a time, each time that which
        raises the evidence most (Tipping and Faul, 2003). ``"em"`` re-estimates all precisions
        together, from all functions (Tipping, 2001).
    noise_variance : float or "auto", default="auto"
        Variance of the noise of a row of weight one; ``"auto"``: re-estimated.
    fit_intercept : bool, default=False
        Whether to fit an unpenalised intercept, with a flat prior.
    max_iter : int, default=10000
        Most iterations; one of ``"fast"`` changes one function.
    tol : float, default=1e-3
        ``"fast"``: the gain in log evidence below which no move is made. ``"em"``: the largest
        change of a log precision at which it ends.

    Attributes
    ----------
    basis_indices_ : int array of shape (k,)
        Rows of the training data (``kernel=None``: columns) of the model, ascending.
    basis_vectors_ : array or sparse matrix of shape (k, n)
        These rows; with a kernel of rows.
    precisions_ : array of shape (k,)
        Prior precisions of their weights.
    dual_coef_ : array of shape (k,)
        Posterior means of the weights; with a kernel.
    coef_ : array of shape (n,)
        Posterior means over all columns; ``kernel=None`` only.
    support_ : bool array of shape (n,)
        Selected columns; ``kernel=None`` only.
    intercept_ : float
        Intercept.
    n_basis_ : int
        k.
    noise_variance_ : float
        The given or found noise variance.
    log_evidence_ : float
        Log density of the targets, constants included.
    gamma_ : float
        Width of the kernel, where it has one.
    n_iter_ : int
        Iterations.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Both algorithms find a local maximum, which depends on where they start; they seldom agree.

    Numerically the posterior is never up-dated but computed afresh from a factor whose eigenvalues
    are at least one, quantities of used functions without differences, and near copies of used
    functions are not added. Every step of ``"fast"``, those
    of the noise variance included, raises the evidence, so that it ends.

    Weights are precisions: a row of weight 2 has half the noise variance.

    ``predict(X, return_std=True)``: far from its basis a model of local kernels is sure of its
    zero, and the standard deviation falls to that of the noise where it should grow. Use
    :class:`sklearn.gaussian_process.GaussianProcessRegressor` where that matters.

    Time for m rows, M functions (m with a kernel) and k used ones: ``"fast"`` O(M k + k^3) an
    iteration, O(M k^2) every fifth, and O(M m) for every function that is added; ``"em"``
    O(M^2 m) once and O(M^3) an iteration, falling to O(k^3). Memory m x M numbers (sparse tables
    are densified), ``"em"`` M x M more.

    References
    ----------
    .. [1] M. E. Tipping, "Sparse Bayesian learning and the relevance vector machine",
       JMLR 1 (2001).
    .. [2] M. E. Tipping, A. C. Faul, "Fast marginal likelihood maximisation for sparse Bayesian
       models", AISTATS 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import RelevanceVectorRegressor
    >>> X = np.linspace(-5, 5, 100)[:, None]
    >>> y = np.sinc(X[:, 0]) + 0.05 * np.random.default_rng(0).standard_normal(100)
    >>> model = RelevanceVectorRegressor(gamma=0.5).fit(X, y)
    >>> model.n_basis_ < 15
    True
    >>> bool(0.04 < model.noise_variance_**0.5 < 0.06)
    True
    """

    _needs_memory = ", since every function may be in the model, and is compared with all of them"
    _in_place_of_memory = ", or use EvidenceRegressor with low_rank or kernel=None"

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        algorithm: str = "fast",
        noise_variance: float | str = "auto",
        fit_intercept: bool = False,
        max_iter: int = 10000,
        tol: float = 1e-3,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.algorithm = algorithm
        self.noise_variance = noise_variance
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    @with_callbacks
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the relevant functions and fit the model.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n)
            Rows; with ``kernel="precomputed"`` the kernel matrix (m, m).
        y : array of shape (m,)
            Target.
        sample_weight : array of shape (m,), optional
            Non-negative precisions relative to ``1 / noise_variance``. Zero leaves a row out, as a
            basis function too.

        Returns
        -------
        self
        """
        noise = check_variance(self.noise_variance, "noise_variance")
        self._check_algorithm()
        data = self._validated(X, y, sample_weight, multi_output=False)
        centred = data.centred(fit_intercept=self.fit_intercept)
        functions, centre = _functions_of(data, self.n_features_in_, centred)
        constant = is_constant(data, fit_intercept=self.fit_intercept)
        if constant:
            model, self.n_iter_ = self._of_constant(functions, noise), 0
        else:
            model = self._found(functions, centre, centred, noise, data)
        for name, value in self._attributes_of(model, centre, centred, data).items():
            setattr(self, name, value)
        self.noise_variance_ = model.noise
        self.precisions_ = model.precisions[np.argsort(model.used)]
        self.log_evidence_ = model.log_evidence
        return self

    def _check_algorithm(self) -> None:
        check_choice(self.algorithm, "algorithm", ("fast", "em"))
        if not (is_whole(self.max_iter) and self.max_iter >= 1):
            raise ValueError(
                f"max_iter={self.max_iter!r} is not a number of iterations; expected an integer of "
                "at least 1: correct it."
            )
        tol: Any = self.tol
        number = isinstance(tol, (int, float, np.number)) and not isinstance(tol, bool)
        if not (number and 0 < float(tol) < np.inf):
            raise ValueError(
                f"tol={tol!r} is not a tolerance; expected a positive number, for instance 1e-3."
            )

    def _of_constant(self, functions: Functions, noise: float | None) -> Relevance:
        """No function explains what does not differ."""
        if noise is None:
            warnings.warn(
                "y is constant, so that its noise has no variance to be found; noise_variance=1.0 "
                "is taken. Expected targets that differ, or a number as noise_variance.",
                ConvergenceWarning,
                stacklevel=4,
            )
        none = np.empty(0)
        return Relevance(functions, none.astype(np.intp), none, 1.0 if noise is None else noise)

    def _found(
        self,
        functions: Functions,
        centre: Array,
        centred: Centred,
        noise: float | None,
        data: BayesData,
    ) -> Relevance:
        features = Features.partition(max(1, len(functions.lines)))
        watch = MoveTasks(self, ShownFunctions(features, data.shown), None)
        self._solving = (centre, centred, data)

        def watched(model: Relevance) -> bool:
            watch.begin()
            shown: Any = [model]
            return watch.end(shown)

        algorithm = sequential if self.algorithm == "fast" else re_estimate
        try:
            fitted = algorithm(
                functions, noise, max_iter=self.max_iter, tol=float(self.tol), watched=watched
            )
            last: Any = [fitted.model]
            watch.close(last)
        finally:
            del self._solving
            self.__dict__.pop("_visited", None)
        self.n_iter_ = fitted.n_iter
        if not fitted.converged:
            warnings.warn(
                f"algorithm={self.algorithm!r} has not converged in max_iter={self.max_iter} "
                "iterations: precisions still change by more than tol. Expected fewer: raise "
                "max_iter or tol"
                + (", or take algorithm='fast'." if self.algorithm == "em" else "."),
                ConvergenceWarning,
                stacklevel=4,
            )
        if noise is None and fitted.model.noise <= functions.least_noise * _ON_LIMIT:
            warnings.warn(
                f"noise_variance fell to {fitted.model.noise:.3g}, where its estimation ends: the "
                "model interpolates its rows. Expected noise: give noise_variance, or a smoother "
                "kernel.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return fitted.model

    def _attributes_of(
        self, model: Relevance, centre: Array, centred: Centred, data: BayesData
    ) -> dict[str, Any]:
        """What predicts, of a model on the way or the last."""
        order = np.argsort(model.used)
        used = model.used[order]
        intercept = centred.target_mean - centre[used] @ model.mean[order]
        posterior = Posterior(model.mean[order][None], intercept, model.root[order])
        shown = copy.copy(self)
        named = np.arange(self.n_features_in_) if self.kernel is None else data.rows
        vectors = None if self.kernel in (None, PRECOMPUTED) else data.X[used]
        shown._set_model(vectors, named[used], posterior, centre[used], centred.mass, model.noise)
        return {
            name: value
            for name, value in vars(shown).items()
            if name.endswith("_") or name == "_rule"
        }

    def _solution_attributes(self, model: Relevance, n_columns: int) -> dict[str, Any]:
        """What predicting needs; for callbacks."""
        return self._attributes_of(model, *self._solving)


def _functions_of(data: BayesData, n_columns: int, centred: Centred) -> tuple[Functions, Array]:
    """All functions as weighted, centred lines, and their means."""
    count = n_columns if data.table is None else len(data.rows)
    lines = data.columns(np.arange(count))
    centre = centred.centre_of(lines)
    lengths = np.einsum("ij,ij,j->i", lines, lines, data.weights)
    lines -= centre[:, None]
    lines *= centred.root
    left = np.einsum("ij,ij->i", lines, lines)
    lines[left <= _CONSTANT**2 * lengths] = 0.0
    sample = centred.sample
    return Functions(lines, centred.targets[0], sample.count, sample.constant), centre
