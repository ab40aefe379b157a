"""Workers that die during a fit are replaced, and the model is the same; nothing hangs or leaks."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Timer
from time import monotonic, sleep
from typing import Any

import numpy as np
import pytest

from costboost import algorithms as cb
from costboost._core.backends.dask.matrix import RemoteMatrix
from costboost._core.backends.dask.waiting import ClusterError
from costboost._core.growing.pair_source import PairSource
from costboost._core.loop import listening
from costboost.io import save
from costboost.multiclass import CostingClassifier, GBSEClassifier

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(900, 6))
X[RNG.random(X.shape) < 0.05] = np.nan
Y = (np.nan_to_num(X[:, 0] + X[:, 1]) + RNG.normal(size=900) > 1).astype(int)
CHUNKS = (100, 6)


@contextmanager
def within(seconds: int) -> Iterator[None]:
    """Fail, rather than hang, after so many seconds."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


N_WORKERS = 3
KILLS = int(os.environ.get("COSTBOOST_KILLS", "3"))
"""Rounds after which a worker is killed, one at a time."""


@pytest.fixture
def client() -> Iterator[Any]:
    """A client of three workers, which are started again when they die."""
    with (
        distributed.LocalCluster(
            n_workers=N_WORKERS,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        yield found


def pids(client: Any) -> list[int]:
    """Processes of the workers that are there."""
    found = client.run(os.getpid, on_error="return")
    return [pid for pid in found.values() if isinstance(pid, int)]


def kill(client: Any, n: int = 1) -> None:
    """Kill so many workers, when there are more than that.

    A nanny whose worker dies while it starts gives up, so workers are added where some are missing.
    """
    there = pids(client)
    for k in count(1):
        if len(there) > n:
            break
        sleep(0.1)
        if k % 50 == 0:
            client.cluster.scale(N_WORKERS)
        there = pids(client)
    for pid in there[:n]:
        os.kill(pid, signal.SIGKILL)


def at_rounds(client: Any, rounds: set[int], n: int = 1) -> Callable[[int, int], None]:
    """A listener that kills workers after these rounds, counted over all ensembles."""
    done = [0]

    def listener(_: int, __: int) -> None:
        done[0] += 1
        if done[0] in rounds:
            kill(client, n)

    return listener


def same(tmp_path: Path, local: Any, remote: Any) -> bool:
    save(local, tmp_path / "local")
    save(remote, tmp_path / "remote")
    return (tmp_path / "local").read_bytes() == (tmp_path / "remote").read_bytes()


def test_workers_killed_at_random_rounds(client: Any, tmp_path: Path) -> None:
    local = cb.AdaBoostClassifier(n_estimators=60).fit(X, Y)
    rounds = set(RNG.choice(np.arange(1, 60), KILLS, replace=False).tolist())
    with within(300), listening(at_rounds(client, rounds)):
        remote = cb.AdaBoostClassifier(n_estimators=60).fit(da.from_array(X, chunks=CHUNKS), Y)
    assert same(tmp_path, local, remote)


@pytest.mark.slow
def test_two_workers_at_once(client: Any, tmp_path: Path) -> None:
    """Trees grown node by node, and vectors over rows, are made again on other workers."""
    costs = {"fn_cost": np.arange(900) % 7 + 1.0}
    trees = {"n_estimators": 6, "estimator": "tree"}
    local = cb.LogitBoostClassifier(**trees).fit(X, Y, **costs)
    with within(120), listening(at_rounds(client, {3}, n=2)):
        remote = cb.LogitBoostClassifier(**trees).fit(da.from_array(X, chunks=CHUNKS), Y, **costs)
    assert same(tmp_path, local, remote)


@pytest.mark.slow
def test_rows_with_costs_and_weights_of_their_own(client: Any, tmp_path: Path) -> None:
    costs = {"fn_cost": np.arange(900) % 7 + 1.0}
    local = cb.AdaC2Classifier(n_estimators=6).fit(X, Y, **costs)
    with within(120), listening(at_rounds(client, {3})):
        remote = cb.AdaC2Classifier(n_estimators=6).fit(da.from_array(X, chunks=CHUNKS), Y, **costs)
    assert same(tmp_path, local, remote)


def test_during_binning(client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from costboost._core.backends.dask.table import RemoteTable

    find_bins = RemoteTable.find_bins

    def killed(self: Any, *given: Any) -> Any:
        kill(client)
        return find_bins(self, *given)

    local = cb.AdaBoostClassifier(n_estimators=5).fit(X, Y)
    monkeypatch.setattr(RemoteTable, "find_bins", killed)
    with within(120):
        remote = cb.AdaBoostClassifier(n_estimators=5).fit(da.from_array(X, chunks=CHUNKS), Y)
    assert same(tmp_path, local, remote)


@pytest.mark.slow
def test_during_calibration(client: Any, tmp_path: Path) -> None:
    params = {"n_estimators": 4, "random_state": 0, "estimator": "stump"}
    local = cb.CostBoostClassifier(**params).fit(X, Y)
    with within(120), listening(at_rounds(client, {7, 15})):
        remote = cb.CostBoostClassifier(**params).fit(da.from_array(X, chunks=CHUNKS), Y)
    assert same(tmp_path, local, remote)


@pytest.mark.slow
def test_while_trees_over_pairs_grow_and_samples_move(
    client: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    costs = np.random.default_rng(1).exponential(size=(900, 3))
    rows = da.from_array(X, chunks=CHUNKS)
    local = GBSEClassifier(n_estimators=4, random_state=0).fit(X, costs=costs)
    divide = killing(client, PairSource._divide_ahead, 20)
    monkeypatch.setattr(PairSource, "_divide_ahead", divide)
    with within(120):
        remote = GBSEClassifier(n_estimators=4, random_state=0).fit(rows, costs=costs)
    assert same(tmp_path, local, remote)
    samples = CostingClassifier(n_estimators=4, random_state=0).fit(X, costs=costs)
    submit = killing(client, RemoteMatrix.applied, 2)
    monkeypatch.setattr(RemoteMatrix, "applied", submit)
    with within(120):
        far = CostingClassifier(n_estimators=4, random_state=0).fit(rows, costs=costs)
    np.testing.assert_array_equal(far.predict_proba(X), samples.predict_proba(X))


def killing(client: Any, function: Callable[..., Any], n: int) -> Callable[..., Any]:
    """The function, before whose n-th call a worker is killed."""
    calls = count(1)

    def replaced(*given: Any) -> Any:
        if next(calls) == n:
            kill(client)
        return function(*given)

    return replaced


def actors(client: Any) -> int:
    def count(dask_worker: Any) -> int:
        return len(dask_worker.state.actors)

    return sum(n for n in client.run(count, on_error="return").values() if isinstance(n, int))


def test_an_interrupt_ends_the_fit_and_frees_the_actors(client: Any) -> None:
    clf = cb.CostBoostClassifier(n_estimators=2000)
    begun: list[float] = []

    def interrupt() -> None:
        begun.append(monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    Timer(4.0, interrupt).start()
    with within(60), pytest.raises(KeyboardInterrupt):
        clf.fit(da.from_array(X, chunks=CHUNKS), Y)
    assert monotonic() - begun[0] < 5
    assert not hasattr(clf, "model_")
    for _ in range(50):
        if not actors(client):
            break
        sleep(0.1)
    assert not actors(client)


# ---- clusters that end ---------------------------------------------------------------------------


@contextmanager
def processes(tmp_path: Path) -> Iterator[tuple[subprocess.Popen[bytes], subprocess.Popen[bytes]]]:
    """A scheduler and a worker that nothing starts again."""
    where = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dask = [sys.executable, "-m", "dask"]
    options = ["--port", "0", "--dashboard-address", ":0", "--scheduler-file", str(where)]
    scheduler = subprocess.Popen([*dask, "scheduler", *options], **quiet)  # type: ignore[call-overload]
    worker = subprocess.Popen(  # type: ignore[call-overload]
        [*dask, "worker", "--no-nanny", "--no-dashboard", "--nthreads", "1",
         "--scheduler-file", str(where)],
        **quiet,
    )  # fmt: skip
    try:
        while not where.exists():
            assert scheduler.poll() is None
            sleep(0.1)
        yield scheduler, worker
    finally:
        for one in (worker, scheduler):
            one.kill()
            one.wait()


@pytest.mark.slow
def test_the_last_worker(tmp_path: Path) -> None:
    with (
        dask.config.set({"costboost.timeouts.no-worker": "2 s"}),
        within(90),
        processes(tmp_path) as (_, worker),
        distributed.Client(scheduler_file=str(tmp_path / "scheduler.json")) as client,
    ):
        client.wait_for_workers(1)

        def listener(t: int, _: int) -> None:
            if t == 3:
                worker.kill()
                worker.wait()

        with (
            listening(listener),
            pytest.raises(ClusterError, match=r"no worker is left|was lost"),
        ):
            cb.AdaBoostClassifier().fit(da.from_array(X, chunks=CHUNKS), Y)


def test_the_scheduler(tmp_path: Path) -> None:
    with within(90), processes(tmp_path) as (scheduler, worker):
        client = distributed.Client(
            scheduler_file=str(tmp_path / "scheduler.json"), timeout=30, set_as_default=False
        )
        try:
            client.wait_for_workers(1)

            def listener(t: int, _: int) -> None:
                if t == 3:
                    for one in (scheduler, worker):
                        one.kill()
                        one.wait()

            lost = pytest.raises(ClusterError, match="scheduler is lost")
            with client.as_current(), listening(listener), lost:
                cb.AdaBoostClassifier().fit(da.from_array(X, chunks=CHUNKS), Y)
        finally:
            client.close(timeout=1)
