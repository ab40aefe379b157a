"""What runs on a worker: some partitions of the data as one table, and objects made from them.

The driver sends calls. A call applies a function to objects that are kept here, and to data that
come with it; its result is kept under a number, or returned. So the boosting code of one machine
runs on each worker's rows without a change.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from costboost.cluster.connections import Server
from costboost.engine.binning import BinnedData, Binning
from costboost.rows import PairShard, Shard
from costboost.tables import Coder, Labels, Table, read_training
from costboost.threads import threads

CELLS_AT_A_TIME = 2**24
"""Values of several partitions that are joined at a time."""
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

    def listen(self, host: str) -> tuple[int, bytes]:
        """Answer calls on a port as well; return the port and the secret it expects."""
        self._server = Server(host, self.run)
        return self._server.port, self._server.secret

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
