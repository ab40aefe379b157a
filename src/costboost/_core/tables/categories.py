"""Which columns are categorical."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from costboost._core.tables.labels import Coder
from costboost._core.tables.table import Array, Table


def categorical_columns(table: Table, categorical_features: Any) -> list[bool]:
    """Mask of the categorical columns, from the parameter ``categorical_features``."""
    if isinstance(categorical_features, str):
        if categorical_features != "from_dtype":
            raise ValueError(
                "categorical_features must be 'from_dtype', None, or a list of columns, "
                f"got {categorical_features!r}"
            )
        return [table.is_categorical(j) for j in range(table.n_features)]
    chosen = np.asarray([] if categorical_features is None else categorical_features)
    if chosen.size == 0:
        return [False] * table.n_features
    if chosen.ndim != 1:
        raise ValueError("categorical_features must be one-dimensional")
    if chosen.dtype == bool:
        return _masked(chosen, table.n_features)
    if chosen.dtype.kind in "iu":
        return _numbered(chosen.tolist(), table.n_features)
    return _named(chosen.tolist(), table.names)


def _masked(mask: Array, n_features: int) -> list[bool]:
    if mask.size != n_features:
        raise ValueError(
            f"categorical_features is a mask of length {mask.size}, but X has {n_features} columns"
        )
    return [bool(flag) for flag in mask]


def _numbered(wanted: list[int], n_features: int) -> list[bool]:
    outside = [j for j in wanted if not 0 <= j < n_features]
    if outside:
        raise ValueError(
            f"categorical_features names column {outside[0]}, but X has columns 0 to "
            f"{n_features - 1}"
        )
    return [j in wanted for j in range(n_features)]


def _named(wanted: list[Any], names: list[Any]) -> list[bool]:
    unknown = [name for name in wanted if name not in names]
    if unknown:
        raise ValueError(
            f"categorical_features names column {unknown[0]!r}, which X does not have; "
            f"its columns are {names}"
        )
    return [name in wanted for name in names]


def make_coders(
    table: Table, categorical: Sequence[bool], max_codes: int, copies: Array | None = None
) -> list[Coder | None]:
    """A coder for each categorical column, None for others; ``copies`` counts rows repeatedly."""
    return [
        table.coder(j, max_codes, copies) if flag else None for j, flag in enumerate(categorical)
    ]
