"""Models of tables as the command line makes them, with everything a table can hold."""

import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl

from holdfast import (
    EvidenceRegressor,
    ForwardRidge,
    ForwardRidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SparseKernelRidge,
    SparseKernelRidgeClassifier,
)
from holdfast.table_models.findings import findings_of
from holdfast.table_models.fitting import fit, honest, ready
from holdfast.table_models.methods import method_named
from holdfast.table_models.preparing import Asked, prepare
from holdfast.table_models.provenance import provenance_of
from holdfast.table_models.table_model import TableModel
from holdfast.tables import learn
from holdfast.tables.encoding import Encoding

FUELS = np.array(["gas", "it's", 'so "called"', "semi;colon -- x", "größe \\ %s", "rare one"])
COLUMNS = ["curb weight", "fuel", "select", "seats", "über'maß\"", "make"]


def table(rows=80, seed=0):
    """A table of numbers and texts, some missing, with names and levels that need care."""
    rng = np.random.default_rng(seed)
    fuel = FUELS[np.r_[np.arange(rows - 1) % 5, 5]]
    weight, select = rng.standard_normal(rows) * 100, rng.standard_normal(rows)
    made = pl.DataFrame(
        {
            "curb weight": weight,
            "fuel": fuel,
            "select": select,
            "seats": rng.integers(2, 7, rows),
            "über'maß\"": rng.standard_normal(rows),
            "make": np.array(["", "a", "b"])[rng.integers(3, size=rows)],
            "price": 0.02 * weight
            - select
            + (fuel == "it's")
            + 0.5 * (fuel == "gas")
            + 0.3 * rng.standard_normal(rows),
        }
    )
    empty = pl.int_range(pl.len()) % 11 == 3
    return made.with_columns(
        pl.when(~empty).then(pl.col(name)).alias(name) for name in ("select", "fuel", "make")
    )


def model(estimator, target="price", frame=None, **learned):
    """An estimator fitted to the table, with how the table becomes numbers."""
    frame = table() if frame is None else frame
    options = {"rare": 2, "impute": "median", "scale": True} | learned
    encoding = learn(frame.lazy(), COLUMNS, **options)
    numbers = encoding.encode(frame)
    fitted = estimator.fit(numbers, frame[target].to_numpy())
    task = "classification" if hasattr(fitted, "classes_") else "regression"
    return TableModel(fitted, encoding, target, task)


def fitted_by_command(method, target="price", **options):
    """A model as ``holdfast fit`` makes it, with findings and where it comes from."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "cars.csv"
        others = {"price", "dear", "class", "whole"} - {target}
        with_classes()[:40].drop(others).write_csv(place)
        drop = ("curb weight", "über'maß\"")
        asked = Asked(place, target, cv="5", impute="median", rare=3, drop=drop, **options)
        prepared = prepare(asked)
        case = ready(prepared, method_named(method), {"max_features": 3})
        fitted, scored = fit(case), honest(case)
        findings = findings_of(prepared, method_named(method), fitted, scored, 1.0)
        origin = provenance_of(place, 40) | {"command": ["holdfast", "fit", "cars.csv"]}
    return TableModel(fitted.estimator, fitted.encoding, target, prepared.task, findings, origin)


def with_classes():
    """The table with columns of two and of three classes, and of truth values."""
    frame = table()
    price = frame["price"]
    return frame.with_columns(
        (price > 0).alias("dear"),
        pl.when(price > 1)
        .then(pl.lit('it\'s "dear"'))
        .when(price < -1)
        .then(pl.lit("cheap; é"))
        .otherwise(pl.lit("-- middling"))
        .alias("class"),
        pl.when(price > 0).then(3).otherwise(-2).alias("whole"),
    )


@cache
def made():
    """Models by name."""
    classes = with_classes()
    return {
        "table": model(ForwardRidge(n_features_to_select=4)),
        "table of all columns": model(RidgeCV(), scale=False),
        "table of kernels": model(SparseKernelRidge(n_basis=8, random_state=0, gamma=0.05)),
        "table with a posterior": model(EvidenceRegressor(kernel=None)),
        "table of two classes": model(
            ForwardRidgeClassifier(n_features_to_select=3), "dear", classes
        ),
        "table of whole numbers": model(RidgeClassifierCV(), "whole", classes),
        "table of classes": model(ForwardRidgeClassifier(), "class", classes),
        "table of kernels of classes": model(
            SparseKernelRidgeClassifier(n_basis=9, random_state=0, fit_intercept=True),
            "class",
            classes,
        ),
        "sparse table": TableModel(
            ForwardRidge(n_features_to_select=2).fit(*_numbers()), None, "y", "regression", {}, {}
        ),
        "fitted": fitted_by_command("forward"),
        "fitted, backward": fitted_by_command("backward", "dear"),
        "fitted, classes": fitted_by_command("ridge", "class"),
        "fitted, SVC": fitted_by_command("lars-svc", "class"),
        "fitted, kernel": fitted_by_command("kernel", "dear"),
        "fitted, evidence": fitted_by_command("evidence"),
    }


def _numbers():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((30, 4))
    return X, X[:, 1] + 0.1 * rng.standard_normal(30)


def rows_for(model):
    """Rows the model takes, missing values and new levels where it has learned to take them."""
    encoding: Encoding | None = model.encoding
    rng = np.random.default_rng(1)
    if encoding is None:
        return rng.standard_normal((5, model.estimator.n_features_in_))
    columns = {}
    for record in (column.record() for column in encoding.columns):
        if record["kind"] == "numeric":
            values = [*rng.standard_normal(6).tolist(), None if record["fill"] is not None else 0.0]
        else:
            known = list(record["levels"])[:5]
            known += ["never seen"] * record["other"] + [None] * record["missing"]
            values = (known * 7)[:7] if known else []
        columns[record["name"]] = values
    shortest = min(map(len, columns.values()), default=0)
    return pl.DataFrame({name: values[:shortest] for name, values in columns.items()})
