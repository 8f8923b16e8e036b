"""Files of every version there was are read, and predict what they predicted."""

import json
import warnings

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from holdfast import load_model
from holdfast.cli.app import app
from holdfast.model_file.text import VERSION
from holdfast.report import write_report
from tests.model_file.store import FOLDER

FILES = sorted(FOLDER.glob("*/*.json"))


def test_every_version_is_there():
    assert {int(path.parent.name) for path in FILES} == set(range(1, VERSION + 1))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_files_of_old(path):
    told = json.loads(path.with_suffix(".predictions").read_text(encoding="utf-8"))
    model = load_model(path)
    if hasattr(model, "encoding"):
        found = model.predict(pl.DataFrame(told["rows"]))["prediction"].to_list()
        assert found == told["predictions"]
        return
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        found = model.predict(np.array(told["rows"]))
    if hasattr(model, "classes_"):
        assert found.tolist() == told["predictions"]
    else:
        np.testing.assert_allclose(found, told["predictions"], rtol=1e-12)


def test_what_was_found_is_shown(tmp_path):
    for path in FOLDER.glob("*/fitted.json"):
        model = load_model(path)
        assert model.findings["method"] == "ridge"
        write_report(model.findings, tmp_path / "page.html", provenance=model.provenance)
        assert "3 classes" in (tmp_path / "page.html").read_text("utf-8")
        result = CliRunner().invoke(app, ["inspect", str(path)])
        assert "ridge regression on all columns" in " ".join(result.output.split())
