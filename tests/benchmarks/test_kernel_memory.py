"""The memory that sparse kernel ridge promises, in a process of its own."""

from __future__ import annotations

import pytest
from benchmarks.child import measure


@pytest.mark.slow
def test_a_hundred_thousand_rows_with_a_thousand_basis_vectors_fit():
    """2.5 GB for interpreter, libraries, data and fit; a matrix over all rows would be 80 GB."""
    for work in ("leave-one-out", "streamed"):
        record = measure(
            problem="kernel", work=work, trace=False, m=100_000, columns=20, n_basis=1000
        )
        assert record["process"] < 2.5e9
