"""The sinusoid of section 6.3: uniform on [-20, 20], noise of standard deviation 2."""

from __future__ import annotations

import numpy as np

M = 3000
GAMMA = 1.0
ALPHAS = 2.0 ** np.arange(-10, 15)


def sample(seed: int, m: int = M) -> tuple[np.ndarray, np.ndarray]:
    """A new data set."""
    random = np.random.default_rng(seed)
    X = random.uniform(-20, 20, size=(m, 1))
    return X, np.sin(X[:, 0]) + 2 * random.standard_normal(m)
