"""holdfast: sparse least-squares models chosen by exact cross-validation.

A *search* proposes, a *criterion* scores without refitting, *rows* supply the sums.
"""

from holdfast.basis import basis_folds
from holdfast.display import AlphaDisplay, PathDisplay
from holdfast.estimators import (
    BackwardRidge,
    BackwardRidgeClassifier,
    EvidenceRegressor,
    FoldMoments,
    ForwardRidge,
    ForwardRidgeClassifier,
    KernelRidgeCV,
    NestedScore,
    RelevanceVectorRegressor,
    RidgeClassifierCV,
    RidgeCV,
    SparseKernelRidge,
    SparseKernelRidgeClassifier,
    nested_score,
)

__version__ = "0.1.0"

__all__ = [
    "AlphaDisplay",
    "BackwardRidge",
    "BackwardRidgeClassifier",
    "EvidenceRegressor",
    "FoldMoments",
    "ForwardRidge",
    "ForwardRidgeClassifier",
    "KernelRidgeCV",
    "NestedScore",
    "PathDisplay",
    "RelevanceVectorRegressor",
    "RidgeCV",
    "RidgeClassifierCV",
    "SparseKernelRidge",
    "SparseKernelRidgeClassifier",
    "basis_folds",
    "nested_score",
]
