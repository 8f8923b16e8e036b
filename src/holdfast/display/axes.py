"""What pictures share: axes to draw on, and words for how rows were held out."""

from __future__ import annotations

from typing import Any


def new_axes() -> Any:
    """Axes of a new figure."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError(
            "drawing needs matplotlib, which is not installed; expected the extra 'plot': "
            'pip install "holdfast[plot]".'
        ) from None
    _, ax = plt.subplots(layout="constrained")
    return ax


def error_label(estimator: Any, what: str = "error") -> str:
    """What is measured, and how an estimator held rows out."""
    n_splits = estimator.n_splits_
    if n_splits is None:
        return f"{getattr(estimator, '_leave_one_out_is', 'exact')} leave-one-out {what}"
    return f"exact hold-out {what} ({n_splits} split{'s' if n_splits != 1 else ''})"
