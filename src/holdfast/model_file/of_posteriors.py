"""Models with a posterior, in a model file."""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.criteria.nested_models import NestedModels, Posterior, Sample
from holdfast.model_file.arrays import Matrix, Rows, Triangle, Wholes, numbers, predicting
from holdfast.model_file.kinds import LARGEST, Kind, Maybe, Number, Place, Record, Whole
from holdfast.model_file.of_kernels import WIDTHS, check_basis, check_kernel, probe
from holdfast.model_file.parts import Part, optional, restore_optional

_ROOT = 1e75
"""Roots of a posterior are squared."""
_LEAST = 1e-150
"""Variances, precisions and masses are divided by."""

_RULE: dict[str, Kind] = {
    "gamma": WIDTHS["gamma"],
    "basis_indices": Wholes("basis", distinct=False),
    "coef": Matrix("outputs", "basis"),
    "intercept": predicting("outputs"),
    "centre": predicting("basis"),
    "root": Matrix("basis", "basis", most=_ROOT),
    "mass": Number(above=_LEAST, open_ended=True),
    "noise_variance": Number(above=_LEAST, most=LARGEST),
    "n_iter": Whole(),
}


def _gathered_rule(estimator: Any) -> dict[str, Any]:
    rule = estimator._rule
    return {
        **rule.posterior._asdict(),
        "gamma": getattr(estimator, "gamma_", None),
        "basis_indices": estimator.basis_indices_,
        "centre": rule.centre,
        "mass": rule.mass,
        "noise_variance": rule.noise,
        "n_iter": estimator.n_iter_,
    }


def _restore_rule(estimator: Any, found: dict[str, Any], vectors: Any, place: Place) -> None:
    """Set what predicts; ``vectors`` are the rows of the basis, None without any."""
    indices = found["basis_indices"]
    if estimator.kernel is not None:
        check_kernel(estimator, found["gamma"], place, grid=False)
    if estimator.kernel is None and len(set(indices.tolist())) < len(indices):
        raise place.inside("basis_indices").wrong(indices.tolist(), "different columns")
    check_basis(estimator, indices, vectors, place)
    restore_optional(estimator, found, ("gamma",))
    posterior = Posterior(found["coef"], found["intercept"], found["root"])
    noise = found["noise_variance"]
    estimator._set_model(vectors, indices, posterior, found["centre"], found["mass"], noise)
    estimator.noise_variance_ = noise
    estimator.n_iter_ = found["n_iter"]
    probe(estimator, vectors, place)


_MODELS = Record(
    {
        "columns": Wholes("visited"),
        "centre": predicting("visited"),
        "target_mean": predicting("outputs"),
        "triangle": Triangle("visited"),
        "target": Matrix("outputs", "visited"),
        "sample": Record(
            {"count": Whole(), "constant": Number(), "rest": predicting("outputs")}, Sample
        ),
        "mass": Number(above=_LEAST, open_ended=True),
    },
    NestedModels,
)

_EVIDENCE: dict[str, Kind] = {
    **_RULE,
    "weight_precision": Number(above=_LEAST, most=LARGEST),
    "low_rank_error": Maybe(Number()),
    "selection_order": Wholes("visited"),
    "log_evidence_path": numbers("sizes", open_ended=True),
    "visited_vectors": Maybe(Rows("visited", "features")),
    "models": _MODELS,
}


def _gathered_evidence(estimator: Any) -> dict[str, Any]:
    kept = ("weight_precision", "selection_order", "log_evidence_path")
    return {
        **_gathered_rule(estimator),
        **{name: getattr(estimator, f"{name}_") for name in kept},
        **optional(estimator, ("low_rank_error",)),
        "visited_vectors": estimator._visited_vectors,
        "models": estimator._models,
    }


def _restore_evidence(estimator: Any, found: dict[str, Any], place: Place) -> None:
    order, size = found["selection_order"], len(found["basis_indices"])
    if not np.array_equal(order[:size], found["basis_indices"]):
        raise place.inside("basis_indices").wrong(
            found["basis_indices"].tolist(), "the first of selection_order"
        )
    if len(found["log_evidence_path"]) != len(order) + 1:
        raise place.inside("log_evidence_path").refusal(
            f"{len(found['log_evidence_path'])} numbers", f"{len(order) + 1} of them"
        )
    vectors = found["visited_vectors"]
    estimator._models, estimator._visited_vectors = found["models"], vectors
    estimator.selection_order_ = order
    _restore_rule(estimator, found, None if vectors is None else vectors[:size], place)
    estimator.weight_precision_ = found["weight_precision"]
    estimator.alpha_ = found["noise_variance"] * found["weight_precision"]
    estimator.log_evidence_path_ = found["log_evidence_path"]
    estimator.log_evidence_ = float(found["log_evidence_path"][size])
    restore_optional(estimator, found, ("low_rank_error",))
    check_basis(estimator, order, vectors, place)
    _check_longest(estimator, place)


def _check_longest(estimator: Any, place: Place) -> None:
    """The model of all visited functions, which is computed anew, must have finite numbers."""
    with np.errstate(all="ignore"):
        longest = estimator.truncate(len(estimator.selection_order_))
        sizes = [np.abs(part).max(initial=0.0) for part in longest._rule.posterior]
    if not all(size < most for size, most in zip(sizes, (LARGEST, LARGEST, _ROOT), strict=True)):
        raise place.inside("models").refusal("a model whose numbers are not finite", "another")


_RELEVANCE: dict[str, Kind] = {
    **_RULE,
    "precisions": numbers("basis"),
    "log_evidence": Number(open_ended=True),
    "basis_vectors": Maybe(Rows("basis", "features")),
}


def _gathered_relevance(estimator: Any) -> dict[str, Any]:
    return {
        **_gathered_rule(estimator),
        "precisions": estimator.precisions_,
        "log_evidence": estimator.log_evidence_,
        **optional(estimator, ("basis_vectors",)),
    }


def _restore_relevance(estimator: Any, found: dict[str, Any], place: Place) -> None:
    _restore_rule(estimator, found, found["basis_vectors"], place)
    estimator.precisions_ = found["precisions"]
    estimator.log_evidence_ = found["log_evidence"]


EVIDENCE = Part(_EVIDENCE, _gathered_evidence, _restore_evidence)
RELEVANCE = Part(_RELEVANCE, _gathered_relevance, _restore_relevance)
