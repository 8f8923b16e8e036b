"""The scikit-learn faces: validate, hand to a search with a criterion, keep the path."""

from holdfast.estimators.backward import BackwardRidge, BackwardRidgeClassifier
from holdfast.estimators.evidence import EvidenceRegressor
from holdfast.estimators.fold_moments import FoldMoments
from holdfast.estimators.forward import ForwardRidge, ForwardRidgeClassifier
from holdfast.estimators.information_gain import information_gain
from holdfast.estimators.kernel_ridge_cv import KernelRidgeCV
from holdfast.estimators.lars_paths import lars_ridge_path, lars_svc_path
from holdfast.estimators.lars_ridge import LarsRidge
from holdfast.estimators.lars_svc import LarsSVC
from holdfast.estimators.nested import NestedScore, nested_score
from holdfast.estimators.pruned import PrunedRidge
from holdfast.estimators.relevance import RelevanceVectorRegressor
from holdfast.estimators.ridge_cv import RidgeClassifierCV, RidgeCV
from holdfast.estimators.sparse_kernel_ridge import (
    SparseKernelRidge,
    SparseKernelRidgeClassifier,
)

__all__ = [
    "BackwardRidge",
    "BackwardRidgeClassifier",
    "EvidenceRegressor",
    "FoldMoments",
    "ForwardRidge",
    "ForwardRidgeClassifier",
    "KernelRidgeCV",
    "LarsRidge",
    "LarsSVC",
    "NestedScore",
    "PrunedRidge",
    "RelevanceVectorRegressor",
    "RidgeCV",
    "RidgeClassifierCV",
    "SparseKernelRidge",
    "SparseKernelRidgeClassifier",
    "information_gain",
    "lars_ridge_path",
    "lars_svc_path",
    "nested_score",
]
