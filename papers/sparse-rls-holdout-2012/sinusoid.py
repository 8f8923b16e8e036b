"""Figures 5 and 6: the sinusoid with 270 basis vectors chosen at random."""

from __future__ import annotations

from pathlib import Path

import approaches
import matplotlib.pyplot as plt
import numpy as np
import sinusoid_data

from holdfast import SparseKernelRidge

REPEATS = {"quick": 2, "default": 100, "full": 1000}
N_BASIS = 270
NOTE = """\
The paper does not say the width of its kernel; gamma = 1 here. Data are drawn anew in every
repetition (the paper: 1000 of them, `--full`)."""


def run(mode: str, output: Path) -> dict:
    """Draw the example, repeat the three approaches, return what to report."""
    m, n_basis = (300, 27) if mode == "quick" else (sinusoid_data.M, N_BASIS)
    _draw_example(output / "figure5.png")

    def judge(seed: int) -> np.ndarray:
        X, y = sinusoid_data.sample(seed, m)
        return approaches.errors(X, y, n_basis, sinusoid_data.GAMMA, sinusoid_data.ALPHAS, seed)

    found = approaches.repeated(judge, REPEATS[mode])
    panels = [(found, sinusoid_data.ALPHAS, f"sinusoid, {n_basis} random basis vectors")]
    approaches.figure(output / "figure6.png", panels)
    approaches.store(output / "figure6.csv", panels)
    mean = found.mean(axis=0)
    best = mean[2].argmin()
    variances = found.var(axis=0, ddof=1)
    return {
        "title": f"Figure 6: sinusoid, {n_basis} random basis vectors, ten folds",
        "table": approaches.table(panels),
        "quantities": {
            "log2 of the best alpha (paper: around 5)": float(np.log2(sinusoid_data.ALPHAS[best])),
            "error at the smallest alpha / at the best (overfits)": float(
                mean[2, 0] / mean[2, best]
            ),
            "error at the largest alpha / at the best (underfits)": float(
                mean[2, -1] / mean[2, best]
            ),
            "alphas at which approach 3 does not have a smaller variance than approach 1": float(
                np.sum(variances[2] >= variances[0])
            ),
            "variance of approach 2 / approach 1": approaches.variance_ratio(found, 2, 1),
            "mean error of approach 1 / approach 3": approaches.mean_ratio(found, 1, 3),
        },
        "notes": [NOTE],
    }


def _draw_example(path: Path) -> None:
    """Figure 5: data, basis vectors, target function, learned function."""
    X, y = sinusoid_data.sample(0)
    model = SparseKernelRidge(
        n_basis=300, gamma=sinusoid_data.GAMMA, alphas=sinusoid_data.ALPHAS, random_state=0
    ).fit(X, y)
    figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
    chosen = model.basis_indices_
    line = np.linspace(-20, 20, 1000)[:, None]
    ax.plot(X[:, 0], y, "o", ms=2.5, mfc="none", color="0.75", label="data")
    ax.plot(X[chosen, 0], y[chosen], "o", ms=2.5, color="0.35", label="basis vectors")
    ax.plot(line, np.sin(line), "--", color="C1", label="target function")
    ax.plot(line, model.predict(line), color="C0", label=f"learned, alpha = {model.alpha_:g}")
    ax.set(xlabel="x", ylabel="y", title="Figure 5: 3000 points, 300 basis vectors")
    ax.legend(frameon=False, ncols=4, loc="upper center")
    figure.savefig(path, dpi=120)
    plt.close(figure)
