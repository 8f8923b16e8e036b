"""What a formula says, worked out by hand, is what the model predicts."""

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from sklearn.exceptions import NotFittedError
from sklearn.metrics.pairwise import pairwise_kernels

from holdfast import ForwardRidge, ForwardRidgeClassifier, KernelRidgeCV, RidgeClassifierCV
from holdfast.table_models import formula
from holdfast.table_models.formula import NOWHERE, NumberColumn, TextColumn, formula_of
from tests.model_file import cases, table_models

NAMES = [name for name in cases.CASES if "precomputed" not in name]


def numbers_of(found, row):
    """z, by the rules of the module's first lines."""
    z = np.zeros(found.n_numbers)
    for column in found.numbers:
        value = row[column.name]
        z[column.place] = ((column.fill if value is None else value) - column.centre) / column.scale
    for column in found.texts:
        known = dict(zip(column.levels, column.places, strict=True))
        value = row[column.name]
        place = column.missing if value is None else known.get(value, column.other)
        if place != NOWHERE:
            z[place] = 1
    return z


def outputs_of(found, rows):
    Z = np.array([numbers_of(found, row) for row in rows])
    if found.coef is not None:
        return Z @ found.coef.T + found.intercept
    basis = found.basis
    if len(basis.rows) == 0:
        return np.zeros((len(Z), 1)) + found.intercept
    width = {"gamma": basis.gamma, "degree": basis.degree, "coef0": basis.coef0}
    values = pairwise_kernels(Z, basis.rows, metric=basis.kernel, filter_params=True, **width)
    return values @ basis.dual + found.intercept


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("name", NAMES)
def test_outputs(name):
    model = cases.fitted(name)
    rows = cases.rows_for(model)
    plain = np.asarray(rows.toarray() if hasattr(rows, "toarray") else rows)
    names = getattr(model, "feature_names_in_", [f"x{j}" for j in range(plain.shape[1])])
    found = formula_of(model)
    worked_out = outputs_of(found, [dict(zip(names, row, strict=True)) for row in plain])
    said = model.decision_function if found.classes is not None else model.predict
    assert_allclose(worked_out, np.reshape(said(rows), worked_out.shape), rtol=1e-11, atol=1e-11)
    assert found.classes is None or found.classes == model.classes_.tolist()


def test_columns_of_a_table():
    model = table_models.made()["table"]
    found = formula_of(model)
    assert found.names == ["curb weight", "select", "fuel"]
    rows = table_models.rows_for(model)
    assert rows["fuel"].null_count()
    assert_allclose(
        outputs_of(found, rows.to_dicts())[:, 0], model.predict(rows)["prediction"], rtol=1e-11
    )


def test_only_what_is_used():
    X = np.random.default_rng(0).standard_normal((30, 5))
    frame = pl.DataFrame(X, schema=list("abcde"))
    found = formula_of(ForwardRidge(n_features_to_select=2).fit(frame, X[:, 1] - X[:, 3]))
    assert found.numbers == [NumberColumn("b", 0), NumberColumn("d", 1)]
    assert found.coef.shape == (1, 2)


def test_levels_that_are_not_used():
    model = table_models.made()["table"]
    (fuel,) = formula_of(model).texts
    assert isinstance(fuel, TextColumn)
    assert fuel.places.count(NOWHERE) == 3
    assert fuel.other == fuel.missing == NOWHERE


def test_how_ties_are_read():
    two = np.arange(10) % 2
    X = np.random.default_rng(0).standard_normal((10, 2))
    assert formula_of(ForwardRidgeClassifier().fit(X, two)).rounding == 1e-13
    assert formula_of(RidgeClassifierCV().fit(X, two)).rounding == 0


def test_what_has_no_formula(monkeypatch):
    with pytest.raises(NotFittedError):
        formula_of(ForwardRidge())
    monkeypatch.setattr(formula, "_MOST_NUMBERS", 100)
    with pytest.raises(ValueError, match="40 rows of 8 numbers; expected at most 100"):
        formula_of(KernelRidgeCV().fit(cases.X, cases.y))
