"""The client of a Dask scheduler, or of a new cluster of processes on this machine."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib import import_module
from multiprocessing import resource_tracker
from typing import Any

CONNECT_SECONDS = 10.0
"""How long to wait for the answer of a scheduler."""
CLOSE_SECONDS = 1.0
"""How long to wait for the end of clients and clusters."""
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""Signal that ends the process of a worker at once."""


@contextmanager
def connected(scheduler: str | None = None, workers: int | None = None) -> Iterator[Any]:
    """Client of the scheduler at an address, or of a new cluster of processes on this machine.

    The processes have one thread each and end with the context. A scheduler that does not answer,
    or is lost, raises ConnectionError.
    """
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise ImportError('a cluster needs Dask: pip install "costboost[dask]"') from error
    if (scheduler is None) == (workers is None):
        raise ValueError("give the address of a scheduler or a number of workers, not both")
    if workers is not None and workers < 1:
        raise ValueError(f"the number of workers must be at least 1, got {workers}")
    with _quiet(), _cluster(distributed, workers) as cluster:
        address = scheduler if cluster is None else cluster.scheduler_address
        try:
            client = distributed.Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise ConnectionError(f"no Dask scheduler answers at {address}: {error}") from error
        try:
            yield client
        except (CancelledError, TimeoutError, distributed.comm.CommClosedError) as error:
            raise ConnectionError(f"the Dask scheduler at {address} is lost") from error
        finally:
            with suppress(Exception):
                client.close(timeout=CLOSE_SECONDS)


@contextmanager
def _quiet() -> Iterator[None]:
    """Log nothing about connections that are lost: an exception reports it."""
    loggers = [logging.getLogger(f"distributed.{name}") for name in ("client", "core", "batched")]
    levels = [one.level for one in loggers]
    for one in loggers:
        one.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for one, level in zip(loggers, levels, strict=True):
            one.setLevel(level)


@contextmanager
def _cluster(distributed: Any, workers: int | None) -> Iterator[Any]:
    """A cluster of processes on this machine; None if there are to be none."""
    if workers is None:
        yield None
        return
    cluster: Any = None
    try:
        with _started_without_interrupts():
            cluster = distributed.LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                processes=True,
                dashboard_address=":0",
                silence_logs=logging.CRITICAL,
            )
        yield cluster
    except BaseException:
        if cluster is None:
            raise
        for nanny in cluster.workers.values():  # they would wait for the tasks that are running
            nanny.close_gracefully()
            with suppress(OSError, TypeError):
                os.kill(nanny.pid, KILL)
        raise
    finally:
        if cluster is not None:
            with suppress(Exception):
                cluster.close(timeout=CLOSE_SECONDS)


@contextmanager
def _started_without_interrupts() -> Iterator[None]:
    """Processes that are started in this context do not get the Ctrl-C of the terminal.

    They would print a traceback each; the process that started them ends them.
    """
    mask = getattr(signal, "pthread_sigmask", None)
    if mask is None:
        yield
        return
    _start_resource_tracker()
    mask(signal.SIG_BLOCK, [signal.SIGINT])  # inherited by threads and processes
    try:
        yield
    finally:
        mask(signal.SIG_UNBLOCK, [signal.SIGINT])


def _start_resource_tracker() -> None:
    """Start the process that frees the semaphores of a process which ends without doing so.

    It is started apart, as that would unblock signals, and without its warning: a command that was
    interrupted ends at once and leaves them to it.
    """
    known = os.environ.get("PYTHONWARNINGS")
    os.environ["PYTHONWARNINGS"] = ",".join(filter(None, [known, "ignore:resource_tracker"]))
    try:
        resource_tracker.ensure_running()
    finally:
        del os.environ["PYTHONWARNINGS"]
        if known is not None:
            os.environ["PYTHONWARNINGS"] = known
