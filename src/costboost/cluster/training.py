"""The table that a fit is given: in memory, or on the cluster of a Dask collection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from costboost.cluster.collections import is_collection
from costboost.tables import Features, Table, read_training

LOCAL_LEARNERS = {"wrapped", "linear", "logistic"}
"""Weak learners that read the values of all rows, and not only their bins."""


def in_memory(*values: Any) -> list[Any]:
    """The values, Dask collections computed."""
    if not any(map(is_collection, values)):
        return list(values)
    from dask.base import compute

    return list(compute(*values))  # type: ignore[no-untyped-call]


@contextmanager
def training_table(name: str, X: Any, raw: bool, learner: str) -> Iterator[tuple[Table, Features]]:
    """Validate X; a Dask collection stays on the cluster, which is freed at the end.

    Without a client of a cluster, a collection is computed into memory.
    """
    client = _client() if is_collection(X) else None
    if client is None:
        yield read_training(name, in_memory(X)[0], raw)
        return
    if learner in LOCAL_LEARNERS:
        what = "a scikit-learn classifier as estimator" if raw else f"estimator={learner!r}"
        raise ValueError(
            f"{what} needs all rows in one process, but X is a Dask collection on a cluster; take "
            "estimator='stump', 'tree' or 'lookup', or pass X.compute()"
        )
    from costboost.cluster.table import open_table

    table, features = open_table(client, name, X)
    try:
        yield table, features
    finally:
        table.cluster.close()


def _client() -> Any:
    """The client of the cluster that Dask uses at present; None if there is none."""
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        return get_client()
    except ValueError:
        return None
