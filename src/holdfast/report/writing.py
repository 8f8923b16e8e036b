"""One file from the findings: checked, made into a page, written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from holdfast.whole_file import write_whole

VERSION = 1
_NEEDED = """
    task method method_words target classes weight error_name hold_out features feature_columns
    path chosen coef effects intercept basis curve alphas error std_error optimistic baseline
    nested nested_reason held_out threshold data warnings seconds
"""


def write_report(
    findings: Mapping[str, Any],
    path: str | PathLike[str],
    *,
    provenance: Mapping[str, Any] | None = None,
) -> None:
    """Write what a fit has found as one self-contained HTML file.

    Parameters
    ----------
    findings : dict
        What was found, in plain values; the ``findings`` of a ``TableModel``.
    path : str or path
        Where the file goes, whole or not at all. What stood there is replaced.
    provenance : dict, optional
        Where the model came from - time, command line, versions, fingerprint of the data; the
        ``provenance`` of a ``TableModel``. Its last section shows it.

    Raises
    ------
    ValueError
        If there are no findings, or they are of another version, or incomplete.
    ImportError
        If altair, jinja2 or vl-convert-python is missing.

    Notes
    -----
    The file reads nothing from anywhere: pictures (Vega-Lite), script and style are inside, and
    its content security policy forbids all requests. About 1 MB, most of it the drawing library;
    of every model on the path it holds only the coefficients that are not zero, and of models of
    more than 200 features the 200 of largest effect (of the chosen model all).
    """
    _check(findings)
    try:
        import altair  # noqa: F401
        import jinja2  # noqa: F401
        import vl_convert  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"a report needs {error.name}, which is not installed; expected the extra 'cli': "
            'pip install "holdfast[cli]".'
        ) from None
    from holdfast.report.page import page

    text = page(findings, provenance or {})
    write_whole(Path(path), lambda unfinished: unfinished.write_text(text, encoding="utf-8"))


def _check(findings: Mapping[str, Any]) -> None:
    if not findings:
        raise ValueError(
            "there are no findings; expected what holdfast fit records with a model: fit the table "
            "with it."
        )
    version = findings.get("version")
    if version != VERSION:
        raise ValueError(
            f"findings have version {version!r}; expected {VERSION}: fit the model again with this "
            "version of holdfast, or use the version that made it."
        )
    missing = [name for name in _NEEDED.split() if name not in findings]
    if missing:
        raise ValueError(
            f"findings have no {', '.join(missing)}; expected what a fit records: fit the model "
            "again."
        )
