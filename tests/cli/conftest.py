"""A file, a model and a way to run the command line as a program would."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from cli.running import Ran, Run, table, to_csv
from typer.testing import CliRunner

from costboost.app.cli.commands import app


@pytest.fixture
def run() -> Run:
    """Run a command in this process; anything but an exit code is an error of ours."""

    def call(*words: object, stdin: bytes | None = None) -> Ran:
        result = CliRunner(env={"COLUMNS": "100"}).invoke(app, list(map(str, words)), input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def start() -> Callable[..., subprocess.Popen[bytes]]:
    """Start the command line as a process of its own."""

    def popen(*words: object, **options: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-m", "costboost", *map(str, words)],
            stderr=subprocess.PIPE,
            env=os.environ | {"COLUMNS": "100"},
            **options,
        )

    return popen


@pytest.fixture(scope="session")
def rows() -> dict[str, list[object]]:
    return table()


@pytest.fixture(scope="session")
def loans(tmp_path_factory: pytest.TempPathFactory, rows: dict[str, list[object]]) -> Path:
    """A CSV file."""
    path = tmp_path_factory.mktemp("data") / "loans.csv"
    path.write_text(to_csv(rows))
    return path


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory, loans: Path) -> Path:
    """A model trained on it."""
    path = tmp_path_factory.mktemp("model") / "loans.costboost"
    words = ["fit", loans, "-t", "default", "--positive", "yes", "--fn-cost", "5", "--drop", "id"]
    words += ["--drop", "amount", "--categorical", "zip", "-a", "adamec", "--rounds", "20"]
    done = CliRunner().invoke(app, [*map(str, words), "--out", str(path)])
    assert done.exit_code == 0, done.stderr
    return path
