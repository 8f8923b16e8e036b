"""Sections on models: the path, the slider, the folds, stability, penalty, evidence.

Each is what the template needs, or None where the findings have nothing for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.report import charts, stability, words
from holdfast.report.models import Model, removes
from holdfast.report.numbers import MINUS, count, percent, rounded, shown
from holdfast.report.path_chart import errors_by_size
from holdfast.report.terms import Findings, Measure, Noun, listed, tick_count


def path_section(
    findings: Findings, models: Sequence[Model], noun: Noun, specs: dict[str, Any]
) -> dict[str, Any] | None:
    """Error against size; None where there are not two models."""
    if findings["path"] is None or len(models) < 2:
        return None
    measure = Measure.of_findings(findings)
    specs["path"], cut = errors_by_size(findings, models, noun)
    names = findings["features"]
    return {
        "alt": words.of_path(findings, models, noun),
        "cut": None if cut is None else words.said_cut(cut, measure),
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
    return f"{'+' if sign > 0 else MINUS} {listed([names[j] for j in columns])}"


def models_section(
    findings: Findings,
    models: Sequence[Model],
    noun: Noun,
    specs: dict[str, Any],
    told: dict[str, Any],
) -> dict[str, Any] | None:
    """The models that the slider steps through; of one model there is no slider."""
    if not models:
        return None
    measure = Measure.of_findings(findings)
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


def folds_section(findings: Findings, noun: Noun) -> dict[str, Any] | None:
    """Error of every outer fold, and the size it chose where there are sizes."""
    nested = findings["nested"]
    if nested is None:
        return None
    measure, by_size = Measure.of_findings(findings), findings["path"] is not None
    return {
        "title": f"number of {noun.many}" if by_size else None,
        "rows": [
            {"number": place, "error": shown(error), "miss": measure.text(error), "size": size}
            for place, (error, size) in enumerate(
                zip(nested["fold_errors"], nested["sizes"], strict=True), 1
            )
        ],
    }


def stability_section(
    findings: Findings, noun: Noun, specs: dict[str, Any]
) -> dict[str, Any] | None:
    """Shares of the folds that chose each column."""
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
            for size, number in tick_count(nested["sizes"])
        ],
        "rows": [{"name": s.name, "share": percent(s.share), "chosen": s.chosen} for s in top],
    }


def penalties_section(findings: Findings, specs: dict[str, Any]) -> dict[str, Any] | None:
    """Error against penalty."""
    grid = findings["alphas"]
    if not grid or len(grid["alphas"]) < 2:
        return None
    specs["penalties"] = charts.penalties(findings)
    measure = Measure.of_findings(findings)
    return {
        "alt": words.of_penalties(findings),
        "rows": [
            {"alpha": shown(alpha), "error": shown(error), "miss": measure.text(error),
             "chosen": alpha == grid["chosen"]}
            for alpha, error in sorted(zip(grid["alphas"], grid["errors"], strict=True))
        ],
    }  # fmt: skip


def curve_section(findings: Findings, specs: dict[str, Any]) -> dict[str, Any] | None:
    """Evidence along the search."""
    found = findings["curve"]
    if not found or len(found["x"]) < 2:
        return None
    specs["curve"], bottom = charts.curve(found)
    return {"alt": words.of_curve(findings, bottom), "title": found["y_name"].capitalize()}
