"""Table 4: fixed-size LS-SVM on a simulated heat exchanger, 100 basis vectors.

The liquid-saturated steam exchanger of the paper is not at hand and replaced by a simulated one;
`NOTE` describes it.
"""

from __future__ import annotations

from pathlib import Path

import figures
import numpy as np
import table
from benchmarks.timing import one_thread
from methods import compare
from task import Task, nrmse

from holdfast import KernelBasis, TimeWindows

NOTE = """\
Simulated: the flow q steps at random times (every 20 steps on average) to values in [0.2, 1]; the
wall follows the settled temperature T(q) = 100 - 55 (1 - exp(-0.4 / q)) after a delay of 3 steps
with a rate of 0.1 + 0.25 q, the outlet follows the wall with 0.3; measured with noise of deviation
0.4. The outlet 20 steps ahead is predicted from the last 10 flows and outlets and the 20 flows to
come (known to who sets them), by 100 Nystrom features of an rbf kernel (gamma = 1 / (2 columns));
3800 rows to train, 2000 to test. {machine}."""
AHEAD, LAGS = 20, 10


def simulated(n_steps: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Flow and measured outlet temperature."""
    random = np.random.default_rng(seed)
    flow = np.empty(n_steps)
    level = 0.5
    for step in range(n_steps):
        if random.uniform() < 1 / 20:
            level = random.uniform(0.2, 1.0)
        flow[step] = level
    settled = 100 - 55 * (1 - np.exp(-0.4 / flow))
    wall, outlet = np.full(n_steps, settled[0]), np.full(n_steps, settled[0])
    for step in range(3, n_steps):
        rate = 0.1 + 0.25 * flow[step - 3]
        wall[step] = wall[step - 1] + rate * (settled[step - 3] - wall[step - 1])
        outlet[step] = outlet[step - 1] + 0.3 * (wall[step] - outlet[step - 1])
    return flow, outlet + 0.4 * random.standard_normal(n_steps)


def run(mode: str, output: Path) -> dict:
    """Simulate, make features, run every method."""
    n_training, n_test = (300, 200) if mode == "quick" else (3800, 2000)
    n_basis = 20 if mode == "quick" else 100
    flow, outlet = simulated(n_training + n_test + LAGS + AHEAD)
    past = TimeWindows(lags=LAGS).fit_transform(np.column_stack([flow, outlet]))
    to_come = TimeWindows(lags=AHEAD).fit_transform(flow[:, None])
    now = np.arange(LAGS, len(flow) - AHEAD)
    rows = np.hstack([past[now], to_come[now + AHEAD]])
    target = outlet[now + AHEAD]
    mean, spread = rows[:n_training].mean(axis=0), rows[:n_training].std(axis=0)
    rows = (rows - mean) / spread
    with one_thread() as machine:
        kernel = KernelBasis(n_basis=n_basis, gamma=0.5 / rows.shape[1], random_state=0)
        features = kernel.fit(rows[:n_training]).transform(rows)
        task = Task(
            "heat exchanger",
            features[:n_training],
            target[:n_training],
            10,
            50,
            features[n_training:],
            nrmse(target[n_training:]),
        )
        found = compare(task, mode)
    figures.store_and_draw(
        found, output, "exchanger", "Fixed-size LS-SVM, heat exchanger", "test error (NRMSE)"
    )
    return {
        "title": "Table 4: fixed-size LS-SVM, a simulated heat exchanger (NRMSE x 10)",
        "table": table.one_task(found, 10, "x 10"),
        "quantities": table.quantities(found),
        "notes": [NOTE.format(machine=machine)],
    }
