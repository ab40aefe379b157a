"""Containers that are refused because their rows cannot be read here."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

FRAMES = ("pandas", "polars", "pyarrow")


def refuse_unread(name: str, value: Any) -> None:
    """Raise ValueError for lazy queries, iterators and data frames of unsupported libraries."""
    kind, library = type(value).__name__, type(value).__module__.split(".")[0]
    if library == "polars" and kind == "LazyFrame":
        raise ValueError(
            f"{name} is a polars LazyFrame, a query whose rows are not there yet; pass "
            f"{name}.collect()"
        )
    if library == "dask":
        raise ValueError(
            f"{name} is a Dask {kind}, whose rows are not in memory, where they are needed here; "
            f"pass {name}.compute(), or the part of the rows that matters"
        )
    if library == "distributed":
        raise ValueError(
            f"{name} is a Dask {kind}, whose rows are on a worker; pass {name}.result(), or a Dask "
            "array or data frame made of such parts"
        )
    if isinstance(value, Iterator):
        raise ValueError(
            f"{name} is an iterator ({kind}), which can be read once only; pass list({name})"
        )
    if library not in FRAMES and hasattr(value, "columns"):
        raise ValueError(
            f"{name} is a {kind} of {library}, which is not read here; convert it to a pandas or "
            "polars frame, a pyarrow table or a NumPy array"
        )
