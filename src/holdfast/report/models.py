"""The models a reader can step through, as the page needs them.

A path may hold 300 models of 1000 features. The page gets only what is not zero, rounded to the
digits it shows, and of models of more than ``MOST_ROWS`` features the ones of largest effect; the
chosen model is always whole. Models are ordered by size (a backward search visits large ones
first), those of one size as they were visited.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from holdfast.report.numbers import rounded

MOST_ROWS = 200


@dataclass(frozen=True)
class Row:
    """One feature of one model; no effects where the spread of the columns is not known."""

    column: int
    coef: list[float]
    effects: list[float]
    when: int | None

    @property
    def weights(self) -> list[float]:
        """What the features of a model are compared by: effects, coefficients without them."""
        return self.effects or self.coef


@dataclass(frozen=True)
class Model:
    """One model: its errors, and its features by falling effect.

    Attributes
    ----------
    position : int or None
        Place in the path of the findings; None of a model that is not on a path.
    size, n_features : int
        Size as the search counts it (a group is one), and columns of numbers that are not zero.
    error, std_error : float or None
        By the model's own hold-out; None where it has none.
    alpha : float or None
        Penalty.
    intercept : list of float
        One for each output.
    rows : list of Row
        Features; ``when`` is the size at which one entered, or, on a path that only removes, the
        smallest size that still has it.
    left_out : int
        Features of smaller effect that are not in ``rows``.
    moved : tuple
        Sign and columns of the move that led here.
    """

    position: int | None
    size: int
    n_features: int
    error: float | None
    std_error: float | None
    alpha: float | None
    intercept: list[float]
    rows: list[Row]
    left_out: int
    moved: tuple[int, list[int]]


def removes(findings: Mapping[str, Any]) -> bool:
    """Whether the search took features out, from all of them."""
    path = findings["path"]
    return findings["method"] == "backward" or _only_removes(path)


def _only_removes(path: Sequence[Mapping[str, Any]]) -> bool:
    return bool(path[0]["columns"]) and all(entry["sign"] <= 0 for entry in path)


def models_of(findings: Mapping[str, Any]) -> list[Model]:
    """Models by rising size; of findings without a path the one linear model, or none."""
    path = findings["path"]
    if path is None:
        return [] if findings["coef"] is None else [_all_columns(findings)]
    whens = _leaving(path) if _only_removes(path) else _entering(path)
    models = [
        _model(position, entry, when, whole=position == findings["chosen"])
        for position, (entry, when) in enumerate(zip(path, whens, strict=True))
    ]
    return sorted(models, key=lambda model: model.size)


def _model(
    position: int | None, entry: Mapping[str, Any], when: Mapping[int, int | None], *, whole: bool
) -> Model:
    columns: list[int] = entry["columns"]
    # Of every feature, its effect in the output where it is largest.
    weights = entry["coef"] if entry["effects"] is None else entry["effects"]
    largest = [max(map(abs, of_outputs)) for of_outputs in zip(*weights, strict=True)]
    # Zero is a column that is constant, such as a level that no row has.
    used = [place for place in range(len(columns)) if any(line[place] for line in entry["coef"])]
    order = sorted(used, key=lambda place: -largest[place])
    kept = order if whole else order[:MOST_ROWS]
    rows = [
        Row(
            columns[place],
            [rounded(line[place]) for line in entry["coef"]],
            [rounded(line[place]) for line in entry["effects"] or []],
            when.get(columns[place]),
        )
        for place in kept
    ]
    return Model(
        position=position,
        size=entry["size"],
        n_features=len(used),
        error=entry["error"],
        std_error=entry["std_error"],
        alpha=entry["alpha"],
        intercept=[rounded(value) for value in entry["intercept"]],
        rows=rows,
        left_out=len(used) - len(kept),
        moved=(entry["sign"], entry["moved"]),
    )


def _all_columns(findings: Mapping[str, Any]) -> Model:
    coef, effects = findings["coef"], findings["effects"]
    columns = list(range(len(findings["features"])))
    alphas = findings["alphas"]
    entry = {
        "size": len(columns),
        "columns": columns,
        "coef": [[line[j] for j in columns] for line in coef],
        "effects": None if effects is None else [[line[j] for j in columns] for line in effects],
        "intercept": findings["intercept"],
        "error": findings["error"],
        "std_error": findings["std_error"],
        "alpha": alphas["chosen"] if alphas else None,
        "sign": 0,
        "moved": [],
    }
    return _model(None, entry, {}, whole=False)


def _entering(path: Sequence[Mapping[str, Any]]) -> list[dict[int, int | None]]:
    """For every model, the size at which each feature last entered; None: from the start."""
    inside: dict[int, int | None] = {}
    whens = []
    for place, entry in enumerate(path):
        size = entry["size"] if place else None
        # What is in the model counts, whatever the move says: paths of LARS move several at once.
        inside = {column: inside.get(column, size) for column in entry["columns"]}
        whens.append(inside)
    return whens


def _leaving(path: Sequence[Mapping[str, Any]]) -> list[dict[int, int | None]]:
    """For every model, the smallest size that still has each feature; None: never removed."""
    smallest = {column: entry["size"] for entry in path for column in entry["columns"]}
    for column in path[-1]["columns"]:
        smallest[column] = None
    return [smallest] * len(path)
