"""What a model file holds of every class of estimator, and how the estimator is made from it.

Of a path the models it visited are kept, and which of them is the fitted one; what follows from
these - coefficients over all columns, arrays of the path - is made by the estimator itself, by the
methods that its fit ends with. So nothing stands in a file twice, and nothing can contradict
itself. Caches for holding rows out stay behind, as with pickles.
"""

from __future__ import annotations

from typing import Any

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
from holdfast.model_file.of_kernels import BASIS, FULL_KERNEL
from holdfast.model_file.of_lars import LARS, THRESHOLDS
from holdfast.model_file.of_posteriors import EVIDENCE, RELEVANCE
from holdfast.model_file.of_ridges import LINEAR
from holdfast.model_file.of_searches import SEARCH
from holdfast.model_file.of_targets import (
    CLASSES,
    CLASSES_OR_LABELS,
    ONE_TARGET,
    SHAPE_OF_CLASSES,
    TARGETS,
)
from holdfast.model_file.parts import Part, Schema

_PARTS: dict[Any, tuple[Part, ...]] = {
    ForwardRidge: (TARGETS, SEARCH),
    ForwardRidgeClassifier: (CLASSES, SEARCH),
    BackwardRidge: (TARGETS, SEARCH),
    BackwardRidgeClassifier: (CLASSES, SEARCH),
    PrunedRidge: (TARGETS, SEARCH),
    LarsRidge: (ONE_TARGET, LARS),
    LarsSVC: (CLASSES_OR_LABELS, THRESHOLDS, LARS),
    RidgeCV: (TARGETS, LINEAR),
    RidgeClassifierCV: (CLASSES_OR_LABELS, LINEAR),
    SparseKernelRidge: (TARGETS, BASIS),
    SparseKernelRidgeClassifier: (CLASSES, SHAPE_OF_CLASSES, BASIS),
    KernelRidgeCV: (TARGETS, FULL_KERNEL),
    EvidenceRegressor: (TARGETS, EVIDENCE),
    RelevanceVectorRegressor: (TARGETS, RELEVANCE),
}

SCHEMAS: dict[str, Schema] = {cls.__name__: Schema(cls, parts) for cls, parts in _PARTS.items()}
"""By the name of the class; what is not here is not kept in files."""
