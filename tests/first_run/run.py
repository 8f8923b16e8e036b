"""Run ``commands.txt`` as a newcomer would: ``python tests/first_run/run.py FOLDER_OF_HOLDFAST``.

The folder is that of the program ``holdfast``, such as ``.venv/bin``. Everything happens in a new
empty folder with the two tables. Needs nothing but Python's standard library and a shell.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
TABLES = ("homes.csv", "new.csv")


class Step(NamedTuple):
    """One command, and what it must do."""

    command: str
    exit_code: int
    says: list[str]
    keeps_quiet_about: list[str]
    leaves: list[str]
    leaves_not: list[str]


def steps() -> list[Step]:
    """All commands, in their order."""
    found: list[Step] = []
    for line in (HERE / "commands.txt").read_text(encoding="utf-8").splitlines():
        sign, _, text = line.partition(" ")
        if sign == "$":
            found.append(Step(text, 0, [], [], [], []))
        elif sign == "=":
            found[-1] = found[-1]._replace(exit_code=int(text))
        elif sign in "|!@~" and sign:
            places = {"|": 2, "!": 3, "@": 4, "~": 5}
            found[-1][places[sign]].append(text)
        elif sign not in ("", "#"):
            raise ValueError(f"commands.txt: {line!r} begins with no known sign")
    return found


def problems(step: Step, folder: Path, programs: Path) -> list[str]:
    """Run one command; what was not as it must be."""
    environment = {
        **os.environ,
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "200",
        "NO_COLOR": "1",
        "PYTHONIOENCODING": "utf-8",
    }
    ended = subprocess.run(
        ["bash", "-c", step.command],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    printed = ended.stdout.decode("utf-8")
    flat = "".join(sign for sign in printed if sign not in "│╭╮╰╯─").split()
    said = " ".join(flat)
    wrong = [f"does not say {text!r}" for text in step.says if " ".join(text.split()) not in said]
    wrong += [f"says {text!r}" for text in step.keeps_quiet_about if text in said]
    wrong += [f"leaves no {name}" for name in step.leaves if not (folder / name).is_file()]
    wrong += [f"leaves {name}" for name in step.leaves_not if (folder / name).exists()]
    if ended.returncode != step.exit_code:
        wrong.append(f"ends with {ended.returncode}, not {step.exit_code}")
    if "Traceback" in said:
        wrong.append("shows a traceback")
    half = [path.name for path in folder.iterdir() if ".part" in path.name]
    wrong += [f"leaves the half-written {name}" for name in half]
    return [*wrong, printed] if wrong else []


def main() -> None:
    """Run all; say what went wrong and end with 1 if anything did."""
    programs = Path(sys.argv[1]).resolve()
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for table in TABLES:
            shutil.copy(HERE / table, folder)
        asked = steps()
        for step in asked:
            wrong = problems(step, folder, programs)
            sys.stdout.write(f"{'FAILED' if wrong else 'ok    '} $ {step.command}\n")
            for line in wrong:
                sys.stdout.write(f"    {line}\n")
            sys.stdout.flush()
            failed += bool(wrong)
    sys.stdout.write(f"{len(asked) - failed} of {len(asked)} commands did as they should\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
