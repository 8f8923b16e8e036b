"""Fitted models of every kind that is kept in files: a name, how to fit it, and rows to predict."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import polars as pl
import scipy.sparse as sp
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
)

from holdfast import (
    BackwardRidge,
    BackwardRidgeClassifier,
    EvidenceRegressor,
    FoldMoments,
    ForwardRidge,
    ForwardRidgeClassifier,
    KernelRidgeCV,
    LarsRidge,
    LarsSVC,
    PrunedRidge,
    RelevanceVectorRegressor,
    RidgeClassifierCV,
    RidgeCV,
    RowBlocks,
    SparseKernelRidge,
    SparseKernelRidgeClassifier,
)
from tests import problems

X, Y = problems.several_targets(40, 8, 3)
y = Y[:, 0]
_, CODES = problems.classes(40, 8, 3)
TEXTS = np.array(["no", "yes é", 'it\'s "so"'])[CODES]
INDICATOR = (Y.mean(axis=0) < Y).astype(int)
WEIGHTS = np.random.default_rng(1).integers(0, 3, 40).astype(float)
WORDS, WORD_CODES = problems.word_counts(50, 12)
GROUPS = np.arange(40) % 5


def named(kind):
    """X with names."""
    names = [f"column {number}" for number in range(8)]
    return pd.DataFrame(X, columns=names) if kind == "pandas" else pl.DataFrame(X, schema=names)


def moments(values, classes=None):
    """Moments of four folds."""
    return FoldMoments(classes=classes).update(X, values, np.arange(40) % 4)


def parquet(folder):
    """A file with a categorical column."""
    table = pl.DataFrame(
        {
            "size": X[:, 0],
            "fuel": np.array(["gas", "diesel", "it's"])[np.arange(40) % 3],
            "width": X[:, 1],
            "y": y,
        }
    )
    table.write_parquet(folder / "cars.parquet")
    return RowBlocks(folder / "cars.parquet")


SELECTORS = {
    "forward": lambda: ForwardRidge().fit(X, y),
    "forward several targets, folds, a grid": lambda: ForwardRidge(
        alphas=[0.1, 1.0, 10.0], cv=KFold(4, shuffle=True, random_state=3), standardize=True
    ).fit(X, Y, sample_weight=WEIGHTS),
    "forward in groups, constrained": lambda: ForwardRidge(
        feature_groups=[[0, 3], [5, 6, 7]], include=[2], exclude=np.array([4]), fit_intercept=False
    ).fit(X, y),
    "forward floating": lambda: ForwardRidge(floating=True, alphas=(0.1, 1.0)).fit(X, y),
    "forward of names": lambda: ForwardRidge(include=["column 3"]).fit(named("pandas"), y),
    "forward of polars": lambda: (
        ForwardRidge(n_features_to_select="1se")
        .set_output(transform="polars")
        .fit(named("polars"), y)
    ),
    "forward results": lambda: ForwardRidge(
        store_cv_results=True, cv=RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)
    ).fit(X, Y),
    "forward results of a part": lambda: ForwardRidge(
        store_cv_results=True, cv=PredefinedSplit(GROUPS - 1)
    ).fit(X, y),
    "forward one column": lambda: ForwardRidge().fit(X, Y[:, :1]),
    "forward sparse": lambda: ForwardRidge(n_features_to_select=4).fit(WORDS, WORD_CODES * 1.0),
    "forward moments": lambda: ForwardRidge().fit_moments(moments(Y)),
    "forward truncated": lambda: ForwardRidge(patience=None).fit(X, y).truncate(3),
    "backward": lambda: BackwardRidge(alphas="auto", cv=5).fit(X, y),
    "backward groups of rows": lambda: BackwardRidge(
        cv=GroupKFold(5), n_features_to_select=0.5
    ).fit(X, y, groups=GROUPS),
    "pruned": lambda: PrunedRidge(regularized=False, cv=[(np.arange(20), np.arange(20, 40))]).fit(
        X, y
    ),
    "LARS": lambda: LarsRidge(alpha=[0.0, 1.0], store_cv_results=True).fit(X, y),
    "LARS folds, lasso": lambda: LarsRidge(lasso=True, refit=True, cv=3, sizes=[1, 2, 3, 4]).fit(
        named("pandas"), y
    ),
    "LARS sparse": lambda: LarsRidge(max_features=5, fit_intercept=False).fit(WORDS, WORD_CODES),
}
CLASSIFIERS = {
    "forward classes": lambda: ForwardRidgeClassifier(cv=StratifiedKFold(3)).fit(X, TEXTS),
    "forward two classes": lambda: ForwardRidgeClassifier(class_weight={True: 2.0, False: 1}).fit(
        X, CODES > 0
    ),
    "forward zero-one": lambda: ForwardRidgeClassifier(
        error="zero_one", class_weight="balanced", n_features_to_select=3
    ).fit(X, CODES / 2 * 4.0),
    "forward moments of classes": lambda: ForwardRidgeClassifier().fit_moments(
        moments(TEXTS, sorted(set(TEXTS)))
    ),
    "backward classes": lambda: BackwardRidgeClassifier(n_features_to_select=2).fit(
        X, TEXTS.astype(object)
    ),
    "SVC": lambda: LarsSVC(threshold="f1", store_cv_results=True).fit(X, CODES > 0),
    "SVC classes": lambda: LarsSVC(cv=3, alpha=[0, 1], max_features=4).fit(X, CODES.astype("u1")),
    "SVC labels": lambda: LarsSVC(n_features_to_select=3).fit(X, INDICATOR),
    "SVC words": lambda: LarsSVC(n_features_to_select=3).fit(WORDS.tocsc(), WORD_CODES),
    "ridge classes": lambda: RidgeClassifierCV(cv=3, store_cv_results=True).fit(X, TEXTS),
    "ridge two classes": lambda: RidgeClassifierCV(scoring="accuracy").fit(X, TEXTS == "no"),
    "ridge labels": lambda: RidgeClassifierCV(fit_intercept=False).fit(X, INDICATOR),
    "ridge one label": lambda: RidgeClassifierCV().fit_moments(moments(CODES, [0, 1, 2])),
    "kernel classes": lambda: SparseKernelRidgeClassifier(
        n_basis=7, random_state=0, fit_intercept=True, gamma=[0.01, 0.1]
    ).fit(X, TEXTS),
    "kernel two classes": lambda: SparseKernelRidgeClassifier(
        kernel="laplacian", n_basis=0.2, random_state=3, class_weight="balanced"
    ).fit(X, CODES > 1),
}
RIDGES = {
    "ridge": lambda: RidgeCV().fit(X, y),
    "ridge targets": lambda: RidgeCV(alpha_per_target=True, cv=4, store_cv_results=True).fit(X, Y),
    "ridge leave-one-out targets": lambda: RidgeCV(alphas="auto", store_cv_results=True).fit(X, Y),
    "ridge one column": lambda: RidgeCV(alpha_per_target=True).fit(X, Y[:, :1]),
    "ridge wide": lambda: RidgeCV(fit_intercept=False, scoring="r2").fit(X[:5], Y[:5]),
    "ridge sparse": lambda: RidgeCV(cv=ShuffleSplit(3, random_state=1)).fit(
        WORDS, WORD_CODES * 1.0
    ),
    "ridge moments": lambda: RidgeCV().fit_moments(moments(Y)),
    "ridge weights": lambda: RidgeCV(standardize=True).fit(named("pandas"), y, WEIGHTS),
}
KERNELS = {
    "basis": lambda: SparseKernelRidge(n_basis=6, random_state=0).fit(X, Y),
    "basis polynomial": lambda: SparseKernelRidge(
        kernel="poly", degree=2, basis=[3, 1, 30], fit_intercept=True, cv=3
    ).fit(np.asfortranarray(X), y, WEIGHTS + 1),
    "basis sparse": lambda: SparseKernelRidge(
        n_basis=5, random_state=0, kernel="linear", store_cv_results=True
    ).fit(WORDS, WORD_CODES * 1.0),
    "basis float32": lambda: SparseKernelRidge(n_basis=5, basis="entropy", random_state=0).fit(
        X.astype(np.float32), y
    ),
    "basis of words": lambda: SparseKernelRidge(n_basis=5, random_state=0).fit(
        sp.csr_matrix(WORDS.astype(np.int64)), WORD_CODES * 1.0
    ),
    "basis precomputed": lambda: SparseKernelRidge(
        kernel="precomputed", basis="greedy", n_basis=5, random_state=0
    ).fit(X @ X.T, y),
    "kernel ridge": lambda: KernelRidgeCV(
        kernel="rbf", gamma=[0.01, 0.1], fit_intercept=True, cv=3
    ).fit(np.asfortranarray(X), Y),
    "kernel ridge linear": lambda: KernelRidgeCV(scoring="r2").fit(named("pandas"), y),
    "kernel ridge precomputed": lambda: KernelRidgeCV(kernel="precomputed").fit(X @ X.T, y),
    "kernel ridge sigmoid": lambda: KernelRidgeCV(
        kernel="sigmoid", gamma=0.01, coef0=0, alphas=[5.0]
    ).fit(X, y),
    "kernel ridge sparse": lambda: KernelRidgeCV(kernel="cosine").fit(WORDS, WORD_CODES * 1.0),
}
POSTERIORS = {
    "evidence": lambda: EvidenceRegressor(max_basis=8).fit(X, y),
    "evidence targets": lambda: EvidenceRegressor(
        max_basis=6, fit_intercept=True, low_rank=20, tol=-np.inf
    ).fit(X, Y, WEIGHTS),
    "evidence columns": lambda: EvidenceRegressor(kernel=None, fit_intercept=True).fit(
        named("polars"), y, WEIGHTS
    ),
    "evidence columns targets": lambda: EvidenceRegressor(kernel=None).fit(X, Y),
    "evidence sparse": lambda: EvidenceRegressor(
        kernel="poly", degree=1, n_candidates=5, random_state=0, max_basis=4
    ).fit(WORDS, WORD_CODES * 1.0),
    "evidence precomputed": lambda: EvidenceRegressor(kernel="precomputed", max_basis=4).fit(
        X @ X.T, y
    ),
    "evidence of nothing": lambda: EvidenceRegressor(noise_variance=1e9).fit(X, 1e-3 * y),
    "relevance": lambda: RelevanceVectorRegressor(gamma=0.01).fit(X, y),
    "relevance columns": lambda: RelevanceVectorRegressor(
        kernel=None, fit_intercept=True, algorithm="em"
    ).fit(X, y, WEIGHTS),
    "relevance sparse": lambda: RelevanceVectorRegressor(noise_variance=0.1).fit(
        WORDS, WORD_CODES * 1.0
    ),
}
CASES = {**SELECTORS, **CLASSIFIERS, **RIDGES, **KERNELS, **POSTERIORS}


@cache
def fitted(name):
    """The model of a case, not to be changed; what its fit warns of is of no interest here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return CASES[name]()


def rows_for(model):
    """Rows that the model takes."""
    names = getattr(model, "feature_names_in_", None)
    if model.n_features_in_ == WORDS.shape[1]:
        return WORDS[:20]
    if model.n_features_in_ == 40:
        return X[:7] @ X.T
    rows = np.random.default_rng(5).standard_normal((30, model.n_features_in_))
    return rows if names is None else pd.DataFrame(rows, columns=names)
