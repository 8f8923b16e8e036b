"""The file: what it says, what it is made of, and that nothing gets in as markup."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from itertools import pairwise
from math import sqrt

import pytest

from holdfast.report import write_report, writing
from holdfast.report.numbers import shown
from tests.report import changed, findings_of

KINDS = [
    findings_of.forward,
    findings_of.backward,
    findings_of.ridge,
    findings_of.kernel,
    findings_of.evidence,
    findings_of.two_classes,
    findings_of.five_classes,
]
PROVENANCE = {
    "created": "2026-01-02T03:04:05+00:00",
    "command": ["holdfast", "fit", "<b>cars</b>.csv"],
    "versions": {"holdfast": "1.2.3", "numpy": "2.0"},
    "data": {"source": "cars.csv", "rows": 159, "fingerprint": "sha256:0123"},
}


class Document(HTMLParser):
    """Elements with their attributes, and the text, as a parser of HTML finds them."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts, self.scripts, self._inside = [], [], [], None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        self._inside = tag if tag in ("script", "style") else None
        if tag == "script":
            self.scripts.append("")

    def handle_endtag(self, tag):
        self._inside = None

    def handle_data(self, data):
        if self._inside == "script":
            self.scripts[-1] += data
        elif self._inside is None:
            self.texts.append(data)

    def all(self, *tags):
        return [(tag, attributes) for tag, attributes in self.elements if tag in tags]

    @property
    def text(self):
        return " ".join(" ".join(self.texts).split())

    @property
    def told(self):
        return json.loads(self.scripts[0])


@pytest.fixture
def document(tmp_path):
    def make(findings, **keywords):
        file = tmp_path / "report.html"
        write_report(findings, file, **keywords)
        return Document(file.read_text("utf-8"))

    return make


@pytest.mark.parametrize("findings", KINDS)
def test_order_and_names(document, findings):
    document = document(findings())
    levels = [int(tag[1]) for tag, _ in document.all("h1", "h2", "h3", "h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    ids = [attributes["id"] for _, attributes in document.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for _, attributes in document.all("a"):
        assert attributes["href"].removeprefix("#") in ids
    for _, attributes in document.elements:
        assert attributes.get("aria-labelledby", "main") in ids
        assert attributes.get("for", "main") in ids
    assert ("html", {"lang": "en"}) in document.elements
    for _, attributes in document.all("th"):
        assert attributes["scope"] in ("row", "col")
    charts = [attributes for _, attributes in document.elements if "data-chart" in attributes]
    assert {attributes["data-chart"] for attributes in charts} == set(document.told["charts"])
    pictures = [a for _, a in document.elements if a.get("role") == "img"]
    assert len(pictures) == len(charts)
    assert all(len(attributes["aria-label"]) > 20 for attributes in pictures)
    tables, captions = document.all("table"), document.all("caption")
    assert len(tables) == len(captions)


@pytest.mark.parametrize("findings", KINDS)
def test_nothing_is_loaded_and_scripts_are_named_by_digest(document, findings):
    document = document(findings())
    for tag, attributes in document.elements:
        assert not {"src", "srcset", "data", "action", "poster"} & set(attributes), tag
        assert not any(name.startswith("on") for name in attributes), tag
    assert not document.all("link", "iframe", "object", "base", "img")
    (policy,) = [
        attributes["content"]
        for _, attributes in document.all("meta")
        if attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy
    scripts = policy.split("script-src")[1].split(";")[0]
    assert "unsafe" not in scripts
    told, *run = document.scripts
    for script in run:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in scripts
    assert len(run) == scripts.count("sha256-") == 2
    assert json.loads(told)


@pytest.mark.parametrize("findings", [findings_of.forward, findings_of.five_classes])
def test_hostile_names_stay_text(document, findings):
    findings = findings()
    hostile = changed.with_names(findings, changed.HOSTILE)
    plain_names = changed.with_names(findings, [f"n{j}" for j in range(len(changed.HOSTILE))])
    for other in (hostile, plain_names):
        other["path"] = None  # one model, of all columns
        other["coef"] = other["effects"] = [[1.0] * 15] * len(other["intercept"])
        other["target"] = "n" if other is plain_names else changed.HOSTILE[1]
        other["warnings"] = ["n" if other is plain_names else changed.HOSTILE[0]]
    plain_names = document(plain_names)
    hostile = document(hostile, provenance=None)
    assert [tag for tag, _ in hostile.elements] == [tag for tag, _ in plain_names.elements]
    for name in changed.HOSTILE:
        assert " ".join(name.split()) in hostile.text
    assert set(changed.HOSTILE) <= set(hostile.told["models"]["names"])
    assert not set("<>&\u2028") & set(hostile.scripts[0])


def test_what_slider_and_pictures_get_is_the_path(document):
    findings = findings_of.forward()
    models = document(findings).told["models"]
    assert len(models["all"]) == len(findings["path"])
    assert models["all"][models["chosen"]]["size"] == findings["path"][findings["chosen"]]["size"]
    for model, entry in zip(models["all"], findings["path"], strict=True):
        names = {models["names"][row[0]] for row in model["rows"]}
        assert names == {findings["features"][column] for column in entry["columns"]}


def test_sections_without_findings_are_a_sentence(document):
    kernel = document(findings_of.kernel())
    assert "one model, not one for every size" in kernel.text
    assert "one coefficient for every basis function" in kernel.text
    assert set(kernel.told["charts"]) == {"predictions", "penalties"}
    evidence = document(findings_of.evidence())
    assert "kept no predictions of rows held out" in evidence.text
    assert "No penalty was chosen from a grid" in evidence.text
    assert set(evidence.told["charts"]) == {"curve"}
    ridge = document(findings_of.ridge())
    assert not any(attributes.get("type") == "range" for _, attributes in ridge.elements)
    assert set(ridge.told["charts"]) == {"effects", "predictions", "penalties"}
    alone = changed.without_nested(findings_of.forward(), "too few rows")
    alone = document(alone | {"alphas": {"alphas": [1.0], "errors": [2.0], "chosen": 1.0}})
    assert "there is none (too few rows)" in alone.text
    assert "Only one penalty was tried, 1" in alone.text
    assert set(alone.told["charts"]) == {"path", "effects"}


def test_without_an_error_or_effects_or_counts(document):
    """A model without a hold-out of its own; columns whose spread was never computed."""
    findings = findings_of.forward()
    path = [entry | {"effects": None, "std_error": None} for entry in findings["path"]]
    bare = [{"name": name, "kind": "numeric"} for name in findings["features"]]
    document_ = document(
        findings
        | {"path": path, "effects": None, "error": None, "std_error": None, "hold_out": "none"}
        | {"data": findings["data"] | {"columns": bare}}
    )
    assert "Own hold-out" not in document_.text
    assert "standardised effect in the" not in document_.text
    assert "this report has none, because the spread of the columns was not computed" in (
        document_.text
    )
    assert "not counted" in document_.text
    rows = document_.told["models"]["all"][3]["rows"]
    assert [row[3] for row in rows] == [[], [], []]
    assert [abs(row[2][0]) for row in rows] == sorted(
        (abs(row[2][0]) for row in rows), reverse=True
    )


def test_an_approximate_hold_out_is_nowhere_called_exact(document):
    findings = findings_of.forward()
    exact, approximate = (document(findings | {"approximate": flag}).text for flag in (False, True))
    assert document(findings).text == exact
    for text in ("without its row", "without the row being predicted"):
        assert text in exact
        assert text not in approximate
    assert "approximate" not in exact
    assert "Own hold-out, approximate, optimistic" in approximate
    assert approximate.count("approximate leave-one-out") >= 4


def test_held_out_rows_of_one_class(document):
    findings = findings_of.two_classes()
    kept = findings["held_out"] | {"truth": [1] * len(findings["held_out"]["truth"])}
    text = document(findings | {"held_out": kept}).text
    assert "all of one class: there is no ROC curve" in text


def test_many_classes_are_told_by_their_mistakes(document):
    n_classes = 20
    findings = findings_of.five_classes()
    truth = [k % n_classes for k in range(200)]
    outputs = [[float((k + (k % 10 == 3)) % n_classes == j) for j in range(n_classes)]
               for k in range(200)]  # fmt: skip
    names = [f"kind {k}" for k in range(n_classes)]
    line = findings["coef"][0]
    document = document(
        findings
        | {
            "classes": names,
            "path": None,
            "coef": [line] * n_classes,
            "effects": [line] * n_classes,
            "intercept": [0.0] * n_classes,
            "held_out": {"kind": "nested", "rows": list(range(200)), "truth": truth,
                         "outputs": outputs},
        }
    )  # fmt: skip
    assert "kind 3 kind 4 10 100%" in document.text
    assert "10% of these rows get the wrong label" in document.text
    assert len(document.all("option")) == n_classes


def test_data_and_origin(document):
    findings = findings_of.forward()
    columns = [
        {"name": "fuel", "kind": "categorical", "missing": 3, "fill": "gas", "pooled": 2,
         "levels": [["gas", 1400], ["other", 19]], "n_levels": 2},
        findings["data"]["columns"][1] | {"missing": 4, "fill": 115.0},
        *findings["data"]["columns"][2:],
    ]  # fmt: skip
    data = findings["data"] | {"columns": columns}
    document = document(findings | {"data": data}, provenance=PROVENANCE)
    assert (
        "fuel categorical 3, filled with gas gas (1,400), other (19) (2 rows of rare levels pooled)"
        in (document.text)
    )
    assert "4, filled with 115 65 to 256, mean 121.1" in document.text
    for said in ("holdfast fit <b>cars</b>.csv", "sha256:0123", "holdfast 1.2.3, numpy 2.0"):
        assert said in document.text
    assert "2026-01-02T03:04:05+00:00" in document.text


@pytest.mark.parametrize("findings", [findings_of.forward, findings_of.ridge])
def test_errors_of_the_folds(document, findings):
    findings = findings()
    text = document(findings).text
    nested, sized = findings["nested"], findings["path"] is not None
    start = text.index("each of a model made without the fold")
    for place, (error, size) in enumerate(
        zip(nested["fold_errors"], nested["sizes"], strict=True), 1
    ):
        line = f" {place} {shown(sqrt(error))} {shown(error)}" + (f" {size}" if sized else "")
        start = text.index(line, start)


def test_a_large_path_makes_a_small_file(tmp_path):
    small, big = tmp_path / "small.html", tmp_path / "big.html"
    findings = findings_of.forward()
    write_report(findings, small)
    write_report(changed.large(findings), big)
    assert big.stat().st_size - small.stat().st_size < 2_500_000


def test_whole_or_not_at_all(tmp_path, monkeypatch):
    file = tmp_path / "report.html"
    file.write_text("what was there")
    broken = findings_of.forward() | {"error": "not a number"}
    with pytest.raises((TypeError, ValueError)):
        write_report(broken, file)
    assert file.read_text() == "what was there"
    assert list(tmp_path.iterdir()) == [file]
    with pytest.raises(FileNotFoundError):
        write_report(findings_of.ridge(), tmp_path / "nowhere" / "report.html")


def test_findings_of_another_version_or_with_gaps(tmp_path):
    findings = findings_of.ridge()
    with pytest.raises(ValueError, match=r"have version 2; expected 1: fit the model again"):
        write_report(findings | {"version": 2}, tmp_path / "report.html")
    with pytest.raises(ValueError, match="there are no findings; expected what holdfast fit"):
        write_report({}, tmp_path / "report.html")
    short = {name: value for name, value in findings.items() if name not in ("nested", "data")}
    with pytest.raises(ValueError, match=r"have no nested, data; expected what a fit records"):
        write_report(short, tmp_path / "report.html")


@pytest.mark.parametrize("package", ["altair", "jinja2", "vl_convert"])
def test_without_the_extra(tmp_path, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"a report needs {package}.*holdfast\[cli\]"):
        write_report(findings_of.ridge(), tmp_path / "report.html")


def test_nothing_heavy_before_a_report_is_written():
    code = (
        "import sys, holdfast.report; print(*{'altair', 'vl_convert', 'jinja2'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_needed_names_are_those_of_the_findings():
    assert set(writing._NEEDED.split()) | {"version"} == set(findings_of.forward())


def test_contrast_of_text():
    """WCAG AA: 4.5 for text, 3 for lines and marks, on page and card, in light, dark and print."""
    from importlib.resources import files

    style = files("holdfast.report").joinpath("page/report.css").read_text("utf-8")
    palettes = [dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", block))
                for block in re.findall(r":root \{(.*?)\}", style, re.DOTALL)]  # fmt: skip
    assert len(palettes) == 3
    for palette in palettes:
        for ground in ("paper", "card"):
            least = {"ink": 7, "plain": 3} | dict.fromkeys(
                ["muted", "own", "honest", "against"], 4.5
            )
            for name, ratio in least.items():
                assert contrast(palette[name], palette[ground]) >= ratio, (name, ground)
        assert contrast(palette["ink"], palette["warn"]) >= 7
        for shade in ("own", "against"):  # the darkest cell of a confusion table
            assert contrast(palette["ink"], mixed(palette[shade], palette["paper"], 0.45)) >= 4.5


def mixed(one, other, share):
    parts = [
        share * int(one[k : k + 2], 16) + (1 - share) * int(other[k : k + 2], 16) for k in (1, 3, 5)
    ]
    return "#" + "".join(f"{round(part):02x}" for part in parts)


def contrast(one, other):
    lights = sorted(luminance(colour) + 0.05 for colour in (one, other))
    return lights[1] / lights[0]


def luminance(colour):
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))
