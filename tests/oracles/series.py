"""Maps of series and random features, written out one row at a time.

Buteneers, Caluwaerts, Dambre, Verstraeten, Schrauwen, "Optimized parameter search for large
datasets of the regularization parameter and feature selection for ridge regression" (2013),
section 5.
"""

from itertools import pairwise

import numpy as np


def split(X, lengths):
    """The series that rows are a stack of."""
    starts = np.concatenate([[0], np.cumsum(lengths)])
    return [X[first:last] for first, last in pairwise(starts)]


def windows(series, lags, fill=0.0):
    """Row t: the rows t - lag of a series side by side, in the order of the lags."""
    lines = []
    for t in range(len(series)):
        past = [series[t - lag] if t >= lag else np.full(series.shape[1], fill) for lag in lags]
        lines.append(np.concatenate(past))
    return np.array(lines)


def reservoir(series, recurrent, inputs, bias, leak, state):
    """States after every step, x <- (1 - leak) x + leak tanh(W x + V u + b)."""
    states = []
    for u in series:
        drive = np.array([V @ u for V in inputs.T]) + bias
        inner = np.array([W @ state for W in recurrent])
        state = (1 - leak) * state + leak * np.tanh(inner + drive)
        states.append(state)
    return np.array(states)


def random_layer(X, weights, bias, activation):
    """One hidden unit at a time, of one row at a time."""
    act = {
        "tanh": np.tanh,
        "sigmoid": lambda a: 1 / (1 + np.exp(-a)),
        "relu": lambda a: max(a, 0.0),
    }[activation]
    return np.array([[act(x @ w + b) for w, b in zip(weights.T, bias, strict=True)] for x in X])


def rbf_layer(X, centres, gamma):
    """exp(-gamma ||x - c||^2), one pair at a time."""
    return np.array([[np.exp(-gamma * np.sum((x - c) ** 2)) for c in centres] for x in X])


def nystrom_kernel(K, basis):
    """K_.B K_BB^+ K_B., what inner products of Nystrom features are."""
    return K[:, basis] @ np.linalg.pinv(K[np.ix_(basis, basis)], hermitian=True) @ K[basis]
