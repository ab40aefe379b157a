"""The code of the documentation is run, and its output is compared with the one shown.

Every ``python`` block of README.md and the guides is executed, the blocks of a page in order and in
one namespace. A ``text`` block right behind one shows what it prints. Doctests are run as well.
"""

from __future__ import annotations

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import sklearn
from matplotlib import pyplot

import costboost

ROOT = Path(__file__).parents[1]
CURRENT = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (1, 9)
"""Whether scikit-learn divides rows, and trains, as when the pages were written."""
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


OTHERS = {"distributed", "onnxruntime", "skl2onnx", "shap", "skops", "costboost_lab"}
OTHERS |= {"lightgbm", "xgboost", "imblearn", "empulse"}
"""Packages of others that pages use; blocks that import a missing one are not run."""


def missing(code: str) -> set[str]:
    imported = re.findall(r"^(?:from|import) (\w+)", code, re.MULTILINE)
    return {name for name in OTHERS.intersection(imported) if find_spec(name) is None}


@pytest.fixture(autouse=True)
def _own_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    with sklearn.config_context():
        yield
    pyplot.close("all")


@pytest.mark.complete
@pytest.mark.filterwarnings("ignore:The set_:PendingDeprecationWarning")  # when shap is imported
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page(page: Path) -> None:
    names: dict[str, Any] = {"__name__": page.stem}
    left_out: set[str] = set()
    for code, expected in blocks(page):
        if missing(code):
            left_out |= missing(code)
            continue
        shown = [] if expected is None else expected.splitlines()
        try:
            found = printed(code, page, names)
            assert found == shown or not CURRENT, code.strip()
        except NameError:  # of a block that was left out
            if not left_out:
                raise
        pyplot.close("all")
    if left_out:
        pytest.skip(f"blocks that need {', '.join(sorted(left_out))}; the others agree")


def test_pages_have_code() -> None:
    """Guards `test_page`: a pattern that matched nothing would pass it."""
    found = {page.name: list(blocks(page)) for page in PAGES}
    without = {"api.md", "algorithms.md", "cli.md", "speed.md"}
    assert without <= set(found)
    for name in set(found) - without:
        assert any(expected for _, expected in found[name]), name
    for page in PAGES:
        assert len(found[page.name]) == page.read_text().count("```python"), page.name


def test_the_readme_is_short() -> None:
    code, _ = next(blocks(ROOT / "README.md"))
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 15
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(page: Path) -> set[str]:
    """Anchors of the headings of a page, as GitHub and MyST make them."""
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.complete
@pytest.mark.parametrize("page", [*PAGES, *ROOT.glob("[CS]*.md")], ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for name, anchor in LINK.findall(page.read_text()):
        target = page.parent / name if name else page
        if name.startswith("generated/"):  # pictures that the build of the site draws
            continue
        assert target.exists(), f"{page.name}: {name}"
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{page.name}: {name}#{anchor}"


def test_every_page_is_in_the_site() -> None:
    trees = "".join(
        tree
        for page in PAGES
        for tree in re.findall(r"^```{toctree}\n(.*?)^```", page.read_text(), re.DOTALL | re.M)
    )
    listed = re.findall(r"^(?:.* <)?([\w/-]+)>?$", trees, re.MULTILINE)
    pages = [page.stem for page in PAGES if page.name not in {"README.md", "index.md"}]
    assert sorted(set(pages) - set(listed)) == []
    assert len(listed) == len(set(listed))


@pytest.mark.complete
@pytest.mark.parametrize("name", MODULES)
def test_doctests(name: str) -> None:
    if name in ("costboost.studies", "costboost.theory"):
        pytest.importorskip("costboost_lab")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert not failed, out.getvalue()


PUBLIC = {
    name: getattr(room, name)
    for room in (costboost, costboost.algorithms)
    for name in room.__all__
    if name != "__version__"
}


@pytest.mark.parametrize("name", PUBLIC)
def test_public_names_have_examples(name: str) -> None:
    found = doctest.DocTestFinder(recurse=False).find(PUBLIC[name], name)
    assert any(test.examples for test in found)
