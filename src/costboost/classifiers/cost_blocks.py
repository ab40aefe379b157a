"""Costs that belong to the blocks of rows of a Dask collection."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.backends.dask.blocks import is_collection, row_blocks

Chunks = tuple[float, ...]


class Joined(tuple[Any, ...]):
    """A block of rows, and the blocks of columns of costs."""


def with_costs(part: Any, *costs: Any) -> Joined:
    return Joined((part, *costs))


def has_partitions_of(X: Any, cost: Any) -> bool:
    """Whether costs are a column of a data frame that is divided as the data frame X.

    Dask may join the partitions of a file that it reads, more of them the fewer columns it
    reads. It does that alike for what one function is given, so that X and costs must be.
    """
    return (
        hasattr(X, "map_partitions")
        and hasattr(cost, "map_partitions")
        and cost.ndim == 1
        and X.npartitions == cost.npartitions
    )


DIMENSIONS = {0: "", 1: "i", 2: "yz", 3: "iyz"}
"""Names of the dimensions of costs by their number; i are the rows."""


def cost_blocks(name: str, cost: Any, chunks: Chunks) -> Any:
    """Costs as a Dask array with the row blocks of X, or as they are if they hold for all rows."""
    lazy = is_collection(cost)
    n_dimensions = cost.ndim if lazy else np.ndim(cost)
    if n_dimensions not in DIMENSIONS:
        raise ValueError(f"{name} has {n_dimensions} dimensions, more than costs can have")
    if "i" not in DIMENSIONS[n_dimensions]:
        return cost.rechunk(-1) if lazy else cost
    import dask.array as da

    if not lazy:
        cost = da.from_array(np.asarray(cost), chunks=-1)  # type: ignore[no-untyped-call]
    cost = row_blocks(cost)
    own = cost.chunks[0]
    if np.isnan(own).any() or np.isnan(chunks).any():
        if len(own) != len(chunks):
            raise ValueError(
                f"{name} has {len(own)} blocks of rows, and X has {len(chunks)}, of which not all "
                "lengths are known, so that costs and rows cannot be matched; pass costs as a Dask "
                "array with the same blocks, such as a column of the same data frame, or X as an "
                "array of known lengths (X.to_dask_array(lengths=True))"
            )
        return cost
    if sum(own) != sum(chunks):
        raise ValueError(
            f"{name} must be one number or one for each of the {int(sum(chunks))} rows, got an "
            f"array of shape {cost.shape}"
        )
    return cost.rechunk({0: chunks})
