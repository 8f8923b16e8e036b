"""Text for generalised LARS: one class against the rest, as sparse as it comes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from benchmarks.problems import data_folder, newsgroups


@dataclass(frozen=True)
class TextProblem:
    """Follow the path of ``X`` and labels -1, +1 to ``n_features`` columns."""

    name: str
    X: sp.csr_array
    t: np.ndarray
    n_features: int


def news(n_features: int) -> TextProblem:
    """20 newsgroups, sublinear tf-idf, the third group against the rest."""
    problem = newsgroups(n_features, target="all")
    t = np.where(problem.y == 2, 1.0, -1.0)
    return TextProblem(f"20 newsgroups {_shape(problem.X)}", problem.X, t, n_features)


def reuters(n_features: int) -> TextProblem:
    """Reuters-21578 (ModApte), sublinear tf-idf, money-fx against the rest."""
    from sklearn.feature_extraction.text import TfidfTransformer

    folder = data_folder()
    assert folder is not None  # asked before
    counts = sp.csr_array(sp.load_npz(folder / "reuters21578_modapte_counts_X.npz"))
    with np.load(folder / "reuters21578_modapte_labels.npz") as labels:
        t = np.where(labels["y_money_fx"] > 0, 1.0, -1.0)
    X = sp.csr_array(TfidfTransformer(sublinear_tf=True).fit_transform(counts))
    return TextProblem(f"Reuters {_shape(X)}", X, t, n_features)


def fbis(n_features: int) -> TextProblem:
    """Fbis, presence of words, the class of 387 documents against the rest."""
    folder = data_folder()
    assert folder is not None  # asked before
    X = sp.csr_array(sp.load_npz(folder / "fbis_X.npz"))
    X.data = np.ones_like(X.data)
    with np.load(folder / "fbis_labels.npz") as labels:
        values, counts = np.unique(labels["y"], return_counts=True)
        t = np.where(labels["y"] == values[counts == 387][0], 1.0, -1.0)
    return TextProblem(f"fbis {_shape(X)}", X, t, n_features)


def small(n_features: int) -> TextProblem:
    """A made-up collection, for quick runs."""
    random = np.random.default_rng(0)
    t = np.where(random.random(400) < 0.3, 1.0, -1.0)
    rate = random.exponential(0.05, 900) * np.where(
        (t[:, None] > 0) & (np.arange(900) % 7 == 0), 5.0, 1.0
    )
    X = sp.csr_array(random.poisson(rate).astype(float))
    return TextProblem(f"made-up text {_shape(X)}", X, t, n_features)


def _shape(X: sp.csr_array) -> str:
    return f"{X.shape[0]} x {X.shape[1]}"
