"""Problems with folds: windowed time series as in ridge-cv-selection-2013, section 5.2.

Folds are contiguous, those of an unshuffled ``KFold``: each stands for one recording, and
neighbouring rows are never split between training and held-out rows except at its ends.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.signal import lfilter
from sklearn.model_selection import KFold

NAMED = {"m": 69000, "n": 200, "splits": 23, "n_alphas": 60}
"""The setting of the paper's Table 2."""

SMOOTH = [1.0, -1.86, 0.876]
DEVIATION = float(np.linalg.norm(lfilter([1.0], SMOOTH, np.eye(1, 1000)[0])))


@dataclass(frozen=True)
class FoldProblem:
    """Choose a penalty of ``alphas``, or ``n_features`` columns and a penalty, by K folds.

    Going backward, ``n_features`` columns are left.
    """

    name: str
    X: np.ndarray
    y: np.ndarray
    splits: int
    alphas: np.ndarray
    n_features: int

    @property
    def cv(self) -> KFold:
        """Return the splitter, as a user would give it."""
        return KFold(self.splits)

    @property
    def held_out(self) -> list[slice]:
        """Return the rows each fold holds out."""
        return [slice(int(rows[0]), int(rows[-1]) + 1) for _, rows in self.cv.split(self.X)]

    def selecting(self, n_features: int) -> FoldProblem:
        """Return the same problem for another number of columns."""
        return replace(self, n_features=n_features)

    def with_alphas(self, alphas: np.ndarray) -> FoldProblem:
        """Return the same problem on another grid."""
        return replace(self, alphas=alphas)

    def __str__(self) -> str:
        return f"{self.name}, {self.splits} folds, {len(self.alphas)} alphas"


def grid(n_alphas: int) -> np.ndarray:
    """Return penalties around the best one of `windowed`, spaced evenly in their logarithm."""
    return np.logspace(-2.0, 6.0, n_alphas)


def windowed(
    m: int, n: int, splits: int, n_alphas: int, n_features: int, *, signals: int = 4, seed: int = 0
) -> FoldProblem:
    """Windows of the last values of a few noisy smooth signals: neighbouring columns are alike.

    Every fold is one recording with gains of its own, so that what is learned carries over only in
    part and the best penalty lies inside the grid. At the named shape the covariance matrix has
    the condition number 8e4 (the paper's Table 2: 7e4).
    """
    random = np.random.default_rng(seed)
    lags = -(-n // signals)
    X, y = np.empty((m, n)), np.empty(m)
    weights = random.standard_normal(n) * np.exp(-(np.arange(n) % lags) / 10.0)
    for part in KFold(splits).split(y):
        rows = slice(int(part[1][0]), int(part[1][-1]) + 1)
        size = rows.stop - rows.start
        series = _recording(random, size + lags - 1, signals)
        windows = np.lib.stride_tricks.sliding_window_view(series, lags, axis=0)[:, :, ::-1]
        X[rows] = windows.reshape(size, -1)[:, :n]
        drift = 1.0 + 0.3 * random.standard_normal(n)
        signal = X[rows] @ (weights * drift)
        y[rows] = signal + 0.5 * np.std(signal) * random.standard_normal(size)
    return FoldProblem(f"windowed {m} x {n}", X, y, splits, grid(n_alphas), n_features)


def _recording(random: np.random.Generator, length: int, signals: int) -> np.ndarray:
    """Return smooth signals of about unit variance that share a part, with a little noise."""
    warm = 200  # values in which the filter forgets that it started at zero
    shocks = random.standard_normal((length + warm, signals))
    smooth = lfilter([1.0], SMOOTH, shocks, axis=0)[warm:]
    smooth *= (1.0 + 0.2 * random.standard_normal(signals)) / DEVIATION
    mixed = smooth + 0.3 * smooth.mean(axis=1, keepdims=True)
    return mixed + 0.01 * random.standard_normal(mixed.shape)
