"""Well-known models as pipelines of maps and exact hold-out: functions, no classes of their own.

Every function returns an unfitted :class:`sklearn.pipeline.Pipeline` whose last step is called
``"readout"``; its parts can be looked at, changed (``set_params(readout__alphas=...)``) and
exchanged as those of any pipeline. ``alphas="auto"`` makes the grid of penalties from the data.

| recipe | map | read-out |
|---|---|---|
| extreme learning machine | random layer and inputs | ridge |
| OP-ELM | random layer and inputs | pruned ridge |
| fixed-size LS-SVM | kernel basis of large entropy | ridge, or ridge classifier |
| echo state network | reservoir | ridge, or class-reweighted ridge classifier |
| windowed ridge | windows of time | ridge, or class-reweighted ridge classifier |

Those of series take a list of tables, one for each series, and targets of all their rows one after
the other; :func:`about_series` makes what the read-out has to know of them.

References
----------
.. [1] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized parameter
   search for large datasets of the regularization parameter and feature selection for ridge
   regression", Neural Processing Letters 38 (2013), section 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import LeaveOneGroupOut
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from holdfast.estimators import PrunedRidge, RidgeClassifierCV, RidgeCV
from holdfast.maps import (
    KernelBasis,
    RandomLayer,
    Reservoir,
    TimeWindows,
    series_groups,
    series_weight,
)
from holdfast.parameters import check_count
from holdfast.rows.sums import Array

__all__ = [
    "about_series",
    "echo_state_classifier",
    "echo_state_forecaster",
    "elm_regressor",
    "fixed_size_ls_svm_classifier",
    "fixed_size_ls_svm_regressor",
    "op_elm_regressor",
    "run_freely",
    "windowed_ridge",
    "windowed_ridge_classifier",
]


# -- tables --------------------------------------------------------------------------------


def elm_regressor(
    *,
    n_units: int = 100,
    activation: str = "tanh",
    alphas: Any = "auto",
    cv: Any = 10,
    random_state: Any = None,
) -> Pipeline:
    """An extreme learning machine: standardised columns, a random layer beside them, ridge.

    Parameters
    ----------
    n_units, activation, random_state
        As :class:`RandomLayer`.
    alphas, cv
        As :class:`RidgeCV`.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from holdfast.recipes import elm_regressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = elm_regressor(random_state=0).fit(X, y)
    >>> bool(-model["readout"].best_score_ < 0.55 * y.var())
    True
    """
    layer = _hidden(n_units, activation, random_state)
    return Pipeline([*layer, ("readout", RidgeCV(alphas=alphas, cv=cv))])


def op_elm_regressor(
    *,
    n_units: int = 100,
    activation: str = "tanh",
    regularized: bool = True,
    alphas: Any = "auto",
    cv: Any = 10,
    random_state: Any = None,
) -> Pipeline:
    """An optimally pruned extreme learning machine: units ranked by LARS and pruned.

    The same layer as :func:`elm_regressor`.

    Parameters
    ----------
    n_units, activation, random_state
        As :class:`RandomLayer`.
    regularized, alphas, cv
        As :class:`PrunedRidge`: without ``regularized`` it is the OP-ELM as published.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from holdfast.recipes import op_elm_regressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = op_elm_regressor(random_state=0).fit(X, y)
    >>> bool(model["readout"].n_features_ < 110)
    True
    """
    readout = PrunedRidge(alphas=alphas, cv=cv, regularized=regularized, standardize=True)
    return Pipeline([*_hidden(n_units, activation, random_state), ("readout", readout)])


def _hidden(n_units: int, activation: str, random_state: Any) -> list[tuple[str, Any]]:
    layer = RandomLayer(
        n_units=n_units, activation=activation, include_inputs=True, random_state=random_state
    )
    return [("scale", StandardScaler()), ("layer", layer)]


def fixed_size_ls_svm_regressor(
    *,
    n_basis: Any = 100,
    kernel: Any = "rbf",
    gamma: Any = None,
    alphas: Any = "auto",
    cv: Any = 10,
    random_state: Any = None,
) -> Pipeline:
    """A fixed-size least-squares SVM: a basis of large entropy, Nystrom features, ridge.

    Parameters
    ----------
    n_basis, kernel, gamma, random_state
        As :class:`KernelBasis`.
    alphas, cv
        As :class:`RidgeCV`.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from holdfast.recipes import fixed_size_ls_svm_regressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = fixed_size_ls_svm_regressor(gamma=0.02, random_state=0).fit(X, y)
    >>> bool(-model["readout"].best_score_ < 0.55 * y.var())
    True
    """
    basis = _fixed_size(n_basis, kernel, gamma, random_state)
    return Pipeline([*basis, ("readout", RidgeCV(alphas=alphas, cv=cv))])


def fixed_size_ls_svm_classifier(
    *,
    n_basis: Any = 100,
    kernel: Any = "rbf",
    gamma: Any = None,
    alphas: Any = "auto",
    cv: Any = 10,
    class_weight: Any = None,
    random_state: Any = None,
) -> Pipeline:
    """A fixed-size least-squares SVM that tells classes apart.

    Parameters
    ----------
    n_basis, kernel, gamma, random_state
        As :class:`KernelBasis`.
    alphas, cv, class_weight
        As :class:`RidgeClassifierCV`.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from holdfast.recipes import fixed_size_ls_svm_classifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = fixed_size_ls_svm_classifier(random_state=0).fit(X, y)
    >>> bool(model.score(X, y) > 0.97)
    True
    """
    readout = RidgeClassifierCV(alphas=alphas, cv=cv, class_weight=class_weight)
    return Pipeline([*_fixed_size(n_basis, kernel, gamma, random_state), ("readout", readout)])


def _fixed_size(n_basis: Any, kernel: Any, gamma: Any, random_state: Any) -> list[tuple[str, Any]]:
    basis = KernelBasis(n_basis=n_basis, kernel=kernel, gamma=gamma, random_state=random_state)
    return [("scale", StandardScaler()), ("basis", basis)]


# -- series --------------------------------------------------------------------------------


def about_series(lengths: Any, n_warm_up: int = 0) -> dict[str, Array]:
    """What ``fit`` of a recipe for series has to be told: weights and groups of their rows.

    Parameters
    ----------
    lengths : sequence of int
        Rows of every series, in their order.
    n_warm_up : int, default=0
        Rows at the beginning of every series that get no weight: the washout, or the largest lag.

    Returns
    -------
    dict
        Keyword arguments of ``fit``.

    Examples
    --------
    >>> from holdfast.recipes import about_series
    >>> sorted(about_series([100, 80], 20))
    ['readout__groups', 'readout__sample_weight']
    """
    return {
        "readout__sample_weight": series_weight(lengths, n_warm_up),
        "readout__groups": series_groups(lengths),
    }


def echo_state_classifier(*, alphas: Any = "auto", cv: Any = None, **reservoir: Any) -> Pipeline:
    """An echo state network that names the class of every row of a series.

    Parameters
    ----------
    alphas : default="auto"
        As :class:`RidgeClassifierCV`.
    cv : default=None
        As there; None leaves out one series after the other.
    **reservoir
        Parameters of :class:`Reservoir`.

    Returns
    -------
    Pipeline
        Classes count alike, whatever their sizes (``class_weight="balanced"``).

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.recipes import about_series, echo_state_classifier
    >>> t, rng = np.arange(300), np.random.default_rng(0)
    >>> slow = [0, 1, 0, 1, 0, 1]
    >>> waves = [np.sin(t / (9 if s else 4) + phase) for phase, s in enumerate(slow)]
    >>> series = [(wave + 0.2 * rng.standard_normal(300))[:, None] for wave in waves]
    >>> model = echo_state_classifier(n_units=50, leak=0.2, bias=0.5, random_state=0)
    >>> model = model.fit(series, np.repeat(slow, 300), **about_series([300] * 6, 30))
    >>> bool(model.score(series, np.repeat(slow, 300)) > 0.9)
    True
    """
    readout = RidgeClassifierCV(
        alphas=alphas, cv=LeaveOneGroupOut() if cv is None else cv, class_weight="balanced"
    )
    return Pipeline([("states", Reservoir(**reservoir)), ("readout", readout)])


def echo_state_forecaster(*, alphas: Any = "auto", cv: Any = 10, **reservoir: Any) -> Pipeline:
    """An echo state network that forecasts numbers from the rows so far.

    Parameters
    ----------
    alphas, cv
        As :class:`RidgeCV`; contiguous folds by default.
    **reservoir
        Parameters of :class:`Reservoir`.

    Returns
    -------
    Pipeline
        Fit it to rows and what follows them: ``fit([u[:-1]], u[1:], ...)``. :func:`run_freely` goes
        on from there.

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.recipes import about_series, echo_state_forecaster, run_freely
    >>> u = np.sin(np.arange(600) / 5)[:, None]
    >>> model = echo_state_forecaster(alphas=[1e-6], n_units=50, washout=50, random_state=0)
    >>> model = model.fit([u[:-1]], u[1:], readout__sample_weight=about_series([599], 50)[
    ...     "readout__sample_weight"])
    >>> ahead = run_freely(model, u, 20)
    >>> bool(np.abs(ahead[:, 0] - np.sin(np.arange(600, 620) / 5)).max() < 0.05)
    True
    """
    readout = RidgeCV(alphas=alphas, cv=cv)
    return Pipeline([("states", Reservoir(**reservoir)), ("readout", readout)])


def run_freely(model: Pipeline, history: Any, n_steps: int) -> Array:
    """Forecast step after step, every forecast being the next input.

    Parameters
    ----------
    model : Pipeline
        A fitted :func:`echo_state_forecaster` whose targets are the next inputs.
    history : array of shape (rows, n)
        The rows so far, of one series.
    n_steps : int
        How many rows to forecast.

    Returns
    -------
    array of shape (n_steps, n)
    """
    check_count(n_steps, "n_steps")
    reservoir, readout = model["states"], model["readout"]
    states, state = reservoir.run(history)
    n_columns, forecasts = reservoir.n_features_in_, []
    for _ in range(n_steps):
        row = np.reshape(readout.predict(states[-1:]), (1, -1))
        if row.shape[1] != n_columns:
            raise ValueError(
                f"the model forecasts {row.shape[1]} numbers, but takes rows of {n_columns}; "
                "expected forecasts of the next row: fit it to rows and the rows that follow them."
            )
        forecasts.append(row)
        states, state = reservoir.run(row, initial_state=state)
    return np.concatenate(forecasts)


def windowed_ridge(*, lags: Any = 10, alphas: Any = "auto", cv: Any = None) -> Pipeline:
    """Ridge regression on windows of time.

    Parameters
    ----------
    lags
        As :class:`TimeWindows`.
    alphas, cv
        As :class:`RidgeCV`; ``cv=None`` leaves out one series after the other.

    Returns
    -------
    Pipeline

    Examples
    --------
    >>> import numpy as np
    >>> from holdfast.recipes import about_series, windowed_ridge
    >>> rng = np.random.default_rng(0)
    >>> series = [rng.standard_normal((200, 1)) for _ in range(4)]
    >>> y = np.concatenate([np.roll(u[:, 0], 2) for u in series])
    >>> model = windowed_ridge(lags=4, alphas=[0.1, 1.0])
    >>> model = model.fit(series, y, **about_series([200] * 4, 3))
    >>> model["readout"].coef_.round(1) + 0.0
    array([0., 1., 0., 0.])
    """
    readout = RidgeCV(alphas=alphas, cv=LeaveOneGroupOut() if cv is None else cv)
    return Pipeline([("windows", TimeWindows(lags=lags)), ("readout", readout)])


def windowed_ridge_classifier(*, lags: Any = 10, alphas: Any = "auto", cv: Any = None) -> Pipeline:
    """A ridge classifier on windows of time, classes counting alike.

    Parameters
    ----------
    lags
        As :class:`TimeWindows`.
    alphas, cv
        As :class:`RidgeClassifierCV`; ``cv=None`` leaves out one series after the other.

    Returns
    -------
    Pipeline
    """
    readout = RidgeClassifierCV(
        alphas=alphas, cv=LeaveOneGroupOut() if cv is None else cv, class_weight="balanced"
    )
    return Pipeline([("windows", TimeWindows(lags=lags)), ("readout", readout)])
