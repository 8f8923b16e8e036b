"""A document as text and back: strict JSON, a checksum over its content, one line per row.

The checksum is taken over the *canonical* text of everything but itself: keys sorted, no spaces,
floats by ``repr``. It depends on what a file says, not on how it is laid out, so that a file may be
reformatted but not changed. It finds accidents and edits by hand; it is no signature.

Floats: ``repr`` writes the shortest decimal that rounds to the same bits, so that numbers come back
as they were. What JSON cannot say - NaN, infinities - is refused here; see
:mod:`holdfast.model_file.arrays` for how arrays say it.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

from holdfast.model_file.errors import ModelFileError
from holdfast.model_file.plain import too_deep

FORMAT = "holdfast model"
VERSION = 1
"""Raised when files change so that an older holdfast could not read them."""

_REMEDY = "expected a file as save_model wrote it: write it again."
_LINE = 96


def to_text(content: dict[str, Any]) -> str:
    """The text of a file that holds ``content``."""
    document = {"format": FORMAT, "schema": VERSION, "checksum": checksum(content), **content}
    return _laid_out(document, 0) + "\n"


def from_text(raw: bytes) -> dict[str, Any]:
    """The content of a file, checked to be what was written.

    Raises
    ------
    ModelFileError
        For anything else.
    """
    try:
        document = json.loads(
            raw.decode("utf-8"), object_pairs_hook=_without_twins, parse_constant=_no_number
        )
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"it is not JSON ({error}); {_REMEDY}") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ModelFileError(f"it is not a {FORMAT!r} file; {_REMEDY}")
    if too_deep(document):
        raise ModelFileError(f"its lists stand inside each other without end; {_REMEDY}")
    version = document.get("schema")
    if type(version) is not int or version < 1:
        raise ModelFileError(f"its schema version is {version!r}; {_REMEDY}")
    if version > VERSION:
        raise ModelFileError(
            f"its schema version is {version}, newer than {VERSION}, which this holdfast reads; "
            "expected an older file: read it with the version of holdfast that wrote it, or a "
            "later one."
        )
    stated = document.pop("checksum", None)
    content = {name: value for name, value in document.items() if name not in ("format", "schema")}
    try:
        found = checksum(content)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(f"it holds what no model file does ({error}); {_REMEDY}") from None
    if stated != found:
        raise ModelFileError(
            "its content has been changed since it was written: the checksum is that of another "
            f"content; {_REMEDY}"
        )
    return content


def checksum(content: dict[str, Any]) -> str:
    """Of the canonical text of a content."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(canonical.encode("ascii")).hexdigest()


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object; of a key that stands twice readers would take different ones."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _laid_out(value: Any, depth: int) -> str:
    """Objects and lists of them one entry a line, numbers in rows."""
    flat = _flat(value)
    if flat is not None:
        return flat
    margin, end = " " * (depth + 1), " " * depth
    if isinstance(value, dict):
        lines = [f"{_flat(name)}: {_laid_out(one, depth + 1)}" for name, one in value.items()]
        return "{\n" + ",\n".join(margin + line for line in lines) + f"\n{end}}}"
    lines = [_laid_out(one, depth + 1) for one in value]
    return "[\n" + ",\n".join(margin + line for line in lines) + f"\n{end}]"


def _flat(value: Any) -> str | None:
    """In one line, where that is short, or where there are only single values; else None."""
    nested = isinstance(value, dict) or (
        isinstance(value, list) and any(isinstance(one, (list, dict)) for one in value)
    )
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return None if nested and len(text) > _LINE else text
