"""Selecting genes: the leave-one-out error along the path beside the honest, nested error.

A search that minimises the leave-one-out error over thousands of columns makes that error too
small. Here every outer fold repeats the whole procedure (standardising, selecting, choosing size
and, with a grid, penalty) on its training rows, and its held-out rows judge every size of its
path. Not an experiment of the paper, which reports running times only and refers to others for
the quality.
"""

from __future__ import annotations

import csv
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from benchmarks.problems import data_folder
from benchmarks.referee import one_against_rest
from benchmarks.timing import one_thread
from sklearn.linear_model import RidgeClassifierCV
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from holdfast import ForwardRidgeClassifier, nested_score

SETS = {
    "colon_alon": "colon",
    "leukemia_golub": "leukaemia",
    "prostate_spls": "prostate",
    "lymphoma_spls": "lymphoma",
    "srbct_khan": "SRBCT",
    "breast_gravier": "breast",
    "arcene": "arcene",
}
GRID = (1.0, 10.0, 100.0, 1000.0)
PENALTIES: dict[str, float | tuple[float, ...]] = {
    "10": 10.0,
    "100": 100.0,
    "1000": 1000.0,
    "chosen at every step": GRID,
}
GRIDDED = "chosen at every step"
COLOURS = dict(zip(PENALTIES, ("C2", "C0", "C4", "C3"), strict=True))
RIDGE_ALPHAS = np.logspace(0, 6, 13)
MAX_FEATURES = {"quick": 3, "default": 30, "full": 30}
FOLDS = {"quick": 3, "default": 10, "full": 10}
REPEATS = {"quick": 1, "default": 1, "full": 5}
MARGIN = 0.02
NOTE = """\
Squared errors of targets -1/+1 (mean over the classes beyond two) / shares of rows wrong. Path:
leave-one-out on the rows that chose the genes, where it is optimistic. Nested: {repeats} x
stratified {folds}-fold (fewer where a class has fewer rows), everything repeated in each fold.
alpha: the penalty on standardised columns, or the best of {grid} at every step. All genes:
scikit-learn RidgeClassifierCV on standardised columns, same folds. Majority: always the largest
class. {machine}."""
HEADER = "| set | alpha | genes chosen | in the outer folds | path | **nested** |"


@dataclass(frozen=True)
class Outcome:
    """Errors of one penalty on one set: squared (targets -1/+1), and shares of rows wrong."""

    set: str
    rows: int
    genes: int
    classes: int
    alpha: str
    chosen: int
    smallest_in_folds: int
    median_in_folds: float
    largest_in_folds: int
    path_error: float
    path_wrong: float
    nested_error: float
    nested_wrong: float
    all_genes_error: float
    all_genes_wrong: float
    majority_wrong: float


@dataclass(frozen=True)
class Curves:
    """Squared error against the number of genes: along the path, and honest."""

    outcome: Outcome
    path: np.ndarray
    nested: np.ndarray


def run(mode: str, output: Path) -> dict:
    """Select on every set, write gene_expression.csv, path errors and the figure."""
    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(
            "the gene-expression sets were not found, expected HOLDFAST_DATA or ../shared/data; "
            "set HOLDFAST_DATA, or run with --only scaling"
        )
    names = list(SETS)[: 2 if mode == "quick" else None]
    with one_thread() as machine:
        curves = [curve for name in names for curve in _study(folder, name, mode)]
    outcomes = [curve.outcome for curve in curves]
    _write(output / "gene_expression.csv", [asdict(outcome) for outcome in outcomes])
    _write(output / "gene_expression_paths.csv", _lines(curves))
    _draw(curves, output / "gene_expression.png")
    note = NOTE.format(
        repeats=REPEATS[mode], folds=FOLDS[mode], grid=", ".join(map(str, GRID)), machine=machine
    )
    return {
        "title": f"Genes selected by leave-one-out, at most {MAX_FEATURES[mode]}",
        "table": _table(outcomes),
        "quantities": _quantities(outcomes),
        "notes": [note],
    }


def _quantities(outcomes: list[Outcome]) -> dict[str, float]:
    gridded = [outcome for outcome in outcomes if outcome.alpha == GRIDDED]
    fixed = [outcome for outcome in outcomes if outcome.alpha == "100"]
    return {
        "sets on which the path error is below the nested one, alpha chosen at every step": sum(
            outcome.path_error < outcome.nested_error for outcome in gridded
        ),
        "nested / path error, median over the sets, alpha chosen at every step": float(
            np.median([outcome.nested_error / outcome.path_error for outcome in gridded])
        ),
        "nested / path error, median over the sets, alpha = 100": float(
            np.median([outcome.nested_error / outcome.path_error for outcome in fixed])
        ),
        f"sets on which at most 30 genes (alpha = 100) are within {MARGIN} of all genes": sum(
            outcome.nested_wrong <= outcome.all_genes_wrong + MARGIN for outcome in fixed
        ),
    }


def load(folder: Path, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return one data set; raw intensities as logarithms, by fixed rules that see no labels."""
    with np.load(folder / f"{name}.npz") as stored:
        X, y = stored["X"], stored["y"].astype(int)
    if name == "colon_alon":
        X = np.log2(X)
    if name == "leukemia_golub":
        X = np.log10(np.clip(X, 100.0, 16000.0))
    return X, y


def _study(folder: Path, name: str, mode: str) -> list[Curves]:
    print(f"  {name}", file=sys.stderr, flush=True)
    X, y = load(folder, name)
    folds = _outer_folds(y, mode)
    ridge = [_all_genes(X, y, splitter) for splitter in folds]
    return [
        _follow(SETS[name], X, y, alpha, folds, np.mean(ridge, axis=0), mode) for alpha in PENALTIES
    ]


def _outer_folds(y: np.ndarray, mode: str) -> list[StratifiedKFold]:
    n_folds = min(FOLDS[mode], np.unique(y, return_counts=True)[1].min())
    return [
        StratifiedKFold(n_folds, shuffle=True, random_state=seed) for seed in range(REPEATS[mode])
    ]


def _follow(
    name: str,
    X: np.ndarray,
    y: np.ndarray,
    alpha: str,
    folds: list[StratifiedKFold],
    ridge: np.ndarray,
    mode: str,
) -> Curves:
    coded, counts = _coded(y), np.unique(y, return_counts=True)[1]
    whole = _selector(alpha, mode, store_cv_results=True).fit(X, y)
    repeats = [_nested(X, y, alpha, splitter, mode) for splitter in folds]
    sizes = np.concatenate([repeat["sizes"] for repeat in repeats])
    outcome = Outcome(
        set=name,
        rows=len(y),
        genes=X.shape[1],
        classes=len(counts),
        alpha=alpha,
        chosen=whole.n_features_,
        smallest_in_folds=int(sizes.min()),
        median_in_folds=float(np.median(sizes)),
        largest_in_folds=int(sizes.max()),
        path_error=float(-whole.best_score_),
        path_wrong=_wrong(coded, whole.held_out_predictions_),
        nested_error=float(np.mean([repeat["error"] for repeat in repeats])),
        nested_wrong=float(np.mean([repeat["wrong"] for repeat in repeats])),
        all_genes_error=float(ridge[0]),
        all_genes_wrong=float(ridge[1]),
        majority_wrong=float(1.0 - counts.max() / len(y)),
    )
    along = np.mean([repeat["along"] for repeat in repeats], axis=0)
    return Curves(outcome, np.asarray(whole.path_errors_), along)


def _nested(
    X: np.ndarray, y: np.ndarray, alpha: str, folds: StratifiedKFold, mode: str
) -> dict[str, Any]:
    """Repeat everything in every outer fold; judge each size, and the size chosen there."""
    score = nested_score(_selector(alpha, mode), X, y, folds)
    coded = _coded(y)
    along = np.empty((MAX_FEATURES[mode] + 1, *coded.shape))
    for model, (_, held_out) in zip(score.estimators, folds.split(X, y), strict=True):
        for size in range(len(along)):
            along[size, held_out] = _decision(model.truncate(size), X[held_out])
    return {
        "sizes": score.sizes,
        "along": np.mean((along - coded) ** 2, axis=(1, 2)),
        "error": score.error,
        "wrong": score.wrong,
    }


def _all_genes(X: np.ndarray, y: np.ndarray, folds: StratifiedKFold) -> tuple[float, float]:
    """Squared error and share of rows wrong of ridge regression on all genes, nested."""
    ridge = make_pipeline(StandardScaler(), RidgeClassifierCV(alphas=RIDGE_ALPHAS))
    score = nested_score(ridge, X, y, folds)
    return score.error, score.wrong


def _selector(alpha: str, mode: str, **options: bool) -> ForwardRidgeClassifier:
    return ForwardRidgeClassifier(
        alphas=PENALTIES[alpha],
        max_features=MAX_FEATURES[mode],
        patience=None,
        standardize=True,
        **options,
    )


def _coded(y: np.ndarray) -> np.ndarray:
    return one_against_rest(y).reshape(len(y), -1)


def _decision(model: ForwardRidgeClassifier, X: np.ndarray) -> np.ndarray:
    return model.decision_function(X).reshape(len(X), -1)


def _wrong(coded: np.ndarray, decisions: np.ndarray) -> float:
    decisions = np.reshape(decisions, coded.shape)
    if coded.shape[1] == 1:
        return float(np.mean((decisions > 0) != (coded > 0)))
    return float(np.mean(decisions.argmax(axis=1) != coded.argmax(axis=1)))


def _table(outcomes: list[Outcome]) -> str:
    lines = [HEADER, "|---|---|---|---|---|---|"]
    for number, o in enumerate(outcomes):
        first = number % len(PENALTIES) == 0
        name = f"{o.set}, {o.rows} x {o.genes}, {o.classes} classes" if first else ""
        lines.append(
            f"| {name} | {o.alpha} | {o.chosen} | {o.smallest_in_folds} to {o.largest_in_folds}, "
            f"median {o.median_in_folds:g} | {o.path_error:.3f} / {o.path_wrong:.3f} "
            f"| **{o.nested_error:.3f} / {o.nested_wrong:.3f}** |"
        )
        if number % len(PENALTIES) == len(PENALTIES) - 1:
            lines += [
                f"| | all genes | {o.genes} | - | - "
                f"| **{o.all_genes_error:.3f} / {o.all_genes_wrong:.3f}** |",
                f"| | majority | 0 | - | - | **- / {o.majority_wrong:.3f}** |",
            ]
    return "\n".join(lines)


def _lines(curves: list[Curves]) -> list[dict[str, Any]]:
    return [
        {
            "set": curve.outcome.set,
            "alpha": curve.outcome.alpha,
            "genes": size,
            "path_error": path,
            "nested_error": nested,
        }
        for curve in curves
        for size, (path, nested) in enumerate(zip(curve.path, curve.nested, strict=True))
    ]


def _write(path: Path, records: list[dict]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(records[0]))
        writer.writeheader()
        writer.writerows(records)


def _draw(curves: list[Curves], path: Path) -> None:
    panels: dict[str, list[Curves]] = {}
    for curve in curves:
        panels.setdefault(curve.outcome.set, []).append(curve)
    columns = min(4, len(panels) + 1)
    height = -(-(len(panels) + 1) // columns)
    figure, axes = plt.subplots(
        height, columns, figsize=(3.4 * columns, 3.1 * height), layout="constrained", squeeze=False
    )
    for ax, shown in zip(axes.flat, panels.values(), strict=False):
        _draw_set(ax, shown)
    for ax in axes[:, 0]:
        ax.set_ylabel("squared error (targets -1/+1)")
    for ax in axes.flat[max(0, len(panels) - columns) : len(panels)]:
        ax.set_xlabel("genes selected")
    handles, labels = axes.flat[0].get_legend_handles_labels()
    for ax in axes.flat[len(panels) :]:
        ax.axis("off")
    axes.flat[len(panels)].legend(handles, labels, loc="center", frameon=False, fontsize=9)
    figure.suptitle("Genes chosen by leave-one-out: the error on the path, and the honest one")
    figure.savefig(path, dpi=150)
    plt.close(figure)


def _draw_set(ax: plt.Axes, curves: list[Curves]) -> None:
    for curve in curves:
        colour = COLOURS[curve.outcome.alpha]
        label = f"alpha {curve.outcome.alpha}"
        ax.plot(curve.nested, color=colour, label=f"nested, {label}")
    for curve in curves:
        colour = COLOURS[curve.outcome.alpha]
        label = f"alpha {curve.outcome.alpha}"
        ax.plot(curve.path, color=colour, ls=":", lw=1.3, label=f"on the path, {label}")
    outcome = curves[0].outcome
    ax.axhline(outcome.all_genes_error, color="0.4", ls="--", lw=1.2, label="nested, all genes")
    ax.set_title(f"{outcome.set}: {outcome.rows} rows, {outcome.genes} genes", fontsize=10)
    ax.set_ylim(0, 1.05 * max(curve.nested.max() for curve in curves))
    ax.set_xlim(0, len(curves[0].path) - 1)
    ax.grid(alpha=0.3)
