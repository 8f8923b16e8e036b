"""The papers' scripts run from end to end, at tiny sizes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.slow
def test_greedy_rls_scaling_runs_and_its_methods_agree(tmp_path):
    _run("greedy-rls-2010", "scaling", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "figure3.csv",
        "figure3.png",
        "scaling.md",
    }


@pytest.mark.slow
@pytest.mark.data
def test_greedy_rls_gene_expression_runs(tmp_path, data_folder):
    _run("greedy-rls-2010", "gene_expression", tmp_path, HOLDFAST_DATA=str(data_folder))
    assert (tmp_path / "gene_expression.md").exists()


@pytest.mark.slow
@pytest.mark.data
def test_lars_svm_figure_runs(tmp_path, data_folder):
    _run("lars-svm-2005", "figure1", tmp_path, HOLDFAST_DATA=str(data_folder))
    assert {path.name for path in tmp_path.iterdir()} == {
        "groups",
        "figure1.csv",
        "figure1.md",
        "figure1.png",
    }


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("part", ["table1", "figure1"])
def test_evidence_forward_runs(tmp_path, data_folder, part):
    _run("evidence-forward-2006", part, tmp_path, HOLDFAST_DATA=str(data_folder))
    assert (tmp_path / f"{part}.md").exists()
    assert (tmp_path / f"{part}.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("part", ["speed", "sinusoid", "greedy", "clustered"])
def test_sparse_rls_holdout_runs_and_its_methods_agree(tmp_path, part):
    _run("sparse-rls-holdout-2012", part, tmp_path)
    assert (tmp_path / f"{part}.md").exists()


@pytest.mark.slow
@pytest.mark.data
def test_sparse_rls_holdout_on_real_data_runs(tmp_path, data_folder):
    _run("sparse-rls-holdout-2012", "variance", tmp_path, HOLDFAST_DATA=str(data_folder))
    assert (tmp_path / "figures1-4.png").exists()


@pytest.mark.slow
def test_ridge_cv_selection_runs(tmp_path):
    _run("ridge-cv-selection-2013", "exchanger", tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {
        "exchanger.md",
        "exchanger.png",
        "exchanger_paths.csv",
        "exchanger_times.csv",
    }


@pytest.mark.slow
@pytest.mark.data
@pytest.mark.parametrize("part", ["reservoir", "windows", "adult", "layers"])
def test_ridge_cv_selection_on_real_data_runs(tmp_path, part, data_folder):
    _run("ridge-cv-selection-2013", part, tmp_path, HOLDFAST_DATA=str(data_folder))
    assert (tmp_path / f"{part}.md").exists()
    assert (tmp_path / f"{part}.png").exists()


def _run(paper, part, output, **variables):
    script = ROOT / "papers" / paper / "run.py"
    command = [sys.executable, str(script), "--quick", "--only", part, "--output", str(output)]
    environment = os.environ | variables
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
