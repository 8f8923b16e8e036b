"""Every command of the pages does what the page shows.

A fenced block ``console`` holds commands after ``$ `` and below each what it prints; ``...`` stands
for anything, and white space does not count. Commands of a page run one after the other in a folder
with the tables beside the page.

Blocks ``sh`` show commands without what they print: they must end well and leave their files. Those
that begin otherwise than with ``holdfast`` install it or run whole papers; ``.ci/run`` and the
papers' own tests do that.
"""

import contextlib
import doctest
import io
import re
import shlex
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest

from holdfast.cli import main

pl = pytest.importorskip("polars")

DOCS = Path(__file__).parents[2] / "docs"
PAGES = [
    page
    for folder in ("tutorials", "how-to")
    for page in sorted((DOCS / folder).glob("*.md"))
    if "```console" in page.read_text("utf-8")
]
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
SHELL = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
ALIKE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def commands(page):
    """Pairs of a command and what it prints."""
    for block in BLOCK.findall(page.read_text("utf-8")):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, _, printed = part.partition("\n")
            yield command, printed


def shell_commands(page):
    """Commands of holdfast in the blocks ``sh``, without their comments."""
    for block in SHELL.findall(page.read_text("utf-8")):
        for line in block.splitlines():
            if line.startswith("holdfast "):
                yield line.partition(" #")[0].strip()


def run(command, folder):
    """What the command says: standard error without progress bars, then standard output.

    The command ``holdfast`` runs in this process, which has imported already what it needs.
    """
    first, *arguments = shlex.split(command)
    if first == "holdfast":
        said, errors, code = in_process(arguments, folder)
    else:
        done = subprocess.run(
            command, shell=True, cwd=folder, capture_output=True, text=True, check=False
        )
        said, errors, code = done.stdout, done.stderr, done.returncode
    lines = [line for line in errors.splitlines() if "━" not in line]
    return "\n".join([*lines, said]), code


def in_process(arguments, folder):
    """Standard output, standard error and exit code of the command line."""
    said, errors = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(errors),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("default")
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["holdfast", *arguments])
        for name, value in {"COLUMNS": "110", "NO_COLOR": "1", "TERM": "dumb"}.items():
            patch.setenv(name, value)
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        else:
            code = 0
    return said.getvalue(), errors.getvalue(), code


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_the_page_shows(page, tmp_path):
    pytest.importorskip("altair")
    for table in page.parent.glob("*.csv"):
        shutil.copy(table, tmp_path)
    for command, printed in commands(page):
        said, code = run(command, tmp_path)
        assert "Traceback" not in said, said
        assert (code != 0) == printed.startswith("holdfast: "), f"$ {command}\nexit {code}\n{said}"
        if not doctest.OutputChecker().check_output(printed or "\n", said, ALIKE):
            pytest.fail(f"{page.name} shows\n\n$ {command}\n{printed}\nbut it says\n\n{said}")


ROOT = DOCS.parent
WITH_SHELL = [page for page in (ROOT / "README.md", *sorted(DOCS.rglob("*.md")))
              if any(shell_commands(page))]  # fmt: skip


def homes(rows):
    """Homes whose price is told by area and city."""
    rng = np.random.default_rng(rows)
    area, rooms = rng.integers(40, 160, rows), rng.integers(1, 6, rows)
    city = np.array(["Oslo", "Rome", "Lima"])[np.arange(rows) % 3]
    price = 3 * area + 20.0 * (city == "Oslo") + rng.standard_normal(rows)
    return pl.DataFrame({"area": area, "rooms": rooms, "city": city, "price": price.round(2)})


def test_pages_with_commands_of_holdfast():
    assert {page.relative_to(ROOT).as_posix() for page in WITH_SHELL} >= {
        "README.md", "docs/report.md"
    }  # fmt: skip


@pytest.mark.parametrize("page", WITH_SHELL, ids=lambda page: page.stem)
def test_commands_whose_output_is_not_shown(page, tmp_path):
    pytest.importorskip("altair")
    homes(60).write_csv(tmp_path / "homes.csv")
    homes(9).drop("price").write_csv(tmp_path / "new-homes.csv")
    shutil.copy(DOCS / "tutorials/flats.csv", tmp_path)
    for command in shell_commands(page):
        said, code = run(command, tmp_path)
        assert code == 0, f"$ {command}\n{said}"
        assert said.strip()
        for _, name in re.findall(r"--(model|report|output) (\S+)", command):
            assert (tmp_path / name).stat().st_size > 0


def test_the_tables_are_what_their_script_makes(tmp_path):
    import runpy

    made = runpy.run_path(str(DOCS / "tutorials/make_flats.py"))
    made["write"](tmp_path / "flats.csv", made["flats"](160, seed=1))
    assert (tmp_path / "flats.csv").read_bytes() == (DOCS / "tutorials/flats.csv").read_bytes()


def test_a_page_that_is_wrong_is_found(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("```console\n$ echo rent\nrant\n```\n")
    ((command, printed),) = commands(page)
    said, _ = run(command, tmp_path)
    assert not doctest.OutputChecker().check_output(printed, said, ALIKE)
