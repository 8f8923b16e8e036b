"""Where files go, checked before any work is done."""

import os
from collections.abc import Sequence
from pathlib import Path

import typer


def check_output(path: Path | None, kinds: Sequence[str] = ()) -> None:
    """Refuse a file that cannot be written: no such folder, or an ending of another kind."""
    if path is None:
        return
    if kinds and path.suffix.lower() not in kinds:
        raise typer.BadParameter(
            f"the file would be {path.name}, expected a name that ends in one of "
            f"{', '.join(kinds)}; for example {path.stem}{kinds[0]}"
        )
    if path.is_dir():
        raise typer.BadParameter(f"{path} is a folder, expected a file; choose another name")
    if not os.access(path.parent, os.W_OK) and path.parent.is_dir():
        raise typer.BadParameter(
            f"cannot write into {path.parent}, expected a folder that may be written to; choose "
            "another place"
        )
    if not path.parent.is_dir():
        raise typer.BadParameter(
            f"cannot write {path}, expected a file in a folder that exists; "
            f"create {path.parent} first or choose another place"
        )


def check_not_read(output: Path | None, *read: Path) -> None:
    """Refuse to replace a file that the command reads."""
    for path in read:
        if output is not None and output.exists() and path.exists() and output.samefile(path):
            raise typer.BadParameter(
                f"{output} is read, and would be replaced; choose another name"
            )
