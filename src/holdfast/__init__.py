"""holdfast: sparse least-squares models chosen by exact cross-validation.

A *search* proposes, a *criterion* scores without refitting, *rows* supply the sums.
"""

from holdfast.display import AlphaDisplay, PathDisplay
from holdfast.estimators import (
    BackwardRidge,
    BackwardRidgeClassifier,
    FoldMoments,
    ForwardRidge,
    ForwardRidgeClassifier,
    NestedScore,
    RidgeClassifierCV,
    RidgeCV,
    nested_score,
)
from holdfast.rows import RowBlocks

__version__ = "0.1.0"

__all__ = [
    "AlphaDisplay",
    "BackwardRidge",
    "BackwardRidgeClassifier",
    "FoldMoments",
    "ForwardRidge",
    "ForwardRidgeClassifier",
    "NestedScore",
    "PathDisplay",
    "RidgeCV",
    "RidgeClassifierCV",
    "RowBlocks",
    "nested_score",
]
