"""One table in every storage that is not an array in memory."""

import numpy as np
import scipy.sparse as sp

from holdfast import RowBlocks


class Blocks:
    """Blocks of a table, made anew with every walk; counts the walks."""

    def __init__(self, X, y, cuts, *others, convert=np.asarray):
        self.data, self.cuts, self.convert = (X, y, *others), cuts, convert
        self.walks = 0

    def __iter__(self):
        self.walks += 1
        for start, stop in zip((0, *self.cuts), (*self.cuts, len(self.data[0])), strict=True):
            X, *others = (part[start:stop] for part in self.data)
            yield self.convert(X), *others


def saved(folder, X, name="X.npy"):
    np.save(folder / name, X)
    return folder / name


def mapped(folder, X, order="C", offset=128):
    path = folder / f"{order}.bin"
    table = np.memmap(path, X.dtype, "w+", offset, X.shape, order)
    table[:] = X
    table.flush()
    return np.memmap(path, X.dtype, "r", offset, X.shape, order)


STORED = {
    "npy path": lambda folder, X, y: (saved(folder, X), y),
    "npy string": lambda folder, X, y: (str(saved(folder, X)), y),
    "chunks of 7": lambda folder, X, y: (RowBlocks(saved(folder, X), chunk_rows=7), y),
    "chunks of 1": lambda folder, X, y: (RowBlocks(saved(folder, X), chunk_rows=1), y),
    "by memory": lambda folder, X, y: (RowBlocks(saved(folder, X), memory=20_000), y),
    "memmap": lambda folder, X, y: (RowBlocks(mapped(folder, X), chunk_rows=17), y),
    "F memmap": lambda folder, X, y: (mapped(folder, X, "F"), y),
    "every third row": lambda folder, X, y: (
        RowBlocks(mapped(folder, np.repeat(X, 3, axis=0))[::3], chunk_rows=9),
        y,
    ),
    "blocks": lambda folder, X, y: (RowBlocks(Blocks(X, y, (1, 11, 40))), None),
    "list": lambda folder, X, y: (RowBlocks(list(Blocks(X, y, (20, 30)))), None),
    "csr blocks": lambda folder, X, y: (
        RowBlocks(Blocks(X, y, (5, 33), convert=sp.csr_array)),
        None,
    ),
    "csc blocks": lambda folder, X, y: (
        RowBlocks(Blocks(X, y, (30,), convert=sp.csc_matrix)),
        None,
    ),
}
