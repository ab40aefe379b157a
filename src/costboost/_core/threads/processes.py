"""Work in processes, or wherever joblib is told to do it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from numbers import Integral
from typing import Any, TypeVar

from sklearn.utils.parallel import Parallel, delayed

T = TypeVar("T")

MOST_JOBS = 1024


def in_processes(work: Callable[..., T], tasks: Sequence[tuple[Any, ...]], n_jobs: Any) -> list[T]:
    """Results of ``work(*task)`` for every task, in order.

    Users choose between processes, threads and clusters by `joblib.parallel_config`.
    """
    parallel = Parallel(n_jobs=jobs_for_joblib(n_jobs, len(tasks)))
    found: list[T] = parallel(delayed(work)(*task) for task in tasks)
    return found


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
