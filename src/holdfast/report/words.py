"""The sentences of the page, from the findings alone.

One place for words, so that every number in them can be tested against the findings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

from holdfast.report.held_out import wrong_share
from holdfast.report.models import Model
from holdfast.report.numbers import MINUS, NOTHING, count, percent, rounded, shown

MOST_NAMES = 6
LONGEST = 48  # letters of a name in a sentence
Findings = Mapping[str, Any]


@dataclass(frozen=True)
class Measure:
    """How an error is told: of regression as the root, which is in the units of the target.

    Attributes
    ----------
    word : str
        What the number is called.
    axis : str
        The same on an axis.
    root : bool
        Whether it is the root of the error of the findings.
    """

    word: str
    axis: str
    root: bool

    @classmethod
    def of_findings(cls, findings: Findings) -> Measure:
        """The measure that suits a task."""
        name = findings["error_name"]
        if findings["task"] == "regression" and name == "squared error":
            return cls("typical miss", f"typical miss (RMSE), {findings['target']}", True)
        short = name.removesuffix(" of -1/+1 labels")
        return cls(short, short, False)

    def of(self, error: float) -> float:
        """An error as it is told."""
        return sqrt(max(error, 0.0)) if self.root else error

    def text(self, error: float | None) -> str:
        """The same as text; a dash for None."""
        return shown(None if error is None else self.of(error))


@dataclass(frozen=True)
class Noun:
    """What the models are made of: columns of the table where they enter whole, else features."""

    one: str
    many: str

    @classmethod
    def of_findings(cls, findings: Findings) -> Noun:
        """``column`` where every size counts columns of the table, else ``feature``."""
        made_of = findings["feature_columns"]
        whole = all(
            entry["size"] == len({made_of[column] for column in entry["columns"]})
            for entry in findings["path"] or []
        )
        return cls("column", "columns") if whole else cls("feature", "features")

    def count(self, number: int) -> str:
        """``4 columns``."""
        return count(number, self.one, self.many)


def listed(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """``a, b and c``; of many the first, and how many more; of very long names the beginning."""
    if not names:
        return "none"
    names = [name if len(name) <= LONGEST else f"{name[: LONGEST - 1]}…" for name in names]
    if len(names) > most + 1:
        return f"{', '.join(names[:most])} and {len(names) - most:,} more"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def chosen_columns(findings: Findings) -> list[str] | None:
    """Columns of the table in the chosen model, largest effect first; None of a kernel model."""
    effects, names = findings["effects"] or findings["coef"], findings["feature_columns"]
    if effects is None:
        return None
    largest: dict[str, float] = {}
    for column, of_outputs in zip(names, zip(*effects, strict=True), strict=True):
        effect = max(map(abs, of_outputs))
        if effect:
            largest[column] = max(effect, largest.get(column, 0.0))
    if findings["path"] is not None:
        # A constant or a column of effect zero may be in the support.
        for j in findings["path"][findings["chosen"]]["columns"]:
            largest.setdefault(names[j], 0.0)
    return sorted(largest, key=lambda name: -largest[name])


def headline(findings: Findings) -> str:
    """Which columns, how well, and how far that can be trusted, in one sentence."""
    return f"{_who(findings)} {_how_well(findings)}."


def n_columns(findings: Findings) -> int:
    """Columns of the table; of files without names for them, columns of numbers."""
    return len(findings["data"]["columns"]) or len(set(findings["feature_columns"]))


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
    error = f"a {measure.word} of"
    own = None if findings["error"] is None else measure.text(findings["error"])
    doubt = ""
    if findings["optimistic"]:
        doubt = ", which is optimistic, because the same rows made the choices"
    if nested is None:
        return (
            does if own is None else f"{does} with {error} {own} by {findings['hold_out']}{doubt}"
        )
    unseen = "rows that had no part in making the model"
    honest = measure.text(nested["error"])
    wrong = wrong_labels(findings)
    if wrong is not None:
        how = f"with the wrong label for {percent(wrong)} of the {unseen}, {error} {honest} there"
    else:
        how = f"with {error} {honest} on {unseen}"
    if own is None:
        return f"{does} {how}"
    return f"{does} {how}; the model's own {findings['hold_out']} says {own}{doubt}"


def wrong_labels(findings: Findings) -> float | None:
    """Honest share of wrong labels: weighted where rows are; None where it is not known."""
    nested, kept = findings["nested"], findings["held_out"]
    if not findings["classes"] or nested is None:
        return None
    if nested.get("wrong") is not None:
        return float(nested["wrong"])
    return wrong_share(findings) if kept and kept["kind"] == "nested" else None


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


def with_error(value: float, std_error: float | None) -> str:
    """``0.31 ± 0.02``: an error and its standard error."""
    return shown(value) if std_error is None else f"{shown(value)} ± {shown(std_error, 2)}"


def figure_note(findings: Findings, of: Findings) -> str:
    """What stands below a large number: the error of the findings with its standard error."""
    if Measure.of_findings(findings).root:
        return f"{findings['error_name']} {with_error(of['error'], of['std_error'])}"
    name = findings["error_name"].replace("-1/+1", f"{MINUS}1/+1")
    return name if of["std_error"] is None else f"± {shown(of['std_error'], 2)}, {name}"


def said(model: Model, findings: Findings, noun: Noun, *, chosen: bool) -> str:
    """What a reader hears when the slider stops at a model."""
    measure = Measure.of_findings(findings)
    counted = noun.count(model.size)
    if model.n_features != model.size:
        # A group counts as one; of several classes with a path each, the size is that of one.
        counted = counted if noun.one == "column" else f"size {model.size:,}"
        counted += f" ({count(model.n_features, 'feature')})"
    words = f"{counted}: {measure.word} {measure.text(model.error)}"
    if measure.root and model.error is not None:
        words += f", squared error {with_error(model.error, model.std_error)}"
    elif model.std_error is not None:
        words += f" ± {shown(model.std_error, 2)}"
    if model.alpha is not None:
        words += f", penalty {shown(model.alpha)}"
    return words + (". This is the chosen model." if chosen else ".")


def of_path(findings: Findings, models: Sequence[Model], noun: Noun) -> str:
    """What the picture of error against size shows."""
    measure = Measure.of_findings(findings)
    best = min(models, key=lambda model: model.error or 0.0)
    chosen = next(model for model in models if model.position == findings["chosen"])
    words = (
        f"{measure.word.capitalize()} against number of {noun.many}, from "
        f"{models[0].size:,} to {models[-1].size:,}. It is smallest, {measure.text(best.error)}, "
        f"with {noun.count(best.size)}; chosen: {noun.count(chosen.size)}, "
        f"{measure.text(chosen.error)}. The best constant has {measure.text(findings['baseline'])}."
    )
    nested = findings["nested"]
    if nested is None:
        return words
    sizes = nested["sizes"]
    return (
        f"{words} The nested estimate is {measure.text(nested['error'])}, from "
        f"{count(nested['folds'], 'fold')} that chose {_range(sizes, noun)} (diamonds)."
    )


def _range(sizes: Sequence[int], noun: Noun) -> str:
    low, high = min(sizes), max(sizes)
    return noun.count(low) if low == high else f"{low:,} to {noun.count(high)}"


def effect_words(findings: Findings) -> str:
    """What a standardised effect is, in this model's terms; without them, a coefficient."""
    known = findings["effects"] is not None
    rises = f"when the feature rises by {'one standard deviation' if known else 'one'}"
    if findings["task"] == "regression":
        return f"How far the prediction of {findings['target']} moves {rises} and the others stay."
    classes = findings["classes"]
    if len(classes) == 2:
        return (
            f"How far the decision value moves {rises} and the others stay: right speaks for "
            f"{classes[1]}, left for {classes[0]}."
        )
    return (
        f"How far the decision value of the class shown moves {rises} and the others stay: right "
        "speaks for the class, left against it."
    )


def of_points(findings: Findings, n_rows: int) -> str:
    """What the picture of predictions against truth shows."""
    total = findings["data"]["rows"]
    sample = f"{n_rows:,} rows" if n_rows >= total else f"a sample of {n_rows:,} of {total:,} rows"
    return (
        f"Prediction against true {findings['target']} of {sample}, each predicted "
        f"{_held_out_how(findings)}. On the line they are equal."
    )


def held_out_note(findings: Findings) -> str:
    """Where held-out predictions come from."""
    total, n_rows = findings["data"]["rows"], len(findings["held_out"]["rows"])
    sample = "" if n_rows >= total else f" A sample of {n_rows:,} of {total:,} rows."
    weight = " Rows count alike here, whatever their weight." if findings["weight"] else ""
    return f"Every row was predicted {_held_out_how(findings)}.{sample}{weight}"


def _held_out_how(findings: Findings) -> str:
    if findings["held_out"]["kind"] == "nested":
        return "by a model that it had no part in making"
    if findings["optimistic"]:
        return (
            "by the chosen model fitted without it; it did take part in the choice, so this is "
            "optimistic"
        )
    return "by the model fitted without it"


def of_penalties(findings: Findings) -> str:
    """What the penalty curve shows."""
    measure, alphas = Measure.of_findings(findings), findings["alphas"]
    low, high = min(alphas["alphas"]), max(alphas["alphas"])
    words = (
        f"{measure.word.capitalize()} for {count(len(alphas['alphas']), 'penalty', 'penalties')} "
        f"from {shown(low)} to {shown(high)}; chosen: {shown(alphas['chosen'])}."
    )
    if len(alphas["alphas"]) > 1 and alphas["chosen"] == high:
        words += " That is the largest that was tried: a larger one may be better."
    elif len(alphas["alphas"]) > 1 and alphas["chosen"] == low and low > 0:
        words += " That is the smallest that was tried: a smaller one may be better."
    return words


def of_curve(findings: Findings, bottom: float | None) -> str:
    """What the evidence curve shows."""
    curve = findings["curve"]
    at = curve["chosen"]
    words = f"{curve['y_name'].capitalize()} against {curve['x_name']}."
    if at is not None:
        words += f" Chosen: {shown(curve['x'][at])}, where it is {shown(curve['y'][at], 6)}."
    if bottom is not None:
        words += f" Values below {shown(bottom)} are beyond the bottom of the picture."
    return words


def of_stability(
    n_shown: int, n_all: int, n_ever: int, n_always: int, folds: int, noun: Noun
) -> str:
    """What the picture of stability shows."""
    first = f" The first {n_shown:,} are shown." if n_shown < n_all else ""
    return (
        f"In how many of {count(folds, 'fold')} each {noun.one} was chosen: "
        f"{noun.count(n_ever)} at least once, {n_always:,} in every fold.{first}"
    )


def steadiness(n_chosen: int, n_always: int, noun: Noun) -> str:
    """How far the chosen set would survive other rows."""
    if not n_chosen:
        return ""
    if n_always == n_chosen:
        return f"All {noun.count(n_chosen)} of the chosen model are chosen in every fold."
    return (
        f"Of the {noun.count(n_chosen)} of the chosen model, {n_always:,} "
        f"{'is' if n_always == 1 else 'are'} chosen in every fold. Where some rows were missing, "
        "others did as well in place of the rest: do not take those for the one right set."
    )


def of_effects(title: str) -> str:
    """Name of the picture of effects, right for every position of the slider."""
    return (
        f"Bars: the signed {title} of the features with the largest ones in the model shown. The "
        "table of features has the same numbers."
    )


def tick_count(sizes: Sequence[int]) -> list[tuple[int, int]]:
    """Sizes that were chosen, and in how many folds."""
    return [(size, sizes.count(size)) for size in sorted(set(sizes))]


def threshold_said(step: Mapping[str, Any], classes: Sequence[str]) -> str:
    """What a reader hears when the threshold stops somewhere."""
    wrong = step["false_positive"] + step["false_negative"]
    total = wrong + step["true_positive"] + step["true_negative"]
    return (
        f"Threshold {shown(step['threshold'])}: {percent(wrong / total)} wrong. "
        f"Of the {classes[1]}, {percent(step['sensitivity'])} found; of the {classes[0]}, "
        f"{percent(step['specificity'])} left alone."
    )


def of_roc(area: float, classes: Sequence[str]) -> str:
    """What the ROC curve shows."""
    return (
        f"ROC curve: share of {classes[1]} found against share of {classes[0]} taken for "
        f"{classes[1]}, over all thresholds. The area below is {shown(rounded(area))}; 0.5 is "
        "guessing, 1 is perfect."
    )
