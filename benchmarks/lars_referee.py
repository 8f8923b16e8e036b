"""The referee of generalised LARS: optimality at the knots by the formula that defines the path.

At a knot lambda_1 with coefficients w, ``e = t - X w``, ``s`` = e on all rows (squared loss) or on
those with ``t e > 0`` (squared hinge), ``c = X's - alpha w``:

    |c_j| = lambda_1 on the support, with the sign it entered with       |c_k| <= lambda_1 elsewhere

to 1e-7 of lambda_1, for every column (those that the path skipped too), at a dozen knots spread
over the path. Two paths to the same question have to
have the same knots and the same order, a solver at one lambda_1 the same objective (to its
tolerance).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.lars_problems import TextProblem

SPREAD = 12
SAME = 1e-7
OBJECTIVE = 1e-2


def correlations(problem: TextProblem, coef: np.ndarray, alpha: float, hinge: bool) -> np.ndarray:
    """Minus the gradient of the smooth part."""
    error = problem.t - problem.X @ coef
    active = problem.t * error > 0 if hinge else np.ones(len(error), dtype=bool)
    return problem.X.T @ (error * active) - alpha * coef


def refuse_path(problem: TextProblem, path: Any, alpha: float, *, hinge: bool) -> list[str]:
    """What is wrong with a path; nothing if it may be timed."""
    wrong = []
    signs = dict(zip(path.order.tolist(), path.signs.tolist(), strict=True))
    for knot in np.unique(np.linspace(0, len(path.knots) - 1, SPREAD).astype(int)):
        level, coef = path.knots[knot], path.coef(knot)
        c = correlations(problem, coef, alpha, hinge)
        columns, _ = path.model(knot)
        wanted = level * np.array([signs[j] for j in columns.tolist()])
        if len(columns) and np.abs(c[columns] - wanted).max() > SAME * level:
            wrong.append(f"knot {knot}: correlations of the support differ from lambda_1")
        others = np.setdiff1d(np.arange(len(c)), columns)
        if len(others) and np.abs(c[others]).max() > level * (1 + SAME):
            wrong.append(f"knot {knot}: another column has a larger correlation")
    return [f"{problem.name}: {reason}" for reason in wrong]


def refuse_other(problem: TextProblem, path: Any, other: Any) -> list[str]:
    """Whether another path to the same question has other knots or another order."""
    if list(other.order) != path.order.tolist():
        return [f"{problem.name}: the orders differ"]
    if len(other.knots) != len(path.knots):
        return [f"{problem.name}: {len(other.knots)} and {len(path.knots)} knots"]
    if np.abs(other.knots - path.knots).max() > SAME * path.knots[0]:
        return [f"{problem.name}: the knots differ"]
    return []


def l1_objective(problem: TextProblem, coef: np.ndarray, level: float) -> float:
    """Half the squared hinge plus ``level ||coef||_1``."""
    gap = np.maximum(1 - problem.t * (problem.X @ coef), 0)
    return float(gap @ gap / 2 + level * np.abs(coef).sum())
