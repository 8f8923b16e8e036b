"""The benchmarks run from end to end: answers judged, tables and files written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import holdfast

ROOT = Path(__file__).resolve().parents[2]
SECTIONS = {
    "forward_leave_one_out": "algorithm2 products memory text grid growth peers",
    "generalised_lars": "liblinear liblinear_reuters least_squares scikit_learn literal memory",
    "hold_out": "penalty forward backward growth memory peers",
    "evidence": "growth process peers memory",
    "kernel": "selection full growth peers memory",
    "larger_than_memory": "chunks dask large_penalty large_forward large_kernel",
    "maps": "entropy reservoir penalty",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "contestant"),
    [
        ("forward_leave_one_out", "holdfast ForwardRidge"),
        ("larger_than_memory", "RidgeCV"),
        ("generalised_lars", "made-up text"),
        ("evidence", "holdfast RelevanceVectorRegressor"),
        ("kernel", "SparseKernelRidge"),
        ("maps", "reservoirpy"),
        pytest.param(
            "hold_out",
            "holdfast RidgeCV",
            marks=pytest.mark.skipif(
                not hasattr(holdfast, "FoldMoments"), reason="holdfast has no FoldMoments yet"
            ),
        ),
    ],
)
def test_quick_mode_accepts_every_answer_and_writes_its_files(tmp_path, name, contestant):
    command = [sys.executable, "-m", f"benchmarks.{name}", "--quick", "--output", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    stored = json.loads((tmp_path / f"{name}_quick.json").read_text())
    sections = stored["sections"]
    assert list(sections) == SECTIONS[name].split()
    assert all(not section["rejected"] for section in sections.values())
    page = (tmp_path / f"{name}_quick.md").read_text()
    assert "MISSED" not in page
    assert contestant in page
