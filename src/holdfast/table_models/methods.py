"""The one list of methods: what ``fit`` and ``compare`` offer, and what their documentation names.

A method that lands later appears everywhere by a line here. Names only: the estimators are imported
when they are asked for.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

ALPHAS = (0.01, 0.1, 1.0, 10.0, 100.0, 1000.0)
WIDTHS = (0.1, 0.3, 1.0, 3.0)
"""Widths of kernels, times one over the number of columns, which are scaled."""
_MANY_COLUMNS = 2000


@dataclass(frozen=True)
class Method:
    """One way to a model.

    Attributes
    ----------
    name : str
        As it is written on the command line.
    words : str
        What it does, as a clause.
    regression, classification : str or None
        The estimators, by name; None where it has none for the task.
    by_size : bool
        Whether it chooses columns: ``--max-features`` and ``--select`` apply.
    penalties : str or None
        The parameter that takes a grid of penalties.
    grid : tuple of float
        The penalties that are tried when none are asked for.
    scaled : bool
        Whether it needs columns that were scaled beforehand; others scale in every training set.
    sparse : bool
        Whether it takes sparse rows.
    stored : bool
        Whether it takes rows that are read in chunks.
    held_out_by_itself : bool
        Whether it has a hold-out error, and so a use for ``--cv``.
    grouped : bool
        Whether the levels of a column enter and leave together; otherwise one by one.
    widths : bool
        Whether it tries several widths of its kernel.
    hinge : bool
        Whether its loss is the squared hinge, not the square.
    approximate : bool
        Whether its leave-one-out error is an approximation; with folds it is exact.
    fixed : tuple of (name, value)
        Parameters that it is always given.
    """

    name: str
    words: str
    regression: str | None
    classification: str | None
    by_size: bool = True
    penalties: str | None = "alphas"
    grid: tuple[float, ...] = ALPHAS
    scaled: bool = False
    sparse: bool = True
    stored: bool = False
    held_out_by_itself: bool = True
    grouped: bool = False
    widths: bool = False
    hinge: bool = False
    approximate: bool = False
    fixed: tuple[tuple[str, Any], ...] = ()

    def estimator(self, task: str) -> str | None:
        """Name of the estimator for a task."""
        return self.regression if task == "regression" else self.classification


# In the order in which they are compared: the slowest last.
METHODS = (
    Method(
        "ridge",
        "ridge regression on all columns, its penalty chosen by exact hold-out",
        "RidgeCV",
        "RidgeClassifierCV",
        by_size=False,
        stored=True,
    ),
    Method(
        "forward",
        "forward selection: adds the column with the smallest exact hold-out error",
        "ForwardRidge",
        "ForwardRidgeClassifier",
        stored=True,
        grouped=True,
    ),
    Method(
        "backward",
        "backward elimination: drops the column that the exact hold-out error misses least",
        "BackwardRidge",
        "BackwardRidgeClassifier",
        sparse=False,
        stored=True,
        grouped=True,
    ),
    Method(
        "pruned",
        "columns ranked by least angle regression, their number chosen by exact hold-out",
        "PrunedRidge",
        None,
    ),
    Method(
        "lars-ridge",
        "least angle regression with an L2 penalty",
        "LarsRidge",
        None,
        penalties="alpha",
        grid=(1.0,),
        scaled=True,
        approximate=True,
        fixed=(("refit", True),),
    ),
    Method(
        "kernel",
        "kernel ridge regression on few basis vectors, for relations that are not linear",
        "SparseKernelRidge",
        "SparseKernelRidgeClassifier",
        by_size=False,
        scaled=True,
        widths=True,
        fixed=(("fit_intercept", True),),
    ),
    Method(
        "evidence",
        "a sparse Bayesian model of kernel functions, with a standard deviation for every row",
        "EvidenceRegressor",
        None,
        by_size=False,
        penalties=None,
        scaled=True,
        held_out_by_itself=False,
        fixed=(("fit_intercept", True),),
    ),
    Method(
        "lars-svc",
        "a linear support vector machine on the columns that least angle regression lets in first",
        None,
        "LarsSVC",
        penalties="alpha",
        grid=(1.0,),
        scaled=True,
        hinge=True,
        approximate=True,
    ),
)
NAMES = tuple(method.name for method in METHODS)


def method_named(name: str) -> Method:
    """The method of that name."""
    return next(method for method in METHODS if method.name == name)


def automatic(n_columns: int, *, sparse: bool, task: str) -> Method:
    """The method that ``auto`` stands for: forward selection, LARS where columns are very many."""
    if sparse and n_columns > _MANY_COLUMNS:
        return method_named("lars-ridge" if task == "regression" else "lars-svc")
    return method_named("forward")


def applicable(task: str, *, sparse: bool = False, stored: bool = False) -> list[Method]:
    """Methods that have an estimator for the task and take rows of the kind."""
    return [
        method
        for method in METHODS
        if method.estimator(task) and method.sparse >= sparse and method.stored >= stored
    ]


def unusable(method: Method, wishes: dict[str, Any]) -> list[str]:
    """Options that were given a value and that the method has no use for."""
    asked = {
        "--alphas": wishes.get("penalties") is not None and method.penalties is None,
        "--max-features": wishes.get("max_features") is not None and not method.by_size,
        "--select": wishes.get("n_features_to_select", "best") != "best" and not method.by_size,
    }
    return [option for option, useless in asked.items() if useless]


def make(method: Method, task: str, wishes: dict[str, Any]) -> Any:
    """The estimator of a method, with those of the wishes that it has a parameter for.

    Parameters
    ----------
    method : Method
        Which.
    task : {"regression", "classification"}
        For which task.
    wishes : dict
        Parameters by their names, and ``penalties``, a grid. None: the default of the estimator.
    """
    import holdfast

    kind = getattr(holdfast, str(method.estimator(task)))
    known = set(inspect.signature(kind).parameters)
    given = {"standardize": not method.scaled, **dict(method.fixed), **wishes}
    if method.penalties:
        given[method.penalties] = given.pop("penalties", None) or method.grid
    return kind(**{k: v for k, v in given.items() if k in known and v is not None})
