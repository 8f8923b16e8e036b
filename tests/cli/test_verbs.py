"""fit, predict, compare, report and inspect on files, as they are typed."""

import io
import json

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from holdfast import ForwardRidge, RidgeCV, load_model, nested_score, save_model
from holdfast.cli import words
from holdfast.cli.app import app
from holdfast.table_models.methods import ALPHAS, METHODS
from holdfast.table_models.table_model import TableModel
from holdfast.tables import learn
from tests.table_models.tables import homes, write

DROP = "--drop=listed,agent,weight"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    write(homes(), tmp_path)
    return tmp_path


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def found(*arguments):
    return json.loads(run(*arguments, "--json").stdout)


def test_fit_tells_what_python_tells(folder):
    told = found("fit", "homes.csv", "--target", "price", DROP, "--drop", "dear,city")
    X = homes().select("area", "rooms", "noise").to_numpy()
    y = homes()["price"].to_numpy()
    search = ForwardRidge(alphas=ALPHAS, standardize=True).fit(X, y)
    assert [entry["error"] for entry in told["path"]] == pytest.approx(search.path_errors_)
    assert told["error"] == pytest.approx(-search.best_score_)
    assert told["alphas"]["alphas"] == list(ALPHAS)
    np.testing.assert_allclose(told["coef"][0], search.coef_, rtol=1e-9)
    from sklearn.model_selection import KFold

    folds = KFold(10, shuffle=True, random_state=0)
    assert told["nested"]["error"] == pytest.approx(nested_score(search, X, y, folds).error)


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--max-features", 2], 3),
        (["--select", 1], 2),
        (["--alphas", "5"], None),
        (["--method", "backward"], 5),
    ],
)
def test_options_reach_the_search(folder, options, expected):
    told = found("fit", "homes.csv", "-t", "price", DROP, "--drop=dear", "--no-nested", *options)
    if expected is None:
        assert {entry["alpha"] for entry in told["path"]} == {5.0}
        assert told["alphas"] is None
    else:
        assert len(told["path"]) == expected
    assert told["nested"] is None


def test_the_seed_draws_the_folds(folder):
    asked = ["fit", "homes.csv", "-t", "price", DROP, "--cv", 4, "--no-nested"]
    errors = [found(*asked, "--seed", seed)["error"] for seed in (0, 0, 1)]
    assert errors[0] == errors[1] != errors[2]


def test_a_column_counts_rows(folder):
    asked = ["fit", "homes.csv", "-t", "price", "--drop=listed,agent", "--no-nested"]
    told = found(*asked, "--weight", "weight")
    assert told["weight"] == "weight"
    assert "weight" not in told["feature_columns"]
    assert told["error"] != found(*asked, "--drop=weight")["error"]


@pytest.mark.parametrize("method", [method.name for method in METHODS])
def test_every_method_from_table_to_prediction(folder, method):
    target, other = ("dear", "price") if method == "lars-svc" else ("price", "dear")
    asked = ["fit", "homes.csv", "-t", target, DROP, f"--drop={other}", "--method", method]
    shown = run(*asked, "--model", "model.json", "--no-nested").stdout
    assert f"of {target}" in " ".join(shown.split())
    assert "Model: model.json" in shown
    loaded = load_model("model.json")
    expected = loaded.predict(homes())
    run("predict", "model.json", "homes.csv", "-o", "out.parquet")
    written = pl.read_parquet("out.parquet")
    assert written.columns == expected.columns
    assert written["prediction"].to_list() == expected["prediction"].to_list()
    assert "holdfast" in run("inspect", "model.json").stdout
    told = json.loads(run("inspect", "model.json", "--json").stdout)
    assert told["findings"] == loaded.findings
    assert told["needed"] == loaded.needed


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "jsonl", "arrow"])
def test_predictions_in_every_kind_of_file(folder, suffix):
    from holdfast.tables.reading import read_table

    run("fit", "homes.csv", "-t", "dear", DROP, "--model", "m.json", "--no-nested", "-q")
    run("predict", "m.json", "homes.csv", "-o", f"out.{suffix}", "--keep-columns")
    read = read_table(folder / f"out.{suffix}")
    assert read.columns == [*homes().columns, "prediction", "decision"]
    assert len(read) == 120


def test_predictions_on_the_screen_are_a_table(folder):
    run("fit", "homes.csv", "-t", "price", DROP, "--model", "m.json", "--no-nested", "-q")
    result = run("predict", "m.json", "homes.csv")
    lines = result.stdout.splitlines()
    assert lines[0] == "prediction"
    assert len(lines) == 121
    assert "rmse" in result.stderr
    told = found("predict", "m.json", "homes.csv")
    assert told["rows"] == len(told["predictions"]) == 120
    assert told["rmse"] > 0


def test_compare_is_a_board_of_honest_errors(folder):
    asked = ["compare", "homes.csv", "-t", "price", DROP, "--drop=dear"]
    told = found(*asked)
    errors = [one["error"] for one in told["methods"]]
    assert errors == sorted(errors)
    assert {one["method"] for one in told["methods"]} == {
        method.name for method in METHODS if method.regression
    }
    forward = next(one for one in told["methods"] if one["method"] == "forward")
    fitted = found("fit", "homes.csv", "-t", "price", DROP, "--drop=dear")
    assert forward["error"] == pytest.approx(fitted["nested"]["error"])
    shown = run(*asked).stdout
    places = [shown.index(f" {one['method']} ") for one in told["methods"]]
    assert places == sorted(places)


def test_compare_of_classes_goes_by_wrong_labels(folder):
    told = found("compare", "homes.csv", "-t", "dear", DROP, "--drop=price")
    wrong = [one["wrong"] for one in told["methods"]]
    assert wrong == sorted(wrong)
    assert "lars-svc" in {one["method"] for one in told["methods"]}


def test_a_method_that_fails_is_told_and_the_others_go_on(folder, monkeypatch):
    from holdfast import RidgeCV

    def fails(*_, **__):
        raise ValueError("out of luck")

    monkeypatch.setattr(RidgeCV, "fit", fails)
    told = found("compare", "homes.csv", "-t", "price", DROP)
    assert told["methods"][-1] == {"method": "ridge", "failed": "out of luck"}
    assert "failed: out of luck" in run("compare", "homes.csv", "-t", "price", DROP).stdout


def test_a_report_and_its_model_say_the_same(folder):
    asked = ["fit", "homes.csv", "-t", "price", DROP, "--no-nested", "--model", "m.json"]
    run(*asked, "--report", "first.html")
    run("report", "m.json", "-o", "second.html")
    first, second = (folder / name for name in ("first.html", "second.html"))
    assert first.read_bytes() == second.read_bytes()
    run("report", "m.json")
    assert (folder / "m.html").exists()


def test_nothing_is_left_when_the_work_cannot_be_done(folder):
    before = sorted(folder.iterdir())
    run("fit", "homes.csv", "-t", "prize", "--model", "m.json", "--report", "r.html", code=1)
    run("fit", "homes.csv", "-t", "price", "--model", "m.json", code=1)  # dates
    run("predict", "homes.csv", "homes.csv", "-o", "out.csv", code=1)
    run("fit", "homes.csv", "-t", "price", "--model", "m.pkl", code=2)
    run("fit", "homes.csv", "-t", "price", "--report", "no/r.html", code=2)
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--method", "forwrd"], "--method forwrd is not known; did you mean forward?"),
        (["--task", "classify"], "did you mean classification?"),
        (["--impute", "mode"], "--impute mode is not known"),
        (["--alphas", "1,x"], "expected numbers of at least 0"),
        (["--alphas", "-1"], "expected numbers of at least 0"),
        (["--select", "0"], "expected best, 1se or a number of columns"),
        (["--model", "m.txt"], "for example m.json"),
    ],
)
def test_wrong_usage(folder, arguments, says):
    result = run("fit", "homes.csv", "-t", "price", DROP, *arguments, code=2)
    assert says in " ".join(result.stderr.replace("│", " ").split())


def test_a_model_that_was_saved_from_python(folder):
    X, y = homes().select("area", "rooms").to_numpy(), homes()["price"].to_numpy()
    save_model(ForwardRidge().fit(X, y), "python.json")
    assert "ForwardRidge" in run("inspect", "python.json").stdout
    result = CliRunner().invoke(app, ["predict", "python.json", "homes.csv"])
    assert "saved from Python" in str(result.exception)


def refusal(*arguments):
    """What a verb says of what it cannot do."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert isinstance(result.exception, ValueError | OSError), result.output
    return str(result.exception)


def test_a_model_of_a_table_that_was_put_together_in_python(folder):
    frame = homes().select("area", "city")
    encoding = learn(frame.lazy(), ["area", "city"], rare=1, impute="median")
    fitted = RidgeCV().fit(encoding.encode(frame), homes()["price"].to_numpy())
    save_model(TableModel(fitted, encoding, "price", "regression"), "bare.json")
    shown = " ".join(run("inspect", "bare.json").stdout.split())
    assert "RidgeCV" in shown
    assert "regression of price; the file holds no findings" in shown
    assert "Needs the columns: area, city." in shown
    for name, value in zip(encoding.names, fitted.coef_, strict=True):
        assert not value or f"{name} {words.number(value)}" in shown
    assert found("inspect", "bare.json")["findings"] == {}
    said = refusal("report", "bare.json")
    assert "bare.json holds no findings" in said
    assert "expected a file that holdfast fit has written" in said
    assert not (folder / "bare.html").exists()
    assert run("predict", "bare.json", "homes.csv").stdout.startswith("prediction")


@pytest.mark.parametrize(
    "verb", [["inspect"], ["report"], ["predict", "homes.csv"], ["export", "--to", "c"]]
)
def test_a_model_file_that_is_not_there(folder, verb):
    (folder / "model.json").write_text("{}")
    first, *rest = verb
    said = refusal(first, "mode.json", *rest)
    assert said == "there is no file mode.json; did you mean model.json?"
    assert refusal(first, "zzz.html", *rest).endswith("no file zzz.html; correct the path.")
    (folder / "models").mkdir()
    assert "models is a folder; expected a model file" in refusal(first, "models", *rest)


def test_sparse_rows_from_fit_to_prediction(folder):
    rng = np.random.default_rng(0)
    lines = []
    for _ in range(40):
        x = np.round(rng.random(6) * (rng.random(6) < 0.5), 3)
        y = 3 * x[1] - 2 * x[4] + 0.1 * rng.standard_normal()
        lines.append(f"{y:.4f} " + " ".join(f"{j + 1}:{v}" for j, v in enumerate(x) if v))
    (folder / "rows.svm").write_text("\n".join(lines) + "\n")
    told = found("fit", "rows.svm", "--model", "m.json")
    assert told["features"][:2] == ["column 0", "column 1"]
    entered = told["path"][told["chosen"]]["columns"]
    assert {2, 5} <= set(entered)
    judged = found("predict", "m.json", "rows.svm")
    assert judged["rmse"] < 0.2
    result = CliRunner().invoke(app, ["predict", "m.json", "homes.csv"])
    assert "expected sparse rows (svmlight)" in str(result.exception)


def test_long_paths_are_shown_in_part():
    from rich.console import Console

    from holdfast.cli.path_table import PathRow, path_table

    rows = [PathRow(str(i), f"+ x{i}", "1", "1", "", "1") for i in range(200)]
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(path_table(rows, 150, title="t", error_name="error", shown=40))
    lines = console.export_text().splitlines()
    assert len(lines) < 50
    assert any("<- chosen" in line and "x150" in line for line in lines)
    counted = [int(line.split("(")[1].split()[0]) for line in lines if " more)" in line]
    shown = sum("+ x" in line for line in lines)
    assert sum(counted) + shown == 200


def test_numbers_are_written_for_people():
    told = {0.0: "0", 1234567.0: "1,234,567", 0.00012345: "1.234e-04", 12.3456: "12.35"}
    assert {value: words.number(value) for value in told} == told
    assert words.number(None) == "-"


def test_an_interrupted_comparison_shows_what_has_finished(folder, monkeypatch):
    from holdfast import BackwardRidge

    def interrupts(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(BackwardRidge, "fit", interrupts)
    result = CliRunner().invoke(app, ["compare", "homes.csv", "-t", "price", DROP])
    assert result.exit_code != 0
    lines = [line.split() for line in result.stdout.splitlines()]
    assert next(line[0] for line in lines if line and line[-1] == "...") == "backward"
    assert any(line[:1] == ["forward"] and len(line) > 5 for line in lines)


@pytest.mark.parametrize("to", ["sql", "python", "c"])
def test_export_is_what_python_exports(folder, to):
    from holdfast.model_file import exported

    run("fit", "homes.csv", "-t", "price", DROP, "--model", "m.json", "--no-nested", "-q")
    told = {"table": "homes"} if to == "sql" else {}
    options = ["--table", "homes"] if to == "sql" else []
    expected = exported(load_model("m.json"), to, **told)
    assert run("export", "m.json", "--to", to, *options).stdout == expected
    run("export", "m.json", "--to", to, *options, "-o", "out")
    assert (folder / "out").read_text(encoding="utf-8") == expected


def test_the_standard_error_is_that_of_the_number_before_it(folder):
    told = found("fit", "homes.csv", "-t", "price", DROP)
    shown = " ".join(run("fit", "homes.csv", "-t", "price", DROP).stdout.split())
    for error, spread in (
        (told["error"], told["std_error"]),
        (told["nested"]["error"], told["nested"]["std_error"]),
    ):
        root = error**0.5
        miss = f"{words.number(root)} (standard error {words.number(spread / (2 * root))})"
        assert f"a typical miss (RMSE) of {miss}, squared {words.number(error)}" in shown


@pytest.mark.parametrize(
    ("method", "option"),
    [("ridge", ["--select", 2]), ("kernel", ["--max-features", 2]), ("evidence", ["--alphas", 1])],
)
def test_an_option_that_a_method_has_no_use_for_is_refused(folder, method, option):
    asked = ["fit", "homes.csv", "-t", "price", DROP, "--method", method, *option]
    result = CliRunner().invoke(app, [str(word) for word in asked])
    assert f"{option[0]} was given, but --method {method} has no use" in str(result.exception)


@pytest.mark.parametrize("method", ["lars-ridge", "forward"])
def test_what_is_approximate_says_so(folder, method):
    asked = ["fit", "homes.csv", "-t", "price", DROP, "--no-nested", "--method", method]
    assert ("approximate" in run(*asked).stdout) == (method == "lars-ridge")
    assert "approximate" not in run(*asked, "--cv", 5).stdout


def test_names_are_never_markup(folder):
    odd = homes().rename({"price": "y[/b]", "city": "[red]city", "agent": "g[/x]"})
    write(odd, folder)
    asked = ["homes.csv", "-t", "y[/b]", "--drop", "listed,weight,dear", "--cv", "group:g[/x]"]
    shown = run("fit", *asked).stdout
    assert "y[/b]" in shown
    assert "[red]city" in shown
    assert "y[/b]" in run("compare", *asked, "--max-features", 1).stdout


def test_predictions_do_not_replace_what_is_read(folder):
    run("fit", "homes.csv", "-t", "price", DROP, "--model", "m.json", "--no-nested", "-q")
    before = (folder / "homes.csv").read_bytes()
    result = run("predict", "m.json", "homes.csv", "-o", "homes.csv", code=2)
    assert "choose another name" in " ".join(result.stderr.replace("│", " ").split())
    assert (folder / "homes.csv").read_bytes() == before
    run("export", "m.json", "--to", "python", "-o", "m.json", code=2)
    load_model("m.json")


def test_a_comparison_in_which_everything_fails_has_failed(folder, monkeypatch):
    from holdfast.table_models import fitting

    def fails(*_, **__):
        raise ValueError("out of luck")

    monkeypatch.setattr(fitting, "fit", fails)
    result = CliRunner().invoke(app, ["compare", "homes.csv", "-t", "price", DROP])
    assert result.exit_code == 1
    assert "no method could be fitted; the first says: out of luck" in str(result.exception)


def test_codes_of_numbers_are_the_same_levels_when_predicting(folder):
    codes = np.array(["01", "02", "75", "2A"])[np.arange(120) % 4]
    frame = homes().select("area", "price").with_columns(code=pl.Series(codes))
    frame = frame.with_columns(price=pl.col("price") + 500.0 * (pl.col("code") == "01"))
    write(frame, folder)
    run("fit", "homes.csv", "-t", "price", "--model", "m.json", "--no-nested", "-q")
    whole = run("predict", "m.json", "homes.csv").stdout.splitlines()
    write(frame.filter(pl.col("code") != "2A"), folder, "numbers.csv")
    part = run("predict", "m.json", "numbers.csv").stdout.splitlines()
    assert part[1:] == [line for line, code in zip(whole[1:], codes, strict=True) if code != "2A"]


def test_one_row_with_an_empty_cell(folder):
    holes = homes().with_columns(area=pl.when(pl.int_range(pl.len()) > 3).then("area"))
    write(holes, folder)
    asked = ["fit", "homes.csv", "-t", "price", DROP, "--drop=dear", "--impute", "median"]
    run(*asked, "--model", "m.json", "--no-nested", "-q")
    write(holes[:1], folder, "one.csv")
    told = found("predict", "m.json", "one.csv")
    assert told["rows"] == 1
    assert "1 of 1 cells is empty" in told["notes"][0]


def test_an_interrupted_honest_error_keeps_the_model(folder, monkeypatch):
    from holdfast.table_models import fitting

    def interrupts(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "honest", interrupts)
    asked = ["fit", "homes.csv", "-t", "price", DROP, "--model", "m.json"]
    result = CliRunner().invoke(app, asked)
    assert result.exit_code == 130
    assert "There is no honest error: it was interrupted" in " ".join(result.stdout.split())
    assert load_model("m.json").findings["nested"] is None


def test_rare_levels_are_pooled_as_asked(folder):
    asked = ["fit", "homes.csv", "-t", "price", DROP, "--drop=dear", "--no-nested"]
    names = found(*asked, "--rare", 1)["features"]
    assert {"city=Lima", "city=Bonn"} <= set(names)
    assert "city=(other)" not in names
    assert "city=Lima" not in found(*asked, "--rare", 2)["features"]


def test_keep_names_the_columns_and_quiet_says_nothing(folder):
    told = found("fit", "homes.csv", "-t", "price", "--keep", "area,rooms", "--no-nested")
    assert told["features"] == ["area", "rooms"]
    asked = ["homes.csv", "-t", "price", "--keep", "area", "--quiet"]
    assert run("compare", *asked).output == ""
    assert run("fit", *asked, "--no-nested", "--model", "m.json").output == ""
    assert run("report", "m.json", "--quiet").output == ""
    assert run("predict", "m.json", "homes.csv", "-o", "p.csv", "--quiet").output == ""
