"""The code of the documentation is run, and its output is compared with the one shown.

Every ``python`` block of README.md and the guides is executed, the blocks of a page in order and in
one namespace. A ``text`` block right behind one shows what it prints. Doctests are run as well.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import os
import pkgutil
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sklearn
from matplotlib import pyplot

import costboost

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\s*^```text\n(.*?)^```$)?", re.DOTALL | re.MULTILINE)
MODULES = ["costboost", *(m.name for m in pkgutil.walk_packages(costboost.__path__, "costboost."))]


def blocks(page: Path) -> Iterator[tuple[str, str | None]]:
    """The code blocks of a page, padded so that line numbers in errors are those of the page."""
    text = page.read_text()
    for match in BLOCK.finditer(text):
        yield "\n" * (text.count("\n", 0, match.start()) + 1) + match[1], match[2]


def printed(code: str, page: Path, names: dict[str, Any]) -> list[str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(code, page, "exec"), names)
    return [line.rstrip() for line in out.getvalue().splitlines()]


DATA = {"guide-mail.md": "kdd98_pva97nk"}
"""Data sets that pages need, which are not part of the library."""


def skip_without(name: str) -> None:
    folder = os.environ.get("COSTBOOST_DATA", "")
    if not folder or not list(Path(folder).glob(f"**/{name}*")):
        pytest.skip(f"{name} is not on this machine")


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    with sklearn.config_context():
        yield
    pyplot.close("all")


@pytest.mark.complete
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path) -> None:
    if page.name == "scaling.md":
        pytest.importorskip("distributed")
    if page.name == "export.md":
        pytest.importorskip("onnxruntime")
        pytest.importorskip("skl2onnx")
    if page.name in DATA:
        skip_without(DATA[page.name])
    names: dict[str, Any] = {"__name__": page.stem}
    for code, expected in blocks(page):
        shown = [] if expected is None else expected.splitlines()
        assert printed(code, page, names) == shown, code.strip()
        pyplot.close("all")


def test_pages_have_code() -> None:
    """Guards `test_page`: a pattern that matched nothing would pass it."""
    found = {page.name: list(blocks(page)) for page in PAGES}
    without = {"index.md", "api.md", "algorithms.md", "cli.md"}
    assert without <= set(found)
    for name in set(found) - without:
        assert any(expected for _, expected in found[name]), name
    for page in PAGES:
        assert len(found[page.name]) == page.read_text().count("```python"), page.name


def test_the_readme_example_is_ten_lines() -> None:
    code, _ = next(blocks(ROOT / "README.md"))
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 10


@pytest.mark.complete
@pytest.mark.parametrize("name", MODULES)
def test_doctests(name: str) -> None:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert not failed, out.getvalue()


@pytest.mark.parametrize("name", sorted(set(costboost.__all__) - {"__version__"}))
def test_public_names_have_examples(name: str) -> None:
    found = doctest.DocTestFinder(recurse=False).find(getattr(costboost, name), name)
    assert any(test.examples for test in found)
