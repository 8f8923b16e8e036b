"""The benchmark runs from end to end: answers judged, tables and files written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_quick_mode_accepts_every_answer_and_writes_its_files(tmp_path):
    command = [sys.executable, "-m", "benchmarks.forward_leave_one_out", "--quick"]
    done = subprocess.run(
        [*command, "--output", str(tmp_path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    stored = json.loads((tmp_path / "forward_leave_one_out_quick.json").read_text())
    sections = stored["sections"]
    assert list(sections) == ["algorithm2", "products", "memory", "text", "grid", "growth", "peers"]
    assert all(not section["rejected"] for section in sections.values())
    page = (tmp_path / "forward_leave_one_out_quick.md").read_text()
    assert "MISSED" not in page
    assert "holdfast ForwardRidge" in page
