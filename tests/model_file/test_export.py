"""What is written in another language says what ``predict`` says: every export is run."""

import json
import math
import shutil
import sqlite3
import subprocess
import sys
import warnings

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

from holdfast import ForwardRidge, ForwardRidgeClassifier, KernelRidgeCV, RidgeCV, SparseKernelRidge
from holdfast.model_file import export_c, export_model, exported
from holdfast.table_models.formula import formula_of
from holdfast.table_models.table_model import TableModel
from holdfast.tables import learn
from tests import problems
from tests.model_file import cases, table_models

COMPILER = shutil.which("cc") or shutil.which("gcc")
IN_C = pytest.param("c", marks=pytest.mark.skipif(COMPILER is None, reason="no C compiler"))
in_programs = pytest.mark.parametrize("language", ["python", IN_C])
in_all = pytest.mark.parametrize("language", ["sql", "python", IN_C])
LINEAR = [
    *cases.SELECTORS,
    *(name for name in cases.CLASSIFIERS if "kernel" not in name),
    *cases.RIDGES,
    *("evidence columns", "evidence columns targets", "relevance columns"),
]
KERNELS = [
    *(name for name in cases.KERNELS if "precomputed" not in name),
    *("kernel classes", "kernel two classes", "evidence", "evidence targets", "relevance"),
    *("evidence sparse", "relevance sparse", "evidence of nothing"),
]


# ------------------------------------------------------------------------------------ running them


def by_sql(model, frame, table=None):
    """Rows of results of ``SELECT <expression> FROM table``."""
    connection = sqlite3.connect(":memory:")
    names = ", ".join('"' + name.replace('"', '""') + '"' for name in frame.columns)
    connection.execute(f"CREATE TABLE t ({names})")
    places = ", ".join("?" * len(frame.columns))
    connection.executemany(f"INSERT INTO t VALUES ({places})", frame.rows())
    found = connection.execute(f"SELECT {exported(model, 'sql', table=table)} FROM t").fetchall()
    connection.close()
    return found


RUNNER = """
import json, sys
space = {}
exec(compile(open(sys.argv[1], encoding="utf-8").read(), sys.argv[1], "exec"), space)
found = []
for row in json.load(open(sys.argv[2], encoding="utf-8")):
    row = {name: row[name] for name in space["COLUMNS"]}
    try:
        found.append(["ok", space["predict"](row)])
    except ValueError as error:
        found.append(["refused", str(error)])
assert not {"numpy", "holdfast"} & set(sys.modules)
json.dump(found, sys.stdout)
"""


def by_python(model, frame, folder):
    """What a bare interpreter says of every row; None where it refuses."""
    export_model(model, folder / "model.py", to="python")
    (folder / "run.py").write_text(RUNNER)
    (folder / "rows.json").write_text(json.dumps(frame.to_dicts()), encoding="utf-8")
    ran = subprocess.run(
        [
            sys.executable,
            "-S",
            "-I",
            *(str(folder / n) for n in ("run.py", "model.py", "rows.json")),
        ],
        capture_output=True,
        check=True,
        text=True,
    )
    return [value if said == "ok" else None for said, value in json.loads(ran.stdout)]


def by_c(model, frame, folder):
    """Outputs of every row and the class named, from a compiled program; None where refused."""
    source, formula = exported(model, "c"), formula_of(model)
    fields = export_c._fields(formula.names)
    lines = []
    for row in frame.to_dicts():
        values = []
        for name, field in zip(formula.names, fields, strict=True):
            value = row[name]
            if name not in [column.name for column in formula.texts]:
                missing = value is None or math.isnan(value)
                written = "NAN" if missing else repr(float(value))
                written = {"inf": "INFINITY", "-inf": "-INFINITY"}.get(written, written)
            else:
                written = "NULL" if value is None else export_c._string(value)
            values.append(f".{field} = {written}")
        lines.append("{" + ", ".join(values or ["0"]) + "},\n")
    if formula.classes is None and len(formula.intercept) > 1:
        named = "(void)row; return 0.0;"
    elif formula.multilabel:
        named = """int labels[HOLDFAST_OUTPUTS], k, read = holdfast_predict(row, labels);
    double bits = 0.0;
    for (k = 0; k < HOLDFAST_OUTPUTS && read; k++)
        bits += labels[k] * pow(2.0, k);
    return bits;"""
    else:
        named = "return holdfast_predict(row);"
    main = f"""
#include <stdio.h>
static double named(const struct holdfast_row *row)
{{
    {named}
}}
static const struct holdfast_row rows[] = {{
{"".join(lines)}}};
int main(void)
{{
    size_t i;
    int k;
    for (i = 0; i < sizeof rows / sizeof rows[0]; i++) {{
        double outputs[HOLDFAST_OUTPUTS];
        int read = holdfast_outputs(&rows[i], outputs);
        printf("%d %.17g", read, named(&rows[i]));
        for (k = 0; k < HOLDFAST_OUTPUTS; k++)
            printf(" %.17g", read ? outputs[k] : 0.0);
        printf("\\n");
    }}
    return 0;
}}
"""
    (folder / "model.c").write_text(source + main, encoding="utf-8")
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]
    program = str(folder / "model")
    subprocess.run(
        [COMPILER, *strict, str(folder / "model.c"), "-o", program, "-lm"],
        check=True,
        capture_output=True,
        text=True,
    )
    ran = subprocess.run([program], check=True, capture_output=True, text=True)
    found = []
    for line in ran.stdout.splitlines():
        read, named, *outputs = line.split()
        if read == "0":
            assert named in ("nan", "-1", "0")
        found.append((float(named), list(map(float, outputs))) if read == "1" else None)
    return found


# -------------------------------------------------------------------------- what is to be expected


def expected(model, frame):
    """(outputs, predictions) by the model itself, row by row; None where it refuses."""
    estimator = getattr(model, "estimator", model)
    found = []
    for row in range(len(frame)):
        some = frame[row]
        try:
            if hasattr(model, "encoding"):
                numbers = model._numbers(some, slice(0, 1))
            else:
                numbers = some.to_numpy()
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", "X does not have valid feature names")
                prediction = estimator.predict(numbers)[0]
                outputs = prediction
                if hasattr(estimator, "decision_function"):
                    outputs = estimator.decision_function(numbers)[0]
        except ValueError:
            found.append(None)
            continue
        found.append((np.atleast_1d(outputs), prediction))
    return found


def close(found, wanted, scale):
    assert_allclose(found, wanted, rtol=1e-12, atol=1e-12 * scale)


def scale_of(wanted):
    return max((np.abs(one[0]).max() for one in wanted if one is not None), default=1.0)


def check(model, frame, folder, language):
    """A language against the model."""
    wanted = expected(model, frame)
    scale = scale_of(wanted)
    estimator = getattr(model, "estimator", model)
    classes = hasattr(estimator, "classes_")
    if language == "sql":
        found = by_sql(model, frame)
    else:
        found = {"c": by_c, "python": by_python}[language](model, frame, folder)
    assert len(found) == len(wanted)
    for mine, theirs in zip(found, wanted, strict=True):
        if theirs is None:
            assert set(mine) == {None} if language == "sql" else mine is None
            continue
        outputs, prediction = theirs
        if language == "c":
            named, numbers = mine
            close(numbers, outputs, scale)
            if classes and np.ndim(prediction) == 0:
                assert estimator.classes_[int(named)] == prediction
            elif classes:
                assert named == prediction @ 2 ** np.arange(len(prediction))
            else:
                assert named == (numbers[0] if len(numbers) == 1 else 0)
        elif classes:
            told = [mine] if language == "python" and np.ndim(mine) == 0 else list(mine)
            assert told == np.ravel(prediction).tolist()
        else:
            close(np.ravel(mine), np.ravel(prediction), scale)


def frame_for(model):
    """Rows as a table."""
    rows = cases.rows_for(model)
    if hasattr(rows, "columns"):
        return pl.DataFrame({name: rows[name].to_numpy() for name in rows.columns})
    rows = rows.toarray() if hasattr(rows, "toarray") else rows
    return pl.DataFrame(rows, schema=[f"x{j}" for j in range(rows.shape[1])])[:12]


# --------------------------------------------------------------------------------------- the tests


@pytest.mark.parametrize("name", LINEAR)
def test_linear_models_in_sql(name, tmp_path):
    model = cases.fitted(name)
    check(model, frame_for(model), tmp_path, "sql")


SOME = ["forward in groups, constrained", "forward classes", "forward two classes", "SVC labels"]
SOME += ["ridge targets", "ridge classes", "evidence columns", "basis polynomial", "basis of words"]
SOME += ["kernel classes", "kernel two classes", "kernel ridge sigmoid", "kernel ridge sparse"]


@in_programs
@pytest.mark.parametrize("name", SOME)
def test_in_python_and_c(name, language, tmp_path):
    model = cases.fitted(name)
    check(model, frame_for(model), tmp_path, language)


@in_programs
@pytest.mark.slow
@pytest.mark.parametrize("name", sorted({*LINEAR, *KERNELS} - {*SOME}))
def test_every_other_in_python_and_c(name, language, tmp_path):
    model = cases.fitted(name)
    check(model, frame_for(model), tmp_path, language)


@in_programs
@pytest.mark.filterwarnings("ignore:kernel='additive_chi2' is no inner product")
@pytest.mark.parametrize("kernel", ["chi2", "additive_chi2", "laplacian", "cosine", "rbf"])
def test_kernels(kernel, language, tmp_path):
    X = np.abs(cases.X)
    model = SparseKernelRidge(kernel=kernel, n_basis=6, random_state=0).fit(X, cases.y)
    frame = pl.DataFrame(np.abs(cases.rows_for(model)), schema=[f"x{j}" for j in range(8)])
    check(model, frame, tmp_path, language)


def rows_of_tables():
    """Rows with missing values, new levels, and numbers that are none."""
    frame = table_models.table(30, seed=3).drop("price")
    strange = frame[:6].with_columns(
        pl.Series("fuel", ["never seen", None, "rare one", "", "(other)", "gas' OR '1'='1"]),
        pl.Series("select", [None, 1.0, None, float("nan"), 2.0, 0.0]),
        pl.Series("make", [None, "z", "a", "", "b", "(missing)"]),
    )
    return pl.concat([frame, strange])


def table_model(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return table_models.made()[name]


@in_all
@pytest.mark.parametrize(
    "name",
    [
        "table",
        "table of all columns",
        "table of kernels",
        "table with a posterior",
        "table of two classes",
        "table of whole numbers",
        "table of classes",
        "table of kernels of classes",
    ],
)
def test_tables(name, language, tmp_path):
    model = table_model(name)
    if language == "sql" and "kernels" in name:
        pytest.skip("kernel models have no expression in SQL")
    frame = rows_of_tables()
    wanted = expected(model, frame)
    assert any(one is not None for one in wanted)
    check(model, frame, tmp_path, language)


@in_all
def test_tables_that_refuse(language, tmp_path):
    """Nothing was learned for missing values and new levels: NULL, an error, NAN."""
    frame = table_models.table().drop_nulls()
    model = table_models.model(RidgeCV(), frame=frame, rare=1, impute=None, scale=False)
    rows = rows_of_tables().with_columns(pl.col("select").replace(float("inf"), 0.0))
    wanted = expected(model, rows)
    assert 0 < sum(one is None for one in wanted) < len(wanted)
    check(model, rows, tmp_path, language)


@in_programs
def test_infinite_numbers_are_refused(language, tmp_path):
    model = ForwardRidge(n_features_to_select=2).fit(cases.X, cases.y)
    rows = pl.DataFrame(cases.X[:3], schema=[f"x{j}" for j in range(8)])
    used = model.get_feature_names_out().tolist()
    rows = rows.with_columns(pl.Series(used[0], [float("inf"), float("nan"), 1.0]))
    check(model, rows, tmp_path, language)


@in_all
def test_of_a_table_on_disk(language, tmp_path):
    blocks = cases.parquet(tmp_path)
    model = ForwardRidge(n_features_to_select=2).fit(blocks, "y")
    frame = pl.read_parquet(tmp_path / "cars.parquet").drop("y")
    found = by_sql(model, frame) if language == "sql" else None
    if found is None:
        found = {"c": by_c, "python": by_python}[language](model, frame, tmp_path)
        found = [one[1] if language == "c" else one for one in found]
    close(np.ravel(found), model.predict(blocks), 1.0)


def test_only_columns_in_use_are_asked_for():
    model = table_model("table")
    sql = exported(model, "sql")
    used = {name for name in table_models.COLUMNS if '"' + name.replace('"', '""') + '"' in sql}
    assert used == set(model.needed) < set(table_models.COLUMNS)


HOSTILE = [
    'a"; DROP TABLE t; --',
    "b'); import os #",
    "*/ int x; /*",
    "??/\n??)",
    "\\",
    "{0} %s %%",
    "int",
    "select",
    "é\u202e",
    "9 lives",
    "a b",
    "a_b",
    '"""',
    "",
    "\n",
    "z" * 200,
]


@in_all
@pytest.mark.parametrize("classes", [False, True])
def test_names_and_labels_of_every_kind(classes, language, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, len(HOSTILE)))
    frame = pl.DataFrame(X, schema=HOSTILE)
    if classes:
        labels = np.array(HOSTILE[:3])[np.argsort(X[:, :3], axis=1)[:, 0]]
        model = ForwardRidgeClassifier(n_features_to_select=1.0).fit(frame, labels)
    else:
        model = RidgeCV().fit(frame, X.sum(axis=1))
    check(model, frame[:10], tmp_path, language)


@in_all
def test_levels_of_every_kind(language, tmp_path):
    levels = np.array(HOSTILE)[np.arange(64) % len(HOSTILE)]
    frame = pl.DataFrame({"level": levels, "size": np.linspace(0, 1, 64)})
    encoding = learn(frame.lazy(), ["level", "size"])
    y = np.random.default_rng(0).standard_normal(len(HOSTILE))[np.arange(64) % len(HOSTILE)]
    estimator = RidgeCV().fit(encoding.encode(frame), y)
    model = TableModel(estimator, encoding, "y", "regression")
    check(model, frame, tmp_path, language)


@in_all
def test_ties_between_classes(language, tmp_path):
    """Rows whose outputs are equal but for rounding: every language names the first class."""
    rng = np.random.default_rng(0)
    one = rng.standard_normal((20, 3))
    X = np.vstack([one, -one])
    two = ForwardRidgeClassifier(n_features_to_select=3).fit(X, np.repeat(["b", "a"], 20))
    rows = np.vstack([np.zeros(3), 1e-17 * one[:4], -1e-17 * one[:4]])
    frame = pl.DataFrame(rows, schema=["x0", "x1", "x2"])
    check(two, frame, tmp_path, language)
    X = np.vstack([np.roll(np.abs(one), shift, axis=1) * [3, 1, 1] for shift in range(3)])
    three = ForwardRidgeClassifier(n_features_to_select=3).fit(X, np.repeat([3, 1, 2], 20))
    frame = pl.DataFrame(np.zeros((1, 3)), schema=["x0", "x1", "x2"])
    check(three, frame, tmp_path, language)


def test_wide_models(tmp_path):
    """More terms than an expression may be deep."""
    X, y = problems.wide(30, 1300)
    frame = pl.DataFrame(X[:3], schema=[f"x{j}" for j in range(1300)])
    check(RidgeCV().fit(X, y), frame, tmp_path, "sql")


def test_what_has_no_export():
    kernels = cases.fitted("basis")
    with pytest.raises(ValueError, match="no expression in SQL.*'python' or 'c'.*ForwardRidge"):
        exported(kernels, "sql")
    with pytest.raises(ValueError, match="kernel='precomputed' has no formula"):
        exported(cases.fitted("kernel ridge precomputed"), "python")
    with pytest.raises(ValueError, match="to='java' is not known; expected 'sql' or 'python'"):
        exported(kernels, "java")
    own = KernelRidgeCV(kernel=lambda a, b: float(a @ b)).fit(cases.X, cases.y)
    with pytest.raises(ValueError, match="expected a kernel by name"):
        exported(own, "c")


@pytest.mark.parametrize("name", ["table", "table of classes"])
def test_a_column_that_is_not_there(name):
    """SQLite would read its name as a text."""
    model, frame = table_model(name), rows_of_tables()
    connection = sqlite3.connect(":memory:")
    connection.execute('CREATE TABLE "my ""cars""" ("curb weight", "select", "seats")')
    connection.execute('INSERT INTO "my ""cars""" VALUES (1.0, 2.0, 3.0)')
    sql = exported(model, "sql", table='my "cars"')
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        connection.execute(f'SELECT {sql} FROM "my ""cars"""')
    connection.close()
    found = by_sql(model, frame, table="t")
    assert found == by_sql(model, frame)
    with pytest.raises(ValueError, match="table='t' names a table, but to='c' reads none"):
        exported(model, "c", table="t")


def test_what_cannot_be_quoted():
    frame = pl.DataFrame({"a\0b": np.arange(9.0)})
    model = RidgeCV().fit(frame, np.arange(9.0))
    with pytest.raises(ValueError, match="NUL, which SQL cannot quote"):
        exported(model, "sql")


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    with pytest.raises(ValueError, match="no expression in SQL"):
        export_model(cases.fitted("basis"), tmp_path / "model.sql", to="sql")
    assert list(tmp_path.iterdir()) == []
