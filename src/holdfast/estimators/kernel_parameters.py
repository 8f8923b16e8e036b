"""Kernel parameters: checked, and read as a kernel."""

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


def check_kernel(model: Any, *, grid: bool) -> None:
    """Check ``kernel``, ``gamma``, ``degree``, ``coef0`` and ``kernel_params`` of a model.

    ``grid`` says whether ``gamma`` may be several numbers to choose from.
    """
    if not callable(model.kernel) and model.kernel not in _NAMES:
        raise ValueError(
            f"kernel={model.kernel!r} is not known; expected a callable or one of "
            f"{', '.join(map(repr, _NAMES))}: choose one of them."
        )
    for name in ("degree", "coef0"):
        value = getattr(model, name)
        if isinstance(value, bool) or not (isinstance(value, Real) and np.isfinite(float(value))):
            raise ValueError(
                f"{name}={value!r} is not a number; expected a finite one: correct it."
            )
    if not isinstance(model.kernel_params, (Mapping, type(None))):
        raise ValueError(
            f"kernel_params={model.kernel_params!r} is not a dict; expected parameters of a "
            "callable kernel by name, or None: pass a dict."
        )
    if model.gamma is None:
        return
    widths = np.asarray(model.gamma)
    if widths.ndim > int(grid) or widths.size == 0 or widths.dtype.kind not in "iuf":
        raise ValueError(
            f"gamma={model.gamma!r} is not a width; expected None"
            + (", a number or a sequence of numbers to choose from." if grid else " or a number.")
        )
    if not (np.isfinite(widths) & (widths >= 0)).all():
        raise ValueError(
            f"gamma={model.gamma!r} must be finite and not negative; expected widths as "
            "1 / columns (the default): correct it."
        )
    if widths.size > 1 and model.kernel not in WITH_GAMMA:
        raise ValueError(
            f"gamma={model.gamma!r} is a grid, but kernel={model.kernel!r} has no gamma; "
            f"expected one of {', '.join(map(repr, WITH_GAMMA))}: leave gamma out."
        )
