"""A reservoir: a random recurrent network of which only a linear read-out is trained."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted

from holdfast.maps.recurrence import run_in_place
from holdfast.maps.series_map import SeriesMap
from holdfast.parameters import check_count, check_number
from holdfast.rows.sums import Array


class Reservoir(ClassNamePrefixFeaturesOutMixin, SeriesMap):
    """States of a random recurrent network of leaky tanh units, as features of every row.

    Parameters
    ----------
    n_units : int, default=200
        Size of the network.
    spectral_radius : float, default=0.9
        Largest absolute eigenvalue of the recurrent matrix. Below about 1 the network forgets its
        beginnings.
    density : float, default=0.1
        Share of connections that there are.
    input_scaling : float, default=1.0
        Weights of the inputs are drawn uniformly between minus this and this.
    leak : float, default=1.0
        Share of the new state in every step; small values make slow units.
    bias : float, default=0.0
        Biases are drawn uniformly between minus this and this.
    washout : int, default=100
        Rows at the beginning of a series whose states still depend on where the network started.
        They are kept; :func:`series_weight` makes the weights that leave them out.
    random_state : int, RandomState or None, default=None
        For the weights.

    Attributes
    ----------
    recurrent_weights_ : sparse array of shape (n_units, n_units)
        W.
    input_weights_ : array of shape (n, n_units)
        V'.
    bias_ : array of shape (n_units,)
        b.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    series_weight : Weights that are zero at washout rows.
    series_groups : Groups for leave-one-series-out.

    Notes
    -----
    ``x_t = (1 - leak) x_{t-1} + leak tanh(W x_{t-1} + V u_t + b)``, zero before the first row of
    every series. Exact: the states of a series do not depend on what stands beside it, or on where
    it is cut and carried on (:meth:`run`), up to rounding. The map looks at nothing but the rows
    of the series itself, before the row in question: transforming all series first and leaving
    series out afterwards is honest.

    With metadata routing (``sklearn.set_config(enable_metadata_routing=True)`` and
    ``set_fit_request(lengths=True).set_transform_request(lengths=True)``) a pipeline hands on
    ``lengths``; without, it takes a list of series.

    Cost: one product for the inputs of all rows and, for every step, one of the states of all
    series with W: many series of similar length are fastest. Making W: its eigenvalues, O(units^3)
    once. Memory: the states.

    References
    ----------
    .. [1] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized
       parameter search for large datasets of the regularization parameter and feature selection
       for ridge regression", Neural Processing Letters 38 (2013), section 5.1.
    .. [2] M. Lukosevicius, H. Jaeger, "Reservoir computing approaches to recurrent neural network
       training", Computer Science Review 3 (2009).

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast import Reservoir, RidgeCV, series_weight
    >>> u = np.sin(np.arange(400) / 7)[:, None]
    >>> reservoir = Reservoir(n_units=50, washout=50, random_state=0)
    >>> states = reservoir.fit_transform(u[:-1])
    >>> weight = series_weight([399], reservoir.washout)
    >>> model = RidgeCV(alphas=[1e-6, 1e-3]).fit(states, u[1:, 0], sample_weight=weight)
    >>> bool(-model.best_score_ < 1e-4)
    True
    """

    def __init__(
        self,
        *,
        n_units: int = 200,
        spectral_radius: float = 0.9,
        density: float = 0.1,
        input_scaling: float = 1.0,
        leak: float = 1.0,
        bias: float = 0.0,
        washout: int = 100,
        random_state: Any = None,
    ) -> None:
        self.n_units = n_units
        self.spectral_radius = spectral_radius
        self.density = density
        self.input_scaling = input_scaling
        self.leak = leak
        self.bias = bias
        self.washout = washout
        self.random_state = random_state

    def run(self, X: Any, *, lengths: Any = None, initial_state: Any = None) -> tuple[Array, Array]:
        """States of every row, and the last of every series, to carry on from later.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n), or list of them
            The next rows of one or several series; of a list each table is a series.
        lengths : sequence of int, optional
            Rows of every series, in their order; without them the rows are one series.
        initial_state : array of shape (series, n_units), optional
            What the previous call returned; zero without it.

        Returns
        -------
        states : array of shape (m, n_units)
            States of every row.
        final_state : array of shape (series, n_units)
            Last state of every series.

        Examples
        --------
        >>> import numpy as np
        >>> from holdfast import Reservoir
        >>> u = np.sin(np.arange(20.0))[:, None]
        >>> reservoir = Reservoir(n_units=5, density=0.5, random_state=0).fit(u)
        >>> first, state = reservoir.run(u[:8])
        >>> second, state = reservoir.run(u[8:], initial_state=state)
        >>> bool(np.allclose(np.vstack([first, second]), reservoir.transform(u)))
        True
        """
        check_is_fitted(self)
        X, bounds = self._checked(X, lengths, reset=False)
        return self._run(X, bounds, self._initial(initial_state, len(bounds) - 1))

    def _mapped(self, X: Any, bounds: Array) -> Array:
        states, _ = self._run(X, bounds, self._initial(None, len(bounds) - 1))
        return states

    def _run(self, X: Any, bounds: Array, initial: Array) -> tuple[Array, Array]:
        states = safe_sparse_dot(X, self.input_weights_, dense_output=True)
        states += self.bias_
        return states, run_in_place(
            states, bounds, self.recurrent_weights_, float(self.leak), initial
        )

    def _initial(self, given: Any, n_series: int) -> Array:
        """States before the first row, (series, units), of our own."""
        shape = (n_series, len(self.bias_))
        if given is None:
            return np.zeros(shape)
        initial = np.array(given, dtype=np.float64)
        if initial.shape != shape or not np.isfinite(initial).all():
            raise ValueError(
                f"initial_state has shape {initial.shape}; expected {shape}, finite numbers, "
                "one line for every series: pass the final state of the call before."
            )
        return initial

    def _set_up(self, n_columns: int) -> None:
        check_count(self.n_units, "n_units")
        check_count(self.washout, "washout", 0)
        check_number(self.spectral_radius, "spectral_radius", 0)
        check_number(self.density, "density", 0, 1, above=True)
        check_number(self.input_scaling, "input_scaling", 0)
        check_number(self.leak, "leak", 0, 1, above=True)
        check_number(self.bias, "bias", 0)
        rng, n_units = check_random_state(self.random_state), int(self.n_units)
        self.recurrent_weights_ = _recurrent(
            n_units, float(self.density), float(self.spectral_radius), rng
        )
        self.input_weights_ = self.input_scaling * rng.uniform(-1, 1, (n_columns, n_units))
        self.bias_ = self.bias * rng.uniform(-1, 1, n_units)

    @property
    def _n_features_out(self) -> int:
        return len(self.bias_)


def _recurrent(n_units: int, density: float, radius: float, rng: Any) -> sparse.csr_array:
    """Normal weights at random places, scaled to a spectral radius."""
    present = rng.uniform(size=(n_units, n_units)) < density
    weights = np.zeros((n_units, n_units))
    weights[present] = rng.standard_normal(int(present.sum()))
    if radius == 0:
        return sparse.csr_array((n_units, n_units))
    largest = np.abs(np.linalg.eigvals(weights)).max()
    if not largest > 1e-6:
        raise ValueError(
            f"density={density} leaves {int(present.sum())} connections among {n_units} units, "
            f"and no cycle to scale to spectral_radius={radius}; expected more than one for "
            f"every unit: raise density above {min(1.0, 2 / n_units):g}, or set spectral_radius=0."
        )
    return sparse.csr_array(weights * (radius / largest))
