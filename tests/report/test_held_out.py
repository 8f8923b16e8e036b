"""What is said of held-out rows, against the words taken literally."""

from itertools import product

import pytest

from holdfast.report import held_out
from tests.report import findings_of


def made(truth, outputs, classes, threshold=None):
    return {
        "classes": classes,
        "threshold": threshold,
        "held_out": {"truth": truth, "outputs": outputs, "rows": list(range(len(truth)))},
    }


def predicted(findings, outputs):
    if len(findings["classes"]) == 2:
        return int(outputs[0] > findings["threshold"])
    return outputs.index(max(outputs))


@pytest.mark.parametrize("findings", [findings_of.two_classes, findings_of.five_classes])
def test_confusion_counts_rows(findings):
    findings = findings()
    n_classes = len(findings["classes"])
    expected = [[0] * n_classes for _ in range(n_classes)]
    kept = findings["held_out"]
    for truth, outputs in zip(kept["truth"], kept["outputs"], strict=True):
        expected[truth][predicted(findings, outputs)] += 1
    assert held_out.confusion(findings) == expected
    wrong = sum(map(sum, expected)) - sum(expected[k][k] for k in range(n_classes))
    assert held_out.wrong_share(findings) == pytest.approx(wrong / len(kept["truth"]))


def test_area_is_the_share_of_pairs_in_order():
    findings = findings_of.two_classes()
    kept = findings["held_out"]
    pairs = list(zip(kept["truth"], (line[0] for line in kept["outputs"]), strict=True))
    below = [value for truth, value in pairs if truth == 0]
    above = [value for truth, value in pairs if truth == 1]
    in_order = [(a > b) + 0.5 * (a == b) for a, b in product(above, below)]
    points, area = held_out.roc(findings)
    assert area == pytest.approx(sum(in_order) / len(in_order))
    assert (points[0]["x"], points[0]["y"]) == (0, 0)
    assert (points[-1]["x"], points[-1]["y"]) == (1, 1)


def test_every_threshold_counts_what_lies_above():
    findings = findings_of.two_classes()
    kept = findings["held_out"]
    steps, own = held_out.threshold_steps(findings)
    assert steps[own]["threshold"] == findings["threshold"]
    assert len(steps) <= held_out.MOST_STEPS + 1
    for step in steps:
        taken = [line[0] > step["threshold"] for line in kept["outputs"]]
        counts = {
            name: sum(t == truth and a == above for t, a in zip(kept["truth"], taken, strict=True))
            for name, truth, above in [
                ("true_positive", 1, True),
                ("false_negative", 1, False),
                ("false_positive", 0, True),
                ("true_negative", 0, False),
            ]
        }
        assert {name: step[name] for name in counts} == counts
    first, last = steps[0], steps[-1]
    assert (first["sensitivity"], first["specificity"]) == (1, 0)
    assert (last["sensitivity"], last["specificity"]) == (0, 1)


def test_one_value_everywhere():
    findings = made([0, 1], [[0.0], [0.0]], ["no", "yes"], 0.0)
    steps, own = held_out.threshold_steps(findings)
    assert steps[own]["true_negative"] == 1
    assert [step["sensitivity"] for step in steps] == [1.0, 0.0, 0.0]


def test_no_curve_of_one_class():
    assert held_out.roc(made([1, 1], [[0.1], [0.2]], ["no", "yes"], 0.0)) is None
