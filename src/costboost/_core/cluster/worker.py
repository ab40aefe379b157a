"""Workers of a Dask cluster: the rows they hold, and what they run.

A worker has some partitions of the data as one table, and objects made from them. The driver sends
calls. A call applies a function to objects that are kept here, and to data that come with it; its
result is kept under a number, or returned. So the boosting code of one machine runs on each
worker's rows without a change.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from multiprocessing import resource_tracker
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost._core.cluster.connections import KeyPair, Server
from costboost._core.engine.binning import BinnedData, Binning
from costboost._core.rows import PairShard, Shard
from costboost._core.tables import Coder, Labels, Table, read_training
from costboost._core.threads import threads

# ---- which rows of a collection are in which shard -----------------------------------------------

RowNumbers = NDArray[np.intp]


class Place(NamedTuple):
    """Rows in a shard: where they are among the rows in question, and in the shard."""

    shard: int
    n_rows: int
    where: RowNumbers | slice
    local: RowNumbers | None
    """None if they are all rows of the shard."""


class Placement:
    """The partitions of a collection, one behind the other, and the shard of each."""

    def __init__(self, lengths: Sequence[int], shard_of: Sequence[int], n_shards: int) -> None:
        self.lengths = np.asarray(lengths, dtype=np.intp)
        self.first = np.cumsum(self.lengths) - self.lengths
        self.shard_of = np.asarray(shard_of, dtype=np.intp)
        self.n_shards = n_shards
        self.n_rows = int(self.lengths.sum())
        self.offset = np.zeros(self.lengths.size, dtype=np.intp)
        """Number of rows of the same shard before each partition."""
        for k in range(n_shards):
            own = np.flatnonzero(self.shard_of == k)
            self.offset[own] = np.cumsum(self.lengths[own]) - self.lengths[own]

    def places(self, rows: RowNumbers | None) -> list[Place]:
        """Where rows are, given by their numbers in the collection; None for all rows.

        There is a place for each shard that has some of them, in which numbers increase.
        """
        if rows is None:
            return [self._all_of(k) for k in range(self.n_shards)]
        partition = np.searchsorted(self.first + self.lengths, rows, side="right")
        shard = self.shard_of[partition]
        local = rows - self.first[partition] + self.offset[partition]
        result = []
        for k in range(self.n_shards):
            where = np.flatnonzero(shard == k)
            if not where.size:
                continue
            if np.any(np.diff(local[where]) < 0):
                where = where[np.argsort(local[where], kind="stable")]
            result.append(Place(k, where.size, where, local[where]))
        return result

    def partitions(self, rows: RowNumbers) -> Iterator[tuple[tuple[int, int], RowNumbers]]:
        """The partitions of rows whose numbers increase: shard, place in it, and rows of each."""
        ends = np.searchsorted(rows, self.first + self.lengths)
        for p, own in enumerate(np.split(rows, ends[:-1])):
            if own.size:
                shard = int(self.shard_of[p])
                place = int(np.count_nonzero(self.shard_of[:p] == shard))
                yield (shard, place), own - self.first[p]

    def _all_of(self, k: int) -> Place:
        """Where the rows of a shard are among all rows."""
        own = np.flatnonzero(self.shard_of == k)
        n = int(self.lengths[own].sum())
        if np.all(np.diff(own) == 1):
            return Place(k, n, slice(self.first[own[0]], self.first[own[0]] + n), None)
        runs = [np.arange(self.first[p], self.first[p] + self.lengths[p]) for p in own]
        return Place(k, n, np.concatenate(runs), None)


def scattered(places: Sequence[Place], parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """Results of the shards for their rows, the last axis, in the order of the rows."""
    n = sum(place.n_rows for place in places)
    out = np.empty((*parts[0].shape[:-1], n), dtype=np.result_type(*parts))
    for place, part in zip(places, parts, strict=True):
        out[..., place.where] = part
    return out


def balanced(lengths: Sequence[int], holders: Sequence[str], workers: Sequence[str]) -> list[int]:
    """A worker for each partition: its holder, unless that has far more than its share."""
    share = sum(lengths) / len(workers)
    load = dict.fromkeys(workers, 0)
    chosen: list[str] = [""] * len(lengths)
    for k in sorted(range(len(lengths)), key=lambda k: -lengths[k]):
        worker = holders[k] if holders[k] in load else workers[0]
        least = min(workers, key=load.__getitem__)
        if load[worker] + lengths[k] > 1.2 * share and load[least] < load[worker]:
            worker = least
        chosen[k] = worker
        load[worker] += lengths[k]
    return [workers.index(worker) for worker in chosen]


# ---- rows for scikit-learn classifiers -----------------------------------------------------------

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

    def on_one_worker(self, rows: RowNumbers, function: Callable[..., Any], *given: Any) -> Any:
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
        return cluster.result(task)


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


# ---- clients and clusters ------------------------------------------------------------------------

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


# ---- what a worker keeps and runs ----------------------------------------------------------------

TABLE, THREADS = 0, 1
"""Numbers of the table of the partitions, and of the number of threads, among the objects."""


class Ref(NamedTuple):
    """Stands for an object that a worker keeps."""

    number: int


class Call(NamedTuple):
    """A function, or the name of a method of the first argument, and its arguments."""

    function: Callable[..., Any] | str
    given: tuple[Any, ...]
    result: int | None = None
    """Number under which the result is kept; None if it is the answer, or nothing."""


class Failure(NamedTuple):
    """An exception that a call raised."""

    error: BaseException


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


def of_binned(data: BinnedData, function: Callable[..., Any], *given: Any) -> Any:
    """The result of a function of binned rows."""
    return function(data.binned, *given)


# ---- several partitions as one table -------------------------------------------------------------

CELLS_AT_A_TIME = 2**24
"""Values of several partitions that are joined at a time."""


class JoinedTable(Table):
    """The rows of several tables, one behind the other."""

    def __init__(self, parts: Sequence[Table]) -> None:
        self.parts = list(parts)
        self.names = parts[0].names
        self.n_features = parts[0].n_features
        self.ends = np.cumsum([part.n_rows for part in parts])
        self.n_rows = int(self.ends[-1])

    def column(self, j: int) -> NDArray[Any]:
        return np.concatenate([part.column(j) for part in self.parts])

    def labels(self, j: int) -> Labels:
        code_of: dict[Any, int] = {}
        codes = []
        for part in self.parts:
            column = part.labels(j)
            known = [code_of.setdefault(label, len(code_of)) for label in column.labels]
            codes.append(np.array([*known, -1], dtype=np.intp)[column.codes])
        return Labels(np.concatenate(codes), list(code_of))

    def is_categorical(self, j: int) -> bool:
        return self.parts[0].is_categorical(j)

    def is_text(self, j: int) -> bool:
        return all(part.is_text(j) for part in self.parts)

    def numbers(self, coders: Sequence[Coder | None]) -> Iterator[tuple[int, NDArray[Any]]]:
        width = max(1, CELLS_AT_A_TIME // self.n_rows)
        for blocks in zip(*(part.numbers(coders) for part in self.parts), strict=True):
            first, block = blocks[0]
            for begin in range(0, block.shape[1], width):
                columns = [one[:, begin : begin + width] for _, one in blocks]
                yield first + begin, np.concatenate(columns)

    def row_blocks(self, coders: Sequence[Coder | None]) -> Iterator[tuple[slice, NDArray[Any]]]:
        for part, end in zip(self.parts, self.ends.tolist(), strict=True):
            first = end - part.n_rows
            for rows, block in part.row_blocks(coders):
                yield slice(first + rows.start, first + rows.stop), block

    def refuse_missing(self, advice: str) -> None:
        for part in self.parts:
            part.refuse_missing(advice)

    def take(self, rows: Any) -> Table:
        """Select rows, whose numbers increase."""
        rows = np.asarray(rows)
        places = np.searchsorted(rows, self.ends)
        runs = np.split(rows, places[:-1])
        first = self.ends - [part.n_rows for part in self.parts]
        parts = [
            part.take(run - begin)
            for part, run, begin in zip(self.parts, runs, first, strict=True)
            if run.size
        ]
        if not parts:
            return self.parts[0].take(rows)
        return parts[0] if len(parts) == 1 else JoinedTable(parts)
