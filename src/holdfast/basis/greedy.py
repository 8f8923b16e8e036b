"""The basis by greedy forward selection: of a few rows drawn at random the best, again and again.

Algorithm 1 of the paper: every step draws 60 rows at random that are not in the basis - the best of
60 is with probability 0.95 among the best twentieth of all - and adds the one whose model has the
least error on the training rows.

No model is trained: on swept columns (:mod:`holdfast.basis.swept`) the penalty is the identity, and
the error of a candidate is that of the ledger of leave-one-out selection, with ``G`` the inverse of
``sum_B z z' + alpha I`` and ``a = G y``:

    c = G z,    h = z'a / (1 + z'c),    error = alpha^2 ||a - h c||^2

G is the history of the additions, ``G z = z / alpha - sum_s u_s (1 + q_s)(u_s'z)`` with
``u = c / (1 + q)``. Rows are times sqrt(w), an unpenalised intercept is projected out.

All of this belongs to rows and lives with them, wherever they are: kernel columns of the drawn rows
are made in one reading of the table, F, a and the u are states, and numbers per candidate are
summed. A step is one fetch of the drawn rows, one reading, and four more sweeps over states (five
with an intercept).

Cost O(m k) for a candidate at a basis of k, O(60 m n^2) in all, and 60 n kernel columns; memory two
m x n arrays. Exact: each error is that of refitting, up to rounding.

References
----------
.. [1] T. Pahikkala, H. Suominen, J. Boberg, "Efficient cross-validation for kernelized
   least-squares regression with sparse basis expansions", Machine Learning 87 (2012), algorithm 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.basis.kernel_columns import basis_rows
from holdfast.basis.kernels import KernelTable
from holdfast.basis.swept import swept
from holdfast.rows import as_rows
from holdfast.rows.ledger import TIE
from holdfast.rows.sums import Array, Block, State, Totals

N_DRAWN = 60


def greedy_basis(
    table: KernelTable,
    targets: Array,
    weights: Array,
    n_basis: int,
    rng: Any,
    *,
    alpha: float,
    fit_intercept: bool,
    n_drawn: int = N_DRAWN,
) -> Array:
    """Rows of the basis in the order in which they were added.

    Parameters
    ----------
    table : KernelTable
        The kernel matrix of m rows.
    targets : array of shape (targets, m)
        What is modelled; their errors are added up.
    weights : array of shape (m,)
        Weights; rows of weight zero are neither drawn nor trained on.
    n_basis : int
        Size of the basis, at most the number of rows that count.
    rng : RandomState
        Draws ``choice(remaining, n_drawn, replace=False)`` at every step.
    alpha : float
        Penalty of the models.
    fit_intercept : bool
        Whether they have an unpenalised intercept.
    n_drawn : int
        Rows drawn at every step.
    """
    rows = np.flatnonzero(weights > 0)
    ledger = _TrainingError(table, targets, weights, alpha, fit_intercept)
    chosen: list[int] = []
    remaining = np.arange(len(rows))
    for _ in range(n_basis):
        drawn = rng.choice(remaining, min(n_drawn, len(remaining)), replace=False)
        best = ledger.add_best(rows[drawn])
        chosen.append(int(rows[drawn[best]]))
        remaining = remaining[remaining != drawn[best]]
    return np.array(chosen)


class _TrainingError:
    """Error on the training rows, as columns are added."""

    def __init__(
        self, table: KernelTable, targets: Array, weights: Array, alpha: float, fit_intercept: bool
    ) -> None:
        self._table, self._alpha = table, alpha
        self._rows = rows = as_rows(table.X, targets.T, weights)
        self._norm = float(np.sqrt(weights.sum())) if fit_intercept else None
        numbers = rows.scatter("number", np.arange(rows.n_rows))
        totals, states = rows.sweep(_opened, numbers, (alpha, self._norm))
        self._states, _ = self._cleared(totals, states, "dual")
        self._pivots = np.empty(0)

    def _cleared(self, totals: Totals, states: Any, name: str) -> tuple[Any, Totals]:
        """States whose lines of a name are clear of the intercept, to the last digit.

        And their products with the history; ``totals`` say how much of the intercept they hold.
        """
        norm = self._norm
        if norm is not None:
            totals, states = self._rows.sweep(_clear, states, (name, totals["amounts"], norm))
        shared = name, totals["amounts"], norm
        totals, states = self._rows.sweep(_clear_and_project, states, shared)
        return states, totals

    def add_best(self, numbers: Array) -> int:
        """Add the row of least error, the first of equals; its place among the numbers."""
        points = self._table.points(numbers)
        made = basis_rows(self._rows, self._table.kernel, self._table.as_centres(points, numbers))
        inside = self._rows.sweep(_at, self._states, numbers)[0]["inside"]
        own = self._table.kernel.own(points, numbers)
        totals, states = made.sweep(_sweep_out, self._states, (inside, own, self._norm))
        states, totals = self._cleared(totals, states, "z")
        known = totals["known"] * self._pivots
        totals, states = self._rows.sweep(_answer, states, (known, self._alpha))
        pivot = 1 + totals["zc"]
        h = totals["za"] / pivot[:, None]
        errors = totals["aa"] - 2 * np.sum(h * totals["ca"], axis=1)
        errors += np.sum(h**2, axis=1) * totals["cc"]
        best = int(np.flatnonzero(errors <= errors.min() * (1 + TIE))[0])
        _, self._states = self._rows.sweep(_accept, states, (best, h[best], pivot[best]))
        self._pivots = np.append(self._pivots, pivot[best])
        return best


def _opened(block: Block, state: State, shared: tuple[float, float | None]) -> tuple[Totals, State]:
    """The model without a basis: its a, and no lines."""
    alpha, norm = shared
    none = np.empty((0, len(block.weights)))
    dual = block.targets * np.sqrt(block.weights) / alpha
    state = state | {"dual": dual, "lines": none, "history": none}
    return Totals({"amounts": _amounts(dual, block, norm)}), state


def _amounts(lines: Array, block: Block, norm: float | None) -> Array:
    """How much of the unit line of the intercept there is in some lines, (count,)."""
    return np.zeros(len(lines)) if norm is None else lines @ np.sqrt(block.weights) / norm


def _clear(
    block: Block, state: State, shared: tuple[str, Array, float | None]
) -> tuple[Totals, State]:
    """Take so much of the intercept out; how much is left."""
    name, amounts, norm = shared
    lines = state[name]
    if norm is not None:
        lines = lines - np.multiply.outer(amounts / norm, np.sqrt(block.weights))
    return Totals({"amounts": _amounts(lines, block, norm)}), state | {name: lines}


def _clear_and_project(
    block: Block, state: State, shared: tuple[str, Array, float | None]
) -> tuple[Totals, State]:
    """The same; products with the history."""
    _, state = _clear(block, state, shared)
    return Totals({"known": state[shared[0]] @ state["history"].T}), state


def _at(block: Block, state: State, numbers: Array) -> tuple[Totals, State]:
    """F of the drawn rows that are in the block."""
    inside = np.zeros((len(state["lines"]), len(numbers)))
    order = np.argsort(state["number"])
    places = np.searchsorted(state["number"], numbers, sorter=order)
    places = order[np.minimum(places, len(order) - 1)]
    here = state["number"][places] == numbers
    inside[:, here] = state["lines"][:, places[here]]
    return Totals({"inside": inside}), state


def _sweep_out(
    block: Block, state: State, shared: tuple[Array, Array, float | None]
) -> tuple[Totals, State]:
    """Swept columns of the drawn rows, and the same times root."""
    inside, own, norm = shared
    columns = swept(block.columns(np.arange(len(own))), state["lines"], inside, own)
    z = columns * np.sqrt(block.weights)
    return Totals({"amounts": _amounts(z, block, norm)}), state | {"swept": columns, "z": z}


def _answer(block: Block, state: State, shared: tuple[Array, float]) -> tuple[Totals, State]:
    """c, and its products with z, a and itself."""
    known, alpha = shared
    z, dual = state["z"], state["dual"]
    c = z / alpha
    c -= known @ state["history"]
    sums = {
        "zc": np.einsum("ij,ij->i", z, c),
        "za": z @ dual.T,
        "ca": c @ dual.T,
        "cc": np.einsum("ij,ij->i", c, c),
        "aa": np.sum(dual**2),
    }
    return Totals(sums), state | {"c": c}


def _accept(block: Block, state: State, shared: tuple[int, Array, float]) -> tuple[Totals, State]:
    """A row more; what was made of the others is let go."""
    best, h, pivot = shared
    c = state["c"][best]
    return Totals(), {
        "number": state["number"],
        "dual": state["dual"] - h[:, None] * c,
        "lines": np.vstack([state["lines"], state["swept"][[best]]]),
        "history": np.vstack([state["history"], c / pivot]),
    }
