"""The table that a fit is given: in memory, or on the cluster of a Dask collection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from costboost.cluster.collections import check_dimensions, is_collection
from costboost.tables import Features, Table, read_training

LOCAL_LEARNERS = {"wrapped", "linear", "logistic"}
"""Weak learners that read the values of all rows, and not only their bins."""


@contextmanager
def training_table(
    name: str,
    X: Any,
    raw: bool,
    learner: str,
    advice: str = "take estimator='stump', 'tree' or 'lookup'",
) -> Iterator[tuple[Table, Features]]:
    """Validate X; a Dask collection stays on the cluster, which is freed at the end.

    Without a client of a cluster, a collection is computed into memory. ``advice`` is what to do
    instead of using a learner that reads the values of all rows.
    """
    client = _client_of(X)
    if client is None:
        yield read_training(name, X.compute() if is_collection(X) else X, raw)
        return
    if learner in LOCAL_LEARNERS:
        what = "a scikit-learn classifier as estimator" if raw else f"estimator={learner!r}"
        raise ValueError(
            f"{what} needs all rows in one process, but X is a Dask collection on a cluster; "
            f"{advice}, or pass X.compute()"
        )
    from costboost.cluster.table import open_table

    check_dimensions(X)
    table, features = open_table(client, name, X)
    try:
        yield table, features
    finally:
        table.cluster.close()


def refuse_scoring(X: Any) -> None:
    """Raise a ValueError if X is on a cluster, where scikit-learn's scorers cannot be used."""
    if _client_of(X) is not None:
        raise ValueError(
            "scoring needs the rows in memory, but X is a Dask collection on a cluster; for "
            "early_stopping take scoring=None, which uses the cost of the validation rows, or pass "
            "X.compute()"
        )


def _client_of(X: Any) -> Any:
    """The client of the cluster that Dask uses at present; None if X is in memory."""
    if not is_collection(X):
        return None
    try:
        from distributed import get_client
    except ImportError:
        return None
    try:
        return get_client()
    except ValueError:
        return None
