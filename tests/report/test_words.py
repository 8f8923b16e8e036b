"""Every number in the sentences is the findings' own."""

import re
from math import sqrt

import pytest

from holdfast.report import words
from holdfast.report.headline import figure_note, gain, headline, honest_or_why
from holdfast.report.models import models_of
from holdfast.report.numbers import percent, shown
from holdfast.report.terms import Measure, Noun, chosen_columns, listed
from tests.report import changed, findings_of

ALL = [
    findings_of.forward,
    findings_of.backward,
    findings_of.ridge,
    findings_of.kernel,
    findings_of.evidence,
    findings_of.two_classes,
    findings_of.five_classes,
]


@pytest.mark.parametrize("findings", ALL)
def test_findings_of_the_tests_are_plain(findings):
    assert changed.plain(findings())


def test_headline_of_a_regression():
    findings = findings_of.forward()
    entry = findings["path"][findings["chosen"]]
    by_effect = sorted(
        zip(entry["columns"], entry["effects"][0], strict=True), key=lambda pair: -abs(pair[1])
    )
    names = [findings["features"][column] for column, _ in by_effect]
    sentence = headline(findings)
    assert sentence.startswith(
        f"{len(names)} of 15 columns ({', '.join(names[:-1])} and {names[-1]}) predict price "
    )
    honest = shown(sqrt(findings["nested"]["error"]))
    own = shown(sqrt(findings["error"]))
    assert f"a typical miss of {honest} on rows that had no part" in sentence
    assert f"the model's own leave-one-out says {own}, which is optimistic" in sentence
    assert sentence.count(".") == 3  # one sentence: two decimal points and the end
    assert honest_or_why(findings).endswith(f"{shown(sqrt(findings['baseline']))}.")


def test_headline_of_two_classes():
    findings = findings_of.two_classes()
    sentence = headline(findings)
    truth = findings["held_out"]["truth"]
    outputs = findings["held_out"]["outputs"]
    wrong = sum((line[0] > 0) != bool(t) for t, line in zip(truth, outputs, strict=True))
    assert "tell cheap from dear with the wrong label for " in sentence
    assert f" {percent(wrong / len(truth))} of the rows that had no part" in sentence
    assert f"squared error of {shown(findings['nested']['error'])} there" in sentence
    assert f"says {shown(findings['error'])}, which is optimistic" in sentence


def test_headline_of_several_classes():
    assert "tell the 5 classes of price class apart" in headline(findings_of.five_classes())


def test_headline_without_a_nested_estimate():
    findings = changed.without_nested(findings_of.forward(), "the table is too large")
    sentence = headline(findings)
    assert f"miss of {shown(sqrt(findings['error']))} by leave-one-out, which is" in sentence
    second = honest_or_why(findings)
    assert "no nested, that is honest, estimate: the table is too large." in second
    assert second.endswith("Expect more on new rows.")
    plain = findings | {"optimistic": False, "nested_reason": None}
    assert "optimistic" not in headline(plain)
    assert honest_or_why(plain).endswith("There is no nested, that is honest, estimate.")


def test_a_model_worse_than_a_constant_is_called_so():
    findings = findings_of.forward()
    worse = findings | {"baseline": findings["nested"]["error"] / 2}
    assert honest_or_why(worse).endswith("the model is no better: leave it.")
    assert "leave it" not in honest_or_why(findings)


def test_a_model_without_an_error_of_its_own():
    findings = findings_of.evidence() | {"error": None, "std_error": None}
    assert headline(findings).endswith("predicts price.")
    assert honest_or_why(findings).endswith("does on new rows is not known.")
    nested = findings_of.kernel()["nested"]
    honest = shown(sqrt(nested["error"]))
    sentence = headline(findings | {"nested": nested})
    assert sentence.endswith(
        f"a typical miss of {honest} on rows that had no part in making the model."
    )


def test_headline_of_models_of_all_columns():
    assert headline(findings_of.ridge()).startswith("All 15 columns together predict price")
    kernel = headline(findings_of.kernel())
    assert kernel.startswith(
        "A kernel model on 159 basis functions of all 15 columns predicts price"
    )


def test_headline_of_one_column_and_of_none():
    findings = findings_of.forward()
    one = [0.0] * 15
    one[3] = -2.0
    findings = findings | {"effects": [one], "coef": [one], "chosen": 1}
    only = [3]
    findings["path"] = [entry | {"columns": only[: entry["size"]]} for entry in findings["path"]]
    assert headline(findings).startswith("1 of 15 columns (length) predicts price")
    none = findings | {"effects": [[0.0] * 15], "chosen": 0}
    assert headline(none).startswith("None of 15 columns helps: the best constant predicts")


def test_long_lists_are_cut():
    names = [f"x{j}" for j in range(20)]
    assert listed(names) == "x0, x1, x2, x3, x4, x5 and 14 more"
    assert listed(names[:7]) == "x0, x1, x2, x3, x4, x5 and x6"
    assert listed(names[:1]) == "x0"
    assert listed([]) == "none"
    assert listed(["a", "b" * 100]) == f"a and {'b' * 47}…"


def test_columns_are_counted_where_groups_enter_whole():
    path = changed.with_groups()
    made_of = ["size", "fuel", "fuel", "fuel"]
    findings = findings_of.forward() | {"path": path, "chosen": 2, "feature_columns": made_of}
    assert Noun.of_findings(findings).many == "columns"
    apart = [path[0], path[1] | {"size": 3}]
    assert Noun.of_findings(findings | {"path": apart}).many == "features"
    features = ["size", "fuel=a", "fuel=b", "fuel=c"]
    models = models_of(findings | {"features": features})
    heard = words.said(models[2], findings, Noun("column", "columns"), chosen=True)
    assert heard == (
        "2 columns (4 features): typical miss 1 ± 0.05 (squared error 1 ± 0.1), penalty 1. "
        "This is the chosen model."
    )
    effects = [[1.0, -5.0, 0.5, 0.0]]
    assert chosen_columns(findings | {"effects": effects}) == ["fuel", "size"]


@pytest.mark.parametrize("findings", [findings_of.forward, findings_of.five_classes])
def test_what_the_slider_says(findings):
    findings = findings()
    noun = Noun.of_findings(findings)
    measure = Measure.of_findings(findings)
    for model in models_of(findings):
        entry = findings["path"][model.position]
        chosen = model.position == findings["chosen"]
        heard = words.said(model, findings, noun, chosen=chosen)
        assert heard.startswith(noun.count(entry["size"]))
        assert f"{measure.word} {measure.text(entry['error'])}" in heard
        assert f"± {shown(entry['std_error'], 2)}" in heard
        assert f"penalty {shown(entry['alpha'])}" in heard
        assert heard.endswith("chosen model.") == chosen


def test_path_in_words():
    findings = findings_of.forward()
    sentence = words.of_path(findings, models_of(findings), Noun.of_findings(findings))
    errors = [entry["error"] for entry in findings["path"]]
    sizes = findings["nested"]["sizes"]
    assert f"smallest, {shown(sqrt(min(errors)))}, with" in sentence
    assert f"The best constant has {shown(sqrt(findings['baseline']))}." in sentence
    assert f"nested estimate is {shown(sqrt(findings['nested']['error']))}" in sentence
    assert f"chose {min(sizes)} to {max(sizes)} columns" in sentence


def test_penalties_at_the_end_of_the_grid():
    findings = findings_of.ridge()
    grid = {"alphas": [0.1, 1.0, 10.0], "errors": [3.0, 2.0, 1.0]}
    sentence = words.of_penalties(findings | {"alphas": grid | {"chosen": 10.0}})
    assert sentence.endswith("a larger one may be better.")
    sentence = words.of_penalties(findings | {"alphas": grid | {"chosen": 0.1}})
    assert sentence.endswith("a smaller one may be better.")
    assert words.of_penalties(findings | {"alphas": grid | {"chosen": 1.0}}) == (
        "Typical miss for 3 penalties from 0.1 to 10; chosen: 1."
    )


def test_gain_is_of_the_honest_error():
    findings = findings_of.forward()
    assert gain(findings) == percent(1 - findings["nested"]["error"] / findings["baseline"])
    assert gain(findings | {"nested": None}) == percent(
        1 - findings["error"] / findings["baseline"]
    )


def test_where_held_out_predictions_come_from():
    findings = findings_of.forward()
    assert words.held_out_note(findings) == (
        "Every row was predicted by a model that it had no part in making."
    )
    kept = findings["held_out"] | {"kind": "hold-out", "rows": list(range(50))}
    note = words.held_out_note(findings | {"held_out": kept, "weight": "n"})
    assert "it did take part in the choice, so this is optimistic" in note
    assert "A sample of 50 of 159 rows." in note
    assert "whatever their weight" in note


def test_threshold_in_words():
    step = {
        "threshold": -0.25,
        "true_positive": 30,
        "false_negative": 10,
        "false_positive": 5,
        "true_negative": 55,
        "sensitivity": 0.75,
        "specificity": 55 / 60,
    }
    heard = words.threshold_said(step, ["no", "yes"])
    assert re.search(r"0\.25: 15% wrong\. Of the yes, 75% found; of the no, 91\.7%", heard)


def test_steadiness():
    noun = Noun("column", "columns")
    assert words.steadiness(3, 3, noun).startswith("All 3 columns")
    assert "Of the 3 columns of the chosen model, 1 is chosen in every fold." in (
        words.steadiness(3, 1, noun)
    )
    assert words.steadiness(0, 0, noun) == ""


def test_a_standard_error_stands_beside_its_number():
    findings = findings_of.forward()
    error, std_error = findings["error"], findings["std_error"]
    root = Measure.of_findings(findings)
    # Where a squared error moves by its standard error, the root moves by that of the root.
    small = 1e-4 * std_error
    slope = (root.of(error + small) - root.of(error - small)) / (2e-4 * std_error)
    assert root.spread(error, std_error) == pytest.approx(slope * std_error, rel=1e-6)
    spread = shown(std_error / (2 * sqrt(error)), 2)
    assert figure_note(findings, findings) == (
        f"± {spread}, root of the squared error {shown(error)}"
    )
    assert root.with_error(error, std_error) == f"{shown(sqrt(error))} ± {spread}"
    assert root.with_error(0.0, 0.0) == "0"
    assert root.with_error(None, None) == shown(None)
    classes = findings_of.two_classes()
    assert Measure.of_findings(classes).with_error(0.5, 0.25) == "0.5 ± 0.25"
    assert figure_note(classes, classes).startswith(f"± {shown(classes['std_error'], 2)}, squared")


def test_an_approximate_hold_out_is_called_so():
    exact = findings_of.forward()
    approximate = exact | {"approximate": True}
    for findings in (exact, exact | {"approximate": False}):
        assert "says" in headline(findings)
        assert "approximate" not in headline(findings)
        assert words.left_out_how(findings).startswith("Every prediction was made without its row")
        assert words.fair_if_fixed(findings).startswith("without the row being predicted")
    assert "the model's own approximate leave-one-out says" in headline(approximate)
    alone = changed.without_nested(approximate, "no time")
    assert "by approximate leave-one-out, which is optimistic" in headline(alone)
    for text in (words.left_out_how(approximate), words.fair_if_fixed(approximate)):
        assert "without its row" not in text
        assert "fair about" not in text
    kept = exact["held_out"] | {"kind": "hold-out"}
    assert "approximately, fitted without it" in words.held_out_note(
        approximate | {"held_out": kept}
    )
