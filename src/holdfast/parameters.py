"""Checks of single parameters, for every room: what was found, what was expected, what to do."""

from __future__ import annotations

from numbers import Real
from typing import Any, TypeGuard

import numpy as np


def is_whole(value: Any) -> TypeGuard[int]:
    """An integer, Python's or NumPy's, and not a truth value."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def check_choice(value: Any, name: str, choices: tuple[str, ...]) -> None:
    """A string among a few."""
    if not (isinstance(value, str) and value in choices):
        expected = " or ".join(repr(choice) for choice in choices)
        raise ValueError(f"{name}={value!r} is not known; expected {expected}: choose one of them.")


def check_flags(**flags: Any) -> None:
    """Booleans must be booleans: a text would silently count as true."""
    for name, value in flags.items():
        if not isinstance(value, (bool, np.bool_)):
            raise ValueError(
                f"{name}={value!r} is not a truth value; expected True or False: "
                "pass one of the two."
            )


def check_count(value: Any, name: str, least: int = 1) -> None:
    """A whole number that is not too small."""
    if not (is_whole(value) and value >= least):
        raise ValueError(
            f"{name}={value!r} is not a count; expected an integer of at least {least}: correct it."
        )


def check_number(
    value: Any, name: str, least: float = -np.inf, most: float = np.inf, *, above: bool = False
) -> None:
    """A finite number between two; ``above``: not the least itself."""
    known = isinstance(value, Real) and not isinstance(value, (bool, np.bool_))
    within = known and np.isfinite(float(value)) and least <= value <= most
    if within and not (above and value == least):
        return
    if most < np.inf:
        expected = f"{'more than' if above else 'at least'} {least:g}, at most {most:g}"
    elif least > -np.inf:
        expected = f"{'more than' if above else 'at least'} {least:g}, and finite"
    else:
        expected = "a finite number"
    raise ValueError(f"{name}={value!r} is out of range; expected {expected}: correct it.")
