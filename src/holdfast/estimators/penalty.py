"""What the penalty choosers share: from parameters to a route, from errors to a fitted model."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import ConvergenceWarning, UndefinedMetricWarning
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)

from holdfast.criteria.penalty import Model, Penalties, PenaltyProblem, held_out_results
from holdfast.estimators.checks import (
    check_alphas,
    check_flags,
    check_magnitude,
    check_weights,
)
from holdfast.estimators.entering import enter
from holdfast.estimators.folds import GroupsToSplitter, RowPairs, is_leave_one_out, resolve_pairs
from holdfast.estimators.results import in_shape
from holdfast.estimators.scoring import HeldOutScores, accepts_weights, resolve_scorer
from holdfast.estimators.selection import Targets
from holdfast.rows.splits import Splits
from holdfast.rows.sums import Array
from holdfast.searches.alphas import (
    N_AUTOMATIC,
    PenaltyChoice,
    automatic_grid,
    choose_alphas,
    choose_from_growing_grid,
)

_OPTIONAL_ATTRIBUTES = ("cv_results_", "held_out_predictions_")


@dataclass(frozen=True)
class FitData:
    """Validated data of a fit: what the splits are made of, and what a scorer is told, by row.

    ``told`` is None where that is for us to say.
    """

    X: Any
    y: Array
    weights: Array
    targets: Targets
    pairs: RowPairs | None
    told: dict[str, Any] | None

    @property
    def shown(self) -> dict[str, Any]:
        """What callbacks are shown."""
        return {"X": self.X, "y": self.y, "metadata": {"sample_weight": self.weights}}

    @property
    def splits(self) -> Splits | None:
        """Splits of the rows; None for leave-one-out."""
        return None if self.pairs is None else Splits.of(self.pairs, len(self.weights))


class PenaltyChooser(GroupsToSplitter, CallbackSupportMixin, BaseEstimator):
    """A ridge model whose penalty is chosen by exact hold-out; its faces say of what."""

    alpha_per_target = False
    _target_shape: tuple[int, ...]
    _sparse_formats: tuple[str, ...] = ("csr", "csc")
    _optional_attributes: tuple[str, ...] = ()
    _takes_stored = False

    # -- to be said by the faces -----------------------------------------------------------

    @abstractmethod
    def _code(self, y: Any, sample_weight: Array) -> Targets:
        """Targets of a validated ``y``."""

    @abstractmethod
    def _scored_model(self) -> Any:
        """What a scorer is shown as the fitted estimator."""

    @abstractmethod
    def _solve(
        self, data: FitData, grid: Array | None
    ) -> tuple[PenaltyProblem, Penalties, PenaltyChoice]:
        """The problem, what answers it, and the choice from the grid."""

    @abstractmethod
    def _set_model(self, model: Model) -> None:
        """Set the attributes that predict."""

    def _read_labels(self, y: Any) -> Array:
        """Labels as a scorer is shown them; for classifiers."""
        return np.asarray(y)

    @abstractmethod
    def _outputs(self, X: Any) -> Array:
        """Model outputs, (rows, targets)."""

    def _outputs_and_sizes(self, X: Any) -> tuple[Array, Array]:
        """The same, and sizes of their terms for ties between labels: only equal outputs tie."""
        outputs = self._outputs(X)
        return outputs, np.zeros_like(outputs)

    # -- from parameters to a choice -------------------------------------------------------

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, params: dict[str, Any]) -> Self:
        """Validate, choose the penalty, and set the fitted attributes."""
        _raise_for_params(params, self, "fit")
        grid = self._checked(leave_one_out=is_leave_one_out(self.cv))
        told, groups = self._routed(sample_weight, groups, params)
        X, y, weights, groups, like_X = enter(
            self,
            X,
            y,
            sample_weight,
            groups,
            sparse_formats=self._sparse_formats,
            stored=self._takes_stored,
        )
        check_weights(weights)
        targets = self._code(y, weights)
        for name, values in (("X", like_X), ("y", targets.values), ("sample_weight", weights)):
            check_magnitude(name, values)
        pairs = resolve_pairs(self.cv, like_X, y, groups, weights, classifier=is_classifier(self))
        if told is None and sample_weight is None and is_regressor(self):
            told = {}
        data = FitData(X, y, weights, targets, pairs, told)
        root = self._init_callback_context(max_subtasks=self._n_tasks())
        root.call_on_fit_task_begin(estimator=self, **data.shown)
        problem, penalties, choice = self._solve(data, grid)
        self.n_splits_ = None if problem.splits is None else len(problem.splits)
        self._keep(penalties, choice)
        if self.store_cv_results:
            self._store_results(penalties, problem, choice, targets.values.ndim == 1)
        root.call_on_fit_task_end(estimator=self, reconstruction_attributes={}, **data.shown)
        return self

    def _n_tasks(self) -> int:
        """How many tasks callbacks are told of: one decomposition is none that could be counted."""
        return 0

    def _checked(self, *, leave_one_out: bool) -> Array | None:
        """The grid of penalties, parameters that need no data having been checked."""
        flags = ("fit_intercept", "standardize", "store_cv_results", "alpha_per_target")
        check_flags(**{name: getattr(self, name) for name in flags})
        grid = check_penalties(self.alphas, leave_one_out=leave_one_out)
        if self.scoring is not None:
            resolve_scorer(self, self.scoring)
        for stale in (*_OPTIONAL_ATTRIBUTES, *self._optional_attributes):
            self.__dict__.pop(stale, None)
        return grid

    def _routed(
        self, sample_weight: Any, groups: Any, params: dict[str, Any]
    ) -> tuple[dict[str, Any] | None, Any]:
        """What the scorer is told, None where that is for us to say, and groups."""
        if not _routing_enabled():
            return None, groups
        given = {"sample_weight": sample_weight, "groups": groups, **params}
        if is_leave_one_out(self.cv):
            del given["groups"]
        given = {name: value for name, value in given.items() if value is not None}
        routed = process_routing(self, "fit", **given)
        return dict(routed.scorer.score), self._groups_of_splitter(groups, routed)

    def _scores(self, data: FitData, problem: PenaltyProblem) -> HeldOutScores | None:
        """The scorer, and what it is shown; without routing weights, if it takes them."""
        if self.scoring is None:
            return None
        scorer, told = resolve_scorer(self, self.scoring), data.told
        if told is None:
            seen = accepts_weights(scorer)
            told = {"sample_weight": problem.error_weights} if seen else {}
        elif "sample_weight" in told:
            told = {**told, "sample_weight": problem.error_weights}
        return HeldOutScores(
            scorer,
            self._scored_model(),
            self._read_labels(data.y),
            data.targets.values.shape[1:],
            told,
            bool(self.alpha_per_target),
        )

    def get_metadata_routing(self) -> MetadataRouter:
        """Where metadata go: ``sample_weight`` here, more to the scorer, groups to the splitter.

        Returns
        -------
        MetadataRouter
        """
        scoring = None if self.scoring is None else resolve_scorer(self, self.scoring)
        mapping = MethodMapping().add(caller="fit", callee="score")
        return super().get_metadata_routing().add(scorer=scoring, method_mapping=mapping)

    def _choose(
        self, penalties: Penalties, grid: Array | None, scores: HeldOutScores | None
    ) -> PenaltyChoice:
        def of_choices(losses: Array) -> Array:
            errors = losses / penalties.held_mass
            return errors if self.alpha_per_target else errors.mean(axis=-1, keepdims=True)

        def judge(alphas: Array) -> Array:
            if scores is not None:
                return scores.errors(penalties.held_out(alphas))
            return of_choices(penalties.losses(alphas))

        resolution = np.zeros(1) if scores is not None else of_choices(penalties.resolution)
        if grid is not None:
            return choose_alphas(grid, judge(grid), resolution)
        return choose_from_growing_grid(judge, automatic_grid(penalties.squares), resolution)

    # -- from a choice to attributes -------------------------------------------------------

    def _keep(self, penalties: Penalties, choice: PenaltyChoice) -> None:
        several = len(choice.chosen) > 1
        # As in scikit-learn: with a table of one target the score is that of targets, too.
        scores = several or (bool(self.alpha_per_target) and bool(self._target_shape))
        best = choice.alphas[choice.chosen]
        self.alphas_ = choice.alphas
        self.alpha_errors_ = choice.errors if several else choice.errors[:, 0]
        self.alpha_ = best if several else float(best[0])
        self.best_score_ = -choice.best if scores else float(-choice.best[0])
        self._set_model(penalties.model(best))
        if isinstance(self.alphas, str) and (choice.on_edge(0) or choice.on_edge(-1)):
            warnings.warn(
                f"the best penalty lies on the edge of the grid made from the data, "
                f"{choice.alphas[0]:.3g} to {choice.alphas[-1]:.3g}, after it was extended as far "
                "as it goes; expected a best value inside: look at alpha_errors_, or give alphas.",
                ConvergenceWarning,
                stacklevel=5,
            )
        if not np.isfinite(choice.best).all():
            warnings.warn(
                f"the score of the chosen penalty is {-choice.best}: it is not defined on what is "
                "held out. Expected numbers: hold out more rows at a time, or choose "
                "another scoring.",
                UndefinedMetricWarning,
                stacklevel=5,
            )
        small = [alpha for alpha in np.unique(best) if penalties.below_floor(alpha)]
        if small and small[0] > 0:
            warnings.warn(
                f"alpha={small[0]:.3g} was chosen, but the columns are so nearly dependent that "
                "their products cannot tell in 16 digits what less than about 1e-16 of their "
                "largest eigenvalue does: directions below that are left out of the model. "
                "Expected a larger alpha: add some to alphas, or drop duplicate columns.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _store_results(
        self, penalties: Penalties, problem: PenaltyProblem, choice: PenaltyChoice, flat: bool
    ) -> None:
        """Held-out predictions and errors; ``flat`` targets have no axis in the predictions."""
        predictions, errors = held_out_results(penalties, problem, choice.alphas)
        targets = np.arange(len(problem.targets))
        chosen = predictions[np.broadcast_to(choice.chosen, len(targets)), targets]
        self.held_out_predictions_ = chosen[0] if flat else chosen.T
        results = errors if self.scoring is None else predictions
        self.cv_results_ = in_shape(results, flat and is_regressor(self))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


def n_penalties(grid: Array | None) -> int:
    """How many penalties a grid has, one made from the data included."""
    return N_AUTOMATIC if grid is None else len(grid)


def check_penalties(alphas: Any, *, leave_one_out: bool) -> Array | None:
    """Penalties as an array, zero being one under splits; None for ``"auto"``."""
    if isinstance(alphas, (str, type(None))):
        return check_alphas(alphas)
    values: list[Any] = [alphas] if np.ndim(alphas) == 0 else list(alphas)
    values = [v.item() if isinstance(v, np.ndarray) and v.ndim == 0 else v for v in values]
    if not values or any(np.ndim(alpha) for alpha in values):
        return check_alphas(alphas)
    for number, alpha in enumerate(values):
        _check_penalty(alpha, "alphas" if len(values) == 1 else f"alphas[{number}]", leave_one_out)
    grid = np.array([float(alpha) for alpha in values])
    check_alphas(np.where(grid == 0, 1.0, grid))
    return grid


def _check_penalty(alpha: Any, name: str, leave_one_out: bool) -> None:
    """One penalty; the first words are those of scikit-learn."""
    if isinstance(alpha, (bool, np.bool_)) or not isinstance(alpha, (Real, np.number)):
        raise TypeError(
            f"{name} must be an instance of float, not {type(alpha).__name__}; expected "
            'numbers: pass a number, a sequence of them, or "auto".'
        )
    if leave_one_out and not float(alpha) > 0:
        raise ValueError(
            f"{name} == {alpha}, must be > 0.0. Expected positive penalties under "
            "leave-one-out: for an almost unregularised fit use a small value such as 1e-8, "
            "or hold out folds, for instance cv=10."
        )
    if not float(alpha) >= 0:
        raise ValueError(
            f"{name} == {alpha}, must be >= 0.0. Expected penalties that are not negative: drop it."
        )
