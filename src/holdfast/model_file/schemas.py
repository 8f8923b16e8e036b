"""What a model file holds of every class of estimator, and how the estimator is made from it.

Of a path the models it visited are kept, and which of them is the fitted one; what follows from
these - coefficients over all columns, arrays of the path - is made by the estimator itself, by the
methods that its fit ends with. So nothing stands in a file twice, and nothing can contradict
itself. Caches for holding rows out stay behind, as with pickles.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from holdfast.basis.kernel_checks import check_kernel
from holdfast.basis.kernels import PRECOMPUTED, WITH_GAMMA, Kernel, as_floats
from holdfast.criteria.nested_models import NestedModels, Posterior, Sample
from holdfast.criteria.penalty import Model
from holdfast.estimators import (
    BackwardRidge,
    BackwardRidgeClassifier,
    EvidenceRegressor,
    ForwardRidge,
    ForwardRidgeClassifier,
    KernelRidgeCV,
    LarsRidge,
    LarsSVC,
    PrunedRidge,
    RelevanceVectorRegressor,
    RidgeClassifierCV,
    RidgeCV,
    SparseKernelRidge,
    SparseKernelRidgeClassifier,
)
from holdfast.model_file.arrays import (
    Matrix,
    Numbers,
    Rows,
    Triangle,
    Wholes,
    numbers,
    predicting,
)
from holdfast.model_file.kinds import (
    LARGEST,
    Flag,
    Kind,
    Maybe,
    Number,
    Place,
    Record,
    Several,
    Whole,
)
from holdfast.model_file.labels import Labels
from holdfast.model_file.paths import JUDGEMENT, VISIT, LarsPathKind, check_errors
from holdfast.rows.ledger import Features
from holdfast.rows.sums import Array

_PROBED = 32
"""Rows of a basis on which the kernel must give finite numbers."""
_ROOT = 1e75
"""Roots of a posterior are squared."""

Gather = Callable[[Any], dict[str, Any]]
Restore = Callable[[Any, dict[str, Any], Place], None]


@dataclass(frozen=True)
class Schema:
    """How one class is kept.

    Attributes
    ----------
    cls : type
        The class.
    fields : mapping
        Kinds of what is kept, in the order in which it is read.
    gather : callable
        What is kept of a fitted estimator, by field.
    restore : callable
        Sets it in an unfitted estimator, and checks what concerns several fields.
    """

    cls: Any
    fields: Mapping[str, Kind]
    gather: Gather
    restore: Restore


# ------------------------------------------------------------------------------- what is predicted

_REGRESSION: dict[str, Kind] = {
    "target_shape": Several(Whole(1)),
    "outputs": Whole(1, binds="outputs"),
}
_CLASSIFICATION: dict[str, Kind] = {
    "classes": Labels("classes"),
    "outputs": Whole(1, binds="outputs"),
}
_RESULTS: dict[str, Kind] = {
    "cv_results": Maybe(
        Numbers((("rows", "alphas"), ("rows", "outputs", "alphas")), open_ended=True)
    ),
    "held_out_predictions": Maybe(Numbers((("rows",), ("rows", "outputs")), open_ended=True)),
}


def _gathered_targets(estimator: Any) -> dict[str, Any]:
    shape = estimator._target_shape
    return {"target_shape": shape, "outputs": int(np.prod(shape, dtype=int))}


def _restore_targets(estimator: Any, found: dict[str, Any], place: Place) -> None:
    shape = tuple(found["target_shape"])
    if len(shape) > 1 or found["outputs"] != (shape or (1,))[0]:
        raise place.inside("target_shape").wrong(list(shape), "[] or [outputs]")
    estimator._target_shape = shape


def _gathered_classes(estimator: Any) -> dict[str, Any]:
    return {"classes": estimator.classes_, "outputs": _n_outputs(estimator)}


def _n_outputs(classifier: Any) -> int:
    n_classes = len(classifier.classes_)
    several = n_classes > 2 or getattr(classifier, "_multilabel", False)
    return n_classes if several else 1


def _restore_classes(estimator: Any, found: dict[str, Any], place: Place) -> None:
    estimator.classes_ = found["classes"]
    multilabel = found.get("multilabel")
    if multilabel is not None:
        estimator._multilabel = multilabel
    numbered = np.array_equal(found["classes"], np.arange(len(found["classes"])))
    if found["outputs"] != _n_outputs(estimator) or (multilabel and not numbered):
        raise place.inside("classes").wrong(found["classes"].tolist(), "those of the outputs")
    if not multilabel and len(found["classes"]) < 2:
        raise place.inside("classes").wrong(found["classes"].tolist(), "at least two")


def _optional(estimator: Any, names: Sequence[str]) -> dict[str, Any]:
    """Attributes that may be missing, by their names without underscore."""
    return {name: getattr(estimator, f"{name}_", None) for name in names}


def _restore_optional(estimator: Any, found: dict[str, Any], names: Sequence[str]) -> None:
    for name in names:
        if found[name] is not None:
            setattr(estimator, f"{name}_", found[name])


# --------------------------------------------------------------------------- selectors with a path


class _FeaturesKind:
    """Columns that move together, all others being features of their own."""

    _groups = Several(Wholes("_group", below="features"), least=0)

    def write(self, value: Features) -> list[list[int]]:
        """As JSON values."""
        bounds = zip(value.starts[:-1], value.starts[1:], strict=True)
        return [value.flat[a:b].tolist() for a, b in bounds if b - a > 1]

    def read(self, value: Any, place: Place) -> Features:
        """From JSON values."""
        if not isinstance(value, list):
            raise place.wrong(value, "a list of groups of columns")
        groups = [
            Wholes("_group", below="features").read(one, place.inside(number).record()).tolist()
            for number, one in enumerate(value)
        ]
        flat = [column for group in groups for column in group]
        if len(set(flat)) < len(flat) or any(len(group) < 2 for group in groups):
            raise place.wrong(value, "different columns, at least two in a group")
        n_columns = place.size("features")
        assert n_columns is not None
        features = Features.partition(n_columns, groups)
        place.bind("units", len(features))
        return features


_SEARCH: dict[str, Kind] = {
    "n_splits": Maybe(Whole(1, binds="splits")),
    "alphas": numbers("alphas"),
    "groups": _FeaturesKind(),
    "path": Several(VISIT, "entries", least=1),
    "chosen": Whole(below="entries"),
    **_RESULTS,
}


def _gathered_search(estimator: Any) -> dict[str, Any]:
    return {
        "n_splits": estimator.n_splits_,
        "alphas": estimator.alphas_,
        "groups": estimator._features,
        "path": estimator._path,
        "chosen": estimator._chosen,
        **_optional(estimator, tuple(_RESULTS)),
    }


def _restore_search(estimator: Any, found: dict[str, Any], place: Place) -> None:
    path = found["path"]
    check_errors(path, place.inside("path"))
    for number, entry in enumerate(path):
        if (entry.move is None) != (number == 0):
            raise place.inside("path").inside(number).wrong("a move, or none", "the other")
    estimator.n_splits_ = found["n_splits"]
    estimator._set_path(path, found["alphas"], found["groups"])
    estimator._choose(found["chosen"])
    _restore_optional(estimator, found, tuple(_RESULTS))


# ---------------------------------------------------------------------------------- paths of LARS

_LARS: dict[str, Kind] = {
    "n_splits": Maybe(Whole(1, binds="splits")),
    "alphas": numbers("alphas"),
    "path": Several(JUDGEMENT, "entries", least=1),
    "lars_paths": Several(LarsPathKind(), "outputs"),
    "chosen": Whole(below="entries"),
    "held_out_predictions": _RESULTS["held_out_predictions"],
    "path_held_out_predictions": Maybe(
        Numbers((("entries", "rows"), ("entries", "rows", "outputs")), open_ended=True)
    ),
}
_LARS_RESULTS = ("held_out_predictions", "path_held_out_predictions")


def _gathered_lars(estimator: Any) -> dict[str, Any]:
    return {
        "n_splits": estimator.n_splits_,
        "alphas": estimator.alphas_,
        "path": estimator._path,
        "lars_paths": estimator.paths_,
        "chosen": estimator._chosen,
        **_optional(estimator, _LARS_RESULTS),
    }


def _restore_lars(estimator: Any, found: dict[str, Any], place: Place) -> None:
    path = found["path"]
    check_errors(path, place.inside("path"))
    if len({entry.alpha for entry in path}) > 1 or len({e.size for e in path}) < len(path):
        raise place.inside("path").wrong("entries", "models of one penalty and different sizes")
    estimator.n_splits_ = found["n_splits"]
    estimator.alphas_ = found["alphas"]
    estimator._n_columns = estimator.n_features_in_
    estimator._set_path(path, found["lars_paths"])
    estimator._choose(found["chosen"])
    _restore_optional(estimator, found, _LARS_RESULTS)


# ------------------------------------------------------------------------- a penalty for all columns

_CHOICE: dict[str, Kind] = {
    "n_splits": Maybe(Whole(1, binds="splits")),
    "alphas": numbers("alphas"),
    "alpha_errors": Numbers((("alphas",), ("alphas", "outputs")), open_ended=True),
    "alpha": Numbers(((), ("outputs",)), most=LARGEST),
    "best_score": Numbers(((), ("outputs",)), open_ended=True),
    **_RESULTS,
}


def _gathered_choice(estimator: Any) -> dict[str, Any]:
    kept = {name: getattr(estimator, f"{name}_") for name in _CHOICE if name not in _RESULTS}
    return {**kept, **_optional(estimator, tuple(_RESULTS))}


def _restore_choice(estimator: Any, found: dict[str, Any]) -> None:
    for name in _CHOICE:
        value = found[name]
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = float(value)
        if value is not None or name == "n_splits":
            setattr(estimator, f"{name}_", value)


_LINEAR: dict[str, Kind] = {
    **_CHOICE,
    "coef": Matrix("outputs", "features"),
    "intercept": predicting("outputs"),
}


def _gathered_linear(estimator: Any) -> dict[str, Any]:
    coef = np.atleast_2d(estimator.coef_)
    return {
        **_gathered_choice(estimator),
        "coef": coef,
        "intercept": np.broadcast_to(estimator.intercept_, len(coef)),
    }


def _restore_linear(estimator: Any, found: dict[str, Any], place: Place) -> None:
    _restore_choice(estimator, found)
    estimator._set_model(Model(found["coef"], found["intercept"]))


# ---------------------------------------------------------------------------------- kernel models

_WIDTHS: dict[str, Kind] = {
    "gamma": Maybe(Number(most=LARGEST)),
    "gammas": Maybe(numbers("gammas")),
    "gamma_errors": Maybe(numbers("gammas", open_ended=True)),
}
_DUAL: dict[str, Kind] = {
    "dual_coef": Matrix("basis", "outputs"),
    "intercept": predicting("outputs"),
}


def _gathered_kernel(estimator: Any) -> dict[str, Any]:
    dual = estimator.dual_coef_.reshape(len(estimator.dual_coef_), -1)
    return {
        **_gathered_choice(estimator),
        **_optional(estimator, tuple(_WIDTHS)),
        "dual_coef": dual,
        "intercept": np.broadcast_to(estimator.intercept_, dual.shape[1]),
    }


def _restore_kernel(estimator: Any, found: dict[str, Any], place: Place) -> None:
    _check_kernel(estimator, found["gamma"], place)
    _restore_choice(estimator, found)
    _restore_optional(estimator, found, tuple(_WIDTHS))
    estimator._set_dual(found["dual_coef"], found["intercept"])


_BASIS: dict[str, Kind] = {
    **_CHOICE,
    **_WIDTHS,
    "basis_indices": Wholes("basis", distinct=False),
    "basis_vectors": Maybe(Rows("basis", "features")),
    **_DUAL,
}


def _gathered_basis(estimator: Any) -> dict[str, Any]:
    return {
        **_gathered_kernel(estimator),
        "basis_indices": estimator.basis_indices_,
        "basis_vectors": estimator.basis_vectors_,
    }


def _restore_basis(estimator: Any, found: dict[str, Any], place: Place) -> None:
    indices, vectors = found["basis_indices"], found["basis_vectors"]
    _check_basis(estimator, indices, vectors, place)
    estimator.basis_indices_, estimator.basis_vectors_ = indices, vectors
    _restore_kernel(estimator, found, place)
    _probe(estimator, vectors, place)


_FULL_KERNEL: dict[str, Kind] = {
    **_CHOICE,
    **_WIDTHS,
    "X_fit": Maybe(Rows("basis", "features")),
    **_DUAL,
}


def _gathered_full_kernel(estimator: Any) -> dict[str, Any]:
    # A kernel matrix that was given is not needed to predict.
    rows = None if estimator.kernel == PRECOMPUTED else estimator.X_fit_
    return {**_gathered_kernel(estimator), "X_fit": rows}


def _restore_full_kernel(estimator: Any, found: dict[str, Any], place: Place) -> None:
    rows = found["X_fit"]
    count = np.arange(len(found["dual_coef"]))
    _check_basis(estimator, count, rows, place)
    if rows is None and len(count) != estimator.n_features_in_:
        raise place.inside("dual_coef").wrong(f"{len(count)} rows", "one for every feature")
    if rows is not None:
        estimator.X_fit_ = rows
    _restore_kernel(estimator, found, place)
    _probe(estimator, rows, place)


def _check_kernel(estimator: Any, gamma: float | None, place: Place, *, grid: bool = True) -> None:
    """A kernel that can be computed, with a width where it has one."""
    kernel, here = estimator.kernel, place.inside("parameters")
    try:
        if not isinstance(kernel, str):
            raise ValueError(f"kernel={kernel!r} is no name")
        check_kernel(
            kernel,
            estimator.gamma,
            estimator.degree,
            estimator.coef0,
            estimator.kernel_params,
            grid=grid,
        )
    except (ValueError, TypeError, OverflowError) as error:
        raise here.wrong(f"a kernel that cannot be computed ({error})", "another") from None
    if (gamma is not None) != (kernel in WITH_GAMMA) or (gamma is not None and gamma < 0):
        raise place.inside("gamma").wrong(gamma, f"the width of the kernel {kernel!r}")


def _check_basis(estimator: Any, indices: Array, vectors: Any, place: Place) -> None:
    """Rows of a basis, or numbers of the columns of a kernel matrix that is given."""
    if (vectors is None) != (estimator.kernel in (None, PRECOMPUTED)):
        raise place.wrong("rows of a basis, or none", f"what kernel={estimator.kernel!r} needs")
    if vectors is None and len(indices) and indices.max() >= estimator.n_features_in_:
        raise place.inside("basis_indices").wrong(indices.tolist(), "numbers of columns")


def _probe(estimator: Any, vectors: Any, place: Place) -> None:
    """Kernel values of some of the basis must be finite."""
    if vectors is None or vectors.shape[0] == 0:
        return
    some = as_floats(vectors[:_PROBED])
    width = getattr(estimator, "gamma_", None)
    kernel = Kernel(estimator.kernel, width, estimator.degree, estimator.coef0)
    try:
        with np.errstate(all="ignore"):
            finite = bool((np.abs(kernel(some, some)) < LARGEST).all())
    except (ValueError, TypeError, OverflowError) as error:
        raise place.wrong(f"a kernel that cannot be computed ({error})", "another") from None
    if not finite:
        raise place.wrong("a kernel whose values are not finite", "other parameters of it")


# ------------------------------------------------------------------------- models with a posterior

_RULE: dict[str, Kind] = {
    "gamma": _WIDTHS["gamma"],
    "basis_indices": Wholes("basis", distinct=False),
    "coef": Matrix("outputs", "basis"),
    "intercept": predicting("outputs"),
    "centre": predicting("basis"),
    "root": Matrix("basis", "basis", most=_ROOT),
    "mass": Number(above=0.0, open_ended=True),
    "noise_variance": Number(above=0.0, most=LARGEST),
    "n_iter": Whole(),
}


def _gathered_rule(estimator: Any) -> dict[str, Any]:
    rule = estimator._rule
    return {
        **_gathered_targets(estimator),
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
        _check_kernel(estimator, found["gamma"], place, grid=False)
    if estimator.kernel is None and len(set(indices.tolist())) < len(indices):
        raise place.inside("basis_indices").wrong(indices.tolist(), "different columns")
    _check_basis(estimator, indices, vectors, place)
    _restore_optional(estimator, found, ("gamma",))
    posterior = Posterior(found["coef"], found["intercept"], found["root"])
    noise = found["noise_variance"]
    estimator._set_model(vectors, indices, posterior, found["centre"], found["mass"], noise)
    estimator.noise_variance_ = noise
    estimator.n_iter_ = found["n_iter"]
    _probe(estimator, vectors, place)


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
        "mass": Number(above=0.0, open_ended=True),
    },
    NestedModels,
)

_EVIDENCE: dict[str, Kind] = {
    **_REGRESSION,
    **_RULE,
    "weight_precision": Number(above=0.0, most=LARGEST),
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
        **_optional(estimator, ("low_rank_error",)),
        "visited_vectors": estimator._visited_vectors,
        "models": estimator._models,
    }


def _restore_evidence(estimator: Any, found: dict[str, Any], place: Place) -> None:
    _restore_targets(estimator, found, place)
    order, size = found["selection_order"], len(found["basis_indices"])
    if not np.array_equal(order[:size], found["basis_indices"]):
        raise place.inside("basis_indices").wrong(
            found["basis_indices"].tolist(), "the first of selection_order"
        )
    if len(found["log_evidence_path"]) != len(order) + 1:
        raise place.inside("log_evidence_path").wrong(
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
    _restore_optional(estimator, found, ("low_rank_error",))
    _check_basis(estimator, order, vectors, place)


_RELEVANCE: dict[str, Kind] = {
    **_REGRESSION,
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
        **_optional(estimator, ("basis_vectors",)),
    }


def _restore_relevance(estimator: Any, found: dict[str, Any], place: Place) -> None:
    _restore_targets(estimator, found, place)
    _restore_rule(estimator, found, found["basis_vectors"], place)
    estimator.precisions_ = found["precisions"]
    estimator.log_evidence_ = found["log_evidence"]


# -------------------------------------------------------------------------------- the classes


def _of_regressor(cls: Any, fields: Mapping[str, Kind], gather: Gather, restore: Restore) -> Schema:
    def restored(estimator: Any, found: dict[str, Any], place: Place) -> None:
        _restore_targets(estimator, found, place)
        restore(estimator, found, place)

    return Schema(
        cls,
        {**_REGRESSION, **fields},
        lambda estimator: {**_gathered_targets(estimator), **gather(estimator)},
        restored,
    )


def _of_classifier(
    cls: Any, fields: Mapping[str, Kind], gather: Gather, restore: Restore
) -> Schema:
    def restored(estimator: Any, found: dict[str, Any], place: Place) -> None:
        _restore_classes(estimator, found, place)
        restore(estimator, found, place)

    return Schema(
        cls,
        {**_CLASSIFICATION, **fields},
        lambda estimator: {**_gathered_classes(estimator), **gather(estimator)},
        restored,
    )


def _of_labels(cls: Any, fields: Mapping[str, Kind], gather: Gather, restore: Restore) -> Schema:
    """Of a classifier that takes several labels for a row."""
    plain = _of_classifier(cls, fields, gather, restore)
    return Schema(
        cls,
        {"multilabel": Flag(), **plain.fields},
        lambda estimator: {"multilabel": estimator._multilabel, **plain.gather(estimator)},
        plain.restore,
    )


def _gathered_svc(estimator: Any) -> dict[str, Any]:
    return {**_gathered_lars(estimator), "path_thresholds": estimator.path_thresholds_}


def _restore_svc(estimator: Any, found: dict[str, Any], place: Place) -> None:
    estimator.path_thresholds_ = found["path_thresholds"]
    _restore_lars(estimator, found, place)


def _restore_kernel_classes(estimator: Any, found: dict[str, Any], place: Place) -> None:
    estimator._target_shape = () if found["outputs"] == 1 else (found["outputs"],)
    _restore_basis(estimator, found, place)


_SVC: dict[str, Kind] = {**_LARS, "path_thresholds": predicting("entries", "outputs")}

SCHEMAS: dict[str, Schema] = {
    schema.cls.__name__: schema
    for schema in (
        _of_regressor(ForwardRidge, _SEARCH, _gathered_search, _restore_search),
        _of_classifier(ForwardRidgeClassifier, _SEARCH, _gathered_search, _restore_search),
        _of_regressor(BackwardRidge, _SEARCH, _gathered_search, _restore_search),
        _of_classifier(BackwardRidgeClassifier, _SEARCH, _gathered_search, _restore_search),
        _of_regressor(PrunedRidge, _SEARCH, _gathered_search, _restore_search),
        Schema(
            LarsRidge,
            {"outputs": Whole(1, binds="outputs"), **_LARS},
            lambda estimator: {"outputs": 1, **_gathered_lars(estimator)},
            _restore_lars,
        ),
        _of_labels(LarsSVC, _SVC, _gathered_svc, _restore_svc),
        _of_regressor(RidgeCV, _LINEAR, _gathered_linear, _restore_linear),
        _of_labels(RidgeClassifierCV, _LINEAR, _gathered_linear, _restore_linear),
        _of_regressor(SparseKernelRidge, _BASIS, _gathered_basis, _restore_basis),
        _of_classifier(
            SparseKernelRidgeClassifier, _BASIS, _gathered_basis, _restore_kernel_classes
        ),
        _of_regressor(KernelRidgeCV, _FULL_KERNEL, _gathered_full_kernel, _restore_full_kernel),
        Schema(EvidenceRegressor, _EVIDENCE, _gathered_evidence, _restore_evidence),
        Schema(RelevanceVectorRegressor, _RELEVANCE, _gathered_relevance, _restore_relevance),
    )
}
"""By the name of the class; what is not here is not kept in files."""
