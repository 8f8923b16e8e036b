"""Windows of time: the last rows of a series beside each other.

Row t of the result is ``[x_{t-lag_1}, x_{t-lag_2}, ...]`` within its series. Rows whose history
does not reach that far back are kept, and hold a fill value where it is missing.

Of consecutive lags, oldest first, the window of row t is a stretch of memory: rows
t - L + 1, ..., t of a table in C order follow each other there. So one dense series makes no
copies but that of the table itself, with L - 1 rows of the fill value in front: the result is a
read-only view on it, whose rows overlap. Several series are copied from such views; m L n numbers.

Reference: Buteneers et al. (2013), section 5.2.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided
from scipy import sparse
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted

from holdfast.maps.series_map import SeriesMap
from holdfast.parameters import check_number, is_whole
from holdfast.rows.sums import Array


class TimeWindows(SeriesMap):
    """The last rows of a series beside each other, as features of every row.

    Parameters
    ----------
    lags : int or sequence of int, default=10
        How many rows, the current one among them: lags ``lags - 1, ..., 1, 0``, oldest first; or
        the lags themselves, in any order.
    fill_value : float, default=0.0
        Stands where a window reaches back beyond the beginning of its series.

    Attributes
    ----------
    lags_ : int array
        The lags, in the order of the features.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    series_weight : Weights that are zero where windows are not full.
    series_groups : Groups for leave-one-series-out.

    Notes
    -----
    No row is dropped: y, weights and groups stay aligned. Give rows without a full history no
    weight: ``series_weight(lengths, largest lag)``. Rows of another series are never looked at.

    With metadata routing (``sklearn.set_config(enable_metadata_routing=True)`` and
    ``set_fit_request(lengths=True).set_transform_request(lengths=True)``) a pipeline hands on
    ``lengths``; without, it takes a list of series.

    The windows of one dense series with consecutive lags are a read-only view on a copy of the
    series: as much memory as the series, not ``lags`` times as much. Everything else is copied;
    sparse stays sparse.

    References
    ----------
    .. [1] P. Buteneers, K. Caluwaerts, J. Dambre, D. Verstraeten, B. Schrauwen, "Optimized
       parameter search for large datasets of the regularization parameter and feature selection
       for ridge regression", Neural Processing Letters 38 (2013), section 5.2.

    Examples
    --------
    >>> from holdfast import TimeWindows
    >>> TimeWindows(lags=2).fit_transform([[1.0], [2.0], [3.0], [4.0]], lengths=[2, 2])
    array([[0., 1.],
           [1., 2.],
           [0., 3.],
           [3., 4.]])
    """

    def __init__(self, *, lags: Any = 10, fill_value: float = 0.0) -> None:
        self.lags = lags
        self.fill_value = fill_value

    def _set_up(self, n_columns: int) -> None:
        check_number(self.fill_value, "fill_value")
        self.lags_ = _checked_lags(self.lags)

    def _mapped(self, X: Any, bounds: Array) -> Any:
        if sparse.issparse(X):
            return self._sparse_windows(X, bounds)
        if len(bounds) == 2 and np.all(np.diff(self.lags_) == -1):
            return self._view(X)
        windows = np.empty((X.shape[0], len(self.lags_), X.shape[1]))
        for first, last in pairwise(bounds):
            for place, lag in enumerate(self.lags_):
                missing = min(lag, last - first)
                windows[first : first + missing, place] = self.fill_value
                windows[first + missing : last, place] = X[first : last - missing]
        return windows.reshape(X.shape[0], -1)

    def _view(self, X: Array) -> Array:
        """Consecutive lags of one series: overlapping stretches of one copy."""
        (n_rows, n_columns), width, oldest = X.shape, len(self.lags_), self.lags_[0]
        padded = np.full((oldest + n_rows, n_columns), float(self.fill_value))
        padded[oldest:] = X
        step = padded.itemsize
        return as_strided(
            padded,
            shape=(n_rows, width * n_columns),
            strides=(n_columns * step, step),
            writeable=False,
        )

    def _sparse_windows(self, X: Any, bounds: Array) -> Any:
        if self.fill_value != 0:
            raise ValueError(
                f"fill_value={self.fill_value} with sparse X; expected 0, which sparse windows can "
                "hold without storing it: set fill_value=0.0 or pass a dense X."
            )
        n_rows = X.shape[0]
        zero = sparse.csr_array((1, X.shape[1]))
        extended = sparse.vstack([X, zero], format="csr")
        starts = np.repeat(bounds[:-1], np.diff(bounds))
        lagged = np.arange(n_rows) - self.lags_[:, None]
        lagged[lagged < starts] = n_rows
        return sparse.hstack([extended[rows] for rows in lagged], format="csr")

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """Names of the features: column and lag.

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
        made = [f"{name}_lag{lag}" for lag in self.lags_ for name in names]
        return np.asarray(made, dtype=object)


def _checked_lags(lags: Any) -> Array:
    if is_whole(lags) and lags >= 1:
        return np.arange(lags - 1, -1, -1)
    known = np.asarray(lags)
    if known.ndim != 1 or known.size == 0 or known.dtype.kind not in "iu" or known.min() < 0:
        raise ValueError(
            f"lags={lags!r} are not lags; expected how many rows a window has, or a sequence of "
            "integers of at least 0: 3 stands for [2, 1, 0]."
        )
    if len(np.unique(known)) < len(known):
        raise ValueError(
            f"lags={lags!r} name a lag more than once; expected different ones: drop repetitions."
        )
    return known.astype(np.intp)
