"""Dask arrays and data frames as arguments."""

from __future__ import annotations

from typing import Any


def is_collection(value: Any) -> bool:
    """Whether a value is a Dask array, data frame, series or index; does not import Dask."""
    return type(value).__module__.startswith("dask.") and hasattr(value, "__dask_graph__")
