"""Tables of measures, methods by data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from costboost.metrics.checks import Floats, check_numbers


def read_table(values: Any, names: Sequence[str] | None) -> tuple[Floats, list[str]]:
    """The table as an array, and names of the methods: those given, or those of the columns."""
    if isinstance(values, Mapping):
        own = [str(name) for name in values]
        lengths = {np.size(column) for column in values.values()}
        if len(lengths) > 1:
            raise ValueError(f"every method must have as many values, got {sorted(lengths)}")
        table = check_numbers("values", np.column_stack(list(values.values())))
    else:
        own = [str(name) for name in getattr(values, "columns", ())]
        table = check_numbers("values", values)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(
            "values must be a table with a row for each data set and a column for each method, got "
            f"an array of shape {table.shape}"
        )
    return table, check_names(names, own, table.shape[1])


def check_names(names: Sequence[str] | None, own: Sequence[str], n: int) -> list[str]:
    """A name for each method."""
    chosen = own or [f"method {k}" for k in range(1, n + 1)]
    if names is not None:
        chosen = [str(name) for name in names]
    if len(chosen) != n:
        raise ValueError(
            f"names must have one entry for each of the {n} methods, got {len(chosen)}"
        )
    return list(chosen)


def means(name: str, values: Any, n: int) -> Floats:
    """A number for each method; a table is averaged over data sets."""
    if isinstance(values, Mapping):
        values = np.column_stack(list(values.values()))
    numbers = check_numbers(name, values)
    numbers = numbers.mean(axis=0) if numbers.ndim == 2 else numbers
    if numbers.shape != (n,) or not np.all(np.isfinite(numbers)):
        raise ValueError(
            f"{name} must have a finite number for each of the {n} methods, or a table with a "
            f"column for each of them, got an array of shape {np.shape(values)}"
        )
    return numbers
