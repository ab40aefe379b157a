"""Numbers of threads, and work on several of them."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from numbers import Integral
from threading import Thread
from typing import Any, TypeVar

from costboost._core.engine._kernels import Stop, available_threads, is_stopped, obey
from costboost._core.parameters.parameter import NO_THREADS

T = TypeVar("T")

PARALLEL_CELLS = 1_000_000
"""Smallest number of row x feature cells for which several threads are used."""
MOST_JOBS = 1024
MOST_THREADS = 1024
"""Upper limit whatever ``n_jobs`` is, because each thread needs memory for its own sums."""
PAUSE = 0.3
"""Seconds after which an interrupt is looked for while other threads are waited for."""


def jobs_for_joblib(n_jobs: Any, n_tasks: int) -> int | None:
    """``n_jobs`` for joblib, which would start as many processes, needed for the tasks or not."""
    if n_jobs is None:
        return None
    if not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(
            "n_jobs must be None or a whole number other than 0, -1 for all processors, got "
            f"{n_jobs!r}"
        )
    return max(-MOST_JOBS, min(int(n_jobs), n_tasks, MOST_JOBS))


def threads(n_jobs: int | None, n_cells: int) -> int:
    """Number of threads for work on ``n_cells`` row x feature cells.

    ``n_jobs`` as in scikit-learn, but None means all threads, as for HistGradientBoosting.
    """
    if n_jobs == 0:
        raise ValueError(NO_THREADS)
    if n_cells < PARALLEL_CELLS:
        return 1
    if n_jobs is not None and n_jobs > 0:
        return min(n_jobs, MOST_THREADS)
    return max(1, offered_threads() + 1 + (-1 if n_jobs is None else n_jobs))


def offered_threads() -> int:
    """Number of threads available to this process.

    As in scikit-learn: those of OpenMP, so that threadpoolctl and nested parallelism are respected,
    but not more than the CPUs that affinity and the quota of a container (cgroup) leave to the
    process. OMP_NUM_THREADS overrides that limit.
    """
    offered = available_threads()
    if os.environ.get("OMP_NUM_THREADS"):
        return offered
    from joblib import cpu_count  # not needed for small work

    return min(offered, int(cpu_count()))


def side_by_side(workers: Sequence[Callable[[int], T]], n_items: int) -> list[T]:
    """Results for the items 0 to n_items - 1, which the workers take one after the other.

    The first worker is called in this thread, each of the others in a thread of its own. If one of
    them fails, or this thread is interrupted, the others are stopped.
    """
    items = deque(range(n_items))
    results: list[Any] = [None] * n_items
    failures: list[BaseException] = []
    stop = Stop()

    def work(worker: Callable[[int], T]) -> None:
        while not stop.is_set():
            try:
                item = items.popleft()
            except IndexError:
                return
            results[item] = worker(item)

    def helped(worker: Callable[[int], T]) -> None:
        obey(stop)
        try:
            work(worker)
        except BaseException as error:
            failures.append(error)
            stop.set()
        finally:
            obey(None)

    helpers = _started([lambda own=own: helped(own) for own in workers[1:]])  # type: ignore[misc]
    try:
        work(workers[0])
        for helper in helpers:
            _wait_for(helper)
    finally:
        if items or any(helper.is_alive() for helper in helpers):
            stop.set()
        for helper in helpers:
            helper.join()
    if failures:
        raise failures[0]
    return results


def _started(functions: Sequence[Callable[[], None]]) -> list[Thread]:
    """Threads that call the functions, in the context of this one; fewer if threads are limited."""
    started = []
    for function in functions:
        thread = Thread(target=copy_context().run, args=(function,), name="costboost")
        try:
            thread.start()
        except RuntimeError:
            break
        started.append(thread)
    return started


def _wait_for(thread: Thread) -> None:
    # A thread that waits without end does not hear an interrupt that another one received.
    while thread.is_alive():
        thread.join(PAUSE)
        if is_stopped():
            raise KeyboardInterrupt
