"""The report as headless Chromium shows it; nothing is loaded, nothing goes wrong (``opened``)."""

import re

import pytest

from holdfast.report.drawing import KEY
from holdfast.report.models import models_of
from holdfast.report.numbers import shown
from holdfast.report.terms import Measure, Noun
from holdfast.report.words import said
from tests.report import changed, findings_of

pytestmark = pytest.mark.browser

PHONE, DESK = 360, 1200


def features_shown(page):
    """Lines of the table of features, as text."""
    return page.eval_on_selector_all(
        "#features tbody tr", "lines => lines.map(line => [...line.cells].map(c => c.textContent))"
    )


def soon(page, holds):
    """Whether something holds within five seconds: pictures are drawn a little after the words."""
    for _ in range(100):
        if holds():
            return True
        page.wait_for_timeout(50)
    return False


def bars_shown(page):
    """Names beside the bars, from above; None while there are not as many bars."""
    labels = page.eval_on_selector_all(
        "[data-chart=effects] .role-axis-label text",
        "texts => texts.map(text => [text.getBoundingClientRect().y, text.textContent])",
    )
    names = [text.removeprefix(KEY) for _, text in sorted(labels) if text.startswith(KEY)]
    n_bars = page.locator("[data-chart=effects] .mark-rect path").count()
    return names if len(names) == n_bars else None


def names_read_aloud(page):
    """Role and name of all that a screen reader meets."""
    session = page.context.new_cdp_session(page)
    nodes = session.send("Accessibility.getFullAXTree")["nodes"]
    return [
        (node["role"]["value"], node.get("name", {}).get("value", ""))
        for node in nodes
        if not node["ignored"]
    ]


def expected_features(findings, model, output=0):
    rows = sorted(model.rows, key=lambda row: -abs(row.effects[output]))
    removing = findings["method"] == "backward"
    return [
        [
            findings["features"][row.column],
            shown(row.coef[output]),
            shown(row.effects[output]),
            str(row.when or ("to the end" if removing else "start")),
        ]
        for row in rows
    ]


def check_model(page, findings, place, output=0):
    """All that the slider governs is of the model in this place."""
    model = models_of(findings)[place]
    noun = Noun.of_findings(findings)
    chosen = model.position == findings["chosen"]
    sentence = said(model, findings, noun, chosen=chosen)
    assert page.inner_text("#said") == sentence
    assert page.get_attribute("#size", "aria-valuetext") == sentence
    assert page.input_value("#size") == str(place)
    assert features_shown(page) == expected_features(findings, model, output)
    entry = findings["path"][model.position]
    assert page.inner_text("#intercept") == shown(entry["intercept"][output])
    largest = [row[0] for row in features_shown(page)][:30]
    assert soon(page, lambda: bars_shown(page) == (largest or ["no feature"])), bars_shown(page)


@pytest.mark.parametrize(
    ("findings", "scheme", "width"),
    [
        (findings_of.forward, "light", DESK),
        (findings_of.forward, "dark", PHONE),
        (findings_of.backward, "dark", DESK),
        (findings_of.ridge, "light", PHONE),
        (findings_of.kernel, "dark", PHONE),
        (findings_of.evidence, "light", PHONE),
        (findings_of.two_classes, "light", PHONE),
        (findings_of.five_classes, "dark", DESK),
    ],
)
def test_every_kind_of_report(opened, findings, scheme, width):
    page = opened(findings(), scheme=scheme, width=width)
    charts, read = page.locator(".chart"), names_read_aloud(page)
    for place in range(charts.count()):
        chart = charts.nth(place)
        assert chart.locator("svg").count() == 1
        drawn = chart.bounding_box()
        assert drawn["height"] > 60
        assert ("image", chart.get_attribute("aria-label")) in read
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    outside = page.evaluate(
        """() => [...document.querySelectorAll("svg")].filter(
            svg => svg.getBoundingClientRect().right > innerWidth).length"""
    )
    assert outside == 0
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")


def test_colours_follow_the_scheme_without_drawing_again(opened):
    page = opened(findings_of.forward())
    line = page.locator("[data-chart=path] .mark-line path").last
    colour = "line => getComputedStyle(line).stroke"
    light = line.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    dark = line.evaluate(colour)
    page.emulate_media(color_scheme="dark", media="print")
    assert (light, dark) == ("rgb(27, 94, 123)", "rgb(124, 196, 227)")
    assert line.evaluate(colour) == light
    label = page.locator("[data-chart=path] .role-axis-label text").first
    page.emulate_media(color_scheme="dark", media="screen")
    assert label.evaluate("text => getComputedStyle(text).fill") == "rgb(165, 177, 189)"


@pytest.mark.parametrize("findings", [findings_of.forward, findings_of.backward])
def test_slider_by_keyboard(opened, findings):
    findings = findings()
    page = opened(findings)
    models = models_of(findings)
    start = next(k for k, m in enumerate(models) if m.position == findings["chosen"])
    check_model(page, findings, start)
    page.focus("#size")
    page.keyboard.press("ArrowRight")
    check_model(page, findings, start + 1)
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    check_model(page, findings, start - 1)
    page.keyboard.press("End")
    check_model(page, findings, len(models) - 1)
    page.keyboard.press("Home")
    check_model(page, findings, 0)


def test_slider_by_value_and_buttons(opened):
    findings = findings_of.forward()
    page = opened(findings)
    for place in (2, 14, 9):
        page.fill("#size", str(place))
        check_model(page, findings, place)
    page.click("#fewer")
    check_model(page, findings, 8)
    page.focus("#more")
    page.keyboard.press("Enter")
    check_model(page, findings, 9)
    page.click("#back")
    check_model(page, findings, findings["chosen"])
    assert page.get_attribute("#back", "aria-disabled") == "true"
    page.fill("#size", "0")
    page.click("#fewer", force=True)  # it says that it is disabled
    check_model(page, findings, 0)


def test_slider_moves_the_ring_on_the_curve(opened):
    findings = findings_of.forward()
    page = opened(findings)

    ring = page.locator("[data-chart=path] path[stroke='var(--ink)']")
    line = page.locator("[data-chart=path] svg").bounding_box()

    def at(share):
        middle = ring.bounding_box()["x"] + ring.bounding_box()["width"] / 2
        return abs((middle - line["x"]) / line["width"] - share) < 0.06

    for place in (0, 3, 15):
        page.fill("#size", str(place))
        assert soon(page, lambda place=place: at(0.05 + 0.94 * place / 15))
    output = page.locator("output#said")
    assert output.get_attribute("aria-live") == "polite"
    assert page.locator("#size").aria_snapshot().startswith('- slider "Number of columns"')


def test_classes_have_a_selector(opened):
    findings = findings_of.five_classes()
    page = opened(findings)
    page.fill("#size", "4")
    for output in (0, 3):
        page.select_option("#output", str(output))
        check_model(page, findings, 4, output)
    assert page.inner_text("#of-class") == ", for class 4"


def test_threshold(opened):
    findings = findings_of.two_classes()
    page = opened(findings)
    kept = findings["held_out"]

    def table():
        cells = page.locator("#confusion tbody td b").all_inner_texts()
        return [int(cell) for cell in cells]

    def counted(threshold):
        counts = [0] * 4
        for truth, (value,) in zip(kept["truth"], kept["outputs"], strict=True):
            counts[2 * truth + (value > threshold)] += 1
        return counts

    assert table() == counted(0.0)
    own = int(page.input_value("#threshold"))
    page.focus("#threshold")
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert int(page.input_value("#threshold")) == own + 10
    sentence = page.inner_text("#threshold-said")
    assert table()[3] < counted(0.0)[3] or table()[1] < counted(0.0)[1]
    wrong = (table()[1] + table()[2]) / len(kept["truth"])
    assert f"{float(f'{100 * wrong:.1f}'):g}% wrong" in sentence
    page.click("#own-threshold")
    assert table() == counted(0.0)


def test_hostile_names_are_shown_as_they_are(opened):
    findings = changed.with_names(findings_of.forward(), changed.HOSTILE)
    findings |= {"target": changed.HOSTILE[0], "warnings": [changed.HOSTILE[1]]}
    page = opened(findings, provenance={"command": [changed.HOSTILE[1]]}, width=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.fill("#size", "15")
    names = [row[0] for row in features_shown(page)]
    assert sorted(names) == sorted(findings["features"])
    assert page.locator("img").count() == 0
    assert page.locator("script").count() == 3
    page.locator("[data-chart=effects] .mark-rect path").first.hover()
    page.wait_for_selector("#vg-tooltip-element.visible")
    assert page.locator("#vg-tooltip-element img").count() == 0


def test_classes_with_hostile_names(opened):
    findings = findings_of.two_classes() | {"classes": changed.HOSTILE[:2]}
    page = opened(findings)
    assert page.inner_text("#confusion tbody tr:nth-child(1) th") == changed.HOSTILE[0]
    assert page.locator("img").count() == 0


def test_a_large_path_is_quick(opened):
    findings = changed.large(findings_of.forward())
    page = opened(findings)
    page.fill("#size", "299")
    assert len(features_shown(page)) == 200
    assert page.inner_text("#left-out") == "And 99 features of smaller effect."
    assert page.inner_text("#bars-more") == "The 30 largest are drawn."
    assert soon(page, lambda: len(bars_shown(page) or ()) == 30)
    # A step of the slider may not cost more than a few pictures of the screen.
    per_step = page.evaluate(
        """() => {
            const slider = document.getElementById("size");
            const begin = performance.now();
            for (let place = 100; place < 200; place++) {
                slider.value = place;
                slider.dispatchEvent(new Event("input"));
            }
            return (performance.now() - begin) / 100;
        }"""
    )
    whole = page.evaluate(
        """() => { const begin = performance.now();
            for (let k = 0; k < 100; k++) {
                JSON.parse(document.getElementById("told").textContent);
            }
            return (performance.now() - begin) / 100; }"""
    )
    assert per_step < 10 * whole


def test_print(opened):
    findings = findings_of.forward()
    page = opened(findings, scheme="dark")
    pdf = page.pdf(format="A4")
    assert pdf.startswith(b"%PDF")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", pdf)) <= 12
    page.emulate_media(media="print")
    for hidden in ("#size", "#back", "nav", ".skip"):
        assert not page.is_visible(hidden)
    assert page.is_visible("#said")
    assert page.is_visible("#features")


def test_by_keyboard_alone(opened):
    page = opened(findings_of.two_classes())
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.locator(".skip").bounding_box()["x"] >= 0
    reached = []
    for _ in range(40):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("document.activeElement.id"))
    for control in ("fewer", "size", "more", "back", "threshold", "own-threshold"):
        assert control in reached


def test_without_script_the_words_remain(browser, tmp_path):
    from holdfast.report import write_report

    findings = findings_of.forward()
    write_report(findings, tmp_path / "report.html")
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    honest = Measure.of_findings(findings).text(findings["nested"]["error"])
    assert page.inner_text("#honest") == honest
    assert page.is_visible("noscript p")
    context.close()


def test_numbers_are_written_as_in_the_rest_of_the_page(opened):
    """The script writes numbers that are rounded already exactly as ``numbers.shown`` does."""
    numbers = [1, -1, 0.5, 12350, 1234, 999.9, 1e11, 1e12, 2.5e15, 0.00001234, -1.23e-7, 1e-5]
    findings = changed.large(findings_of.forward(), n_features=len(numbers), n_entries=2)
    entry = findings["path"][1] | {
        "columns": list(range(len(numbers))),
        "coef": [numbers],
        "intercept": [0.0],
        "effects": [[1.0 / (1 + j) for j in range(len(numbers))]],
    }
    page = opened(findings | {"path": [findings["path"][0], entry], "chosen": 1,
                              "coef": [numbers], "effects": entry["effects"]})  # fmt: skip
    assert [row[1] for row in features_shown(page)] == [shown(number) for number in numbers]
    assert page.inner_text("#intercept") == "0"


def test_the_policy_of_the_page_forbids_what_it_does_not_need(browser, tmp_path):
    """Even a hole in the escaping would neither run a script nor ask for anything."""
    from holdfast.report import write_report

    write_report(findings_of.kernel(), tmp_path / "report.html")
    page = browser.new_page()
    page.goto((tmp_path / "report.html").as_uri())
    forbidden = page.evaluate(
        """async () => {
            const seen = [];
            document.addEventListener("securitypolicyviolation", (event) =>
                seen.push(event.effectiveDirective));
            const script = document.createElement("script");
            script.textContent = "window.ran = true";
            const image = document.createElement("img");
            image.src = "https://example.org/picture.png";
            const button = document.createElement("button");
            button.setAttribute("onclick", "window.ran = true");
            document.body.append(script, image, button);
            button.click();
            await fetch("https://example.org").catch(() => {});
            await new Promise((done) => setTimeout(done, 100));
            return [seen.sort(), window.ran === undefined];
        }"""
    )
    page.close()
    assert forbidden == [["connect-src", "img-src", "script-src-attr", "script-src-elem"], True]
