"""The path of the squared loss beside products with X, and beside scikit-learn's lars_path."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks import lars_problems, lars_referee
from benchmarks.lars_problems import TextProblem
from benchmarks.problems import data_folder
from benchmarks.report import Claim, Section, Table, seconds
from benchmarks.timing import ratio, side_by_side

PRODUCTS = 3
FASTER = 2.0
ROUNDS = {"quick": 1, "default": 3, "full": 5}


@dataclass(frozen=True)
class LeastSquares:
    """One of the two questions, on its collection of text."""

    title: str
    measure: Callable[[Section, TextProblem, str], None]
    collection: str
    n_features: int

    def run(self, mode: str) -> Section:
        """Time 20 newsgroups to 1000 columns, or fbis to 500."""
        section = Section(self.title)
        if mode == "quick":
            self.measure(section, lars_problems.small(20), mode)
        elif data_folder() is None:
            section.notes.append("Left out: no folder of real data (HOLDFAST_DATA).")
        else:
            problem = getattr(lars_problems, self.collection)(self.n_features)
            self.measure(section, problem, mode)
        return section


def _beside_products(section: Section, problem: TextProblem, mode: str) -> None:
    by_format = {"CSR": problem.X, "CSC": sp.csc_array(problem.X)}
    v = np.random.default_rng(0).standard_normal(len(problem.t))
    count = PRODUCTS * problem.n_features
    counts: dict[str, Any] = {}
    contestants: dict[str, Any] = {}
    for name, X in by_format.items():
        contestants[name] = lambda X=X, name=name: _path(X, problem, counts, name)
        contestants[f"products, {name}"] = lambda X=X: [X.T @ v for _ in range(count)] and None
    done = side_by_side(contestants, rounds=ROUNDS[mode], warm_up=mode != "quick")
    refused = lars_referee.refuse_path(problem, done["CSR"].answer, 0.0, hinge=False)
    refused += lars_referee.refuse_other(problem, done["CSR"].answer, done["CSC"].answer)
    if refused:
        section.rejected.extend(refused)
        return
    yardstick = min((done[f"products, {name}"] for name in by_format), key=lambda t: t.processor)
    rows = []
    for name in by_format:
        found = ratio(done[name], yardstick, processor=True)
        text = f"path ({name}) / {PRODUCTS} products per column on {problem.name}"
        section.claims.append(
            Claim(text, found.median, 1.0, "at most", binding=mode != "quick", spread=found.spread)
        )
        rows.append(
            [
                f"{problem.name}, {name}, {problem.n_features} columns",
                str(found),
                seconds(done[name].processor),
                seconds(done[f"products, {name}"].processor),
                f"{counts[name].products}, {counts[name].fetches}",
            ]
        )
    header = ["problem", f"path / {PRODUCTS} products X.T @ v per column", "path", "products"]
    header += ["products with X, copies of columns"]
    caption = "Processor time. The yardstick is the faster of the two formats."
    section.tables.append(Table(caption, header, rows))
    section.raw[problem.name] = {name: timing.seconds for name, timing in done.items()}


def _beside_scikit_learn(section: Section, problem: TextProblem, mode: str) -> None:
    dense = np.asfortranarray(problem.X.toarray())
    counts: dict[str, Any] = {}
    by_columns = sp.csc_array(problem.X)
    contestants: dict[str, Any] = {
        "ours": lambda: _path(problem.X, problem, counts, "ours"),
        "ours, CSC": lambda: _path(by_columns, problem, counts, "ours, CSC"),
        "Gram=False": lambda: _lars_path(dense, problem, False),
        "Gram='auto'": lambda: _lars_path(dense, problem, "auto"),
        "Gram=True": lambda: _lars_path(dense, problem, True),
    }
    done = side_by_side(contestants, rounds=ROUNDS[mode], warm_up=mode != "quick")
    path = done["ours"].answer
    refused = lars_referee.refuse_path(problem, path, 0.0, hinge=False)
    # scikit-learn leaves the curve where a coefficient changes its sign; until there they agree.
    knots = done["Gram='auto'"].answer[0] * len(problem.t)
    coefs = done["Gram='auto'"].answer[2]
    turned = (np.diff(np.sign(coefs), axis=1) * (coefs[:, :-1] != 0)).any(axis=0)
    until = int(turned.argmax()) if turned.any() else len(knots) - 1
    both = min(until + 1, len(path.knots))
    if np.abs(path.knots[:both] - knots[:both]).max() > lars_referee.SAME * knots[0]:
        refused.append(f"{problem.name}: the knots differ from scikit-learn's")
    if refused:
        section.rejected.extend(refused)
        return
    names = [name for name in contestants if name.startswith("Gram")]
    fastest = min(names, key=lambda name: done[name].processor)
    rows = []
    for name in ("ours", "ours, CSC"):
        found = ratio(done[fastest], done[name], processor=True)
        text = f"lars_path ({fastest}) / {name} on {problem.name}, {problem.n_features} columns"
        binding = mode != "quick" and name == "ours"
        section.claims.append(
            Claim(text, found.median, FASTER, "at least", binding=binding, spread=found.spread)
        )
        rows.append([name, str(found), seconds(done[name].processor)])
    rows += [[name, "", seconds(done[name].processor)] for name in names]
    caption = (
        f"{problem.name} to {problem.n_features} columns; scikit-learn on the densified table; "
        "processor time. The same knots to 1e-7 until a coefficient changes its sign, at "
        f"knot {until}."
    )
    header = ["contestant", f"{fastest} / it", "time"]
    section.tables.append(Table(caption, header, rows))
    section.raw[problem.name] = {name: timing.seconds for name, timing in done.items()}


def _path(X: Any, problem: TextProblem, counts: dict[str, Any], name: str) -> Any:
    from holdfast.rows import as_rows
    from holdfast.searches.lars import lars

    rows = as_rows(X, problem.t)
    settings = {"alpha": 0.0, "fit_intercept": False, "limit": problem.n_features}
    path = lars(rows, lasso=False, **settings)
    counts[name] = rows.counts
    return path


def _lars_path(dense: np.ndarray, problem: TextProblem, gram: Any) -> Any:
    from sklearn.linear_model import lars_path

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chosen = dense.T @ dense if gram is True else (None if gram is False else gram)
        return lars_path(dense, problem.t, method="lar", max_iter=problem.n_features, Gram=chosen)


PRODUCTS_OF_X = LeastSquares("Squared loss: beside plain products", _beside_products, "news", 1000)
SCIKIT_LEARN = LeastSquares("Squared loss: beside scikit-learn", _beside_scikit_learn, "fbis", 500)
