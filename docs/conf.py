"""Configuration of the documentation."""

import logging
import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))  # for what is beside this file

from result_pages import write_pages  # noqa: E402

write_pages(ROOT)

project = "holdfast"
author = "holdfast developers"
copyright = f"2026, {author}"  # noqa: A001  the name Sphinx asks for
version = re.search(
    r'^__version__ = "(.+)"$', (ROOT / "src/holdfast/__init__.py").read_text("utf-8"), re.M
).group(1)
release = version

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx-mathjax-offline",  # formulas without a network
    "sphinx.ext.autodoc",
    "sphinx.ext.mathjax",
    "sphinx_gallery.gen_gallery",
]
# Sphinx-Gallery adds to every example what can be downloaded and how long it took.
exclude_patterns = ["_build", "gallery/sg_execution_times.rst", "sg_execution_times.rst"]
html_static_path = ["_static"]
html_css_files = ["holdfast.css"]
# Derivations and decisions are found by their folder; a folder without pages is no mistake. Sphinx
# gives that warning no type, so suppress_warnings cannot name it.
logging.getLogger("sphinx.sphinx.directives.other").addFilter(
    lambda record: getattr(record, "subtype", None) != "empty_glob"
)

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3

# Doctests in pages end with an empty line, for the sake of the parser; it need not be seen.
highlight_options = {"python": {"stripnl": True}}

autodoc_typehints = "none"  # numpydoc docstrings say the types
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "ignore_pattern": r"readme_figure\.py$",  # writes the figure of the README
    "within_subsection_order": "gallery_order.GalleryOrder",
    "download_all_examples": False,
    "show_memory": False,
    "plot_gallery": True,
    "min_reported_time": 10,
    "remove_config_comments": True,
    "matplotlib_animations": False,
    "doc_module": ("holdfast",),
    "reference_url": {"holdfast": None},
}

html_theme = "furo"
html_title = f"holdfast {version}"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#1b5e7b", "color-brand-content": "#1b5e7b"},
    "dark_css_variables": {"color-brand-primary": "#7cc4e3", "color-brand-content": "#7cc4e3"},
}


def skip_inherited_from_elsewhere(app, what, name, member, skip, options):
    """Leave out what scikit-learn's mixins bring: its own documentation explains it."""
    module = getattr(member, "__module__", None) or ""
    return skip or not module.startswith("holdfast")


def setup(app):
    app.connect("autodoc-skip-member", skip_inherited_from_elsewhere)
