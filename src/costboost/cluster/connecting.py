"""Connections to Dask clusters: one that is running, or one on this machine."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

CONNECT_SECONDS = 10.0
"""How long to wait for the answer of a scheduler."""
CLOSE_SECONDS = 1.0
"""How long to wait for the end of clients and clusters."""
KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


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
    with _cluster(distributed, workers) as cluster:
        address = scheduler if cluster is None else cluster.scheduler_address
        try:
            client = distributed.Client(address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise ConnectionError(f"no Dask scheduler answers at {address}: {error}") from error
        try:
            yield client
        except (CancelledError, distributed.comm.CommClosedError) as error:
            raise ConnectionError(f"the Dask scheduler at {address} is lost") from error
        finally:
            with suppress(Exception):
                client.close(timeout=CLOSE_SECONDS)


@contextmanager
def _cluster(distributed: Any, workers: int | None) -> Iterator[Any]:
    """A cluster of processes on this machine; None if there are to be none."""
    if workers is None:
        yield None
        return
    cluster = distributed.LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",
        silence_logs=logging.CRITICAL,
    )
    try:
        yield cluster
    except BaseException:
        for nanny in cluster.workers.values():  # they would wait for the tasks that are running
            nanny.close_gracefully()
            with suppress(OSError, TypeError):
                os.kill(nanny.pid, KILL)
        raise
    finally:
        with suppress(Exception):
            cluster.close(timeout=CLOSE_SECONDS)
