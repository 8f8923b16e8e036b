"""Prices of 159 cars of 1985, with 15 numeric columns."""

from dataclasses import dataclass
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class AutoPrice:
    """The table of :func:`load_auto_price`.

    Attributes
    ----------
    X : ndarray of shape (159, 15)
        One row per car.
    y : ndarray of shape (159,)
        Price in dollars of 1985.
    feature_names : tuple of str
        Names of the columns of ``X``.
    description : str
        Source, licence and meaning of the columns, as Markdown.
    """

    X: NDArray[np.float64]
    y: NDArray[np.float64]
    feature_names: tuple[str, ...]
    description: str


def load_auto_price() -> AutoPrice:
    """Load the prices of 159 cars sold in 1985 (UCI *Automobile*, CC BY 4.0).

    Returns
    -------
    AutoPrice
        The table. Every call reads it anew, so the arrays are the caller's to change.

    References
    ----------
    Schlimmer, J. (1985). Automobile. UCI Machine Learning Repository.
    https://doi.org/10.24432/C5B01C

    Examples
    --------
    >>> from holdfast.data import load_auto_price
    >>> cars = load_auto_price()
    >>> cars.X.shape
    (159, 15)
    >>> cars.feature_names[6], cars.X[0, 6], cars.y[0]
    ('curb-weight', np.float64(2337.0), np.float64(13950.0))
    """
    folder = files("holdfast.data")
    lines = folder.joinpath("auto_price.csv").read_text(encoding="utf-8").splitlines()
    *feature_names, _ = lines[0].split(",")
    table = np.loadtxt(lines[1:], delimiter=",")
    return AutoPrice(
        X=np.ascontiguousarray(table[:, :-1]),
        y=table[:, -1].copy(),
        feature_names=tuple(feature_names),
        description=folder.joinpath("README.md").read_text(encoding="utf-8"),
    )
