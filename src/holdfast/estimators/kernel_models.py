"""What the kernel models share: kernel parameters, widths to choose from, dual coefficients."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator
from functools import partial
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast.basis.kernel_checks import check_kernel
from holdfast.basis.kernel_columns import basis_rows
from holdfast.basis.kernels import PRECOMPUTED, WITH_GAMMA, Kernel
from holdfast.criteria.penalty import Model, Penalties, PenaltyProblem
from holdfast.estimators.entering import stored_outputs
from holdfast.estimators.penalty import FitData, PenaltyChooser
from holdfast.rows.fetched import as_floats
from holdfast.rows.ledger import TIE
from holdfast.rows.sums import Array, ranges
from holdfast.searches.alphas import PenaltyChoice

_BLOCK_NUMBERS = 1 << 22


class Opened(NamedTuple):
    """A kernel of one width, opened on the data, and the choice of a penalty under it.

    ``columns`` is what made the rows of the problem.
    """

    kernel: Kernel
    columns: Any
    problem: PenaltyProblem
    penalties: Penalties
    choice: PenaltyChoice


class KernelModel(PenaltyChooser):
    """A kernel model whose penalty, and width, is chosen by exact hold-out."""

    standardize = False
    _coefficients = "dual_coef_"
    _sparse_formats = ("csr",)
    _optional_attributes = ("gamma_", "gammas_", "gamma_errors_", "_hold_out")

    def _kernels(self) -> list[Kernel]:
        """The kernel of every width, parameters having been checked."""
        check_kernel(self.kernel, self.gamma, self.degree, self.coef0, self.kernel_params)
        widths = [None] if self.gamma is None else np.atleast_1d(self.gamma).tolist()
        params = dict(self.kernel_params or {})
        kernel = Kernel(self.kernel, None, self.degree, self.coef0, params)
        return [kernel.with_gamma(width) for width in widths]

    def _best_width(
        self, kernels: list[Kernel], data: FitData, open_one: Callable[[Kernel], Opened]
    ) -> Opened:
        """The first of the widths whose error at its best penalty is the least, to 1e-10."""
        best, errors, opened = 0, [], None
        for number, kernel in self._one_by_one(kernels, data):
            opened = None  # memory of the last one, before the next takes as much
            opened = open_one(kernel)
            error = float(opened.choice.best[0])
            errors.append(error if np.isfinite(error) else np.inf)
            if errors[-1] < errors[best] - TIE * abs(errors[best]):
                best = number
        if best < len(errors) - 1:
            opened = None
            opened = open_one(kernels[best])
        assert opened is not None
        if self.kernel in WITH_GAMMA:
            chosen = opened.kernel.gamma
            unset = 1.0 if self.kernel == "chi2" else 1.0 / data.X.shape[1]
            self.gamma_ = unset if chosen is None else float(chosen)
            widths = [self.gamma_] if len(kernels) == 1 else self.gamma
            self.gammas_ = np.array(widths, float)[: len(errors)]
            self.gamma_errors_ = np.array(errors)
        return opened

    def _one_by_one(self, kernels: list[Kernel], data: FitData) -> Iterator[tuple[int, Kernel]]:
        """Kernels and their numbers; of several each is a task for callbacks, which may end it."""
        for number, kernel in enumerate(kernels):
            if self._n_tasks() == 0:
                yield number, kernel
                return
            task = self._callback_fit_ctx.subcontext(task_name="width")
            task.call_on_fit_task_begin(estimator=self, **data.shown)
            yield number, kernel
            if task.call_on_fit_task_end(estimator=self, **data.shown):
                return

    def _n_tasks(self) -> int:
        """How many widths are tried, if several."""
        widths = int(np.size(self.gamma))
        return widths if widths > 1 else 0

    def _check_table(self, X: Any) -> None:
        """A precomputed kernel is a square matrix."""
        if self.kernel == PRECOMPUTED and X.shape[0] != X.shape[1]:
            raise ValueError(
                f"X has shape {X.shape}, but kernel='precomputed' takes the kernel matrix of the "
                "training rows; expected as many columns as rows: pass kernel(X, X)."
            )

    # -- the fitted model ------------------------------------------------------------------

    def _set_model(self, model: Model) -> None:
        self._set_dual(np.ascontiguousarray(self._dual(model.coef).T), model.intercept)

    def _set_dual(self, dual: Array, intercept: Array) -> None:
        """Set what predicts: dual coefficients (n, targets) and intercepts (targets,)."""
        flat = not self._target_shape
        self.dual_coef_ = dual[:, 0] if flat else dual
        if not self.fit_intercept:
            self.intercept_: Any = 0.0
        else:
            self.intercept_ = float(intercept[0]) if flat else intercept

    def _dual(self, coef: Array) -> Array:
        """Dual coefficients (targets, n) of the coefficients of the columns."""
        return coef

    def _outputs(self, X: Any) -> Array:
        """Model outputs, (rows, targets), a block of kernel rows at a time."""
        check_is_fitted(self)
        kernel = Kernel(
            self.kernel,
            getattr(self, "gamma_", None),
            self.degree,
            self.coef0,
            dict(self.kernel_params or {}),
        )
        dual = self.dual_coef_.reshape(len(self.dual_coef_), -1)
        intercept = np.broadcast_to(self.intercept_, dual.shape[1])
        centres = self._centres()
        made = partial(basis_rows, kernel=kernel, centres=centres)
        stored = stored_outputs(self, X, dual.T, intercept, made)
        if stored is not None:
            return stored
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype="numeric")
        outputs = np.empty((X.shape[0], dual.shape[1]))
        for rows in ranges(X.shape[0], max(256, _BLOCK_NUMBERS // len(dual))):
            outputs[rows] = kernel.between(as_floats(X[rows]), centres) @ dual
        return outputs + self.intercept_

    @abstractmethod
    def _centres(self) -> Any:
        """What new rows are compared with, see :class:`.kernels.KernelTable`."""

    # -- hold-out --------------------------------------------------------------------------

    def _held_out_rows(self, indices: Any) -> tuple[Array, Array]:
        """Different row numbers, ascending, and where each of the indices is among them."""
        check_is_fitted(self)
        if getattr(self, "_hold_out", None) is None:
            raise AttributeError(
                "the caches that holdout_predict needs are not here: a pickled or copied model, "
                "and one from a file, leaves them behind. Expected a model in the session that "
                "fitted it: call fit."
            )
        rows = np.asarray(indices)
        n_rows = len(self._weights)
        if rows.dtype == bool and rows.shape == (n_rows,):
            rows = np.flatnonzero(rows)
        if rows.ndim != 1 or rows.size == 0 or rows.dtype.kind not in "iu":
            raise ValueError(
                f"indices of type {rows.dtype} and shape {rows.shape} name no rows; expected a "
                "list of row numbers of the training data, or a mask of them: convert them."
            )
        if rows.min() < 0 or rows.max() >= n_rows:
            raise ValueError(
                f"indices go from {rows.min()} to {rows.max()}, but the model was fitted to "
                f"{n_rows} rows; expected numbers from 0 to {n_rows - 1}: correct them."
            )
        different, places = np.unique(rows, return_inverse=True)
        if np.count_nonzero(self._weights) == np.count_nonzero(self._weights[different]):
            raise ValueError(
                f"indices hold out all {np.count_nonzero(self._weights)} rows that count; "
                "expected some that are left to train on: hold out fewer."
            )
        return different, places

    def _held_out_alpha(self, alpha: Any) -> float:
        if alpha is None:
            return float(self.alpha_)
        number = isinstance(alpha, (Real, np.number)) and not isinstance(alpha, (bool, np.bool_))
        if not number or not 0 < float(alpha) < np.inf:
            raise ValueError(
                f"alpha must be positive and finite, got {alpha!r}; expected any penalty, or None "
                "for the chosen one: for an almost unregularised fit use a small value."
            )
        return float(alpha)

    def __getstate__(self) -> dict[str, Any]:
        """The model without what is as long as its rows."""
        state = dict(super().__getstate__())
        for name in ("_hold_out", "_weights"):
            state.pop(name, None)
        return state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == PRECOMPUTED
        tags.input_tags.sparse = self.kernel != PRECOMPUTED
        return tags
