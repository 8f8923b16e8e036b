"""Output files appear whole or not at all."""

import os
from collections.abc import Callable
from pathlib import Path


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let ``write`` fill a new file beside ``path``, then put it in place of ``path`` at once.

    Parameters
    ----------
    path : Path
        Where the file is wanted. What stood there is replaced, but only by a whole file.
    write : callable
        Called with the path of the temporary file, which has the same suffix.
    """
    unfinished = path.with_name(f".{path.stem}.{os.getpid()}.part{path.suffix}")
    try:
        write(unfinished)
        os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)
