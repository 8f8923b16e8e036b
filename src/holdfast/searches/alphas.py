"""Grids of penalties, and the choice of one from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from holdfast.rows.ledger import TIE
from holdfast.rows.sums import Array

N_AUTOMATIC = 11
"""Penalties of the automatic grid."""

_MORE = 4
"""Penalties that a grid grows by: two decades."""

_GROWTHS = 4
"""How often it grows at each end."""


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


@dataclass(frozen=True)
class PenaltyChoice:
    """A grid, its errors, and what was chosen from it.

    Attributes
    ----------
    alphas : array of shape (R,)
        The grid, ascending if it was made from the data.
    errors : array of shape (R, choices)
        One column for every choice: one for all targets, or one for each.
    chosen : int array of shape (choices,)
        Positions in the grid.
    resolution : array of shape (choices,)
        Errors closer than this are equal.
    """

    alphas: Array
    errors: Array
    chosen: Array
    resolution: Array

    @property
    def best(self) -> Array:
        """Errors at the chosen penalties, (choices,)."""
        best: Array = self.errors[self.chosen, np.arange(len(self.chosen))]
        return best

    def on_edge(self, end: int) -> bool:
        """Whether a choice lies on an end of the grid (0 or -1) and the errors still fall there."""
        edge = end % len(self.alphas)
        inner = self.errors[edge + (1 if end == 0 else -1)]
        falling = inner - self.best > np.maximum(TIE * np.abs(self.best), self.resolution)
        return bool(((self.chosen == edge) & falling).any())


def choose_alphas(alphas: Array, errors: Array, resolution: Array) -> PenaltyChoice:
    """The first of the penalties whose error is the least, to 1e-10, for every choice.

    Parameters
    ----------
    alphas : array of shape (R,)
        The grid.
    errors : array of shape (R, choices)
        Errors; one that is NaN is not chosen.
    resolution : array of shape (choices,)
        Errors closer than this are equal too: rounding must not tell penalties apart.
    """
    known = np.where(np.isnan(errors), np.inf, errors)
    best = known.min(axis=0)
    slack = np.maximum(TIE * np.where(np.isfinite(best), np.abs(best), 0.0), resolution)
    return PenaltyChoice(alphas, errors, (known <= best + slack).argmax(axis=0), resolution)


def choose_from_growing_grid(
    judge: Callable[[Array], Array], alphas: Array, resolution: Array
) -> PenaltyChoice:
    """Choose from an ascending grid that grows where the best value lies on its edge.

    Two decades at a time, up to eight at each end; errors that no longer fall end it too.

    Parameters
    ----------
    judge : callable
        From penalties (R,) to errors (R, choices).
    alphas : array of shape (R,)
        The first grid, ascending by equal factors.
    resolution : array of shape (choices,)
        Errors closer than this are equal.
    """
    choice = choose_alphas(alphas, judge(alphas), resolution)
    powers = (alphas[1] / alphas[0]) ** np.arange(1, _MORE + 1)
    for end in (0, -1):
        for _ in range(_GROWTHS):
            if not choice.on_edge(end):
                break
            edge, old = choice.alphas[end], (choice.alphas, choice.errors)
            more = edge / powers[::-1] if end == 0 else edge * powers
            new = (more, judge(more))
            pairs = zip(*((new, old) if end == 0 else (old, new)), strict=True)
            grid, errors = (np.concatenate(pair) for pair in pairs)
            choice = choose_alphas(grid, errors, resolution)
    return choice
