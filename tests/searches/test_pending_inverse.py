"""The inverse that grows, shrinks and changes, against the inverse of what it stands for."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from holdfast.searches import pending_inverse
from holdfast.searches.pending_inverse import PendingInverse


@pytest.mark.parametrize("waiting", [2, 48])
def test_lines_and_rows_come_and_go(waiting, monkeypatch):
    monkeypatch.setattr(pending_inverse, "_WAITING", waiting)
    monkeypatch.setattr(pending_inverse, "_ROOM", 2)
    rng = np.random.default_rng(0)
    inverse, matrix = PendingInverse(12), np.zeros((0, 0))
    whole = rng.standard_normal((40, 12))
    whole = whole.T @ whole + np.eye(12)
    lines = []
    for event in range(120):
        size = len(lines)
        kind = rng.integers(3)
        if (kind == 0 or size < 2) and size < 12:
            new = rng.choice(np.setdiff1d(np.arange(12), lines))
            line = whole[new, lines] if lines else np.zeros(0)
            border = np.append(line, whole[new, new] + event)
            inner = inverse.times(line) if lines else line
            inverse.grow(inner, float(border[-1] - line @ inner))
            matrix = np.block([[matrix, line[:, None]], [border[None]]])
            lines.append(int(new))
        elif kind == 1 and size > 2:
            gone = int(rng.integers(size))
            square = np.linalg.inv(matrix)[gone, gone]
            assert_allclose(inverse.shrink(gone), square, rtol=1e-8)
            # The last line takes the place.
            order = np.arange(size)
            order[gone] = size - 1
            lines = [lines[place] for place in order[:-1]]
            matrix = matrix[np.ix_(order[:-1], order[:-1])]
        else:
            x = rng.standard_normal(size) * (rng.random(size) < 0.4)
            u = inverse.times(x)
            inverse.change(u, -1 / (1 + x @ u))
            matrix = matrix + np.outer(x, x)
        vector = rng.standard_normal(len(lines))
        assert_allclose(inverse.times(vector), np.linalg.solve(matrix, vector), atol=1e-9)
    assert_allclose(inverse.whole(), np.linalg.inv(matrix), atol=1e-9)
