"""Checks of kernels and their parameters: what was found, what was expected, what to do."""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import Any

import numpy as np

from holdfast.basis.kernels import PRECOMPUTED, WITH_GAMMA

_NAMES = (
    "additive_chi2",
    "chi2",
    "cosine",
    "laplacian",
    "linear",
    "poly",
    "polynomial",
    PRECOMPUTED,
    "rbf",
    "sigmoid",
)


def check_kernel(
    kernel: Any, gamma: Any, degree: Any, coef0: Any, kernel_params: Any, *, grid: bool = True
) -> None:
    """A kernel and its parameters; ``grid``: ``gamma`` may be several numbers to choose from."""
    if not callable(kernel) and kernel not in _NAMES:
        raise ValueError(
            f"kernel={kernel!r} is not known; expected a callable or one of "
            f"{', '.join(map(repr, _NAMES))}: choose one of them."
        )
    for name, value in (("degree", degree), ("coef0", coef0)):
        if isinstance(value, bool) or not (isinstance(value, Real) and np.isfinite(float(value))):
            raise ValueError(
                f"{name}={value!r} is not a number; expected a finite one: correct it."
            )
    if not isinstance(kernel_params, (Mapping, type(None))):
        raise ValueError(
            f"kernel_params={kernel_params!r} is not a dict; expected parameters of a "
            "callable kernel by name, or None: pass a dict."
        )
    if gamma is None:
        return
    widths = np.asarray(gamma)
    if widths.ndim > int(grid) or widths.size == 0 or widths.dtype.kind not in "iuf":
        raise ValueError(
            f"gamma={gamma!r} is not a width; expected None"
            + (", a number or a sequence of numbers to choose from." if grid else " or a number.")
        )
    if not (np.isfinite(widths) & (widths >= 0)).all():
        raise ValueError(
            f"gamma={gamma!r} must be finite and not negative; expected widths as "
            "1 / columns (the default): correct it."
        )
    if widths.size > 1 and kernel not in WITH_GAMMA:
        raise ValueError(
            f"gamma={gamma!r} is a grid, but kernel={kernel!r} has no gamma; "
            f"expected one of {', '.join(map(repr, WITH_GAMMA))}: leave gamma out."
        )
