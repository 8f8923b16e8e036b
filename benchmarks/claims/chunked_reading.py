"""Chunks of a file beside the same numbers in memory, bare reading, and bare ``X.T @ X``."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dask
import dask.array as da
import numpy as np

from benchmarks.report import Claim, Section, Table, number, seconds
from benchmarks.timing import Timing, ratio, side_by_side
from holdfast import ForwardRidge, RidgeCV, RowBlocks

SHAPES = {
    "quick": [(3000, 40)],
    "default": [(300_000, 100), (60_000, 500)],
    "full": [(300_000, 100), (60_000, 500), (4_000_000, 100)],
}
ROUNDS = {"quick": 2, "default": 3, "full": 7}
AT_MOST = 1.5
MODELS = {
    "RidgeCV(cv=5)": lambda: RidgeCV(alphas=(1.0, 10.0, 100.0), cv=5),
    "ForwardRidge, 10 features": lambda: ForwardRidge(n_features_to_select=10),
}


def run(mode: str) -> Section:
    """Time the routes on float32 files; the page cache is warm, as in later readings of a fit."""
    section = Section("Chunks of a file")
    rows: list[list[str]] = []
    for shape in SHAPES[mode]:
        with tempfile.TemporaryDirectory() as folder:
            rows += _measure(section, Path(folder), shape, mode)
    header = ["file", "route", "file / memory", "file / bare reading", "file", "memory"]
    header += ["reading", "rows/s", "MB/s"]
    caption = (
        f"Median and range over {ROUNDS[mode]} interleaved rounds, .npy of float32 in a warm page "
        "cache. Bare reading: every chunk of 64 MB read by NumPy and summed. Rows and bytes of the "
        "file by the time of one fit, whatever it reads how often. X.T @ X: dask.array with its "
        "threads scheduler (one worker) on the same file, in float32."
    )
    section.tables.append(Table(caption, header, rows))
    return section


def _measure(section: Section, folder: Path, shape: tuple[int, int], mode: str) -> list[list[str]]:
    path, y = write_file(folder, *shape)
    X = np.load(path)
    size, rows = X.nbytes / 1e6, []
    for name, model in MODELS.items():
        contestants: dict[str, Callable[[], Any]] = {
            "file": lambda model=model: model().fit(RowBlocks(path), y),
            "memory": lambda model=model: model().fit(X, y),
            "reading": lambda: read_once(path),
            "X.T @ X": lambda: _products(path),
        }
        times = side_by_side(contestants, rounds=ROUNDS[mode])
        what = f"{shape[0]} x {shape[1]} ({number(size)} MB)"
        if not _judged(section, times, f"{name} on {what}"):
            continue
        overhead = ratio(times["file"], times["memory"])
        section.claims.append(
            Claim(
                f"file / memory, {name} on {what}",
                overhead.median,
                AT_MOST,
                "at most",
                mode != "quick",
                spread=overhead.spread,
            )
        )
        taken = times["file"].median
        reading, products = ratio(times["file"], times["reading"]), times["X.T @ X"].median
        others = [seconds(times[key].median) for key in ("memory", "reading")]
        speeds = [number(shape[0] / taken), number(size / taken)]
        rows.append([what, name, str(overhead), str(reading), seconds(taken), *others, *speeds])
        section.notes.append(
            f"{name} on {what}: bare dask.array X.T @ X took {seconds(products)}, "
            f"{number(size / products)} MB/s; ours / X.T @ X "
            f"{ratio(times['file'], times['X.T @ X'])}."
        )
        section.raw[f"{name} {what}"] = {key: list(value.seconds) for key, value in times.items()}
    return rows


def write_file(folder: Path, m: int, n: int) -> tuple[Path, np.ndarray]:
    """A file of standard normal float32, and targets from its first twelve columns."""
    rng = np.random.default_rng(0)
    path = folder / "X.npy"
    X = np.lib.format.open_memmap(path, "w+", np.float32, (m, n))
    for start in range(0, m, 100_000):
        rows = slice(start, min(start + 100_000, m))
        X[rows] = rng.standard_normal((rows.stop - rows.start, n), dtype=np.float32)
    X.flush()
    y = X[:, :12].astype(float) @ np.arange(12.0, 0, -1) + rng.standard_normal(m)
    return path, y


def _judged(section: Section, times: dict[str, Timing], what: str) -> bool:
    """Whether the model of the file is that of the array."""
    ours, plain = times["file"].answer.coef_, times["memory"].answer.coef_
    if np.allclose(ours, plain, rtol=1e-9, atol=1e-9 * np.abs(plain).max()):
        return True
    section.rejected.append(f"{what}: coefficients differ by {np.abs(ours - plain).max():.1e}")
    return False


def read_once(path: Path) -> float:
    """Every number of the file, once."""
    X = np.load(path, mmap_mode="r")
    length = max(1, (1 << 26) // (4 * X.shape[1]))
    return sum(
        float(np.array(X[start : start + length]).sum()) for start in range(0, len(X), length)
    )


def _products(path: Path) -> np.ndarray:
    X = np.load(path, mmap_mode="r")
    lazy = da.from_array(X, chunks=(max(1, (1 << 26) // (4 * X.shape[1])), X.shape[1]))
    with dask.config.set(scheduler="threads", num_workers=1):
        return np.asarray((lazy.T @ lazy).compute())
