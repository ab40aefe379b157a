"""Rows in every supported container, and the numbers read from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from costboost._core import tables

NA = float("nan")


def read(X: Any) -> tables.Table:
    return tables.read_training("AnyClassifier", X)[0]


def stack(table: tables.Table, coders: list[Any]) -> NDArray[Any]:
    """All numbers of the table, read column by column and in blocks of rows, which must agree."""
    columns: list[Any] = [None] * table.n_features
    for first, block in table.numbers(coders):
        for j in range(block.shape[1]):
            columns[first + j] = block[:, j]
    found = np.column_stack(columns)
    assert found.dtype.kind == "f"
    by_rows = np.full(found.shape, -99.0)
    for rows, block in table.row_blocks(coders):
        by_rows[rows] = block
    np.testing.assert_array_equal(by_rows, found)
    return found


def numbers(X: Any, categorical: Any = None, max_codes: int = 255) -> NDArray[Any]:
    table = read(X)
    flags = tables.categorical_columns(table, categorical)
    return stack(table, tables.make_coders(table, flags, max_codes))


def chunked(table: pa.Table) -> pa.Table:
    """The table in pieces, as files are read."""
    return pa.concat_tables([table.slice(0, 2), table.slice(2, 0), table.slice(2)])


FRAMES: dict[str, Callable[[dict[str, Any]], Any]] = {
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
}


NUMBERED: dict[str, Callable[[list[Any]], Any]] = {
    "numpy": lambda v: np.array([[NA if x is None else x] for x in v], dtype=float),
    "numpy objects": lambda v: np.array(v, dtype=object)[:, np.newaxis],
    "pandas": lambda v: pd.DataFrame({"k": v}),
    "pandas Int64": lambda v: pd.DataFrame({"k": pd.array(v, dtype="Int64")}),
    "pandas category": lambda v: pd.DataFrame({"k": pd.Categorical(v)}),
    "polars": lambda v: pl.DataFrame({"k": v}),
    "pyarrow": lambda v: pa.table({"k": v}),
    "pyarrow dictionary": lambda v: pa.table({"k": pa.array(v).dictionary_encode()}),
}
