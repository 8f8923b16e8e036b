"""Grids of penalties."""

from __future__ import annotations

import numpy as np

from holdfast.rows.sums import Array

N_AUTOMATIC = 11
"""Penalties of the automatic grid."""


def automatic_grid(squares: Array) -> Array:
    """Penalties around the mean squared length of the columns: 1e-4 to 10 times, by halves.

    A single column of squared length s is shrunk by s / (s + alpha): the grid runs from no
    visible shrinkage to one tenth.

    Parameters
    ----------
    squares : array of shape (n,)
        Squared lengths of the columns, centred; zeros are left out.
    """
    useful = squares[squares > 0]
    level = float(useful.mean()) if len(useful) else 1.0
    return level * np.logspace(-4, 1, N_AUTOMATIC)
