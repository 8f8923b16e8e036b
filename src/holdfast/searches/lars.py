"""Generalised LARS: the path of coefficients as lambda_1 falls, for the squared loss.

With an L2 penalty alpha, weights W and an intercept b that is not penalised,

    f(w, b) = alpha/2 ||w||^2 + 1/2 sum_{i in I} W_i e_i^2        e = y - X w - b

``I``: all rows here; for the squared hinge (:mod:`holdfast.searches.hinge_lars`) the rows that have
not reached their margin. With ``s = W e`` on I, ``c_j = x_j's - alpha w_j``, minus the gradient.

| paper | here | |
|---|---|---|
| lambda_1, lambda_2 | ``level``, ``alpha`` | |
| A, s_A | ``columns``, ``signs`` | our signs are those of c, the paper's of the gradient |
| beta, delta beta | ``lines``, ``direction`` | with the intercept as a line of its own |
| H_A | | ``alpha + X_A' W_I X_A``, bordered by ``W_I`` sums of X_A for the intercept |
| r, delta r | ``error``, ``rate`` | minus r |
| g, delta g | c, a | minus g |

On the path ``c_A = level * signs``, ``|c_k| <= level`` elsewhere, ``1's = 0``. For every unit by
which the level falls, the lines change by ``direction = H^-1 signs``, e falls by
``rate = X_A direction``, c_k by ``a_k = x_k'W_I rate``, until

    a column enters    after (level - z c_k)/(1 - z a_k), z = +1 or -1, where z a_k < 1
    a row moves        (squared hinge)
    a column leaves    (``lasso``: its coefficient becomes zero) after - w_j / direction_j

or the level is zero. Which column enters is :mod:`holdfast.searches.lars_front`'s question. With
``lasso`` the path is the exact minimiser of ``f + level ||w||_1``, else of ``f - level signs'w``.

Ties (to 1e-10 of the first level): the lowest column. A column that is a combination of the support
(the rest of its square below 1e-10: duplicates, alpha = 0, more columns than rows) is skipped: it
stays at the level, ``z a_k = 1``, and no coefficient could tell it apart. When a column leaves or a
row enters it may be none any more, and is asked again. A column that has left does not enter again
with its sign before the level has fallen.

Cost per column: its line of H over the held columns, one product of these with a vector over rows
(twice two for the hinge), O(k^2); X is read twice for every few dozen columns. Exact.

Reference: S. S. Keerthi, "Generalized LARS as an effective feature selection tool for text
classification with SVMs", ICML 2005, section 2. Corrected: its step 3 has the difference of the
lambdas with the wrong sign.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from holdfast.rows.sums import Block, Rows, State, Totals
from holdfast.searches.lars_columns import Columns, measure_columns
from holdfast.searches.lars_front import Front
from holdfast.searches.lars_model import LarsModel
from holdfast.searches.lars_path import LarsPath, Recorder

_STILL = 1e-12
"""A step that is shorter, relatively to the first level, does not count as one."""

_END = 1e-10
"""Where no more events are looked for, relatively: the rest of the path leads to zero."""


class Examples(Protocol):
    """The rows' part in a path."""

    def next(self, step: float) -> tuple[float, int]:
        """The step, at most ``step``, after which a row moves, and the row.

        -1 for none; a shorter step with it asks the path to come there and ask again.
        """
        ...

    def advance(self, step: float, *, still: bool) -> None:
        """The level falls by ``step``; ``still`` says that this does not count."""
        ...

    def move(self, row: int) -> None:
        """A row enters or leaves the active set."""
        ...

    def entered(self) -> None:
        """A column has entered the support."""
        ...

    def left(self, position: int) -> None:
        """A column has left the support."""
        ...


class Watch(Protocol):
    """Who watches a path being followed."""

    def __call__(self, model: LarsModel, front: Front) -> bool:
        """A model is at the last knot of its size, or of the path; True asks to stop."""
        ...


def unwatched(model: LarsModel, front: Front) -> bool:
    """Nobody watches."""
    return False


class AllRows:
    """The squared loss: rows never move."""

    def next(self, step: float) -> tuple[float, int]:
        """No row moves."""
        return step, -1

    def advance(self, step: float, *, still: bool) -> None:
        """Nothing to do."""

    def move(self, row: int) -> None:
        """Never asked."""

    def entered(self) -> None:
        """Nothing to do."""

    def left(self, position: int) -> None:
        """Nothing to do."""


def lars(
    rows: Rows,
    *,
    alpha: float,
    fit_intercept: bool,
    limit: int,
    lasso: bool,
    watch: Watch = unwatched,
    columns: Columns | None = None,
) -> LarsPath:
    """The path of the squared loss.

    Parameters
    ----------
    rows : Rows
        With one target.
    alpha : float
        L2 penalty, non-negative.
    fit_intercept : bool
        Whether there is an intercept, not penalised.
    limit : int
        Columns after which the path ends, where the next one would enter.
    lasso : bool
        Whether columns leave when their coefficient becomes zero.
    watch : Watch
        Shown the model of every size.
    columns : Columns, optional
        What other paths on the same rows have measured.
    """
    model = start(rows, alpha, limit, fit_intercept=fit_intercept)
    if columns is None:
        columns = measure_columns(rows, fit_intercept=fit_intercept)
    front = Front(rows, model, columns)
    return follow(model, front, AllRows(), limit, lasso=lasso, watch=watch)


def start(rows: Rows, alpha: float, limit: int, *, fit_intercept: bool) -> LarsModel:
    """The model without columns: its intercept is the mean."""
    totals, _ = rows.sweep(_sums, None, None)
    mass, first = totals["sums"].tolist()
    return LarsModel(alpha, first / mass if fit_intercept else None, mass, limit)


def _sums(block: Block, state: State, _: None) -> tuple[Totals, State]:
    weights = block.weights
    return Totals({"sums": np.array([weights.sum(), weights @ block.targets[0]])}), state


def follow(
    model: LarsModel,
    front: Front,
    examples: Examples,
    limit: int,
    *,
    lasso: bool,
    watch: Watch = unwatched,
    columns: Columns | None = None,
) -> LarsPath:
    """The path from event to event; see the module."""
    recorder = Recorder(len(front.open))
    entries: list[tuple[int, int]] = []

    def record() -> None:
        intercept = model.shift[0] - front.support_centre @ model.coef
        recorder.add(max(front.level, 0.0), model, intercept)

    record()
    ended = "zero"
    while front.level > 0:
        until, gone = _first_to_leave(model, front.level) if lasso else (front.level, -1)
        step, row = examples.next(until)
        entry = None if front.lost else front.entry(step)
        if front.lost:
            ended = "digits"
            break
        if front.verified:
            recorder.check(len(entries))
            front.verified = False
        if entry is not None:
            step, row = entry.step, -1
        pause = entry is None and row < 0 and step < until
        if entry is not None or row >= 0 or pause:
            gone = -1
        if front.level - step <= _END * front.scale:
            step, entry, row, gone, pause = front.level, None, -1, -1, False
        moved = step > _STILL * front.scale
        model.advance(step)
        front.advance(step)
        examples.advance(step, still=not moved)
        if moved:
            front.just_left.clear()
        if pause:
            continue
        if entry is not None and model.size < limit:
            line = front.line(entry.column)
            if line.dependent:
                front.skip(entry.column)
                continue
        if moved:
            record()
        if entry is not None:
            if watch(model, front):
                ended = "stopped"
                break
            if model.size == limit:
                ended = "size"
                break
            turn = model.enter(entry.column, entry.sign, line.inner, line.schur)
            front.entered(entry.column, turn, line)
            examples.entered()
            entries.append((entry.column, int(entry.sign)))
        elif row >= 0:
            examples.move(row)
        elif gone >= 0:
            column, sign = model.columns[gone], float(model.signs[model.border + gone])
            front.left(gone, column, sign, model.drop(gone))
            examples.left(gone)
    if ended == "zero":
        watch(model, front)
    if ended == "digits":
        entries = recorder.back(entries)
    return recorder.path(entries, front.skipped, ended)


def _first_to_leave(model: LarsModel, level: float) -> tuple[float, int]:
    """The step after which a coefficient becomes zero, and its position; the level and -1."""
    shrinking = model.slope * model.signs[model.border :] < 0
    if not shrinking.any():
        return level, -1
    steps = np.full(model.size, np.inf)
    steps[shrinking] = np.maximum(-model.coef[shrinking] / model.slope[shrinking], 0)
    position = int(steps.argmin())
    return (float(steps[position]), position) if steps[position] < level else (level, -1)
