"""Dask's route beside the one in memory, and the bytes that workers send each other."""

from __future__ import annotations

from typing import Any

import dask
import dask.array as da
import numpy as np

from benchmarks.report import Claim, Section, Table, number, seconds
from benchmarks.timing import ratio, side_by_side
from holdfast import ForwardRidge, RidgeCV
from holdfast.rows import as_rows
from holdfast.rows.moments import divided, full_moments
from holdfast.rows.row_blocks import Wanted, opened

SHAPES = {
    "quick": [(2000, 20)],
    "default": [(20_000, 100), (200_000, 100)],
    "full": [(20_000, 100), (200_000, 100), (200_000, 500), (1_000_000, 200)],
}
ROUNDS = {"quick": 2, "default": 3, "full": 7}
BLOCKS = 8
FOLDS = 5
SWEEPS = 10
MODELS = {
    "RidgeCV(cv=5)": lambda: RidgeCV(alphas=(1.0, 10.0, 100.0), cv=5),
    "ForwardRidge, 10 features": lambda: ForwardRidge(n_features_to_select=10),
}


def run(mode: str) -> Section:
    """Time both routes at equal data, on one thread; measure what travels on two processes."""
    section = Section("Dask")
    rows = [row for shape in SHAPES[mode] for row in _overhead(section, shape, ROUNDS[mode])]
    caption = (
        f"Median and range over {ROUNDS[mode]} interleaved rounds; {BLOCKS} persisted blocks, "
        "threads scheduler with one worker."
    )
    header = ["data", "route", "Dask / memory", "Dask", "memory"]
    section.tables.append(Table(caption, header, rows))
    section.tables.append(_travelled(section, SHAPES[mode][-1][1], mode != "quick"))
    return section


def _overhead(section: Section, shape: tuple[int, int], rounds: int) -> list[list[str]]:
    rng = np.random.default_rng(0)
    X = rng.standard_normal(shape)
    y = X[:, :12] @ np.arange(12.0, 0, -1) + rng.standard_normal(shape[0])
    rows = []
    with dask.config.set(scheduler="threads", num_workers=1):
        lazy = da.from_array(X, chunks=(-(-shape[0] // BLOCKS), shape[1])).persist()
        for name, model in MODELS.items():
            times = side_by_side(
                {
                    "dask": lambda model=model: model().fit(lazy, y),
                    "memory": lambda model=model: model().fit(X, y),
                },
                rounds=rounds,
            )
            ours, plain = times["dask"].answer.coef_, times["memory"].answer.coef_
            what = f"{shape[0]} x {shape[1]}"
            if not np.allclose(ours, plain, rtol=1e-9, atol=1e-9 * np.abs(plain).max()):
                section.rejected.append(f"{name} on {what}: coefficients differ")
                continue
            found = ratio(times["dask"], times["memory"])
            rows.append(
                [what, name, str(found)]
                + [seconds(times[key].median) for key in ("dask", "memory")]
            )
            section.raw[f"{name} {what}"] = {key: list(v.seconds) for key, v in times.items()}
    return rows


def _travelled(section: Section, n: int, binding: bool) -> Table:
    """Bytes from worker to worker: a sweep of moments, and one of a few products."""
    from distributed import Client, LocalCluster

    rows = []
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        X = da.random.default_rng(0).standard_normal((2000 * BLOCKS, n), chunks=(2000, n)).persist()
        m = X.shape[0]
        stored = as_rows(opened(X, Wanted()).table, np.zeros(m))
        parts = divided(stored, np.arange(m)[None] % FOLDS)
        sums = {
            f"moments of {FOLDS} folds": (
                lambda: full_moments(stored, parts, FOLDS),
                8 * FOLDS * (n + 2) ** 2,
            ),
            "products of 24 vectors": (lambda: stored.sweep(_product, None, 24), 8 * 24 * n),
        }
        for name, (sweep, size) in sums.items():
            sweep()  # what is sent to the rows once is sent
            before = sum(client.run(_received).values())
            for _ in range(SWEEPS):
                sweep()
            moved = (sum(client.run(_received).values()) - before) / SWEEPS
            bound = size * (BLOCKS - 1)
            rows.append([name, str(n), number(moved / 1e3), number(bound / 1e3)])
            section.claims.append(
                Claim(
                    f"bytes between workers / formula, {name}, n = {n}",
                    moved / bound,
                    1.1,
                    "at most",
                    binding,
                )
            )
    caption = (
        f"Two worker processes, {BLOCKS} blocks of 2000 rows ({number(16e-3 * n)} MB each). "
        "Formula: the totals of a block times the blocks whose totals travel at most, all but one. "
        f"Mean of {SWEEPS} sweeps after the first. When a worker is idle Dask may copy a block to "
        "it, which counts here and is in no formula."
    )
    return Table(caption, ["sweep", "columns", "moved, kB", "formula, kB"], rows)


def _product(block: Any, state: Any, count: int) -> Any:
    from holdfast.rows.sums import Totals

    return Totals({"product": block.cross(np.ones((count, len(block.weights))))}), state


def _received(dask_worker: Any) -> int:
    return sum(entry["total"] for entry in dask_worker.transfer_incoming_log)
