"""Data for tests: with known answers, and degenerate.

Every function takes a seed (or a generator's worth of sizes) and returns fresh arrays; nothing here
knows the library.
"""

import numpy as np
import scipy.sparse as sp
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeavePGroupsOut,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)

# ------------------------------------------------------------------------------------ known answers


def from_few_columns(rows=60, columns=15, used=(11, 2, 7), noise=0.1, seed=0):
    """(X, y): Gaussian X, y = sum of the used columns times 3, 2, 1, ... plus noise and a shift.

    A forward search finds the used columns in the order in which they are given.
    """
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    sizes = np.arange(len(used), 0, -1.0)
    y = 5.0 + X[:, list(used)] @ sizes + noise * rng.standard_normal(rows)
    return X, y


def several_targets(rows=60, columns=15, targets=3, seed=0):
    """(X, Y): every target is made of the same four columns, in other proportions."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns)) + rng.standard_normal(columns)
    mixing = np.zeros((columns, targets))
    mixing[:4] = rng.standard_normal((4, targets))
    return X, X @ mixing + 0.5 * rng.standard_normal((rows, targets))


def correlated(rows=50, columns=12, strength=0.9, seed=0):
    """(X, y): neighbouring columns are correlated; y needs columns whose effects cancel in part."""
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((rows, columns))
    X = Z.copy()
    for i in range(1, columns):
        X[:, i] = strength * X[:, i - 1] + np.sqrt(1 - strength**2) * Z[:, i]
    coef = np.where(np.arange(columns) % 3 == 0, 1.0, -0.5)
    return X, X @ coef + rng.standard_normal(rows)


def wide(rows=15, columns=60, seed=0):
    """(X, y): many more columns than rows."""
    return from_few_columns(rows, columns, used=(columns - 3, 4, 20), noise=0.5, seed=seed)


def classes(rows=60, columns=10, n_classes=2, separation=1.0, balance=None, seed=0):
    """(X, labels): Gaussian clouds; class c is shifted in columns c and c + 1."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(n_classes, size=rows, p=balance)
    labels[: 2 * n_classes] = np.repeat(np.arange(n_classes), 2)
    X = rng.standard_normal((rows, columns))
    for c in range(n_classes):
        X[np.ix_(labels == c, [c % columns, (c + 1) % columns])] += separation
    return X, labels


def one_hot_blocks(rows=60, levels=(3, 4, 2), numeric=3, seed=0):
    """(X, y, groups): categorical columns as 0/1 blocks, then numeric ones; groups = blocks."""
    rng = np.random.default_rng(seed)
    blocks, groups, effect, first = [], [], np.zeros(rows), 0
    for count in levels:
        level = rng.integers(count, size=rows)
        blocks.append(np.eye(count)[level])
        groups.append(list(range(first, first + count)))
        effect += rng.standard_normal(count)[level]
        first += count
    blocks.append(rng.standard_normal((rows, numeric)))
    X = np.hstack(blocks)
    return X, effect + X[:, -1] + 0.3 * rng.standard_normal(rows), groups


def word_counts(rows=80, columns=40, density=0.1, seed=0):
    """(X, labels): small counts, mostly zero, as CSR; two classes of documents."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=rows)
    rate = rng.exponential(2 * density, size=columns) * np.ones((rows, 1))
    rate[:, :6] *= np.where(labels[:, None] == np.arange(6) % 2, 3.0, 0.3)
    return sp.csr_array(rng.poisson(rate).astype(float)), labels


# --------------------------------------------------------------------------------------- degenerate


def with_constant_columns(rows=40, columns=8, seed=0):
    """(X, y, constant): columns 0 and 5 are constant (one of them zero), the others Gaussian."""
    X, y = from_few_columns(rows, columns, used=(3, 6), seed=seed)
    X[:, 0], X[:, 5] = 0.1, 0.0
    return X, y, [0, 5]


def with_duplicate_columns(rows=40, seed=0):
    """(X, y, twins): column 4 is column 1 once more, column 6 is twice column 2."""
    X, y = from_few_columns(rows, 8, used=(1, 2, 3), seed=seed)
    X[:, 4], X[:, 6] = X[:, 1], 2 * X[:, 2]
    return X, y, [(1, 4), (2, 6)]


def one_feature(rows=20, seed=0):
    """(X, y): a single column."""
    return from_few_columns(rows, 1, used=(0,), noise=0.5, seed=seed)


def separable(rows=30, columns=6, seed=0):
    """(X, labels): the sign of column 2 is the class, with a wide gap between the classes."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((rows, columns))
    labels = np.arange(rows) % 2
    X[:, 2] = (2 * labels - 1) * (3 + rng.random(rows))
    return X, labels


def rescaled(scale, rows=50, columns=10, seed=0):
    """(X, y, alpha): correlated columns times ``scale``, and an alpha that fits them."""
    X, y = correlated(rows, columns, seed=seed)
    return scale * X, y, scale**2


def mixed_scales(rows=40, columns=8, seed=0):
    """(X, y): columns from 1e-8 to 1e8 in size."""
    X, y = correlated(rows, columns, seed=seed)
    return X * 10.0 ** np.linspace(-8, 8, columns), y


def big_means(rows=40, columns=10, ratio=1e5, seed=0):
    """(X, y): every column has a mean of ``ratio`` times its spread."""
    X, y = correlated(rows, columns, seed=seed)
    signs = np.where(np.arange(columns) % 2 == 0, 1.0, -1.0)
    return X + ratio * signs, y


def nearly_collinear(rows=30, columns=8, distance=1e-6, seed=0):
    """(X, y): the second half of the columns is the first half plus noise of size ``distance``."""
    X, y = correlated(rows, columns, seed=seed)
    half = columns // 2
    X[:, half:] = X[:, : columns - half] + distance * X[:, half:]
    return X, y


def ill_conditioned(rows=24, columns=8, condition=1e12, seed=0):
    """(X, y): singular values of X, centred or not, fall evenly in size from 1 to 1 / condition.

    y is made of the left singular vectors in equal parts, so that the small ones matter too; every
    column has a share in all of them. An alpha that fits: a small part of the trace, which is that
    of X'X.
    """
    rng = np.random.default_rng(seed)
    rank = min(rows - 1, columns)
    left = np.hstack([np.ones((rows, 1)), rng.standard_normal((rows, rank))])
    left = np.linalg.qr(left)[0][:, 1:]
    right = np.linalg.qr(rng.standard_normal((columns, rank)))[0]
    X = left * np.geomspace(1, 1 / condition, rank) @ right.T
    return X, left @ rng.choice([-1.0, 1.0], size=rank) + 0.05 * rng.standard_normal(rows)


# --------------------------------------------------------------------------------- splits, weights


def groups_of_rows(rows, n_groups=5, seed=0):
    """Group numbers: groups of unequal sizes, two rows at least, in no order."""
    rng = np.random.default_rng(seed + 2000)
    groups = rng.choice(
        n_groups, size=rows, p=np.arange(1, n_groups + 1) / sum(range(n_groups + 1))
    )
    groups[: 2 * n_groups] = np.repeat(np.arange(n_groups), 2)
    return rng.permutation(groups)


def splitters(rows, y, groups):
    """{name: list of (training rows, held-out rows)}: every kind of hold-out.

    ``y`` are class labels of three rows each at least, or numbers, whose lower and upper half are
    the strata then. Some kinds hold a row out several times ("RepeatedKFold", "ShuffleSplit",
    "LeavePGroupsOut", "by hand"), some not all rows ("TimeSeriesSplit", "ShuffleSplit", "by hand").
    """
    y = np.asarray(y)
    first = y.reshape(rows, -1)[:, 0]
    strata = y if y.dtype.kind in "iu" and y.ndim == 1 else first > np.median(first)
    kinds = {
        "KFold": KFold(5),
        "KFold shuffled": KFold(4, shuffle=True, random_state=0),
        "StratifiedKFold": StratifiedKFold(3, shuffle=True, random_state=0),
        "RepeatedKFold": RepeatedKFold(n_splits=3, n_repeats=2, random_state=0),
        "TimeSeriesSplit": TimeSeriesSplit(3),
        "ShuffleSplit": ShuffleSplit(4, test_size=0.2, train_size=0.6, random_state=0),
    }
    of_groups = {"GroupKFold": GroupKFold(3), "LeavePGroupsOut": LeavePGroupsOut(2)}
    table = np.empty((rows, 0))
    splits = {name: list(kind.split(table, strata)) for name, kind in kinds.items()}
    for name, kind in of_groups.items():
        splits[name] = list(kind.split(table, strata, groups))
    return {**splits, "by hand": splits_by_hand(rows)}


def splits_by_hand(rows):
    """Splits that no splitter makes, unsorted; a, b, c and the last two rows make up all rows.

    Only b and two rows of a are ever held out, some of them twice; c is for training only, and the
    last two rows for nothing.
    """
    a, b, c = np.array_split(np.random.default_rng(rows).permutation(rows - 2), 3)
    return [
        (np.concatenate([b, c]), a[:2]),
        (np.concatenate([c, a]), b),
        (np.concatenate([c, b[2:], a]), b[:2]),
        (np.concatenate([b[1:], c]), a[:1]),
    ]


def weights(rows, kind, seed=0):
    """Sample weights: "none", "random" (0.1 to 3) or "zeros" (random, a quarter of them zero)."""
    if kind == "none":
        return None
    rng = np.random.default_rng(seed + 1000)
    values = rng.uniform(0.1, 3.0, size=rows)
    if kind == "zeros":
        values[rng.choice(rows, size=rows // 4, replace=False)] = 0.0
    return values
