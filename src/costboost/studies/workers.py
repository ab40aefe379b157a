"""Worker processes with one thread each, and what they run."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager, suppress
from typing import Any

from costboost.studies.study import Cell, Record, Scalar

Compute = Callable[[Cell, int], list[Record]]
ONE_THREAD = {
    f"{name}_NUM_THREADS": "1" for name in ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "VECLIB")
}
"""Environment of a worker, set before it loads any library."""
WATCH_SECONDS = 0.5
"""How often a worker checks that its parent is alive."""


# ---- in a worker ---------------------------------------------------------------------------------


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


HOLDS = hasattr(signal, "pthread_sigmask")
"""Whether signals can be held back: everywhere but on Windows."""


# ---- executors -----------------------------------------------------------------------------------


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
    from costboost.cluster.connecting import connected

    with connected(scheduler, workers) as client:
        executor = OnCluster(client)
        try:
            yield executor, max(1, sum(client.nthreads().values()))
        except BaseException:
            with suppress(Exception):
                executor.shutdown()
            raise
