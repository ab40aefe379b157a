"""How many threads work may take."""

from __future__ import annotations

import os

from costboost._core.engine._kernels import available_threads
from costboost._core.parameters.parameter import NO_THREADS

PARALLEL_CELLS = 1_000_000
"""Smallest number of row x feature cells for which several threads are used."""
MOST_THREADS = 1024
"""Upper limit whatever ``n_jobs`` is, because each thread needs memory for its own sums."""


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
