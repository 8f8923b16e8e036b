"""The recurrence of leaky tanh units, for several series side by side.

    x_t = (1 - leak) x_{t-1} + leak tanh(W x_{t-1} + v_t)

The drives ``v_t = V u_t + b`` need no state: one product makes them for all rows at once, in the
array that will hold the states. Then step t is one product of the states of all series that are
still running, (series, units) with W'. Series are ordered by length, so that those still
running are always the first ones.

| symbol | name | shape |
|---|---|---|
| x | ``states``, ``current`` | m x units, series x units |
| v | ``states``, before its row is reached | m x units |
| W | ``recurrent`` | units x units |

Memory beside the states: a few numbers for every series and unit. A series of its own, or cut
anywhere and carried on from its last state, gives the same states up to rounding.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from holdfast.rows.sums import Array

_MANY_UNITS = 500
_SPARSE_DENSITY = 0.05
"""Below it, and with so many units, a sparse product is faster than a dense one."""

Product = Callable[[Array, Array], None]


def run_in_place(
    states: Array, bounds: Array, recurrent: Any, leak: float, initial: Array
) -> Array:
    """Turn drives into states; the last state of every series, (series, units).

    Parameters
    ----------
    states : array of shape (m, units)
        Drives, overwritten by states.
    bounds : int array of shape (series + 1,)
        Where every series begins.
    recurrent : CSR array of shape (units, units)
        W.
    leak : float
        Share of the new state.
    initial : array of shape (series, units)
        State before the first row of every series.
    """
    lengths = np.diff(bounds)
    longest_first = np.argsort(-lengths, kind="stable")
    lengths, starts = lengths[longest_first], bounds[:-1][longest_first]
    current = initial[longest_first]
    fresh, drive = np.empty_like(current), np.empty_like(current)
    multiply = _product(recurrent)
    begin = 0
    for end in np.unique(lengths):
        running = int(np.count_nonzero(lengths >= end))
        now, new, push = current[:running], fresh[:running], drive[:running]
        for rows in starts[:running] + np.arange(begin, end)[:, None]:
            multiply(now, new)
            np.take(states, rows, axis=0, out=push, mode="clip")
            new += push
            np.tanh(new, out=new)
            if leak != 1:
                new *= leak
                now *= 1 - leak
                now += new
            else:
                now[:] = new
            states[rows] = now
        begin = end
    last = np.empty_like(current)
    last[longest_first] = current
    return last


def _product(recurrent: Any) -> Product:
    """``new = now W'``, by whichever product is faster."""
    n_units = recurrent.shape[0]
    if n_units >= _MANY_UNITS and recurrent.nnz <= _SPARSE_DENSITY * n_units**2:

        def sparse_product(now: Array, new: Array) -> None:
            new[:] = (recurrent @ now.T).T

        return sparse_product
    transposed = np.ascontiguousarray(recurrent.toarray().T)

    def dense_product(now: Array, new: Array) -> None:
        np.matmul(now, transposed, out=new)

    return dense_product
