"""What models with a posterior share: columns, predictions, and how sure these are."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast.basis.kernel_checks import check_kernel
from holdfast.basis.kernel_columns import basis_rows, kernel_lines
from holdfast.basis.kernels import PRECOMPUTED, WITH_GAMMA, Kernel, KernelTable
from holdfast.criteria.nested_models import Centred, Posterior
from holdfast.estimators.checks import check_flags, check_magnitude, check_weights
from holdfast.estimators.entering import enter, stored_rows
from holdfast.estimators.scored import ScoredWhereStored
from holdfast.rows import as_rows, columns_of, only_rows
from holdfast.rows.fetched import as_floats
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array, Block, Rows, State, Totals, ranges

_BLOCK_NUMBERS = 1 << 22
_OPTIONAL_ATTRIBUTES = ("coef_", "support_", "dual_coef_", "basis_vectors_", "gamma_")


@dataclass(frozen=True)
class BayesData:
    """Validated data, without the rows of weight zero.

    ``rows`` are the numbers of those that are left, ``table`` their kernel matrix, None for plain
    columns; ``targets`` is (targets, m), ``shown`` what callbacks are shown.
    """

    X: Any
    targets: Array
    weights: Array
    rows: Array
    table: KernelTable | None
    shown: dict[str, Any]

    def centred(self, *, fit_intercept: bool) -> Centred:
        """The targets as the columns meet them."""
        return Centred.of(self.targets, self.weights, fit_intercept=fit_intercept)

    def columns(self, columns: Array) -> Array:
        """The named columns as lines, (count, m)."""
        if self.table is not None:
            rows = as_rows(self.X, self.targets.T, self.weights)
            return kernel_lines(rows, self.table.kernel, self.table.centres(columns))
        return _dense(columns_of(self.X, columns)).T.copy()


@dataclass(frozen=True)
class ShownFunctions:
    """What callbacks are shown: see :class:`holdfast.estimators.selection.Shown`."""

    features: Features
    data: dict[str, Any]


class _Rule(NamedTuple):
    """What turns columns into predictions: weights (targets, s), and R of the posterior."""

    posterior: Posterior
    centre: Array
    mass: float
    noise: float

    def of(self, columns: Array, *, return_std: bool) -> tuple[Array, Array]:
        """Means (rows, targets) and variances of the columns (rows, s) of new rows.

        Variances are those of new targets of weight one; without ``return_std`` they are zero.
        """
        coef, intercept, root = self.posterior
        variances = np.zeros(columns.shape[0])
        if return_std:
            turned = (columns - self.centre) @ root
            spread = 1 + 1 / self.mass + np.einsum("ij,ij->i", turned, turned)
            variances = self.noise * spread
        return columns @ coef.T + intercept, variances


def _predict(
    block: Block, state: State, shared: tuple[_Rule, Array | None, bool]
) -> tuple[Totals, State]:
    """Means and variances, from the named columns of a block or from all, a piece at a time."""
    rule, columns, return_std = shared
    count = len(block.weights)
    if columns is None:
        pieces = block.points(slice(0, count), _piece_rows(len(rule.centre)))
    else:
        pieces = iter([block.columns(columns).T])
    parts = [rule.of(piece, return_std=return_std) for piece in pieces]
    means = np.concatenate([part[0] for part in parts])
    return Totals(), {"means": means.T, "variances": np.concatenate([part[1] for part in parts])}


def _piece_rows(size: int) -> int:
    return max(256, _BLOCK_NUMBERS // max(1, size))


class BayesModel(ScoredWhereStored, RegressorMixin, BaseEstimator):
    """A linear model of few columns, or kernel columns, with a Gaussian posterior."""

    _takes_stored = False

    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Predictions, and how far new targets are expected to be from them.

        Parameters
        ----------
        X : array, DataFrame, sparse matrix, path, Dask collection or RowBlocks, of shape (m, n)
            Rows to predict.
        return_std : bool, default=False
            Whether to return standard deviations too: of new targets of weight one, noise included.
            See Notes of the class: with a local kernel they are too small far from the basis.

        Returns
        -------
        array of shape (m,) or (m, targets), or a pair of them
            Means, and standard deviations.
        """
        check_is_fitted(self)
        accepted = ("csr", "csc") if self.kernel is None else "csr"
        read = stored_rows(self, X)
        if read is None:
            X = validate_data(self, X, reset=False, accept_sparse=accepted, dtype="numeric")
            parts = [
                self._rule.of(self._columns_of(X[rows]), return_std=return_std)
                for rows in ranges(X.shape[0], _piece_rows(len(self.basis_indices_)))
            ]
            means = np.concatenate([part[0] for part in parts])
            variances = np.concatenate([part[1] for part in parts])
        else:
            means, variances = self._of_stored(read, return_std=return_std)
        n_targets = means.shape[1]
        flat = not self._target_shape
        mean = means[:, 0] if flat else means
        if not return_std:
            return mean
        deviations = np.sqrt(variances)
        return mean, deviations if flat else np.repeat(deviations[:, None], n_targets, axis=1)

    def _of_stored(self, rows: Rows, *, return_std: bool) -> tuple[Array, Array]:
        """Means (m, targets) and variances (m,) of the rows of a stored table, in one sweep."""
        columns: Array | None = self.basis_indices_
        if self.kernel is not None and len(self.basis_indices_):
            centres = self.basis_indices_
            if self.kernel != PRECOMPUTED:
                centres = as_floats(self.basis_vectors_)
            rows, columns = basis_rows(rows, self._kernel(), centres), None
        _, states = rows.sweep(_predict, None, (self._rule, columns, return_std))
        return rows.gather(states, "means").T, rows.gather(states, "variances")

    def _columns_of(self, X: Any) -> Array:
        """The model's columns of new rows, (rows, s)."""
        if self.kernel is None:
            return _dense(X[:, self.basis_indices_])
        if self.kernel == PRECOMPUTED:
            return as_floats(X)[:, self.basis_indices_]
        if len(self.basis_indices_) == 0:
            return np.empty((X.shape[0], 0))
        return self._kernel()(as_floats(X), as_floats(self.basis_vectors_))

    # -- fitting ---------------------------------------------------------------------------

    def _validated(self, X: Any, y: Any, sample_weight: Any, *, multi_output: bool) -> BayesData:
        """Data that can be computed with; parameters of the kernel are checked before."""
        check_flags(fit_intercept=self.fit_intercept)
        if self.kernel is not None:
            check_kernel(
                self.kernel, self.gamma, self.degree, self.coef0, self.kernel_params, grid=False
            )
        for stale in _OPTIONAL_ATTRIBUTES:
            self.__dict__.pop(stale, None)
        X, y, weights, _, _ = enter(
            self,
            X,
            y,
            sample_weight,
            None,
            multi_output=multi_output,
            sparse_formats=("csr", "csc") if self.kernel is None else ("csr",),
            stored=self._takes_stored,
        )
        check_weights(weights)
        values = np.asarray(y, dtype=np.float64)
        for name, numbers in (("y", values), ("sample_weight", weights)):
            check_magnitude(name, numbers)
        if self.kernel == PRECOMPUTED and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"X has shape {X.shape}, but kernel='precomputed' takes the kernel matrix of the "
                "training rows; expected as many columns as rows: pass kernel(X, X)."
            )
        self._target_shape = values.shape[1:]
        shown = {"X": X, "y": y, "metadata": {"sample_weight": weights}}
        rows = np.flatnonzero(weights > 0)
        table = None
        if len(rows) < len(weights):
            X, values, weights = only_rows(X, rows), values[rows], weights[rows]
            X = X[:, rows] if self.kernel == PRECOMPUTED else X
        if self.kernel is not None:
            if self.kernel in WITH_GAMMA:
                unset = 1.0 if self.kernel == "chi2" else 1.0 / X.shape[1]
                self.gamma_ = unset if self.gamma is None else float(self.gamma)
            table = KernelTable(self._kernel(), X)
        targets = np.ascontiguousarray(values.reshape(len(values), -1).T)
        return BayesData(X, targets, weights, rows, table, shown)

    def _kernel(self) -> Kernel:
        width = getattr(self, "gamma_", None)
        params = dict(self.kernel_params or {})
        return Kernel(self.kernel, width, self.degree, self.coef0, params)

    def _set_model(
        self,
        data_X: Any,
        columns: Array,
        posterior: Posterior,
        centre: Array,
        mass: float,
        noise: float,
    ) -> None:
        """Set what predicts.

        ``columns`` are columns of X or, with a kernel, numbers of training rows, which are those
        of ``data_X``: all, or the basis already.
        """
        self._rule = _Rule(posterior, centre, mass, noise)
        self.basis_indices_ = columns
        flat = not self._target_shape
        coef, intercept, _ = posterior
        if self.kernel is None:
            whole = np.zeros((len(coef), self.n_features_in_))
            whole[:, columns] = coef
            self.coef_ = whole[0] if flat else whole
            self.support_ = np.zeros(self.n_features_in_, dtype=bool)
            self.support_[columns] = True
        else:
            self.dual_coef_ = coef[0] if flat else np.ascontiguousarray(coef.T)
            if self.kernel != PRECOMPUTED:
                self.basis_vectors_ = data_X
        self.n_basis_ = len(columns)
        if not self.fit_intercept:
            self.intercept_: Any = 0.0
        else:
            self.intercept_ = float(intercept[0]) if flat else intercept

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == PRECOMPUTED
        tags.input_tags.sparse = self.kernel != PRECOMPUTED
        tags.target_tags.required = True
        return tags


def check_variance(value: Any, name: str) -> float | None:
    """A positive number; None for ``"auto"``."""
    if isinstance(value, str) and value == "auto":
        return None
    number = isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))
    if not number or not 0 < float(value) < np.inf:
        raise ValueError(
            f"{name}={value!r} is not a variance or precision; expected a positive number, or "
            '"auto" to find it by the evidence: correct it.'
        )
    return float(value)


def _dense(columns: Any) -> Array:
    """Few columns of a table as a float64 array."""
    values: Array = columns.toarray() if sparse.issparse(columns) else columns
    return np.asarray(values, dtype=np.float64)
