"""Dask: collections as data, and clusters as the place of computation."""

from costboost._core.backends.dask.collections import refuse_scoring, training_table

__all__ = ["refuse_scoring", "training_table"]
