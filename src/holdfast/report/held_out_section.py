"""The section on predictions of rows held out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from holdfast.report import charts, held_out, words
from holdfast.report.numbers import NOTHING, percent, rounded, shown
from holdfast.report.terms import Findings

MOST_IN_A_TABLE = 12  # classes of a confusion table
MOST_MISTAKES = 15


def held_out_section(
    findings: Findings, specs: dict[str, Any], told: dict[str, Any]
) -> dict[str, Any] | None:
    """Predictions, a confusion table with thresholds, or the commonest mistakes."""
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
