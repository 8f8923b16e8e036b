"""Findings of holdfast's own estimators on the bundled cars, as a command-line fit records."""

import functools

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from holdfast import (
    BackwardRidge,
    EvidenceRegressor,
    ForwardRidge,
    ForwardRidgeClassifier,
    KernelRidgeCV,
    RidgeCV,
    nested_score,
)
from holdfast.data import load_auto_price

ALPHAS = [0.1, 1.0, 10.0, 100.0]
FOLDS = 5


def cars():
    """Columns, names and price of the cars."""
    table = load_auto_price()
    return table.X, list(table.feature_names), table.y


def classes_of_price(number):
    """The cars in as many price classes of about equal size, as positions and names."""
    _, _, price = cars()
    edges = np.quantile(price, np.linspace(0, 1, number + 1)[1:-1])
    names = ["cheap", "dear"] if number == 2 else [f"class {k + 1}" for k in range(number)]
    return np.searchsorted(edges, price), names


@functools.cache
def forward():
    model = ForwardRidge(alphas=ALPHAS, standardize=True, patience=None)
    return regression(model, "forward", "Forward selection by exact hold-out error")


@functools.cache
def backward():
    model = BackwardRidge(alphas=ALPHAS, standardize=True, patience=None)
    return regression(model, "backward", "Backward elimination by exact hold-out error")


@functools.cache
def ridge():
    return regression(RidgeCV(alphas=ALPHAS), "ridge", "Ridge of all columns")


@functools.cache
def kernel():
    X, _, _ = cars()
    model = KernelRidgeCV(kernel="rbf", gamma=1e-7, alphas=[0.01, 0.1, 1.0])
    found = regression(model, "kernel", "Kernel ridge")
    return found | {"basis": {"kernel": "rbf", "gamma": 1e-7, "size": len(X)}}


@functools.cache
def evidence():
    X, _, y = cars()
    model = EvidenceRegressor(kernel="rbf", gamma=1e-7, max_basis=12).fit(X, y / 1000)
    found = regression(model, "evidence", "Forward regression by evidence", nested=False)
    values = [float(value) for value in model.log_evidence_path_]
    return found | {
        "basis": {"kernel": "rbf", "gamma": 1e-7, "size": len(model.basis_indices_)},
        "curve": {
            "x_name": "basis functions",
            "y_name": "log evidence",
            "x": list(range(len(values))),
            "y": values,
            "chosen": int(np.argmax(values)),
        },
    }


@functools.cache
def two_classes():
    return classification(2)


@functools.cache
def five_classes():
    return classification(5)


def regression(model, method, words, *, nested=True):
    X, names, y = cars()
    y = y / 1000
    model.fit(X, y)
    outer = KFold(FOLDS, shuffle=True, random_state=0)
    score = nested_score(model, X, y, outer) if nested else None
    target = {"name": "price", "kind": "numeric"} | numbers(y)
    return common(model, X, names, y, method, words, score, "price", [], target)


def classification(number):
    X, names, _ = cars()
    y, classes = classes_of_price(number)
    model = ForwardRidgeClassifier(alphas=ALPHAS, standardize=True, max_features=8)
    model.fit(X, y)
    score = nested_score(model, X, y, StratifiedKFold(FOLDS, shuffle=True, random_state=0))
    target = {
        "name": "price class",
        "kind": "classes",
        "levels": [[name, int(np.sum(y == k))] for k, name in enumerate(classes)],
    }
    return common(
        model, X, names, y, "forward", "Forward selection", score, "price class", classes, target
    )


def common(model, X, names, y, method, words, score, target_name, classes, target):
    """The findings of a fitted model."""
    path = path_of(model, X) if hasattr(model, "path_sizes_") else None
    coef = getattr(model, "coef_", None)
    if coef is not None and X.shape[1] == np.shape(coef)[-1]:
        coef = np.atleast_2d(coef)
        effects, coef = (coef * X.std(axis=0)).tolist(), coef.tolist()
    else:
        coef = effects = None
    chosen, alphas = None, None
    baseline = float(np.mean((y - y.mean()) ** 2))
    if classes:
        coded = np.where(y[:, None] == np.arange(len(classes)), 1.0, -1.0)
        baseline = float(np.mean(coded.var(axis=0)))
    error, std_error = None, 0.1
    if path is not None:
        chosen = [entry["size"] for entry in path].index(model.n_features_)
        error, std_error = path[chosen]["error"], path[chosen]["std_error"]
    elif hasattr(model, "best_score_"):
        error = -float(np.mean(model.best_score_))
    else:
        error = float(np.mean((y - model.predict(X)) ** 2))
    if getattr(model, "alpha_errors_", None) is not None:
        alphas = {
            "alphas": np.asarray(model.alphas_, float).tolist(),
            "errors": np.ravel(model.alpha_errors_).tolist(),
            "chosen": float(np.ravel(model.alpha_)[0]),
        }
    held_out = None
    if score is not None:
        outputs = score.held_out_predictions.reshape(len(y), -1)
        held_out = {
            "kind": "nested",
            "rows": list(range(len(y))),
            "truth": y.tolist(),
            "outputs": outputs.tolist(),
        }
    return {
        "version": 1,
        "task": "classification" if classes else "regression",
        "method": method,
        "method_words": words,
        "target": target_name,
        "classes": classes,
        "weight": None,
        "error_name": "squared error",
        "hold_out": "leave-one-out",
        "features": names,
        "feature_columns": names,
        "path": path,
        "chosen": chosen,
        "coef": coef,
        "effects": effects,
        "intercept": np.atleast_1d(getattr(model, "intercept_", 0.0)).tolist(),
        "basis": None,
        "curve": None,
        "alphas": alphas,
        "error": error,
        "std_error": std_error,
        "optimistic": True,
        "baseline": baseline,
        "nested": None if score is None else nested_of(score, path),
        "nested_reason": None if score is not None else "it was not asked for",
        "held_out": held_out,
        "threshold": 0.0 if len(classes) == 2 else None,
        "data": {
            "source": "cars.csv",
            "rows": len(y),
            "rows_left_out": 2,
            "columns": [
                {"name": name, "kind": "numeric", "missing": 0, "fill": None} | numbers(column)
                for name, column in zip(names, X.T, strict=True)
            ],
            "target": target,
        },
        "warnings": [],
        "seconds": 0.8123,
    }


def path_of(model, X):
    """Every visited model; these searches visit every size once."""
    entries = []
    for place, size in enumerate(model.path_sizes_):
        sign, moved = model.path_moves_[place - 1] if place else (0, [])
        short = model.truncate(int(size))
        coef = np.atleast_2d(short.coef_)
        inside = set(np.flatnonzero(short.support_).tolist())
        before = entries[-1]["columns"] if entries else []
        columns = [j for j in before if j in inside]
        columns += sorted(inside - set(columns))
        entries.append(
            {
                "size": int(size),
                "error": float(model.path_errors_[place]),
                "std_error": float(model.path_std_errors_[place]),
                "alpha": float(model.path_alphas_[place]),
                "sign": int(sign),
                "moved": [int(j) for j in moved],
                "columns": columns,
                "coef": coef[:, columns].tolist(),
                "intercept": np.atleast_1d(short.intercept_).tolist(),
                "effects": (coef * X.std(axis=0))[:, columns].tolist(),
            }
        )
    return entries


def nested_of(score, path):
    supports = None
    if path is not None:
        supports = [np.flatnonzero(line).tolist() for line in score.supports]
    return {
        "error": float(score.error),
        "std_error": float(score.std_error),
        "folds": len(score.fold_errors),
        "fold_errors": score.fold_errors.tolist(),
        "sizes": score.sizes.tolist(),
        "supports": supports,
        "splits": f"{FOLDS} shuffled folds",
    }


def numbers(column):
    return {
        "mean": float(column.mean()),
        "std": float(column.std()),
        "min": float(column.min()),
        "max": float(column.max()),
    }
