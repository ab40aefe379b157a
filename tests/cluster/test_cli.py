"""``fit`` and ``predict`` on a cluster: the files are those of the local commands."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from cli.running import Ran, Run, failed, table, to_csv
from pyarrow import parquet
from typer.testing import CliRunner

from costboost.app.cli.commands import app

pytest.importorskip("distributed")

TARGET = ["-t", "default", "--positive", "yes", "--fn-cost", "5", "--drop", "id"]
TARGET += ["--categorical", "zip", "-a", "adamec", "--rounds", "10"]


@pytest.fixture
def run() -> Run:
    """Run a command in this process."""

    def call(*words: object, stdin: bytes | None = None) -> Ran:
        result = CliRunner(env={"COLUMNS": "100"}).invoke(app, list(map(str, words)), input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Ran(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture(scope="module")
def rows() -> pa.Table:
    """Rows with numbers, text, dates, missing values, costs and a class of three."""
    found = table(600)
    found["default"] = [None if k % 31 == 0 else one for k, one in enumerate(found["default"])]
    kind = np.random.default_rng(1).choice(["a", "b", "c"], 600)
    income = np.array([one or 0 for one in found["income"]], dtype=float)
    whole = pa.table(found | {"kind": np.where(income > 55, "c", kind)})
    day = whole.column("day").cast(pa.date32())
    return whole.set_column(whole.column_names.index("day"), "day", day)


@pytest.fixture(scope="module")
def one_file(tmp_path_factory: pytest.TempPathFactory, rows: pa.Table) -> Path:
    path = tmp_path_factory.mktemp("one") / "loans.parquet"
    parquet.write_table(rows, path, row_group_size=150)
    return path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, rows: pa.Table) -> Path:
    """Files of unequal length, one of them without rows, and one of two row groups."""
    path = tmp_path_factory.mktemp("many")
    ends = [0, 40, 40, 300, 301, 600]
    for k, (begin, end) in enumerate(pairwise(ends)):
        part = rows.slice(begin, end - begin)
        parquet.write_table(part, path / f"part-{9 + k}.parquet", row_group_size=200)
    (path / "_SUCCESS").write_text("")
    return path


def fitted(run: Run, data: object, out: Path, *words: object) -> tuple[bytes, str]:
    """The model file, and what was printed."""
    done = run("fit", data, *words, "--out", out)
    assert done.code == 0, (done.out, done.err)
    return out.read_bytes(), done.out


def address(cluster: Any) -> list[str]:
    return ["--scheduler", cluster.scheduler_address]


# ---- fit -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        [*TARGET, "--drop", "kind", "--drop", "amount"],
        [*TARGET, "--drop", "kind", "--fn-cost", "amount", "--refit"],
        ["-t", "kind", "--drop", "id,default", "-a", "logitboost", "--rounds", "5"],
        ["-t", "kind", "--positive", "c", "--drop", "id,default", "-a", "cgada", "--rounds", "5"],
    ],
    ids=["two classes", "costs of rows", "three classes", "one against the rest"],
)
def test_models_and_figures_are_those_of_the_local_command(
    run: Run, cluster: Any, one_file: Path, folder: Path, tmp_path: Path, words: list[str]
) -> None:
    model, printed = fitted(run, one_file, tmp_path / "local", *words)
    many = fitted(run, f"{folder}/*.parquet", tmp_path / "many", *words, *address(cluster))
    assert many == (model, printed)


def test_a_folder_one_file_and_a_url_are_read(
    run: Run, cluster: Any, one_file: Path, folder: Path, tmp_path: Path
) -> None:
    words = [*TARGET, "--drop", "kind"]
    model, printed = fitted(run, one_file, tmp_path / "local", *words)
    for k, data in enumerate((folder, one_file, f"file://{folder}/*.parquet")):
        assert fitted(run, data, tmp_path / str(k), *words, *address(cluster)) == (model, printed)


def test_types_of_text_files_fit_all_values(
    run: Run, cluster: Any, tmp_path: Path, rows: pa.Table
) -> None:
    """A column may look like whole numbers, like dates or empty in some of the files only."""
    columns = rows.slice(0, 400).to_pydict()
    columns["mixed"] = [str(k) if k < 250 else f"x{k % 3}" for k in range(400)]
    columns["rare"] = [None if k < 250 else k % 5 + 0.5 for k in range(400)]
    columns["since"] = [f"2024-01-{k % 28 + 1:02d}" + " 10:00" * (k >= 250) for k in range(400)]
    (tmp_path / "all.csv").write_text(to_csv(columns))
    for name, part in (("a-2", slice(0, 250)), ("a-10", slice(250, 400))):
        part_columns = {key: values[part] for key, values in columns.items()}
        (tmp_path / f"{name}.csv").write_text(to_csv(part_columns))
    words = [*TARGET, "--drop", "kind"]
    local = fitted(run, tmp_path / "all.csv", tmp_path / "local", *words)
    found = fitted(run, tmp_path / "a-*.csv", tmp_path / "many", *words, *address(cluster))
    assert found == local


def test_rows_to_measure_with_are_read_on_the_cluster(
    run: Run, cluster: Any, one_file: Path, folder: Path, tmp_path: Path
) -> None:
    words = [*TARGET, "--drop", "kind", "--json", "--test", one_file]
    done = run("fit", folder, *words, *address(cluster))
    assert done.code == 0, done.err
    found = json.loads(done.out)["held_out"]
    assert found == json.loads(run("fit", one_file, *words).out)["held_out"]
    assert found["seen_in_training"]


# ---- predict -------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["--json"], ["--fp-cost", "amount", "--keep", "id"]])
def test_predictions_are_those_of_the_local_command(
    run: Run, cluster: Any, one_file: Path, folder: Path, tmp_path: Path, words: list[str]
) -> None:
    model = tmp_path / "model"
    fitted(run, one_file, model, *TARGET, "--drop", "kind")
    words = [*words, "--keep", "zip,amount"]
    local = run("predict", model, one_file, *words)
    assert local.code == 0
    assert local.out.count("\n") >= 600
    many = run("predict", model, folder, *words, *address(cluster))
    assert (many.code, many.out) == (0, local.out), many.err
    assert many.err == local.err
    out = tmp_path / "predictions"
    done = run("predict", model, folder, *words, *address(cluster), "--out", out)
    assert out.read_text() == local.out
    assert "600 predictions" in done.err


# ---- errors --------------------------------------------------------------------------------------


def test_mistakes_are_one_line(run: Run, cluster: Any, folder: Path, tmp_path: Path) -> None:
    def message(data: object, *words: object) -> str:
        return failed(run, "fit", data, *words)

    where = address(cluster)
    assert "no column 'defaul'" in message(folder, "-t", "defaul", *where)
    assert "standard input" in message("-", "-t", "a", *where)
    assert "no files" in message(tmp_path / "*.parquet", "-t", "a", *where)
    assert "no such file" in message(tmp_path / "rows.parquet", "-t", "a", *where)
    assert "not both" in message(folder, "-t", "default", *where, "--workers", "2")
    assert "--report needs" in message(folder, "-t", "default", *where, "--report", "a.html")
    (tmp_path / "year=2024").mkdir()
    parquet.write_table(pa.table({"a": [1]}), tmp_path / "year=2024" / "rows.parquet")
    assert "'year=2024'" in message(tmp_path, "-t", "a", *where)
    parquet.write_table(pa.table({"b": [1]}), tmp_path / "year=2024" / "other.parquet")
    assert "has no column 'b'" in message(tmp_path / "*/*.parquet", "-t", "b", *where)


def test_an_unreachable_scheduler_is_one_line(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("costboost._core.backends.dask.connecting.CONNECT_SECONDS", 0.5)
    for wrong in ("tcp://127.0.0.1:9", "nonsense://127.0.0.1:9"):
        found = failed(run, "fit", folder, "-t", "default", "--scheduler", wrong)
        assert "no Dask scheduler answers" in found


SHORT_LIVED = """
import os, time, distributed
if __name__ == "__main__":
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0"
    )
    print(cluster.scheduler_address, flush=True)
    while not any("Actor" in str(key) for key in list(cluster.scheduler.tasks)):
        time.sleep(0.1)
    time.sleep(1)
    os._exit(0)
"""
"""A scheduler that ends when a fit has begun."""


@pytest.mark.slow
def test_a_lost_scheduler_is_one_line(run: Run, folder: Path, tmp_path: Path) -> None:
    script = tmp_path / "short_lived.py"
    script.write_text(SHORT_LIVED)
    with started([sys.executable, str(script)]) as server:
        assert server.stdout is not None
        where = server.stdout.readline().decode().strip()
        words = [*TARGET, "-a", "adaboost", "--rounds", "1000000", "--scheduler", where]
        found = failed(run, "fit", folder, *words)
    assert "connection to the Dask scheduler is lost" in found


def costboost(*words: object) -> list[str]:
    return [sys.executable, "-m", "costboost", *map(str, words)]


def started(words: list[str], **options: Any) -> subprocess.Popen[bytes]:
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


@pytest.mark.slow
def test_workers_end_with_the_command(folder: Path) -> None:
    words = ["fit", folder, *TARGET, "-a", "adaboost", "--rounds", "1000000", "--workers", "2"]
    with started(costboost(*words), start_new_session=True) as process:
        wait_until(lambda: len(workers_of(process.pid)) >= 2, 60)
        time.sleep(2)
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert err.decode().splitlines()[-1].startswith("error: interrupted")
    assert b"Traceback" not in err
    wait_until(lambda: not workers_of(process.pid), 10)


def workers_of(group: int) -> list[int]:
    """Other processes of a process group."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z" and int(path.parent.name) != group:
            found.append(int(path.parent.name))
    return found


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.1)
