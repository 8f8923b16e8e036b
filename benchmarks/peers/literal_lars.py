"""Algorithms RLS-LARS and SVM-LARS, event by event, as fast as array operations make them.

The baseline to beat: at every event the direction, the residuals' change over all rows (a product
with the selected columns), the gradients' change over all columns (a product with X), and the next
event among all columns and all rows. The factor of H is its inverse, updated by a rank-one term at
every event, O(k^2); the selected columns are kept as a sparse matrix of their own, which is sliced
only when a column enters; products with X use the faster of its two formats (by columns, both are
tried in the benchmark). No intercept, weights or drops.

References
----------
S. S. Keerthi (2005), section 2, its printing slips corrected.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.linalg.blas import dger

ZERO = 1e-12


class LiteralPath(NamedTuple):
    """Knots, order of the columns, and the model at the last knot."""

    knots: np.ndarray
    order: list[int]
    coef: np.ndarray


def literal_path(X: Any, t: np.ndarray, alpha: float, limit: int, *, hinge: bool) -> LiteralPath:
    """Follow the path to ``limit`` columns."""
    by_columns = sp.csc_array(X)
    across, by_rows = by_columns.T, sp.csr_array(X)
    m, n = X.shape
    error, inside = t.astype(float), np.ones(m)
    c = across @ error
    level = scale = float(np.abs(c).max())
    free, order = np.ones(n, dtype=bool), []
    signs, beta = np.zeros(0), np.zeros(0)
    inverse = np.zeros((limit, limit), order="F")
    selected, position = by_columns[:, :0], np.full(n, -1)
    just_moved, knots = -1, [level]
    while True:
        k = len(order)
        # 2(a): direction, change of the residuals, change of the gradients
        direction = inverse[:k, :k] @ signs
        rate = selected @ direction if k else np.zeros(m)
        drift = rate * inside
        a = across @ drift
        # 2(b), 2(c): the first column that enters
        with np.errstate(divide="ignore", invalid="ignore"):
            up = np.where(free & (a < 1 - 1e-10), np.maximum(level - c, 0) / (1 - a), np.inf)
            down = np.where(free & (a > -1 + 1e-10), np.maximum(level + c, 0) / (1 + a), np.inf)
            steps = np.minimum(up, down)
            column = int(steps.argmin())
            step, row = float(steps[column]), -1
            if hinge:
                # 2(d) to 2(g): the first row that moves
                speed, gap = t * rate, t * error
                crossing = np.where(inside > 0, speed, -speed) > ZERO
                if just_moved >= 0:
                    crossing[just_moved] = False
                waits = np.where(crossing, np.maximum(gap / speed, 0), np.inf)
                first = int(waits.argmin())
                if waits[first] < step:
                    step, row = float(waits[first]), first
        # 3, 4: go there
        step = min(step, level)
        level -= step
        beta = beta + step * direction
        error = error - step * rate
        c = c - step * a
        if step > ZERO * scale:
            knots.append(level)
        if level <= ZERO * scale or (row < 0 and k == limit):
            return LiteralPath(np.array(knots), order, _whole(order, beta, n))
        if row >= 0:
            entries = slice(by_rows.indptr[row], by_rows.indptr[row + 1])
            places = position[by_rows.indices[entries]]
            chosen = places >= 0
            x = np.zeros(k)
            x[places[chosen]] = by_rows.data[entries][chosen]
            u = inverse[:k, :k] @ x
            change = 1 / (1 - x @ u) if inside[row] else -1 / (1 + x @ u)
            _add(inverse, change, u)
            inside[row] = 1 - inside[row]
            error[row], just_moved = 0.0, row
            continue
        # A column enters: the border of the inverse.
        x = by_columns[:, [column]].toarray()[:, 0] * inside
        line = selected.T @ x if k else np.zeros(0)
        square = float(x @ x) + alpha
        u = np.append(inverse[:k, :k] @ line, -1.0)
        schur = square - float(line @ u[:k])
        free[column] = False
        if not schur > 1e-10 * square:
            continue
        position[column] = k
        order.append(column)
        signs = np.append(signs, 1.0 if up[column] <= down[column] else -1.0)
        beta = np.append(beta, 0.0)
        _add(inverse, 1 / schur, u)
        selected = by_columns[:, order]
        just_moved = -1


def _add(inverse: np.ndarray, factor: float, u: np.ndarray) -> None:
    """Add ``factor u u'`` in place."""
    padded = np.zeros(len(inverse))
    padded[: len(u)] = u
    if len(u) == len(inverse):
        dger(factor, padded, padded, a=inverse, overwrite_a=1)
    else:
        block = inverse[: len(u), : len(u)]
        block += factor * np.outer(u, u)


def _whole(order: list[int], beta: np.ndarray, n: int) -> np.ndarray:
    coef = np.zeros(n)
    coef[order] = beta
    return coef
