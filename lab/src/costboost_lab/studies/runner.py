"""Computes the cells of a study in worker processes, and keeps a journal of the run.

Worker processes have one thread each. Finished cells are kept as JSON lines, one each, in the order
in which they finished; what a journal has already is not computed again. Results are tables with a
line for every record.
"""

from __future__ import annotations

import hashlib
import io
import json
import logging
import os
import platform
import signal
import sys
import threading
import time
import warnings
import zlib
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    wait,
)
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO, Protocol

from costboost import __version__
from costboost._core import disk
from costboost_lab.studies import Cell, Frame, Record, Scalar

LOG = logging.getLogger(__name__)

# ---- the journal of a run ------------------------------------------------------------------------

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

FORMAT = 1
JOURNAL, LOCK = "journal.jsonl", "journal.lock"


@dataclass(frozen=True)
class Entry:
    """A finished cell: its results, and how they came about."""

    cell: Cell
    seed: int
    versions: str
    records: Sequence[Record]
    seconds: float
    finished: str
    """Time at which the cell was finished, in UTC."""
    process: int


def key_of(cell: Cell) -> str:
    """Text that identifies a cell, whatever the order of its fields."""
    return json.dumps(dict(cell), sort_keys=True)


class Journal:
    """The finished cells in a folder; use it as a context manager while cells are added.

    A line that was cut off when a process was killed is removed at the next start. Only one process
    at a time can hold a journal.
    """

    def __init__(self, folder: Path, study: str, fresh: bool = False) -> None:
        self.path, self.study, self.fresh = folder / JOURNAL, study, fresh
        self.entries: dict[str, Entry] = {}
        """Finished cells by `key_of`; of several entries for a cell the last one counts."""
        self._file: BinaryIO | None = None

    @contextmanager
    def opened(self) -> Iterator[Journal]:
        """Lock the folder and read what is there; cells can be added until the end."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with locked(self.path.with_name(LOCK)):
            size = 0 if self.fresh else self._read()
            with self.path.open("ab") as self._file:
                self._file.truncate(size)
                if size == 0:
                    self._append({"journal": FORMAT, "study": self.study})
                try:
                    yield self
                finally:
                    self._file = None

    def add(self, entry: Entry) -> None:
        """Append a finished cell; it is on disk when this returns."""
        self._append(asdict(entry))
        self.entries[key_of(entry.cell)] = entry

    def _append(self, content: Mapping[str, Any]) -> None:
        assert self._file is not None, "the journal is not open"
        self._file.write(line_of(content))
        self._file.flush()
        os.fsync(self._file.fileno())

    def _read(self) -> int:
        """Read all entries, and return the number of bytes that are valid."""
        if not self.path.exists():
            return 0
        with self.path.open("rb") as file:
            lines = file.readlines()
        valid = 0
        for number, line in enumerate(lines, 1):
            try:
                content = content_of(line)
            except ValueError as error:
                if number == len(lines):
                    break
                raise ValueError(
                    f"{self.path}, line {number}: {error}; restore the file, or compute all cells "
                    "again with fresh=True (--fresh)"
                ) from error
            self._take(content, number)
            valid += len(line)
        return valid

    def _take(self, content: Mapping[str, Any], number: int) -> None:
        if number > 1:
            entry = Entry(**content)
            self.entries[key_of(entry.cell)] = entry
            return
        found = content.get("study"), content.get("journal")
        if found != (self.study, FORMAT):
            raise ValueError(
                f"{self.path} is the journal of {found[0]!r}, format {found[1]}, not of "
                f"{self.study!r}, format {FORMAT}; choose another folder"
            )


# ---- lines of a journal --------------------------------------------------------------------------


def line_of(content: Mapping[str, Any]) -> bytes:
    """A line of the journal: the content with its check sum."""
    body = json.dumps(content, separators=(",", ":")).encode()
    return b'{"crc32":"%08x","content":%s}\n' % (zlib.crc32(body), body)


def content_of(line: bytes) -> dict[str, Any]:
    """The content of a line; a ValueError if it is not as it was written."""
    head, tail = b'{"crc32":"', b"}\n"
    body = line[len(head) + len(b'01234567","content":') : -len(tail)]
    if not (line.startswith(head) and line.endswith(tail)):
        raise ValueError("the line is damaged")
    if line != b'{"crc32":"%08x","content":%s}\n' % (zlib.crc32(body), body):
        raise ValueError("the line is damaged, its check sum is wrong")
    content: dict[str, Any] = json.loads(body)
    return content


# ---- lock of a journal ---------------------------------------------------------------------------


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock on a file; raise a ValueError if another process holds it.

    The system releases the lock when the process ends, however it ends.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)  # not inherited by workers
    try:
        if not _take_lock(handle):
            holder = os.pread(handle, 20, 0).decode() if hasattr(os, "pread") else ""
            raise ValueError(
                f"another run{f' (process {holder})' if holder else ''} is writing to "
                f"{path.parent}; wait for its end, or choose another folder"
            )
        if sys.platform != "win32":
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(handle)


def _take_lock(handle: int) -> bool:
    with suppress(OSError):
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    return False


# ---- results as tables ---------------------------------------------------------------------------

RESULTS, TIMES = "results", "times"
"""Names of the files, without the ending: each is written as Parquet and as CSV."""


def results_frame(entries: Iterable[Entry]) -> Frame:
    """A row for every record, with the fields of its cell, the seed and the versions."""
    import pandas as pd

    rows = [
        joined(entry.cell, record) | {"seed": entry.seed, "versions": entry.versions}
        for entry in entries
        for record in entry.records
    ]
    last = ["seed", "versions"]
    names = dict.fromkeys(name for row in rows for name in row if name not in last)
    return pd.DataFrame(rows, columns=[*names, *last])


def joined(cell: Mapping[str, Scalar], record: Mapping[str, Scalar]) -> dict[str, Scalar]:
    """The fields of a cell and of one of its records; a ValueError if they contradict."""
    for name in cell.keys() & record.keys():
        if cell[name] != record[name]:
            raise ValueError(
                f"the field {name!r} is {cell[name]!r} in a cell and {record[name]!r} in its record"
            )
    return {**cell, **record}


def times_frame(entries: Iterable[Entry]) -> Frame:
    """A row for every cell: its fields, wall time, time of its end, and process."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                **entry.cell,
                "seconds": round(entry.seconds, 6),
                "finished": entry.finished,
                "process": entry.process,
            }
            for entry in entries
        ]
    )


def write_results(folder: Path, entries: Sequence[Entry]) -> list[Path]:
    """Write the results and the times of a run."""
    frames = {RESULTS: results_frame(entries), TIMES: times_frame(entries)}
    return [path for name, frame in frames.items() for path in write_frame(folder, name, frame)]


def write_frame(folder: Path, name: str, frame: Frame) -> tuple[Path, Path]:
    """Write a table as Parquet and CSV, each atomically; equal tables give equal bytes."""
    parquet, csv = folder / f"{name}.parquet", folder / f"{name}.csv"
    disk.replace(parquet, parquet_bytes(frame))
    disk.replace(csv, frame.to_csv(index=False, lineterminator="\n").encode())
    return parquet, csv


def parquet_bytes(frame: Frame) -> bytes:
    """A table in the format Parquet."""
    buffer = io.BytesIO()
    frame.to_parquet(buffer, index=False, engine="pyarrow")
    return buffer.getvalue()


def read_results(folder: Path) -> Frame | None:
    """The results in a folder, or None if there are none."""
    import pandas as pd

    path = folder / f"{RESULTS}.parquet"
    return pd.read_parquet(path) if path.exists() else None


def other_versions(entries: Sequence[Entry], current: str) -> list[str]:
    """Versions other than the current ones with which some cells were computed."""
    return sorted({entry.versions for entry in entries} - {current})


# ---- a cell in a worker --------------------------------------------------------------------------

Compute = Callable[[Cell, int], list[Record]]
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB")
}
"""Environment of a worker, set before it loads any library."""
WATCH_SECONDS = 0.5
"""How often a worker checks that its parent is alive."""


def compute_cell(compute: Compute, cell: Cell, seed: int) -> dict[str, Any]:
    """Records of a cell with the time taken, or the message of its error."""
    begun = time.perf_counter()
    found: dict[str, Any] = {"process": os.getpid()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found["records"] = [plain_record(one) for one in compute(cell, seed)]
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {error}"
    found["seconds"] = time.perf_counter() - begun
    return found


def plain_record(record: Record) -> dict[str, Scalar]:
    """A record with Python's own scalars instead of NumPy's; a TypeError for anything else."""
    return {str(name): _plain(name, value) for name, value in record.items()}


def _plain(name: str, value: Any) -> Scalar:
    plain = value.item() if hasattr(value, "item") and not getattr(value, "ndim", 0) else value
    if plain is None or isinstance(plain, (str, int, float)):
        return plain
    raise TypeError(f"the field {name!r} of a record is a {type(value).__name__}, not a scalar")


def start_worker(parent: int) -> None:
    """Ignore Ctrl-C, which the parent handles, and exit when the parent is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform != "win32":
        threading.Thread(target=_exit_with, args=(parent,), daemon=True).start()


def _exit_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(WATCH_SECONDS)
    os._exit(1)


# ---- executors -----------------------------------------------------------------------------------

HOLDS = hasattr(signal, "pthread_sigmask")
"""Whether signals can be held back: everywhere but on Windows."""


@contextmanager
def processes(n_jobs: int) -> Iterator[Executor]:
    """Executor with worker processes, which are killed at the end."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky import ProcessPoolExecutor

    with quiet_tracker():
        if HOLDS:  # now, because its start would let go what is held below
            resource_tracker.ensure_running()
        executor = ProcessPoolExecutor(
            n_jobs, initializer=start_worker, initargs=(os.getpid(),), env=ONE_THREAD
        )
    try:
        with quiet_tracker(), holding_interrupts():
            executor.submit(os.getpid)  # starts the workers
        yield executor
    finally:
        executor.shutdown(wait=True, kill_workers=True)


@contextmanager
def quiet_tracker() -> Iterator[None]:
    """Silence the process that removes semaphores of the pool, if it is started meanwhile.

    The command line exits without finalizers after a failure; the semaphores are removed all the
    same, but with a warning.
    """
    name = "PYTHONWARNINGS"
    before = os.environ.get(name)
    os.environ[name] = ",".join(filter(None, [before, "ignore:resource_tracker:UserWarning"]))
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


@contextmanager
def holding_interrupts() -> Iterator[None]:
    """Hold Ctrl-C back until the end; processes that are started meanwhile do not receive it."""
    if not HOLDS:
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Here(Executor):
    """Executor that computes in this process, with one thread, when a cell is submitted."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function, and return a finished future."""
        future: Future[Any] = Future()
        future.set_result(with_one_thread(fn, *args, **kwargs))
        return future


class OnCluster(Executor):
    """Executor that computes on the workers of a Dask cluster, each cell with one thread.

    Dask computes the cells of a lost worker again on another one.
    """

    def __init__(self, client: Any) -> None:
        self._tasks: Executor = client.get_executor(pure=False)

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Submit the function as a task."""
        return self._tasks.submit(with_one_thread, fn, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel the tasks that are not finished."""
        self._tasks.shutdown(wait=False)


def with_one_thread(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call a function while the libraries for linear algebra and OpenMP use one thread."""
    from threadpoolctl import threadpool_limits

    with threadpool_limits(1):
        return fn(*args, **kwargs)


@contextmanager
def cluster(scheduler: str | None, workers: int | None) -> Iterator[tuple[Executor, int]]:
    """Executor on a Dask cluster, and its number of threads; see `connected`."""
    from costboost._core.backends.dask.connecting import connected

    with connected(scheduler, workers) as client:
        executor = OnCluster(client)
        try:
            yield executor, max(1, sum(client.nthreads().values()))
        except BaseException:
            with suppress(Exception):
                executor.shutdown()
            raise


# ---- the cells of a study ------------------------------------------------------------------------

KILLED = (
    "the worker process was killed while it computed this cell, most likely because there was not "
    "enough memory"
)
MOST_SUBMITTED = 1000
"""Cells that an executor of the caller has at a time."""
REPETITIONS = frozenset({"repeat", "fold", "split", "run"})
"""Fields in which cells of the same kind differ."""


@dataclass(frozen=True)
class Failure:
    """A cell that raised an error; it is computed again at the next run."""

    cell: Cell
    message: str

    def __str__(self) -> str:
        fields = ", ".join(f"{name} {value}" for name, value in self.cell.items())
        return f"{fields}: {self.message}"


@dataclass(frozen=True)
class Progress:
    """State of a run, for a progress bar."""

    done: int
    total: int
    failed: int
    seconds_left: float | None
    """Estimate from the times of finished cells of the same kind; None if there are none."""


Listener = Callable[[Progress], None]


class Grid(Protocol):
    """What the runner needs of a study."""

    @property
    def name(self) -> str: ...
    @property
    def compute(self) -> Compute: ...
    @property
    def paired_by(self) -> Sequence[str]: ...


def seed_of(study: Grid, cell: Cell) -> int:
    """Seed of a cell, from the name of the study and the fields that `Study.paired_by` lists."""
    values = [study.name, *(cell[name] for name in study.paired_by)]
    return int.from_bytes(hashlib.sha256(json.dumps(values).encode()).digest()[:4], "big")


def versions() -> str:
    """Versions of the programs on which results depend."""
    others = [f"{name} {version(name)}" for name in ("numpy", "scikit-learn")]
    return ", ".join([f"costboost {__version__}", *others, f"Python {platform.python_version()}"])


def run_cells(
    study: Grid,
    cells: Sequence[Cell],
    journal: Journal,
    n_jobs: int = 1,
    on_progress: Listener | None = None,
    executor: Executor | None = None,
) -> list[Failure]:
    """Compute the cells that an open journal does not have, and add them to it.

    Parameters
    ----------
    study : Study or Grid
    cells : sequence of Cell
        The grid; a ValueError if it has a cell twice.
    journal : Journal
        Opened by `Journal.opened`.
    n_jobs : int, default=1
        Number of worker processes, each with one thread; 1 computes in this process.
    on_progress : callable, optional
        Called with a `Progress` at the start and after every cell.
    executor : concurrent.futures.Executor, optional
        Computes the cells instead of processes on this machine, such as ``client.get_executor()``
        of a Dask client.

    Returns
    -------
    list of Failure
        Cells that raised an error, or whose process was killed, in the order of the grid.
    """
    counts = Counter(map(key_of, cells))
    twice = [key for key, n in counts.items() if n > 1]
    if twice:
        raise ValueError(f"the grid of {study.name} has the cell {twice[0]} twice")
    run = _Run(study, cells, journal, n_jobs, on_progress)
    run.report()
    if executor is not None:
        run.compute(nullcontext(executor), MOST_SUBMITTED)
    elif n_jobs == 1:
        run.compute(nullcontext(Here()), 1)
    else:
        run.compute_in_processes()
    order = {key_of(cell): k for k, cell in enumerate(cells)}
    return sorted(run.failures, key=lambda one: order[key_of(one.cell)])


@dataclass
class _Run:
    """Cells that are waiting, and the outcome of the others."""

    study: Grid
    cells: Sequence[Cell]
    journal: Journal
    n_jobs: int
    on_progress: Listener | None
    waiting: deque[Cell] = field(init=False)
    failures: list[Failure] = field(default_factory=list)
    breakage: str = ""
    """Why the last pool of workers broke."""

    def __post_init__(self) -> None:
        done = self.journal.entries
        self.waiting = deque(cell for cell in self.cells if key_of(cell) not in done)
        self.done = len(self.cells) - len(self.waiting)
        self.versions = versions()
        self.times = Times(self.waiting, done.values())

    def compute_in_processes(self) -> None:
        """Compute everything; if a worker is killed, find its cell by computing one at a time."""
        while self.waiting:
            most = min(self.n_jobs, len(self.waiting))
            suspects = self.compute(processes(most), 2 * most)
            rest, self.waiting = self.waiting, deque()
            for cell in suspects:
                self.waiting.append(cell)
                if self.compute(processes(1), 1):
                    self.fail(cell, self.breakage)
            self.waiting = rest

    def compute(self, pool: AbstractContextManager[Executor], most: int) -> list[Cell]:
        """Compute waiting cells, at most ``most`` at a time.

        Returns the cells that were submitted, but not finished, when a worker was killed.
        """
        running: dict[Future[Any], Cell] = {}
        with pool as executor:
            while self.waiting or running:
                try:
                    while self.waiting and len(running) < most:
                        cell = self.waiting[0]
                        seed = seed_of(self.study, cell)
                        future = executor.submit(compute_cell, self.study.compute, cell, seed)
                        running[future] = self.waiting.popleft()
                    finished, _ = wait(running, return_when=FIRST_COMPLETED)
                    for future in finished:
                        self.take(running[future], _result(future))
                        del running[future]
                except BrokenExecutor as error:
                    killed = type(error).__name__ == "TerminatedWorkerError"
                    self.breakage = KILLED if killed else _message(error)
                    LOG.warning("%s; the cells that ran are computed again", self.breakage)
                    return list(running.values())
        return []

    def take(self, cell: Cell, found: Mapping[str, Any]) -> None:
        if "error" in found:
            self.fail(cell, found["error"])
            return
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        how = {name: found[name] for name in ("records", "seconds", "process")}
        seed = seed_of(self.study, cell)
        self.journal.add(Entry(dict(cell), seed, self.versions, finished=now, **how))
        self.times.finish(cell, found["seconds"])
        self.done += 1
        self.report()

    def fail(self, cell: Cell, message: str) -> None:
        self.failures.append(Failure(cell, message))
        self.times.finish(cell, None)
        self.report()

    def report(self) -> None:
        if self.on_progress is not None:
            left = self.times.left()
            left = None if left is None else left / self.n_jobs
            self.on_progress(Progress(self.done, len(self.cells), len(self.failures), left))


def _result(future: Future[Any]) -> Mapping[str, Any]:
    """Result of `compute_cell`; an error of the executor, such as a lost worker, fails the cell."""
    try:
        found: Mapping[str, Any] = future.result()
    except (BrokenExecutor, CancelledError):  # no cell can be computed any more
        raise
    except Exception as error:
        return {"error": _message(error)}
    return found


def _message(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"


class Times:
    """Estimate of the time left, by the mean time of finished cells of the same kind."""

    def __init__(self, waiting: Iterable[Cell], finished: Iterable[Entry]) -> None:
        self.remaining = Counter(map(self.kind, waiting))
        self.sums: dict[str, tuple[float, int]] = {}
        for entry in finished:
            self._add(self.kind(entry.cell), entry.seconds)

    @staticmethod
    def kind(cell: Cell) -> str:
        """Text that cells share which differ only in their repeat or fold."""
        return key_of({name: value for name, value in cell.items() if name not in REPETITIONS})

    def finish(self, cell: Cell, seconds: float | None) -> None:
        """Count a cell as finished; ``seconds`` is None if it failed."""
        kind = self.kind(cell)
        self.remaining[kind] -= 1
        if seconds is not None:
            self._add(kind, seconds)

    def _add(self, kind: str, seconds: float) -> None:
        total, n = self.sums.get(kind, (0.0, 0))
        self.sums[kind] = total + seconds, n + 1

    def left(self) -> float | None:
        """Seconds that the remaining cells take one after the other."""
        n = sum(count for _, count in self.sums.values())
        if not n:
            return None
        overall = sum(total for total, _ in self.sums.values()) / n
        means = {kind: total / count for kind, (total, count) in self.sums.items()}
        return sum(means.get(kind, overall) * count for kind, count in self.remaining.items())
