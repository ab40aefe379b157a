"""Runs that are interrupted in every way, and completed to the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import tiny_study
from tiny_study import OBSTACLE, PAUSE, STUDY

from costboost_lab.studies import Options, run
from costboost_lab.studies.runner import KILLED, Journal, Progress, Times, run_cells, seed_of

CELLS = STUDY.cells(Options())
NAMES = ("results.parquet", "results.csv")
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def files(out: Path) -> list[bytes]:
    return [(out / "tiny" / name).read_bytes() for name in NAMES]


def start(out: Path, n_jobs: int, **environment: str) -> subprocess.Popen[bytes]:
    """Run the study in a process group of its own."""
    return subprocess.Popen(
        [sys.executable, tiny_study.__file__, str(out), str(n_jobs)],
        env=os.environ | environment,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def wait_for_cells(out: Path, n: int, process: subprocess.Popen[bytes]) -> None:
    journal = out / "tiny" / "journal.jsonl"
    while process.poll() is None:
        if journal.exists() and journal.read_bytes().count(b"\n") > n:
            return
        time.sleep(0.01)


@pytest.fixture(scope="module")
def complete(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that was not interrupted, in one process."""
    out = tmp_path_factory.mktemp("complete")
    run(STUDY, out=out, n_jobs=1)
    return out


# ---- results -------------------------------------------------------------------------------------


def test_results_are_in_the_order_of_the_grid(complete: Path) -> None:
    frame = pd.read_parquet(complete / "tiny" / "results.parquet")
    assert list(frame.columns) == [
        *("data", "method", "repeat", "ratio", "loss", "stopped", "odd", "seed", "versions")
    ]
    order = frame[["data", "method", "repeat"]].drop_duplicates().to_dict("records")
    assert order == CELLS
    assert frame["versions"].str.contains("costboost .*numpy .*scikit-learn .*Python").all()
    times = pd.read_csv(complete / "tiny" / "times.csv")
    assert len(times) == len(CELLS)
    assert {"seconds", "finished", "process"} <= set(times.columns)


def test_methods_have_the_same_seeds() -> None:
    seeds = {(cell["method"], cell["repeat"]): seed_of(STUDY, cell) for cell in CELLS}
    assert all(seeds["careful", k] == seeds["careless", k] for k in range(6))
    assert len(set(seeds.values())) == 6
    assert all(0 <= seed < 2**32 for seed in seeds.values())
    assert seeds["careful", 0] == 2655302980, "results of earlier runs depend on the seeds"


def test_another_run_computes_only_what_is_missing(complete: Path, tmp_path: Path) -> None:
    states: list[Progress] = []
    run(STUDY, out=tmp_path, n_jobs=1, repeats=2)
    run(STUDY, out=tmp_path, n_jobs=1, on_progress=states.append)
    assert [state.done for state in states] == list(range(4, 13))
    assert files(tmp_path) == files(complete)


def test_fewer_cells_leave_the_others_in_the_journal(complete: Path, tmp_path: Path) -> None:
    run(STUDY, out=tmp_path, n_jobs=1)
    assert len(run(STUDY, out=tmp_path, n_jobs=1, repeats=1).frame) == 4
    states: list[Progress] = []
    run(STUDY, out=tmp_path, n_jobs=1, on_progress=states.append)
    assert [state.done for state in states] == [12]
    assert files(tmp_path) == files(complete)


def test_executor_of_the_caller(complete: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as executor:
        run(STUDY, out=tmp_path, executor=executor)
    assert files(tmp_path) == files(complete)


def test_an_executor_that_loses_a_cell_fails_only_that_cell(tmp_path: Path) -> None:
    class Losing(ThreadPoolExecutor):
        def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
            if args[1] == CELLS[3]:
                return super().submit(lost)
            return super().submit(fn, *args, **kwargs)

    def lost() -> None:
        raise OSError("the worker is gone")

    with Losing(2) as executor:
        done = run(STUDY, out=tmp_path, executor=executor)
    assert [one.message for one in done.failures] == ["OSError: the worker is gone"]
    assert len(done.frame) == 2 * (len(CELLS) - 1)


def test_cells_of_other_versions_are_kept_with_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("costboost_lab.studies.runner.versions", lambda: "costboost 0.0.1")
        run(STUDY, out=tmp_path, n_jobs=1, repeats=1)
    notes: list[str] = []
    done = run(STUDY, out=tmp_path, n_jobs=1, on_note=notes.append)
    assert "some cells were computed with costboost 0.0.1" in notes[0]
    assert list(done.notes) == notes
    assert (done.frame["versions"] == "costboost 0.0.1").sum() == 4
    fresh = run(STUDY, out=tmp_path, n_jobs=1, fresh=True)
    assert not fresh.notes
    assert fresh.frame["versions"].nunique() == 1


def test_a_cell_twice_is_refused(tmp_path: Path) -> None:
    with (
        Journal(tmp_path, "tiny").opened() as journal,
        pytest.raises(ValueError, match=r"the grid of tiny has the cell .* twice"),
    ):
        run_cells(STUDY, [CELLS[0], CELLS[0]], journal)


def test_time_left_is_that_of_cells_of_the_same_kind() -> None:
    grid = [{"method": m, "repeat": k} for m in ("slow", "fast") for k in range(3)]
    times = Times(grid, [])
    assert times.left() is None
    times.finish(grid[0], 10.0)
    assert times.left() == pytest.approx(50.0)
    times.finish(grid[3], 1.0)
    assert times.left() == pytest.approx(2 * 10.0 + 2 * 1.0)
    times.finish(grid[1], None)
    assert times.left() == pytest.approx(10.0 + 2 * 1.0)


# ---- failures ------------------------------------------------------------------------------------


def test_others_go_on_when_a_cell_fails(
    complete: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(OBSTACLE, "fail")
    done = run(STUDY, out=tmp_path, n_jobs=1)
    (failure,) = done.failures
    assert failure.cell == {"data": "drawn", "method": "careless", "repeat": 1}
    assert str(failure).endswith("repeat 1: ValueError: this cell <fails>")
    assert len(done.frame) == 2 * (len(CELLS) - 1)
    monkeypatch.delenv(OBSTACLE)
    assert not run(STUDY, out=tmp_path, n_jobs=1).failures
    assert files(tmp_path) == files(complete)


@posix_only
def test_a_worker_that_is_killed_costs_one_cell(
    complete: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setenv(OBSTACLE, "kill")
        done = run(STUDY, out=tmp_path, n_jobs=2)
    assert [failure.message for failure in done.failures] == [KILLED]
    assert len(done.frame) == 2 * (len(CELLS) - 1)
    assert not run(STUDY, out=tmp_path, n_jobs=1).failures
    assert files(tmp_path) == files(complete)


# ---- signals -------------------------------------------------------------------------------------


@pytest.mark.slow
@posix_only
def test_sigkill_at_random_moments_changes_nothing(complete: Path, tmp_path: Path) -> None:
    moments = random.Random(3)
    for n in (0, 4, 8):
        process = start(tmp_path, 2, **{PAUSE: "0.05"})
        wait_for_cells(tmp_path, n, process)
        time.sleep(moments.uniform(0, 0.1))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    assert run(STUDY, out=tmp_path, n_jobs=1).frame.shape[0] == 24
    assert files(tmp_path) == files(complete)


def children(pid: int) -> list[int]:
    listed = subprocess.run(
        ["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True
    )
    return [int(word) for word in listed.stdout.split()]


def is_running(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True)
    return state.stdout.strip() not in ("", "Z")


def all_gone(pids: list[int], seconds: float) -> bool:
    end = time.monotonic() + seconds
    while any(map(is_running, pids)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(is_running, pids))


@pytest.mark.slow
@posix_only
@pytest.mark.parametrize(("n_children", "pause"), [(1, 0.0), (3, 0.0), (4, 0.5)])
def test_ctrl_c_ends_the_run_and_its_workers(
    complete: Path, tmp_path: Path, n_children: int, pause: float
) -> None:
    """Assert it while the workers start, and when they compute.

    There are two workers, and two processes that track semaphores.
    """
    process = start(tmp_path, 2, **{PAUSE: "30"})
    while len(workers := children(process.pid)) < n_children:
        time.sleep(0.01)
    time.sleep(pause)
    begun = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert time.monotonic() - begun < 5
    assert process.returncode != 0
    assert errors.count(b"Traceback") == 1, errors.decode()
    assert all_gone(workers, 5)
    run(STUDY, out=tmp_path, n_jobs=1)
    assert files(tmp_path) == files(complete)


@posix_only
def test_workers_end_when_the_driver_is_killed(tmp_path: Path) -> None:
    process = start(tmp_path, 2, **{PAUSE: "0.2"})
    wait_for_cells(tmp_path, 1, process)
    workers = children(process.pid)
    assert len(workers) >= 2
    process.kill()
    process.communicate()
    assert all_gone(workers, 10)


@posix_only
def test_two_runs_in_one_folder_are_refused(tmp_path: Path) -> None:
    process = start(tmp_path, 1, **{PAUSE: "0.5"})
    wait_for_cells(tmp_path, 0, process)
    with pytest.raises(ValueError, match=rf"another run \(process {process.pid}\) is writing to"):
        run(STUDY, out=tmp_path, n_jobs=1)
    process.kill()
    process.communicate()
    run(STUDY, out=tmp_path, n_jobs=1)


# ---- data and options ----------------------------------------------------------------------------


def test_sets_that_cannot_be_had_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("COSTBOOST_DATA", raising=False)
    monkeypatch.setenv("COSTBOOST_CACHE", str(tmp_path / "cache"))
    notes: list[str] = []
    study = tiny_study.WITH_DATA
    done = run(study, out=tmp_path, n_jobs=1, repeats=1, download=False, on_note=notes.append)
    assert set(done.frame["data"]) == {"wdbc"}
    assert notes == ["the data set kddcup98 is left out: it is not on this machine"]
    with pytest.raises(ValueError, match="none of the data sets of tiny can be had"):
        run(study, out=tmp_path, n_jobs=1, data=["kddcup98"], download=False)
    assert set(run(study, out=tmp_path, n_jobs=1, quick=True).frame["data"]) == {"wdbc"}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "none"}, "there is no study 'none'"),
        ({"repeats": 0}, "the number of repeats must be at least 1"),
        ({"learner": "forest"}, "tiny offers one of stump, tree as learner, not 'forest'"),
        ({"folder": "."}, "tiny takes no folder of data"),
        ({"data": ["moon"]}, "tiny has no data set 'moon'; it has none: it draws its data"),
        ({"n_jobs": 0}, "the number of processes must be at least 1"),
    ],
)
def test_wrong_options(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        run(options.pop("name", STUDY), out=tmp_path, **options)
