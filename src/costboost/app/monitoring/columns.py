"""The columns of rows of any library, as arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def columns_of(X: Any, names: Sequence[str] | None = None) -> Iterator[tuple[str, Any]]:
    """Names and values of the columns of an array, data frame, Arrow table or sparse matrix.

    Values are floats, with NaN for missing ones, or an object array of texts and None.
    """
    if hasattr(X, "tocsc"):
        X = X.toarray()
    if hasattr(X, "columns") and hasattr(X, "column"):  # pyarrow
        for name, column in zip(X.column_names, X.columns, strict=True):
            yield str(name), _arrow_values(column)
        return
    if hasattr(X, "columns"):  # pandas and polars
        for name in X.columns:
            column = X[name]
            text = "cat" in str(getattr(column, "dtype", "")).lower()
            yield str(name), _categories(column) if text else _values(column)
        return
    values = np.asarray(X)
    for k in range(values.shape[1]):
        yield names[k] if names is not None else f"column {k}", _values(values[:, k])


def _categories(column: Any) -> Any:
    """Categories as texts, which those of numbers are also where others are missing."""
    codes = getattr(getattr(column, "cat", None), "codes", None)
    if codes is None:  # polars
        return _values(np.asarray(column, dtype=object), text=True)
    texts = np.array([*map(str, column.cat.categories), None], dtype=object)
    return texts[np.asarray(codes)]


def _arrow_values(column: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_floating(column.type) or pa.types.is_integer(column.type):
        return column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return texts(column.to_pylist())


def _values(column: Any, text: bool = False) -> Any:
    values = np.asarray(column)
    if not text and values.dtype.kind in "iufb":
        return values.astype(np.float64)
    if not text and values.dtype.kind in "mM":
        return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
    if not text and values.dtype == object:
        try:
            return values.astype(np.float64)
        except (TypeError, ValueError):
            pass
    return texts(values.tolist())


def texts(values: list[Any]) -> NDArray[np.object_]:
    missing = [None if value is None or value != value else str(value) for value in values]
    return np.array(missing, dtype=object)
