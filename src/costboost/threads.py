"""How many threads a piece of work gets."""

from __future__ import annotations

from costboost.engine._kernels import available_threads

PARALLEL_CELLS = 1_000_000
"""Below so many row x feature cells a second thread loses more than it gains."""
NO_THREADS = "n_jobs must not be 0; None or -1 takes all threads, 1 only one"


def threads(n_jobs: int | None, n_cells: int) -> int:
    """Threads for work on so many cells.

    ``n_jobs`` as in scikit-learn, but None means all that OpenMP offers here (so threadpoolctl,
    OMP_NUM_THREADS and nested parallelism are respected), as for HistGradientBoosting.
    """
    if n_jobs == 0:
        raise ValueError(NO_THREADS)
    offered = available_threads()
    if n_jobs is None or n_jobs == -1:
        wanted = offered
    elif n_jobs < 0:
        wanted = max(1, offered + 1 + n_jobs)
    else:
        wanted = n_jobs
    return wanted if n_cells >= PARALLEL_CELLS else 1
