"""Blocks of rows of Dask collections, and their columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from costboost._core.checks import quoted


def is_collection(value: Any) -> bool:
    """Whether a value is a Dask array, data frame, series or index; does not import Dask."""
    return type(value).__module__.startswith(("dask.array", "dask.dataframe")) and hasattr(
        value, "__dask_graph__"
    )


def check_dimensions(X: Any) -> None:
    """Raise a ValueError if X, a Dask collection, has not rows and columns."""
    if X.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {X.ndim}D array instead: X must be a Dask array of shape "
            "(n_samples, n_features) or a Dask data frame"
        )


def row_blocks(values: Any, convert: Callable[..., Any] | None = None, *others: Any) -> Any:
    """A Dask array whose blocks hold all columns.

    Blocks of a data frame are pandas objects, or what ``convert`` makes of them and of those of
    other data frames.
    """
    if hasattr(values, "map_partitions"):
        names = list(values.columns) if values.ndim == 2 else None
        shape = (0,) if names is None else (0, len(names))
        return values.map_partitions(
            _converted,
            names,
            convert,
            *others,
            meta=np.empty(shape),
            enforce_metadata=False,
            align_dataframes=False,
        )
    return values.rechunk(dict.fromkeys(range(1, values.ndim), -1))


def _converted(
    part: Any, names: list[Any] | None, convert: Callable[..., Any] | None, *others: Any
) -> Any:
    """A partition of a data frame with these columns, or what ``convert`` makes of it."""
    if names is not None:
        refuse_other_columns("a partition", Shape((0, len(names)), names), shape_of(part))
    return part if convert is None else convert(part, *others)


class Shape(NamedTuple):
    """Shape of a partition, and the names of the columns of a data frame."""

    shape: tuple[int, ...]
    names: list[Any] | None

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.shape[0])


def shape_of(part: Any) -> Shape:
    """Shape of a partition, which may be sparse."""
    names = list(part.columns) if hasattr(part, "columns") else None
    return Shape(tuple(map(int, part.shape)), names)


def refuse_other_columns(which: str, expected: Shape, found: Shape) -> None:
    """Raise a ValueError if a partition with rows has not the columns of its collection."""
    if not found.n_rows:
        return
    if found.shape[1:] != expected.shape[1:]:
        raise ValueError(
            f"{which} has the shape {found.shape}, but all partitions must have "
            f"{expected.shape[1]} columns, as the collection states"
        )
    if expected.names is None or found.names is None:
        return
    for k, (name, own) in enumerate(zip(expected.names, found.names, strict=True)):
        if own != name:
            raise ValueError(
                f"column {k} of {which} is {quoted(own)}, but {quoted(name)} in the collection; "
                "all partitions must have the same columns in the same order: select them by name "
                "where they are read, as by part[names]"
            )
