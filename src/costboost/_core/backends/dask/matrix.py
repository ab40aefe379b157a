"""Rows on the workers for scikit-learn classifiers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Lock
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.dask.placement import RowNumbers
from costboost._core.tables import Table, read_training

T = TypeVar("T")

LARGE_GRAPH = "distributed.admin.large-graph-warning-threshold"
"""Option of Dask's configuration: the size of a task from which it warns."""
CONFIGURING = Lock()
"""Held while that option is changed, which is one for all threads."""


class RemoteMatrix:
    """The rows of a table on a cluster, each read as numbers where it is.

    Parameters
    ----------
    table : RemoteTable
    reads : callable
        Converts a local table to an array.
    """

    def __init__(self, table: Any, reads: Callable[[Table], Any]) -> None:
        self._table = table
        self._reads = reads

    def mapped(self, function: Callable[[Any], NDArray[Any]]) -> NDArray[Any]:
        """Values of a function of rows, with as many rows, in the order of the rows."""
        values = self._table.mapped(_values, self._reads, function)
        return np.ascontiguousarray(values.T)

    def applied(self, rows: RowNumbers, function: Callable[..., T], *given: Any) -> T:
        """Result of a function of some rows, which move to one worker; rows may be repeated."""
        from dask import config

        table, cluster = self._table, self._table.cluster
        numbers = rows if table.rows is None else table.rows[rows]
        numbers, repeated = np.unique(numbers, return_inverse=True)
        with CONFIGURING, config.set({LARGE_GRAPH: "100GB"}):
            submit = partial(cluster.client.submit, pure=False)
            pieces = [
                submit(_piece, cluster.partition(*found), own, self._reads)
                for found, own in table.placement.partitions(numbers)
            ]
            task = submit(_applied, pieces, repeated, function, *given)
        result: T = cluster.result(task)
        return result


def _values(
    table: Table, reads: Callable[[Table], Any], function: Callable[[Any], NDArray[Any]]
) -> NDArray[Any]:
    return function(reads(table)).T


def _piece(partition: Any, rows: RowNumbers, reads: Callable[[Table], Any]) -> Any:
    """Some rows of a partition as numbers."""
    return reads(read_training("fit", partition)[0].take(rows))


def _applied(
    pieces: list[Any], repeated: RowNumbers, function: Callable[..., Any], *given: Any
) -> Any:
    return function(np.concatenate(pieces)[repeated], *given)
