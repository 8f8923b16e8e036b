"""Sections on the table, and on where the model comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.report.numbers import MINUS, NOTHING, count, shown
from holdfast.report.terms import Findings, chosen_columns, own_hold_out

MOST_LEVELS = 6
MOST_COLUMNS = 200


def data_section(findings: Findings) -> dict[str, Any]:
    """The table, its columns and the target."""
    data = findings["data"]
    in_model = set(chosen_columns(findings) or [])
    known = chosen_columns(findings) is not None
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


def origin_section(findings: Findings, provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and values of where the model comes from, in order."""
    data = provenance.get("data", {})
    lines = [
        ("method", f"{findings['method_words']} ({findings['method']})"),
        ("error", findings["error_name"].replace("-1/+1", f"{MINUS}1/+1")),
        ("held out", own_hold_out(findings)),
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
