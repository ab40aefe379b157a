"""The loss of workers, and what is known about it."""

from __future__ import annotations

from costboost._core.backends.dask.waiting import ClusterError

LOST_IN_A_ROW = 8
"""A shard whose worker is lost so often without a call answered probably does not fit anywhere."""


class WorkerLostError(Exception):
    """The worker of a shard is gone."""


def too_many_losses(k: int) -> ClusterError:
    return ClusterError(
        f"the worker that held shard {k} was lost {LOST_IN_A_ROW} times without getting past the "
        "same step; its rows may not fit into the memory of a worker: use more or smaller "
        "partitions, or workers with more memory"
    )


def is_loss(error: BaseException) -> bool:
    """Whether an error of a task means that workers died, and not that the task is wrong."""
    return type(error).__name__ in {"KilledWorker", "CancelledError", "FutureCancelledError"}
