"""500 functions of 10000 rows, beside one log marginal likelihood of a Gaussian process."""

from __future__ import annotations

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from benchmarks import evidence_referee
from benchmarks.claims.evidence_growth import fitted
from benchmarks.problems import data_folder
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import ratio, side_by_side

SHAPE = {"quick": (400, 20), "default": (10000, 500), "full": (10000, 500)}
ROUNDS = {"quick": 1, "default": 1, "full": 3}
OURS, PROCESS = "holdfast, k = p = {k}, factor included", "GaussianProcessRegressor, value only"


def run(mode: str) -> Section:
    """Time both on California housing, or on Friedman data where that is not at hand."""
    section = Section("Beside a Gaussian process")
    m, k = SHAPE[mode]
    name, X, y = _data(m)
    process = GaussianProcessRegressor(
        RBF(np.sqrt(X.shape[1] / 2)), alpha=0.1, optimizer=None, copy_X_train=False
    )
    # What fit does before its first likelihood, so that only the likelihood is timed.
    process.kernel_, process.X_train_, process.y_train_ = process.kernel, X, y
    process._rng = np.random.RandomState(0)
    theta = process.kernel_.theta
    ours = OURS.format(k=k)
    times = side_by_side(
        {
            ours: lambda: fitted(X, y, k),
            PROCESS: lambda: process.log_marginal_likelihood(theta, clone_kernel=False),
        },
        rounds=ROUNDS[mode],
        warm_up=False,
    )
    reason = evidence_referee.judge(times[ours].answer, X, y)
    if reason:
        section.rejected.append(f"{ours}: {reason}")
    quotient = ratio(times[PROCESS], times[ours])
    section.claims.append(
        Claim(
            f"one likelihood of the process / whole fit of ours, m = {m}",
            quotient.median,
            1.0,
            "at least",
            binding=mode != "quick",
        )
    )
    rows = [
        [name, f"{min(times[PROCESS].seconds) / min(timing.seconds):.3g}", seconds(timing.median)]
        for name, timing in times.items()
    ]
    caption = f"{name}, {m} rows, the same rbf kernel; no gradient, no optimisation."
    header = ["", "process / this", "time"]
    section.tables.append(Table(caption, header, rows))
    section.raw["seconds"] = {name: timing.seconds for name, timing in times.items()}
    return section


def _data(m: int) -> tuple[str, np.ndarray, np.ndarray]:
    if data_folder() is None:
        X, y = make_friedman1(m, 8, noise=1.0, random_state=0)
        return "Friedman 1", (X - 0.5) * 3.5, (y - y.mean()) / y.std()
    stored = np.load(data_folder() / "california_housing.npz", allow_pickle=False)
    order = np.random.RandomState(0).permutation(len(stored["y"]))[:m]
    X, y = stored["X"][order].astype(float), stored["y"][order].astype(float)
    return (
        "California housing",
        (X - X.mean(axis=0)) / X.std(axis=0),
        (y - y.mean()) / y.std(),
    )
