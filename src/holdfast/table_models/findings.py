"""What was found of a model and its table, as plain values: what a report shows.

Computed once, when the model is fitted, and kept in its file, so that a report needs neither the
table nor another fit. Everything is a text, a finite number, a truth value, None, a list or a
dictionary of these; the keys are those of :func:`findings_of`.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
from sklearn.base import is_classifier

from holdfast.rows.sums import Array
from holdfast.table_models.encoded import used_columns
from holdfast.table_models.fitting import Fitted
from holdfast.table_models.methods import Method
from holdfast.table_models.preparing import Prepared
from holdfast.tables.encoding import Encoding, spread

VERSION = 1
_MOST_ROWS_SHOWN = 2000
_MOST_MODELS_SHOWN = 300


def findings_of(
    prepared: Prepared, method: Method, fitted: Fitted, nested: Any, seconds: float
) -> dict[str, Any]:
    """Everything a report shows.

    Parameters
    ----------
    prepared : Prepared
        The table.
    method : Method
        What was fitted.
    fitted : Fitted
        The model.
    nested : NestedScore or str
        Its honest error, or a sentence why there is none.
    seconds : float
        What all of it took.
    """
    estimator = fitted.estimator
    scored = not isinstance(nested, str)
    path = _path(estimator, fitted.deviations) if method.by_size else None
    error, std_error = _own_error(estimator, path)
    return {
        "version": VERSION,
        "task": prepared.task,
        "method": method.name,
        "method_words": method.words,
        "target": prepared.target,
        "classes": prepared.classes,
        "weight": prepared.asked.weight,
        "error_name": _error_name(prepared, method),
        "hold_out": _hold_out(prepared, method),
        "approximate": _approximate(prepared, method),
        "features": fitted.features,
        "feature_columns": fitted.owners,
        "path": path,
        "chosen": None if path is None else _chosen(estimator, path),
        **_linear(estimator, fitted.deviations),
        "basis": _basis(estimator),
        "curve": _curve(estimator),
        "alphas": _alphas(estimator),
        "error": error,
        "std_error": std_error,
        "optimistic": method.by_size,
        "baseline": _baseline(prepared, prepared.plan.outer if scored else prepared.plan.inner),
        "baseline_wrong": _guess(prepared),
        "nested": _nested(nested, prepared, fitted) if scored else None,
        "nested_reason": None if scored else nested,
        "held_out": _held_out(nested, prepared) if scored else None,
        "threshold": _threshold(estimator),
        "data": _data(prepared, fitted.encoding),
        "warnings": [*prepared.warnings, *fitted.warnings],
        "seconds": seconds,
    }


# -- the model -----------------------------------------------------------------------------


def _path(estimator: Any, deviations: Array | None) -> list[dict[str, Any]]:
    """One entry for every size that was visited, with the model of that size."""
    sizes = sorted(set(estimator.path_sizes_.tolist()))
    if len(sizes) > _MOST_MODELS_SHOWN:
        near = np.linspace(0, len(sizes) - 1, _MOST_MODELS_SHOWN).round().astype(int)
        sizes = sorted({*(sizes[place] for place in near), estimator.n_features_})
    entries: list[dict[str, Any]] = []
    # Of several classes that are searched one by one, each has its order: the first counts.
    order = dict.fromkeys(estimator.selection_order_.tolist())
    entered = {column: place for place, column in enumerate(order)}
    for size in sizes:
        model = estimator.truncate(size)
        place = int(np.flatnonzero(estimator.path_sizes_ == size)[0])
        support = np.flatnonzero(model.support_).tolist()
        columns = sorted(support, key=lambda column: entered.get(column, len(entered)))
        before = set(entries[-1]["columns"]) if entries else set(columns)
        coef = np.atleast_2d(model.coef_)[:, columns]
        entry = {
            "size": int(size),
            "error": -float(model.best_score_),
            "std_error": _finite(estimator.path_std_errors_[place]),
            "alpha": float(model.alpha_),
            "sign": 1 if entries else 0,
            "moved": [column for column in columns if column not in before],
            "columns": columns,
            "coef": coef.tolist(),
            "intercept": np.atleast_1d(model.intercept_).tolist(),
            "effects": None if deviations is None else (coef * deviations[columns]).tolist(),
        }
        entries.append(entry)
    return entries


def _chosen(estimator: Any, path: list[dict[str, Any]]) -> int:
    return next(i for i, entry in enumerate(path) if entry["size"] == estimator.n_features_)


def _own_error(
    estimator: Any, path: list[dict[str, Any]] | None
) -> tuple[float | None, float | None]:
    """The hold-out error of the model as it judged itself, and its standard error."""
    score = getattr(estimator, "best_score_", None)
    if score is None:
        return None, None
    spread = None if path is None else path[_chosen(estimator, path)]["std_error"]
    return -float(score), spread


def _linear(estimator: Any, deviations: Array | None) -> dict[str, Any]:
    coef = getattr(estimator, "coef_", None)
    if coef is None:
        return {"coef": None, "effects": None, "intercept": None}
    lines = np.atleast_2d(coef)
    return {
        "coef": lines.tolist(),
        "effects": None if deviations is None else (lines * deviations).tolist(),
        "intercept": np.atleast_1d(estimator.intercept_).tolist(),
    }


def _basis(estimator: Any) -> dict[str, Any] | None:
    if not hasattr(estimator, "dual_coef_"):
        return None
    width = getattr(estimator, "gamma_", None)
    return {
        "kernel": str(estimator.kernel),
        "gamma": None if width is None else float(width),
        "size": len(estimator.basis_indices_),
    }


def _curve(estimator: Any) -> dict[str, Any] | None:
    evidence = getattr(estimator, "log_evidence_path_", None)
    if evidence is None:
        return None
    return {
        "x_name": "basis functions",
        "y_name": "log evidence",
        "x": list(range(len(evidence))),
        "y": [float(value) for value in evidence],
        "chosen": int(estimator.n_basis_),
    }


def _alphas(estimator: Any) -> dict[str, Any] | None:
    alphas = getattr(estimator, "alphas_", None)
    if alphas is None or len(alphas) < 2:
        return None
    errors = np.asarray(estimator.alpha_errors_, dtype=float)
    known = np.flatnonzero(np.isfinite(errors))
    return {
        "alphas": np.asarray(alphas)[known].tolist(),
        "errors": errors[known].tolist(),
        "chosen": float(estimator.alpha_),
    }


def _threshold(estimator: Any) -> float | None:
    if not is_classifier(estimator) or len(estimator.classes_) != 2:
        return None
    return float(np.ravel(getattr(estimator, "threshold_", 0.0))[0])


# -- errors --------------------------------------------------------------------------------


def _error_name(prepared: Prepared, method: Method) -> str:
    if prepared.task == "regression":
        return "squared error"
    if method.hinge:
        return "squared hinge loss"
    return "squared error of -1/+1 labels"


def _baseline(prepared: Prepared, splitter: Any) -> float:
    """Squared error of the best constant under the same splits; it is that of the hinge too."""
    codes = _codes(prepared)
    weights = np.ones(len(codes)) if prepared.weights is None else prepared.weights
    if splitter is None:
        total = weights.sum()
        # Leaving a row out moves the mean away from it; without other rows the constant is zero.
        rest = total - weights
        means = (weights @ codes - weights[:, None] * codes) / np.where(rest > 0, rest, 1)[:, None]
        return float(np.mean(weights @ (codes - means) ** 2 / total))
    losses, mass = np.zeros(codes.shape[1]), 0.0
    for train, held in splitter.split(codes, prepared.y, prepared.groups):
        if weights[train].sum() > 0:
            mean = weights[train] @ codes[train] / weights[train].sum()
            losses += weights[held] @ (codes[held] - mean) ** 2
            mass += weights[held].sum()
    return float(np.mean(losses) / mass)


def _guess(prepared: Prepared) -> float | None:
    """Share of rows, by weight, that are not of the most frequent class."""
    if prepared.task == "regression":
        return None
    weights = np.ones(len(prepared.y)) if prepared.weights is None else prepared.weights
    classes = np.unique(prepared.y, return_inverse=True)[1]
    shares = np.bincount(classes, weights) / weights.sum()
    return float(1 - shares.max())


def _codes(prepared: Prepared) -> Array:
    """Targets as models meet them: numbers, or -1 and +1 for every class, (rows, outputs)."""
    if prepared.task == "regression":
        return np.asarray(prepared.y, dtype=float)[:, None]
    known = np.unique(prepared.y)
    codes = np.where(prepared.y[:, None] == known, 1.0, -1.0)
    return codes[:, 1:] if len(known) == 2 else codes


def _nested(nested: Any, prepared: Prepared, fitted: Fitted) -> dict[str, Any]:
    return {
        "error": float(nested.error),
        "std_error": _finite(nested.std_error),
        "wrong": nested.wrong,
        "folds": len(nested.fold_errors),
        "fold_errors": [_finite(error) for error in nested.fold_errors],
        "sizes": nested.sizes.tolist(),
        "supports": [_support(model, fitted) for model in nested.estimators],
        "splits": prepared.plan.outer_words,
    }


def _support(model: Any, fitted: Fitted) -> list[int]:
    """Columns of numbers that the model of a fold uses, numbered as those of the whole table.

    Its levels may be others; a column of the table that is used by such levels only is named by
    its first.
    """
    names = getattr(model, "chosen_", None)
    if names is None:
        columns: list[int] = used_columns(model).tolist()
        return columns
    places = {name: place for place, name in enumerate(fitted.features)}
    known = {places[name] for name in names if name in places}
    owners = fitted.owners
    unknown = set(model.encoding_.needed_for(used_columns(model.estimator_)))
    unknown -= {owners[place] for place in known}
    return sorted(known | {owners.index(owner) for owner in unknown})


def _hold_out(prepared: Prepared, method: Method) -> str:
    if not method.held_out_by_itself:
        return "none of its own"
    return prepared.plan.words + (" (approximate)" if _approximate(prepared, method) else "")


def _approximate(prepared: Prepared, method: Method) -> bool:
    return method.approximate and prepared.plan.inner is None


def _held_out(nested: Any, prepared: Prepared) -> dict[str, Any]:
    """Truth and held-out outputs, of a sample where rows are many."""
    outputs = nested.held_out_predictions
    outputs = outputs.reshape(len(outputs), -1)
    known = np.flatnonzero(np.isfinite(outputs).all(axis=1))
    if len(known) > _MOST_ROWS_SHOWN:
        rng = np.random.default_rng(prepared.asked.seed)
        known = np.sort(rng.choice(known, _MOST_ROWS_SHOWN, replace=False))
    truth = prepared.y
    if prepared.task == "classification":
        truth = np.unique(prepared.y, return_inverse=True)[1]
    return {
        "kind": "nested",
        "rows": prepared.row_numbers[known].tolist(),
        "truth": truth[known].tolist(),
        "outputs": outputs[known].tolist(),
    }


# -- the table -----------------------------------------------------------------------------


def _data(prepared: Prepared, encoding: Encoding | None) -> dict[str, Any]:
    frame = prepared.frame
    columns: list[dict[str, Any]] = []
    if frame is not None and encoding is not None:
        columns = [column.summary(frame[column.name]) for column in encoding.columns]
    elif encoding is not None:
        known = ((column.name, column.record()["kind"]) for column in encoding.columns)
        columns = [{"name": name, "kind": kind} for name, kind in known]
    return {
        "source": str(prepared.asked.table.name),
        "rows": len(prepared.y),
        "rows_left_out": prepared.left_out,
        "columns": columns,
        "target": _target(prepared),
    }


def _target(prepared: Prepared) -> dict[str, Any]:
    if prepared.task == "regression":
        return {"name": prepared.target, "kind": "numeric", **spread(pl.Series(prepared.y))}
    labels, counts = np.unique(prepared.y, return_counts=True)
    return {
        "name": prepared.target,
        "kind": "classes",
        "levels": [[str(label), int(count)] for label, count in zip(labels, counts, strict=True)],
    }


def _finite(number: Any) -> float | None:
    """A number, None where it is none."""
    return None if number is None or not math.isfinite(number) else float(number)
