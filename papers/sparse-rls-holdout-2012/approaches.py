"""The three ways of section 6.2 to judge models of n basis vectors by ten folds.

1. 10 n / 9 basis vectors, a tenth of them in every fold: each round loses those it holds out;
2. n basis vectors that are in no fold: all rounds have the same;
3. n basis vectors chosen anew in every round.

Variances are those of the errors over repetitions with other folds and basis vectors.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import KFold

from holdfast import SparseKernelRidge, basis_folds

FOLDS = 10
NAMES = ("approach 1", "approach 2", "approach 3")


def errors(
    X: np.ndarray,
    y: np.ndarray,
    n_basis: int,
    gamma: float,
    alphas: np.ndarray,
    seed: int,
    basis: str = "random",
) -> np.ndarray:
    """Mean squared errors, approaches x alphas; ``n_basis`` is that of the models judged."""
    options = {"alphas": alphas, "gamma": gamma, "random_state": seed}
    found = []
    for share in (n_basis // (FOLDS - 1), 0):
        size = n_basis + share
        chosen = basis
        if basis == "greedy":
            # Chosen on all rows, as in the paper, by a model that is thrown away.
            first = SparseKernelRidge(n_basis=size, basis=basis, **options).fit(X, y)
            chosen = first.basis_indices_
        else:
            chosen = np.random.default_rng([seed, share]).choice(len(y), size, replace=False)
        folds = basis_folds(len(y), chosen, FOLDS, basis_per_fold=share, random_state=seed)
        model = SparseKernelRidge(basis=chosen, cv=folds, **options)
        found.append(model.fit(X, y).alpha_errors_)
    folds = KFold(FOLDS, shuffle=True, random_state=seed)
    model = SparseKernelRidge(
        n_basis=n_basis, basis=basis, cv=folds, basis_per_split=True, **options
    )
    found.append(model.fit(X, y).alpha_errors_)
    return np.array(found)


def repeated(judge: Callable[[int], np.ndarray], repeats: int) -> np.ndarray:
    """Errors of every repetition, (repeats, approaches, alphas)."""
    return np.array([judge(seed) for seed in range(repeats)])


def draw(found: np.ndarray, alphas: np.ndarray, title: str, axes: list) -> None:
    """Mean and variance of the errors against log2 of the penalty."""
    log = np.log2(alphas)
    for number, name in enumerate(NAMES):
        axes[0].plot(log, found[:, number].mean(axis=0), label=name, color=f"C{number}")
        axes[1].plot(log, found[:, number].var(axis=0, ddof=1), label=name, color=f"C{number}")
    axes[0].set(title=title, xlabel="log2 alpha", ylabel="mean of the MSE")
    axes[1].set(
        title=f"{len(found)} repetitions", xlabel="log2 alpha", ylabel="variance of the MSE"
    )
    axes[1].set_yscale("log")
    axes[0].legend(frameon=False)


def figure(path: Path, panels: list[tuple[np.ndarray, np.ndarray, str]]) -> None:
    """One row of two axes for every (errors, alphas, title)."""
    drawn, axes = plt.subplots(
        len(panels), 2, figsize=(9, 3.2 * len(panels)), layout="constrained", squeeze=False
    )
    for line, (found, alphas, title) in zip(axes, panels, strict=True):
        draw(found, alphas, title, line)
    drawn.savefig(path, dpi=120)
    plt.close(drawn)


def table(panels: list[tuple[np.ndarray, np.ndarray, str]]) -> str:
    """Mean and variance at the penalty of least mean error, for every panel and approach."""
    lines = ["| task | approach | least mean MSE | at log2 alpha | variance there | repetitions |"]
    lines.append("|---|---|---|---|---|---|")
    for found, alphas, title in panels:
        for number, name in enumerate(NAMES):
            mean = found[:, number].mean(axis=0)
            best = int(mean.argmin())
            variance = found[:, number, best].var(ddof=1)
            cells = [title, name, f"{mean[best]:.4g}", f"{np.log2(alphas[best]):g}"]
            lines.append(f"| {' | '.join(cells)} | {variance:.3g} | {len(found)} |")
    return "\n".join(lines)


def store(path: Path, panels: list[tuple[np.ndarray, np.ndarray, str]]) -> None:
    """Every number drawn."""
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["task", "approach", "log2_alpha", "mean", "variance", "repetitions"])
        for found, alphas, title in panels:
            for number, name in enumerate(NAMES):
                for position, alpha in enumerate(alphas):
                    values = found[:, number, position]
                    row = [title, name, np.log2(alpha), values.mean(), values.var(ddof=1)]
                    writer.writerow([*row, len(found)])


def variance_ratio(found: np.ndarray, first: int, second: int) -> float:
    """Median over the penalties of the variance of one approach over that of another."""
    variances = found.var(axis=0, ddof=1)
    return float(np.median(variances[first - 1] / variances[second - 1]))


def mean_ratio(found: np.ndarray, first: int, second: int) -> float:
    """Ratio of the mean errors of two approaches at the best penalty of the second."""
    means = found.mean(axis=0)
    best = means[second - 1].argmin()
    return float(means[first - 1, best] / means[second - 1, best])
