"""Dask: collections as data, and clusters as the place of computation."""

from costboost.cluster.training import in_memory, training_table

__all__ = ["in_memory", "training_table"]
