"""``holdfast demo``: what it prints is what the estimator says, and the picture is there."""

import re

import numpy as np
import pytest
from typer.testing import CliRunner

from holdfast import ForwardRidge
from holdfast.cli.app import app
from holdfast.cli.demo import ALPHAS
from holdfast.data import load_auto_price

ROW = re.compile(
    r"^ *(?P<step>\d+) +(?P<move>\(none\)|\+ \S+) +(?P<error>[\d.]+) +(?P<spread>[\d.]+) "
    r"+\$(?P<dollars>[\d,]+) +(?P<alpha>[\d.]+)(?P<chosen> +<- chosen)? *$",
    re.MULTILINE,
)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    result = CliRunner().invoke(app, ["demo", *arguments])
    assert result.exit_code == 0, result.output
    return result


def test_every_step_of_the_path_is_printed_and_the_chosen_one_marked(folder):
    rows = [match.groupdict() for match in ROW.finditer(run().stdout)]

    cars = load_auto_price()
    search = ForwardRidge(alphas=ALPHAS, standardize=True).fit(cars.X, cars.y / 1000)
    names = [f"+ {cars.feature_names[column]}" for column in search.selection_order_]
    assert [row["move"] for row in rows] == ["(none)", *names]
    assert [int(row["step"]) for row in rows] == list(range(16))
    np.testing.assert_allclose(
        [float(row["error"]) for row in rows], search.path_errors_, atol=5.001e-4
    )
    np.testing.assert_allclose(
        [float(row["spread"]) for row in rows], search.path_std_errors_, atol=5.001e-4
    )
    assert [float(row["alpha"]) for row in rows] == pytest.approx(search.path_alphas_)
    dollars = [float(row["dollars"].replace(",", "")) for row in rows]
    np.testing.assert_allclose(dollars, 1000 * np.sqrt(search.path_errors_), atol=0.501)
    chosen = [int(row["step"]) for row in rows if row["chosen"]]
    assert chosen == [search.n_features_]


def test_the_nested_error_is_that_of_repeating_the_whole_selection(folder):
    from sklearn.model_selection import KFold

    cars = load_auto_price()
    squares = np.empty(159)
    for training, held_out in KFold(10, shuffle=True, random_state=0).split(cars.X):
        search = ForwardRidge(alphas=ALPHAS, standardize=True)
        search.fit(cars.X[training], cars.y[training] / 1000)
        squares[held_out] = (cars.y[held_out] / 1000 - search.predict(cars.X[held_out])) ** 2
    said = " ".join(run().stdout.split())
    assert f"the error is {squares.mean():.3f}" in said
    assert f"a typical miss of ${1000 * squares.mean() ** 0.5:,.0f}" in said
    assert "optimistic" in said


def test_the_picture_is_written_whole_and_nothing_else_is_left(folder):
    assert "holdfast-demo.png" in run().stdout
    assert (folder / "holdfast-demo.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in folder.iterdir()] == ["holdfast-demo.png"]


@pytest.mark.parametrize(
    ("suffix", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")]
)
def test_the_suffix_of_output_decides_the_format(folder, suffix, start):
    run("--output", f"cars.{suffix}", "--max-features", "2")
    assert (folder / f"cars.{suffix}").read_bytes().startswith(start)


def test_max_features_bounds_the_search(folder):
    assert len(ROW.findall(run("--max-features", "3").stdout)) == 4


def test_without_a_terminal_a_bar_is_one_line_on_stderr(folder):
    result = run("--max-features", "2")
    assert result.stderr.count("\n") == 2
    assert "100%" in result.stderr
    assert "\x1b" not in result.output
    assert "%" not in result.stdout


def test_the_output_needs_no_more_than_eighty_columns(folder):
    assert max(map(len, run().stdout.splitlines())) <= 80


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--output", "cars.txt"], "for example cars.png"),
        (["--output", "missing/cars.png"], "create missing first"),
        (["--max-features", "0"], "--max-features"),
        (["--max-features", "16"], "--max-features"),
        (["--colour"], "--colour"),
    ],
)
def test_wrong_usage_is_refused_before_any_work(folder, arguments, says):
    result = CliRunner().invoke(app, ["demo", *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 2
    assert says in result.stderr
    assert result.stdout == ""
    assert list(folder.iterdir()) == []
