"""holdfast: sparse least-squares models chosen by exact cross-validation.

A *search* proposes, a *criterion* scores without refitting, *rows* supply the sums.
"""

from holdfast.display import PathDisplay
from holdfast.estimators import (
    BackwardRidge,
    BackwardRidgeClassifier,
    FoldMoments,
    ForwardRidge,
    ForwardRidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
)

__version__ = "0.1.0"

__all__ = [
    "BackwardRidge",
    "BackwardRidgeClassifier",
    "FoldMoments",
    "ForwardRidge",
    "ForwardRidgeClassifier",
    "PathDisplay",
    "RidgeCV",
    "RidgeClassifierCV",
]
