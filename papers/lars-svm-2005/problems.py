"""The six binary problems of the paper, as far as the data at hand allow.

| problem | representation | the paper's table | ours |
|---|---|---|---|
| Fbis-4 | binary | 2463 x 2000, 387 positive | the same |
| La1-2, La1-4 | binary | 3204 x 31472, 555 and 943 positive | the same |
| Ohscal-7 | binary | 11162 x 11465, 1037 positive | the same |
| Reuters-Money-fx | normalised tf-idf, ModApte | 12902 x 37207, 717 positive | 12902 x 21202 |
| News-3 | normalised tf-idf | 19928 x 62061, 1000 positive | 18846 x 75875, see README |

Classes of the CLUTO sets are named by number in the paper; the one meant is found by its size.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import scipy.sparse as sp
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.model_selection import StratifiedKFold

POSITIVES = {"Fbis-4": 387, "La1-2": 555, "La1-4": 943, "Ohscal-7": 1037}


@dataclass(frozen=True)
class TextProblem:
    """Counts or presences, labels 0 and 1, and a given split (a mask) or None."""

    name: str
    X: sp.csr_array
    y: np.ndarray
    is_train: np.ndarray | None = None
    weighted: bool = False

    def groups(self, seed: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Training and testing rows: the given split, else four stratified groups."""
        if self.is_train is not None:
            yield np.flatnonzero(self.is_train), np.flatnonzero(~self.is_train)
            return
        folds = StratifiedKFold(4, shuffle=True, random_state=seed)
        yield from folds.split(np.zeros(len(self.y)), self.y)

    def tables(self, train: np.ndarray, test: np.ndarray) -> tuple[sp.csr_array, sp.csr_array]:
        """Both tables with the paper's column of ones; tf-idf is learned from training rows."""
        rows = self.X[train], self.X[test]
        if self.weighted:
            tfidf = TfidfTransformer().fit(rows[0])
            rows = tfidf.transform(rows[0]), tfidf.transform(rows[1])
        ones = [np.ones((table.shape[0], 1)) for table in rows]
        both = [
            sp.csr_array(sp.hstack([table, one])) for table, one in zip(rows, ones, strict=True)
        ]
        return both[0], both[1]


def load(name: str) -> TextProblem:
    """One of the six problems."""
    folder = data_folder()
    if name in POSITIVES:
        stem = name.split("-")[0].lower()
        X = sp.csr_array(sp.load_npz(folder / f"{stem}_X.npz"))
        X.data = np.ones_like(X.data)
        labels = np.load(folder / f"{stem}_labels.npz")["y"]
        values, counts = np.unique(labels, return_counts=True)
        (chosen,) = values[counts == POSITIVES[name]]
        return TextProblem(name, X, (labels == chosen).astype(int))
    if name == "Reuters-Money-fx":
        X = sp.csr_array(sp.load_npz(folder / "reuters21578_modapte_counts_X.npz"))
        labels = np.load(folder / "reuters21578_modapte_labels.npz")
        y = (labels["y_money_fx"] > 0).astype(int)
        return TextProblem(name, X, y, labels["is_train"].astype(bool), weighted=True)
    X = sp.csr_array(sp.load_npz(folder / "news20_bydate_counts_X.npz"))
    labels = np.load(folder / "news20_bydate_labels.npz")
    y = (labels["y"] == labels["y"].min() + 2).astype(int)  # the third group
    return TextProblem("News-3", X, y, weighted=True)


NAMES = (*POSITIVES, "Reuters-Money-fx", "News-3")


def is_random(name: str) -> bool:
    """Whether the groups are random ones, not a given split."""
    return name != "Reuters-Money-fx"


def data_folder() -> Path:
    """The folder of real data sets."""
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    folder = Path(os.environ.get("HOLDFAST_DATA", beside))
    if not folder.is_dir():
        raise FileNotFoundError(
            f"the folder of real data {folder} was not found; expected HOLDFAST_DATA or "
            "../shared/data beside the checkout: set HOLDFAST_DATA."
        )
    return folder
