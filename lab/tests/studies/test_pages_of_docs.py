"""docs/studies.py writes pages from full results."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pages import script

from costboost_lab.studies import run, running

pytestmark = pytest.mark.usefixtures("tiny")
generator = script("studies")


@pytest.fixture
def docs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Pages that were written from a full run."""
    monkeypatch.setattr(running, "SHIPPED", tmp_path / "verdicts.json")
    run("tiny", out=tmp_path, n_jobs=1)
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "studies.md").write_text(f"before\n{generator.BEGIN}\n{generator.END}\nafter\n")
    assert generator.write(tmp_path, docs) == ["tiny"]
    return docs


def test_page_of_a_study(docs: Path) -> None:
    text = (docs / "studies" / "tiny.md").read_text()
    assert text.startswith("# A tiny study\n\nDoes care help?\n")
    assert "| T01 | **reproduced** | Care helps. (Table 1) |" in text
    assert "| method | ratio 1 | ratio 10 | ratio 1 (paper) |\n| --- | --: | --: | --: |" in text
    assert "Lower is better & \\<exact\\>." in text
    image = "images/tiny-1-loss-and-ratio.png"
    assert f"![Loss and ratio]({image})" in text
    assert (docs / "studies" / image).read_bytes().startswith(b"\x89PNG")
    assert "```sh\ncostboost study tiny\n```" in text


def test_page_of_the_claims(docs: Path) -> None:
    text = (docs / "studies" / "claims.md").read_text()
    assert text.startswith("# What 2 claims are worth\n")
    assert "| Nobody 2026 | 2 | 0 | 0 | 1 | 3 |" in text
    assert "**Reproduced:**\n\n- Care helps. (T01)\n" in text


def test_page_of_the_evidence(docs: Path) -> None:
    text = (docs / "studies" / "register.md").read_text()
    assert "| T01 | **reproduced** | Care helps. (Table 1) |" in text
    assert "| T03 | Nobody 2026, p. 3 | It is fast. | no times are printed |" in text


def test_contents_and_verdicts_of_the_package(docs: Path) -> None:
    text = (docs / "studies.md").read_text()
    assert "studies/claims\nstudies/register\nstudies/tiny\n" in text
    assert text.startswith("before\n")
    assert text.endswith("\nafter\n")
    shipped = json.loads(running.SHIPPED.read_text())
    assert shipped["tiny"]["verdicts"]["T01"]["outcome"] == "reproduced"
    assert shipped["tiny"]["date"]


def test_markdown_is_escaped() -> None:
    assert generator.plain("a_b | $5\n<x> *y*") == r"a\_b \| \$5 \<x\> \*y\*"


def test_the_introduction_has_a_place_for_the_pages() -> None:
    text = (generator.DOCS / "studies.md").read_text()
    assert text.count(generator.BEGIN) == text.count(generator.END) == 1
