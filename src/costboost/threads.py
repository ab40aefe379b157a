"""How many threads a piece of work gets."""

from __future__ import annotations

import os

from costboost.engine._kernels import available_threads

PARALLEL_CELLS = 1_000_000
"""Below so many row x feature cells a second thread loses more than it gains."""
NO_THREADS = "n_jobs must not be 0; None or -1 takes all threads, 1 only one"
MOST_THREADS = 1024
"""However many ``n_jobs`` asks for: each thread has sums of its own."""


def threads(n_jobs: int | None, n_cells: int) -> int:
    """Threads for work on so many cells.

    ``n_jobs`` as in scikit-learn, but None means all threads offered, as for HistGradientBoosting.
    """
    if n_jobs == 0:
        raise ValueError(NO_THREADS)
    if n_cells < PARALLEL_CELLS:
        return 1
    if n_jobs is not None and n_jobs > 0:
        return min(n_jobs, MOST_THREADS)
    return max(1, offered_threads() + 1 + (-1 if n_jobs is None else n_jobs))


def offered_threads() -> int:
    """Threads that are there for this process.

    As in scikit-learn: those of OpenMP, so that threadpoolctl and nested parallelism are respected,
    but not more than the CPUs that affinity and the quota of a container (cgroup) leave to the
    process. Who sets OMP_NUM_THREADS may ask for more.
    """
    offered = available_threads()
    if os.environ.get("OMP_NUM_THREADS"):
        return offered
    from joblib import cpu_count  # not needed for small work

    return min(offered, int(cpu_count()))
