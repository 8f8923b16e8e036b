"""What the site promises to hold: every public name, every example, pages that are linked."""

import re
import runpy
from html.parser import HTMLParser
from pathlib import Path

import holdfast

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    page
    for page in DOCS.rglob("*.md")
    if not page.relative_to(DOCS).parts[0].startswith(("_", "gallery"))
)


def test_every_public_name_is_in_the_reference():
    text = (DOCS / "reference.md").read_text("utf-8")
    documented = re.findall(r"^\.\. auto\w+:: (?:[\w.]+\.)?(\w+)$", text, re.M)
    modules = {"data", "recipes"}  # their functions are there
    assert set(holdfast.__all__) - modules <= set(documented)
    assert len(documented) == len(set(documented)), "a name is documented twice"
    for name in modules:
        assert f":: holdfast.{name}." in text


def test_every_recipe_is_in_the_reference():
    text = (DOCS / "reference.md").read_text("utf-8")
    made_here = (
        name
        for name, value in vars(holdfast.recipes).items()
        if getattr(value, "__module__", "") == "holdfast.recipes" and not name.startswith("_")
    )
    for name in made_here:
        assert f".. autofunction:: holdfast.recipes.{name}\n" in text


def test_the_reference_begins_with_every_section():
    text = (DOCS / "reference.md").read_text("utf-8")
    for title in re.findall(r"^## (.+)$", text, re.M):
        anchor = re.sub(r"[^\w -]", "", title).lower().replace(" ", "-")
        assert f"(#{anchor})" in text or title.startswith("Have something"), title


def test_the_gallery_has_its_order():
    order = runpy.run_path(str(DOCS / "gallery_order.py"))["EXAMPLES"]
    there = {script.name for script in (ROOT / "examples").glob("*.py")} - {"readme_figure.py"}
    assert set(order) == there
    told = (ROOT / "examples/README.md").read_text("utf-8")
    for name in there:
        assert f"`{name}`" in told


def test_examples_need_no_network_and_begin_with_a_title():
    for script in (ROOT / "examples").glob("*.py"):
        text = script.read_text("utf-8")
        assert "fetch_" not in text, f"{script.name} downloads something"
        if script.name != "readme_figure.py":
            title, line = text.split("\n")[1:3]
            assert line == "=" * len(title), f"{script.name} does not begin with a title"


def test_results_have_their_pages(tmp_path):
    pages = runpy.run_path(str(DOCS / "result_pages.py"))
    for folder in ("reproductions", "measurements"):
        (tmp_path / "docs" / folder).mkdir(parents=True)
    for source in ("papers", "benchmarks"):
        (tmp_path / source).symlink_to(ROOT / source)
    pages["write_pages"](tmp_path)
    written = "".join(page.read_text("utf-8") for page in (tmp_path / "docs").rglob("*.md"))
    results = [*ROOT.glob("papers/*/results/*.md"), *ROOT.glob("benchmarks/results/*.md")]
    assert len(results) > 10
    for result in results:
        assert f"../../{result.relative_to(ROOT)}\n" in written


def test_oracles_that_derivations_name_exist():
    for page in (DOCS / "derivations").glob("*.md"):
        text = page.read_text("utf-8")
        for name in re.findall(r"`((?:tests|src|papers|benchmarks)/[\w/.-]+)`", text):
            assert (ROOT / name).exists(), f"{page.name} names {name}"
        rooms = "criteria|searches|basis|maps|rows|estimators"
        for name in re.findall(rf"`((?:{rooms})/\w+\.py)`", text):
            assert (ROOT / "src/holdfast" / name).exists(), f"{page.name} names {name}"


class Links(HTMLParser):
    """Targets of links, and whether there are words for those who do not see the picture."""

    def __init__(self):
        super().__init__()
        self.targets, self.tags = [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "a":
            self.targets.append(dict(attrs)["href"])


def test_the_flowchart_leads_to_public_names():
    links = Links()
    links.feed((DOCS / "choose.svg").read_text("utf-8"))
    assert {"title", "desc"} <= set(links.tags)
    names = set()
    for target in links.targets:
        page, _, anchor = target.partition("#")
        assert (DOCS / page).with_suffix(".md").exists()
        if anchor:
            names.add(anchor.removeprefix("holdfast."))
    assert names <= set(holdfast.__all__)
    assert len(names) > 10


def test_fences_that_are_python_are_run():
    """A Python block without a prompt would run nowhere."""
    for page in PAGES:
        for block in re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S):
            assert block.startswith(">>>"), f"{page.name}: {block}"


def test_every_model_has_a_derivation():
    told = (DOCS / "derivations/index.md").read_text("utf-8")
    without = {"AlphaDisplay", "PathDisplay", "LarsPath", "NestedScore", "RowBlocks", "basis_folds"}
    without |= {"data", "recipes", "series_groups", "series_weight", "load_model", "save_model"}
    without |= {name for name in holdfast.__all__ if name.endswith("Error")}
    for name in set(holdfast.__all__) - without:
        assert f"`{name}`" in told, f"docs/derivations/index.md does not say how {name} works"
    pages = {page.stem for page in (DOCS / "derivations").glob("*.md")} - {"index"}
    assert all(f"]({page}.md)" in told for page in pages)
