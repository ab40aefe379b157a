"""Dask: collections as data, and clusters as the place of computation."""
