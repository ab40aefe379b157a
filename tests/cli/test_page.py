"""docs/cli.md shows what the commands print, and the demo ends with a report."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generator() -> Any:
    pytest.importorskip("costboost_lab")
    spec = importlib.util.spec_from_file_location("docs_cli", ROOT / "docs" / "cli.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.skipif(
    tuple(map(int, version("rich").split(".")[:2])) < (14, 3), reason="sets tables otherwise"
)
def test_the_page_is_up_to_date(generator: Any) -> None:
    """Runs every example."""
    assert generator.PAGE.read_text() == generator.page(), "run: python docs/cli.py"


def test_the_page_has_examples_of_success_and_failure(generator: Any) -> None:
    text = generator.PAGE.read_text()
    blocks = generator.BLOCK.findall(text)
    assert len(re.findall(r"^\$ costboost", "".join(blocks), re.MULTILINE)) > 8
    assert "Savings: " in text
    assert "error: there is no column" in text


def test_every_command_is_listed(generator: Any) -> None:
    listed = re.findall(r"^### `costboost (\w+)`", generator.commands(), re.MULTILINE)
    own = [command.name for command in generator.COMMANDS]
    assert listed == [*own, "audit", "datasets", "study"]
    assert len(listed) == 12


def test_the_demo(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "demo.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    path = done.stdout.splitlines()[-1].removeprefix("report: ")
    assert (tmp_path / path).read_text().startswith("<!DOCTYPE html>")
