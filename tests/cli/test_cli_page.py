"""The page of the documentation is the one the command line would write today."""

import runpy
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_current():
    made = runpy.run_path(str(DOCS / "make_cli_page.py"))["page"]()
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == made, (
        "docs/cli.md is not what the help texts say; run: python docs/make_cli_page.py"
    )
