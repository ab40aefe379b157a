"""The cluster of the tests of costboost."""

from cluster.conftest import client, cluster, no_scheduler_is_left

__all__ = ["client", "cluster", "no_scheduler_is_left"]
