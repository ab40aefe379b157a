"""NumPy arrays as tables."""

from __future__ import annotations

from collections.abc import Iterator

from costboost._core.tables.labels import Labels
from costboost._core.tables.numbers import as_floats, check_no_infinity
from costboost._core.tables.table import Array, Coders, RowBlocks, Table, TypedTable
from costboost._core.tables.text import holds_text


class DenseTable(Table):
    """A validated NumPy array of floats."""

    def __init__(self, X: Array) -> None:
        misaligned = any(stride % X.itemsize for stride in X.strides)  # field of packed records
        super().__init__(X.copy() if misaligned else X)

    def column(self, j: int) -> Array:
        column: Array = self.X[:, j]
        return column

    def labels(self, j: int) -> Labels:
        return Labels.of(self.X[:, j])

    def refuse_infinite(self) -> None:
        check_no_infinity(self.X)

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


class TextTable(Table):
    """A NumPy array of dates or of text, which may be numbers that NumPy converted to text."""

    def column(self, j: int) -> Array:
        return self._finite(j, as_floats(self.X[:, j], self.names[j]))

    def labels(self, j: int) -> Labels:
        return Labels.of(self.X[:, j])


class ObjectTable(TypedTable, TextTable):
    """A NumPy array of objects."""

    def _holds_text(self, j: int) -> bool:
        return holds_text(self.X[:, j].tolist(), self.names[j])
