"""A hidden layer of random weights, as in extreme learning machines."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from scipy.special import expit
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from holdfast.parameters import check_choice, check_count, check_flags, check_number
from holdfast.rows.distances import squared_distances
from holdfast.rows.sums import Array

_ACTIVATIONS = ("tanh", "sigmoid", "relu", "rbf")


class RandomLayer(TransformerMixin, BaseEstimator):
    """Units of random weights, as features of every row: an extreme learning machine's layer.

    Parameters
    ----------
    n_units : int, default=100
        Number of units.
    activation : {"tanh", "sigmoid", "relu", "rbf"}, default="tanh"
        What a unit makes of ``x'w + b``; ``"rbf"``: ``exp(-gamma ||x - c||^2)`` about a row c of
        the training data, drawn at random.
    include_inputs : bool, default=False
        Whether the columns of X stand in front of the units.
    input_scaling : float, default=1.0
        Weights are normal with standard deviation ``input_scaling / sqrt(n)``: of standardised
        columns ``x'w`` has about this standard deviation.
    bias : float, default=1.0
        Standard deviation of the biases.
    gamma : float, optional
        Width of rbf units; without it 1 over the median squared distance of their centres.
    random_state : int, RandomState or None, default=None
        For weights, biases and centres.

    Attributes
    ----------
    weights_ : array of shape (n, n_units)
        Weights; not of rbf units.
    bias_ : array of shape (n_units,)
        Biases; not of rbf units.
    centres_ : array or sparse matrix of shape (units, n)
        Centres, of rbf units only; at most all rows.
    gamma_ : float
        Width, of rbf units only.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Columns on different scales should be standardised first. Nothing is learned from y, and but
    for the centres of rbf units nothing from the rows.

    Cost: O(m n units); memory m x units. With sparse X the units are dense, and so are
    the inputs beside them (``include_inputs=True``).

    References
    ----------
    .. [1] G. Huang, Q. Zhu, C. Siew, "Extreme learning machine: theory and applications",
       Neurocomputing 70 (2006).
    .. [2] Y. Miche, A. Sorjamaa, P. Bas, O. Simula, C. Jutten, A. Lendasse, "OP-ELM: optimally
       pruned extreme learning machine", IEEE Transactions on Neural Networks 21 (2010).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from holdfast import RandomLayer, RidgeCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> layer = RandomLayer(n_units=50, include_inputs=True, random_state=0)
    >>> model = make_pipeline(StandardScaler(), layer, RidgeCV(alphas="auto", cv=10)).fit(X, y)
    >>> len(model[:-1].get_feature_names_out())
    60
    """

    def __init__(
        self,
        *,
        n_units: int = 100,
        activation: str = "tanh",
        include_inputs: bool = False,
        input_scaling: float = 1.0,
        bias: float = 1.0,
        gamma: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_units = n_units
        self.activation = activation
        self.include_inputs = include_inputs
        self.input_scaling = input_scaling
        self.bias = bias
        self.gamma = gamma
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> Self:
        """Draw the units.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n)
            Says how many columns there are; rbf units are drawn from its rows.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        check_count(self.n_units, "n_units")
        check_choice(self.activation, "activation", _ACTIVATIONS)
        check_flags(include_inputs=self.include_inputs)
        check_number(self.input_scaling, "input_scaling", 0, above=True)
        check_number(self.bias, "bias", 0)
        if self.gamma is not None:
            check_number(self.gamma, "gamma", 0, above=True)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        for stale in ("weights_", "bias_", "centres_", "gamma_"):
            self.__dict__.pop(stale, None)
        rng = check_random_state(self.random_state)
        if self.activation == "rbf":
            self._draw_centres(X, rng)
            return self
        n_columns = X.shape[1]
        scale = self.input_scaling / np.sqrt(n_columns)
        self.weights_ = scale * rng.standard_normal((n_columns, self.n_units))
        self.bias_ = self.bias * rng.standard_normal(self.n_units)
        return self

    def _draw_centres(self, X: Any, rng: Any) -> None:
        chosen = rng.permutation(X.shape[0])[: self.n_units]
        self.centres_ = X[chosen]
        distances = squared_distances(self.centres_, self.centres_)
        apart = distances[np.triu_indices(len(chosen), 1)]
        apart = apart[apart > 0]
        own = 1 / float(np.median(apart)) if len(apart) else 1.0
        self.gamma_ = own if self.gamma is None else float(self.gamma)

    def transform(self, X: Any) -> Array:
        """What the units make of every row.

        Parameters
        ----------
        X : array, DataFrame or sparse matrix of shape (m, n)
            Rows.

        Returns
        -------
        array of shape (m, units) or (m, n + units)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=np.float64)
        n_inputs = X.shape[1] if self.include_inputs else 0
        features = np.empty((X.shape[0], n_inputs + self._n_units))
        if n_inputs:
            features[:, :n_inputs] = X.toarray() if sparse.issparse(X) else X
        features[:, n_inputs:] = self._units(X)
        return features

    def _units(self, X: Any) -> Array:
        if self.activation == "rbf":
            values = squared_distances(X, self.centres_)
            values *= -self.gamma_
            return np.exp(values, out=values)
        values = safe_sparse_dot(X, self.weights_, dense_output=True)
        values += self.bias_
        if self.activation == "tanh":
            return np.tanh(values, out=values)
        if self.activation == "sigmoid":
            activated: Array = expit(values, out=values)
            return activated
        return np.maximum(values, 0.0, out=values)

    @property
    def _n_units(self) -> int:
        return int(self.centres_.shape[0]) if self.activation == "rbf" else len(self.bias_)

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the features: those of the inputs, if they are there, and numbered units.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the columns, where X had none.

        Returns
        -------
        array of str
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        units = [f"randomlayer{unit}" for unit in range(self._n_units)]
        return np.asarray([*(names if self.include_inputs else ()), *units], dtype=object)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
