"""The memory a fit takes, measured in a process of its own.

``python -m benchmarks.child '{"problem": "planted", ...}'`` prints one JSON record:

- ``traced``: peak of what the fit allocated through Python and NumPy, by ``tracemalloc``;
- ``resident``: growth of the process's high-water mark of resident memory during the fit, where
  the system lets the mark be reset (Linux), else null;
- ``process``: the high-water mark of the whole process, interpreter, libraries and data included.

Traced and resident memory come from two fits, because tracing costs memory itself.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.fold_problems import FoldProblem, windowed
from benchmarks.kernel_problems import smooth
from benchmarks.peers import holdfast_hold_out
from benchmarks.problems import Problem, correlated, mostly_noise, newsgroups, planted

FOLD_SEARCHES = {
    "penalty": holdfast_hold_out.PENALTY,
    "forward": holdfast_hold_out.FORWARD,
    "backward": holdfast_hold_out.BACKWARD,
}


def measure(**task: Any) -> dict[str, Any]:
    """Run one task in a fresh process and return its record."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.child", json.dumps(task)],
        check=True,
        capture_output=True,
        text=True,
        cwd=Path(__file__).resolve().parents[1],
    )
    return dict(json.loads(done.stdout))


def main(task: dict[str, Any]) -> None:
    """Build the problem, fit, print the record."""
    fit, warm_up = _work(task)
    warm_up()  # imports happen here, not in what is measured
    before = _resident("VmRSS") if _reset_mark() else None
    fit()
    record: dict[str, Any] = {"resident": None, "traced": None}
    if before is not None:
        record["resident"] = _resident("VmHWM") - before
    record["process"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    if task.get("trace", True):
        tracemalloc.start()
        fit()
        record["traced"] = tracemalloc.get_traced_memory()[1]
    print(json.dumps(record))


def _work(task: dict[str, Any]) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Return the fit of the task, its problem built, and a tiny fit of the same kind."""
    if task["problem"] == "windowed":
        solve = FOLD_SEARCHES[task["search"]].solve
        folded, tiny = _windowed(task), windowed(60, 8, 3, 2, 4)
        return (lambda: solve(folded)), (lambda: solve(tiny))
    if task["problem"] == "kernel":
        return (lambda: _fit_kernel(**task)), (lambda: None)
    if task["problem"] == "evidence":
        return (lambda: _fit_evidence(**task)), (lambda: None)
    problem, alphas = _problem(task), task.get("alphas", 1.0)
    return (lambda: _fit(problem, alphas)), (lambda: _fit(planted(30, 5, 2), 1.0))


def _windowed(task: dict[str, Any]) -> FoldProblem:
    return windowed(task["m"], task["n"], task["splits"], task["n_alphas"], task["n_features"])


def _problem(task: dict[str, Any]) -> Problem:
    if task["problem"] == "newsgroups":
        return newsgroups(task["n_features"])
    shape = (task["rows"], task["columns"], task["n_features"])
    if task["problem"] == "planted":
        return planted(*shape, order=task["order"])
    return {"correlated": correlated, "mostly_noise": mostly_noise}[task["problem"]](*shape)


def _fit(problem: Problem, alphas: float | list[float]) -> None:
    from holdfast import ForwardRidge

    ForwardRidge(alphas=alphas, n_features_to_select=problem.n_features).fit(problem.X, problem.y)


def _fit_kernel(m: int, columns: int, n_basis: int, work: str, **_: Any) -> None:
    from holdfast import SparseKernelRidge
    from holdfast.estimators import basis_models

    if work == "streamed":
        basis_models.spare_bytes = lambda X: 4 * m * n_basis
    problem = smooth(m, n_basis, 20, columns)
    model = SparseKernelRidge(
        alphas=problem.alphas,
        gamma=problem.gamma,
        basis=problem.basis,
        cv=10 if work == "10 folds" else None,
    ).fit(problem.X, problem.y)
    if "held out" in work:
        model.holdout_predict(range(1000))


def _fit_evidence(m: int, columns: int, k: int, **_: Any) -> None:
    from benchmarks.claims.evidence_growth import fitted

    problem = smooth(m, 1, 1, columns)
    fitted(problem.X, problem.y, k)


def _reset_mark() -> bool:
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return False
    return True


def _resident(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise ValueError(
        f"/proc/self/status has no line {field}, expected one as on Linux; "
        "leave this part out with --only"
    )


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
