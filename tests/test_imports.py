"""What is imported when: no arithmetic for a help text, no tools of the extras for the library."""

import subprocess
import sys

import pytest

EXTRAS = ("polars", "altair", "matplotlib", "dask", "typer", "rich", "vl_convert", "distributed")


def loaded(program):
    """Packages that a new interpreter has loaded after a program."""
    ending = "import sys; print('loaded:', *sorted({n.split('.')[0] for n in sys.modules}))"
    result = subprocess.run(
        [sys.executable, "-c", f"{program}\n{ending}"],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return set(result.stdout.rpartition("loaded:")[2].split())


VERBS = ["fit", "predict", "compare", "report", "inspect", "export", "demo"]


@pytest.mark.parametrize("verb", [[], *([verb] for verb in VERBS)], ids=str)
def test_a_help_text_loads_no_arithmetic(verb):
    program = (
        "import sys\n"
        f"sys.argv = {['holdfast', *verb, '--help']}\n"
        "from holdfast.cli import main\n"
        "try: main()\n"
        "except SystemExit as end: assert end.code == 0, end.code\n"
        "else: raise AssertionError('no end')"
    )
    heavy = {"numpy", "scipy", "sklearn", "polars", "altair", "matplotlib", "pandas"}
    assert not heavy & loaded(program)


def test_all_verbs_are_there():
    app = pytest.importorskip("holdfast.cli.app").app
    assert [command.callback.__name__ for command in app.registered_commands] == VERBS


def test_the_library_loads_no_tools_of_the_extras():
    assert not set(EXTRAS) & loaded("import holdfast")


def test_names_load_what_scikit_learn_loads_and_no_more():
    """scikit-learn itself imports pandas, polars or rich if they are there: no fault of ours."""
    theirs = loaded("from sklearn.linear_model import RidgeCV\nimport sklearn.callback")
    ours = loaded("from holdfast import ForwardRidge, RidgeCV, nested_score, load_model")
    assert not (set(EXTRAS) - theirs) & ours


def test_every_public_name_is_there():
    program = "from holdfast import *\nimport holdfast\n"
    program += "assert all(hasattr(holdfast, name) for name in holdfast.__all__)\n"
    program += (
        "assert sorted(holdfast.__all__) == [n for n in dir(holdfast) if n in holdfast.__all__]"
    )
    assert "numpy" in loaded(program)
