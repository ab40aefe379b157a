"""Studies on a Dask cluster: the files of a run on one machine, whatever is lost."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import tiny_study
from tiny_study import PAUSE, STARTED, STUDY
from typer.testing import CliRunner

from costboost._core.backends.dask import connecting
from costboost.app.cli.commands import app
from costboost_lab import studies
from costboost_lab.studies import run

pytest.importorskip("distributed")
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")

NAMES = ("results.parquet", "results.csv")
CLUSTER = """
import sys
from distributed import LocalCluster

if __name__ == "__main__":
    options = {"protocol": "tcp", "processes": False, "dashboard_address": ":0"}
    with LocalCluster(1, threads_per_worker=40, **options) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""
"""Program with a scheduler and a worker of several threads, which ends when its input does."""


def files(out: Path) -> list[bytes]:
    return [(out / "tiny" / name).read_bytes() for name in NAMES]


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in one process."""
    out = tmp_path_factory.mktemp("complete")
    run(STUDY, out=out, n_jobs=1)
    return out


@pytest.fixture
def paused(client: Any) -> Iterator[None]:
    """Let cells take half a second on the workers."""
    client.run(os.environ.__setitem__, PAUSE, "0.5")
    yield
    client.run(os.environ.pop, PAUSE, None)


def start(out: Path, place: str, started: Path) -> subprocess.Popen[bytes]:
    """Run the study in a process group of its own; return when a cell is computed."""
    started.unlink(missing_ok=True)
    process = subprocess.Popen(
        [sys.executable, tiny_study.__file__, str(out), place],
        env=os.environ | {PAUSE: "30", STARTED: str(started)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    while not started.exists() and process.poll() is None:
        time.sleep(0.02)
    return process


def wait_for_lines(out: Path, n: int) -> None:
    journal = out / "tiny" / "journal.jsonl"
    while not journal.exists() or journal.read_bytes().count(b"\n") < n:
        time.sleep(0.02)


def test_files_are_those_of_one_machine(cluster: Any, complete: Path, tmp_path: Path) -> None:
    done = run(STUDY, out=tmp_path, scheduler=cluster.scheduler_address)
    assert done.n_jobs == 2
    assert not done.failures
    assert files(tmp_path) == files(complete)


def test_command(cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "costboost_lab.studies.tiny", tiny_study)
    monkeypatch.setattr(studies, "MODULES", {"tiny": "tiny"})
    words = ["study", "tiny", "--quick", "--out", str(tmp_path)]
    done = CliRunner().invoke(app, [*words, "--scheduler", cluster.scheduler_address])
    assert done.exit_code == 0, done.output
    assert "Of 2 claims" in done.stdout
    done = CliRunner().invoke(app, [*words, "--workers", "2", "--jobs", "2"])
    assert done.exit_code == 1
    assert "error: give only one of n_jobs (--jobs), executor, scheduler and workers" in done.stderr


@posix_only
@pytest.mark.usefixtures("paused")
def test_a_killed_worker_loses_nothing(client: Any, complete: Path, tmp_path: Path) -> None:
    victim = next(iter(client.run(os.getpid).values()))

    def kill() -> None:
        wait_for_lines(tmp_path, 3)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    done = run(STUDY, out=tmp_path, scheduler=client.scheduler.address)
    killer.join()
    assert not done.failures
    assert files(tmp_path) == files(complete)
    client.wait_for_workers(2, timeout=30)


# ---- interruptions -------------------------------------------------------------------------------


def children(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True
    )
    return [int(word) for word in listed.stdout.split()]


def is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return state.stdout.strip() not in ("", "Z")


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """File that is made when a cell is started."""
    return tmp_path_factory.mktemp("started") / "cell"


@pytest.fixture(scope="module")
def other(started: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Address and process of a scheduler with workers whose cells take long."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLUSTER],
        env=os.environ | {PAUSE: "30", STARTED: str(started)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    yield process.stdout.readline().split()[0], process
    process.kill()
    process.communicate()


@pytest.mark.slow
@posix_only
@pytest.mark.parametrize("place", ["workers=2", "scheduler"])
def test_ctrl_c(place: str, tmp_path: Path, started: Path, request: pytest.FixtureRequest) -> None:
    if place == "scheduler":
        place = request.getfixturevalue("other")[0]
    process = start(tmp_path, place, started)
    workers = children(process.pid)
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    taken = time.monotonic() - begun
    assert process.returncode != 0
    assert b"KeyboardInterrupt" in errors
    for _ in range(100):  # they end after the command, later on a busy machine
        if not any(map(is_running, workers)):
            break
        time.sleep(0.1)
    assert not any(map(is_running, workers))
    assert taken < 4, errors.decode()


@posix_only
def test_a_lost_scheduler_is_an_error(other: Any, tmp_path: Path, started: Path) -> None:
    address, scheduler = other
    process = start(tmp_path, address, started)
    scheduler.kill()
    _, errors = process.communicate(timeout=30)
    last = errors.decode().strip().splitlines()[-1]
    assert last == f"ConnectionError: the Dask scheduler at {address} is lost"


def test_a_scheduler_that_does_not_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connecting, "CONNECT_SECONDS", 0.2)
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at tcp:"):
        run(STUDY, out=tmp_path, scheduler="tcp://127.0.0.1:9")
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at nonsense"):
        run(STUDY, out=tmp_path, scheduler="nonsense://x")
    with pytest.raises(ValueError, match="the number of workers must be at least 1, got 0"):
        run(STUDY, out=tmp_path, workers=0)


def test_without_dask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r'pip install "costboost\[dask\]"'):
        run(STUDY, out=tmp_path, workers=2)
