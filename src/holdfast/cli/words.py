"""What is said of a model on the screen, from its findings."""

from collections.abc import Sequence
from typing import Any

from rich.markup import escape
from rich.table import Table

from holdfast.cli.path_table import PathRow, path_table

_LINES = 40
_NAMES = 8


def number(value: float | None) -> str:
    """Four digits, thousands apart."""
    if value is None:
        return "-"
    if value and not 1e-3 <= abs(value) < 1e9:
        return f"{value:.3e}"
    return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"


def percent(share: float) -> str:
    """A share of rows."""
    return f"{100 * share:.3g} %"


def listed(names: Sequence[str]) -> str:
    """Names, a few of them."""
    shown = ", ".join(f"[bold]{escape(name)}[/bold]" for name in names[:_NAMES])
    return shown + (f" and {len(names) - _NAMES} more" if len(names) > _NAMES else "")


def heading(findings: dict[str, Any]) -> str:
    """What was asked of which table."""
    data = findings["data"]
    columns = len(data["columns"]) or len(findings["features"])
    numbers = len(findings["features"])
    as_numbers = f" ({numbers} as numbers)" if numbers != columns else ""
    task = f"{findings['task']} of [bold]{escape(findings['target'])}[/bold]"
    if findings["classes"]:
        task += f" ({len(findings['classes'])} classes)"
    return (
        f"{escape(data['source'])}: {data['rows']:,} rows, {columns:,} columns{as_numbers}; "
        f"{task}. {escape(findings['method'])}: {escape(findings['method_words'])}. "
        f"Held out: {escape(findings['hold_out'])}."
    )


def doubts(findings: dict[str, Any]) -> list[str]:
    """Warnings, and levels that were pooled."""
    lines = [f"[yellow]Note:[/yellow] {escape(text)}" for text in findings["warnings"]]
    for column in findings["data"]["columns"]:
        note = f"[yellow]Note:[/yellow] column {escape(repr(column['name']))}:"
        if column.get("pooled"):
            have = "row has a rare level" if column["pooled"] == 1 else "rows have rare levels"
            lines.append(f"{note} {column['pooled']} {have}; rare levels share one column (--rare)")
        if column.get("missing"):
            filled = column.get("fill")
            taken = "a level of its own" if filled is None else f"the median, {number(filled)}"
            cells = "empty cell takes" if column["missing"] == 1 else "empty cells take"
            lines.append(f"{note} {column['missing']} {cells} {taken}")
    return lines


def path_of(findings: dict[str, Any]) -> Table | None:
    """Every visited model, some where they are many; None for models of all columns."""
    path = findings["path"]
    if path is None:
        return None
    rooted = findings["error_name"] == "squared error"
    rows = [
        PathRow(
            str(entry["size"]),
            _moved(entry, findings),
            number(entry["error"]),
            number(entry["std_error"]),
            number(entry["error"] ** 0.5) if rooted else "",
            f"{entry['alpha']:g}",
        )
        for entry in path
    ]
    held_out = findings["hold_out"]
    return path_table(
        rows,
        findings["chosen"],
        title=f"Every size visited: {findings['error_name']} ({escape(held_out)})",
        error_name="error",
        shown=_LINES,
    )


def _moved(entry: dict[str, Any], findings: dict[str, Any]) -> str:
    """What the model has beyond the one above it."""
    columns = entry["moved"] if entry["sign"] else entry["columns"]
    if not columns:
        return "(none)" if not entry["columns"] else "(the same columns)"
    owners: dict[str, list[str]] = {}
    for column in columns:
        names = owners.setdefault(findings["feature_columns"][column], [])
        names.append(findings["features"][column])
    told = [
        escape(names[0] if len(names) == 1 else f"{owner} ({_levels(names)} levels)")
        for owner, names in owners.items()
    ]
    shown = ", ".join(told[:3]) + (f" and {len(told) - 3} more" if len(told) > 3 else "")
    return f"{'+' if entry['sign'] else ' '} {shown}"


def _levels(names: Sequence[str]) -> int:
    """Levels among columns of zeros and ones, without those for rare levels and empty cells."""
    return sum(not name.endswith(("=(other)", "=(missing)")) for name in names)


def conclusion(findings: dict[str, Any]) -> list[str]:
    """What was chosen, how good it looks, and how good it is."""
    lines = [_chosen(findings), _believed(findings), _honest(findings)]
    return [line for line in lines if line]


def _chosen(findings: dict[str, Any]) -> str:
    if findings["basis"] is not None:
        basis = findings["basis"]
        return (
            f"[green]Model:[/green] {basis['size']} basis vectors of the {basis['kernel']} kernel, "
            f"on all {len(findings['features'])} columns."
        )
    if findings["path"] is None:
        return f"[green]Model:[/green] all {len(findings['features'])} columns."
    entry = findings["path"][findings["chosen"]]
    owners = dict.fromkeys(findings["feature_columns"][column] for column in entry["columns"])
    if not owners:
        return "[green]Chosen:[/green] no column at all; nothing predicts better than a constant."
    total = len(set(findings["feature_columns"]))
    return f"[green]Chosen:[/green] {len(owners)} of {total} columns: {listed(list(owners))}."


def _believed(findings: dict[str, Any]) -> str:
    if findings["error"] is None:
        return ""
    said = f"Its own error: {_error(findings, findings['error'], findings['std_error'])}"
    if findings.get("approximate"):
        said += "; [yellow]approximate[/yellow]: leave-one-out with the path held fixed"
    if findings["optimistic"]:
        said += ". [yellow]Optimistic[/yellow]: the same rows chose the columns and judged them"
    return f"{said}."


def _honest(findings: dict[str, Any]) -> str:
    nested = findings["nested"]
    constant = f"the best constant: {_error(findings, findings['baseline'], None)}"
    if findings["baseline_wrong"] is not None:
        constant += f", the most frequent class {percent(findings['baseline_wrong'])} wrong"
    if nested is None:
        return f"There is no honest error: {escape(findings['nested_reason'])}; {constant}."
    wrong = ""
    if nested["wrong"] is not None:
        wrong = f", [bold]{percent(nested['wrong'])} wrong labels[/bold]"
    return (
        f"Honest error, everything repeated without the rows that judge it "
        f"({escape(nested['splits'])}): "
        f"[bold]{_error(findings, nested['error'], nested['std_error'])}[/bold]{wrong}. Expect "
        f"that on new rows; {constant}."
    )


def _error(findings: dict[str, Any], error: float, spread: float | None) -> str:
    """An error with its standard error; of numbers the typical miss with its own."""
    if findings["error_name"] != "squared error":
        return number(error) + (f" (standard error {number(spread)})" if spread else "")
    root = error**0.5
    miss = f"a typical miss (RMSE) of {number(root)}"
    if spread and root:
        miss += f" (standard error {number(spread / (2 * root))})"
    return f"{miss}, squared {number(error)}"
