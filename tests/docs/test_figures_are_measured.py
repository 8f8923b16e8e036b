"""A figure that a page quotes beside a link to the measurements is one the benchmark printed."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"\(measurements/([a-z-]+)\.md")
RATIO = re.compile(r"(?<![\d.,])\d[\d,]*(?:\.\d+)?x")
TIME = re.compile(r"\d[\d.]* (?:ms|s|min)\b")


def test_quoted_figures_are_in_the_results():
    quoted = 0
    for paragraph in re.split(r"\n(?=[|-])|\n\n", (ROOT / "docs/peers.md").read_text("utf-8")):
        pages = set(LINK.findall(paragraph))
        figures = RATIO.findall(paragraph) + TIME.findall(paragraph)
        if not figures:
            continue
        assert len(pages) == 1, f"figures without one source: {paragraph}"
        name = f"benchmarks/results/{pages.pop().replace('-', '_')}.md"
        results = (ROOT / name).read_text("utf-8")
        for figure in figures:
            assert figure in results, f"docs/peers.md quotes {figure}, which is not in {name}"
            quoted += 1
    assert quoted > 5
