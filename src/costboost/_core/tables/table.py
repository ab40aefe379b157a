"""A feature matrix whose columns can be read as numbers or as labels."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import copy
from functools import cache
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from costboost._core.caching import cached_property
from costboost._core.tables.labels import Coder, Labels
from costboost._core.tables.matrix import LocalMatrix, Matrix

Array = NDArray[Any]
Coders = Sequence[Coder | None]
RowBlocks = Iterator[tuple[slice, Array]]


PREDICTION_CELLS = 4_000_000
"""Values of a frame or sparse matrix that are converted to numbers at a time."""


class Team(NamedTuple):
    """How functions of the rows of a table run side by side."""

    most: int
    """Number of functions that run at a time."""
    computes: bool
    """Whether they compute in this process, instead of waiting for other ones."""


class Table:
    """A feature matrix whose columns can be read as numbers or as labels."""

    computed = False
    """Whether features are computed when they are read, so that no others should be."""

    def __init__(self, X: Any, names: Sequence[Any] | None = None) -> None:
        self.X = X
        self.names = list(range(X.shape[1]) if names is None else names)
        self.n_rows: int = X.shape[0]
        self.n_features = len(self.names)

    # ---- methods of subclasses -------------------------------------------------------------------

    def column(self, j: int) -> Array:
        """Column j as floats."""
        raise NotImplementedError

    def labels(self, j: int) -> Labels:
        """Column j as labels."""
        raise NotImplementedError

    def is_categorical(self, j: int) -> bool:
        """Whether the type of column j is categorical or text."""
        return self.is_text(j)

    def is_text(self, j: int) -> bool:
        """Whether column j is text without a categorical type."""
        return False

    def take(self, rows: Any) -> Table:
        """Select rows (a slice or an index array)."""
        return type(self)(self.X[rows])

    def labelled(self, coders: Coders, numbers: Array) -> Array:
        """An object array of ``numbers`` with labels in categorical columns, None if missing."""
        shown = numbers.astype(object)
        for j, coder in enumerate(coders):
            if coder is not None:
                column = self.labels(j)
                names = np.array([*column.labels, None], dtype=object)
                shown[:, j] = names[column.codes]
        return shown

    def read_once(self) -> Table:
        """A table that converts each column only once, even if rows are selected repeatedly."""
        return self

    # ---- functions of the rows, wherever they are ------------------------------------------------

    def each(self, function: Callable[..., Any], *given: Any) -> list[Any]:
        """Apply a function to the rows, or to those in each other process; return its results."""
        return [function(self, *given)]

    def mapped(self, function: Callable[..., Array], *given: Any) -> Array:
        """Values of a function that has one for each row, along the last axis."""
        return function(self, *given)

    def staged(self, function: Callable[..., Iterator[Array]], *given: Any) -> Iterator[Array]:
        """Values of a function that yields those of stages, rows along the last axis."""
        return function(self, *given)

    def matrix(self, reads: Callable[[Table], Any]) -> Matrix:
        """The rows for scikit-learn, ``reads`` being what converts a table in this process."""
        return LocalMatrix(reads(self))

    def team(self, n_threads: int) -> Team:
        """How to train several models of rows, with so many threads of this process."""
        return Team(n_threads, computes=True)

    def divided(self, values: Array | None) -> Any:
        """Values of the rows, or None, as an argument of `each`."""
        return values

    def jobs(self, n_jobs: int | None) -> Any:
        """Number of threads as an argument of `each` and `mapped`."""
        return n_jobs

    # ---- numbers ---------------------------------------------------------------------------------

    def select(self, features: Array) -> Table:
        """A table of the numbers of some features, which are not categorical."""
        raise NotImplementedError

    def numbers(self, coders: Coders) -> Iterator[tuple[int, Array]]:
        """Iterate over blocks of columns as numbers: (first feature, 2-D array)."""
        for j, coder in enumerate(coders):
            yield j, self.coded(j, coder)[:, np.newaxis]

    def row_blocks(self, coders: Coders) -> RowBlocks:
        """Iterate over blocks of rows as numbers: (slice of rows, 2-D array)."""
        size = max(1, PREDICTION_CELLS // self.n_features)
        for begin in range(0, self.n_rows, size):
            rows = slice(begin, min(self.n_rows, begin + size))
            part = self.take(rows)
            block = np.empty((part.n_rows, self.n_features), order="F")
            for j, coder in enumerate(coders):
                block[:, j] = part.coded(j, coder)
            yield rows, block

    def repeated_blocks(self, coders: Coders) -> Callable[[], RowBlocks]:
        """A function that returns the blocks of rows, which are converted once and kept."""
        blocks = list(self.row_blocks(coders))
        return lambda: iter(blocks)

    def coder(self, j: int, max_codes: int, copies: Array | None = None) -> Coder:
        """The coder of column j; ``copies`` counts rows repeatedly."""
        return Coder(self.labels(j), max_codes, copies)

    def coded(self, j: int, coder: Coder | None) -> Array:
        """Column j as floats, or as codes if it has a coder."""
        return self.column(j) if coder is None else coder(self.labels(j))

    # ---- values that are refused -----------------------------------------------------------------

    def refuse_infinite(self) -> None:
        """Raise a ValueError if an array of floats, which need not be checked yet, has infinity."""

    def refuse_missing(self, advice: str) -> None:
        """Raise ValueError if a column that is not categorical has missing or infinite values."""
        for j in range(self.n_features):
            if self.is_categorical(j):
                continue
            values = self.column(j)
            with np.errstate(over="ignore", invalid="ignore"):
                total = values.sum(dtype=np.float64)  # tests all values at once
            if np.isfinite(total):
                continue
            if np.isnan(self._finite(j, values)).any():
                raise ValueError(f"Input X contains NaN, in column {self.names[j]!r}: {advice}")

    def _finite(self, j: int, values: Array) -> Array:
        if np.isinf(values).any():
            raise ValueError(
                f"column {self.names[j]!r} contains infinity; replace it by a finite value, or by "
                "NaN if it stands for a missing one"
            )
        return values


class TypedTable(Table):
    """A table whose columns have types; a selection of rows keeps the types of the whole."""

    def __init__(self, X: Any, names: Sequence[Any] | None = None) -> None:
        super().__init__(X, names)
        self._whole: TypedTable | None = None
        self._text: dict[int, bool] = {}

    def is_text(self, j: int) -> bool:
        if self._whole is not None:
            return self._whole.is_text(j)
        if j not in self._text:
            self._text[j] = self._holds_text(j)
        return self._text[j]

    def take(self, rows: Any) -> Table:
        part = type(self)(self._rows(rows))
        part._whole = self._whole or self
        return part

    def _rows(self, rows: Any) -> Any:
        return self.X[rows]

    def _holds_text(self, j: int) -> bool:
        raise NotImplementedError


class ReadOnce(Table):
    """A selection of rows of a table whose columns are converted only once."""

    def __init__(self, table: Table) -> None:
        super().__init__(table.X, table.names)
        self.table = table
        self.rows: Array | None = None
        self._column = cache(table.column)
        self._labels = cache(table.labels)
        self._is_categorical = cache(table.is_categorical)
        self._is_text = cache(table.is_text)

    @cached_property
    def X(self) -> Any:  # noqa: N802, an attribute of all tables
        """The selected rows in their original container."""
        return self.table.take(self.rows).X

    def column(self, j: int) -> Array:
        column = self._column(j)
        return column if self.rows is None else column[self.rows]

    def labels(self, j: int) -> Labels:
        labels = self._labels(j)
        return labels if self.rows is None else labels.take(self.rows)

    def is_categorical(self, j: int) -> bool:
        return self._is_categorical(j)

    def is_text(self, j: int) -> bool:
        return self._is_text(j)

    def take(self, rows: Any) -> Self:
        part = copy(self)
        part.rows = np.arange(self.n_rows)[rows] if self.rows is None else self.rows[rows]
        part.n_rows = len(part.rows)
        part.__dict__.pop("X", None)
        return part
