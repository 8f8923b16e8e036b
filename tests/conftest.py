"""Fixtures and settings for all tests."""

import os
from pathlib import Path

import hypothesis
import pytest
from threadpoolctl import threadpool_limits

hypothesis.settings.register_profile("holdfast", deadline=None, print_blob=True)
hypothesis.settings.load_profile("holdfast")


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    """Tables of tests are small: threads would only wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="session")
def data_folder() -> Path:
    """The folder of real data sets; tests marked ``data`` are skipped without it."""
    beside = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    folder = Path(os.environ.get("HOLDFAST_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no data sets in {folder}; set HOLDFAST_DATA to the folder that holds them")
    return folder
