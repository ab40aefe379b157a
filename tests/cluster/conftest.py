"""A cluster of two worker processes on this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest


@pytest.fixture(scope="session")
def cluster() -> Iterator[Any]:
    """A cluster of two worker processes with one thread each, shared by all tests."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=":0",  # any port: a warning is an error if the usual one is taken
        silence_logs=logging.CRITICAL,
    ) as found:
        yield found


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    """A client of the cluster, and the default one while the test runs."""
    distributed = pytest.importorskip("distributed")
    with distributed.Client(cluster, set_as_default=True) as found:
        yield found


@pytest.fixture(autouse=True)
def no_scheduler_is_left() -> Iterator[None]:
    """Without a client, Dask computes here again, also after a client that lost its scheduler."""
    yield
    config = pytest.importorskip("dask.config")
    if config.get("scheduler", None) is not None:
        with suppress(ValueError):
            pytest.importorskip("distributed").default_client()
            return
        config.set(scheduler=None)
