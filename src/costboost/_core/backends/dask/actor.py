"""What a worker of a Dask cluster keeps, and what it runs.

A worker has some partitions of the data as one table, and objects made from them. The driver sends
calls: see `costboost._core.backends.dask.calls`. So the boosting code of one machine runs on each
worker's rows without a change.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from costboost._core.backends.dask.calls import Failure, Ref
from costboost._core.backends.dask.channel import KeyPair, Server
from costboost._core.backends.dask.joined import JoinedTable
from costboost._core.backends.shard import PairShard, Shard
from costboost._core.engine.binning import BinnedData, Binning
from costboost._core.tables import Table, read_training
from costboost._core.threads.counts import threads

TABLE, THREADS = 0, 1
"""Numbers of the table of the partitions, and of the number of threads, among the objects."""


def n_rows_of(partition: Any) -> int:
    """Number of rows of a partition, which may be sparse."""
    return int(partition.shape[0])


class ShardActor:
    """The rows of some partitions, and everything that was made of them."""

    def __init__(self, n_threads: int, *partitions: Any) -> None:
        parts = [read_training("fit", part)[0] for part in partitions if n_rows_of(part)]
        table = parts[0] if len(parts) == 1 else JoinedTable(parts)
        self.objects: dict[int, Any] = {TABLE: table, THREADS: n_threads}
        self._lock = Lock()

    def listen(self, host: str, public: int) -> tuple[int, int]:
        """Answer calls on a port as well, for the driver with this public key.

        Returns the port and the public key of the worker.
        """
        keys = KeyPair()
        self._server = Server(host, self.run, keys.shared(public))
        return self._server.port, keys.public

    def run(self, calls: bytes) -> Any:
        """Execute calls; return the answer of the last one, or a `Failure`."""
        answer = None
        try:
            with self._lock:
                for call in pickle.loads(calls):
                    answer = self._execute(*call)
        except Exception as error:
            return Failure(error)
        return answer

    def _execute(self, function: Any, given: tuple[Any, ...], result: int | None) -> Any:
        args = [self.objects[one.number] if type(one) is Ref else one for one in given]
        if function == "forget":
            for number in given:
                self.objects.pop(number, None)
            return None
        if isinstance(function, str):
            function, args = getattr(args[0], function), args[1:]
        value = function(*args)
        if result is None:
            return value
        self.objects[result] = value
        return None


def bin_rows(
    table: Table, binning: Binning, rows: Any, positive: NDArray[np.uint8], n_jobs: int | None
) -> BinnedData:
    """The table's rows with these numbers, or all, binned."""
    own = table if rows is None else table.take(rows)
    n_threads = threads(n_jobs, own.n_rows * own.n_features)
    return BinnedData(own, binning, positive, n_threads, rows)


def open_shard(
    data: BinnedData, rows: Any, positive: NDArray[np.uint8], n_jobs: int | None
) -> Shard:
    """A shard of binned rows, for one training."""
    n_threads = threads(n_jobs, positive.size * data.binning.n_features)
    return Shard(data.take(rows, positive, n_threads))


def open_pairs(data: BinnedData, weight: NDArray[Any], unit: int, counting: bool) -> PairShard:
    """A shard of the pairs (row, label) of binned rows, for one tree; weights are in units."""
    return PairShard(data.binned, weight.astype(np.int64) * unit, counting)


def of_binned(
    data: BinnedData, function: Callable[..., NDArray[Any]], *given: Any
) -> tuple[NDArray[Any], int | None]:
    """Values of a function of binned rows; flags as bits, and how many of them a row has."""
    values = function(data.binned, *given)
    return (np.packbits(values, 0), len(values)) if values.dtype == np.bool_ else (values, None)
