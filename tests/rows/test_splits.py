"""Splits as sums of parts: every set is put together from its parts again."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)

from holdfast.rows.splits import Splits

ROWS = 30
GROUPS = np.random.default_rng(0).integers(0, 5, ROWS)
NEVER_HELD_OUT = np.where(np.arange(ROWS) % 5 == 0, -1, np.arange(ROWS) % 4)


def assert_true_to(splits, pairs):
    """Rows whose part a split takes are exactly its rows, each as often as it stands there."""
    assert splits.labels.shape[1] == ROWS
    for number, given in enumerate(pairs):
        for taken, rows in zip((splits.train[number], splits.held[number]), given, strict=True):
            times = taken[splits.labels].sum(axis=0)
            assert_array_equal(times, np.bincount(rows, minlength=ROWS))
    assert_array_equal(splits.whole[splits.labels].sum(axis=0), 1)


@pytest.mark.parametrize(
    ("cv", "parts"),
    [
        (KFold(4), 4),
        (KFold(4, shuffle=True, random_state=0), 4),
        (GroupKFold(3), 3),
        (LeaveOneOut(), ROWS),
        (PredefinedSplit(NEVER_HELD_OUT), 4 + 1),
    ],
    ids=str,
)
def test_complements_have_a_part_for_every_split(cv, parts):
    groups = GROUPS if isinstance(cv, GroupKFold) else None
    pairs = list(cv.split(np.zeros(ROWS), groups=groups))
    splits = Splits.of(pairs, ROWS)
    assert (len(splits), splits.n_parts, len(splits.labels)) == (len(pairs), parts, 1)
    assert_true_to(splits, pairs)


@pytest.mark.parametrize(
    "cv",
    [
        TimeSeriesSplit(4),
        TimeSeriesSplit(3, gap=2),
        ShuffleSplit(5, test_size=0.3, random_state=0),
        ShuffleSplit(40, test_size=0.3, train_size=0.5, random_state=0),
        RepeatedKFold(n_splits=3, n_repeats=3, random_state=0),
    ],
    ids=str,
)
def test_all_other_splits(cv):
    pairs = list(cv.split(np.zeros(ROWS)))
    assert_true_to(Splits.of(pairs, ROWS), pairs)


@pytest.mark.parametrize("count", range(1, 4))
def test_splits_that_share_held_out_rows_or_leave_rows_unused(count):
    """As many rows as there are, in all, though they are not those of complements."""
    every = np.arange(ROWS)
    twice = [(every[5:], every[:5])] * count
    assert_true_to(Splits.of(twice, ROWS), twice)
    unused = [(every[10:], every[:5]), (np.r_[0:5, 20:ROWS], every[5:20])][:count]
    assert_true_to(Splits.of(unused, ROWS), unused)
