"""Pages for what the papers' runs and the benchmarks wrote, made anew with every build.

A page includes the files as they are, so that no verdict has to be copied, and a new result is on
the site with the next build.
"""

from functools import partial
from pathlib import Path

PAPER = """\
```{{include}} ../../papers/{paper}/README.md
:relative-images:
```

## What the run wrote
"""
PART = """
```{{include}} ../../papers/{paper}/results/{part}.md
:heading-offset: 2
:relative-images:
```
"""
BENCHMARK = """\
```{{include}} ../../benchmarks/results/{name}.md
```
"""


def write_pages(root):
    """Write ``docs/reproductions/*.md`` and ``docs/measurements/*.md`` beside their index."""
    for folder in sorted((root / "papers").glob("*/results")):
        paper = folder.parent.name
        said = (folder.parent / "README.md").read_text("utf-8")
        parts = sorted((page.stem for page in folder.glob("*.md")), key=partial(place, said))
        text = PAPER.format(paper=paper)
        text += "".join(PART.format(paper=paper, part=part) for part in parts)
        keep(root / f"docs/reproductions/{paper}.md", text)
    for page in sorted((root / "benchmarks/results").glob("*.md")):
        name = page.stem.replace("_", "-")
        keep(root / f"docs/measurements/{name}.md", BENCHMARK.format(name=page.stem))


def place(said, name):
    """Where the README names the result; what it does not name comes last."""
    where = said.find(f"{name}.md")
    return (where < 0, where, name)


def keep(page, text):
    """Write a page unless it says so already: Sphinx reads again what has changed."""
    if not page.exists() or page.read_text("utf-8") != text:
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_pages(Path(__file__).parents[1])
