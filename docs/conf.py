"""How Sphinx builds the documentation: ``make docs``."""

import re
import sys
import tomllib
import warnings
from pathlib import Path
from typing import Any

from costboost import __version__

project = "costboost"
author = "The costboost developers"
copyright = "2026, The costboost developers"
release = version = __version__

ROOT = Path(__file__).resolve().parents[1]
URLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["urls"]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx.ext.napoleon",
    "sphinx_design",
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
html_baseurl = URLS["Documentation"]
html_logo = "images/icon.svg"
html_favicon = "images/icon.svg"
html_static_path = ["custom.css"]
html_css_files = ["custom.css"]
html_theme_options = {
    "logo": {"text": f"costboost {version}"},
    "icon_links": [
        {"name": "Repository", "url": URLS["Repository"], "icon": "fa-brands fa-github"},
    ],
    "navbar_align": "left",
    "navbar_center": [],
    "navbar_persistent": ["search-button"],
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
}
html_sidebars = {"**": ["pages.html"]}


def setup(app: Any) -> None:
    app.connect("builder-inited", draw_gallery)
    # Before napoleon, at 500: "(n_iter_,)" is the name of an attribute, not a link to "n_iter".
    app.connect("autodoc-process-docstring", escape_trailing_underscores, priority=400)


def draw_gallery(app: Any) -> None:
    sys.path.insert(0, str(app.srcdir))
    from gallery import render

    with warnings.catch_warnings():
        # Some pictures show what happens at extreme costs.
        warnings.filterwarnings("ignore", ".* predicts one class for all training rows")
        render()


def escape_trailing_underscores(
    app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]
) -> None:
    lines[:] = [re.sub(r"(?<=\w)_(?=[,)])", r"\\_", line) for line in lines]
