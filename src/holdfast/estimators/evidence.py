"""Forward regression by marginal likelihood."""

from __future__ import annotations

import copy
import warnings
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from holdfast.basis.kernels import PRECOMPUTED
from holdfast.criteria.nested_models import Posterior
from holdfast.criteria.variances import Variances
from holdfast.estimators.bayes_models import (
    BayesData,
    BayesModel,
    ShownFunctions,
    check_variance,
)
from holdfast.estimators.checks import is_whole
from holdfast.estimators.evidence_search import Asked, Found, Opened, is_constant, open_columns
from holdfast.estimators.evidence_search import search as search_evidence
from holdfast.estimators.selection import MoveTasks
from holdfast.rows import rows_of
from holdfast.rows.ledger import Features, Solution
from holdfast.rows.sums import Array
from holdfast.searches.path import Visit


class EvidenceRegressor(CallbackSupportMixin, BayesModel):
    """Sparse Bayesian regression on basis functions added greedily by marginal likelihood.

    From the empty model every move adds the basis function - a kernel function on a training row,
    or with ``kernel=None`` a column of X - that raises the log evidence most, until none does: no
    error is held out, no number of functions has to be chosen.

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
    noise_variance : float or "auto", default="auto"
        Variance of the noise of a row of weight one. ``"auto"``: of the largest evidence.
    weight_precision : float or "auto", default="auto"
        Inverse prior variance of every weight. ``"auto"``: of the largest evidence. The penalty
        of the equivalent ridge model is ``noise_variance * weight_precision``.
    max_basis : int or None, default=None
        Most basis functions; None: as many as raise the evidence.
    tol : float, default=0.0
        The search ends where no function raises the log evidence by more; ``-inf`` goes on to
        ``max_basis`` (the model is that of the largest evidence all the same).
    low_rank : int or None, default=None
        Choose by a kernel matrix of this rank (pivoted incomplete Cholesky), which is never formed:
        linear in the number of rows. None: exact kernel columns, every move reads all of them.
    n_candidates : int or None, default=None
        Functions drawn at random that a move looks at; None: all.
    fit_intercept : bool, default=False
        Whether to fit an unpenalised intercept, with a flat prior: the evidence is then the density
        of the part of y that is orthogonal to it.
    random_state : int, RandomState or None, default=None
        For ``n_candidates``.

    Attributes
    ----------
    basis_indices_ : int array of shape (k,)
        Rows of the training data (``kernel=None``: columns) of the model, in the order added.
    basis_vectors_ : array or sparse matrix of shape (k, n)
        These rows; with a kernel of rows.
    dual_coef_ : array of shape (k,) or (k, targets)
        Posterior means of their weights; with a kernel.
    coef_ : array of shape (n,) or (targets, n)
        Posterior means over all columns, zero off the support; ``kernel=None`` only.
    support_ : bool array of shape (n,)
        Selected columns; ``kernel=None`` only.
    intercept_ : float or array of shape (targets,)
        Intercept.
    n_basis_ : int
        k.
    selection_order_ : int array
        All rows or columns in the order added, beyond the chosen size too.
    noise_variance_, weight_precision_ : float
        The given or found variances.
    alpha_ : float
        Their product, the penalty.
    log_evidence_path_ : array of shape (visited + 1,)
        Log evidence with s functions, the full density with its constants, at the final variances.
    log_evidence_ : float
        That of the model.
    gamma_ : float
        Width of the kernel, where it has one.
    low_rank_error_ : float
        trace(K - FF') of the factor that proposed the functions; with ``low_rank`` only.
    n_iter_ : int
        Rounds of selection and maximisation.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The model is ``y ~ N(b + K_S w, noise_variance / sample_weight)``, ``w ~ N(0, 1 /
    weight_precision)``. Exact: the path is that of recomputing the density for every candidate
    (gains within 1e-10: lowest index), with the evidences of that density, up to rounding. With
    ``low_rank`` the *choice* is that of the approximate kernel; models and evidences are those of
    the exact kernel functions chosen. A rank that is too small chooses badly: look at
    ``low_rank_error_`` beside the number of rows.

    With ``"auto"`` selection and maximisation alternate for as long as the evidence rises, to a
    local maximum; the order is then that of the search of the best round, under the variances that
    the round before had found.

    Several targets share functions and variances; their evidences are added. Weights are
    precisions: a row of weight 2 has half the noise variance, which is not quite two rows of
    weight 1 - these tell more about the noise.

    ``predict(X, return_std=True)`` is honest about noise and about weights, but not about functions
    that are not there: far from its basis a model of local kernels is sure of its zero, and the
    standard deviation falls to that of the noise where it should grow. Use
    :class:`sklearn.gaussian_process.GaussianProcessRegressor` where that matters.

    Time for m rows and k functions: ``kernel=None`` O(m n) a move; ``low_rank=p`` O(m p^2 + m p k)
    for everything and O(m p) memory; exact kernel columns O(m^2) a move, kept where m^2 numbers
    fit into a quarter of the memory, else made at every move; ``n_candidates=c`` with exact columns
    O(c m k) a move. Predictions O(k) a row, O(k^2) with standard deviations.

    Rows that are not in memory: with ``kernel=None`` and with ``low_rank=p``, the same numbers. The
    latter reads them p times, and fetches p single rows; 3 p numbers for every row are in memory.

    References
    ----------
    .. [1] P. Sun, X. Yao, "Efficient forward regression with marginal likelihood", ESANN 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import EvidenceRegressor
    >>> X = np.linspace(-5, 5, 100)[:, None]
    >>> y = np.sinc(X[:, 0]) + 0.05 * np.random.default_rng(0).standard_normal(100)
    >>> model = EvidenceRegressor(gamma=2.0).fit(X, y)
    >>> model.n_basis_ < 40
    True
    >>> mean, std = model.predict(X[:2], return_std=True)
    >>> bool(0.04 < std[0] < 0.06)
    True
    """

    _needs_memory = ", since with exact kernel columns every move compares all of them"
    _in_place_of_memory = ", or set low_rank, for instance low_rank=100"

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        gamma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: Any = None,
        noise_variance: float | str = "auto",
        weight_precision: float | str = "auto",
        max_basis: int | None = None,
        tol: float = 0.0,
        low_rank: int | None = None,
        n_candidates: int | None = None,
        fit_intercept: bool = False,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.noise_variance = noise_variance
        self.weight_precision = weight_precision
        self.max_basis = max_basis
        self.tol = tol
        self.low_rank = low_rank
        self.n_candidates = n_candidates
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    @with_callbacks
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose basis functions and fit the model.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows; with ``kernel="precomputed"`` the kernel matrix (m, m). In memory, unless
            ``low_rank`` is set or ``kernel=None``.
        y : array of shape (m,) or (m, targets)
            Targets; several share the basis functions.
        sample_weight : array of shape (m,), optional
            Non-negative precisions relative to ``1 / noise_variance``. Zero leaves a row out, as a
            basis function too.

        Returns
        -------
        self
        """
        noise = check_variance(self.noise_variance, "noise_variance")
        precision = check_variance(self.weight_precision, "weight_precision")
        self._check_counts()
        data = self._validated(X, y, sample_weight, multi_output=True)
        constant = is_constant(data, fit_intercept=self.fit_intercept)
        if constant and noise is None:
            warnings.warn(
                "y is constant, so that its noise has no variance to be found; noise_variance=1.0 "
                "is taken. Expected targets that differ, or a number as noise_variance.",
                ConvergenceWarning,
                stacklevel=3,
            )
            noise = 1.0
        precision = 1.0 if constant and precision is None else precision
        opened = open_columns(data, self.low_rank, fit_intercept=self.fit_intercept)
        if len(opened.candidates) == 0:
            warnings.warn(
                "no basis function can change the model: all of them are constant. The model is "
                "its intercept; check the table and gamma.",
                DataDimensionalityWarning,
                stacklevel=3,
            )
        found = self._searched(opened, noise, precision, data)
        if found.variances.on_limit:
            warnings.warn(
                f"the evidence rises as noise_variance falls to {found.variances.noise:.3g}, where "
                "the search for it ends: the model interpolates its rows. Expected noise: give "
                "noise_variance, or bound the model by max_basis.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self._keep(found, opened, data)
        return self

    @property
    def _takes_stored(self) -> bool:  # type: ignore[override]
        """Exact kernel columns are as many as rows, and every move reads all of them."""
        return self.kernel is None or self.low_rank is not None

    def _check_counts(self) -> None:
        """Numbers of functions, and the tolerance."""
        for name, least in (("max_basis", 0), ("low_rank", 1), ("n_candidates", 1)):
            value = getattr(self, name)
            if value is not None and not (is_whole(value) and value >= least):
                raise ValueError(
                    f"{name}={value!r} is not a number of basis functions; expected None or an "
                    f"integer of at least {least}: correct it."
                )
        if self.low_rank is not None and self.kernel is None:
            raise ValueError(
                f"low_rank={self.low_rank} approximates a kernel matrix, but kernel=None has none; "
                "expected low_rank=None: leave it out."
            )
        tol: Any = self.tol
        number = isinstance(tol, (Real, np.number)) and not isinstance(tol, (bool, np.bool_))
        if not number or np.isnan(float(tol)):
            raise ValueError(
                f"tol={tol!r} is not a number; expected a gain of log evidence, for instance "
                "0.0, or -inf to go on to max_basis."
            )

    def _searched(
        self, opened: Opened, noise: float | None, precision: float | None, data: BayesData
    ) -> Found:
        rng = check_random_state(self.random_state)
        offered = None
        if self.n_candidates is not None:

            def offered(candidates: Array) -> Array:
                count = min(int(self.n_candidates or 0), len(candidates))
                return np.sort(rng.choice(candidates, count, replace=False))

        features = Features.partition(opened.rows.n_columns)
        watch = MoveTasks(self, ShownFunctions(features, data.shown), None)
        limit = opened.rows.n_columns if self.max_basis is None else int(self.max_basis)
        self._solving = (data, opened)
        try:
            asked = Asked(limit, float(self.tol), offered)
            found = search_evidence(opened, noise, precision, asked, watch)
            watch.close([_as_visit(found)])
        finally:
            del self._solving
            self.__dict__.pop("_visited", None)
        return found

    # -- from a path to attributes ---------------------------------------------------------

    def _keep(self, found: Found, opened: Opened, data: BayesData) -> None:
        self._models = found.models
        named = np.arange(self.n_features_in_) if self.kernel is None else data.rows
        self.selection_order_ = named[found.models.columns]
        variances = found.variances
        self.noise_variance_, self.weight_precision_ = variances.noise, variances.precision
        self.alpha_ = variances.noise * variances.precision
        self.log_evidence_path_ = found.evidences
        self.n_iter_ = found.n_rounds
        self.__dict__.pop("low_rank_error_", None)
        if opened.missing is not None:
            self.low_rank_error_ = opened.missing
        self._visited_vectors = None
        if self.kernel not in (None, PRECOMPUTED):
            self._visited_vectors = rows_of(data.X, found.models.columns)
        self._choose(found.size)

    def _choose(self, size: int) -> None:
        """Make the model of one visited size the fitted one."""
        models = self._models
        posterior = models.posterior(size, self.noise_variance_, self.weight_precision_)
        vectors = None if self._visited_vectors is None else self._visited_vectors[:size]
        self._set_model(
            vectors,
            self.selection_order_[:size],
            posterior,
            models.centre[:size],
            models.mass,
            self.noise_variance_,
        )
        self.log_evidence_ = float(self.log_evidence_path_[size])

    def truncate(self, size: int | str) -> Self:
        """The fitted model of another visited size, without data and without search.

        Parameters
        ----------
        size : int or "best"
            A number of functions up to ``len(selection_order_)``, or that of the largest
            evidence. The variances stay as they are.

        Returns
        -------
        estimator
            A fitted copy.
        """
        check_is_fitted(self)
        if isinstance(size, str) and size == "best":
            size = int(self.log_evidence_path_.argmax())
        if not (is_whole(size) and 0 <= size <= len(self.selection_order_)):
            raise ValueError(
                f"size={size!r} was not visited; expected 'best' or an integer from 0 to "
                f"{len(self.selection_order_)}: fit again with a larger max_basis or a smaller tol "
                "to visit more."
            )
        shorter = copy.copy(self)
        shorter._choose(int(size))
        return shorter

    def _solution_attributes(self, entry: Visit, n_columns: int) -> dict[str, Any]:
        """What predicting needs of a visited model; for callbacks."""
        data, opened = self._solving
        columns, coef, intercept = entry.solution
        centre = opened.frame.centre[0, columns]
        if opened.sample is not None and self.fit_intercept:
            # Few rotated rows know of no means.
            centred = data.centred(fit_intercept=True)
            centre = centred.centre_of(data.columns(columns))
            intercept = centred.target_mean - coef @ centre
        shown = copy.copy(self)
        named = np.arange(self.n_features_in_) if self.kernel is None else data.rows
        vectors = None if self.kernel in (None, PRECOMPUTED) else rows_of(data.X, columns)
        posterior = Posterior(coef, intercept, np.zeros((len(columns),) * 2))
        shown._set_model(vectors, named[columns], posterior, centre, np.inf, np.nan)
        return {
            name: value
            for name, value in vars(shown).items()
            if name.endswith("_") or name == "_rule"
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags


def _as_visit(found: Found) -> Visit:
    """The chosen model, as a search would have recorded it."""
    models, size = found.models, found.size
    variances: Variances = found.variances
    posterior = models.posterior(size, variances.noise, variances.precision)
    solution = Solution(models.columns[:size], posterior.coef, posterior.intercept)
    errors = -found.evidences[[size]]
    support = tuple(models.columns[:size].tolist())
    return Visit(None, support, 0, errors, np.full(1, np.nan), solution)
