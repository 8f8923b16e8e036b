"""The problems of the benchmarks: a seeded table with a known answer, and real text.

Real data come from the folder named by the environment variable ``HOLDFAST_DATA``, else from
``../shared/data`` beside the checkout; where neither exists, what needs them is left out and the
report says so.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.signal import lfilter

Order = Literal["C", "F"]


@dataclass(frozen=True)
class Problem:
    """Select ``n_features`` columns of ``X`` for ``y`` with the penalty ``alpha``."""

    name: str
    X: Any
    y: np.ndarray
    n_features: int
    alpha: float = 1.0

    def prefix(self, rows: int, columns: int, n_features: int) -> Problem:
        """Return the same problem on its first rows and columns."""
        X = np.array(self.X[:rows, :columns], order="F")
        name = f"first {rows} x {columns} of {self.name}"
        return replace(self, name=name, X=X, y=self.y[:rows], n_features=n_features)


def planted(m: int, n: int, n_features: int, *, order: Order = "C", seed: int = 0) -> Problem:
    """Gaussian columns, as many of them in the answer as are to be selected, and noise.

    X is filled piece by piece, so that building it takes no memory beside it.
    """
    random = np.random.default_rng(seed)
    X = np.empty((m, n), order=order)
    for start in range(0, m, 1000):
        X[start : start + 1000] = random.standard_normal((min(1000, m - start), n))
    weights = np.zeros(n)
    chosen = random.choice(n, size=min(n_features, n), replace=False)
    weights[chosen] = random.standard_normal(len(chosen))
    y = X @ weights + random.standard_normal(m)
    return Problem(f"planted {m} x {n}, {order} order", X, y, n_features)


def mostly_noise(m: int, n: int, n_features: int, *, seed: int = 0) -> Problem:
    """Gaussian columns, five of them in the answer, more to be selected, and noise.

    After the five the candidates differ by luck only, so that bounds tell them apart least.
    """
    few = planted(m, n, 5, seed=seed)
    return replace(few, name=f"mostly noise {m} x {n}", n_features=n_features)


def correlated(m: int, n: int, n_features: int, *, seed: int = 0) -> Problem:
    """Neighbouring columns correlated by 0.8, every column in the answer, half of y is noise.

    No method can find "the" columns here, so that answers to different questions differ.
    """
    random = np.random.default_rng(seed)
    X = lfilter([0.6], [1.0, -0.8], random.standard_normal((m, n)), axis=1)
    signal = X @ (random.standard_normal(n) / (1.0 + np.arange(n)) ** 0.5)
    y = signal + signal.std() * random.standard_normal(m)
    return Problem(f"correlated {m} x {n}", X, y, n_features)


def newsgroups(n_features: int, *, target: Literal["comp", "all"] = "comp") -> Problem:
    """20 newsgroups as sublinear tf-idf (18846 x 75875, CSR).

    ``target="comp"`` separates the five groups ``comp.*`` (+1) from the rest (-1);
    ``"all"`` keeps the twenty classes.
    """
    from sklearn.feature_extraction.text import TfidfTransformer

    folder = data_folder()
    if folder is None:
        raise FileNotFoundError(
            "the folder of real data was not found, expected HOLDFAST_DATA or ../shared/data; "
            "set HOLDFAST_DATA, or leave this part out with --only"
        )
    counts = sp.csr_array(sp.load_npz(folder / "news20_bydate_counts_X.npz"))
    with np.load(folder / "news20_bydate_labels.npz") as labels:
        names, y = labels["class_names"], labels["y"].astype(int)
    X = sp.csr_array(TfidfTransformer(sublinear_tf=True).fit_transform(counts))
    if target == "comp":
        is_comp = np.char.startswith(names, "comp.")
        y = np.where(is_comp[y], 1.0, -1.0)
    return Problem(f"20 newsgroups, {X.shape[0]} x {X.shape[1]}, {target}", X, y, n_features)


def data_folder() -> Path | None:
    """Return the folder of real data sets, or None where there is none."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("HOLDFAST_DATA", beside))
    return folder if folder.is_dir() else None
