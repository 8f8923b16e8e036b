"""Dask's route beside the one in memory, and the bytes that workers send each other."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any
from unittest import mock

import dask
import dask.array as da
import numpy as np

from benchmarks.report import Claim, Section, Table, number, seconds
from benchmarks.timing import ratio, side_by_side
from holdfast import ForwardRidge, RidgeCV
from holdfast.rows import as_rows
from holdfast.rows.dask import DaskRows
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
SELECTED = 5
CLAIMED = 1000
WIDTHS = {"quick": [20], "default": [100, 1000], "full": [100, 1000]}
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
    section.tables.append(_travelled(section, WIDTHS[mode], mode != "quick"))
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


def _travelled(section: Section, widths: list[int], binding: bool) -> Table:
    """Bytes from worker to worker: a sweep of moments, one of a few products, a search."""
    from distributed import Client, LocalCluster

    rows = []
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        for n in widths:
            for name, moved, bound in _moved(client, n):
                rows.append([name, str(n), number(moved / 1e3), number(bound / 1e3)])
                section.claims.append(
                    Claim(
                        f"bytes between workers / formula, {name}, n = {n}",
                        moved / bound,
                        1.1,
                        "at most",
                        binding and n >= CLAIMED,
                    )
                )
    caption = (
        f"Two worker processes, {BLOCKS} blocks of 2000 rows (16 kB for every column). Formula: "
        "the totals of a block times the blocks whose totals travel at most, all but one; of a "
        "search the totals of all its sweeps, and what the blocks of a sweep share, pickled, once, "
        f"to the worker that does not have it. Mean of {SWEEPS} sweeps after the first, or of "
        f"{SELECTED} selected features. When a worker is idle Dask may copy a block or a state to "
        "it, which counts here and is in no formula: where totals are small it is all that counts, "
        f"and nothing is claimed below {CLAIMED} columns."
    )
    return Table(caption, ["sweep", "columns", "moved, kB", "formula, kB"], rows)


def _moved(client: Any, n: int) -> Iterator[tuple[str, float, float]]:
    """What travels, and what the formula says: of two sweeps, and of a search for a feature."""
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
        before = _all_received(client)
        for _ in range(SWEEPS):
            sweep()
        yield name, (_all_received(client) - before) / SWEEPS, size * (BLOCKS - 1)
    y = np.asarray(X[:, :SELECTED].sum(axis=1)) + np.random.default_rng(1).standard_normal(m)
    model = ForwardRidge(n_features_to_select=SELECTED)
    model.fit(X, y)
    totals: list[int] = []
    shared: list[int] = []
    before = _all_received(client)
    usual = DaskRows.sweep

    def sweep(*asked: Any) -> Any:
        reported, states = usual(*asked)
        shared.append(len(pickle.dumps(asked[-1])))
        arrays = [*reported.sums.values(), *reported.largest.values()]
        totals.append(sum(np.asarray(one).nbytes for one in arrays))
        return reported, states

    with mock.patch.object(DaskRows, "sweep", sweep):
        model.fit(X, y)
    moved = (_all_received(client) - before) / SELECTED
    bound = (sum(totals) * (BLOCKS - 1) + sum(shared)) / SELECTED
    yield "ForwardRidge, a feature", moved, bound


def _all_received(client: Any) -> int:
    return sum(client.run(_received).values())


def _product(block: Any, state: Any, count: int) -> Any:
    from holdfast.rows.sums import Totals

    return Totals({"product": block.cross(np.ones((count, len(block.weights))))}), state


def _received(dask_worker: Any) -> int:
    return sum(entry["total"] for entry in dask_worker.transfer_incoming_log)
