"""holdfast: sparse least-squares models chosen by exact cross-validation.

A *search* proposes, a *criterion* scores without refitting, *rows* supply the sums.
"""

from holdfast import recipes
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
    LarsRidge,
    LarsSVC,
    NestedScore,
    PrunedRidge,
    RelevanceVectorRegressor,
    RidgeClassifierCV,
    RidgeCV,
    SparseKernelRidge,
    SparseKernelRidgeClassifier,
    information_gain,
    lars_ridge_path,
    lars_svc_path,
    nested_score,
)
from holdfast.maps import (
    KernelBasis,
    RandomLayer,
    Reservoir,
    TimeWindows,
    series_groups,
    series_weight,
)
from holdfast.rows import RowBlocks
from holdfast.searches.lars_path import LarsPath

__version__ = "0.1.0"

__all__ = [
    "AlphaDisplay",
    "BackwardRidge",
    "BackwardRidgeClassifier",
    "EvidenceRegressor",
    "FoldMoments",
    "ForwardRidge",
    "ForwardRidgeClassifier",
    "KernelBasis",
    "KernelRidgeCV",
    "LarsPath",
    "LarsRidge",
    "LarsSVC",
    "NestedScore",
    "PathDisplay",
    "PrunedRidge",
    "RandomLayer",
    "RelevanceVectorRegressor",
    "Reservoir",
    "RidgeCV",
    "RidgeClassifierCV",
    "RowBlocks",
    "SparseKernelRidge",
    "SparseKernelRidgeClassifier",
    "TimeWindows",
    "basis_folds",
    "information_gain",
    "lars_ridge_path",
    "lars_svc_path",
    "nested_score",
    "recipes",
    "series_groups",
    "series_weight",
]
