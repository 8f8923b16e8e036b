"""Ridge models of all columns of X, their penalty chosen by exact hold-out."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from holdfast.criteria.penalty import Model, Penalties, PenaltyProblem
from holdfast.criteria.penalty_moments import MomentPenalties
from holdfast.criteria.penalty_routes import cheapest
from holdfast.estimators.entering import stored_outputs
from holdfast.estimators.fold_moments import open_moments
from holdfast.estimators.penalty import FitData, PenaltyChooser, n_penalties
from holdfast.rows import as_rows
from holdfast.rows.sums import Array
from holdfast.searches.alphas import PenaltyChoice


class AllColumns(PenaltyChooser):
    """A ridge model of all columns, its penalty chosen by exact hold-out."""

    _coefficients = "coef_"
    _takes_stored = True

    @abstractmethod
    def _shape(self, coef: Array, intercept: Array) -> tuple[Array, Any]:
        """Coefficients and intercepts in the shape scikit-learn gives them."""

    def _solve(
        self, data: FitData, grid: Array | None
    ) -> tuple[PenaltyProblem, Penalties, PenaltyChoice]:
        """The problem, what answers it, and the choice from the grid."""
        problem = PenaltyProblem(
            as_rows(data.X, data.targets.values, data.weights),
            data.splits,
            data.targets.classes,
            fit_intercept=bool(self.fit_intercept),
            standardize=bool(self.standardize),
        )
        penalties = cheapest(problem, n_penalties(grid)).take(problem)
        return problem, penalties, self._choose(penalties, grid, self._scores(data, problem))

    def fit_moments(self, moments: Any) -> Self:
        """Choose the penalty and fit the model from moments of folds instead of data.

        Parameters
        ----------
        moments : FoldMoments
            Their folds take the place of ``cv``.

        Returns
        -------
        self
        """
        grid = self._checked(leave_one_out=False)
        if self.scoring is not None:
            raise ValueError(
                f"scoring={self.scoring!r} asks for held-out predictions, which need the rows; "
                "expected fit(X, y): use it instead of fit_moments, or set scoring=None."
            )
        taken = open_moments(self, moments, self.store_cv_results)
        self.n_splits_ = len(taken.factors)
        penalties = MomentPenalties(
            *taken, fit_intercept=bool(self.fit_intercept), standardize=bool(self.standardize)
        )
        self._keep(penalties, self._choose(penalties, grid, None))
        return self

    def _set_model(self, model: Model) -> None:
        """Set the attributes that predict."""
        self.coef_, self.intercept_ = self._shape(model.coef, model.intercept)

    def _outputs(self, X: Any) -> Array:
        """Model outputs, (rows, targets)."""
        check_is_fitted(self)
        coef, intercept = np.atleast_2d(self.coef_), np.atleast_1d(self.intercept_)
        stored = stored_outputs(self, X, coef, intercept)
        if stored is not None:
            return stored
        X = validate_data(self, X, reset=False, accept_sparse=("csr", "csc"), dtype="numeric")
        product = safe_sparse_dot(X, coef.T, dense_output=True)
        outputs: Array = np.asarray(product, dtype=np.float64) + intercept
        return outputs
