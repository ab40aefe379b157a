"""The page of a study, and the files beside it."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
import tiny_study
from tiny_study import OBSTACLE, STUDY

from costboost_lab.studies import CANNOT_BE_JUDGED, Claim, Options, Table, Verdict, run
from costboost_lab.studies.page import QUICK, by_how_much, command, duration, html, png, table_cells
from costboost_lab.studies.running import file_name, judge, load_run

pytestmark = pytest.mark.usefixtures("tiny")
VOID = {"meta", "link", "br", "img", "input"}


class Checked(HTMLParser):
    """Text of the page by the heading it stands under; elements must be closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.parts: dict[str, str] = {"": ""}
        self.identifiers: list[str] = []
        self.links: list[str] = []
        self.heading = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        if tag == "h2":
            self.heading = ""
        found = dict(attrs)
        self.identifiers += [found["id"] or ""] if "id" in found else []
        names = ("src", "href", "xlink:href")
        self.links += [found[name] or "" for name in names if name in found]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] == "h2":
            self.heading = data
        if "style" not in self.open:
            self.parts[self.heading] = self.parts.get(self.heading, "") + data + "\n"


def parsed(text: str) -> Checked:
    checked = Checked()
    checked.feed(text)
    assert not checked.open
    return checked


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Checked:
    monkeypatch.setenv(OBSTACLE, "fail")
    run("tiny", out=tmp_path, n_jobs=1)
    return parsed((tmp_path / "tiny" / "tiny.html").read_text())


def test_page_has_all_parts(page: Checked) -> None:
    parts = page.parts
    assert "Does care help?" in parts[""]
    assert "Of 2 claims, 2 are reproduced, 0 are not reproduced" in parts[""]
    assert "Nobody 2026" in parts[""]
    assert "1 cell failed" in parts[""]
    assert "Draw a loss." in parts["What was done"]
    assert "There is no paper." in parts["Where it departs from the paper"]
    assert "Lower is better & <exact>." in parts["Tables"]
    assert "0.250" in parts["Tables"]
    assert "ratio 1 (paper)" in parts["Tables"]
    assert "Each point is a repeat." in parts["Figures"]
    assert "repeat 1: ValueError: this cell <fails>" in parts["What is missing"]
    origin = parts["How these results were computed"]
    assert "costboost study tiny" in origin
    assert re.search(r"costboost \d.*scikit-learn \d", origin)
    assert re.search(r"\d+ cores?, ", origin)


def test_verdicts_have_their_evidence(page: Checked) -> None:
    verdicts = page.parts["Verdicts"]
    for text in ("T01", "Care helps.", "Nobody 2026, Table 1; ordinal", "1 against 1"):
        assert text in verdicts
    assert "positive for 5 of 5 repeats" in verdicts
    assert re.search(r"\+0\.5\d*, 95% interval \+0\.5\d* to \+0\.5", verdicts)
    assert "T03" not in verdicts


def test_page_loads_nothing_and_has_no_identifier_twice(page: Checked) -> None:
    assert all(link.startswith(("#", "data:")) for link in page.links)
    assert len(page.identifiers) == len(set(page.identifiers))
    within = [link[1:] for link in page.links if link.startswith("#")]
    assert set(within) <= set(page.identifiers)


def test_quick_runs_are_marked(tmp_path: Path) -> None:
    done = run("tiny", out=tmp_path, n_jobs=1, quick=True)
    assert done.folder == tmp_path / "tiny-quick"
    page = parsed(html(done))
    assert QUICK in page.parts[""]
    assert "reproduced (quick run)" in page.parts["Verdicts"]
    assert "cannot be judged (quick run)" in page.parts["Verdicts"]
    assert "needs at least 3 repeats, has 2" in page.parts["Verdicts"]
    assert "costboost study tiny --quick" in page.parts["How these results were computed"]


def test_a_run_without_results_has_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OBSTACLE, "fail")
    monkeypatch.setattr(tiny_study, "METHODS", ("careless",))
    monkeypatch.setattr(tiny_study, "cells", STUDY.cells)
    one = [{"data": "drawn", "method": "careless", "repeat": 1}]
    monkeypatch.setattr(tiny_study, "STUDY", tiny_study.replace(STUDY, cells=lambda options: one))
    done = run("tiny", out=tmp_path, n_jobs=1)
    assert done.frame.empty
    assert len(done.failures) == 1
    page = parsed(html(done))
    assert "Tables" not in page.parts
    assert "cannot be judged" in page.parts["Verdicts"]


def test_files_are_reproducible_and_can_be_loaded(tmp_path: Path) -> None:
    done = run("tiny", out=tmp_path, n_jobs=1)
    names = {path.relative_to(done.folder).as_posix() for path in done.paths}
    assert names == {
        *("results.parquet", "results.csv", "times.parquet", "times.csv", "run.json", "tiny.html"),
        *("tables/1-loss-by-method.csv", "figures/1-loss-and-ratio.svg"),
    }
    before = {path: path.read_bytes() for path in done.paths}
    again = run("tiny", out=tmp_path, n_jobs=1)
    assert {path: path.read_bytes() for path in again.paths} == before
    loaded = load_run(done.folder)
    pd.testing.assert_frame_equal(loaded.frame, done.frame)
    assert loaded.verdicts == done.verdicts
    assert html(loaded) == html(done)
    kept = json.loads((done.folder / "run.json").read_text())
    assert kept["verdicts"]["T01"]["outcome"] == "reproduced"


def test_a_check_that_raises_does_not_prevent_the_page() -> None:
    def check(frame: pd.DataFrame) -> Verdict:
        raise KeyError("no such column")

    claim = Claim("T09", "Nobody", "p. 1", "ordinal", "x", "tiny", check)
    verdict = judge(claim, pd.DataFrame())
    assert verdict.outcome == CANNOT_BE_JUDGED
    assert "KeyError" in verdict.reason


def test_png(tmp_path: Path) -> None:
    done = run("tiny", out=tmp_path, n_jobs=1)
    assert png(done.figures[0]).startswith(b"\x89PNG")


# ---- words ---------------------------------------------------------------------------------------


def test_cells_of_a_table() -> None:
    index = pd.MultiIndex.from_tuples([("a", 1), ("b", 2)], names=["data", "ratio"])
    columns = pd.MultiIndex.from_tuples([("loss", "ours"), ("loss", "(paper)")])
    frame = pd.DataFrame([[0.12345, None], [-1.0, 1234.5]], index=index, columns=columns)
    head, rows = table_cells(Table("x", frame, digits=2))
    assert head == ["data", "ratio", "loss ours", "loss (paper)"]
    assert rows == [["a", "1", "0.12", "–"], ["b", "2", "−1.00", "1,234.50"]]


def test_command_repeats_the_run() -> None:
    options = Options(True, 3, ("a", "b"), "tree", Path("my faces"))
    assert command("sun2005", options, ["a"]) == (
        "costboost study sun2005 --quick --data a --repeats 3 --learner tree --folder 'my faces'"
    )


def test_by_how_much() -> None:
    assert by_how_much(Verdict(CANNOT_BE_JUDGED, "")) == ""
    verdict = Verdict(CANNOT_BE_JUDGED, "", -0.01234, (-0.5, 0.25))
    assert by_how_much(verdict) == "−0.0123, 95% interval −0.5 to +0.25"
    assert by_how_much(Verdict(CANNOT_BE_JUDGED, "", 2.0)) == "+2, without an interval"


def test_durations() -> None:
    assert [duration(s) for s in (1.234, 600, 7200)] == ["1.23 s", "10 min", "2.0 h"]


def test_file_names() -> None:
    assert file_name("Table 1: best F, by ratio (%)") == "table-1-best-f-by-ratio"
