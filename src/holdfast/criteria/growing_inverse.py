"""``(A + alpha I)^-1`` of many splits under many penalties, on columns that grow by one.

With ``A = C diag(s) C'`` of the first columns, one decomposition for each split serves every
penalty; columns that came later are the last lines of an inverse Cholesky factor:

    M (A + alpha I) M' = I,    M = [(s + alpha)^-1/2 C' ; N],    inverse = M'M

A new line of N is ``[-g, 1] sigma^-1/2`` with g the column's own regression on those before it and
sigma what that leaves. When N has grown to more than an eighth of the columns, everything is
decomposed anew.

With K splits, R penalties and k columns: memory K k^2 and, for N, K R k^2 / 8 numbers at most;
applying the inverse to a line for every split and penalty is O(K R k^2), as products of matrices;
decomposing, shared out over the columns, O(K k^2) for each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from holdfast.rows.sums import Array

_LEAST = 8
_SHARE = 8


class GrowingInverse:
    """Inverses of growing matrices, as the product of a factor with itself.

    Parameters
    ----------
    alphas : array of shape (R,)
        Penalties, positive.
    n_splits : int
        K.
    """

    def __init__(self, alphas: Array, n_splits: int) -> None:
        self._alphas = alphas
        self._n_splits = n_splits
        self.rebuild(np.empty((n_splits, 0, 0)))

    @property
    def full(self) -> bool:
        """Whether it is time to :meth:`rebuild`."""
        return self._n_late == self._late.shape[1]

    def rebuild(self, matrices: Array) -> None:
        """Start from the matrices A of the columns so far, (K, k, k)."""
        values, self._vectors = np.linalg.eigh(matrices)
        # (K, R, 1, k): lines of a factor are multiplied by it.
        values = np.maximum(values, 0)[:, None, None]
        self._root = 1 / np.sqrt(values + self._alphas[:, None, None])
        count = matrices.shape[-1]
        room = max(_LEAST, count // _SHARE)
        self._n_late = 0
        self._late = np.zeros((self._n_splits, room, len(self._alphas), count + room))

    def append(self, lines: Array) -> None:
        """New last lines of the factors, (K, R, k + 1)."""
        self._late[:, self._n_late, :, : lines.shape[-1]] = lines
        self._n_late += 1

    def half(self, some: slice, lines: Array, which: Any = slice(None)) -> Array:
        """``M x`` for lines x: (splits, R or 1, f, k) -> (splits, R, f, k).

        ``which`` are the penalties.
        """
        vectors, root, late = self._parts(some, which)
        count = vectors.shape[-1]
        early = _rotated(lines[..., :count], vectors) * root
        if self._n_late == 0:
            return early
        if lines.shape[1] == 1:
            flat = late.reshape(len(late), -1, late.shape[-1]) @ lines[:, 0].swapaxes(-1, -2)
            later = flat.reshape(*late.shape[:3], -1).transpose(0, 2, 3, 1)
        else:
            later = np.einsum("strk,srfk->srft", late, lines)
        return np.concatenate([early, later], axis=-1)

    def back(self, some: slice, halves: Array, which: Any = slice(None)) -> Array:
        """``M'u`` for lines u, (splits, R, f, k)."""
        vectors, root, late = self._parts(some, which)
        count = vectors.shape[-1]
        early = _rotated(halves[..., :count] * root, vectors.swapaxes(-1, -2))
        if self._n_late == 0:
            return early
        whole = np.einsum("srft,strk->srfk", halves[..., count:], late)
        whole[..., :count] += early
        return whole

    def solve(self, lines: Array) -> Array:
        """``M'M x`` for one line x for every penalty, (K, R, k)."""
        vectors, root, late = self._parts(slice(None), slice(None))
        count = vectors.shape[-1]
        early = lines[..., :count] @ vectors
        early *= root[:, :, 0]
        early *= root[:, :, 0]
        early = early @ vectors.swapaxes(-1, -2)
        if self._n_late == 0:
            return early
        later = np.einsum("strk,srk->srt", late, lines)
        whole: Array = np.einsum("srt,strk->srk", later, late)
        whole[..., :count] += early
        return whole

    def _parts(self, some: slice, which: Any) -> tuple[Array, Array, Array]:
        size = self._vectors.shape[-1] + self._n_late
        late = self._late[some, : self._n_late, :, :size][:, :, which]
        return self._vectors[some], self._root[some, which], late


def _rotated(lines: Array, vectors: Array) -> Array:
    """Lines (splits, R, f, k) times one matrix for each split, as one product for each."""
    splits, n_alphas, n_lines, count = lines.shape
    flat = lines.reshape(splits, n_alphas * n_lines, count)
    product: Array = (flat @ vectors).reshape(lines.shape)
    return product
