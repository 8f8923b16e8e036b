"""The path of generalised LARS: piecewise linear in lambda_1, kept by its knots."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from holdfast.rows.sums import Array
from holdfast.searches.lars_model import LarsModel


@dataclass(frozen=True)
class LarsPath:
    """Every breakpoint of a path, and the models there; between them all is linear in lambda_1.

    Attributes
    ----------
    knots : array of shape (knots,)
        lambda_1, the largest correlation ``|x_j'r|`` with the residuals (of the squared hinge: of
        the active examples) less ``alpha w_j``; decreasing.
    order : int array of shape (entries,)
        Columns in the order they entered; with ``lasso`` one that left and came back stands there
        again.
    signs : array of shape (entries,)
        +1 or -1: the sign of their correlation when they entered.
    coefs : sparse array of shape (n, knots)
        Coefficients at every knot, CSC.
    intercepts : array of shape (knots,)
        Intercepts; zero where there is none.
    sizes : int array of shape (knots,)
        Columns that had entered (and not left) before the knot: the model of a size is the one
        at its last knot, where the next column enters.
    skipped : int array
        Columns that reached lambda_1 but are combinations of those in the model.
    ended : str
        Why the path ends: lambda_1 is ``"zero"``, the ``"size"`` was reached, it was
        ``"stopped"``, or ``"digits"`` were lost, the columns being too nearly dependent
        (``alpha`` is zero, or tiny): the path up to there is right.
    """

    knots: Array
    order: Array
    signs: Array
    intercepts: Array
    sizes: Array
    skipped: Array
    ended: str
    _models: list[tuple[Array, Array]]
    _n_columns: int

    @cached_property
    def coefs(self) -> sparse.csc_array:
        """Coefficients at every knot, (n, knots)."""
        columns = np.concatenate([columns for columns, _ in self._models])
        values = np.concatenate([values for _, values in self._models])
        ends = np.append(0, np.cumsum(self.sizes))
        return sparse.csc_array((values, columns, ends), shape=(self._n_columns, len(self.knots)))

    def at(self, lambda_1: float) -> tuple[Array, float]:
        """Coefficients (n,) and intercept at any lambda_1, by interpolation; exact.

        Parameters
        ----------
        lambda_1 : float
            Above the first knot everything is zero but the intercept.

        Raises
        ------
        ValueError
            Below the last knot, where the path has not been followed.
        """
        if not lambda_1 >= self.knots[-1]:
            raise ValueError(
                f"lambda_1={lambda_1!r} lies below the last knot, {self.knots[-1]:.6g}; expected "
                "a value that the path has reached: follow it further with a larger max_features."
            )
        after = int(np.searchsorted(-self.knots, -lambda_1))
        if after == 0:
            return self.coef(0), float(self.intercepts[0])
        first, last = self.knots[after - 1], self.knots[after]
        share = (first - lambda_1) / (first - last)
        coef = (1 - share) * self.coef(after - 1) + share * self.coef(after)
        intercepts = self.intercepts
        return coef, float((1 - share) * intercepts[after - 1] + share * intercepts[after])

    def coef(self, knot: int) -> Array:
        """Coefficients at a knot, (n,)."""
        columns, values = self.model(knot)
        coef = np.zeros(self._n_columns)
        coef[columns] = values
        return coef

    def model(self, knot: int) -> tuple[Array, Array]:
        """Columns and their coefficients at a knot.

        In the order they entered; where columns have left (``lasso``) the last takes the place.
        """
        return self._models[knot]

    @cached_property
    def last_knots(self) -> Array:
        """The last knot of every size from 0 on; -1 for sizes that were not visited."""
        last = np.full(int(self.sizes.max()) + 1, -1)
        last[self.sizes] = np.arange(len(self.sizes))
        return last


class Recorder:
    """Keeps knots as they come; those with the same columns share the list of them."""

    def __init__(self, n_columns: int) -> None:
        self._n_columns = n_columns
        self._right = (1, 0)
        self._version, self._columns = -1, np.empty(0, dtype=np.int32)
        self._knots: list[tuple[float, float]] = []
        self._models: list[tuple[Array, Array]] = []

    def add(self, knot: float, model: LarsModel, intercept: float) -> None:
        """One more knot."""
        if model.version != self._version:
            self._columns = np.array(model.columns, dtype=np.int32)
            self._version = model.version
        self._models.append((self._columns, model.coef.copy()))
        self._knots.append((knot, intercept))

    def check(self, entries: int) -> None:
        """All that was recorded is right: so many knots, and so many entries."""
        self._right = (len(self._knots), entries)

    def back(self, entries: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Forget what has come since; the entries until then."""
        knots, count = self._right
        del self._knots[knots:], self._models[knots:]
        return entries[:count]

    def path(self, entries: list[tuple[int, int]], skipped: list[int], ended: str) -> LarsPath:
        """What was recorded."""
        knots, intercepts = np.array(self._knots).T
        order = np.array(entries, dtype=np.intp).reshape(-1, 2)
        return LarsPath(
            knots=knots,
            order=order[:, 0],
            signs=order[:, 1].astype(np.float64),
            intercepts=intercepts,
            sizes=np.array([len(values) for _, values in self._models]),
            skipped=np.array(skipped, dtype=np.intp),
            ended=ended,
            _models=self._models,
            _n_columns=self._n_columns,
        )
