"""The six methods of the paper, and all columns: F-measure on testing rows by number of columns.

LARS: one path; at every size the threshold that is best on the leave-one-out outputs along it.
Information gain (IG): a model with lambda_2 = 1 on the leading columns, its threshold from 10-fold
outputs. SVM is the squared hinge, RLS least squares on -1/+1. The bias is a penalised column of
ones, which for LARS enters like any other and which IG always includes.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.exceptions import DataDimensionalityWarning
from sklearn.linear_model import Ridge
from sklearn.metrics import f1_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import LinearSVC

from holdfast import LarsRidge, LarsSVC, information_gain

METHODS = ("SVM-LARS 1", "SVM-LARS 0", "SVM-IG", "RLS-LARS 1", "RLS-LARS 0", "RLS-IG")
ALL_COLUMNS = ("SVM all", "RLS all")
SIZES = (2, 4, 8, 16, 32, 64, 128, *(200 + 150 * k for k in range(13)))


def f_measures(
    method: str, train: tuple[Any, np.ndarray], test: tuple[Any, np.ndarray], largest: int
) -> Mapping[int, float]:
    """F-measure on the testing rows by number of columns (-1: all)."""
    sizes = [size for size in SIZES if size <= min(largest, train[0].shape[1])]
    if "LARS" in method:
        return _lars(method, train, test, sizes)
    if "IG" in method:
        # The last column is the bias: it is always in, and does not count.
        gain = information_gain(train[0][:, :-1], train[1])
        ranked = np.argsort(-gain, kind="stable")
        chosen = {size: np.append(ranked[:size], train[0].shape[1] - 1) for size in sizes}
        return {size: _plain(method, train, test, columns) for size, columns in chosen.items()}
    return {-1: _plain(method, train, test, np.arange(train[0].shape[1]))}


def _lars(
    method: str, train: tuple[Any, np.ndarray], test: tuple[Any, np.ndarray], sizes: list[int]
) -> dict[int, float]:
    settings = {"alpha": float(method[-1]), "fit_intercept": False, "max_features": sizes[-1]}
    settings |= {"sizes": sizes, "patience": None, "store_cv_results": True}
    (X, y), (X_test, y_test) = train, test
    svm = method.startswith("SVM")
    with warnings.catch_warnings():
        # Words that are copies of each other are skipped where lambda_2 = 0.
        warnings.simplefilter("ignore", DataDimensionalityWarning)
        fitted = LarsSVC(**settings).fit(X, y) if svm else LarsRidge(**settings).fit(X, 2.0 * y - 1)
    held_out = dict(
        zip(fitted.path_sizes_.tolist(), fitted.path_held_out_predictions_, strict=True)
    )
    found = {}
    for size in sizes:
        # Where the path ended before, its last model.
        model = fitted.truncate(max(known for known in held_out if known <= size))
        outputs = model.decision_function(X_test) if svm else model.predict(X_test)
        threshold = best_threshold(y, held_out[model.n_features_])
        found[size] = float(f1_score(y_test, outputs > threshold, zero_division=0.0))
    return found


def _plain(
    method: str,
    train: tuple[Any, np.ndarray],
    test: tuple[Any, np.ndarray],
    columns: np.ndarray,
) -> float:
    """F-measure with lambda_2 = 1 on some columns, the threshold from 10-fold outputs."""
    X, X_test = train[0][:, columns], test[0][:, columns]
    folds = StratifiedKFold(10, shuffle=True, random_state=0)
    if method.startswith("SVM"):
        # 1/2 ||w||^2 + C sum (squared hinge): lambda_2 = 1 is C = 1/2.
        model: Any = LinearSVC(C=0.5, fit_intercept=False, dual="auto", random_state=0, tol=1e-3)
        held_out = cross_val_predict(model, X, train[1], cv=folds, method="decision_function")
        outputs = model.fit(X, train[1]).decision_function(X_test)
    else:
        model = Ridge(alpha=1.0, fit_intercept=False, solver="sparse_cg", tol=1e-4)
        targets = 2.0 * train[1] - 1
        splits = list(folds.split(X, train[1]))
        held_out = cross_val_predict(model, X, targets, cv=splits)
        outputs = model.fit(X, targets).predict(X_test)
    threshold = best_threshold(train[1], held_out)
    return float(f1_score(test[1], outputs > threshold, zero_division=0.0))


def best_threshold(y: np.ndarray, outputs: np.ndarray) -> float:
    """The threshold with the largest F-measure: every midpoint between two outputs is tried."""
    order = np.argsort(-outputs, kind="stable")
    hits, chosen = np.cumsum(y[order] > 0), np.arange(1, len(y) + 1)
    scores = 2 * hits / (chosen + np.count_nonzero(y))
    ordered = outputs[order]
    apart = np.append(np.diff(ordered) < 0, True)
    best = int(np.where(apart, scores, -1.0).argmax())
    below = ordered[best + 1] if best + 1 < len(y) else ordered[best] - 1.0
    return float((ordered[best] + below) / 2)
