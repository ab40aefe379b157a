"""Workers that stand still are named; waiting for them has a limit."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Timer
from time import sleep
from typing import Any

import numpy as np
import pytest

from costboost import algorithms as cb
from costboost._core.backends.dask.collections import in_memory
from costboost._core.backends.dask.waiting import (
    ClusterError,
    Wait,
    awaited,
    check_timeouts,
    gathered,
    timeout,
)
from costboost._core.loop import listening

da = pytest.importorskip("dask.array")
dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
Y = (X[:, 0] + RNG.normal(size=400) > 0).astype(int)


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    """A client of two workers, which these tests stop and let go on."""
    with (
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        distributed.Client(cluster) as found,
    ):
        found.run(
            __import__, "costboost._core.backends.dask.actor"
        )  # which is no sign of life meanwhile
        yield found
    dask.config.set(scheduler=None)  # a client whose workers were killed leaves its own


@contextmanager
def frozen(
    client: Any, seconds: float, then: int = signal.SIGCONT
) -> Iterator[tuple[str, Callable[[], None]]]:
    """Address of a worker, and a function that stops it, once, until it is sent a signal."""
    address, pid = sorted(client.run(os.getpid).items())[0]
    begun = Event()

    def freeze() -> None:
        if not begun.is_set():
            begun.set()
            os.kill(pid, signal.SIGSTOP)
            timer.start()

    timer = Timer(seconds, os.kill, (pid, then))
    try:
        yield address, freeze
    finally:
        timer.cancel()
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)


def ways(direct: bool) -> Any:
    """Short times, and whether calls go straight to the workers."""
    times = {"costboost.timeouts.warn": 2.5}
    return dask.config.set({"costboost.direct": direct, **times})


@pytest.mark.parametrize("direct", [True, False])
def test_a_worker_that_stands_still_is_named(
    client: Any, direct: bool, caplog: pytest.LogCaptureFixture
) -> None:
    local = cb.AdaBoostClassifier(n_estimators=6).fit(X, Y)
    remote = cb.AdaBoostClassifier(n_estimators=6)
    with ways(direct), frozen(client, 8) as (address, freeze):
        said = rf"no answer of worker {address} for \d s \(\w+\): {address} gives no sign of life"
        with listening(lambda t, n: freeze()), pytest.warns(UserWarning, match=said):
            remote.fit(da.from_array(X, chunks=(100, 5)), Y)
    assert "WARNING" in {one.levelname for one in caplog.records if address in one.message}
    np.testing.assert_array_equal(remote.decision_function(X), local.decision_function(X))


def test_a_limit_ends_the_fit(client: Any) -> None:
    limits = {"costboost.timeouts.warn": None, "costboost.timeouts.answer": "2 s"}
    with dask.config.set(limits), frozen(client, 60) as (address, freeze):
        said = rf"no answer of worker {address} for \d s \(\w+\): {address} gives .*, longer than"
        with listening(lambda t, n: freeze()), pytest.raises(ClusterError, match=said):
            cb.AdaBoostClassifier(n_estimators=6).fit(da.from_array(X, chunks=(100, 5)), Y)


def test_while_partitions_and_labels_are_computed(client: Any) -> None:
    rows = da.from_array(X, chunks=(100, 5))
    with ways(True), frozen(client, 8) as (address, freeze):
        freeze()
        said = rf"\(partitions of X: \d of 4 done\): {address} gives no sign of life"
        with pytest.warns(UserWarning, match=said):
            cb.AdaBoostClassifier(n_estimators=2).fit(rows, Y)
    with ways(True), frozen(client, 8) as (address, freeze):
        freeze()
        with pytest.warns(
            UserWarning,
            match=rf"\(values of the rows: \d of 4 done\): {address} gives no sign of life",
        ):
            in_memory(*(da.from_array(Y, chunks=50) + k for k in range(4)))


def values_in_a_task() -> Any:
    return in_memory(da.arange(4, chunks=1))[0].tolist()


def test_a_task_may_ask_for_values_too(client: Any) -> None:
    """It leaves its thread to the tasks that compute them."""
    tasks = [client.submit(values_in_a_task, pure=False) for _ in range(4)]
    distributed.wait(tasks, timeout=60)
    assert client.gather(tasks) == [[0, 1, 2, 3]] * 4


def test_a_wait_that_dask_breaks_off_goes_on(client: Any) -> None:
    """Cancelled on the event loop, it is an UnboundLocalError in `result` of the future."""

    def cancel() -> None:
        for task in asyncio.all_tasks():
            if getattr(task.get_coro(), "__name__", "") == "wait_for":
                task.cancel()

    future, looks = client.submit(sleep, 0.4), []
    Timer(0.1, client.loop.add_callback, (cancel,)).start()
    with pytest.raises(UnboundLocalError):
        future.result(timeout=0.3)
    Timer(0.1, client.loop.add_callback, (cancel,)).start()
    assert awaited(future, lambda: looks.append(future.status)) is None
    assert looks == ["pending"]


def test_a_worker_that_computes_is_not_named(client: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "costboost")
    with ways(True):
        assert gathered(client, [client.submit(sleep, 6, pure=False)], "a long task") == [None]
    said = [one.message for one in caplog.records if "no answer" in one.message]
    assert said
    assert all("of the Dask cluster" in one and "(a long task)" in one for one in said)


def test_the_fit_goes_on_elsewhere_when_the_process_ends(client: Any) -> None:
    local = cb.AdaBoostClassifier(n_estimators=6).fit(X, Y)
    remote = cb.AdaBoostClassifier(n_estimators=6)
    with (
        ways(True),
        frozen(client, 6, then=signal.SIGKILL) as (address, freeze),
        listening(lambda t, n: freeze()),
        pytest.warns(UserWarning, match=f": {address} gives"),
    ):
        remote.fit(da.from_array(X, chunks=(100, 5)), Y)
    np.testing.assert_array_equal(remote.decision_function(X), local.decision_function(X))


# ---- settings ------------------------------------------------------------------------------------


class Workers:
    """What `Wait` asks a client, for workers that are described."""

    status = "running"

    def __init__(self, **workers: dict[str, Any]) -> None:
        self.workers = workers
        self.scheduler = self

    def ncores(self) -> dict[str, int]:
        return dict.fromkeys(self.workers, 1)

    def sync(self, function: Callable[[], Any], callback_timeout: float) -> Any:
        return function()

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        return {"workers": self.workers}


def test_a_paused_worker_is_named() -> None:
    with dask.config.set({"costboost.timeouts.warn": 0.01}):
        wait = Wait(Workers(a={"last_seen": 1, "status": "paused"}), "an answer")
        sleep(0.02)
        with pytest.warns(UserWarning, match="a is paused, as its memory is nearly full"):
            wait.look()
        wait.look()  # once is enough


def test_how_long_to_wait_for_a_worker_is_a_setting() -> None:
    assert timeout("no-worker") == 30
    with dask.config.set({"costboost.timeouts.no-worker": "1 ms"}):
        wait = Wait(Workers(), "an answer")
        wait.look()
        sleep(0.01)
        with pytest.raises(ClusterError, match="no worker is left"):
            wait.look()


@pytest.mark.parametrize("value", ["soon", -1, 0, "nan", [], float("inf")])
def test_settings_that_are_no_time_are_refused(value: Any) -> None:
    with (
        dask.config.set({"costboost.timeouts.answer": value}),
        pytest.raises(ValueError, match=r"costboost\.timeouts\.answer must be a time"),
    ):
        check_timeouts()


def test_settings_of_the_environment() -> None:
    name = {"DASK_COSTBOOST__TIMEOUTS__ANSWER": "10 minutes"}
    with dask.config.set(dask.config.collect_env(name)):
        assert timeout("answer") == 600
    assert timeout("answer") is None
