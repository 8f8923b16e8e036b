"""The scikit-learn faces: validate, hand to a search with a criterion, keep the path."""

from holdfast.estimators.backward import BackwardRidge, BackwardRidgeClassifier
from holdfast.estimators.evidence import EvidenceRegressor
from holdfast.estimators.fold_moments import FoldMoments
from holdfast.estimators.forward import ForwardRidge, ForwardRidgeClassifier
from holdfast.estimators.kernel_ridge_cv import KernelRidgeCV
from holdfast.estimators.nested import NestedScore, nested_score
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
    "NestedScore",
    "RelevanceVectorRegressor",
    "RidgeCV",
    "RidgeClassifierCV",
    "SparseKernelRidge",
    "SparseKernelRidgeClassifier",
    "nested_score",
]
