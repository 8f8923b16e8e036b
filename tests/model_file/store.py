"""Keeps models of the present schema, for the versions to come.

``python -m tests.model_file.store``, once, when the version of the schema is raised. Files of
earlier versions stay as they are.
"""

import json
from pathlib import Path

import numpy as np

from holdfast import save_model
from holdfast.model_file.text import VERSION
from tests.model_file import cases, table_models

FOLDER = Path(__file__).parent / "stored"
NAMES = [
    "forward in groups, constrained",
    "forward zero-one",
    "backward groups of rows",
    "LARS",
    "SVC labels",
    "ridge targets",
    "ridge classes",
    "basis of words",
    "kernel two classes",
    "kernel ridge linear",
    "evidence targets",
    "relevance columns",
]
TABLES = {"table of classes": "table", "fitted, classes": "fitted"}


def store():
    """Write models, rows for them, and what they predict."""
    folder = FOLDER / str(VERSION)
    folder.mkdir(parents=True)
    for name in NAMES:
        model = cases.fitted(name)
        place = folder / name.replace(" ", "-").replace(",", "")
        rows = np.round(np.random.default_rng(0).standard_normal((4, model.n_features_in_)), 3)
        save_model(model, place.with_suffix(".json"))
        told = {"rows": rows.tolist(), "predictions": model.predict(rows).tolist()}
        place.with_suffix(".predictions").write_text(json.dumps(told) + "\n")
    for name, file in TABLES.items():
        store_table(name, folder / file)


def store_table(name, place):
    """One model of a table; a fitted one has findings, for ``inspect`` and ``report``."""
    model = table_models.made()[name]
    save_model(model, place.with_suffix(".json"))
    rows = table_models.rows_for(model)
    told = {"rows": rows.to_dicts(), "predictions": model.predict(rows)["prediction"].to_list()}
    text = json.dumps(told) + "\n"
    place.with_suffix(".predictions").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    store()
