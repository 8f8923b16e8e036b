"""What the selectors share: from parameters to a ledger, from a path to a fitted model."""

from __future__ import annotations

import copy
import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.callback import CallbackSupportMixin, with_callbacks
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from holdfast.criteria.weighting import ClassWeights
from holdfast.estimators.checks import (
    check_alphas,
    check_flags,
    check_magnitude,
    check_patience,
    check_size,
    check_weights,
    is_whole,
    with_remedies,
)
from holdfast.estimators.columns import resolve_constraints, resolve_features
from holdfast.estimators.fold_moments import open_moments
from holdfast.estimators.folds import resolve_splits
from holdfast.estimators.openings import HoldOutOpening, LeaveOneOutOpening, Opening
from holdfast.rows import as_rows
from holdfast.rows.ledger import Features, Ledger
from holdfast.rows.sums import Array
from holdfast.searches.alphas import automatic_grid
from holdfast.searches.path import SizeRule, Visit

_OPTIONAL_ATTRIBUTES = ("cv_results_", "held_out_predictions_")


@dataclass(frozen=True)
class Problem:
    """A validated selection problem, opened on its data.

    ``included`` features are always in the model, ``candidates`` may enter or leave it;
    ``data`` is what callbacks are shown, ``targets`` is (m,) or (m, targets), None where only
    moments are at hand.
    """

    opening: Opening
    targets: Array | None
    alphas: Array
    error: str
    features: Features
    included: Array
    candidates: Array
    rule: SizeRule
    data: dict[str, Any]

    def ledger(self, start: Sequence[int] | Array) -> Ledger:
        """A ledger standing at the features ``start``."""
        room = expected_columns(self.rule, self.features)
        return self.opening.ledger(start, self.alphas, self.error, room)


def expected_columns(rule: SizeRule, features: Features) -> int:
    """Columns a search will select, when that is said, or a few."""
    wanted = rule.size if rule.kind == "size" else rule.limit or 8
    return int(min(wanted, len(features)) * features.sizes.max())


@dataclass(frozen=True)
class Targets:
    """Targets as the ledger takes them, how their classes count, and what is minimised."""

    values: Array
    classes: ClassWeights
    error: str = "squared"


class FoldCount(NamedTuple):
    """How many splits there are, and parts, divided by class, that they are made of."""

    splits: int
    parts: int


@dataclass(frozen=True)
class _Asked:
    """What the parameters ask for: features, those always in, those never in, and a size."""

    features: Features
    included: Array
    excluded: Array
    rule: SizeRule


class RidgeSelector(SelectorMixin, CallbackSupportMixin, BaseEstimator):
    """A ridge model on features chosen by a search; its faces say which search and target."""

    _coefficients = "coef_"

    # -- to be said by the faces -----------------------------------------------------------

    @abstractmethod
    def _code(self, y: Any, sample_weight: Array) -> Targets:
        """Targets of a validated ``y``."""

    @abstractmethod
    def _search(self, problem: Problem) -> list[Visit]:
        """The path of the search."""

    @abstractmethod
    def _shape(self, coef: Array, intercept: Array) -> tuple[Array, Any]:
        """Coefficients and intercepts in the shape scikit-learn gives them."""

    def _check_memory(self, shape: tuple[int, int], n_views: int, folds: FoldCount | None) -> None:
        """Refuse before any work what cannot fit."""

    _asks_for_all_columns = False
    """Whether the search starts from all columns."""

    # -- from parameters to a path ---------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        """Validate, search, and set the fitted attributes."""
        grid = self._checked()
        with with_remedies():
            X, y = validate_data(
                self,
                X,
                y,
                accept_sparse=("csr", "csc"),
                multi_output=True,
                y_numeric=is_regressor(self),
                ensure_min_samples=2,
            )
            weights = _check_sample_weight(
                sample_weight, X, dtype=np.float64, ensure_non_negative=True
            )
        check_weights(weights)
        asked = self._asked(X.shape[1])
        targets = self._code(y, weights)
        for name, values in (("y", targets.values), ("sample_weight", weights)):
            check_magnitude(name, values)
        splits = resolve_splits(self.cv, X, y, groups, weights, classifier=is_classifier(self))
        classes = targets.classes
        self.n_splits_ = None if splits is None else len(splits)
        if splits is None:
            left = X.shape[1] - int(asked.features.sizes[asked.excluded].sum())
            self._check_memory((X.shape[0], left), len(classes.views.train), None)
        else:
            folds = FoldCount(len(splits), splits.n_parts * len(classes))
            self._check_memory(X.shape, 1, folds)
        rows = as_rows(X, targets.values, weights)
        centring = {"fit_intercept": self.fit_intercept, "standardize": self.standardize}
        opening: Opening
        if splits is None:
            opening = LeaveOneOutOpening(rows, asked.features, targets.classes, **centring)
        else:
            opening = HoldOutOpening.on_rows(
                rows,
                splits,
                asked.features,
                targets.classes,
                room=expected_columns(asked.rule, asked.features),
                all_columns=self._asks_for_all_columns,
                **centring,
            )
        data = {"X": X, "y": y, "metadata": {"sample_weight": weights}}
        problem = self._problem(asked, opening, grid, targets.values, targets.error, data)
        self._keep_path(self._search(problem), problem)
        if self.store_cv_results:
            self._store_results(problem)
        return self

    @with_callbacks
    def fit_moments(self, moments: Any) -> Self:
        """Select features and fit the model on them, from moments of folds instead of data.

        Parameters
        ----------
        moments : FoldMoments
            Their folds take the place of ``cv``.

        Returns
        -------
        self
        """
        grid = self._checked()
        error = getattr(self, "error", "squared")
        if error != "squared":
            raise ValueError(
                f"error={error!r} counts labels, which needs the rows; expected fit(X, y): use it "
                "instead of fit_moments, or set error='squared'."
            )
        taken = open_moments(self, moments, self.store_cv_results)
        asked = self._asked(self.n_features_in_)
        self.n_splits_ = len(taken.factors)
        folds = FoldCount(*taken.factors.train.shape)
        self._check_memory((moments.n_rows_, self.n_features_in_), 1, folds)
        opening = HoldOutOpening(
            taken.moments,
            taken.factors,
            taken.whole,
            asked.features,
            fit_intercept=self.fit_intercept,
            standardize=self.standardize,
        )
        problem = self._problem(asked, opening, grid, None, "squared", {})
        self._keep_path(self._search(problem), problem)
        return self

    def _checked(self) -> Array | None:
        """The grid of penalties, parameters that need no data having been checked."""
        grid = check_alphas(self.alphas)
        check_patience(self.patience)
        flags = ("fit_intercept", "standardize", "floating", "store_cv_results")
        check_flags(**{name: getattr(self, name) for name in flags if hasattr(self, name)})
        for stale in _OPTIONAL_ATTRIBUTES:
            self.__dict__.pop(stale, None)
        return grid

    def _asked(self, n_columns: int) -> _Asked:
        """Features, constraints and the choice of size, as the parameters ask for them."""
        names = getattr(self, "feature_names_in_", None)
        features = resolve_features(self.feature_groups, n_columns, names)
        included, excluded = resolve_constraints(self.include, self.exclude, features, names)
        rule = check_size(
            self.n_features_to_select,
            self.max_features,
            n_included=len(included),
            n_available=len(features) - len(excluded),
        )
        return _Asked(features, included, excluded, rule)

    def _problem(
        self,
        asked: _Asked,
        opening: Opening,
        grid: Array | None,
        targets: Array | None,
        error: str,
        data: dict[str, Any],
    ) -> Problem:
        """Leave out features that cannot change a model, warning where none is left."""
        features, included, excluded = asked.features, asked.included, asked.excluded
        too_large = np.flatnonzero(~np.isfinite(opening.squares))
        if len(too_large):
            raise ValueError(
                f"column {too_large[0]} of X is so large that its squared length is not finite; "
                "expected sizes below 1e150: divide the column by a constant."
            )
        inert = np.logical_and.reduceat(opening.inert[features.flat], features.starts[:-1])
        outside = np.concatenate([included, excluded, np.flatnonzero(inert)])
        candidates = np.setdiff1d(np.arange(len(features)), outside)
        if len(candidates) == 0 and len(included) == 0:
            constant = int(np.count_nonzero(inert))
            warnings.warn(
                f"none of the {len(features)} features can be selected: {constant} are constant, "
                f"{len(excluded)} excluded. The model is its intercept; check the table and "
                "exclude.",
                DataDimensionalityWarning,
                stacklevel=5,
            )
        alphas = automatic_grid(opening.squares) if grid is None else grid
        return Problem(
            opening, targets, alphas, error, features, included, candidates, asked.rule, data
        )

    # -- from a path to attributes ---------------------------------------------------------

    def _keep_path(self, path: list[Visit], problem: Problem) -> None:
        alphas, features = problem.alphas, problem.features
        self._path = path
        self._features = features
        self.alphas_ = alphas
        self.path_sizes_ = np.array([entry.size for entry in path])
        self.path_errors_ = np.array([entry.error for entry in path])
        self.path_std_errors_ = np.array([entry.std_error for entry in path])
        self.path_alphas_ = alphas[[entry.alpha for entry in path]]
        self.__dict__.pop("path_fold_errors_", None)
        if path[0].fold_errors is not None:
            self.path_fold_errors_ = np.array(
                [
                    entry.fold_errors[:, entry.alpha]
                    for entry in path
                    if entry.fold_errors is not None
                ]
            )
        self.path_moves_ = [
            (entry.move.sign, features.columns([entry.move.feature]))
            for entry in path
            if entry.move is not None
        ]
        self._choose(self._position(path, problem.rule))
        _warn_of_lost_digits(path, self.path_alphas_)

    def _position(self, path: list[Visit], rule: SizeRule) -> int:
        """Position of the rule's choice; the nearest size, with a warning, where there is none."""
        position = rule.choose(path)
        if position is not None:
            return position
        size = path[-1].size
        wanted = rule.size if rule.kind == "size" else rule.limit
        warnings.warn(
            f"{wanted} features were asked for but the search ended at {size}: no other column "
            "can change the model (constant columns never can), or a callback ended the search. "
            f"The model of {size} features is kept; ask for at most as many.",
            DataDimensionalityWarning,
            stacklevel=6,
        )
        return len(path) - 1

    def _choose(self, position: int) -> None:
        """Make one visited model the fitted one."""
        entry = self._path[position]
        for name, value in self._solution_attributes(entry, len(self._features.flat)).items():
            setattr(self, name, value)
        self.n_features_ = entry.size
        self.alpha_ = float(self.alphas_[entry.alpha])
        self.alpha_errors_ = entry.errors
        self.best_score_ = -entry.error
        self.selection_order_ = self._order(entry)
        self._chosen = position

    def _solution_attributes(self, entry: Visit, n_columns: int) -> dict[str, Any]:
        """What predicting needs of a visited model."""
        solution = entry.solution
        coef = np.zeros((len(solution.coef), n_columns))
        coef[:, solution.columns] = solution.coef
        support = np.zeros(n_columns, dtype=bool)
        support[solution.columns] = True
        shaped, intercept = self._shape(coef, solution.intercept)
        return {"coef_": shaped, "intercept_": intercept, "support_": support}

    def _order(self, entry: Visit) -> Array:
        """Columns in the order moved in the whole search."""
        moves = [columns for _, columns in self.path_moves_]
        return np.concatenate(moves) if moves else np.empty(0, dtype=np.intp)

    def _store_results(self, problem: Problem) -> None:
        """Held-out predictions of the chosen model, and its squared errors at every alpha."""
        entry = self._path[self._chosen]
        ledger = problem.ledger(entry.support)
        predictions = np.stack(
            [ledger.held_out_predictions(alpha) for alpha in range(len(problem.alphas))], axis=-1
        )
        targets = problem.targets
        assert targets is not None  # only fit stores results
        chosen = predictions[:, :, entry.alpha]
        if targets.ndim == 1:
            predictions, chosen = predictions[:, 0], chosen[:, 0]
        self.cv_results_ = (targets[..., None] - predictions) ** 2
        self.held_out_predictions_ = chosen

    def truncate(self, size: int | str) -> Self:
        """The fitted model of another visited size, without data and without search.

        Parameters
        ----------
        size : int or {"best", "1se"}
            A size in ``path_sizes_``, or a rule that chooses one. Of several visited models
            of that size the one with the smallest error.

        Returns
        -------
        estimator
            A fitted copy; its ``path_*`` attributes are those of the whole search.
        """
        check_is_fitted(self)
        known = isinstance(size, str) and size in ("best", "1se")
        rule = SizeRule(str(size)) if known else SizeRule("size", size if is_whole(size) else -1)
        position = rule.choose(self._path)
        if position is None:
            visited = sorted(set(self.path_sizes_.tolist()))
            raise ValueError(
                f"size={size!r} was not visited; expected 'best', '1se' or one of {visited}: "
                "fit again with a larger n_features_to_select or patience to visit more."
            )
        shorter = copy.copy(self)
        for stale in _OPTIONAL_ATTRIBUTES:
            shorter.__dict__.pop(stale, None)
        shorter._choose(position)
        return shorter

    # -- predicting ------------------------------------------------------------------------

    def _outputs(self, X: Any) -> Array:
        """Model outputs, (rows, targets)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse=("csr", "csc"), dtype="numeric")
        coef = np.atleast_2d(self.coef_)
        columns = np.flatnonzero(self.support_)
        selected = X[:, columns]
        product = selected @ coef[:, columns].T
        if sparse.issparse(product):
            product = product.toarray()
        outputs: Array = np.asarray(product, dtype=np.float64) + np.atleast_1d(self.intercept_)
        return outputs

    def _get_support_mask(self) -> Array:
        check_is_fitted(self)
        support: Array = self.support_
        return support

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def _warn_of_lost_digits(path: list[Visit], alphas: Array) -> None:
    """Say so where rounding decided errors of the path."""
    lost = [number for number, entry in enumerate(path) if entry.lost]
    if lost:
        warnings.warn(
            f"{len(lost)} of {len(path)} models of the path were judged under alpha="
            f"{alphas[lost].min():.3g}, but their columns are so nearly dependent that their "
            "products cannot tell in 16 digits what less than about 1e-16 of their largest "
            "eigenvalue does: the errors of these models may be rounding. Expected a larger alpha: "
            "add some to alphas, or drop duplicate columns.",
            ConvergenceWarning,
            stacklevel=5,
        )


class Shown(Protocol):
    """What callbacks are shown of a problem."""

    @property
    def features(self) -> Features:
        """What moves add and remove."""
        ...

    @property
    def data(self) -> dict[str, Any]:
        """X, y and metadata."""
        ...


class MoveTasks:
    """Tells scikit-learn's callbacks of every move; they may end the search.

    Parameters
    ----------
    estimator : estimator
        Being fitted.
    problem : Shown
        Its data are shown to the callbacks.
    n_moves : int or None
        How many there will be at most, where that is known.
    """

    def __init__(self, estimator: Any, problem: Shown, n_moves: int | None) -> None:
        self._estimator = estimator
        self._problem = problem
        self._root = estimator._init_callback_context(max_subtasks=n_moves)
        self._root.call_on_fit_task_begin(estimator=estimator, **problem.data)
        self._task: Any = None

    def begin(self) -> None:
        """A move is about to be looked for."""
        self._task = self._root.subcontext(task_name="move")
        self._task.call_on_fit_task_begin(estimator=self._estimator, **self._problem.data)

    def end(self, path: Sequence[Visit]) -> bool:
        """A move was made; whether a callback asks to stop."""
        return self._end(self._task, path)

    def close(self, path: Sequence[Visit]) -> None:
        """The search has ended."""
        self._end(self._root, path)

    def _end(self, task: Any, path: Sequence[Visit]) -> bool:
        n_columns = len(self._problem.features.flat)
        stop = task.call_on_fit_task_end(
            estimator=self._estimator,
            reconstruction_attributes=lambda: self._estimator._solution_attributes(
                path[-1], n_columns
            ),
            **self._problem.data,
        )
        return bool(stop)
