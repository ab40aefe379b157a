"""Clients of Dask clusters, whose errors are those of a command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from costboost._core.backends.dask.connecting import connected
from costboost._core.backends.dask.waiting import ClusterError, check_timeouts
from costboost.app.reading.errors import InputError


@contextmanager
def open_client(scheduler: str | None, workers: int | None) -> Iterator[Any]:
    """A client of a scheduler, or of new worker processes on this machine; None without either.

    Errors of the cluster become an InputError or a ConnectionError.
    """
    if scheduler is None and workers is None:
        yield None
        return
    with connected(scheduler, workers) as client:
        try:
            check_timeouts()
        except ValueError as error:
            raise InputError(str(error)) from error
        if not client.scheduler_info(n_workers=-1)["workers"]:
            raise InputError(
                f"the Dask scheduler at {scheduler} has no workers: start some, as by dask worker "
                f"{scheduler}"
            )
        from distributed import KilledWorker

        try:
            yield client
        except ClusterError as error:
            raise InputError(str(error)) from error
        except KilledWorker as error:
            raise InputError(
                "workers of the Dask cluster ended while they read the data, probably for lack of "
                "memory: use more or smaller files or row groups, or workers with more memory"
            ) from error
