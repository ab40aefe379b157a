"""How Sphinx builds the documentation: ``make docs``."""

import re
import sys
from importlib.metadata import version as version_of
from typing import Any

project = "costboost"
author = "The costboost developers"
copyright = "2026, The costboost developers"
release = version = version_of("costboost")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["_build"]
nitpicky = False

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
napoleon_numpy_docstring = True
napoleon_google_docstring = False
napoleon_use_rtype = False
templates_path = ["templates"]

html_theme = "pydata_sphinx_theme"
html_title = "costboost"
html_show_sourcelink = False
html_theme_options = {"show_prev_next": True, "secondary_sidebar_items": ["page-toc"]}


def setup(app: Any) -> None:
    app.connect("builder-inited", draw_gallery)
    # Before napoleon, at 500: "(n_iter_,)" is the name of an attribute, not a link to "n_iter".
    app.connect("autodoc-process-docstring", escape_trailing_underscores, priority=400)


def draw_gallery(app: Any) -> None:
    sys.path.insert(0, str(app.srcdir))
    from gallery import render

    render()


def escape_trailing_underscores(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    lines[:] = [re.sub(r"(?<=\w)_(?=[,)])", r"\\_", line) for line in lines]
