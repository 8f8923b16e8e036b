"""The states of reservoirpy's `Reservoir`, given our weights."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np


def installed() -> bool:
    """Whether it can be timed."""
    return find_spec("reservoirpy") is not None


def states(ours: Any, series: list[np.ndarray], recurrent: Any) -> np.ndarray:
    """Return the states of all rows, one series after the other; ``recurrent`` dense or sparse."""
    from reservoirpy.nodes import Reservoir

    found = []
    for part in series:
        node = Reservoir(
            W=recurrent,
            Win=np.ascontiguousarray(ours.input_weights_.T),
            bias=ours.bias_,
            lr=float(ours.leak),
        )
        found.append(node.run(part))
    return np.vstack(found)
