from . import data, recipes
from .basis import basis_folds
from .display import AlphaDisplay, PathDisplay
from .estimators import (
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
from .maps import (
    KernelBasis,
    RandomLayer,
    Reservoir,
    TimeWindows,
    series_groups,
    series_weight,
)
from .model_file import load_model, save_model
from .rows import RowBlocks
from .searches.lars_path import LarsPath

__version__: str

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
    "data",
    "information_gain",
    "lars_ridge_path",
    "lars_svc_path",
    "load_model",
    "nested_score",
    "recipes",
    "save_model",
    "series_groups",
    "series_weight",
]
