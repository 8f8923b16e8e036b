"""The pictures show the numbers of the findings, and nothing in a name can change a picture."""

import json
from math import sqrt

import pytest

from holdfast.report import charts, held_out, stability
from holdfast.report.models import models_of
from holdfast.report.path_chart import errors_by_size
from holdfast.report.terms import Noun
from tests.report import changed, findings_of

COLUMNS = Noun("column", "columns")


def data_of(spec):
    """All records of a specification, by data set."""
    return list(spec.get("datasets", {}).values())


def records(spec, *fields):
    """The data set that has all of these fields."""
    for rows in data_of(spec):
        if rows and set(fields) <= set(rows[0]):
            yield from rows


def near(value):
    return pytest.approx(value, rel=1e-6)


def path_chart(findings):
    return errors_by_size(findings, models_of(findings), COLUMNS)


@pytest.mark.parametrize("findings", [findings_of.forward, findings_of.backward])
def test_errors_and_standard_errors_by_size(findings):
    findings = findings()
    spec, cut = path_chart(findings)
    told = {row["size"]: row for row in records(spec, "low", "high", "said")}
    assert set(told) == {entry["size"] for entry in findings["path"]}
    for entry in findings["path"]:
        row = told[entry["size"]]
        assert row["error"] == near(sqrt(entry["error"]))
        assert row["low"] == near(sqrt(entry["error"] - entry["std_error"]))
        assert row["high"] == near(sqrt(entry["error"] + entry["std_error"]))
    assert cut is None
    nested = findings["nested"]
    honest = [row for row in records(spec, "low", "kind") if "said" not in row]
    assert len(honest) == 2  # the ends of a line
    for row in honest:
        assert row["error"] == near(sqrt(nested["error"]))
        assert row["low"] == near(sqrt(nested["error"] - nested["std_error"]))
        assert row["high"] == near(sqrt(nested["error"] + nested["std_error"]))
    chosen = {row["size"]: row["folds"] for row in records(spec, "folds")}
    assert chosen == {size: nested["sizes"].count(size) for size in nested["sizes"]}
    plain = [row["error"] for row in records(spec, "kind") if row["kind"] == "best constant"]
    assert plain == near([sqrt(findings["baseline"])] * 2)


def test_classes_are_shown_by_the_error_itself():
    findings = findings_of.five_classes()
    spec, _ = path_chart(findings)
    told = {row["size"]: row["error"] for row in records(spec, "low", "high", "said")}
    assert told == {entry["size"]: near(entry["error"]) for entry in findings["path"]}


def test_errors_far_above_are_cut_off():
    findings = findings_of.forward()
    first = findings["path"][0] | {"error": 1e6}
    findings = findings | {"path": [first, *findings["path"][1:]], "baseline": 1e6}
    spec, cut = path_chart(findings)
    high = sqrt(findings["nested"]["error"] + findings["nested"]["std_error"])
    assert cut == near(2.5 * high)
    assert "best constant" not in {row["kind"] for row in records(spec, "kind")}
    domains = [layer["encoding"]["y"].get("scale", {}).get("domain") for layer in spec["layer"]
               if "y" in layer["encoding"]]  # fmt: skip
    assert any(domain and domain[1] < 1.01 * cut for domain in domains)


def test_predictions_are_those_held_out():
    findings = findings_of.forward()
    told = sorted(records(charts.predictions(findings), "row"), key=lambda row: row["row"])
    kept = findings["held_out"]
    assert [row["row"] for row in told] == kept["rows"]
    assert [row["truth"] for row in told] == near(kept["truth"])
    assert [row["prediction"] for row in told] == near([line[0] for line in kept["outputs"]])


def test_penalties_and_the_chosen_one():
    findings = findings_of.forward()
    told = list(records(charts.penalties(findings), "alpha"))
    grid = findings["alphas"]
    assert [row["alpha"] for row in told] == sorted(grid["alphas"])
    errors = dict(zip(grid["alphas"], grid["errors"], strict=True))
    assert all(row["error"] == near(sqrt(errors[row["alpha"]])) for row in told)
    assert [row["alpha"] for row in told if row["chosen"]] == [grid["chosen"]]


def test_a_penalty_of_zero_has_a_place():
    grid = {"alphas": [0.0, 0.1, 1.0], "errors": [3.0, 2.0, 2.5], "chosen": 0.1}
    spec = charts.penalties(findings_of.ridge() | {"alphas": grid})
    scale = spec["layer"][0]["encoding"]["x"]["scale"]
    assert (scale["type"], scale["constant"]) == ("symlog", 0.1)


def test_evidence_far_below_is_cut_off():
    found = findings_of.evidence()["curve"]
    spec, bottom = charts.curve(found)
    told = list(records(spec, "x", "y"))
    assert [(row["x"], row["y"]) for row in told] == [
        (x, near(y)) for x, y in zip(found["x"], found["y"], strict=True)
    ]
    assert [row["x"] for row in told if row["chosen"]] == [found["x"][found["chosen"]]]
    assert found["y"][0] < bottom < found["y"][found["chosen"]]
    even = {"x_name": "x", "y_name": "y", "x": [0, 1, 2], "y": [1.0, 2.0, 3.0], "chosen": 2}
    assert charts.curve(even)[1] is None


def test_shares():
    shares = [stability.Share("a", 1.0, True), stability.Share("b", 0.25, False)]
    assert [
        (row["name"], row["share"], row["kind"])
        for row in records(charts.stability(shares, COLUMNS), "share")
    ] == [("a", 1.0, "in the model"), ("b", 0.25, "not in the model")]


def test_names_are_data_and_never_fields():
    findings = changed.with_names(findings_of.forward(), changed.HOSTILE)
    shares = stability.shares(findings, COLUMNS)
    specs = [
        path_chart(findings)[0],
        charts.effects("effect"),
        charts.stability(shares, COLUMNS),
        charts.predictions(findings),
        charts.penalties(findings),
    ]
    for spec in specs:
        without_data = json.dumps({name: part for name, part in spec.items() if name != "datasets"},
                                  ensure_ascii=False)  # fmt: skip
        assert not any(name in without_data for name in changed.HOSTILE)
    assert set(changed.HOSTILE) & {share.name for share in shares}


def test_roc_points():
    findings = findings_of.two_classes()
    points, _ = held_out.roc(findings)
    told = [(r["x"], r["y"]) for r in records(charts.roc_curve(points, ["a", "b"]), "index")]
    assert told == [(point["x"], point["y"]) for point in points]
