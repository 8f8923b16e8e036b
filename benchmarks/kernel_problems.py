"""Problems for kernel models: a smooth function of several columns, with noise."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class KernelProblem:
    """Rows, targets, a basis, and what is to be chosen."""

    X: np.ndarray
    y: np.ndarray
    basis: np.ndarray
    gamma: float
    alphas: np.ndarray = field(default_factory=lambda: 2.0 ** np.arange(-10, 10))

    def __str__(self) -> str:
        m, columns = self.X.shape
        return f"{m} x {columns}, {len(self.basis)} basis vectors, {len(self.alphas)} alphas"


def smooth(m: int, n_basis: int, n_alphas: int = 20, columns: int = 10) -> KernelProblem:
    """Draw a problem; the kernel is rbf with gamma = 1 / columns."""
    random = np.random.default_rng(0)
    X = random.standard_normal((m, columns))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * random.standard_normal(m)
    basis = np.sort(random.choice(m, n_basis, replace=False))
    return KernelProblem(X, y, basis, 1 / columns, 2.0 ** np.linspace(-10, 9, n_alphas))
