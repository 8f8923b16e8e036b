"""A file of gigabytes, each fit once: time, readings and bytes, beside the same in memory.

In full the file is 1 000 000 x 500 of float32, 2 GB. What is counted as read are the bytes that the
chunks of the file brought, so that readings are a measurement and no formula.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import dask
import dask.array as da
import numpy as np

from benchmarks.claims.chunked_reading import read_once, write_file
from benchmarks.report import Claim, Section, Table, number, seconds
from benchmarks.timing import ratio, side_by_side
from holdfast import ForwardRidge, RidgeCV, SparseKernelRidge
from holdfast.rows.array_file import ArrayFile

SHAPES = {"quick": (3000, 40), "default": (200_000, 200), "full": (1_000_000, 500)}
CHUNK_BYTES = 1 << 26
SELECTED = 10
BASIS = 100
AT_MOST = 1.5
"""Readings for every selected feature."""


@dataclass(frozen=True)
class LargeFile:
    """One model on the file; a question of the benchmark.

    Attributes
    ----------
    name : str
        What is fitted.
    model : callable
        Makes it.
    output : str
        What is compared with the fit in memory.
    through_dask : bool
        Whether Dask reads the file too.
    selected : int or None
        Features selected, of a search.
    """

    name: str
    model: Callable[[], Any]
    output: str
    through_dask: bool
    selected: int | None = None

    def run(self, mode: str) -> Section:
        """Write the file, fit, judge, count."""
        section = Section(f"A large file: {self.name}")
        shape = SHAPES[mode]
        with tempfile.TemporaryDirectory() as folder:
            path, y = write_file(Path(folder), *shape)
            self._measure(section, path, y, shape, binding=mode != "quick")
        return section

    def _measure(
        self, section: Section, path: Path, y: np.ndarray, shape: tuple[int, int], *, binding: bool
    ) -> None:
        X = np.load(path, mmap_mode="r").view(np.ndarray)
        with counted_bytes() as count:
            contestants: dict[str, Callable[[], Any]] = {
                "bare reading": lambda: read_once(path),
                "file": lambda: self.model().fit(path, y),
                "array": lambda: self.model().fit(X, y),
            }
            if self.through_dask:
                contestants["Dask"] = lambda: self._through_dask(path, y)
            times = side_by_side(contestants, rounds=1, warm_up=False)
        plain = getattr(times["array"].answer, self.output)
        for route in ("file", "Dask") if self.through_dask else ("file",):
            apart = np.abs(getattr(times[route].answer, self.output) - plain).max()
            if not apart <= 1e-9 * np.abs(plain).max():
                section.rejected.append(
                    f"{route}: {self.output} is {apart:.1e} from that in memory"
                )
        readings = count[0] / X.nbytes
        if self.selected:
            section.claims.append(
                Claim(
                    f"readings per selected feature at {shape[0]} x {shape[1]}",
                    readings / self.selected,
                    AT_MOST,
                    "at most",
                    binding,
                )
            )
        rows = []
        for route, time in times.items():
            (taken,), (busy,) = time.seconds, time.processor_seconds
            read = {"file": readings, "bare reading": 1.0}.get(route)
            rows.append(
                [
                    route,
                    str(ratio(time, times["array"])),
                    seconds(taken),
                    seconds(busy),
                    "" if read is None else number(read),
                    number(shape[0] / taken),
                    "" if read is None else number(read * X.nbytes / taken / 1e6),
                ]
            )
        section.raw["seconds"] = {
            route: [*time.seconds, *time.processor_seconds] for route, time in times.items()
        }
        section.raw["bytes read"] = count[0]
        caption = (
            f"{self.name} on {shape[0]} x {shape[1]} of float32, {number(X.nbytes / 1e6)} MB, one "
            "fit each in this order, one thread, the page cache as the system left it. Array: the "
            "same file mapped, read in place. Readings: bytes that chunks brought / bytes of the "
            "file, opening included. Rows/s: rows of the file / time of the fit."
        )
        header = ["route", "/ array", "time", "processor", "readings", "rows/s", "MB/s read"]
        section.tables.append(Table(caption, header, rows))

    def _through_dask(self, path: Path, y: np.ndarray) -> Any:
        X = np.load(path, mmap_mode="r")
        length = max(1, CHUNK_BYTES // (X.itemsize * X.shape[1]))
        starts = range(0, len(X), length)
        load = dask.delayed(_load_rows)
        blocks = [
            da.from_delayed(
                load(str(path), start, start + length),
                (min(length, len(X) - start), X.shape[1]),
                X.dtype,
            )
            for start in starts
        ]
        with dask.config.set(scheduler="threads", num_workers=1):
            return self.model().fit(da.concatenate(blocks), y)


def _load_rows(path: str, start: int, stop: int) -> np.ndarray:
    return np.array(np.load(path, mmap_mode="r")[start:stop])


@contextmanager
def counted_bytes() -> Iterator[list[int]]:
    """Bytes that chunks and single rows of array files bring."""
    count = [0]

    def counting(usual: Callable[..., Any]) -> Callable[..., Any]:
        def read(*asked: Any) -> Any:
            raw = usual(*asked)
            count[0] += raw.nbytes
            return raw

        return read

    with (
        mock.patch.object(ArrayFile, "read", counting(ArrayFile.read)),
        mock.patch.object(ArrayFile, "read_rows", counting(ArrayFile.read_rows)),
    ):
        yield count


PENALTY = LargeFile(
    "RidgeCV(cv=5)",
    lambda: RidgeCV(alphas=(1.0, 10.0, 100.0), cv=5),
    "coef_",
    through_dask=True,
)
FORWARD = LargeFile(
    f"ForwardRidge, {SELECTED} features",
    lambda: ForwardRidge(n_features_to_select=SELECTED),
    "coef_",
    through_dask=False,
    selected=SELECTED,
)
KERNEL = LargeFile(
    f"SparseKernelRidge, {BASIS} basis vectors",
    lambda: SparseKernelRidge(alphas=(0.1, 1.0, 10.0), n_basis=BASIS, random_state=0),
    "alpha_errors_",
    through_dask=False,
)
