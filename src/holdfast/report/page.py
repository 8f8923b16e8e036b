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
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

import altair
import vl_convert
from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from holdfast.report import charts, held_out, stability, words
from holdfast.report.models import Model, models_of, removes
from holdfast.report.numbers import MINUS, NOTHING, count, percent, rounded, shown

MOST_IN_A_TABLE = 12  # classes of a confusion table
MOST_MISTAKES = 15
MOST_LEVELS = 6
MOST_COLUMNS = 200  # of the summary of the data

Findings = Mapping[str, Any]


def page(findings: Findings, provenance: Mapping[str, Any]) -> str:
    """The whole file."""
    folder = files("holdfast.report").joinpath("page")
    template, style, script = (
        folder.joinpath(name).read_text("utf-8")
        for name in ("page.html", "report.css", "report.js")
    )
    library = _library()
    specs: dict[str, Any] = {}
    told: dict[str, Any] = {"charts": specs, "step": charts.STEP, "key": charts.KEY}
    noun = words.Noun.of_findings(findings)
    models = models_of(findings)
    sections = {
        "path": _path(findings, models, noun, specs),
        "models": _models(findings, models, noun, specs, told),
        "held_out": _held_out(findings, specs, told),
        "folds": _folds(findings, noun),
        "stability": _stability(findings, noun, specs),
        "penalties": _penalties(findings, specs),
        "curve": _curve(findings, specs),
        "data": _data(findings),
        "origin": _origin(findings, provenance),
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
        measure=words.Measure.of_findings(findings),
        words=words,
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


# -- sections, in the order of the page ------------------------------------------------------


def _head(findings: Findings) -> dict[str, Any]:
    measure, nested = words.Measure.of_findings(findings), findings["nested"]
    wrong = words.wrong_labels(findings)
    return {
        "sentence": words.headline(findings),
        "second": words.honest_or_why(findings),
        "honest": None if nested is None else measure.text(nested["error"]),
        "honest_error": None if nested is None else words.figure_note(findings, nested),
        "own": None if findings["error"] is None else measure.text(findings["error"]),
        "own_error": None if findings["error"] is None else words.figure_note(findings, findings),
        "baseline": measure.text(findings["baseline"]),
        "gain": words.gain(findings),
        "wrong": None if wrong is None else percent(wrong),
    }


def _path(
    findings: Findings, models: Sequence[Model], noun: words.Noun, specs: dict[str, Any]
) -> dict[str, Any] | None:
    if findings["path"] is None or len(models) < 2:
        return None
    measure = words.Measure.of_findings(findings)
    specs["path"], cut = charts.errors_by_size(findings, models, noun)
    names = findings["features"]
    return {
        "alt": words.of_path(findings, models, noun),
        "cut": None if cut is None else charts.said_cut(cut, measure),
        "rows": [
            {
                "size": f"{model.size:,}",
                "moved": _moved(model, names),
                "error": shown(model.error),
                "std_error": shown(model.std_error, 2),
                "miss": measure.text(model.error),
                "alpha": shown(model.alpha),
                "chosen": model.position == findings["chosen"],
            }
            for model in models
        ],
    }


def _moved(model: Model, names: Sequence[str]) -> str:
    sign, columns = model.moved
    if not sign or not columns:
        return "the start"
    return f"{'+' if sign > 0 else MINUS} {words.listed([names[j] for j in columns])}"


def _models(
    findings: Findings,
    models: Sequence[Model],
    noun: words.Noun,
    specs: dict[str, Any],
    told: dict[str, Any],
) -> dict[str, Any] | None:
    """The models that the slider steps through; of one model there is no slider."""
    if not models:
        return None
    measure = words.Measure.of_findings(findings)
    removing = findings["path"] is not None and removes(findings)
    title = "coefficient" if findings["effects"] is None else "standardised effect"
    chosen = next(
        place
        for place, model in enumerate(models)
        if findings["path"] is None or model.position == findings["chosen"]
    )
    used = sorted({row.column for model in models for row in model.rows})
    place_of = {column: place for place, column in enumerate(used)}
    n_outputs = len(models[0].intercept)
    specs["effects"] = charts.effects(title)
    told["models"] = {
        "names": [findings["features"][column] for column in used],
        "unmoved": "to the end" if removing else "start",
        "chosen": chosen,
        "all": [
            {
                "size": model.size,
                "error": None if model.error is None else rounded(measure.of(model.error), 7),
                "said": words.said(model, findings, noun, chosen=place == chosen),
                "short": noun.count(model.size),
                "left_out": model.left_out,
                "intercept": model.intercept,
                "rows": [
                    [place_of[row.column], row.when or 0, row.coef, row.effects]
                    for row in model.rows
                ],
            }
            for place, model in enumerate(models)
        ],
    }
    if findings["task"] == "regression":
        outputs = [findings["target"]]
    else:
        outputs = findings["classes"] if n_outputs > 1 else [findings["classes"][-1]]
    return {
        "last": len(models) - 1,
        "chosen": chosen,
        "said": told["models"]["all"][chosen]["said"],
        "outputs": outputs if n_outputs > 1 else [],
        "alt": words.of_effects(title),
        "effects": findings["effects"] is not None,
        "effect_words": words.effect_words(findings),
        "when": findings["path"] is not None and len(models) > 1,
        "when_title": "stays down to size" if removing else "entered at size",
    }


def _held_out(
    findings: Findings, specs: dict[str, Any], told: dict[str, Any]
) -> dict[str, Any] | None:
    if not findings["held_out"] or not findings["held_out"]["rows"]:
        return None
    section: dict[str, Any] = {"note": words.held_out_note(findings), "optimistic": None}
    classes = findings["classes"]
    if not classes:
        specs["predictions"] = charts.predictions(findings)
        n_rows = len(findings["held_out"]["rows"])
        return section | {"kind": "points", "alt": words.of_points(findings, n_rows)}
    table = held_out.confusion(findings)
    section["wrong"] = percent(held_out.wrong_share(findings))
    if len(classes) > MOST_IN_A_TABLE:
        return section | {"kind": "mistakes"} | _mistakes(table, classes)
    section |= {"kind": "classes", "table": _confusion_rows(table, classes)}
    if len(classes) == 2:
        section |= {"kind": "two"} | _threshold(findings, specs, told)
    return section


def _confusion_rows(table: list[list[int]], classes: Sequence[str]) -> list[dict[str, Any]]:
    rows = []
    for place, (name, line) in enumerate(zip(classes, table, strict=True)):
        total = sum(line)
        cells = [
            {
                "number": f"{number:,}",
                "share": percent(number / total) if total else NOTHING,
                "shade": round(number / total, 3) if total else 0,
                "right": place == column,
            }
            for column, number in enumerate(line)
        ]
        rows.append({"name": name, "cells": cells, "total": f"{total:,}"})
    return rows


def _mistakes(table: list[list[int]], classes: Sequence[str]) -> dict[str, Any]:
    pairs = [
        (number, classes[i], classes[j], number / sum(line))
        for i, line in enumerate(table)
        for j, number in enumerate(line)
        if i != j and number
    ]
    pairs.sort(key=lambda pair: (-pair[0], pair[1], pair[2]))
    return {
        "mistakes": [
            {"number": f"{number:,}", "true": true, "taken": taken, "share": percent(share)}
            for number, true, taken, share in pairs[:MOST_MISTAKES]
        ],
        "more_mistakes": max(len(pairs) - MOST_MISTAKES, 0),
    }


def _threshold(findings: Findings, specs: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    classes = findings["classes"]
    found = held_out.roc(findings)
    if found is None:
        return {"roc": None}
    points, area = found
    specs["roc"] = charts.roc_curve(points, classes)
    steps, own = held_out.threshold_steps(findings)
    told["threshold"] = {
        "own": own,
        "all": [
            {
                "said": words.threshold_said(step, classes),
                "cells": [
                    [step["true_negative"], step["false_positive"]],
                    [step["false_negative"], step["true_positive"]],
                ],
                "x": rounded(1 - step["specificity"], 6),
                "y": rounded(step["sensitivity"], 6),
            }
            for step in steps
        ],
    }
    return {
        "roc": words.of_roc(area, classes),
        "last": len(steps) - 1,
        "own": own,
        "own_value": shown(findings["threshold"] or 0.0),
        "said": told["threshold"]["all"][own]["said"],
    }


def _folds(findings: Findings, noun: words.Noun) -> dict[str, Any] | None:
    """Error of every outer fold, and the size it chose where there are sizes."""
    nested = findings["nested"]
    if nested is None:
        return None
    measure, by_size = words.Measure.of_findings(findings), findings["path"] is not None
    return {
        "title": f"number of {noun.many}" if by_size else None,
        "rows": [
            {"number": place, "error": shown(error), "miss": measure.text(error), "size": size}
            for place, (error, size) in enumerate(
                zip(nested["fold_errors"], nested["sizes"], strict=True), 1
            )
        ],
    }


def _stability(
    findings: Findings, noun: words.Noun, specs: dict[str, Any]
) -> dict[str, Any] | None:
    nested = findings["nested"]
    if nested is None or not nested["supports"] or findings["path"] is None:
        return None
    all_of_them = stability.shares(findings, noun)
    if not all_of_them:
        return None
    top = all_of_them[: stability.MOST]
    specs["stability"] = charts.stability(top, noun)
    chosen = [share for share in all_of_them if share.chosen]
    always = sum(share.share == 1 for share in chosen)
    ever = sum(share.share > 0 for share in all_of_them)
    every = sum(share.share == 1 for share in all_of_them)
    return {
        "alt": words.of_stability(len(top), len(all_of_them), ever, every, nested["folds"], noun),
        "steadiness": words.steadiness(len(chosen), always, noun),
        "sizes": [
            {"size": noun.count(size), "folds": count(number, "fold")}
            for size, number in words.tick_count(nested["sizes"])
        ],
        "rows": [{"name": s.name, "share": percent(s.share), "chosen": s.chosen} for s in top],
    }


def _penalties(findings: Findings, specs: dict[str, Any]) -> dict[str, Any] | None:
    grid = findings["alphas"]
    if not grid or len(grid["alphas"]) < 2:
        return None
    specs["penalties"] = charts.penalties(findings)
    measure = words.Measure.of_findings(findings)
    return {
        "alt": words.of_penalties(findings),
        "rows": [
            {"alpha": shown(alpha), "error": shown(error), "miss": measure.text(error),
             "chosen": alpha == grid["chosen"]}
            for alpha, error in sorted(zip(grid["alphas"], grid["errors"], strict=True))
        ],
    }  # fmt: skip


def _curve(findings: Findings, specs: dict[str, Any]) -> dict[str, Any] | None:
    found = findings["curve"]
    if not found or len(found["x"]) < 2:
        return None
    specs["curve"], bottom = charts.curve(found)
    return {"alt": words.of_curve(findings, bottom), "title": found["y_name"].capitalize()}


def _data(findings: Findings) -> dict[str, Any]:
    data = findings["data"]
    in_model = set(words.chosen_columns(findings) or [])
    known = words.chosen_columns(findings) is not None
    columns = [_column(column, column["name"] in in_model) for column in data["columns"]]
    # Of very many columns those of the model come first.
    order = sorted(columns, key=lambda c: not c["in_model"]) if len(columns) > 30 else columns
    target = data["target"]
    return {
        "source": data["source"],
        "rows": count(data["rows"], "row"),
        "left_out": data["rows_left_out"],
        "columns": order[:MOST_COLUMNS],
        "more": max(len(columns) - MOST_COLUMNS, 0),
        "in_model": known,
        "target": _levels(target["levels"], len(target["levels"]))
        if "levels" in target
        else _numeric(target),
    }


def _column(column: Mapping[str, Any], in_model: bool) -> dict[str, Any]:
    # Of tables that are read in pieces little more than the names is known.
    values, missing = "not counted", NOTHING
    if "mean" in column:
        values = _numeric(column)
    elif "levels" in column:
        values = _levels(column["levels"], column["n_levels"])
        if column["pooled"]:
            values += f" ({count(column['pooled'], 'row')} of rare levels pooled)"
    if "missing" in column:
        missing = f"{column['missing']:,}"
    if column.get("missing") and column.get("fill") is not None:
        fill = column["fill"]
        missing += f", filled with {shown(fill) if isinstance(fill, int | float) else fill}"
    return {"name": column["name"], "kind": column["kind"], "missing": missing, "values": values,
            "in_model": in_model}  # fmt: skip


def _numeric(column: Mapping[str, Any]) -> str:
    return (
        f"{shown(column['min'], 6)} to {shown(column['max'], 6)}, mean {shown(column['mean'])}, "
        f"standard deviation {shown(column['std'])}"
    )


def _levels(levels: Sequence[Sequence[Any]], number: int) -> str:
    named = [f"{name} ({rows:,})" for name, rows in levels[:MOST_LEVELS]]
    more = f" and {number - len(named):,} more" if number > len(named) else ""
    return ", ".join(named) + more


def _origin(findings: Findings, provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    data = provenance.get("data", {})
    lines = [
        ("method", f"{findings['method_words']} ({findings['method']})"),
        ("error", findings["error_name"].replace("-1/+1", f"{MINUS}1/+1")),
        ("held out", findings["hold_out"]),
    ]
    if findings["nested"]:
        lines.append(("nested estimate", findings["nested"]["splits"]))
    if findings["weight"]:
        lines.append(("weights of rows", findings["weight"]))
    if findings["basis"]:
        basis = findings["basis"]
        lines.append(
            ("basis", ", ".join(f"{k} {_plain(v)}" for k, v in basis.items() if v is not None))
        )
    lines.append(("table", findings["data"]["source"]))
    if findings["seconds"] is not None:
        lines.append(("time of the fit", f"{shown(findings['seconds'], 3)} s"))
    if provenance.get("created"):
        lines.append(("made", str(provenance["created"])))
    if provenance.get("command"):
        lines.append(("command", " ".join(map(str, provenance["command"]))))
    if data.get("fingerprint"):
        lines.append(("fingerprint of the table", str(data["fingerprint"])))
    if provenance.get("versions"):
        versions = provenance["versions"]
        lines.append(("versions", ", ".join(f"{k} {v}" for k, v in versions.items())))
    return lines


def _plain(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return shown(value) if is_number else str(value)
