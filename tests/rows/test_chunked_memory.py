"""Data on disk that are larger than the memory of the process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.rows.limited import FITS

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="RLIMIT_DATA counts allocations on Linux only"
)


def genotypes(folder, m, n, seed=0):
    """An int8 file of 0, 1, 2, written a few rows at a time, and y from ten of its columns."""
    rng = np.random.default_rng(seed)
    frequencies = rng.uniform(0.05, 0.5, n)
    X = np.lib.format.open_memmap(folder / "X.npy", "w+", np.int8, (m, n))
    for start in range(0, m, 250):
        rows = slice(start, min(start + 250, m))
        draws = rng.random((rows.stop - rows.start, n), dtype=np.float32)
        X[rows] = (draws < frequencies).astype(np.int8) + (draws < frequencies**2)
    X.flush()
    used = rng.choice(n, 10, replace=False)
    y = X[:, used] @ rng.uniform(0.5, 2, 10) + rng.standard_normal(m)
    np.save(folder / "y.npy", y)
    return X, y


def fit_limited(folder, fit, limit, memory=None):
    task = {
        "X": str(folder / "X.npy"),
        "y": str(folder / "y.npy"),
        "fit": fit,
        "limit": limit,
        "memory": memory,
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.rows.limited", json.dumps(task)],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[2],
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
    )
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """90 MB of small integers: 720 MB as floats."""
    folder = tmp_path_factory.mktemp("genotypes")
    genotypes(folder, 300_000, 300)
    return folder


def test_what_does_not_fit_does_not_fit(folder):
    """The limit is one: without chunks the same fit runs out of memory."""
    assert fit_limited(folder, "in memory", 450_000_000) == {"out of memory": True}


@pytest.mark.parametrize("fit", [pytest.param("penalty", marks=pytest.mark.slow), "folds"])
def test_a_file_larger_than_memory(folder, fit):
    found = fit_limited(folder, fit, 450_000_000, memory=40_000_000)
    plain = FITS[fit](
        np.load(folder / "X.npy", mmap_mode="r").view(np.ndarray), np.load(folder / "y.npy")
    )
    assert_allclose(found["coef"], plain.coef_[np.flatnonzero(plain.coef_)], rtol=1e-9)


@pytest.mark.slow
def test_kernel_columns_larger_than_memory(folder):
    """300 of them, 720 MB, are made whenever they are read."""
    found = fit_limited(folder, "kernel", 450_000_000, memory=40_000_000)
    X = np.load(folder / "X.npy", mmap_mode="r").view(np.ndarray)
    plain = FITS["kernel"](X, np.load(folder / "y.npy"))
    assert_allclose(found["errors"], plain.alpha_errors_, rtol=1e-9)
    size = np.abs(plain.dual_coef_).max()
    assert_allclose(found["coef"], plain.dual_coef_, rtol=1e-9, atol=1e-9 * size)


@pytest.mark.slow
def test_genotypes_in_a_gigabyte(tmp_path):
    """5000 x 400 000 (2 GB, 16 GB as floats): 20 features with less than 1 GB, all told."""
    X, y = genotypes(tmp_path, 5000, 400_000)
    found = fit_limited(tmp_path, "forward", 1_000_000_000)
    plain = FITS["forward"](X.view(np.ndarray), y)  # in place, as an array
    assert found["order"] == plain.selection_order_.tolist()
    assert_allclose(found["errors"], plain.path_errors_, rtol=1e-9)
