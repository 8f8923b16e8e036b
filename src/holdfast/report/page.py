"""The page: every section from the findings, filled into one template.

**Nothing gets in as markup.** The template escapes all text; data for the script are JSON in which
``<``, ``>`` and ``&`` are written as escapes, so that no name can end the element that holds them.
The content security policy allows the scripts of this page by their digests and forbids requests,
so that even a hole in the above would neither run nor send anything.

**Nothing is drawn from nothing.** Where findings are missing, a sentence says so.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import altair
import vl_convert
from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from holdfast.report.data_sections import data_section, origin_section
from holdfast.report.drawing import KEY, STEP
from holdfast.report.headline import figure_note, gain, headline, honest_or_why, wrong_labels
from holdfast.report.held_out_section import held_out_section
from holdfast.report.model_sections import (
    curve_section,
    folds_section,
    models_section,
    path_section,
    penalties_section,
    stability_section,
)
from holdfast.report.models import models_of
from holdfast.report.numbers import percent, shown
from holdfast.report.terms import Findings, Measure, Noun, own_hold_out
from holdfast.report.words import fair_if_fixed, left_out_how


def page(findings: Findings, provenance: Mapping[str, Any]) -> str:
    """The whole file."""
    folder = files("holdfast.report").joinpath("page")
    template, style, script = (
        folder.joinpath(name).read_text("utf-8")
        for name in ("page.html", "report.css", "report.js")
    )
    library = _library()
    specs: dict[str, Any] = {}
    told: dict[str, Any] = {"charts": specs, "step": STEP, "key": KEY}
    noun = Noun.of_findings(findings)
    models = models_of(findings)
    sections = {
        "path": path_section(findings, models, noun, specs),
        "models": models_section(findings, models, noun, specs, told),
        "held_out": held_out_section(findings, specs, told),
        "folds": folds_section(findings, noun),
        "stability": stability_section(findings, noun, specs),
        "penalties": penalties_section(findings, specs),
        "curve": curve_section(findings, specs),
        "data": data_section(findings),
        "origin": origin_section(findings, provenance),
    }
    environment = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        loader=DictLoader({"page.html": template}),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"shown": shown, "percent": percent, "whole": "{:,}".format}
    return environment.get_template("page.html").render(
        f=findings,
        noun=noun,
        measure=Measure.of_findings(findings),
        approximate=bool(findings.get("approximate")),
        own_hold_out=own_hold_out(findings),
        left_out_how=left_out_how(findings),
        fair_if_fixed=fair_if_fixed(findings),
        head=_head(findings),
        style=Markup(style),
        library=Markup(library),
        script=Markup(script),
        digests=[_digest(library), _digest(script)],
        told=Markup(embedded(told)),
        **sections,
    )


@cache
def _library() -> str:
    """Vega, Vega-Lite and vega-embed of the version that altair writes for; takes a second."""
    version = ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;", vl_version=version)


def embedded(value: Any) -> str:
    """JSON that can stand inside a script element: no character of it means anything to HTML."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for character in "<>&":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode("utf-8")).digest()).decode("ascii")


def _head(findings: Findings) -> dict[str, Any]:
    measure, nested = Measure.of_findings(findings), findings["nested"]
    wrong = wrong_labels(findings)
    return {
        "sentence": headline(findings),
        "second": honest_or_why(findings),
        "honest": None if nested is None else measure.text(nested["error"]),
        "honest_error": None if nested is None else figure_note(findings, nested),
        "own": None if findings["error"] is None else measure.text(findings["error"]),
        "own_error": None if findings["error"] is None else figure_note(findings, findings),
        "baseline": measure.text(findings["baseline"]),
        "gain": gain(findings),
        "wrong": None if wrong is None else percent(wrong),
    }
