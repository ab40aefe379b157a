"""``costboost study``: runs, lists and the register of claims."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tiny_study import OBSTACLE
from typer.testing import CliRunner

from costboost.app.cli import progress
from costboost.app.cli.application import app
from costboost_lab.names import STUDIES
from costboost_lab.studies import find_study, run, running
from costboost_lab.studies.running import load_run

pytestmark = pytest.mark.usefixtures("tiny")


@pytest.fixture(autouse=True)
def nothing_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "SHIPPED", tmp_path / "verdicts.json")


def invoke(*words: object, code: int = 0) -> Any:
    done = CliRunner(env={"COLUMNS": "150"}).invoke(app, ["study", *map(str, words)])
    assert done.exit_code == code, done.output
    return done


def test_a_run_prints_its_verdicts(tmp_path: Path) -> None:
    done = invoke("tiny", "--out", tmp_path, "--jobs", 1)
    assert "Of 2 claims, 2 are reproduced" in done.stdout
    assert "Care helps." in done.stdout
    assert done.stderr == f"page: {tmp_path / 'tiny' / 'tiny.html'}\n"
    quick = invoke("tiny", "--quick", "--out", tmp_path, "--jobs", 1)
    assert "This is a quick run" in quick.stdout
    assert "cannot be judged (quick run)" in quick.stdout


def test_json(tmp_path: Path) -> None:
    done = invoke("tiny", "--quick", "--out", tmp_path, "--jobs", 1, "--json")
    found = json.loads(done.stdout)
    assert found["options"]["quick"] is True
    assert found["verdicts"]["T01"]["interval"] is None


def test_failures_give_exit_code_1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(OBSTACLE, "fail")
    done = invoke("tiny", "--out", tmp_path, "--jobs", 1, code=1)
    assert "repeat 1: ValueError: this cell <fails>" in done.stderr
    assert "error: 1 cell failed; the next run computes them again" in done.stderr
    assert (tmp_path / "tiny" / "results.parquet").exists()


def test_mistakes_are_one_line(tmp_path: Path) -> None:
    assert "did you mean 'tiny'?" in invoke("tinny", code=1).stderr
    done = invoke("tiny", "--out", tmp_path, "--repeats", 0, code=1)
    assert done.stderr == "error: the number of repeats must be at least 1, got 0\n"


def test_list() -> None:
    assert "A tiny study" in invoke().stdout
    assert json.loads(invoke("--json").stdout)[0]["name"] == "tiny"
    assert STUDIES.complete("t") == ["tiny"]


def test_claims_without_results(tmp_path: Path) -> None:
    done = invoke("--claims", "--out", tmp_path)
    assert "3 claims: 2 not run yet, 1 not checked." in done.stdout
    found = json.loads(invoke("--claims", "--json", "--out", tmp_path).stdout)
    assert [one["outcome"] for one in found] == ["not run yet", "not run yet", "not checked"]
    assert found[2]["why_not"] == "no times are printed"


def test_claims_come_from_the_best_source(tmp_path: Path) -> None:
    def outcomes() -> list[str]:
        return [one.outcome for one in running.judged_claims(tmp_path)]

    invoke("tiny", "--quick", "--out", tmp_path, "--jobs", 1)
    assert outcomes() == ["cannot be judged (quick run)", "reproduced (quick run)", "not checked"]
    run("tiny", out=tmp_path / "full", n_jobs=1)
    running.SHIPPED.write_text(
        running.shipped_text([load_run(tmp_path / "full" / "tiny")]), encoding="utf-8"
    )
    assert outcomes() == ["reproduced", "reproduced", "not checked"]
    shown = invoke("--claims", "tiny", "--out", tmp_path).stdout
    assert "2 verdicts from the package (costboost " in shown
    shown = invoke("--claims", "--out", tmp_path / "full").stdout
    assert f"2 verdicts from the results in {tmp_path / 'full' / 'tiny'}." in shown


def test_quick_runs_are_not_shipped(tmp_path: Path) -> None:
    quick = run("tiny", out=tmp_path, n_jobs=1, quick=True)
    assert json.loads(running.shipped_text([quick])) == {}


def test_studies_of_the_catalogue_can_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    from costboost_lab.studies import MODULES, all_claims

    for name in MODULES:
        assert find_study(name).name == name
    names = [claim.name for claim in all_claims()]
    assert len(names) == len(set(names))
    for claim in all_claims():
        assert (claim.check is None) == bool(claim.why_not), claim.name
        assert claim.check is None or claim.study in MODULES, claim.name


# ---- progress ------------------------------------------------------------------------------------


def test_every_claim_has_a_check_or_a_reason() -> None:
    from costboost_lab.studies import read_claims

    with pytest.raises(ValueError, match=r"sun2005 has no check, or no text, for .*'S01'"):
        read_claims("Sun et al. 2005", "sun2005", {})


def test_lines_of_progress(monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    with progress.count_bar("tiny", "cells") as update:
        update(1, 12, 3725.0)
        update(12, 12, 0.0)
    assert capsys.readouterr().err == "tiny: 1/12 cells, 1:02:05 left\ntiny: 12/12 cells\n"


@pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")
def test_bar_on_a_terminal() -> None:
    code = (
        "import time; from costboost.app.cli import progress\n"
        "with progress.count_bar('tiny [x]', 'cells') as update:\n"
        "    update(5, 12, 65.0); time.sleep(0.4)\n"
    )
    main, side = pty.openpty()
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "80"}
    with subprocess.Popen([sys.executable, "-c", code], stderr=side, env=environment):
        os.close(side)
        shown = b""
        while select.select([main], [], [], 20)[0]:
            try:
                part = os.read(main, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
    os.close(main)
    assert b"tiny [x]" in shown
    assert b"5/12 cells, 0:01:05 left" in shown
