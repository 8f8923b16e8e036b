"""Folds that each hold a stated share of a basis."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from holdfast.rows.sums import Array


def basis_folds(
    n_rows: int,
    basis_indices: Any,
    n_splits: int = 10,
    *,
    basis_per_fold: int | None = None,
    random_state: Any = None,
) -> list[tuple[Array, Array]]:
    """Random folds of rows, each with a stated number of the rows of a basis.

    With :class:`SparseKernelRidge`, whose models lose the basis vectors that are held out, the
    models of all folds then have equally many. To judge models of n basis vectors by K folds, train
    with n K / (K - 1) of them.

    Parameters
    ----------
    n_rows : int
        Rows of the table.
    basis_indices : int array-like
        Rows that are basis vectors.
    n_splits : int, default=10
        Number of folds.
    basis_per_fold : int, optional
        Basis rows in every fold; the others are trained on by all. 0 keeps the basis whole.
        Without it they are dealt out evenly: the numbers of two folds differ by one at most.
    random_state : int, RandomState or None
        For the division of the rows.

    Returns
    -------
    list of (train, test)
        To be given as ``cv``. Every row is held out once, but for basis rows left over.

    Examples
    --------
    >>> from holdfast import basis_folds
    >>> folds = basis_folds(20, basis_indices=[0, 5, 10, 15], n_splits=2, random_state=0)
    >>> [int(sum(test % 5 == 0)) for train, test in folds]
    [2, 2]
    """
    basis = np.asarray(basis_indices)
    if basis.ndim != 1 or basis.dtype.kind not in "iu" or len(np.unique(basis)) < len(basis):
        raise ValueError(
            f"basis_indices of type {basis.dtype} and shape {basis.shape} are not a set of rows; "
            "expected different row numbers, as basis_indices_ of a fitted model: pass those."
        )
    if len(basis) and not 0 <= basis.min() <= basis.max() < n_rows:
        raise ValueError(
            f"basis_indices go from {basis.min()} to {basis.max()}, but there are {n_rows} rows; "
            f"expected numbers from 0 to {n_rows - 1}: choose the basis from this table."
        )
    most = n_rows - len(basis)
    if not 2 <= n_splits <= most:
        raise ValueError(
            f"n_splits={n_splits} folds cannot be made of the {most} rows that are not in the "
            "basis; expected at least 2 and a row for each: change n_splits."
        )
    share = len(basis) // n_splits if basis_per_fold is None else basis_per_fold
    if not 0 <= share * n_splits <= len(basis):
        raise ValueError(
            f"basis_per_fold={basis_per_fold} for {n_splits} folds needs {share * n_splits} basis "
            f"rows, but there are {len(basis)}; expected at most {len(basis) // n_splits}."
        )
    rng = check_random_state(random_state)
    others = rng.permutation(np.setdiff1d(np.arange(n_rows), basis))
    members = rng.permutation(basis)
    if basis_per_fold is not None:
        members = members[: share * n_splits]
    folds = [
        np.sort(np.concatenate([others[fold::n_splits], members[fold::n_splits]]))
        for fold in range(n_splits)
    ]
    return [(np.setdiff1d(np.arange(n_rows), fold), fold) for fold in folds]
