"""The command as a program: help, version, exit codes, and no traceback unasked."""

import re
import subprocess
import sys

import pytest

import holdfast
from holdfast import cli

INSTALL_LINE = 'pip install "holdfast[all]"'


def run(*arguments, before="pass", cwd=None):
    """Run the command in a new interpreter, after the statements ``before``."""
    program = f"{before}; import sys; sys.argv = ['holdfast', *sys.argv[1:]]; "
    program += "from holdfast.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=cwd,
        check=False,
    )


def test_version():
    result = run("--version")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"holdfast {holdfast.__version__}\n"


@pytest.mark.parametrize("arguments", [["--help"], ["demo", "--help"]])
def test_help_names_the_command_and_the_options(arguments):
    result = run(*arguments)
    assert result.returncode == 0
    assert " ".join(["holdfast", *arguments[:-1]]) in result.stdout
    assert "--debug" in result.stdout


def test_no_arguments_show_the_help():
    result = run()
    assert result.returncode == 2
    assert "demo" in result.stdout + result.stderr


def test_the_module_runs_as_the_command_does():
    result = subprocess.run(
        [sys.executable, "-m", "holdfast.cli", "--version"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout == f"holdfast {holdfast.__version__}\n"


@pytest.mark.parametrize("missing", ["typer", "rich", "matplotlib"])
def test_a_missing_extra_is_one_line_that_says_what_to_install(missing, tmp_path):
    result = run("demo", before=f"import sys; sys.modules['{missing}'] = None", cwd=tmp_path)
    assert result.returncode == 2
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith(f"holdfast: {missing} is not installed")
    assert INSTALL_LINE in result.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(28, "No space left on device"), "No space left on device"),
        (ValueError("found\nthis, expected that; do so"), "found this, expected that; do so"),
        (ZeroDivisionError("division by zero"), "run it again with --debug"),
    ],
)
def test_an_error_is_one_line_and_a_traceback_only_if_asked_for(error, says, monkeypatch, capsys):
    def fail(*, prog_name):
        raise error

    monkeypatch.setattr("holdfast.cli.app.app", fail)
    monkeypatch.setattr("sys.argv", ["holdfast", "demo"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 1
    assert re.fullmatch(r"holdfast: .*\n", capsys.readouterr().err)[0].count(says) == 1

    monkeypatch.setattr("sys.argv", ["holdfast", "demo", "--debug"])
    with pytest.raises(type(error)):
        cli.main()


@pytest.mark.parametrize("place", ["holdfast.cli.app.app", "holdfast.data.load_auto_price"])
def test_an_interruption_from_the_keyboard(place, monkeypatch, capsys):
    def interrupt(**_):
        raise KeyboardInterrupt

    monkeypatch.setattr(place, interrupt)
    monkeypatch.setattr("sys.argv", ["holdfast", "demo"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_defect_that_looks_like_a_missing_extra_is_not_reported_as_one(monkeypatch, capsys):
    def fail(*, prog_name):
        raise ModuleNotFoundError("No module named 'holdfast.nowhere'", name="holdfast.nowhere")

    monkeypatch.setattr("holdfast.cli.app.app", fail)
    monkeypatch.setattr("sys.argv", ["holdfast", "demo"])
    with pytest.raises(SystemExit) as stop:
        cli.main()
    assert stop.value.code == 1
    assert INSTALL_LINE not in capsys.readouterr().err
