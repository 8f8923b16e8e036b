"""What the selectors share: from parameters to a ledger, from a path to a fitted model."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from sklearn.base import is_classifier, is_regressor
from sklearn.callback import with_callbacks
from sklearn.exceptions import ConvergenceWarning, DataDimensionalityWarning

from holdfast.criteria.labels import ROUNDING
from holdfast.criteria.weighting import ClassWeights
from holdfast.estimators.checks import (
    check_alphas,
    check_flags,
    check_magnitude,
    check_patience,
    check_size,
    check_weights,
)
from holdfast.estimators.columns import resolve_constraints, resolve_features
from holdfast.estimators.entering import enter
from holdfast.estimators.extents import check_lengths
from holdfast.estimators.fold_moments import open_moments
from holdfast.estimators.folds import resolve_splits
from holdfast.estimators.openings import HoldOutOpening, LeaveOneOutOpening, Opening
from holdfast.estimators.path_selector import OPTIONAL_ATTRIBUTES, PathSelector
from holdfast.estimators.results import errors_of_rows, in_shape
from holdfast.rows import as_rows, columns_of
from holdfast.rows.ledger import Features, Ledger
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array
from holdfast.searches.alphas import automatic_grid
from holdfast.searches.path import SizeRule, Visit

_SAME = 1e-6
"""Errors of the same model on the same data agree so far, relatively."""


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


class RidgeSelector(PathSelector):
    """A ridge model on features chosen by a search; its faces say which search and target."""

    _rounding_of_ties = ROUNDING
    """Outputs of classes that differ by less than this share of their terms' sizes are equal."""

    # -- to be said by the faces -----------------------------------------------------------

    @abstractmethod
    def _code(self, y: Any, sample_weight: Array) -> Targets:
        """Targets of a validated ``y``."""

    @abstractmethod
    def _search(self, problem: Problem) -> list[Visit]:
        """The path of the search."""

    def _check_memory(self, shape: tuple[int, int], n_views: int, folds: FoldCount | None) -> None:
        """Refuse before any work what cannot fit."""

    _asks_for_all_columns = False
    """Whether the search starts from all columns."""
    _takes_stored = False
    """Whether rows may be stored elsewhere than in memory."""

    # -- from parameters to a path ---------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        """Validate, search, and set the fitted attributes."""
        grid = self._checked()
        groups = self._groups_of_splitter(groups)
        X, y, weights, groups, like_X = enter(
            self, X, y, sample_weight, groups, stored=self._takes_stored
        )
        check_weights(weights)
        asked = self._asked(X.shape[1], getattr(X, "groups", None))
        targets = self._code(y, weights)
        for name, values in (("y", targets.values), ("sample_weight", weights)):
            check_magnitude(name, values)
        splits = resolve_splits(self.cv, like_X, y, groups, weights, classifier=is_classifier(self))
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
        # Columns whose squares are no numbers are refused, not warned of.
        with np.errstate(over="ignore", invalid="ignore"):
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
            check_lengths(rows, opening.lengths, fit_intercept=self.fit_intercept)
        data = {"X": X, "y": y, "metadata": {"sample_weight": weights}}
        problem = self._problem(asked, opening, grid, targets.values, targets.error, data)
        self._keep_path(self._searched(problem), problem)
        if self.store_cv_results:
            self._store_results(problem, X, weights, splits, classes)
        return self

    def _searched(self, problem: Problem) -> list[Visit]:
        """The path of the search; one that is interrupted leaves the path so far."""
        self.__dict__.pop("_visited", None)
        try:
            return self._search(problem)
        except BaseException:
            if self.__dict__.get("_visited"):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # the interruption says enough
                    self._keep_path(self._visited, problem)
            raise
        finally:
            self.__dict__.pop("_visited", None)

    def _resumed(
        self, problem: Problem, start: Sequence[int] | Array
    ) -> tuple[Ledger, Sequence[Visit]]:
        """A ledger where the search starts, or with a warm start where the last one has come to.

        Opening a ledger there accepts the recorded moves again; no candidate is scored.
        """
        visited: Sequence[Visit] = getattr(self, "_path", [])
        if not getattr(self, "warm_start", False) or not visited:
            return problem.ledger(start), []
        same = np.array_equal(np.sort(visited[0].support), np.sort(start)) and np.array_equal(
            self.alphas_, problem.alphas
        )
        if same:
            ledger = problem.ledger(visited[-1].support)
            now, then = ledger.standing.errors, visited[-1].errors
            same = now.shape == then.shape and np.allclose(now, then, rtol=_SAME, atol=0)
        if not same:
            raise ValueError(
                "warm_start=True was asked for, but the errors of the last path are not those of "
                "this problem; expected the data, weights, splits, constraints and alphas of the "
                "last fit: pass them again, or set warm_start=False to start anew."
            )
        return ledger, visited

    def _checked(self) -> Array | None:
        """The grid of penalties, parameters that need no data having been checked."""
        grid = check_alphas(self.alphas)
        check_patience(self.patience)
        flags = ("fit_intercept", "standardize", "floating", "store_cv_results", "warm_start")
        check_flags(**{name: getattr(self, name) for name in flags if hasattr(self, name)})
        for stale in OPTIONAL_ATTRIBUTES:
            self.__dict__.pop(stale, None)
        return grid

    def _asked(self, n_columns: int, blocks: list[list[int]] | None = None) -> _Asked:
        """Features, constraints and the choice of size, as the parameters ask for them.

        ``blocks`` are columns that are one column of a stored table: the groups, if none are given.
        """
        names = getattr(self, "feature_names_in_", None)
        groups = blocks if self.feature_groups is None else self.feature_groups
        features = resolve_features(groups, n_columns, names)
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
        self._set_path(path, problem.alphas, problem.features)
        self._choose(self._position(path, problem.rule, stacklevel=6))
        _warn_of_lost_digits(path, self.path_alphas_)

    def _set_path(self, path: list[Visit], alphas: Array, features: Features) -> None:
        """Set what tells of the path; the choice from it comes afterwards."""
        self._path = path
        self._n_columns = len(features.flat)
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

    def _order(self, entry: Visit) -> Array:
        """Columns in the order moved in the whole search."""
        moves = [columns for _, columns in self.path_moves_]
        return np.concatenate(moves) if moves else np.empty(0, dtype=np.intp)

    def _store_results(
        self, problem: Problem, X: Any, weights: Array, splits: Splits | None, classes: ClassWeights
    ) -> None:
        """Held-out predictions of the chosen model, and its errors at every alpha."""
        entry, targets = self._path[self._chosen], problem.targets
        assert targets is not None  # only fit stores results
        predictions = problem.ledger(entry.support).held_out_predictions(entry.alpha)
        self.held_out_predictions_ = predictions[:, 0] if targets.ndim == 1 else predictions
        errors = errors_of_rows(
            columns_of(X, np.sort(entry.solution.columns)),
            targets,
            weights,
            splits,
            classes,
            problem.alphas,
            fit_intercept=bool(self.fit_intercept),
            standardize=bool(self.standardize),
        )
        self.cv_results_ = in_shape(errors, targets.ndim == 1 and is_regressor(self))


class MomentsSelector(RidgeSelector):
    """A selector whose search needs moments of folds only, no rows."""

    _takes_stored = True

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
        self._keep_path(self._searched(problem), problem)
        return self


def _warn_of_lost_digits(path: list[Visit], alphas: Array) -> None:
    """Say so where rounding decided errors of the path."""
    near = [number for number, entry in enumerate(path) if entry.lost == "leverage"]
    if near:
        warnings.warn(
            f"{len(near)} of {len(path)} models of the path all but interpolate a row, for "
            "instance one far larger than the others: its leave-one-out error has fewer than 8 "
            "digits. "
            "Expected rows of about one size and penalties that count beside them: divide or drop "
            "the row, take a larger alpha, or hold out folds (cv=10).",
            ConvergenceWarning,
            stacklevel=5,
        )
    lost = [number for number, entry in enumerate(path) if entry.lost == "dependence"]
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
        self._estimator._visited = list(path)
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
