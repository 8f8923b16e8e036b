"""The top of the page: which columns, how well, and how far that can be trusted."""

from __future__ import annotations

from holdfast.report.held_out import wrong_share
from holdfast.report.numbers import MINUS, NOTHING, count, percent, shown
from holdfast.report.terms import (
    Findings,
    Measure,
    chosen_columns,
    listed,
    n_columns,
    own_hold_out,
)


def headline(findings: Findings) -> str:
    """Which columns, how well, and how far that can be trusted, in one sentence."""
    return f"{_who(findings)} {_how_well(findings)}."


def _who(findings: Findings) -> str:
    total, columns = n_columns(findings), chosen_columns(findings)
    everything = f"all {total:,} columns" if total > 1 else "the one column there is"
    if columns is None:
        size = (findings["basis"] or {}).get("size")
        on = f" on {count(size, 'basis function')}" if size else ""
        return f"A kernel model{on} of {everything}"
    if not columns:
        return f"None of {count(total, 'column')} helps: the best constant"
    if len(columns) == total > 1:
        return f"All {total:,} columns together"
    return f"{len(columns):,} of {count(total, 'column')} ({listed(columns)})"


def _how_well(findings: Findings) -> str:
    measure, nested = Measure.of_findings(findings), findings["nested"]
    columns, classes, target = chosen_columns(findings), findings["classes"], findings["target"]
    ending = "s" if columns is None or len(columns) < 2 else ""
    if len(classes) == 2:
        does = f"tell{ending} {classes[0]} from {classes[1]}"
    elif classes:
        does = f"tell{ending} the {len(classes):,} classes of {target} apart"
    else:
        does = f"predict{ending} {target}"
    error, by = f"a {measure.word} of", own_hold_out(findings)
    own = None if findings["error"] is None else measure.text(findings["error"])
    doubt = ""
    if findings["optimistic"]:
        doubt = ", which is optimistic, because the same rows made the choices"
    if nested is None:
        return does if own is None else f"{does} with {error} {own} by {by}{doubt}"
    unseen = "rows that had no part in making the model"
    honest = measure.text(nested["error"])
    wrong = wrong_labels(findings)
    if wrong is not None:
        how = f"with the wrong label for {percent(wrong)} of the {unseen}, {error} {honest} there"
    else:
        how = f"with {error} {honest} on {unseen}"
    if own is None:
        return f"{does} {how}"
    return f"{does} {how}; the model's own {by} says {own}{doubt}"


def wrong_labels(findings: Findings) -> float | None:
    """Honest share of wrong labels: weighted where rows are; None where it is not known."""
    nested, kept = findings["nested"], findings["held_out"]
    if not findings["classes"] or nested is None:
        return None
    if nested.get("wrong") is not None:
        return float(nested["wrong"])
    return wrong_share(findings) if kept and kept["rows"] and kept["kind"] == "nested" else None


def honest_or_why(findings: Findings) -> str:
    """What is known beside the error of the model's own hold-out."""
    measure = Measure.of_findings(findings)
    baseline = measure.text(findings["baseline"])
    guess = (
        f"Always answering with the best constant would miss by {baseline}."
        if measure.root
        else f"The same answer for every row would give a {measure.word} of {baseline}."
    )
    nested, reason = findings["nested"], findings["nested_reason"]
    if nested is not None:
        worse = nested["error"] >= findings["baseline"]
        return (
            f"{guess} On rows it has not seen the model is no better: leave it." if worse else guess
        )
    why = f": {reason}" if reason else ""
    doubt = " Expect more on new rows." if findings["optimistic"] else ""
    if findings["error"] is None:
        doubt = " How well this model does on new rows is not known."
    return f"{guess} There is no nested, that is honest, estimate{why}.{doubt}"


def gain(findings: Findings) -> str:
    """How much of the error of the best constant is gone, honestly where that is known."""
    baseline = findings["baseline"]
    error = findings["nested"]["error"] if findings["nested"] else findings["error"]
    if not baseline or error is None:
        return NOTHING
    return percent(1 - error / baseline)


def figure_note(findings: Findings, of: Findings) -> str:
    """What stands below a large number: its standard error, and the error of the findings."""
    measure = Measure.of_findings(findings)
    spread = measure.spread(of["error"], of["std_error"])
    beside = "" if spread is None else f"± {shown(spread, 2)}"
    name = findings["error_name"].replace("-1/+1", f"{MINUS}1/+1")
    told = f"root of the {name} {shown(of['error'])}" if measure.root else name
    return f"{beside}, {told}" if beside else told
