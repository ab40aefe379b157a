"""Data frames of pandas, polars or pyarrow as tables; none of them is imported unless X is one."""

from __future__ import annotations

from typing import Any

import numpy as np

from costboost._core.tables.labels import Labels, is_missing
from costboost._core.tables.numbers import as_floats, not_numeric
from costboost._core.tables.table import Array, ReadOnce, Table, TypedTable
from costboost._core.tables.text import holds_text

KEPT_CELLS = 2**25
"""Frames of up to so many values are kept as numbers while their rows are read repeatedly."""


TEXT_OF_ARROW = {"string", "large_string", "string_view"}
TEXT_OF_PANDAS = {"str"} | TEXT_OF_ARROW


class FrameTable(TypedTable):
    """Base class of data frames; subclasses read the columns of one library."""

    def __init__(self, X: Any) -> None:
        super().__init__(X, self._names(X))

    def column(self, j: int) -> Array:
        return self._finite(j, self._floats(self._series(j), self.names[j]))

    def labels(self, j: int) -> Labels:
        return self._labels(self._series(j))

    def is_categorical(self, j: int) -> bool:
        return self._holds_categories(self._series(j)) or self.is_text(j)

    def read_once(self) -> Table:
        return self if self.n_rows * self.n_features > KEPT_CELLS else ReadOnce(self)

    def _holds_text(self, j: int) -> bool:
        column = self._series(j)
        if self._holds_objects(column):
            return holds_text(column.to_list(), self.names[j])
        return self._is_text_type(column)

    @staticmethod
    def _names(X: Any) -> list[Any]:
        return list(X.columns)

    def _series(self, j: int) -> Any:
        raise NotImplementedError

    @staticmethod
    def _is_text_type(column: Any) -> bool:
        raise NotImplementedError

    @staticmethod
    def _holds_objects(column: Any) -> bool:
        """Whether the column has the type object."""
        return str(column.dtype).lower() == "object"

    @staticmethod
    def _holds_categories(column: Any) -> bool:
        raise NotImplementedError

    @staticmethod
    def _labels(column: Any) -> Labels:
        raise NotImplementedError

    @staticmethod
    def _floats(column: Any, name: Any) -> Array:
        raise NotImplementedError


class PandasTable(FrameTable):
    """A pandas DataFrame."""

    _last: tuple[int, Any] = -1, None
    """Number and values of the column that was read last: to select one takes time."""

    def _rows(self, rows: Any) -> Any:
        return self.X.iloc[rows]

    def _series(self, j: int) -> Any:
        number, series = self._last
        if number != j:
            series = self.X.iloc[:, j]
            self._last = j, series
        return series

    @staticmethod
    def _holds_categories(column: Any) -> bool:
        kind = str(column.dtype)
        return kind == "category" or kind.startswith("dictionary")

    @staticmethod
    def _is_text_type(column: Any) -> bool:
        return str(column.dtype).split("[")[0] in TEXT_OF_PANDAS

    @staticmethod
    def _labels(column: Any) -> Labels:
        if PandasTable._is_text_type(column):
            codes, labels = column.factorize()
            return Labels(codes, labels.tolist())
        if str(column.dtype) == "category":
            return Labels(column.cat.codes.to_numpy(), column.cat.categories.tolist())
        return Labels.of(column.to_numpy(dtype=object))

    @staticmethod
    def _floats(column: Any, name: Any) -> Array:
        if str(column.dtype) == "category":
            if column.cat.categories.dtype.kind not in "biuf":
                raise not_numeric(name, "category")
            column = column.astype(np.float64)
        kind = str(column.dtype)
        if kind.startswith("null"):
            return np.full(len(column), np.nan)
        if kind == "object":
            try:
                return as_floats(column.to_numpy(), name)
            except TypeError as error:
                raise not_numeric(name, "objects") from error
        if getattr(column.dtype, "kind", "O") not in "biuf" or PandasTable._is_text_type(column):
            raise not_numeric(name, column.dtype)
        values: Array = column.to_numpy(dtype=np.float64, na_value=np.nan)
        return values


class PolarsTable(FrameTable):
    """A polars DataFrame."""

    def _series(self, j: int) -> Any:
        return self.X.to_series(j)

    @staticmethod
    def _holds_categories(column: Any) -> bool:
        return type(column.dtype).__name__ in {"Categorical", "Enum"}

    @staticmethod
    def _is_text_type(column: Any) -> bool:
        return type(column.dtype).__name__ in {"String", "Utf8"}

    @staticmethod
    def _labels(column: Any) -> Labels:
        import polars as pl

        if PolarsTable._holds_categories(column):
            column = column.cast(pl.String)
        return Labels.of(np.array(column.to_list(), dtype=object))

    @staticmethod
    def _floats(column: Any, name: Any) -> Array:
        import polars as pl

        if column.dtype == pl.Null:
            return np.full(len(column), np.nan)
        if not (column.dtype.is_numeric() or column.dtype == pl.Boolean):
            raise not_numeric(name, column.dtype)
        values: Array = column.cast(pl.Float64).fill_null(float("nan")).to_numpy()
        return values


class ArrowTable(FrameTable):
    """A pyarrow Table or RecordBatch."""

    def _rows(self, rows: Any) -> Any:
        if isinstance(rows, slice):
            return self.X.slice(rows.start, rows.stop - rows.start)
        return self.X.take(rows)

    @staticmethod
    def _names(X: Any) -> list[Any]:
        return list(X.column_names)

    def _series(self, j: int) -> Any:
        return self.X.column(j)

    @staticmethod
    def _holds_categories(column: Any) -> bool:
        return str(column.type).startswith("dictionary")

    @staticmethod
    def _is_text_type(column: Any) -> bool:
        return str(column.type) in TEXT_OF_ARROW

    @staticmethod
    def _holds_objects(column: Any) -> bool:
        return False

    @staticmethod
    def _labels(column: Any) -> Labels:
        """Labels of a column; a null is missing, both among the codes and in the dictionary."""
        if ArrowTable._is_text_type(column):
            column = column.cast("large_string").dictionary_encode()
        if not ArrowTable._holds_categories(column):
            return Labels.of(np.array(column.to_pylist(), dtype=object))
        column = column.unify_dictionaries().combine_chunks()
        if hasattr(column, "chunks"):
            column = column.chunk(0)
        codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)
        labels = column.dictionary.to_pylist()
        known = np.array([not is_missing(label) for label in labels] + [False])
        place = np.where(known, np.cumsum(known) - 1, -1)
        return Labels(place[codes], [label for label in labels if not is_missing(label)])

    @staticmethod
    def _floats(column: Any, name: Any) -> Array:
        import pyarrow as pa

        if ArrowTable._holds_categories(column):
            column = column.cast(column.type.value_type)
        types = pa.types
        if types.is_null(column.type):
            return np.full(len(column), np.nan)
        if types.is_boolean(column.type):
            column = column.cast(pa.int8())
        if not (types.is_integer(column.type) or types.is_floating(column.type)):
            raise not_numeric(name, column.type)
        values: Array = column.cast(pa.float64(), safe=False).to_numpy()
        return values


def holds_categories(type_: Any) -> bool:
    """Whether columns of a pyarrow type are categorical: dictionaries and text are."""
    return str(type_).startswith("dictionary") or str(type_) in TEXT_OF_ARROW


def frame_table(X: Any) -> FrameTable | None:
    """X as a table, or None if it is not a data frame."""
    module = type(X).__module__.split(".")[0]
    if module == "pyarrow":
        return ArrowTable(X) if hasattr(X, "column_names") else None
    kinds: dict[str, type[FrameTable]] = {"pandas": PandasTable, "polars": PolarsTable}
    return kinds[module](X) if module in kinds and hasattr(X, "columns") else None
