"""The commands of the README run one after the other, with what its install line brings."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from cli.running import Run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def commands() -> list[list[str]]:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    lines = "".join(blocks).replace("\\\n", " ").splitlines()
    return [shlex.split(line)[1:] for line in lines if line.startswith("costboost ")]


def test_every_file_of_the_examples_is_made_by_them(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COSTBOOST_DATA", raising=False)
    assert len(commands()) >= 2
    (script,) = re.findall(r"^python (examples/\S+) payments.csv$", README, re.MULTILINE)
    subprocess.run([sys.executable, ROOT / script, "payments.csv"], check=True)
    for words in commands():
        *words, redirected, target = words if ">" in words else [*words, ">", "/dev/null"]
        assert redirected == ">"
        done = run(*words)
        assert done.code == 0, done.err
        Path(target).write_text(done.out)
    assert (tmp_path / "decisions.csv").read_text().count("\n") == 12_001


def brought_by(extra: str) -> set[str]:
    """The packages of an extra, those of the extras that it names included."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found: set[str] = set()
    for one in project["optional-dependencies"][extra]:
        several = re.fullmatch(r"costboost\[(.*)\]", one)
        if several:
            found = found.union(*map(brought_by, several[1].split(",")))
        else:
            found.add(re.split(r"[<>=]", one)[0])
    return found


def test_the_install_line_brings_all_that_is_used() -> None:
    (extra,) = re.findall(r"^pip install \"\.\[(\w+)\]\"$", README, re.MULTILINE)
    parts = ("cli", "plots", "datasets", "dask", "onnx")
    assert brought_by(extra) == set().union(*map(brought_by, parts))
    assert {"typer", "pandas", "matplotlib"} <= brought_by(extra)
