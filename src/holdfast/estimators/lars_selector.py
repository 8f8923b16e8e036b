"""What LarsRidge and LarsSVC share: from parameters to paths, from paths to a fitted model."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import is_classifier
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.utils.validation import check_is_fitted

from holdfast.estimators.checks import (
    check_flags,
    check_l2,
    check_magnitude,
    check_patience,
    check_size,
    check_weights,
    is_whole,
)
from holdfast.estimators.entering import enter
from holdfast.estimators.folds import resolve_splits
from holdfast.estimators.lars_judging import (
    Found,
    Judgement,
    Problem,
    held_out,
    joined,
    judge,
    pairs_of,
    training_sets,
    used_columns,
)
from holdfast.estimators.lars_tasks import PathOrder, follow_path
from holdfast.estimators.path_selector import OPTIONAL_ATTRIBUTES, PathSelector
from holdfast.rows import as_rows, near
from holdfast.rows.ledger import TIE
from holdfast.rows.sums import Array
from holdfast.searches.lars_columns import measure_columns
from holdfast.searches.lars_path import LarsPath
from holdfast.searches.path import SizeRule


class LarsSelector(PathSelector):
    """A model from a path of generalised LARS; its faces say which loss and target."""

    _takes_stored = True

    _hinge: bool
    _leave_one_out_is = "approximate"

    @abstractmethod
    def _code(self, y: Any, sample_weight: Array) -> Array:
        """Targets (targets, m) of a validated ``y``."""

    def _learn(self, held_out: Iterator[Array], targets: Array, weights: Array) -> None:
        """What the held-out outputs (targets, m) of every judged model are still good for."""

    # -- from parameters to paths ----------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Self:
        """Validate, follow the paths, choose, and set the fitted attributes."""
        alphas = self._checked()
        groups = self._groups_of_splitter(groups)
        X, y, weights, groups, like_X = enter(
            self, X, y, sample_weight, groups, multi_output=is_classifier(self)
        )
        check_weights(weights)
        check_magnitude("sample_weight", weights)
        rule = check_size(
            self.n_features_to_select, self.max_features, n_included=0, n_available=X.shape[1]
        )
        targets = self._code(y, weights)
        splits = resolve_splits(self.cv, like_X, y, groups, weights, classifier=is_classifier(self))
        self.n_splits_ = None if splits is None else len(splits)
        problem = Problem(X, targets, weights, pairs_of(splits), self._order_of_paths(X, rule))
        self.alphas_ = alphas
        self._n_columns = X.shape[1]
        found = self._follow(problem, alphas)
        if splits is not None:
            problem = replace(problem, near=near(X, lambda: used_columns(found)))
        self._keep(problem, found, rule)
        return self

    def _checked(self) -> Array:
        """The L2 penalties, parameters that need no data having been checked."""
        check_patience(self.patience)
        check_flags(
            fit_intercept=self.fit_intercept,
            lasso=self.lasso,
            refit=self.refit,
            store_cv_results=self.store_cv_results,
        )
        for stale in (*OPTIONAL_ATTRIBUTES, "path_held_out_predictions_"):
            self.__dict__.pop(stale, None)
        return check_l2(self.alpha)

    def _order_of_paths(self, X: Any, rule: SizeRule) -> PathOrder:
        """What every path has in common."""
        wanted = rule.size if rule.kind == "size" else rule.limit
        return PathOrder(
            hinge=self._hinge,
            alpha=0.0,
            fit_intercept=bool(self.fit_intercept),
            lasso=bool(self.lasso),
            refit=bool(self.refit),
            limit=min(X.shape[1], X.shape[1] if wanted is None else wanted),
            judged=self.n_splits_ is None,
            rule=rule,
            patience=self.patience,
            sizes=_check_sizes(self.sizes, X.shape[1]),
        )

    def _follow(self, problem: Problem, alphas: Array) -> Found:
        """Paths by (alpha, target, split), split -1 being all rows."""
        keys, tasks = [], []
        intercept = problem.order.fit_intercept
        for split, rows in training_sets(problem):
            weights = problem.weights
            # A row that is held out has no weight: X is not copied.
            if rows is not None:
                weights = np.zeros_like(weights)
                weights[rows] = problem.weights[rows]
            # Targets and penalties share what is known of the columns.
            all_rows = as_rows(problem.X, problem.targets[0], weights)
            columns = measure_columns(all_rows, fit_intercept=intercept)
            for number, alpha in enumerate(alphas.tolist()):
                order = replace(problem.order, alpha=alpha)
                for line, target in enumerate(problem.targets):
                    keys.append((number, line, split))
                    tasks.append(delayed(follow_path)(problem.X, target, weights, columns, order))
        root = self._init_callback_context(max_subtasks=len(tasks))
        root.call_on_fit_task_begin(estimator=self)
        found = {}
        results = Parallel(n_jobs=self.n_jobs, return_as="generator")(tasks)
        for key, followed in zip(keys, results, strict=True):
            task = root.subcontext(task_name="path")
            task.call_on_fit_task_begin(estimator=self)
            found[key] = followed
            task.call_on_fit_task_end(estimator=self)
        root.call_on_fit_task_end(estimator=self)
        return found

    # -- from paths to attributes ----------------------------------------------------------

    def _keep(
        self,
        problem: Problem,
        found: Found,
        rule: SizeRule,
    ) -> None:
        n_alphas, n_targets = len(self.alphas_), len(problem.targets)
        paths = [[found[a, t, -1] for t in range(n_targets)] for a in range(n_alphas)]
        sizes = [sorted({size for one in of_alpha for size in one.models}) for of_alpha in paths]
        known = sorted({size for some in sizes for size in some})
        errors = np.full((3, n_alphas, len(known)), np.nan)
        by_fold: dict[tuple[int, int], Array] = {}
        for a, some in enumerate(sizes):
            for size in some:
                judged = judge(problem, found, a, size)
                errors[:2, a, known.index(size)] = judged[:2]
                if judged[2] is not None:
                    by_fold[a, size] = judged[2]
        chosen_alpha, entries = 0, []
        best: Judgement | None = None
        for a, some in enumerate(sizes):
            judgements = [
                Judgement(
                    size,
                    a,
                    errors[0, :, known.index(size)],
                    errors[1, :, known.index(size)],
                    joined([one.model(size) for one in paths[a]]),
                    by_fold.get((a, size)),
                )
                for size in some
            ]
            position = rule.choose(judgements)
            mine = judgements[len(judgements) - 1 if position is None else position]
            if best is None or mine.error < best.error - TIE * abs(best.error):
                best, chosen_alpha, entries = mine, a, judgements
        self._set_path(entries, [one.path for one in paths[chosen_alpha]])
        outputs = (held_out(problem, found, chosen_alpha, entry.size) for entry in entries)
        self._learn(outputs, problem.targets, problem.weights)
        self._choose(self._position(entries, rule, stacklevel=6))
        _warn_of_paths(self.paths_)
        if self.store_cv_results:
            every = np.stack([held_out(problem, found, chosen_alpha, e.size) for e in entries])
            shaped = every[:, 0] if every.shape[1] == 1 else every.transpose(0, 2, 1)
            self.path_held_out_predictions_ = shaped
            self.held_out_predictions_ = shaped[self._chosen]

    def _set_path(self, entries: list[Judgement], paths: list[LarsPath]) -> None:
        """Set what tells of the paths of all targets; the choice from it comes afterwards."""
        self._path = entries
        self.paths_ = paths
        self.path_sizes_ = np.array([entry.size for entry in entries])
        self.path_errors_ = np.array([entry.error for entry in entries])
        self.path_std_errors_ = np.array([entry.std_error for entry in entries])
        self.path_alphas_ = self.alphas_[[entry.alpha for entry in entries]]
        self.__dict__.pop("path_fold_errors_", None)
        if entries[0].fold_errors is not None:
            self.path_fold_errors_ = np.array([entry.fold_errors for entry in entries])

    def _order(self, entry: Judgement) -> Array:
        """Columns in the order they entered; of several targets one list after the other."""
        return np.concatenate([path.order for path in self.paths_])

    def truncate(self, size: int | str) -> Self:
        """The fitted model of another judged size, without data and without following a path.

        Parameters
        ----------
        size : int or {"best", "1se"}
            A size in ``path_sizes_``, or a rule that chooses one.

        Returns
        -------
        estimator
            A fitted copy; its ``path_*`` attributes are those of the whole path.
        """
        check_is_fitted(self)
        return super().truncate(size)


def _check_sizes(sizes: Any, n_columns: int) -> frozenset[int] | None:
    """Sizes to be judged, or None."""
    if sizes is None:
        return None
    if isinstance(sizes, str) or not isinstance(sizes, Iterable):
        raise ValueError(
            f"sizes={sizes!r} is not a list of sizes; expected None or whole numbers from 1 to "
            f"{n_columns}: write [{sizes!r}] to judge one."
        )
    asked = list(sizes)
    for size in asked:
        if not (is_whole(size) and 1 <= size <= n_columns):
            raise ValueError(
                f"sizes holds {size!r}; expected whole numbers from 1 to {n_columns}, the number "
                "of columns: leave it out."
            )
    return frozenset(int(size) for size in asked)


def _warn_of_paths(paths: list[Any]) -> None:
    """Say so where columns were skipped, or digits were lost."""
    lost = [path for path in paths if path.ended == "digits"]
    if lost:
        warnings.warn(
            f"the path ended at lambda_1={lost[0].knots[-1]:.3g} with {lost[0].sizes[-1]} columns: "
            "these are so nearly dependent that digits were lost. Models of more columns are not "
            "reliable; expected columns that differ: set alpha above 0, or max_features.",
            DataDimensionalityWarning,
            stacklevel=6,
        )
    skipped = np.unique(np.concatenate([path.skipped for path in paths])).tolist()
    if skipped:
        named = ", ".join(str(column) for column in skipped[:5])
        more = f" and {len(skipped) - 5} more" if len(skipped) > 5 else ""
        warnings.warn(
            f"column{'s' if len(skipped) > 1 else ''} {named}{more} skipped: a combination of "
            "columns selected before (a duplicate, or more columns than rows). The path goes on "
            "without; expected independent columns: drop duplicates or set alpha above 0.",
            DataDimensionalityWarning,
            stacklevel=6,
        )
