"""Tables of NumPy and SciPy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from costboost.tables.categories import Labels
from costboost.tables.table import Array, Coders, RowBlocks, Table, TypedTable, as_floats
from costboost.tables.text import holds_text


class DenseTable(Table):
    """A NumPy array of floats, already checked."""

    def __init__(self, X: Array) -> None:
        askew = any(stride % X.itemsize for stride in X.strides)  # a field of packed records
        super().__init__(X.copy() if askew else X)

    def column(self, j: int) -> Array:
        column: Array = self.X[:, j]
        return column

    def labels(self, j: int) -> Labels:
        return Labels.of(self.X[:, j])

    def numbers(self, coders: Coders) -> Iterator[tuple[int, Array]]:
        if any(coders):
            yield from super().numbers(coders)
        else:
            yield 0, self.X

    def row_blocks(self, coders: Coders) -> RowBlocks:
        if any(coders):
            yield from super().row_blocks(coders)
        else:
            yield slice(0, self.n_rows), self.X


class RawTable(Table):
    """Values nobody here looks into."""


class TextTable(Table):
    """A NumPy array of dates, or of text, some of which NumPy may have made of numbers."""

    def column(self, j: int) -> Array:
        return self._finite(j, as_floats(self.X[:, j], self.names[j]))

    def labels(self, j: int) -> Labels:
        return Labels.of(self.X[:, j])


class ObjectTable(TypedTable, TextTable):
    """A NumPy array of objects, each of which has kept its type."""

    def _holds_text(self, j: int) -> bool:
        return holds_text(self.X[:, j].tolist(), self.names[j])


class SparseTable(Table):
    """A SciPy sparse matrix; absent entries are zeros."""

    def __init__(self, X: Any) -> None:
        super().__init__(X)
        self._columns: Any = None

    def column(self, j: int) -> Array:
        if self._columns is None:
            self._columns = self.X.tocsc(copy=not self.X.has_canonical_format)
            self._columns.sum_duplicates()
        columns = self._columns
        entries = slice(columns.indptr[j], columns.indptr[j + 1])
        values = np.zeros(self.n_rows, dtype=columns.dtype)
        values[columns.indices[entries]] = columns.data[entries]
        return values

    def labels(self, j: int) -> Labels:
        return Labels.of(self.column(j))

    def repeated_blocks(self, coders: Coders) -> Callable[[], RowBlocks]:
        """Read each time: all blocks together would be the dense matrix."""
        return lambda: self.row_blocks(coders)

    def take(self, rows: Any) -> Table:
        return SparseTable(self.X.tocsr()[rows])
