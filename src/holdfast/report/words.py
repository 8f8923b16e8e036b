"""The sentences of the sections, from the findings alone.

One place for words, so that every number in them can be tested against the findings; the sentences
on top of the page are in :mod:`holdfast.report.headline`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from holdfast.report.models import Model
from holdfast.report.numbers import count, percent, rounded, shown
from holdfast.report.terms import Findings, Measure, Noun, with_error


def said(model: Model, findings: Findings, noun: Noun, *, chosen: bool) -> str:
    """What a reader hears when the slider stops at a model."""
    measure = Measure.of_findings(findings)
    counted = noun.count(model.size)
    if model.n_features != model.size:
        # A group counts as one; of several classes with a path each, the size is that of one.
        counted = counted if noun.one == "column" else f"size {model.size:,}"
        counted += f" ({count(model.n_features, 'feature')})"
    words = f"{counted}: {measure.word} {measure.with_error(model.error, model.std_error)}"
    if measure.root and model.error is not None:
        words += f" (squared error {with_error(model.error, model.std_error)})"
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


def said_cut(cut: float, measure: Measure) -> str:
    """That larger errors are beyond the picture."""
    return f"A {measure.word} above {shown(cut)} is beyond the top of the picture."


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


def of_effects(title: str) -> str:
    """Name of the picture of effects, right for every position of the slider."""
    return (
        f"Bars: the signed {title} of the features with the largest ones in the model shown. The "
        "table of features has the same numbers."
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
    almost = ", approximately," if findings.get("approximate") else ""
    if findings["optimistic"]:
        return (
            f"by the chosen model{almost} fitted without it; it did take part in the choice, so "
            "this is optimistic"
        )
    return f"by the model{almost} fitted without it"


def left_out_how(findings: Findings) -> str:
    """What is true of a prediction by which a model judges itself."""
    if findings.get("approximate"):
        return (
            "The choice was made with all rows, and the predictions of rows held out are "
            "approximate: what would have been another path without the row is left out, so they "
            "look somewhat better than they are."
        )
    return "Every prediction was made without its row, but the choice was not."


def fair_if_fixed(findings: Findings) -> str:
    """How far the error of a model at the slider can be believed."""
    if findings.get("approximate"):
        return (
            "which takes the way the path went for given: the row being predicted had a part in "
            "that, so even of a model that was fixed beforehand it is somewhat too small - and"
        )
    return (
        "without the row being predicted, so it is fair about a model that was fixed beforehand - "
        "but"
    )


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
