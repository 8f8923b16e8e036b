"""Files that must not change while they are read again and again."""

from __future__ import annotations

import os
from typing import Any


class StampedFile:
    """A file, and its size and time when it was opened.

    Parameters
    ----------
    path : str, path or None
        None: nothing to look at.
    """

    def __init__(self, path: Any) -> None:
        self._path = path
        self._stamp = self._look()

    def check(self) -> None:
        """Refuse a file that is not what it was."""
        now = self._look()
        if now != self._stamp:
            what = "is gone" if now is None else f"has {now[0]} bytes and was written since"
            size = "" if self._stamp is None else f" of {self._stamp[0]} bytes"
            raise ValueError(
                f"{self._path} {what}; expected the file{size} as it was opened: leave it as it is "
                "while a model is fitted, and fit again."
            )

    def _look(self) -> tuple[int, int, int] | None:
        if self._path is None:
            return None
        try:
            found = os.stat(self._path)
        except OSError:
            return None
        return found.st_size, found.st_mtime_ns, found.st_ino
